/** Names of segments' samples. A segment never changes, and its number is never used again: names may be kept. */
import type { Database } from '../binding.js';

/** Names that are kept; one takes some 100 bytes. */
const kept = 200_000;

/** Names by ordinal. */
type Names = ReadonlyMap<number, string>;

export class SampleNames {
  readonly #known = new Map<number, Names>();
  #count = 0;

  /** The names of these segments; one that went away meanwhile has no entry. */
  async of(database: Database, segments: ReadonlySet<number>): Promise<Map<number, Names>> {
    const found = new Map<number, Names>();
    const missing: number[] = [];
    for (const segment of segments) {
      const names = this.#known.get(segment);
      if (names) found.set(segment, names);
      else missing.push(segment);
    }
    if (missing.length === 0) return found;
    const rows = await database.query<{ segment: number; ordinal: number; name: string }>(
      // Whole numbers of our own making.
      `select segment, ordinal, name from beacon_samples where segment in (${missing.map(Math.trunc).join(', ')})`,
      [],
    );
    const read = new Map<number, Map<number, string>>();
    for (const { segment, ordinal, name } of rows) {
      const names = read.get(segment) ?? new Map<number, string>();
      read.set(segment, names.set(ordinal, name));
    }
    for (const [segment, names] of read) {
      found.set(segment, names);
      this.#keep(segment, names);
    }
    return found;
  }

  #keep(segment: number, names: Names): void {
    this.#known.set(segment, names);
    this.#count += names.size;
    for (const [oldest, { size }] of this.#known) {
      if (this.#count <= kept) return;
      this.#known.delete(oldest);
      this.#count -= size;
    }
  }
}
