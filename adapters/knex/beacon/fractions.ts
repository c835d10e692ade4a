/**
 * Allele fractions of carriers: rows of `beacon_fractions` with the ids of those rows of `beacon_alleles` that have any, and
 * percents by the ordinals of samples, as `carriers.ts` writes copies. They belong to the segment of their row: a copy of that row
 * has a copy of them, for the carriers that are left.
 */
import { type Allele, type Assembly, alleleKey, type BeaconRepository } from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { grouped } from '../lists.js';
import { type CarrierCopies, type CarrierPercents, decodeCarriers, encodeCarriers } from './carriers.js';
import type { SampleNames } from './hits.js';
import { alleleOfRow, contigCode, type StoredAlleleRow, segmentOfRow } from './layout.js';
import type { SegmentPortion } from './portions.js';
import { type AlleleSighting, askedRows, pathOfGroup } from './sightings.js';

/** The columns of `beacon_fractions`, in the order in which rows are appended. */
export const fractionColumns = ['id', 'percents'] as const;

export function fractionRow(id: number, percents: CarrierPercents): Scalar[] {
  return [id, encodeCarriers(percents)];
}

/** Those of the carriers alone. */
export function ofCarriers(
  percents: ReadonlyMap<number, number> | undefined,
  carriers: CarrierCopies,
): CarrierPercents | undefined {
  return percents?.size ? new Map([...percents].filter(([ordinal]) => carriers.has(ordinal))) : undefined;
}

interface FractionRow {
  id: number | string;
  percents: string;
}

function byRow(rows: readonly FractionRow[]): Map<number, CarrierPercents> {
  return new Map(rows.map(({ id, percents }) => [Number(id), decodeCarriers(percents, 0)]));
}

/** By the id of the row, for the rows of a portion that have any. */
export async function fractionsWithin(
  database: Database,
  { first, last }: Pick<SegmentPortion, 'first' | 'last'>,
): Promise<Map<number, CarrierPercents>> {
  const text = 'select id, percents from beacon_fractions where id between ? and ?';
  return byRow(await database.query<FractionRow>(text, [first, last]));
}

/** The same for rows of these ids. */
export async function fractionsOfRows(
  database: Database,
  ids: readonly number[],
): Promise<Map<number, CarrierPercents>> {
  if (ids.length === 0) return new Map();
  const { sql, bindings } = database.engine.among('id', ids);
  return byRow(await database.query<FractionRow>(`select id, percents from beacon_fractions where ${sql}`, bindings));
}

/** Adds those of the carriers to sightings of rows. */
export async function addFractions(database: Database, sightings: readonly AlleleSighting[]): Promise<void> {
  const fractions = await fractionsOfRows(
    database,
    sightings.flatMap(({ id }) => id ?? []),
  );
  for (const sighting of sightings) sighting.percents = fractions.get(sighting.id ?? -1);
}

/** For rows of one allele each, the first of which takes over the carriers of the others: of a carrier, the first fraction stays. */
export async function foldFractions(database: Database, alleles: Iterable<readonly StoredAlleleRow[]>): Promise<void> {
  const { engine, write } = database;
  const groups = [...alleles].map((rows) => rows.map(({ id }) => Number(id)));
  const fractions = await fractionsOfRows(database, groups.flat());
  if (fractions.size === 0) return;
  const folded = groups.flatMap(([kept = -1, ...others]) => {
    const percents = new Map([...others.reverse(), kept].flatMap((id) => [...(fractions.get(id) ?? [])]));
    return percents.size > 0 ? [fractionRow(kept, percents)] : [];
  });
  await engine.whereIn(write('beacon_fractions'), 'id', [...fractions.keys()]).delete();
  await engine.append(write, 'beacon_fractions', fractionColumns, folded);
}

/** For each allele of a dataset, the known fractions by the names of its carriers. */
export async function fractionsOfAlleles(
  database: Database,
  known: SampleNames,
  dataset: string,
  alleles: readonly Allele[],
  { signal }: NonNullable<Parameters<BeaconRepository['fractions']>[2]> = {},
): Promise<ReadonlyMap<string, number>[]> {
  const found = alleles.map(() => new Map<string, number>());
  await database.until(signal).snapshot(async (snapshot) => {
    const [described] = await snapshot.query<{ assembly: Assembly }>(
      'select assembly from beacon_datasets where id = ?',
      [dataset],
    );
    if (described === undefined) return;
    for (const [contig, numbers] of grouped([...alleles.keys()], (n) => (alleles[n] as Allele).contig)) {
      const rows = await rowsOfAlleles(snapshot, dataset, contigCode(described.assembly, contig), alleles, numbers);
      const fractions = await fractionsOfRows(
        snapshot,
        rows.map(({ id }) => id),
      );
      const segments = await known.of(snapshot, new Set([...fractions.keys()].map((id) => segmentOfRow({ id }))));
      for (const { id, n } of rows) {
        const names = segments.get(segmentOfRow({ id }))?.names;
        for (const [ordinal, percent] of fractions.get(id) ?? []) {
          const name = names?.get(ordinal);
          if (name !== undefined) found[n]?.set(name, percent);
        }
      }
    }
  });
  return found;
}

/** The rows of the alleles of these numbers, which are on one contig. */
async function rowsOfAlleles(
  database: Database,
  dataset: string,
  code: number,
  alleles: readonly Allele[],
  numbers: readonly number[],
): Promise<{ id: number; n: number }[]> {
  const path = pathOfGroup(
    { datasets: new Set([dataset]), questions: numbers },
    ['a.contig = ?', 'a.start = q.start'],
    [code],
    { byPlace: true },
  );
  const rows = await askedRows(database, {
    columns: { n: 'integer', start: 'integer' },
    rows: numbers.map((n) => [n, (alleles[n] as Allele).start]),
    path,
    at: { contig: code, column: 'start' },
  });
  const same = rows.filter((row) => alleleKey(alleleOfRow(row)) === alleleKey(alleles[row.question] as Allele));
  return same.map(({ id, question }) => ({ id: Number(id), n: question }));
}
