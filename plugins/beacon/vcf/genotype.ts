/** Genotypes (VCF 4.3 §1.6.2): how many copies of each allele a sample carries. */

const zero = 48;
const nine = 57;
const colon = 58;
const tab = 9;
const slash = 47;
const bar = 124;
const dot = 46;

/**
 * Counts the allele indexes of one genotype into `copies` (index 0 is the reference), which must hold zeros: `0/1` is
 * one copy of 1, a haploid `1` one, `1|2` one of each; `.` counts nothing. Reads from `at` to the next colon, tab or
 * `end`. Exact for any ploidy: no line is long enough for 2³² copies. Returns false if it is not a genotype, or names an
 * allele that the record does not have.
 */
export function countCopies(text: string, at: number, end: number, copies: Uint32Array): boolean {
  let allele = -1;
  for (let i = at; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= zero && code <= nine) {
      allele = (allele < 0 ? 0 : allele * 10) + code - zero;
      continue;
    }
    if (code === colon || code === tab) break;
    if (code !== slash && code !== bar && code !== dot) return false;
    if (allele >= copies.length) return false;
    if (allele >= 0) copies[allele] = (copies[allele] ?? 0) + 1;
    allele = -1;
  }
  if (allele >= copies.length) return false;
  if (allele >= 0) copies[allele] = (copies[allele] ?? 0) + 1;
  return true;
}

/**
 * Where the field `index` of the sample column at `at` begins; -1 if the sample omits it, which VCF allows for trailing
 * fields.
 */
export function fieldOf(text: string, at: number, end: number, index: number): number {
  let left = index;
  for (let i = at; left > 0; i++) {
    const code = i < end ? text.charCodeAt(i) : tab;
    if (code === tab) return -1;
    if (code !== colon) continue;
    left--;
    if (left === 0) return i + 1;
  }
  return at;
}

/** The places of fields in FORMAT; -1 for one that is not there. */
export interface Fields {
  genotype: number;
  quality: number;
}

export function fieldsOf(format: string): Fields {
  const names = format.split(':');
  return { genotype: names.indexOf('GT'), quality: names.indexOf('GQ') };
}
