/** Rows of sets and of sites. */
import {
  type Build,
  builds,
  chromosomes,
  type FoundSite,
  type Site,
  type SiteSet,
  type SiteSetRecord,
} from '../../../plugins/coverage/contract.js';
import type { Scalar } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';
import { sets } from './migrations.js';

interface SetRow {
  number: number;
  name: string;
  build: Build;
  state: string;
  loaded: unknown;
  sites: number | null;
  record: unknown;
}

/** A set with its number in the database. */
export interface StoredSet {
  number: number;
  set: SiteSet;
}

/** A damaged set is left out, so that its sites count as not loaded. */
export const setRows: StoredRows<SetRow, StoredSet> = {
  table: sets,
  key: 'number',
  columns: ['number', 'name', 'build', 'state', 'loaded', 'sites', 'record'],
  read(values, { number, name, build, state, loaded, sites: count, record }) {
    intact(builds.includes(build));
    // Other sets are being loaded, or about to be swept.
    const read = state === 'published' ? (values.parseJson(record) as SiteSetRecord) : undefined;
    intact(state !== 'published' || (typeof read?.release === 'string' && count !== null));
    const { release = '', source = '', checksum = '', skipped = {} } = read ?? {};
    const when = loaded === null ? new Date(0) : values.parseTime(loaded);
    return { number, set: { name, build, release, source, checksum, skipped, loaded: when, sites: count ?? 0 } };
  },
};

export const siteColumns = ['set_id', 'place', 'chromosome', 'start', 'stop', 'record'] as const;
export const geneColumns = ['set_id', 'gene', 'place'] as const;

/** A list is shorter than an object, and values that are missing at its end take no space. */
type Packed = [reference: string, alternate: string, genes: readonly string[], ...rest: (string | number | null)[]];

export function siteValues(set: number, place: number, site: Site): Scalar[] {
  const { chromosome, start, end, reference, alternate, genes, id, significance, stars, hgvs } = site;
  const rest = [id ?? null, significance ?? null, stars ?? null, hgvs ?? null];
  while (rest.length > 0 && rest.at(-1) === null) rest.pop();
  const packed: Packed = [reference, alternate, genes, ...rest];
  return [set, place, chromosomes.indexOf(chromosome), start, end, JSON.stringify(packed)];
}

/** Columns of rows as they are read: place, chromosome, start, stop and record. */
export type SiteLists = [places: number[], chromosomes: number[], starts: number[], stops: number[], records: string[]];

/** The sites of a set, those of repeated rows once each. */
export function sitesOf(set: string, [places, codes, starts, stops, records]: SiteLists): FoundSite[] {
  // Read together: one text for each row takes far longer.
  const read = JSON.parse(`[${records.join(',')}]`) as Packed[];
  const known = new Set<number>();
  const found: FoundSite[] = [];
  for (const [i, packed] of read.entries()) {
    if (known.size === known.add(places[i] as number).size) continue;
    found.push(siteOf(set, chromosomes[codes[i] as number], starts[i] as number, stops[i] as number, packed));
  }
  return found;
}

function siteOf(
  set: string,
  chromosome: FoundSite['chromosome'] | undefined,
  start: number,
  end: number,
  [reference, alternate, genes, id, significance, stars, hgvs]: Packed,
): FoundSite {
  intact(chromosome !== undefined);
  const found: FoundSite = { set, chromosome, start, end, reference, alternate, genes };
  if (id != null) found.id = id as string;
  if (significance != null) found.significance = significance as string;
  if (stars != null) found.stars = stars as number;
  if (hgvs != null) found.hgvs = hgvs as string;
  return found;
}
