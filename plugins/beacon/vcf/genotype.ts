/** Genotypes (VCF 4.3 §1.6.2): how many copies of each allele a sample carries. */

const zero = 48;
const nine = 57;
const colon = 58;
const tab = 9;
const slash = 47;
const bar = 124;
const dot = 46;

/**
 * The copies of each allele that one genotype has. Reading one takes as long as its text, whatever the number of alleles: it
 * only clears what the genotype before it had set.
 */
export class Copies {
  /** The alternates that the genotype has, each once; 1 is the first. */
  readonly carried: number[] = [];
  #counts = new Uint32Array(2);

  /** Makes room for the alleles of a record. */
  resize(alternates: number): void {
    this.#clear();
    if (this.#counts.length !== alternates + 1) this.#counts = new Uint32Array(alternates + 1);
  }

  /** The copies of an allele; 0 is the reference. */
  of(allele: number): number {
    return this.#counts[allele] ?? 0;
  }

  /**
   * Counts the allele indexes of one genotype: `0/1` is one copy of 1, a haploid `1` one, `1|2` one of each; `.` counts
   * nothing. Reads from `at` to the next colon, tab or `end`. Exact for any ploidy: no line is long enough for 2³² copies.
   * Returns false if it is not a genotype, or names an allele that the record does not have.
   */
  count(text: string, at: number, end: number): boolean {
    this.#clear();
    let allele = -1;
    for (let i = at; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code >= zero && code <= nine) {
        allele = (allele < 0 ? 0 : allele * 10) + code - zero;
        continue;
      }
      if (code === colon || code === tab) break;
      if (code !== slash && code !== bar && code !== dot) return false;
      if (!this.#add(allele)) return false;
      allele = -1;
    }
    return this.#add(allele);
  }

  #add(allele: number): boolean {
    const counts = this.#counts;
    if (allele < 0) return true;
    if (allele >= counts.length) return false;
    const before = counts[allele] as number;
    if (before === 0 && allele > 0) this.carried.push(allele);
    counts[allele] = before + 1;
    return true;
  }

  #clear(): void {
    for (const allele of this.carried) this.#counts[allele] = 0;
    this.#counts[0] = 0;
    this.carried.length = 0;
  }
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

/** The whole number that begins at `at`, up to the next colon, tab or `end`; -1 for anything else. */
export function wholeNumberAt(text: string, at: number, end: number): number {
  let value = 0;
  let i = at;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === colon || code === tab) break;
    if (code < zero || code > nine) return -1;
    value = value * 10 + code - zero;
  }
  return i === at ? -1 : value;
}

/** The places of fields in FORMAT; -1 for one that is not there. */
export interface Fields {
  genotype: number;
  quality: number;
  /** CN, the number of copies. */
  copies: number;
}

export function fieldsOf(format: string): Fields {
  const names = format.split(':');
  return { genotype: names.indexOf('GT'), quality: names.indexOf('GQ'), copies: names.indexOf('CN') };
}
