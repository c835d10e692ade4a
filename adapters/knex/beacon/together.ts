/** The rows of several segments on one contig, by place and with rows of one allele together, in bounded memory. */
import { farthest } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { type Carriers, decodeCarriers } from './carriers.js';
import { type AlleleRow, alleleSelection } from './layout.js';
import { bounds, type Portion, within } from './portions.js';
import type { StoredAllele } from './segment.js';

/** Rows that are in memory, of all segments together. */
const heldRows = 20_000;
/** Carriers that are in memory, if every sample carries every allele. */
const heldCarriers = 1_000_000;
/** Rows of a segment that are read at a time, at least. */
const leastRows = 500;
/** How far, in bases, the start of a row may lag behind those before it in the order in which an import stored them. */
const slack = 1000;

export type StoredRow = AlleleRow & { span: number };

/** A row with its carriers by the ordinals of the merged segment. */
export interface MergedRow {
  row: StoredAllele;
  carriers: Carriers;
  calls: number;
}

/** A segment's rows on the contig, and its samples' ordinals in the merged segment by their ordinals in it. */
export interface Part {
  portion: Portion;
  ordinals: ReadonlyMap<number, number>;
}

/**
 * Rows are of one allele if they state the same of it: with other ranges they stay apart, so that the widest ranges are those of
 * the carriers that remain when some are removed. Rows come by start; of an import that was not sorted, rows of one allele
 * may come apart, which costs space alone.
 */
export async function* together(
  database: Database,
  parts: readonly Part[],
  pause: () => Promise<void>,
): AsyncGenerator<MergedRow[]> {
  const samples = Math.max(...parts.map(({ ordinals }) => ordinals.size));
  const held = Math.min(heldRows, heldCarriers / samples);
  const size = Math.max(Math.floor(held / parts.length), leastRows);
  const open = new Set(parts.map((part) => new Cursor(database, part, size)));
  let waiting: MergedRow[] = [];
  let byAllele = new Map<string, MergedRow>();
  while (open.size > 0) {
    const next = [...open].reduce((last, cursor) => (cursor.reached < last.reached ? cursor : last));
    await pause();
    for (const row of await next.read()) {
      const carriers = next.carriersOf(row);
      const key = keyOf(row);
      const known = byAllele.get(key);
      if (known && add(known, row, carriers)) continue;
      const merged = { row, carriers, calls: row.calls };
      byAllele.set(key, merged);
      waiting.push(merged);
    }
    if (next.ended) open.delete(next);
    const reached = Math.min(...[...open].map((cursor) => cursor.reached));
    const complete = waiting.filter(({ row }) => row.start < reached);
    if (complete.length === 0) continue;
    waiting = waiting.filter(({ row }) => row.start >= reached);
    byAllele = new Map([...byAllele].filter(([, { row }]) => row.start >= reached));
    yield complete.sort((one, other) => one.row.start - other.row.start || one.row.stop - other.row.stop);
  }
}

function keyOf({ start, stop, mate, reference, alternate, kind, structural, ranges }: StoredRow): string {
  return `${start} ${stop} ${mate} ${reference} ${alternate} ${structural} ${kind} ${ranges}`;
}

/** Adds the carriers of another row, unless one row cannot hold them all. */
function add(merged: MergedRow, { calls }: StoredRow, carriers: Carriers): boolean {
  if (merged.calls + calls > farthest) return false;
  for (const ordinal of carriers.keys()) if (merged.carriers.has(ordinal)) return false;
  for (const [ordinal, copies] of carriers) merged.carriers.set(ordinal, copies);
  merged.calls += calls;
  return true;
}

/** Reads the rows of a part in order, a few at a time. */
class Cursor {
  readonly #database: Database;
  readonly #part: Part;
  readonly #size: number;
  #next: number;
  #highest = -1;
  /** All rows that start before are read. */
  reached = -1;
  ended = false;

  constructor(database: Database, part: Part, size: number) {
    this.#database = database;
    this.#part = part;
    this.#size = size;
    this.#next = part.portion.first;
  }

  async read(): Promise<StoredRow[]> {
    const { first, last } = this.#part.portion;
    const isFew = last - first < this.#size;
    const rows = await this.#database.query<StoredRow>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${within(this.#database.engine, 'a')} ` +
        // Sorting many would be done anew for every page; what an import stored is nearly in order.
        (isFew ? 'order by a.start, a.id' : `order by a.id limit ${this.#size}`),
      bounds({ ...this.#part.portion, first: this.#next }),
    );
    for (const { start } of rows) if (start > this.#highest) this.#highest = start;
    this.ended = isFew || rows.length < this.#size;
    this.reached = this.ended ? Number.POSITIVE_INFINITY : this.#highest - slack;
    this.#next = Number(rows.at(-1)?.id ?? last) + 1;
    return rows;
  }

  carriersOf(row: StoredRow): Carriers {
    const carriers: Carriers = new Map();
    for (const [ordinal, copies] of decodeCarriers(row.carriers, row.calls)) {
      carriers.set(this.#part.ordinals.get(ordinal) as number, copies);
    }
    return carriers;
  }
}
