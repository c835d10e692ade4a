/** Alleles that are plain sequence. */

const plain = /^[ACGTN]+$/;

/**
 * Bases as they are stored: upper case, every other IUPAC code read as N. Undefined for any other text.
 */
export function bases(text: string): string | undefined {
  if (plain.test(text)) return text;
  const upper = text.toUpperCase();
  if (!/^[ABCDGHKMNRSTVWY]+$/.test(upper)) return undefined;
  return upper.replace(/[^ACGTN]/g, 'N');
}
