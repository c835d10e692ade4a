/**
 * Every field of every operation that names a file, a URL or an object says so in the API description (`x-names`). Through each of
 * them, what belongs to another tenant is answered as what does not exist.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createOutline } from '../../core/cli/outline.js';
import type { NameKind } from '../../core/files.js';
import { serveForTest } from '../../core/testing/server.js';
import { beacon } from '../../plugins/beacon/contract.js';
import { coverage } from '../../plugins/coverage/contract.js';
import { addDemo, demoGenes } from '../../plugins/coverage/demo/demo.js';
import { Broker } from '../support/broker.js';
import { blockFolder } from '../support/folder.js';
import { type Description, type Field, fieldsOf, nameOf, placed } from '../support/request-fields.js';
import { serveS3, testKeys } from '../support/s3.js';
import { sampled } from '../support/sample.js';
import { storages } from '../support/storages.js';
import { useOnce } from '../support/use.js';
import { dataset } from './beacon/support/serve.js';
import { vcf } from './beacon/support/vcf.js';
import { person } from './coverage/registry/support.js';

/** Names of fields that may well name something that is opened. */
const suspicious = /path|file|url|uri|href/i;

/** Fields with such names that name nothing that the server opens, each with the reason. */
const displayed: Readonly<Record<string, string>> = {
  'beacon_addDataset url': 'the page of a dataset, shown to clients',
  'beacon_beaconV2Schema file': 'a schema of the package, from a fixed list',
  'server_docsAsset file': 'an asset of the package, from a fixed list',
  'matchmaker_match patient.contact.href': 'the address of a submitter, shown to people',
  'matchmaker_addPatient patient.contact.href': 'the address of a submitter, shown to people',
  'matchmaker_importPatients [].contact.href': 'the address of a submitter, shown to people',
  'matchmaker_importPatients contact.href': 'the address of a submitter, shown to people',
  'matchmaker_importPatients patients[].contact.href': 'the address of a submitter, shown to people',
};

/** What the field declares that it names; undefined if nothing. */
function declared({ schema }: Field): readonly NameKind[] | undefined {
  return schema['x-names'] as readonly NameKind[] | undefined;
}

/** Of which kind of file the field is. */
function endingOf({ operation, steps }: Field): string {
  const name = steps.at(-1) ?? '';
  if (/bed/.test(name)) return 'bed';
  if (/hs_metrics/.test(name)) return 'txt';
  if (operation.startsWith('beacon_')) return 'vcf';
  return name === 'file_path' ? 'tsv' : 'd4';
}

const interval = { chromosome: '1', start: 999_990, end: 1_000_010, completeness_thresholds: [10], build: 'GRCh38' };
const bed = '1\t999990\t1000010\n';
const targets = { build: 'GRCh38', interval_type: 'custom_intervals', intervals_bed: bed };
const rows = (own: string) => ({ sample_name_1: 's', sample_file_1: own });

let cases = 0;

interface Asked {
  /** Parameters of the path and the query. */
  parameters?: Record<string, string>;
  body?: Record<string, unknown>;
  /** A file beside the fields of a form, unless the field names it. */
  file?: string;
}

