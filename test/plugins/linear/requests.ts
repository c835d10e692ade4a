/**
 * Every field of a request that is a list, as the API description declares it, with n and 2n entries: each is sent to a real
 * server that holds as many datasets, samples and genes as the list has entries, so that comparing the two is counted, too.
 *
 * On SQLite alone: the meter counts the JavaScript of this process. What differs on PostgreSQL is the text of a few statements,
 * which its engine makes from a whole list as that of SQLite does, and the work of the database, which is not counted on either.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveForTest, type TestServer } from '../../../core/testing/server.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { coverage, coverageSamples } from '../../../plugins/coverage/contract.js';
import { loadIntervals } from '../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../plugins/coverage/intervals/reader.js';
import { type Description, type Field, fieldsOf, nameOf, placed, type Schema } from '../../support/request-fields.js';
import { dataset, load } from '../beacon/support/serve.js';
import { vcf } from '../beacon/support/vcf.js';
import { person } from '../coverage/registry/support.js';
import type { Scenario } from './scenario.js';

/** Entries of the smaller list, unless the description allows fewer. */
const entries = 1000;

/** Lists that can have no more entries are left out: the square is 40,000. `limits` of the result shows that they cannot. */
const bounded = 200;

/** Limits that the description does not state. */
const limits: Readonly<Record<string, number>> = {
  'beacon_queryAlleles datasetIds': 1000,
  'beacon_queryAlleles_post datasetIds': 1000,
  'beacon_queryForm datasetIds': 1000,
  'beacon_queryForm_post datasetIds': 1000,
  ...Object.fromEntries(
    ['coverageReport', 'coverageOverview', 'geneOverview', 'maneOverview'].map((name) => [
      `coverage_${name} completeness_thresholds`,
      50,
    ]),
  ),
};

/** Measured as far as the first refusal: the body is read and checked, and what the request names is not there. */
const refused: Readonly<Record<string, string>> = {
  'beacon_addVariants genes.ids': 'no genes of the beacon are loaded; "beacon: genes of a load" measures the rest',
  'beacon_observeGene dataset': 'none of the datasets has annotations, which is looked up in each',
  'panels_editPanelDraft content.genes': 'there is no such draft; the scenarios of panels measure the edits',
  'panels_editPanelDraft content.others': 'there is no such draft',
  'panels_editPanelDraft content.unmapped': 'there is no such draft; "panel: entries…" measures the comparison',
  'panels_editPanelForm gene': 'there is no such draft; "panel: genes to remove…" measures the edit',
};

const ensembl = (kind: string) => (i: number) => `ENS${kind}${String(i).padStart(11, '0')}`;
const term = (i: number) => `HP:${String(i).padStart(7, '0')}`;
const contact = { name: 'A', href: 'mailto:a@example.org' };
const patient = { id: 'p', contact, features: [{ id: term(1250) }] };
const cardinal = (size: number) => Array.from({ length: size }, (_, i) => `s${i}`);

/** What the entries of lists of this name are; those of others are texts. */
const values: Readonly<Record<string, (i: number, operation: string) => unknown>> = {
  datasetIds: (i) => `d${i}`,
  datasets: (i) => `d${i}`,
  dataset: (i) => `d${i}`,
  samples: (i, operation) => (operation === 'beacon_describeSamples' ? { name: `s${i}`, sex: 'female' } : `s${i}`),
  samples_info: (i) => ({ sample: `s${i}`, case_id: `c${i}` }),
  ids: (i) => `HGNC:${i + 1}`,
  groups: (i) => [`s${i}`],
  'groups.[]': (i) => `s${i}`,
  places: (i) => ({ chromosome: '1', intervals: [{ start: i, end: i + 1 }] }),
  named: (i) => `s${i}`,
  ensembl_ids: (i, operation) => ensembl({ coverage_listExons: 'E', coverage_listGenes: 'G' }[operation] ?? 'T')(i),
  ensembl_gene_ids: ensembl('G'),
  hgnc_ids: (i) => i + 1,
  hgnc_gene_ids: ensembl('G'),
  hgnc_gene_symbols: (i) => `G${i}`,
  hgnc_symbols: (i) => `G${i}`,
  disorders: (i) => ({ id: `OMIM:${100_000 + i}` }),
  features: (i) => ({ id: term(i) }),
  roles: () => 'clinician',
  completeness_thresholds: (i) => i + 1,
  patients: (i) => ({ ...patient, id: `p${i}` }),
  '': (i) => ({ ...patient, id: `p${i}` }),
  phenopackets: (i) => ({
    id: `p${i}`,
    metaData: {},
    subject: { id: 's' },
    phenotypicFeatures: [{ type: { id: term(i) } }],
  }),
  alleles: (i) => `1-${i + 1}-A-C`,
  q: (i) => `1-${i + 1}-A-C`,
  assemblyId: () => 'GRCh37',
  genes: (i) => ({ hgnc: i + 1, symbol: `G${i}`, confidence: 'green' }),
  others: (i) => ({ kind: 'region', name: `x${i}` }),
  unmapped: (i) => ({ given: `x${i}` }),
  gene: (i) => String(i + 1),
};

