/** Genotypes of many samples at some sites, for comparing new samples with them. */
import {
  contigs,
  Genotypes,
  isAutosome,
  isSite,
  type SearchOptions,
  type Site,
  type StoredGenotypes,
  siteOf,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { grouped, slices } from '../lists.js';
import { eachCarrier } from './carriers.js';
import type { DatasetState, DatasetStates } from './dataset-states.js';
import { findDataset } from './datasets.js';
import {
  alleleOfRow,
  alleleSelection,
  contigCode,
  type IndexPath,
  limitToPublished,
  type StoredAlleleRow,
  segmentRows,
} from './layout.js';
import { onContig } from './portions.js';
import { type LookupStatement, lookUp } from './sightings.js';

/** Sites of one statement: the carriers of twice as many are in memory at once. */
const sitesTogether = 128;
/** Segments from which `commonSites` reads, and rows for each site that it returns. */
const readSegments = 8;
const rowsForOne = 4;

const wanted = { n: 'integer', start: 'integer', reference: 'text', alternate: 'text' } as const;

interface SiteQuestion {
  /** Its place in the request. */
  n: number;
  site: Site;
}

export async function genotypesOf(
  database: Database,
  states: DatasetStates,
  id: string,
  sites: readonly Site[],
  { signal }: Pick<SearchOptions, 'signal'> = {},
): Promise<StoredGenotypes | undefined> {
  signal?.throwIfAborted();
  return database.until(signal).snapshot(async (snapshot) => {
    const dataset = await findDataset(snapshot, id);
    if (!dataset) return undefined;
    const [state] = await states.of(snapshot, dataset.assembly, [id]);
    if (!state) return undefined;
    const genotypes = new Genotypes(state.samples.length, sites.length);
    let rows: SiteRows = [[], [], [], []];
    for (const asked of partsOf(sites)) {
      // The engine reads the next part meanwhile.
      const next = readRows(snapshot, state, asked);
      try {
        setAll(genotypes, state, rows);
      } finally {
        rows = await next;
      }
    }
    setAll(genotypes, state, rows);
    return { samples: structuredClone(state.samples), genotypes };
  });
}

/** Rows of some sites by column; sites by their places in the request. */
type SiteRows = [sites: number[], segments: number[], calls: number[], carriers: (string | null)[]];

async function readRows(snapshot: Database, state: DatasetState, asked: readonly SiteQuestion[]): Promise<SiteRows> {
  const { text, bindings } = await statement(snapshot, state, asked);
  const [row] = await snapshot.query<{ lists: unknown }>(
    snapshot.engine.lists(text, ['n', 'segment', 'calls', 'carriers']),
    bindings,
  );
  return snapshot.engine.values.parseJson(row?.lists) as SiteRows;
}

function setAll(genotypes: Genotypes, state: DatasetState, [sites, segments, calls, carriers]: SiteRows): void {
  for (const [i, site] of sites.entries()) {
    const samples = state.segments.get(segments[i] as number) as Int32Array;
    eachCarrier(carriers[i] ?? null, calls[i] as number, (ordinal, copies) => {
      const sample = samples[ordinal] ?? -1;
      if (sample >= 0) genotypes.set(sample, site, copies);
    });
  }
}

/** Sites that one statement asks for: of one contig, so that the engine reads no other partition. */
function* partsOf(sites: readonly Site[]): Generator<SiteQuestion[]> {
  const asked = sites.map((site, n): SiteQuestion => ({ n, site }));
  for (const group of grouped(asked, ({ site }) => site.contig).values()) yield* slices(group, sitesTogether);
}

function statement(
  database: Database,
  { id, assembly }: DatasetState,
  asked: readonly SiteQuestion[],
): Promise<LookupStatement> {
  const [first] = asked;
  const code = first ? contigCode(assembly, first.site.contig) : 0;
  const same = ['a.contig = ?', 'a.start = q.start', 'a.reference = q.reference', 'a.alternate = q.alternate'];
  const path: IndexPath = { from: 'beacon_alleles', byPlace: true, where: same, bindings: [code] };
  limitToPublished(path, [id]);
  const rows = asked.map(({ n, site: { start, reference, alternate } }) => [n, start, reference, alternate]);
  const selection = { text: `q.n, a.id / ${segmentRows} as segment, a.calls, a.carriers`, bindings: [] };
  return lookUp(database, { columns: wanted, rows, selection, path, at: { contig: code, column: 'start' } });
}

/**
 * Rows at equal distances in some segments of different size: sites where many samples carry an allele are found in any, and
 * reading is bounded.
 */
export function commonSites(database: Database, dataset: string, most: number): Promise<Site[]> {
  return database.snapshot(async (snapshot) => {
    const found = new Map<string, Site>();
    const segments = await chosenSegments(snapshot, dataset);
    const each = Math.ceil(most / Math.max(segments.length, 1));
    for (const { samples, extents } of segments) {
      const distance = ({ calls }: StoredAlleleRow) => Math.abs(calls / samples - 1);
      const rows = (await sampledRows(snapshot, extents, each * rowsForOne)).filter((row) => isSite(alleleOfRow(row)));
      rows.sort((one, other) => distance(one) - distance(other));
      for (const row of rows.slice(0, each)) {
        const site = siteOf(alleleOfRow(row));
        found.set(`${site.contig}:${site.start}:${site.reference}>${site.alternate}`, site);
      }
    }
    return [...found.values()].slice(0, most).sort(byPlace);
  });
}

function byPlace(one: Site, other: Site): number {
  return (
    contigs.indexOf(one.contig) - contigs.indexOf(other.contig) ||
    one.start - other.start ||
    (one.reference + one.alternate < other.reference + other.alternate ? -1 : 1)
  );
}

interface SegmentExtent {
  contig: number;
  first: number;
  last: number;
}

interface SegmentRows {
  samples: number;
  /** Of its rows on autosomes. */
  extents: SegmentExtent[];
}

/** Published segments from the largest to the smallest, at equal distances. */
async function chosenSegments(snapshot: Database, dataset: string): Promise<SegmentRows[]> {
  const { parseBig } = snapshot.engine.values;
  const sizes = await snapshot.query<{ id: number }>(
    'select g.id from beacon_segments g join beacon_extents e on e.segment = g.id ' +
      "where g.dataset = ? and g.state = 'published' group by g.id order by sum(e.last - e.first) desc, g.id",
    [dataset],
  );
  const step = Math.max(1, sizes.length / readSegments);
  const segments: SegmentRows[] = [];
  for (let i = 0; i < sizes.length; i += step) {
    const id = sizes[Math.floor(i)]?.id as number;
    const rows = await snapshot.query<Record<'contig' | 'first' | 'last', unknown>>(
      'select contig, first, last from beacon_extents where segment = ? order by first',
      [id],
    );
    const [counted] = await snapshot.query<{ samples: unknown }>(
      'select count(*) as samples from beacon_samples where segment = ?',
      [id],
    );
    const extents = rows
      .map(({ contig, first, last }) => ({ contig: Number(contig), first: parseBig(first), last: parseBig(last) }))
      .filter(({ contig }) => isAutosome(contigs[(contig % 100) - 1] ?? 'MT'));
    segments.push({ samples: parseBig(counted?.samples), extents });
  }
  return segments;
}

/** Rows of a segment at equal distances, at most `most` and one for each contig. */
async function sampledRows(
  snapshot: Database,
  extents: readonly SegmentExtent[],
  most: number,
): Promise<StoredAlleleRow[]> {
  const { engine } = snapshot;
  const all = extents.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const step = Math.max(1, all / most);
  const found: StoredAlleleRow[] = [];
  for (const { contig, first, last } of extents) {
    const ids: number[][] = [];
    for (let id = first; id <= last; id += step) ids.push([Math.floor(id)]);
    // As text: an id does not fit into an integer of 32 bits.
    const bound = `(select cast(t.id as bigint) as id from ${engine.bound({ id: 'text' })} t)`;
    const where = `a.id = q.id and ${onContig(engine, 'a')}`;
    const rows = await snapshot.query<StoredAlleleRow>(
      `select ${alleleSelection.replace('a.carriers', 'null as carriers')} ${engine.lookUp(bound, 'beacon_alleles', where)}`,
      [engine.values.json(ids) as string, contig],
    );
    found.push(...rows);
  }
  return found;
}