/** A sound request of each operation, but for the field that is asked about; `own` is the caller's own D4 file. */
const requests: Readonly<Record<string, (own: string, field: string) => Asked>> = {
  beacon_addVariants: () => ({ body: { dataset_id: 'cardio-set', assemblyId: 'GRCh37' } }),
  beacon_loqusdbLoadCase: (own, field) => ({
    // Loaded when the file is an own one.
    parameters: { id: `case-${++cases}`, ...(field !== 'snv_file' && { snv_file: own.replace(/d4$/, 'vcf') }) },
  }),
  coverage_genesSummary: (own, field) => ({
    body: {
      build: 'GRCh38',
      samples: [{ name: 's', coverage_file_path: own }],
      coverage_threshold: 10,
      interval_type: 'custom_intervals',
      ...(field.endsWith('_file_path') && { interval_type: 'genes', hgnc_gene_ids: [demoGenes[0]] }),
    },
  }),
  coverage_intervalCoverage: (own, field) => ({
    body: { ...interval, ...(field !== 'coverage_file_path' && { coverage_file_path: own }) },
  }),
  coverage_intervalFileCoverage: (own, field) => ({
    body: {
      ...(field !== 'intervals_bed_path' && { intervals_bed_path: own.replace(/d4$/, 'bed') }),
      ...(field !== 'coverage_file_path' && { coverage_file_path: own }),
      completeness_thresholds: [10],
    },
  }),
  coverage_registerSample: (own, field) => ({
    parameters: { id: 'cardio-1' },
    body: {
      build: 'GRCh38',
      ...(field !== 'coverage_file_path' && { coverage_file_path: own, unique_mapping_quality: 20 }),
    },
  }),
  coverage_predictedSex: () => ({}),
  coverage_coverageTrack: () => ({ parameters: { region: 'chr1:999991-1000010', format: 'json' } }),
  coverage_makeTicket: () => ({ body: {} }),
  ...Object.fromEntries(
    ['loadGenes', 'loadTranscripts', 'loadExons'].map((name) => [
      `coverage_${name}`,
      () => ({ parameters: { build: 'GRCh38' } }),
    ]),
  ),
  ...Object.fromEntries(
    ['coverageReport', 'coverageOverview', 'maneOverview', 'geneOverview'].map((name) => [
      `coverage_${name}`,
      (own: string, field: string) => {
        const { intervals_bed, ...more } = targets;
        return {
          body: {
            ...more,
            ...(field !== 'intervals_bed_path' && { intervals_bed }),
            ...(name === 'geneOverview' && { hgnc_gene_id: demoGenes[0] }),
            ...(field !== 'samples' && rows(own)),
          },
        };
      },
    ]),
  ),
};

/** Fields of which nothing is read, whatever they name: an own file is answered as an absent one. */
const unread: Readonly<Record<string, string>> = {
  'coverage_geneOverview intervals_bed_path': 'the page is of one gene',
  'coverage_geneOverview intervals_bed_path_2': 'the page is of one gene',
  'coverage_geneOverview hs_metrics_path_1': 'the page is of one gene',
  'coverage_coverageOverview hs_metrics_path_1': 'the page is of incomplete intervals',
  'coverage_maneOverview intervals_bed_path': 'the page is of MANE transcripts',
  'coverage_maneOverview intervals_bed_path_2': 'the page is of MANE transcripts',
  'coverage_maneOverview hs_metrics_path_1': 'the page is of MANE transcripts',
};

/** The body, or the parameters, with the name in the place of the field. */
function filled({ steps, schema, operation }: Field, base: Record<string, unknown>, name: string) {
  const isPage = /Report$|Overview$/.test(operation);
  const listed = schema.type === 'array' ? [name] : name;
  const value =
    isPage && steps.at(-1) === 'samples' ? JSON.stringify([{ name: 's', coverage_file_path: name }]) : listed;
  return placed(base, steps, value) as Record<string, unknown>;
}

/** Words of commands that select or assign what belongs to a caller; the command itself acts with the operator's rights. */
const chosen: readonly string[] = [
  'token add --owner',
  'token list --owner',
  'session list --person',
  'session revoke --person',
  'job list --owner',
  'matchmaker list patients --owner',
  'matchmaker import --owner',
  'matchmaker export --owner',
  'matchmaker import-patientmatcher --owner',
  'reviews run --tenant',
  'reviews list --person',
  'reviews show --tenant',
  'reviews export --person',
];

/** Options with such names whose value names nothing that is opened: a share, addresses of submitters. */
const unopened: readonly string[] = [
  'loqusdb profile --profile-threshold',
  'matchmaker update contact --old-href',
  'matchmaker update contact --href',
  'matchmaker import --contact-href',
];

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

describe('words of commands that name files and URLs', () => {
  it('say so in their value, and no command acts for a caller: they are the operator’s', async () => {
    const outline = await createOutline();
    const commands = [
      ...outline.core.map((command) => ({ word: '', command })),
      ...outline.words.flatMap(({ word, commands: own }) => own.map((command) => ({ word: `${word} `, command }))),
    ];
    const options = commands.flatMap(({ word, command: { name, options = [] } }) =>
      options.map(({ flags }) => ({
        name: `${word}${name} --${/--([\w-]+)/.exec(flags)?.[1] ?? ''}`,
        value: /<(.+)>/.exec(flags)?.[1],
      })),
    );
    const named = options.filter(({ name, value }) => {
      return suspicious.test(name.split(' --')[1] ?? '') && value !== undefined && !unopened.includes(name);
    });
    expect(named.length).to.be.above(25);
    for (const { name, value } of named) expect(value, name).to.be.oneOf(['file', 'url', 'folder']);
    // A command that named a tenant or a caller, to act with its rights, would have to permit names as a route does.
    const callers = options.filter(({ name }) => /--.*(tenant|caller|owner|person|as-|behalf)/.test(name));
    expect(callers.map(({ name }) => name)).to.have.members(chosen);
  });
});