const allele = { assemblyId: 'GRCh37', referenceName: '1', start: 9, referenceBases: 'A', alternateBases: 'C' };
const callability = (size: number) => ({
  build: 'GRCh38',
  threshold: 10,
  groups: [cardinal(size)],
  places: [{ chromosome: '1', intervals: [{ start: 1, end: 2 }] }],
});

/** The rest of the request, on a server with files in this folder. */
const bases: Readonly<Record<string, (folder: string, size: number, steps: readonly string[]) => unknown>> = {
  beacon_addVariants: (folder, _, [name]) => ({
    ...{ dataset_id: 'd0', vcf_path: join(folder, 'x.vcf'), assemblyId: 'GRCh37' },
    ...(name === 'genes' && { genes: { id_type: 'HGNC' } }),
  }),
  beacon_deleteVariants: () => ({ dataset_id: 'd0' }),
  beacon_deleteVariants_delete: () => ({ dataset_id: 'd0' }),
  ...Object.fromEntries(
    ['queryAlleles', 'queryAlleles_post', 'queryForm', 'queryForm_post', 'queryAllelesV11_post'].map((name) => [
      `beacon_${name}`,
      () => allele,
    ]),
  ),
  beacon_observe: () => ({ assembly: 'GRCh37', allele: '1-10-A-C' }),
  beacon_observeBatch: (_folder, _size, [name]) => ({
    assembly: 'GRCh37',
    // Each allele is answered for each dataset.
    ...(name === 'alleles' ? { datasets: ['d0'] } : { alleles: ['1-10-A-C'] }),
  }),
  beacon_observeGene: () => ({ gene: 'HGNC:1', assembly: 'GRCh37' }),
  beacon_describeSamples: () => ({ id: 'd0' }),
  coverage_genesSummary: (folder) => ({
    ...{ build: 'GRCh38', interval_type: 'genes', coverage_threshold: 10 },
    samples: [{ name: 's', coverage_file_path: join(folder, 'x.d4') }],
  }),
  ...Object.fromEntries(
    ['coverageReport', 'coverageOverview', 'maneOverview'].map((name) => [
      `coverage_${name}`,
      (folder: string) => ({
        ...{ build: 'GRCh38', interval_type: 'genes', completeness_thresholds: '10' },
        samples: JSON.stringify([{ name: 's', coverage_file_path: join(folder, 'x.d4') }]),
      }),
    ]),
  ),
  coverage_coveredSamples: (_, size) => callability(size),
  ...Object.fromEntries(
    ['Exons', 'Genes', 'Transcripts'].map((name) => [`coverage_list${name}`, () => ({ build: 'GRCh38' })]),
  ),
  matchmaker_match: () => ({ patient }),
  matchmaker_addPatient: () => ({ patient }),
  matchmaker_importPatients: (_folder, _size, [name, more]) => {
    if (name === 'phenopackets') return { contact };
    if (name === '[]') return [patient];
    return more === undefined ? {} : { patients: [patient] };
  },
  panels_editPanelDraft: () => ({ panel: 'p', version: '1', content: { name: 'p', genes: [] } }),
  panels_editPanelForm: () => ({ panel: 'p', version: '1' }),
};

