/** What segments are of. A segment never changes, and its number is never used again: that may be kept. */
import type { Database } from '../binding.js';

/** Names in a generation; one takes some 100 bytes, or 300 if its segment has no other. */
const namesKept = 100_000;
/** Reads in a generation. */
const reads = 10_000;

export interface SegmentFacts {
  dataset: string;
  /** Names of samples by ordinal. */
  names: ReadonlyMap<number, string>;
}

/** By number. */
export type Segments = ReadonlyMap<number, SegmentFacts>;

/**
 * Keeps what was asked for in the present generation of reads and in the one before, so that segments that were removed
 * are forgotten without being told of.
 */
export class SampleNames {
  #present = new Map<number, SegmentFacts>();
  #before: ReadonlyMap<number, SegmentFacts> = new Map();
  #names = 0;
  #reads = 0;

  /** Dataset and samples of these segments; one that went away meanwhile has no entry. */
  async of(database: Database, segments: ReadonlySet<number>): Promise<Segments> {
    const found = new Map<number, SegmentFacts>();
    const missing: number[] = [];
    this.#reads += 1;
    for (const segment of segments) {
      const facts = this.#present.get(segment) ?? this.#before.get(segment);
      if (facts === undefined) missing.push(segment);
      else {
        found.set(segment, facts);
        this.#keep(segment, facts);
      }
    }
    if (missing.length === 0) return found;
    const rows = await database.query<{ segment: number; dataset: string; ordinal: number; name: string }>(
      'select s.segment, g.dataset, s.ordinal, s.name from beacon_samples s join beacon_segments g on g.id = s.segment ' +
        // Whole numbers of our own making.
        `where s.segment in (${missing.map(Math.trunc).join(', ')})`,
      [],
    );
    const names = new Map<number, Map<number, string>>();
    for (const { segment, dataset, ordinal, name } of rows) {
      const here = names.get(segment) ?? new Map<number, string>();
      names.set(segment, here.set(ordinal, name));
      found.set(segment, { dataset, names: here });
    }
    for (const segment of names.keys()) this.#keep(segment, found.get(segment) as SegmentFacts);
    return found;
  }

  #keep(segment: number, facts: SegmentFacts): void {
    if (this.#names >= namesKept || this.#reads >= reads) {
      this.#before = this.#present;
      this.#present = new Map();
      this.#names = 0;
      this.#reads = 0;
    }
    if (this.#present.has(segment)) return;
    this.#present.set(segment, facts);
    this.#names += facts.names.size;
  }
}
