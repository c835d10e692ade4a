/** Alleles that are plain sequence. */

const plain = /^[ACGTN]+$/;

/** Of the codes for several bases, the base that is first in the alphabet (VCF 4.3 §1.6.1). */
const first: Readonly<Record<string, string>> = {
  ...{ R: 'A', Y: 'C', S: 'C', W: 'A', K: 'G', M: 'A', B: 'C', D: 'A', H: 'A', V: 'A' },
};

/** The bases of an alternate, in upper case; undefined for any other text, IUPAC codes of several bases included. */
export function bases(text: string): string | undefined {
  if (plain.test(text)) return text;
  const upper = text.toUpperCase();
  return plain.test(upper) ? upper : undefined;
}

/** The bases of a reference, in upper case; a code for several bases becomes one of them, as VCF asks. Undefined for any other text. */
export function referenceBases(text: string): string | undefined {
  return bases(text) ?? bases(text.toUpperCase().replace(/[RYSWKMBDHV]/g, (code) => first[code] ?? code));
}

/** Whether a text is of bases and codes for several bases, at least one of these. */
export function isAmbiguous(text: string): boolean {
  return bases(text) === undefined && referenceBases(text) !== undefined;
}
