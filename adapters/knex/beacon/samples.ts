/** Names of a segment's samples. A segment never changes, and its number is never used again: names may be kept. */
import type { Database } from '../binding.js';

/** Segments whose names are kept; a name is some 50 bytes. */
const kept = 500;

export class SampleNames {
  readonly #names = new Map<number, Map<number, string>>();

  /** Names by ordinal. */
  async of(database: Database, segment: number): Promise<Map<number, string>> {
    const known = this.#names.get(segment);
    if (known) return known;
    const rows = await database.query<{ ordinal: number; name: string }>(
      'select ordinal, name from beacon_samples where segment = ? order by ordinal',
      [segment],
    );
    const names = new Map(rows.map((row) => [row.ordinal, row.name]));
    // An empty list means that the segment went away meanwhile: nothing to keep.
    if (names.size > 0) this.#keep(segment, names);
    return names;
  }

  #keep(segment: number, names: Map<number, string>): void {
    const oldest = this.#names.keys().next();
    if (this.#names.size >= kept && !oldest.done) this.#names.delete(oldest.value);
    this.#names.set(segment, names);
  }
}
