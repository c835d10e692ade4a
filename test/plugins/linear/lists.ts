/** Lists of callers and files that meet each other, or lists that are stored, below the requests. */
import { auditedGuard } from '../../../plugins/beacon/audit.js';
import { beaconEraser } from '../../../plugins/beacon/eraser.js';
import { largestFamily, statedPairs } from '../../../plugins/beacon/loading/relatedness.js';
import { planCases } from '../../../plugins/beacon/loqusdb/exported-cases.js';
import { decided } from '../../../plugins/beacon/protection/contract.js';
import { newcomersOfPublications } from '../../../plugins/beacon/protection/spend.js';
import { Regions } from '../../../plugins/coverage/commands/d4/regions.js';
import { chromosomeIndex } from '../../../plugins/coverage/d4/index.js';
import { MergedResults } from '../../../plugins/coverage/d4/statistics/results.js';
import { coverageEraser } from '../../../plugins/coverage/eraser.js';
import { BuildCheck } from '../../../plugins/coverage/intervals/loading.js';
import { resolveNames } from '../../../plugins/coverage/measure/genes.js';
import { geneDrawing, geneLayout } from '../../../plugins/coverage/report/plots/gene.js';
import { registerSamples } from '../../../plugins/coverage/samples/changes.js';
import { sitesOfGenes, usualAt } from '../../../plugins/coverage/sites/report-sites.js';
import { textsOfLanguage } from '../../../plugins/coverage/texts/texts.js';
import { mailOfNotices } from '../../../plugins/matchmaker/mail/notices.js';
import { bestAssignment } from '../../../plugins/matchmaker/matching/genotype.js';
import { versionsHolding } from '../../../plugins/panels/genes/genes-in-panels.js';
import { panelsService } from '../../../plugins/panels/register.js';
import type { Scenario } from './scenario.js';

const many = <Value>(size: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: size }, (_, i) => make(i));

const of = (size: number, prepare: (size: number) => () => unknown): Scenario => ({ size, prepare });

/** What a stub must answer here is far less than its type has. */
const part = <Whole>(value: unknown): Whole => value as Whole;

const { signal } = new AbortController();
const abroad = { signal };
const ensembl = (i: number) => `ENSG${String(i).padStart(11, '0')}`;
const head = (panel: string, version: string) => ({ panel, version, name: panel, state: 'signed off', unmapped: 0 });

function offered(size: number, make: (i: number) => [panel: string, version: string]): Scenario {
  return of(size, (count) => {
    const heads = many(count, (i) => head(...make(i)));
    const policy = { among: async (_caller: unknown, _right: unknown, all: unknown) => all };
    const tools = { repository: () => ({ list: async () => heads }), policy };
    const service = panelsService(part(tools), async () => undefined);
    return () => service.offered(undefined);
  });
}

const samples = (count: number) =>
  many(count, (i) => ({ name: `s${i}`, coverageId: `s${i}`, case: `c${i}`, added: new Date(0) }));
const erasures = (count: number) =>
  many(count, (i) => ({ id: `s${count - i}`, holder: 'own', scope: 'all', before: new Date(1) }) as const);
const stored = (count: number) =>
  part<Parameters<typeof beaconEraser>[0]>({
    repository: {
      datasets: async () => [{ id: 'd' }],
      samples: async () => samples(count).map(({ name }) => name),
      sampleFacts: async () => samples(count),
    },
  });

const site = (start: number, end: number, genes: string[] = []) => ({ chromosome: '1', start, end, genes });
const genes = (count: number) =>
  many(count, (i) => ({ ensembl: ensembl(i), symbol: `G${i}`, chromosome: '1', start: i, end: 10_000_000 }));
function sites(size: number, make: (count: number) => ReturnType<typeof site>[]): Scenario {
  return of(size, (count) => {
    const [all, found] = [genes(count), make(count)];
    const repository = { find: async () => ({ sets: [{}], sites: found }) };
    return () => sitesOfGenes(part(repository), 'GRCh38', part(all), signal);
  });
}

const question = { sums: false, thresholds: [], range: false, percentiles: [], histogram: false } as const;

