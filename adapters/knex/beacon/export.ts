/**
 * Alleles that are read without a query: all of a dataset in order, in constant memory, and the structural ones around a
 * structural variant.
 */
import { Fault } from '../../../core/storage.js';
import {
  type Allele,
  type Around,
  type Assembly,
  alleleKey,
  byAllele,
  type Contig,
  type CountedAllele,
  contigs,
  farthest,
  type ListingOptions,
  matches,
  nearest,
  queryAround,
  type SearchOptions,
  type StructuralQuestion,
  widened,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { findDataset } from './datasets.js';
import { rowSelection } from './hits.js';
import { alleleOfRow, contigCode, type IndexPath, limitToPublished, pathsTo, type StoredAlleleRow } from './layout.js';
import { rowsInPortions } from './search.js';

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

interface ExportedDataset {
  id: string;
  assembly: Assembly;
}

async function listedDataset(snapshot: Database, id: string): Promise<ExportedDataset> {
  const [found] = await snapshot.query<{ assembly: Assembly }>('select assembly from beacon_datasets where id = ?', [
    id,
  ]);
  if (!found) throw new Fault('not-found', `There is no dataset "${id}"`);
  return { id, assembly: found.assembly };
}

/** Without a look at rows: those of other datasets would be read in vain. */
async function hasRows(snapshot: Database, { id, assembly }: ExportedDataset, contig: Contig): Promise<boolean> {
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
  listed: ExportedDataset,
  contig: Contig,
  after: Allele | undefined,
): AsyncGenerator<CountedAllele[]> {
  const here = new Map<string, CountedAllele>();
  const released = (): CountedAllele[] => {
    const alleles = [...here.values()];
    here.clear();
    return (after ? alleles.filter((allele) => byAllele(allele, after) > 0) : alleles).sort(byAllele);
  };
  let batch: CountedAllele[] = [];
  let start = -1;
  for await (const rows of rowsOn(snapshot, listed, contig, after)) {
    for (const row of rows) {
      if (row.start !== start) batch.push(...released());
      start = row.start;
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
      const allele: Allele = alleleOfRow(row);
      const key = alleleKey(allele);
      const known = here.get(key);
      here.set(key, { ...widened(known ?? allele, allele), calls: (known?.calls ?? 0) + row.calls });
    }
    if (batch.length > 0) yield batch;
    batch = [];
  }
  const rest = released();
  if (rest.length > 0) yield rest;
}

/**
 * The rows of the alleles on a contig, by start, and some that are before `after`. They are read stretch by stretch: a planner
 * without statistics sorts whatever lies between the bounds of a statement, even for its first rows.
 */
async function* rowsOn(
  snapshot: Database,
  { id, assembly }: ExportedDataset,
  contig: Contig,
  after: Allele | undefined,
): AsyncGenerator<StoredAlleleRow[]> {
  const columns = rowSelection('beacon_alleles', 'numbers');
  const first = after?.start ?? 0;
  let width = firstStretch;
  for (let start = first; start <= farthest; ) {
    const path: IndexPath = {
      from: 'beacon_alleles',
      byPlace: true,
      where: ['a.contig = ?', 'a.start between ? and ?'],
      bindings: [contigCode(assembly, contig), start, Math.min(start + width - 1, farthest)],
    };
    limitToPublished(path, [id]);
    let count = 0;
    for await (const rows of rowsInPortions(snapshot, path, {
      columns,
      ...(start === first && { first: firstRows }),
    })) {
      count += rows.length;
      if (rows.length > 0) yield rows;
    }
    start += width;
    if (count < fewRows) width *= 4;
    else if (count > manyRows) width = Math.ceil(width / 4);
  }
}

// The structural alleles around a structural variant.

/**
 * Rows as files wrote them need no other form: only small alleles and breakends have one. All rows within reach are read, so
 * that `reach` bounds the work.
 */
export function nearby(
  database: Database,
  dataset: string,
  question: StructuralQuestion,
  { reach, limit, signal }: Around & Pick<SearchOptions, 'signal'>,
): Promise<CountedAllele[]> {
  signal?.throwIfAborted();
  return database.until(signal).snapshot(async (snapshot) => {
    const described = await findDataset(snapshot, dataset);
    if (!described) return [];
    const query = queryAround(described.assembly, question, reach);
    const found = new Map<string, CountedAllele>();
    for (const path of pathsTo(query, new Set([dataset]))) {
      if (path.from !== 'beacon_alleles') continue;
      for await (const rows of rowsInPortions(snapshot, path)) {
        for (const row of rows) {
          const allele = alleleOfRow({ ...row, ranges: null });
          if (!matches(allele, query)) continue;
          const key = alleleKey(allele);
          found.set(key, { ...allele, calls: (found.get(key)?.calls ?? 0) + row.calls });
        }
      }
    }
    return nearest([...found.values()], question, limit);
  });
}