/** Lists that the description leaves to another standard. */
const elsewhere: readonly ListField[] = [
  {
    ...{ operation: 'beacon_v2 datasets', method: 'POST', path: '/beacon/v2/datasets', place: 'application/json' },
    ...{ steps: ['query', 'requestParameters', 'datasetIds'], schema: {}, most: 1000 },
  },
  {
    ...{ operation: 'beacon_v2 variants', method: 'POST', path: '/beacon/v2/g_variants', place: 'application/json' },
    ...{ steps: ['query', 'requestParameters', 'datasetIds'], schema: {}, most: 1000 },
  },
];

interface ListField extends Field {
  most: number | undefined;
  /** Whether it is a text, separated by commas. */
  isText?: boolean;
}

/** A list, or the list among alternatives; and lists within it. */
function listsOf(field: Field, schema: Schema = field.schema): ListField[] {
  const items = schema.items as Schema | undefined;
  if (schema.type === 'string' && /separated by commas/.test(String(schema.description))) {
    return [{ ...field, most: limits[nameOf(field)], isText: true }];
  }
  const inner = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (list ?? []) as Schema[]);
  const within = inner.flatMap((one) => listsOf(field, one));
  if (schema.type !== 'array' || items === undefined) return within;
  const deeper = listsOf({ ...field, steps: [...field.steps, '[]'] }, items);
  const most = (schema.maxItems as number | undefined) ?? limits[nameOf(field)];
  return [{ ...field, most }, ...within, ...deeper];
}

/** Each list once: of several types of a body or carriers, in JSON if possible. */
function listsIn(description: Description): ListField[] {
  const all = fieldsOf(description).flatMap((field) => listsOf(field));
  const rank = ({ place }: Field) => (place === 'application/json' ? 0 : place === 'query' ? 2 : 1);
  const first = new Map<string, ListField>();
  for (const field of all.sort((one, other) => rank(one) - rank(other))) {
    if (!first.has(nameOf(field))) first.set(nameOf(field), field);
  }
  return [...first.values(), ...elsewhere];
}

interface Stocked {
  server: TestServer;
  token: string;
  folder: string;
}

/** A server with as many datasets, samples and genes. */
async function stocked(size: number, root: string): Promise<Stocked> {
  const folder = join(root, String(size));
  mkdirSync(folder);
  person(join(folder, 'x.d4'), 'female');
  writeFileSync(
    join(folder, 'x.vcf'),
    vcf({ samples: cardinal(size), records: [`1 10 . A C . . . GT${' 0/1'.repeat(size)}`] }),
  );
  const line = (type: string, i: number, more: string) =>
    `1\te\t${type}\t${i * 10 + 1}\t${i * 10 + 5}\t.\t+\t.\tgene_id "${ensembl('G')(i)}"; gene_name "G${i}"; ${more}\n`;
  const gene = (i: number) => {
    const transcript = `transcript_id "${ensembl('T')(i)}"; tag "MANE_Select";`;
    const exon = `${transcript} exon_number "1"; exon_id "${ensembl('E')(i)}";`;
    return line('gene', i, '') + line('transcript', i, transcript) + line('exon', i, exon);
  };
  writeFileSync(join(folder, 'x.gtf'), Array.from({ length: size }, (_, i) => gene(i)).join(''));
  const server = await serveForTest({
    jobs: false,
    plugins: {
      beacon: { roots: [folder], faces: ['v1', 'v1.1', 'v2'] },
      coverage: { roots: [folder], tickets: { key: 'k'.repeat(32) }, reports: { days: 30 } },
      matchmaker: {},
      panels: {},
    },
  });
  const now = new Date();
  const datasets = server.repository(beacon);
  for (let i = 0; i < size; i++) await datasets.addDataset(dataset(`d${i}`), now);
  await load(datasets, 'd0', [join(folder, 'x.vcf')]);
  await server.repository(coverageSamples).register(
    cardinal(size).map((id) => ({
      id,
      build: 'GRCh38',
      file: { path: join(folder, 'x.d4') },
      sex: 'female',
      labels: {},
    })),
    now,
  );
  const source = await openIntervals(join(folder, 'x.gtf'));
  const repository = server.repository(coverage);
  await loadIntervals({ repository, kind: 'gtf', build: 'GRCh38', source, release: '1', maxShrink: 1, now });
  return { server, folder, token: await server.token('*') };
}

