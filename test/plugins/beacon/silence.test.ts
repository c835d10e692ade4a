/** A dataset that is not listed and one that does not exist look alike to callers without rights, on every endpoint. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import beaconBinding from '../../../adapters/knex/beacon/binding.js';
import protectionBinding from '../../../adapters/knex/beacon-protection/binding.js';
import type { Database } from '../../../adapters/knex/binding.js';
import { issueToken } from '../../../core/auth/access.js';
import { type AccessType, beacon, beaconProtection } from '../../../plugins/beacon/contract.js';
import { variantIdOf } from '../../../plugins/beacon/faces/v2/variants/record.js';
import { overheard, type Statement } from '../../adapters/storage/support/overheard.js';
import type { Subject } from '../../conformance/core.js';
import { blockFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { thorough } from '../../support/steps.js';
import { type StorageEngine, storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { addRecords, type Json, serveBeacon } from './support/serve.js';

/** The engine, with every statement on the tables of the beacon recorded. */
function listened(engine: StorageEngine, heard: Statement[]): Subject {
  const bindings = new Map<string, () => Promise<unknown>>([
    [
      beacon.id,
      async () => ({ ...beaconBinding, repository: (of: Database) => beaconBinding.repository(overheard(of, heard)) }),
    ],
    [
      beaconProtection.id,
      async () => ({
        ...protectionBinding,
        repository: (of: Database) => protectionBinding.repository(overheard(of, heard)),
      }),
    ],
  ]);
  return { ...engine, open: (contracts) => engine.open(contracts, { bindings }) };
}

/** One-based positions: all datasets have the allele A>C at 10, only the hidden one has it at 40. */
const positions = { shared: 10, own: 40 };

/** Ids of one length, since the length of an answer tells the length of what was asked for; no page has these words. */
const hidden = 'cellar';
const absent = 'cavern';

const place = (position: number) => ({
  assemblyId: 'GRCh37',
  referenceName: '1',
  start: String(position - 1),
  referenceBases: 'A',
  alternateBases: 'C',
});

const variantAt = (position: number) =>
  variantIdOf('GRCh37', {
    ...{ contig: '1', start: position - 1, end: position, reference: 'A', alternate: 'C' },
    ...{ kind: 'SNP', structural: false },
  });

interface Asked {
  method: string;
  path: string;
  body?: Json;
}

type Fields = Record<string, string>;

const withFields = (path: string, fields: Fields) => `${path}?${new URLSearchParams(fields)}`;

/** Requests to endpoints other than those of v2, by path, that name a dataset wherever they can. */
const others: Readonly<Record<string, (id: string) => readonly Asked[]>> = {
  '/apiv1.0': () => [get('/apiv1.0')],
  '/apiv1.0/info': () => [get('/apiv1.0/info')],
  '/apiv1.0/query': (id) => queries('/apiv1.0/query', id),
  '/apiv1.0/query_form': (id) => queries('/apiv1.0/query_form', id).filter(({ method }) => method === 'GET'),
  '/apiv1.0/add': (id) => [post('/apiv1.0/add', { dataset_id: id, assemblyId: 'GRCh37', vcf_path: '/none.vcf' })],
  '/apiv1.0/add_dataset': (id) => [
    post('/apiv1.0/add_dataset', { id, name: 'New', build: 'GRCh37', authlevel: 'public' }),
    post('/apiv1.0/add_dataset', { id, name: 'New', build: 'GRCh37', authlevel: 'public', update: true }),
  ],
  '/apiv1.0/delete': (id) => [post('/apiv1.0/delete', { dataset_id: id, samples: ['s1'] })],
  '/beacon/v1': () => [get('/beacon/v1')],
  '/beacon/v1/service-info': () => [get('/beacon/v1/service-info')],
  '/beacon/v1/query': (id) => queries('/beacon/v1/query', id),
  '/beacon/search': (id) =>
    [`1-${positions.own}-A-C`, '1:1-100', 'MTHFR p.Ala222Val'].flatMap((q) => [
      get(withFields('/beacon/search', { q, assemblyId: 'GRCh37' })),
      get(withFields('/beacon/search', { q, assemblyId: 'GRCh37', dataset: id })),
    ]),
  '/observations': (id) => [
    get(withFields('/observations', { assembly: 'GRCh37', allele: `1-${positions.own}-A-C`, dataset: id })),
    get(withFields('/observations', { assembly: 'GRCh37', allele: `1-${positions.own}-A-C` })),
  ],
  '/observations/batch': (id) => [
    post('/observations/batch', { assembly: 'GRCh37', datasets: [id], alleles: [`1-${positions.own}-A-C`] }),
  ],
  '/observations/genes/{gene}': (id) => [
    get(withFields('/observations/genes/HGNC:1', { assembly: 'GRCh37', dataset: id })),
    get(withFields('/observations/genes/HGNC:1', { assembly: 'GRCh37' })),
  ],
  '/observations/datasets': () => [get('/observations/datasets')],
  '/observations/datasets/{id}/samples': (id) => [
    get(`/observations/datasets/${id}/samples`),
    {
      method: 'PATCH',
      path: `/observations/datasets/${id}/samples`,
      body: { samples: [{ name: 's1', sex: 'female' }] },
    },
  ],
};

