/** What segments are of. A segment never changes, and its number is never used again: that may be kept. */
import type { Database } from '../binding.js';

/** Names that are kept; one takes some 100 bytes. */
const kept = 200_000;

export interface SegmentFacts {
  dataset: string;
  /** Names of samples by ordinal. */
  names: ReadonlyMap<number, string>;
}

/** By number. */
export type Segments = ReadonlyMap<number, SegmentFacts>;

export class SampleNames {
  readonly #known = new Map<number, SegmentFacts>();
  #count = 0;

  /** Dataset and samples of these segments; one that went away meanwhile has no entry. */
  async of(database: Database, segments: ReadonlySet<number>): Promise<Segments> {
    const found = new Map<number, SegmentFacts>();
    const missing: number[] = [];
    for (const segment of segments) {
      const facts = this.#known.get(segment);
      if (facts) found.set(segment, facts);
      else missing.push(segment);
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
    if (this.#known.has(segment)) return;
    this.#known.set(segment, facts);
    this.#count += facts.names.size;
    for (const [oldest, { names }] of this.#known) {
      if (this.#count <= kept) return;
      this.#known.delete(oldest);
      this.#count -= names.size;
    }
  }
}
