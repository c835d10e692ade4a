/** The table of alleles: which rows a query has to read, and what a row says. */
import {
  boolean,
  type Conditions,
  defineTable,
  integer,
  json,
  optional,
  person,
  type RowOf,
  small,
  type Tables,
  text,
} from '../../core/storage.js';
import { type Allele, type Bounds, type Contig, contigs, farthest } from './domain/allele.js';
import { type AlleleQuery, trimmedStart } from './domain/allele-query.js';
import { isOpen, isSpelled } from './domain/matching.js';
import type { Portion, StoredAllele, StoredAlleles } from './repository.js';

/** The order of the key is that of `byAllele`. An allele whose carriers take more than `largestValue` is `invalid`. */
export const alleles = defineTable({
  name: 'beacon_alleles',
  columns: {
    dataset: integer(),
    // Its place in the list of chromosomes.
    contig: small(),
    start: small(),
    stop: small(),
    reference: text(),
    alternate: text(),
    // Empty without one.
    mate: text(),
    kind: text(),
    structural: boolean(),
    reach: small(),
    trimmed: optional(small()),
    portions: person(json<Portion[]>()),
    uncalled: person(json<string[]>()),
    // Samples in both.
    people: integer(),
  },
  key: ['dataset', 'contig', 'start', 'stop', 'reference', 'alternate', 'mate'],
  indexes: [
    ['dataset', 'reach', 'contig', 'start'],
    ['dataset', 'mate', 'stop'],
    ['dataset', 'contig', 'trimmed'],
  ],
});

export type StoredAlleleRow = RowOf<typeof alleles.columns>;

/** The number of hexadecimal digits of its length, at most `mostDigits`; 0 if its end does not bound its start. */
function digitsOfLength({ start, end, mate }: Allele): number {
  return mate !== undefined || end < start ? 0 : Math.min((end - start).toString(16).length, mostDigits);
}

/** Up to 16⁸ − 1 bases: longer than any chromosome. */
const mostDigits = 8;
const atOnce = 1000;

/** What identifies an allele, and by what it is found. */
export function keyOfAllele(dataset: number, allele: Allele) {
  const { contig, start, end, reference, alternate, mate = '', kind, structural } = allele;
  const key = { dataset, contig: contigs.indexOf(contig), start, stop: end, reference, alternate, mate };
  return { ...key, kind, structural, reach: digitsOfLength(allele), trimmed: trimmedStart(allele) };
}

export function alleleOfRow({
  contig,
  start,
  stop,
  mate,
  reference,
  alternate,
  kind,
  structural,
}: StoredAlleleRow): Allele {
  return {
    ...{ contig: contigs[contig] as Contig, start, end: stop, reference, alternate, kind, structural },
    ...(mate !== '' && { mate: mate as Contig }),
  };
}

/** How many samples an allele has. */
export function peopleOfRow({ portions, uncalled }: Pick<StoredAlleleRow, 'portions' | 'uncalled'>): number {
  return portions.reduce((sum, { carriers }) => sum + carriers.length, uncalled.length);
}

export async function* allelesIn(
  tables: Tables,
  dataset: number,
  { query, starts, after, signal }: StoredAlleles,
): AsyncGenerator<StoredAllele> {
  const table = tables.table(alleles);
  if (query || starts) {
    const where = query ? matchingRows(dataset, query) : rowsAt(dataset, starts ?? new Map());
    for (const row of await table.find({ where, signal })) yield storedAllele(row);
    return;
  }
  const order = ['contig', 'start', 'stop', 'reference', 'alternate', 'mate'] as const;
  let from: object | undefined = after && keyOfAllele(dataset, after);
  do {
    const { rows, next } = await table.page({ where: { dataset }, order, limit: atOnce, after: from, signal });
    for (const row of rows) yield storedAllele(row);
    from = next;
  } while (from !== undefined);
}

function storedAllele(row: StoredAlleleRow): StoredAllele {
  return { allele: alleleOfRow(row), portions: row.portions, uncalled: row.uncalled };
}

/** Rows of alleles that start at these places, shared bases left out or not. */
export function rowsAt(
  dataset: number,
  starts: ReadonlyMap<Contig, ReadonlySet<number>>,
): readonly Conditions<StoredAlleleRow>[] {
  return [...starts].flatMap(([contig, all]) => {
    const at = { among: [...all].filter((start) => start >= 0 && start <= farthest) };
    const on = { dataset, contig: contigs.indexOf(contig) };
    return [
      { ...on, start: at },
      { ...on, trimmed: at },
    ];
  });
}

/**
 * Rows of at least the alleles that match. Those that start within bounds are one range. But an end, or an overlap, bounds the
 * start from below only if the length is known: alleles with d hexadecimal digits of length are shorter than 16^d, and start at
 * most that far before. Breakends are found from their mates, too, and structural alleles without the bases that they share.
 */
function matchingRows(dataset: number, query: AlleleQuery): readonly Conditions<StoredAlleleRow>[] {
  const on = { dataset, contig: contigs.indexOf(query.contig) };
  const found = [startsWithin(query, 1)].flatMap((start): Conditions<StoredAlleleRow>[] =>
    start ? [{ ...on, start }] : [],
  );
  for (const reach of [0, 2, 3, 4, 5, 6, 7, mostDigits]) {
    const start = startsWithin(query, reach);
    if (start) found.push({ ...on, reach, start });
  }
  const shorter = isSpelled(query) ? startsWithin({ ...(query.start && { start: query.start }) }, 0) : undefined;
  if (shorter) found.push({ ...on, trimmed: shorter });
  // The reference base of a breakend is that of its near end.
  const stop = isOpen(query.reference) ? startsWithin(query, 0) : undefined;
  if (stop) found.push({ dataset, mate: query.contig, stop });
  return found;
}

/** Where alleles with so many digits start; undefined if nowhere. */
function startsWithin({ start, end, overlaps }: Pick<AlleleQuery, 'start' | 'end' | 'overlaps'>, digits: number) {
  const { min, max }: Bounds = start ?? { min: 0, max: farthest };
  let [first, last] = [Math.max(min, 0), Math.min(max, farthest)];
  if (overlaps) last = Math.min(last, overlaps.end - 1);
  if (digits === 0) {
    if (overlaps) first = Math.max(first, Math.min(overlaps.start, overlaps.end));
  } else {
    if (overlaps) first = Math.max(first, overlaps.start - 16 ** digits);
    if (end) [first, last] = [Math.max(first, end.min - 16 ** digits), Math.min(last, end.max)];
  }
  return first <= last ? { atLeast: first, atMost: last } : undefined;
}