function get(path: string): Asked {
  return { method: 'GET', path };
}

function post(path: string, body: Json): Asked {
  return { method: 'POST', path, body };
}

/** Queries of v1 and v1.1, of the dataset alone, beside an open one, and of all. */
function queries(path: string, id: string): Asked[] {
  return Object.values(positions).flatMap((position) => {
    const asked = { ...place(position), includeDatasetResponses: 'ALL' };
    return [
      get(withFields(path, place(position))),
      get(withFields(path, asked)),
      get(withFields(path, { ...asked, datasetIds: id })),
      get(withFields(path, { ...place(position), assemblyId: 'GRCh38', datasetIds: id })),
      get(`${withFields(path, { ...asked, datasetIds: 'open' })}&datasetIds=${id}`),
      post(path, { ...asked, start: position - 1, datasetIds: [id] }),
    ];
  });
}

/** Requests to an endpoint of v2: about the dataset if it can name one. */
function v2(path: string, id: string): Asked[] {
  const isOfDataset = path.startsWith('/beacon/v2/datasets/') || path.startsWith('/beacon/v2/cohorts/');
  const subject = isOfDataset
    ? id
    : path.startsWith('/beacon/v2/g_variants/')
      ? encodeURIComponent(variantAt(positions.own))
      : 's1';
  const filled = path.replace('{id}', subject);
  const record = { requestedGranularity: 'record', includeResultsetResponses: 'ALL' };
  const asked = filled.endsWith('/g_variants') ? place(positions.own) : {};
  const isEntry = /\/(datasets|cohorts|g_variants|individuals|biosamples|runs|analyses)\b/.test(path);
  if (!isEntry) return [get(filled)];
  return [
    get(withFields(filled, { ...asked, ...record })),
    get(withFields(filled, { ...asked, ...record, datasets: id })),
    get(withFields(filled, { ...asked, ...record, datasets: `open,${id}` })),
    get(withFields(filled, { ...asked, filters: `dataset=${id}` })),
    get(withFields(filled, { skip: '1', limit: '5' })),
    ...['HIT', 'MISS', 'NONE'].map((include) =>
      get(withFields(filled, { ...asked, includeResultsetResponses: include })),
    ),
  ];
}

interface Told {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The statements that it took, each with the rows that it returned. */
  statements: readonly string[];
}

/** A>C there is carried by five people of the careful dataset; a person counts once in a million bases and those next to it. */
const carried = Array.from({ length: 13 }, (_, i) => 5500 + i * 3_000_000);

/** A>C there is carried by nobody. */
const nobody = 5577;

/** A reference with these alleles; returns the path. */
async function writeFrequencies(folder: string): Promise<string> {
  // At least 0.1158 of the chromosomes (one-sided 5 %), and so 0.2182 of people: the share that the dataset shows itself.
  const records = [...carried, nobody]
    .sort((one, other) => one - other)
    .map((position) => `1\t${position}\t.\tA\tC\t.\tPASS\tAC=116330;AN=1000000`);
  const header = ['##fileformat=VCFv4.2', '##contig=<ID=1>', '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'];
  await writeFile(join(folder, 'sites.vcf'), `${[...header, ...records].join('\n')}\n`);
  for (const [program, ...args] of [
    ['bgzip', 'sites.vcf'],
    ['tabix', '-p', 'vcf', 'sites.vcf.gz'],
  ] as const) {
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  }
  return join(folder, 'sites.vcf.gz');
}