export const storedScenarios: Record<string, Scenario> = {
  'panels offered: versions of one panel': offered(2000, (i) => ['p', `${i + 1}.0`]),
  'panels offered: panels': offered(2000, (i) => [`p${i}`, '1.0']),
  'panels that hold a gene: its ids, and entries without a gene': of(1000, (size) => {
    const ids = many(size, (i) => i + 1);
    const entry = { given: 'x', why: 'is ambiguous', confidence: 'green', candidates: [999_999] };
    const unmapped = many(size, () => entry);
    const content = JSON.stringify({
      name: 'p',
      genes: [],
      unmapped,
      source: { kind: 'list', name: 'x', read: '2026-01-01T00:00:00.000Z' },
    });
    const repository = { holding: async () => [], find: async () => ({ content }) };
    const heads = [{ ...head('p', '1.0'), unmapped: 1 }];
    return () =>
      versionsHolding(part(repository), part(heads), { hgnc: 1, symbol: 'G', note: undefined, ids }, undefined);
  }),
  'registry: samples whose file is another now': of(1000, (size) => {
    const sent = many(size, (i) => ({ id: `s${i}`, build: 'GRCh38', file: { path: '/b' }, sex: 'female', labels: {} }));
    const repository = {
      find: async () => sent.map((one) => ({ ...one, file: { path: '/a' } })),
      register: async () => sent.map(() => 'moved'),
    };
    const scope = { repository: () => repository };
    const ownership = { isOwn: () => true, mayAdd: () => true };
    return () => registerSamples({ followers: [] }, part(scope), part(sent), new Date(0), ownership);
  }),
  'erasure from the registry: cases, and samples': of(900, (size) => {
    // Of one page: the next ones are looked through alike.
    const page = many(size, (i) => ({ id: `s${i}`, case: `c${i}` }));
    const list = async ({ after }: { after?: string }) => {
      const from = after === undefined ? 0 : Number(after.slice(1)) + 1;
      return page.slice(from, from + 1000);
    };
    const eraser = coverageEraser(part({ registry: { samples: { list } } }));
    const cases = many(size, (i) => `c${size - 1 - i}`);
    return () => eraser.related?.({ cases, samples: [] });
  }),
  'erasure from the beacon: cases and samples, and samples': of(1000, (size) => {
    const eraser = beaconEraser(stored(size));
    const [cases, ids] = [many(size, (i) => `c${size - i}`), many(size, (i) => `s${size - i}`)];
    return () => eraser.related?.({ cases, samples: ids });
  }),
  'erasure from the beacon: earlier erasures, and samples': of(1000, (size) => {
    const eraser = beaconEraser(stored(size));
    const all = erasures(size);
    return () => eraser.find(all);
  }),
  'erasure from the beacon: earlier erasures, and datasets': of(1000, (size) => {
    const ids = many(size, (i) => ({ id: `d${i}` }));
    const repository = {
      ...{ datasets: async () => ids, samples: async (dataset: string) => [`s${dataset.slice(1)}`] },
      sampleFacts: async (dataset: string) => [{ name: `s${dataset.slice(1)}`, added: new Date(0) }],
    };
    const eraser = beaconEraser(part({ repository }));
    const all = erasures(size);
    return () => eraser.find(all);
  }),
  'protected dataset: publications, and carriers': of(500, (size) => {
    // Twenty people came with each.
    const published = new Map(many(20 * size, (i) => [`s${i}`, Math.floor(i / 20)]));
    const carriers = many(size, (i) => `s${20 * i}`);
    const allowed = { budget: 0.5, least: 2 };
    const state = { carriers: new Map(), people: [], consulted: new Set<string>() };
    return () => {
      const rule = {
        allowed,
        people: published.size,
        share: 0.001,
        newcomers: newcomersOfPublications(published, carriers),
      };
      return decided({ carriers }, rule, new Date(0), state);
    };
  }),
  'plot of a gene: exons, and gaps': of(500, (size) => {
    const exons = many(size, (i) => ({ start: 100 * i, end: 100 * i + 50, rank: i + 1 }));
    const transcript = { exons: exons.map((one) => ({ ...one, cds: one })), strand: -1 };
    const layout = geneLayout(part(transcript), 0, 700);
    const gaps = many(size, (i) => ({ start: 100 * i + 10, end: 100 * i + 20 })).reverse();
    const plot = {
      ...{ layout, gaps, bins: [], sample: 0, deepest: 30, thresholds: [10], level: 10 },
      texts: textsOfLanguage('en'),
    };
    return () => geneDrawing(part(plot));
  }),
  'loqusdb: cases that are taken over, and samples': of(1000, (size) => {
    const documents = many(size, (i) => ({
      case_id: `c${i}`,
      vcf_path: '/there/is/none.vcf',
      individuals: [{ ind_id: `s${i}` }],
    }));
    const there = [...samples(size), ...many(size, (i) => ({ name: `t${i}`, case: `c${i}` }))];
    return () => planCases(part(documents), part(there));
  }),
  'beacon: datasets that were read, and datasets': of(1000, (size) => {
    const ids = many(size, (i) => `d${i}`);
    const datasets = { current: async () => ids.map((id) => ({ id, access: 'CONTROLLED' })) };
    const tools = {
      audit: { digest: () => 'x', record: async () => undefined },
      policy: { why: async () => 'scope' },
      datasets,
      protection: { datasets: {} },
    };
    const reads = { reads: () => ({ present: async () => ids }) };
    const audited = auditedGuard(part(reads), part(tools)).reads({ kind: 'anonymous' });
    return () => audited.present(part({}), ids);
  }),
  'sites of a report: genes at one site': sites(1000, () => [site(5_000_000, 5_000_001)]),
  'sites of a report: genes that one site names': sites(1000, (count) => [
    site(
      0,
      9_000_000,
      genes(count).map(({ symbol }) => symbol),
    ),
  ]),
  'sites of a report: samples of one assay each': of(1000, (size) => {
    const members = many(size, (i) => ({
      id: `s${i}`,
      revision: '1',
      assay: `a${i}`,
      day: '2026-01-01',
      sex: 'female',
    }));
    const callability = { coveredNow: async () => ({ unknown: [], places: [] }) };
    const asked = { build: 'GRCh38', threshold: 10, members, samples: ['s0'], isPooled: true, regions: [] };
    return () => usualAt(part(callability), part(asked), signal);
  }),
  'pedigree: families with as many children as two people may have': of(20, (size) => {
    const children = many(size * largestFamily, (i) => {
      const family = Math.floor(i / largestFamily);
      return [`c${i}`, { father: `f${family}`, mother: `m${family}` }] as const;
    });
    const pedigree = new Map(children);
    return () => statedPairs(pedigree);
  }),
  'mail: notices of one submission': of(1000, (size) => {
    const match = {
      node: { id: 'n', label: 'n' },
      patient: { id: 'q', contact: { name: 'A', href: 'mailto:a@b' } },
      genes: [],
      terms: [],
    };
    const notices = many(size, () => ({ patient: { id: 'p' }, matches: [match] }));
    return () => mailOfNotices(part(notices), {});
  }),
  'D4: shares of one piece': of(2000, (size) => {
    const share = { first: 0, partial: true, pieces: part<never>(undefined) };
    const search = { threshold: 1, below: true, minLength: 1, most: 1e9 };
    const runs = many(size, (i) => Uint32Array.of(2 * i, 2 * i + 1));
    return () => {
      const merged = new MergedResults(1, { ...question, search }, 'x');
      for (const one of runs) merged.add(share, merged.room(share), { histograms: [], runs: [one] });
      return merged.finish();
    };
  }),
  'D4: names of chromosomes, and chromosomes': of(2000, (size) => {
    const chromosomes = many(size, (i) => ({ name: `c${i}`, size: 1 }));
    return () => chromosomes.map(({ name }) => chromosomeIndex(chromosomes, `chr${name}`, true));
  }),
  'D4: regions of as many chromosomes': of(2000, (size) => {
    const intervals = many(size, (i) => ({ chromosome: `c${i}`, begin: 0, end: 1 }));
    const compare = (one: string, other: string) => Number(one.slice(1)) - Number(other.slice(1));
    return () => Regions.of(intervals).sorted(compare);
  }),
  'genes: Ensembl genes of one HGNC gene, on X and Y': of(500, (size) => {
    const found = many(size, (i) => ({
      ensembl: ensembl(i),
      hgnc: 1,
      // Within the first pseudoautosomal region of GRCh38 (10,001–2,781,479), far apart.
      ...{ chromosome: i % 2 === 0 ? 'X' : 'Y', start: 20_000 + 20 * i, end: 20_010 + 20 * i },
    }));
    const byId = { asked: 'x', by: 'ensembl', genes: found.filter(({ chromosome }) => chromosome === 'Y') };
    const findGenes = async (_: unknown, [name]: readonly string[]) => ({
      answers: [name === 'x' ? byId : { asked: name, by: 'hgnc', genes: found }],
    });
    return () => resolveNames(part({ findGenes }), 'GRCh38', ['x'], abroad);
  }),
  'genes: places of one gene in the loaded set': of(1000, (size) => {
    const places = many(size, (i) => ({ ensembl: 'ENSG1', chromosome: '1', start: 10 * i, end: 10 * i + 5 }));
    return () => {
      const check = new BuildCheck('GRCh38');
      check.take(part({ genes: [{ ensembl: 'ENSG1', chromosome: '1', start: 0, end: 5 }] }));
      return check.judge('x', part({ select: async () => places }));
    };
  }),
};

/** What grows faster than its input, which is bounded: the most work for the largest input. */
export const bounds: Record<string, { most: number; run(): unknown }> = {
  // A patient has at most 100 genomic features. 100 · 100 · 101 / 2 cells, and 8 blocks for each.
  'bound: features of two patients': {
    most: 8 * 505_000,
    run: () =>
      bestAssignment(
        Int32Array.from({ length: 10_000 }, (_, i) => (1 + Math.floor(i / 100)) * (1 + (i % 100))),
        100,
      ),
  },
};