describe('fields that name files, URLs and objects', function () {
  this.timeout(300_000);
  const folder = blockFolder();
  let host: Server;
  const storage = useOnce(() => serveS3());
  const broker = useOnce(async () => {
    for (const owner of ['cardio', 'neuro']) {
      mkdirSync(join(folder, owner));
      const at = (name: string) => join(folder, owner, name);
      person(at('x.d4'), 'female');
      writeFileSync(at('x.vcf'), vcf({ samples: [owner], records: ['1 10 . A C . . . GT 0/1'] }));
      writeFileSync(at('x.bed'), bed);
      writeFileSync(at('x.txt'), '## METRICS CLASS\tpicard.analysis.directed.HsMetrics\nMEAN_TARGET_COVERAGE\n30\n');
      writeFileSync(at('x.tsv'), 'Gene stable ID\n');
      for (const name of ['x.d4', 'x.vcf']) storage.objects.set(`lab/${owner}/${name}`, readFileSync(at(name)));
    }
    host = createServer((request, response) => {
      const path = request.url ?? '';
      fetched.push(path);
      const object = storage.objects.get(`lab${path}`);
      if (object === undefined) return void response.writeHead(404).end();
      const [, from = '0', to = ''] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
      const part = object.slice(Number(from), to === '' ? undefined : Number(to) + 1);
      response.writeHead(206, {
        'Content-Range': `bytes ${from}-${Number(from) + part.length - 1}/${object.length}`,
        ETag: '"1"',
      });
      response.end(part);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));

    return Broker.start();
  });
  /** Paths that the host was asked for. */
  const fetched: string[] = [];
  after(async () => {
    await new Promise((resolve) => host.close(resolve));
  });

  const origin = () => `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const place: Record<NameKind, (rest: string) => string> = {
    path: (rest) => join(folder, rest),
    url: (rest) => `http://${origin()}/${rest}`,
    object: (rest) => `s3://lab/${rest}`,
  };
  const tenant = (name: string) => ({
    members: [
      { claim: 'groups', value: `/${name}`, issuer: broker.issuer, rights: ['read', 'report', 'load', 'admin'] },
    ],
    roots: [place.path(name)],
    urls: [place.url(`${name}/`), place.object(`${name}/`)],
    datasets: [`${name}-set`],
  });

  for (const engine of sampled(storages, 2, 1)) {
    describe(`on ${engine.name}`, () => {
      const server = useOnce(() =>
        serveForTest({
          jobs: false,
          storage: engine,
          plugins: {
            beacon: {
              roots: [folder],
              buckets: ['s3://lab/'],
              uploads: { folder: join(folder, 'uploads') },
              faces: ['v1', 'v1.1', 'v2'],
              loqusdb: { dataset: 'cardio-set', addresses: ['127.0.0.1/32', '::1/128'] },
            },
            coverage: {
              roots: [folder],
              buckets: ['s3://lab/'],
              hosts: [origin()],
              tickets: { key: 'k'.repeat(32) },
              intervals: { httpLoading: true, uploads: join(folder, 'uploads') },
              reports: { days: 30 },
            },
            matchmaker: {},
            panels: {},
          },
          settings: {
            s3: [{ prefix: 's3://lab/', endpoint: storage.endpoint, region: storage.region, credentials: testKeys }],
            auth: {
              issuers: [{ issuer: broker.issuer, audience: broker.audience }],
              tenants: { cardio: tenant('cardio'), neuro: tenant('neuro') },
            },
          },
        }),
      );
      let fields: Field[];
      const callers: Record<string, Record<string, string>> = {};

      before(async () => {
        for (const id of ['cardio-set', 'neuro-set']) {
          await server.repository(beacon).addDataset(dataset(id, { access: 'CONTROLLED' }), new Date());
        }
        await addDemo(server.repository(coverage), new Date());
        broker.add({ sub: 'member', claims: { groups: ['/cardio'] } });
        callers.member = { authorization: `Bearer ${await broker.accessToken('member')}` };
        const scopes = ['report', 'read', 'register', 'ticket'].map((verb) => `coverage:${verb}:cardio`);
        callers.program = { 'x-auth-token': await server.token('beacon:write:cardio-set', ...scopes) };
        fields = fieldsOf((await (await fetch(`${server.url}/openapi.json`)).json()) as Description);
      });

      it('are declared as such', () => {
        const undeclared = fields.filter(
          (field) =>
            suspicious.test(field.steps.at(-1) ?? '') &&
            declared(field) === undefined &&
            // The upload itself.
            field.schema.format !== 'binary',
        );
        expect([...new Set(undeclared.map(nameOf))].sort()).to.deep.equal(Object.keys(displayed).sort());
        const operations = new Set(fields.filter(declared).map(({ operation }) => operation));
        expect([...operations].sort()).to.deep.equal(Object.keys(requests).sort());
      });

      async function ask(field: Field, name: string, own: string, headers: Record<string, string>): Promise<Response> {
        const make = requests[field.operation];
        if (make === undefined) throw new Error(`no request for ${field.operation}`);
        const { parameters = {}, body } = make(own, field.steps.at(-1) ?? '');
        const isBody = field.place.includes('/');
        const sent = (isBody ? parameters : filled(field, parameters, name)) as Record<string, string>;
        const query = new URLSearchParams(sent);
        const path = field.path.replace(/\{(\w+)\}/g, (_, key: string) => {
          query.delete(key);
          return encodeURIComponent(sent[key] ?? '');
        });
        const options: RequestInit = { method: field.method, headers };
        if (isBody) {
          const full = filled(field, body ?? {}, name);
          const texts = Object.entries(full).map(([key, value]): [string, string] => [key, asText(value)]);
          if (field.place === 'application/json') {
            Object.assign(options, {
              headers: { ...headers, 'content-type': field.place },
              body: JSON.stringify(full),
            });
          } else if (field.place === 'multipart/form-data') {
            const form = new FormData();
            for (const [key, value] of texts) form.append(key, value);
            options.body = form;
          } else options.body = new URLSearchParams(texts);
        }
        return fetch(`${server.url}${path}?${query}`, options);
      }

      /** Status, headers and body, without what differs between two equal requests and without the name itself. */
      async function plain(response: Response, name: string) {
        const varying = ['date', 'x-request-id', 'content-length', 'content-security-policy', 'server-timing'];
        const headers = [...response.headers].filter(([key]) => !varying.includes(key)).sort();
        const text = (await response.text())
          .replace(/nonce="[^"]*"/g, 'nonce')
          .replace(/"requestId":"[^"]*"/g, '')
          // Pages say when they were made, to the minute.
          .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'now');
        return { status: response.status, headers, body: text.replaceAll(name, 'NAME') };
      }

      for (const caller of ['member', 'program']) {
        it(`answer what is another tenant’s as what does not exist, to a ${caller}`, async () => {
          const headers = callers[caller] ?? {};
          const asked = storage.requests.length;
          let [compared, reached] = [0, 0];
          for (const field of fields) {
            for (const kind of declared(field) ?? []) {
              const file = `x.${endingOf(field)}`;
              const own = place.path('cardio/x.d4');
              const answer = async (rest: string) => {
                const name = place[kind](rest);
                return plain(await ask(field, name, own, headers), name);
              };
              const what = `${nameOf(field)} in ${field.place} by ${kind}`;
              const absent = await answer(`none/${file}`);
              expect(await answer(`neuro/${file}`), what).to.deep.equal(absent);
              compared++;
              if ([401, 403].includes(absent.status) || nameOf(field) in unread) continue;
              expect(absent.status, `${what}: ${absent.body.slice(0, 500)}`).to.be.within(400, 499);
              // The request is sound: with an own file the answer is another.
              const { status, body } = await answer(`cardio/${file}`);
              expect(
                status === absent.status && body === absent.body,
                `${what}: ${absent.body.slice(0, 500)}`,
              ).to.equal(false);
              reached++;
            }
          }
          expect(compared).to.be.above(60);
          expect(reached).to.be.above(50);
          const theirs = [...fetched, ...storage.requests.slice(asked).map(({ path }) => path)].filter((path) =>
            /neuro|none/.test(path),
          );
          expect(theirs, 'judged by the text, before it is looked up').to.deep.equal([]);
        });
      }
    });
  }
});