/** The suite asks every endpoint on one engine; the other one only what differs by its statements. */
const subjects = storages.flatMap((engine, i) =>
  [false, true].map((withReference) => ({ engine, withReference, asksAll: !withReference && (thorough || i === 0) })),
);

for (const { engine, withReference, asksAll } of subjects) {
  describe(`beacon: silence (${engine.name}${withReference ? ', with frequencies' : ''})`, function () {
    this.timeout(120_000); // several hundred requests
    const heard: Statement[] = [];
    const server = useOnce(async () => {
      const frequencies = withReference ? { GRCh37: [await writeFrequencies(folder)] } : {};
      return serveBeacon(listened(engine, heard), {
        settings: { listProtected: false, protection: { datasets: { careful }, frequencies } },
        checkAnswers: false,
      });
    });
    const folder = blockFolder();
    let paths: readonly string[];
    let callers: Readonly<Record<string, Record<string, string>>>;
    /** Statements that read lists which serve several requests, so that they belong to none. */
    let shared: ReadonlySet<string>;

    const careful = { profile: 'careful', anonymous: { budget: 0.5, least: 1 }, minimumSize: 5, batch: 3 };

    const counting = { passOnly: false, window: 2000 };
    const fill = (id: string, access: AccessType, records: readonly string[], samples: string[]) =>
      addRecords(server.repository, id, records, { samples, access, counting });

    before(async () => {
      const pair = ['s1', 's2'];
      await fill('open', 'PUBLIC', [`1 ${positions.shared} . A C . . . GT 0/1 1/1`], pair);
      const response = await fetch(`${server.url}/openapi.json`);
      const described = (await response.json()) as { paths: Record<string, unknown> };
      paths = Object.keys(described.paths).filter((path) => /^\/(apiv1\.0|beacon|observations|variants)\b/.test(path));
      const issue = async (scopes: string[]) => ({
        'x-auth-token': (await issueToken(server.tokens, { owner: 'Lab', scopes }, new Date())).token,
      });
      const verbs = ['read', 'observe', 'cases', 'write'];
      callers = {
        anonymous: {},
        'a token for another dataset': await issue(verbs.map((verb) => `beacon:${verb}:open`)),
      };
      heard.length = 0;
      await server.repository.datasets();
      await server.protection().publications();
      shared = new Set(heard.map(({ sql }) => sql));
    });

    /** The answer to a request, without what differs from one answer to the next whatever was asked. */
    async function told({ method, path, body }: Asked, headers: Record<string, string>): Promise<Told> {
      heard.length = 0;
      const { status, text, headers: sent } = await request(server.url + path, { method, headers, json: body });
      const { date: _, ...kept } = Object.fromEntries(sent);
      const [, nonce] = /'nonce-([^']+)'/.exec(kept['content-security-policy'] ?? '') ?? [];
      const same = (words: string) => {
        const shown = nonce === undefined ? words : words.replaceAll(nonce, 'NONCE');
        return shown.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'REQUEST');
      };
      // Numbers of questions are stored at a time of their own.
      const own = heard.filter(({ sql }) => !shared.has(sql) && !/questions.? \+ [?$]/.test(sql));
      return {
        status,
        headers: Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, same(value)])),
        text: same(text),
        statements: own.map(({ sql, rows }) => `${sql}: ${rows ?? 0} rows`),
      };
    }

    function asked(id: string): Asked[] {
      return paths.flatMap((path) => {
        const ask = others[path];
        if (ask) return [...ask(id)];
        if (path.startsWith('/beacon/v2')) return v2(path, id);
        throw new Error(`This test has no requests to ${path}`);
      });
    }

    const renamed = (answer: Told, id: string): Told => ({
      ...answer,
      headers: Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, value.replaceAll(id, 'ID')]),
      ),
      text: answer.text.replaceAll(id, 'ID'),
    });

    if (asksAll)
      it('answers every request in the same way, by the same statements, whether or not the dataset exists', async () => {
        const before = new Map<string, Told[]>();
        for (const [name, headers] of Object.entries(callers)) {
          const all: Told[] = [];
          for (const one of asked(hidden)) all.push(await told(one, headers));
          before.set(name, all);
        }
        const records = Object.values(positions).map((position) => `1 ${position} . A C . . . GT 0/1 1/1`);
        await fill(hidden, 'CONTROLLED', records, ['s1', 's3']);
        // Lists of datasets serve requests for a tenth of a second.
        const holder = {
          'x-auth-token': (await issueToken(server.tokens, { owner: 'Lab', scopes: ['beacon:read'] }, new Date()))
            .token,
        };
        const query = get(withFields('/apiv1.0/query', { ...place(positions.own), datasetIds: hidden }));
        while ((await told(query, holder)).status !== 200);

        for (const [name, headers] of Object.entries(callers)) {
          const first = before.get(name) ?? [];
          const [ofHidden, ofAbsent] = [asked(hidden), asked(absent)];
          for (const [i, one] of ofHidden.entries()) {
            const what = `${name}: ${one.method} ${one.path}`;
            const answer = await told(one, headers);
            const other = await told(ofAbsent[i] as Asked, headers);
            expect(renamed(answer, hidden), what).to.deep.equal(renamed(other, absent));
            const { statements: _, ...words } = answer;
            const { statements: __, ...earlier } = first[i] as Told;
            expect(words, `${what}, before the dataset was added`).to.deep.equal(earlier);
          }
        }
      });

    it('says no for a protected dataset by as many statements if nobody carries the allele as if the budgets are spent', async () => {
      const samples = Array.from({ length: 10 }, (_, i) => `p${i}`);
      const genotypes = samples.map((_, i) => (i < 5 ? '0/1' : '0/0')).join(' ');
      await fill(
        'careful',
        'PUBLIC',
        carried.map((position) => `1 ${position} . A C . . . GT ${genotypes}`),
        samples,
      );
      const {
        created = new Date(),
        alleleCount = 0,
        callCount = 0,
      } = (await server.repository.dataset('careful')) ?? {};
      const totals = { alleles: alleleCount, calls: callCount, samples: samples.length };
      await server.protection().publish({ dataset: 'careful', created, samples, totals }, new Date());
      const about = (position: number) => ({ ...place(position), datasetIds: 'careful' });
      const has = async (position: number) => {
        const { text } = await told(get(withFields('/apiv1.0/query', about(position))), {});
        return (JSON.parse(text) as Json).exists === true;
      };
      // The first may find a list of datasets that is a tenth of a second old.
      while (!(await has(carried[1] ?? 0)));
      const given: boolean[] = [];
      for (const position of carried.slice(1)) given.push(await has(position));
      // As in the tests of protection: a price of 0.0893 out of a budget of 0.6931 pays for seven.
      expect(given).to.deep.equal(carried.slice(1).map((_, i) => i < 7));

      const requests = (position: number): Asked[] => {
        const inV2 = { ...place(position), datasets: 'careful' };
        const { referenceBases: _, alternateBases: __, ...start } = inV2;
        return [
          get(withFields('/apiv1.0/query', about(position))),
          get(withFields('/apiv1.0/query', { ...about(position), includeDatasetResponses: 'ALL' })),
          get(withFields('/apiv1.0/query_form', { ...about(position), includeDatasetResponses: 'ALL' })),
          get(withFields('/beacon/v1/query', about(position))),
          get(withFields('/beacon/v1/query', { ...about(position), includeDatasetResponses: 'ALL' })),
          get(withFields('/beacon/v2/g_variants', inV2)),
          get(withFields('/beacon/v2/g_variants', { ...start, end: String(position) })),
          get(withFields('/beacon/v2/datasets/careful/g_variants', place(position))),
          get(withFields(`/beacon/v2/g_variants/${encodeURIComponent(variantAt(position))}`, { datasets: 'careful' })),
          get(withFields('/beacon/search', { q: `1-${position}-A-C`, assemblyId: 'GRCh37' })),
        ];
      };
      const ofNobody = requests(nobody);
      for (const [i, one] of requests(5500).entries()) {
        const shape = async (request: Asked, position: number) => {
          const { text, statements, ...rest } = await told(request, {});
          const at = new RegExp(`\\b(${position}|${position - 1})\\b`, 'g');
          return {
            ...rest,
            text: text.replace(at, 'N'),
            statements: statements.map((sql) => sql.replace(/: \d+ rows$/, '')),
          };
        };
        expect(await shape(one, 5500), one.path).to.deep.equal(await shape(ofNobody[i] as Asked, nobody));
      }
    });
  });
}
