/** Notices an allele that several records of a sorted file write: it is stored once, and each sample's first call of it counts. */
import { type Allele, alleleKey, type Carrier, lengthOfInsertion } from '../domain/allele.js';

/** Alleles among which repeated ones are looked for: many times those at one place of a real file. */
const mostRecent = 100_000;

/** The alleles of one contig that a later record can write again. */
export class RecentAlleles {
  /** Nearly always there is one, for which no key is made. */
  #only: Allele | undefined;
  #carriers: readonly Carrier[] = [];
  /** With further ones: all of them, each with its carriers, or their samples once it came again. */
  readonly #all = new Map<string, readonly Carrier[] | Set<number>>();
  /** The last start among them. */
  #end = -1;

  /** Forgets all, for the records of another contig. */
  clear(): void {
    this.#only = undefined;
    if (this.#all.size > 0) this.#all.clear();
    this.#end = -1;
  }

  /**
   * Adds an allele of a record that starts at `start` (zero-based). Returns how many copies of its carriers earlier records with the
   * same allele counted; undefined if there are none.
   */
  add(allele: Allele, carriers: readonly Carrier[], start: number): number | undefined {
    // Trimming moves an allele to the right of its record, never to the left.
    if (this.#end < start || this.#all.size > mostRecent) {
      this.clear();
      this.#end = allele.start;
      this.#only = allele;
      this.#carriers = carriers;
      return undefined;
    }
    this.#end = Math.max(this.#end, allele.start);
    if (this.#only) this.#all.set(keyOf(this.#only), this.#carriers);
    this.#only = undefined;
    const key = keyOf(allele);
    const earlier = this.#all.get(key);
    if (!earlier) {
      this.#all.set(key, carriers);
      return undefined;
    }
    const samples = earlier instanceof Set ? earlier : new Set(earlier.map(([sample]) => sample));
    this.#all.set(key, samples);
    let counted = 0;
    for (const [sample, copies] of carriers) {
      if (samples.has(sample)) counted += copies;
      else samples.add(sample);
    }
    return counted;
  }
}

/** Insertions without their bases are told apart by their lengths. */
function keyOf(allele: Allele): string {
  return `${alleleKey(allele)} ${lengthOfInsertion(allele) ?? ''}`;
}
