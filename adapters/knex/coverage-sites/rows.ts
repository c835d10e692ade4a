/** The tables of coverage-sites@1, and rows of sets and of sites. */
import {
  type Build,
  builds,
  chromosomes,
  type FoundSite,
  type Site,
  type SiteSet,
  type SiteSetRecord,
} from '../../../plugins/coverage/contract.js';
import type { Scalar, SchemaStep } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';

export const sets = 'coverage_sites_sets';
export const sites = 'coverage_sites_places';
export const genes = 'coverage_sites_genes';

/** Sites belong to a set, and have numbers in it from 0 in the order in which they were loaded. */
const setsAndPlaces: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(sets, (table) => {
      table.increments('number');
      column.text(table, 'name').notNullable();
      column.text(table, 'build').notNullable();
      // staged → published → dropped; or staged → dropped.
      column.text(table, 'state').notNullable();
      // Milliseconds since 1970: the last sign of life of the load; for a dropped set, when it was dropped.
      column.big(table, 'touched').notNullable();
      column.time(table, 'loaded');
      table.integer('sites');
      column.json(table, 'record');
    });
    await schema.schema.createTable(sites, (table) => {
      table.integer('set_id').notNullable();
      table.integer('place').notNullable();
      table.specificType('chromosome', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      // JSON, as text, so that many are read together.
      column.text(table, 'record').notNullable();
      table.primary(['set_id', 'place']);
      table.index(['set_id', 'chromosome', 'start']);
    });
    await schema.schema.createTable(genes, (table) => {
      table.integer('set_id').notNullable();
      column.text(table, 'gene').notNullable();
      table.integer('place').notNullable();
      table.primary(['set_id', 'gene', 'place']);
    });
  },
  async down(schema) {
    await schema.schema.dropTable(genes);
    await schema.schema.dropTable(sites);
    await schema.schema.dropTable(sets);
  },
};

export const migrations = { '001-sets-and-places': setsAndPlaces };

// Rows of sets and of sites.

interface SiteSetRow {
  number: number;
  name: string;
  build: Build;
  state: string;
  loaded: unknown;
  sites: number | null;
  record: unknown;
}

/** A set with its number in the database. */
export interface StoredSiteSet {
  number: number;
  set: SiteSet;
}

/** A damaged set is left out, so that its sites count as not loaded. */
export const setRows: StoredRows<SiteSetRow, StoredSiteSet> = {
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
type PackedSite = [reference: string, alternate: string, genes: readonly string[], ...rest: (string | number | null)[]];

export function siteValues(set: number, place: number, site: Site): Scalar[] {
  const { chromosome, start, end, reference, alternate, genes, id, significance, stars, hgvs } = site;
  const rest = [id ?? null, significance ?? null, stars ?? null, hgvs ?? null];
  while (rest.length > 0 && rest.at(-1) === null) rest.pop();
  const packed: PackedSite = [reference, alternate, genes, ...rest];
  return [set, place, chromosomes.indexOf(chromosome), start, end, JSON.stringify(packed)];
}

/** Columns of rows as they are read: place, chromosome, start, stop and record. */
export type SiteLists = [places: number[], chromosomes: number[], starts: number[], stops: number[], records: string[]];

/** The sites of a set, those of repeated rows once each. */
export function sitesOfLists(set: string, [places, codes, starts, stops, records]: SiteLists): FoundSite[] {
  // Read together: one text for each row takes far longer.
  const read = JSON.parse(`[${records.join(',')}]`) as PackedSite[];
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
  [reference, alternate, genes, id, significance, stars, hgvs]: PackedSite,
): FoundSite {
  intact(chromosome !== undefined);
  const found: FoundSite = { set, chromosome, start, end, reference, alternate, genes };
  if (id != null) found.id = id as string;
  if (significance != null) found.significance = significance as string;
  if (stars != null) found.stars = stars as number;
  if (hgvs != null) found.hgvs = hgvs as string;
  return found;
}