/** The status and the text of the answer to a request with this many entries. */
async function answerTo(field: ListField, count: number, size: number, { server, token, folder }: Stocked) {
  const { operation, steps, place, method, isText } = field;
  const name = steps.filter((step) => step !== '[]').at(-1) ?? '';
  const value = values[steps.slice(-2).join('.')] ?? values[name] ?? ((i: number) => `x${i}`);
  const list = Array.from({ length: count }, (_, i) => value(i, operation));
  const base = bases[operation]?.(folder, size, steps) ?? {};
  const sent = placed(base, steps, isText ? list.join(',') : list) as Record<string, unknown>;
  const pairs = new URLSearchParams();
  const path = field.path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const own = String(sent[key]);
    delete sent[key];
    return own;
  });
  for (const [key, own] of Object.entries(sent)) for (const one of [own].flat()) pairs.append(key, String(one));
  const body = place === 'query' ? undefined : place === 'application/json' ? JSON.stringify(sent) : String(pairs);
  const response = await fetch(`${server.url}${path}${place === 'query' ? `?${pairs}` : ''}`, {
    method,
    headers: { 'x-auth-token': token, ...(body !== undefined && { 'content-type': place }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

async function ask(field: ListField, size: number, stock: Stocked): Promise<void> {
  const count = Math.min(size, field.most ?? size);
  const { status, text } = await answerTo(field, count, size, stock);
  const isRefused = status >= 400;
  if (status >= 500 || isRefused !== nameOf(field) in refused) {
    throw new Error(`${nameOf(field)} with ${count} entries: ${status} ${text.slice(0, 500)}`);
  }
}

/** Whether the list is refused from one entry above its limit on, for the number of its entries. */
async function isLimited(field: ListField, stock: Stocked): Promise<boolean> {
  const { most = Infinity } = field;
  const [least, above] = [await answerTo(field, most, 1, stock), await answerTo(field, most + 1, 1, stock)];
  const isNamed = (text: string) => new RegExp(`(at most|more than) ${most}\\b`).test(text);
  return above.status >= 400 && above.status < 500 && isNamed(above.text) && !isNamed(least.text);
}

/** Scenarios by name; the lists that are left out, with their limit and 1 if it holds; `end` stops the servers. */
export async function requestScenarios(): Promise<{
  scenarios: Record<string, Scenario>;
  limits: Record<string, [most: number, holds: number]>;
  end(): Promise<void>;
}> {
  const root = mkdtempSync(join(tmpdir(), 'trefoil-linear-requests-'));
  const servers = new Map<number, Stocked>();
  for (const size of [entries / 10, entries, 2 * entries]) servers.set(size, await stocked(size, root));
  const [first] = servers.values();
  const description = (await (await fetch(`${first?.server.url}/openapi.json`)).json()) as Description;
  const lists = listsIn(description);
  const isLeftOut = ({ most = Infinity }: ListField) => most <= bounded;
  const limited: Record<string, [most: number, holds: number]> = {};
  for (const field of lists.filter(isLeftOut)) {
    const isLimit = await isLimited(field, first as Stocked);
    limited[`limit: ${nameOf(field)}`] = [field.most ?? Infinity, isLimit ? 1 : 0];
  }
  const scenario = (field: ListField): Scenario => ({
    size: entries,
    prepare: (size) => {
      const most = field.most ?? Infinity;
      // Half of the most that is allowed, and all of it.
      const count = Math.min(size, Math.floor((most * size) / (2 * entries)));
      return () => ask(field, count, servers.get(size) as Stocked);
    },
  });
  return {
    scenarios: Object.fromEntries(
      lists.filter((field) => !isLeftOut(field)).map((field) => [`request: ${nameOf(field)}`, scenario(field)]),
    ),
    limits: limited,
    async end() {
      for (const { server } of servers.values()) await server.close();
      rmSync(root, { recursive: true });
    },
  };
}
