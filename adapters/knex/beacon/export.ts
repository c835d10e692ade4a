/** All alleles of a dataset in order, in constant memory. */
import { Fault } from '../../../core/storage.js';
import {
  type Allele,
  type Assembly,
  alleleKey,
  byAllele,
  type Contig,
  type CountedAllele,
  contigs,
  farthest,
  type ListingOptions,
  widened,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { present, segmentOf } from './as-written.js';
import { decodeCarriers } from './carriers.js';
import { rowSelection } from './hits.js';
import { type AlleleRow, alleleOf, alleleSelection, contigCode } from './layout.js';
import { type Path, pathsAsWritten, seen, sourceOf } from './paths.js';
import { type PublishedSegment, published } from './published.js';
import { portions } from './search.js';

/** Alleles handed on at once, at most. */
const batchSize = 1000;
/** Rows that are read first: a caller may need few. */
const firstRows = 100;
/** Bases that are read first. */
const firstStretch = 100_000;
/** Rows of a stretch, up to which the next is longer, and from which on it is shorter. */
const fewRows = 2000;
const manyRows = 20_000;

/** Everything from one state of the database. The rows of one start, from all imports, are brought together. */
export function eachAllele(
  database: Database,
  dataset: string,
  take: (alleles: readonly CountedAllele[]) => Promise<unknown>,
  { after, signal }: ListingOptions = {},
): Promise<void> {
  return database.until(signal).snapshot(async (snapshot) => {
    const listed = await listedDataset(snapshot, dataset);
    for (const contig of after ? contigs.slice(contigs.indexOf(after.contig)) : contigs) {
      if (!(await hasRows(snapshot, listed, contig))) continue;
      for await (const batch of allelesOn(snapshot, listed, contig, after?.contig === contig ? after : undefined)) {
        if ((await take(batch)) === false) return;
      }
    }
  });
}

interface Listed {
  id: string;
  assembly: Assembly;
  /** Those with rows as an earlier release wrote them. */
  asWritten: ReadonlySet<number>;
  /** All, if there are any of those. */
  segments: readonly PublishedSegment[];
}

async function listedDataset(snapshot: Database, id: string): Promise<Listed> {
  const [found] = await snapshot.query<{ assembly: Assembly; marked: number | string }>(
    'select d.assembly, (select count(*) from (select 1 from beacon_segments g where g.dataset = d.id and ' +
      "g.state = 'published' and g.as_written = 1 limit 1) as first_marked) as marked from beacon_datasets d where d.id = ?",
    [id],
  );
  if (!found) throw new Fault('not-found', `There is no dataset "${id}"`);
  const { segments } = Number(found.marked) > 0 ? await published(snapshot, id) : { segments: [] };
  const asWritten = new Set(segments.filter((segment) => segment.asWritten).map((segment) => segment.id));
  return { id, assembly: found.assembly, asWritten, segments };
}

/** Without a look at rows: those of other datasets would be read in vain. */
async function hasRows(snapshot: Database, { id, assembly }: Listed, contig: Contig): Promise<boolean> {
  const found = await snapshot.query(
    'select 1 from beacon_segments g join beacon_extents e on e.segment = g.id and e.contig = ? ' +
      "where g.dataset = ? and g.state = 'published' limit 1",
    [contigCode(assembly, contig), id],
  );
  return found.length > 0;
}

/** The alleles of a contig, or those after one of them, in portions of at most `batchSize`. */
async function* allelesOn(
  snapshot: Database,
  listed: Listed,
  contig: Contig,
  after: Allele | undefined,
): AsyncGenerator<CountedAllele[]> {
  const { asWritten, segments } = listed;
  const copies = asWritten.size > 0 ? new LargestCopies(segments) : undefined;
  const here = new Map<string, CountedAllele>();
  const released = (before: number): CountedAllele[] => {
    const complete = [...here].filter(([, allele]) => allele.start < before);
    for (const [key] of complete) here.delete(key);
    copies?.forget(complete.map(([key]) => key));
    const alleles = complete.map(([, allele]) => allele);
    return (after ? alleles.filter((allele) => byAllele(allele, after) > 0) : alleles).sort(byAllele);
  };
  let batch: CountedAllele[] = [];
  let start = -1;
  for await (const rows of rowsOn(snapshot, listed, contig, after)) {
    for (const row of rows) {
      // A row as its file wrote it stands for an allele that starts there, or further on.
      if (row.start !== start) batch.push(...released(row.start));
      start = row.start;
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
      const allele: Allele = alleleOf(asWritten.has(segmentOf(row)) ? present(row) : row);
      const key = alleleKey(allele);
      const known = here.get(key);
      const more = copies?.add(key, row) ?? row.calls;
      here.set(key, { ...widened(known ?? allele, allele), calls: (known?.calls ?? 0) + more });
    }
    if (batch.length > 0) yield batch;
    batch = [];
  }
  const rest = released(Number.POSITIVE_INFINITY);
  if (rest.length > 0) yield rest;
}

/**
 * The rows of the alleles on a contig, by start, and some that are before `after`. They are read stretch by stretch: a planner
 * without statistics sorts whatever lies between the bounds of a statement, even for its first rows.
 */
async function* rowsOn(
  snapshot: Database,
  { id, assembly, asWritten }: Listed,
  contig: Contig,
  after: Allele | undefined,
): AsyncGenerator<AlleleRow[]> {
  if (after && asWritten.size > 0) yield* rowsReaching(snapshot, { assembly, asWritten }, after);
  // Carriers are needed if some of them may come twice.
  const columns = rowSelection('beacon_alleles', asWritten.size > 0 ? 'all' : 'numbers');
  const first = after?.start ?? 0;
  let width = firstStretch;
  for (let start = first; start <= farthest; ) {
    const path: Path = {
      from: 'beacon_alleles',
      byPlace: true,
      where: ['a.contig = ?', 'a.start between ? and ?'],
      bindings: [contigCode(assembly, contig), start, Math.min(start + width - 1, farthest)],
    };
    seen(path, [id]);
    let count = 0;
    for await (const rows of portions(snapshot, path, { columns, ...(start === first && { first: firstRows }) })) {
      count += rows.length;
      if (rows.length > 0) yield rows;
    }
    start += width;
    if (count < fewRows) width *= 4;
    else if (count > manyRows) width = Math.ceil(width / 4);
  }
}

/** Rows as an earlier release wrote them that start before an allele, and may stand for one that does not. */
async function* rowsReaching(
  snapshot: Database,
  { assembly, asWritten }: Pick<Listed, 'assembly' | 'asWritten'>,
  { contig, start }: Allele,
): AsyncGenerator<AlleleRow[]> {
  const rows: AlleleRow[] = [];
  for (const path of pathsAsWritten({ assembly, contig, overlaps: { start, end: start } })) {
    const text = `select ${alleleSelection} from ${sourceOf(snapshot.engine, path)} a where ${path.where.join(' and ')}`;
    const found = await snapshot.query<AlleleRow>(text, path.bindings);
    rows.push(...found.filter((row) => row.start < start && row.stop > start && asWritten.has(segmentOf(row))));
  }
  yield rows.sort((one, other) => one.start - other.start);
}

/** The copies of samples that may come several times with one allele, of which the largest number counts. */
class LargestCopies {
  readonly #names: ReadonlyMap<number, ReadonlyMap<number, string>>;
  readonly #copies = new Map<string, Map<string, number>>();

  constructor(segments: readonly PublishedSegment[]) {
    this.#names = new Map(
      segments.map(({ id, samples }) => [id, new Map(samples.map(({ ordinal, name }) => [ordinal, name]))]),
    );
  }

  /** Returns how many calls a row adds to those that its allele has. */
  add(key: string, row: AlleleRow): number {
    const known = this.#copies.get(key) ?? new Map<string, number>();
    this.#copies.set(key, known);
    let more = 0;
    for (const [ordinal, copies] of decodeCarriers(row.carriers, row.calls)) {
      const name = this.#names.get(segmentOf(row))?.get(ordinal) ?? '';
      const before = known.get(name) ?? 0;
      if (copies <= before) continue;
      known.set(name, copies);
      more += copies - before;
    }
    return more;
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#copies.delete(key);
  }
}
