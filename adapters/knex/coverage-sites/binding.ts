/** coverage-sites@1 on SQL: its store, with statements that find the sites of many places and genes at once. */
import {
  bySite,
  chromosomes,
  type FoundSite,
  longestSite,
  type SitesFound,
  type SitesWanted,
} from '../../../plugins/coverage/contract.js';
import {
  noSites,
  type PackedSite,
  type PublishedSites,
  siteOf,
  siteSets,
  store,
} from '../../../plugins/coverage/sites/store.js';
import type { Database, Scalar } from '../binding.js';
import { bindingOf } from '../storage.js';
import { snapshotOn } from '../tables.js';

const sites = 'coverage_sites_places';
const namings = 'coverage_sites_genes';

/** Columns of rows as they are read: place, chromosome, start, stop and record. */
type SiteLists = [places: number[], chromosomes: number[], starts: number[], stops: number[], records: string[]];

/** The sites of a set, those of repeated rows once each. */
function sitesOfLists(set: string, [places, codes, starts, stops, records]: SiteLists): FoundSite[] {
  // Read together: one text for each row takes far longer.
  const read = JSON.parse(`[${records.join(',')}]`) as PackedSite[];
  const known = new Set<number>();
  const found: FoundSite[] = [];
  for (const [i, record] of read.entries()) {
    if (known.size === known.add(places[i] as number).size) continue;
    const [chromosome, start, stop] = [codes[i] as number, starts[i] as number, stops[i] as number];
    found.push(siteOf(set, { chromosome, start, stop }, record));
  }
  return found;
}

async function sitesIn(
  moment: Database,
  published: PublishedSites[],
  { places, genes }: SitesWanted,
): Promise<SitesFound> {
  const wanted = joined(places);
  const found: FoundSite[] = [];
  for (const { number, set } of published) {
    const within = await atPlaces(moment, number, wanted);
    const known = new Set(within[0]);
    const named = (await ofGenes(moment, number, genes)).filter((place) => !known.has(place));
    for (const lists of [within, ...(named.length === 0 ? [] : [await byNumber(moment, number, named)])]) {
      for (const site of sitesOfLists(set.name, lists)) found.push(site);
    }
  }
  return { sets: published.map(({ set }) => set), sites: found.sort(bySite) };
}

type SiteSpan = [chromosome: number, start: number, end: number];

/** Places that do not overlap, so that few sites are found twice. */
function joined(places: SitesWanted['places']): SiteSpan[] {
  const sorted = places
    .map(({ chromosome, start, end }): SiteSpan => [chromosomes.indexOf(chromosome), start, end])
    .sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const all: SiteSpan[] = [];
  for (const place of sorted) {
    const last = all.at(-1);
    if (last !== undefined && last[0] === place[0] && place[1] <= last[2]) last[2] = Math.max(last[2], place[2]);
    else all.push(place);
  }
  return all;
}

const columns = ['place', 'chromosome', 'start', 'stop', 'record'] as const;
const selection = columns.map((column) => `a.${column}`).join(', ');
const overlapping =
  'a.set_id = ? and a.chromosome = q.chromosome and a.start < q.stop ' +
  `and a.start > q.start - ${longestSite} and a.stop > q.start`;

/** A site that reaches from one place to the next is found at both. */
async function atPlaces(database: Database, set: number, places: readonly SiteSpan[]): Promise<SiteLists> {
  const { engine } = database;
  const asked = engine.bound({ chromosome: 'integer', start: 'integer', stop: 'integer' });
  const text = `select ${selection} ${engine.lookUp(asked, sites, overlapping)}`;
  return listsOf(database, text, [engine.values.json(places) as string, set]);
}

/** The numbers of sites that name one of the genes, each once. */
async function ofGenes(database: Database, set: number, genes: readonly string[]): Promise<number[]> {
  if (genes.length === 0) return [];
  const { engine } = database;
  const where = engine.lookUp(engine.bound({ gene: 'text' }), namings, 'a.set_id = ? and a.gene = q.gene');
  const asked = [...new Set(genes)].map((gene) => [gene]);
  const [row] = await database.query<{ lists: unknown }>(engine.lists(`select distinct a.place ${where}`, ['place']), [
    engine.values.json(asked) as string,
    set,
  ]);
  return (engine.values.parseJson(row?.lists) as [number[]])[0];
}

function byNumber(database: Database, set: number, places: readonly number[]): Promise<SiteLists> {
  const { engine } = database;
  const asked = engine.bound({ place: 'integer' });
  const text = `select ${selection} ${engine.lookUp(asked, sites, 'a.set_id = ? and a.place = q.place')}`;
  return listsOf(database, text, [engine.values.json(places.map((place) => [place])) as string, set]);
}

async function listsOf(database: Database, text: string, bindings: readonly Scalar[]): Promise<SiteLists> {
  const [row] = await database.query<{ lists: unknown }>(database.engine.lists(text, columns), bindings);
  return database.engine.values.parseJson(row?.lists) as SiteLists;
}

export default bindingOf(store, (database) => ({
  find: siteSets.finder({ snapshot: snapshotOn(database), none: noSites, read: sitesIn }),
}));
