/**
 * Two tenants × every endpoint × carrier of a credential: what belongs to the other tenant is answered as what does not exist, to
 * whoever asks and however they prove who they are.
 */
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../core/testing/server.js';
import { beacon } from '../../plugins/beacon/contract.js';
import { coverageSamples } from '../../plugins/coverage/contract.js';
import { Browser, publicUrl } from '../core/http/sign-in/support.js';
import { Broker } from '../support/broker.js';
import { blockFolder } from '../support/folder.js';
import { dataset, load } from './beacon/support/serve.js';
import { vcf } from './beacon/support/vcf.js';
import { person } from './coverage/registry/support.js';
import { endpoints as coverageEndpoints, type Endpoint } from './coverage/tenants/endpoints.js';

/** Of each tenant: its dataset with the position (1-based) of an allele that no other has, its file and its sample. */
const things = {
  cardio: { dataset: 'cardio-set', position: 70030, file: 'cardio/cardio.d4', sample: 'cardio-1' },
  neuro: { dataset: 'neuro-set', position: 70040, file: 'neuro/neuro.d4', sample: 'neuro-1' },
  /** Of nobody, and not there. */
  ghost: { dataset: 'ghost-set', position: 70050, file: 'ghost/ghost.d4', sample: 'ghost-1' },
} as const;
type Owner = keyof typeof things;

const allele = (position: number) =>
  `assemblyId=GRCh37&referenceName=1&start=${position - 1}&referenceBases=A&alternateBases=C`;

/** What a client can ask of a dataset by its name, or of an allele that only this one has. */
const questions: Readonly<Record<string, (owner: Owner) => string>> = {
  'v1 query': (owner) => `/apiv1.0/query?${allele(things[owner].position)}&includeDatasetResponses=ALL`,
  'v1 query by name': (owner) =>
    `/apiv1.0/query?${allele(things[owner].position)}&datasetIds=${things[owner].dataset}&includeDatasetResponses=ALL`,
  'v1.1 query': (owner) => `/beacon/v1/query?${allele(things[owner].position)}&includeDatasetResponses=ALL`,
  'v2 boolean': (owner) => `/beacon/v2/g_variants?${allele(things[owner].position)}&requestedGranularity=boolean`,
  'v2 record': (owner) => `/beacon/v2/g_variants?${allele(things[owner].position)}&requestedGranularity=record`,
  'v2 dataset': (owner) => `/beacon/v2/datasets/${things[owner].dataset}`,
  'v2 variants of a dataset': (owner) => `/beacon/v2/datasets/${things[owner].dataset}/g_variants`,
  'search page': (owner) => `/beacon/search?q=1-${things[owner].position}-A-C&assemblyId=GRCh37`,
  observations: (owner) =>
    `/observations?assembly=GRCh37&allele=1-${things[owner].position}-A-C&dataset=${things[owner].dataset}`,
};
/** Lists, in which nothing of others may be. */
const lists = [
  '/beacon/v2/datasets',
  '/beacon/v2/filtering_terms',
  '/beacon/v2/info',
  '/coverage/registry/samples',
  '/coverage',
  '/',
];

interface Asking {
  headers?: Record<string, string>;
}
type Send = (path: string, asking?: Asking) => Promise<Response>;

