/** Alleles that are plain sequence. */

const plain = /^[ACGTN]+$/;

/**
 * Bases as they are stored: upper case, every other IUPAC code read as N. Undefined where the text is something else.
 */
export function bases(text: string): string | undefined {
  if (plain.test(text)) return text;
  const upper = text.toUpperCase();
  if (!/^[ABCDGHKMNRSTVWY]+$/.test(upper)) return undefined;
  return upper.replace(/[^ACGTN]/g, 'N');
}

/** What a sequence-resolved allele is called, by its lengths alone. */
export function kindOfSequence(reference: string, alternate: string): 'SNP' | 'MNP' | 'INS' | 'DEL' {
  const longer = alternate.length - reference.length;
  if (longer !== 0) return longer > 0 ? 'INS' : 'DEL';
  return reference.length === 1 ? 'SNP' : 'MNP';
}

export interface Trimmed {
  /** Bases taken off the left: how far the start moves. */
  offset: number;
  reference: string;
  alternate: string;
}

/** Takes off the common end, then the common beginning, always leaving one base on both sides. */
export function trim(reference: string, alternate: string): Trimmed {
  let end = 0;
  const shorter = Math.min(reference.length, alternate.length);
  while (end < shorter - 1 && reference.at(-1 - end) === alternate.at(-1 - end)) end++;
  let offset = 0;
  while (offset < shorter - end - 1 && reference[offset] === alternate[offset]) offset++;
  return {
    offset,
    reference: reference.slice(offset, reference.length - end),
    alternate: alternate.slice(offset, alternate.length - end),
  };
}