describe('tenants: what belongs to one is as if absent for the other', function () {
  this.timeout(60_000);
  let broker: Broker;
  let server: TestServer;
  const folder = blockFolder();
  /** By tenant and carrier. */
  const carriers: Record<'cardio' | 'neuro', Record<string, Record<string, string>>> = { cardio: {}, neuro: {} };
  const browsers: Partial<Record<Owner, Browser>> = {};

  before(async () => {
    for (const name of ['cardio', 'neuro']) {
      mkdirSync(join(folder, name));
      person(join(folder, name, `${name}.d4`), 'female');
    }
    broker = await Broker.start();
    broker.allowRedirects(`${publicUrl}/-/sign-in/callback`, `${publicUrl}/-/me`);
    const { issuer, audience, client } = broker;
    const tenant = (name: 'cardio' | 'neuro') => ({
      members: [{ claim: 'groups', value: `/lab/${name}`, issuer, rights: ['read', 'report', 'load', 'admin'] }],
      roots: [join(folder, name)],
      datasets: [things[name].dataset],
      // A dataset that is too small to be shared is as if it were not.
      shared: [{ dataset: things[name].dataset }],
    });
    server = await serveForTest({
      jobs: false,
      plugins: { beacon: {}, coverage: { roots: [folder], tickets: { key: 'k'.repeat(32) } } },
      settings: {
        http: { baseUrl: publicUrl },
        auth: {
          issuers: [{ issuer, audience }],
          signIn: { issuer, clientId: client.id, clientSecret: client.secret },
          tenants: {
            cardio: tenant('cardio'),
            neuro: tenant('neuro'),
            renal: {
              datasets: ['renal-set'],
              shared: [{ dataset: 'renal-set', with: ['cardio'], minimum: 20, batch: 5 }],
            },
          },
        },
      },
    });
    const datasets = server.repository(beacon);
    await datasets.addDataset(dataset('renal-set', { access: 'CONTROLLED' }), new Date());
    const shared = Array.from({ length: 21 }, (_, i) => `renal-${i}`);
    const path = join(folder, 'renal.vcf');
    const genotypes = shared.map((_, i) => (i < 2 ? '0/1' : '0/0')).join(' ');
    await writeFile(path, vcf({ samples: shared, records: [`1 70060 . A C . . . GT ${genotypes}`] }));
    await load(datasets, 'renal-set', [path]);
    for (const name of ['cardio', 'neuro'] as const) {
      const own = things[name];
      await datasets.addDataset(dataset(own.dataset, { access: 'CONTROLLED' }), new Date());
      const path = join(folder, `${name}.vcf`);
      await writeFile(path, vcf({ samples: [own.sample], records: [`1 ${own.position} . A C . . . GT 0/1`] }));
      await load(datasets, own.dataset, [path]);
      const stated = { build: 'GRCh38', sex: 'female', labels: {}, file: { path: own.file } } as const;
      await server.repository(coverageSamples).register([{ id: own.sample, ...stated }], new Date());

      broker.visitor = broker.add({ sub: `person of ${name}`, claims: { name: 'P', groups: [`/lab/${name}`] } });
      const browser = new Browser(server.url);
      await browser.open('/-/sign-in');
      browsers[name] = browser;
      const cookies = [...browser.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
      const service = {
        'x-auth-token': await server.token(`coverage:ticket:${name}`),
        'content-type': 'application/json',
      };
      const made = await fetch(`${server.url}/coverage/tickets`, {
        method: 'POST',
        headers: service,
        body: JSON.stringify({ samples: [own.sample] }),
      });
      const { ticket } = (await made.json()) as { ticket: string };
      const scopes = ['report', 'read', 'register'].map((verb) => `coverage:${verb}:${name}`);
      const ofDataset = ['read', 'observe', 'cases', 'write'].map((verb) => `beacon:${verb}:${own.dataset}`);
      carriers[name] = {
        'access token': { authorization: `Bearer ${await broker.accessToken(`person of ${name}`)}` },
        session: { cookie: cookies, 'x-csrf-token': await browser.csrfToken() },
        'API token': { 'x-auth-token': await server.token(...scopes, ...ofDataset) },
        ticket: { cookie: `coverage_ticket=${ticket}` },
        none: {},
      };
    }
  });
  after(async () => {
    await server?.close();
    await broker?.close();
  });

  /** A response without what differs between two equal requests, and without the names of what was asked about. */
  async function plain(response: Response, owner: Owner): Promise<{ status: number; headers: string[]; body: string }> {
    const { dataset: name, position, sample } = things[owner];
    const neutral = (text: string) =>
      text
        .replace(/nonce[=-]"?[\w+/=-]+"?/g, 'nonce')
        .replace(/"requestId":"[^"]*"/g, '')
        .replaceAll(name, 'SET')
        .replaceAll(sample, 'SAMPLE')
        .replaceAll(owner, 'OWNER')
        .replace(new RegExp(`\\b(${position}|${position - 1})\\b`, 'g'), 'POSITION');
    const varying = ['date', 'content-security-policy', 'server-timing', 'x-request-id', 'content-length'];
    const headers = [...response.headers]
      .filter(([key]) => !varying.includes(key))
      .map(([key, value]) => `${key}: ${neutral(value)}`);
    return { status: response.status, headers: headers.sort(), body: neutral(await response.text()) };
  }

  const others = [
    ['cardio', 'neuro'],
    ['neuro', 'cardio'],
  ] as const;
  const send =
    (headers: Record<string, string>): Send =>
    (path) =>
      fetch(server.url + path, { headers, redirect: 'manual' });

  for (const [own, other] of others) {
    for (const carrier of ['access token', 'session', 'API token', 'ticket', 'none']) {
      it(`${other} for ${own} by ${carrier === 'none' ? 'no credential' : carrier}`, async () => {
        const headers = carriers[own][carrier] ?? {};
        const ask = send(headers);
        for (const [question, path] of Object.entries(questions)) {
          const theirs = await plain(await ask(path(other)), other);
          expect(theirs, question).to.deep.equal(await plain(await ask(path('ghost')), 'ghost'));
        }
        for (const path of lists) {
          const body = await (await ask(path)).text();
          for (const name of [things[other].dataset, things[other].sample, things[other].file, `${other}.d4`]) {
            expect(body, `${path} ${name}`).to.not.include(name);
          }
        }
        for (const endpoint of coverageEndpoints) {
          for (const naming of ['path', 'id'] as const) {
            const asked = (owner: Owner) =>
              naming === 'path' ? { path: things[owner].file } : { id: things[owner].sample };
            const theirs = await plain(await endpoint.send(server.url, asked(other), headers), other);
            const absent = await plain(await endpoint.send(server.url, asked('ghost'), headers), 'ghost');
            expect(theirs, `${endpoint.name} by ${naming}`).to.deep.equal(absent);
          }
        }
      });
    }
  }

  it('while each reaches its own, by every carrier', async () => {
    const interval = coverageEndpoints[0] as Endpoint;
    for (const own of ['cardio', 'neuro'] as const) {
      for (const carrier of ['access token', 'session', 'API token']) {
        const headers = carriers[own][carrier] ?? {};
        const reply = await interval.send(server.url, { id: things[own].sample }, headers);
        expect(reply.status, `${carrier} ${await reply.text()}`).to.equal(200);
        const query = await send(headers)(questions['v2 boolean']?.(own) ?? '');
        expect(await query.json(), carrier).to.have.nested.property('responseSummary.exists', true);
        const seen = (await (await send(headers)('/beacon/v2/datasets')).json()) as {
          response: { collections: { id: string }[] };
        };
        expect(
          seen.response.collections.map(({ id }) => id),
          carrier,
        ).to.deep.equal([things[own].dataset]);
      }
      const track = await send(carriers[own].ticket ?? {})(
        `/coverage/track?sample=${things[own].sample}&region=chr1:1-10`,
      );
      expect(track.status).to.equal(200);
    }
  });

  it('and counts what a third one shares with it, by every carrier that is a member’s', async () => {
    const path = '/observations?assembly=GRCh37&allele=1-70060-A-C';
    for (const [own, carrier, status, isShown] of [
      ['cardio', 'access token', 200, true],
      ['cardio', 'session', 200, true],
      ['cardio', 'API token', 200, false],
      ['cardio', 'ticket', 401, false],
      ['cardio', 'none', 401, false],
      ['neuro', 'access token', 200, false],
      ['neuro', 'session', 200, false],
    ] as const) {
      const response = await send(carriers[own][carrier] ?? {})(path);
      const text = await response.text();
      expect(response.status, `${own} ${carrier} ${text}`).to.equal(status);
      expect(text.includes('renal'), `${own} ${carrier}`).to.equal(isShown);
      if (isShown) {
        const { observations } = JSON.parse(text) as { observations: { dataset: string }[] };
        const found = observations.find((one) => one.dataset === 'renal-set');
        expect(found).to.deep.include({ shared: true, carriers: 2, of: { cases: 20, samples: 20 } });
      }
    }
  });

  it('and a session posts forms only from our own pages', async () => {
    const browser = browsers.cardio as Browser;
    const page = await browser.open('/coverage');
    expect(page.response.status).to.equal(200);
    expect(page.text).to.include('cardio-1').and.not.include('neuro');
    const [, token = ''] = /name="csrfToken" value="([^"]+)"/.exec(page.text) ?? [];
    const form = (more: Record<string, string>, headers: Record<string, string> = {}) =>
      browser.ask('/report', {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
        body: new URLSearchParams({
          build: 'GRCh38',
          interval_type: 'custom_intervals',
          intervals_bed: '1\t999990\t1000010',
          sample_name_1: 's',
          sample_id_1: 'cardio-1',
          ...more,
        }),
      });
    expect((await form({ csrfToken: token })).status).to.equal(200);
    expect((await form({})).status).to.equal(403);
    expect((await form({ csrfToken: token }, { 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
    const stranger = await new Browser(server.url).open('/coverage', (url) => url.includes('/-/sign-in'));
    expect(stranger.trail.at(-1)).to.equal(`${publicUrl}/-/sign-in?to=%2Fcoverage`);
  });
});
