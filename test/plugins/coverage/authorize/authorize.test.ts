/**
 * Endpoints × ways to name a sample × credentials of a person: what the case system does not allow is answered as what does not
 * exist, and if the case system cannot be asked, everything is answered alike.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKeys } from '../../../../core/audit/chain.js';
import { audit } from '../../../../core/audit/contract.js';
import { readEntries } from '../../../../core/audit/read.js';
import { serveForTest, type TestServer } from '../../../../core/testing/server.js';
import { coverageSamples } from '../../../../plugins/coverage/contract.js';
import { Browser, publicUrl } from '../../../core/http/sign-in/support.js';
import { Broker } from '../../../support/broker.js';
import { blockFolder } from '../../../support/folder.js';
import { outcome, sendTo } from '../../../support/http.js';
import { IdentityProvider } from '../../../support/identity-provider.js';
import { person as d4 } from '../registry/support.js';
import { type Endpoint, endpoints, type Naming } from '../tenants/endpoints.js';
import { CaseSystem, quickTroubles, troubles } from './case-system.js';

type Headers = Record<string, string>;
interface Seen {
  status: number;
  headers: string[];
  body: string;
}

const key = 'a key of the audit, for tests only';
const names = ['mine', 'theirs'] as const;
const interval = endpoints[0] as Endpoint;

/** A report on the lines of a BED file, for which no genes need be loaded. */
const oneBed = {
  ...{ build: 'GRCh38', interval_type: 'custom_intervals', intervals_bed: '1\t999990\t1000010', sample_name_1: 's' },
};

const reportOnBed = (accept: string): Endpoint => ({
  name: `/report on BED lines as ${accept}`,
  isPage: true,
  send: (url, naming, headers) =>
    sendTo(`${url}/report`, {
      headers: { accept, ...headers },
      form: { ...oneBed, ...('path' in naming ? { sample_file_1: naming.path } : { sample_id_1: naming.id }) },
    }),
});
const all = [...endpoints, reportOnBed('application/json'), reportOnBed('text/html')];

/** Of all forms of the answer: what differs between two equal requests is left out, and the name that was asked for. */
async function plain(response: Response): Promise<Seen> {
  const neutral = (text: string) =>
    text
      .replace(/nonce[=-]"?[\w+/=-]+"?/g, 'nonce')
      .replace(/"requestId":"[^"]*"/g, '')
      .replace(/mine|theirs|ghost/g, 'NAME');
  const varying = ['date', 'content-security-policy', 'server-timing', 'x-request-id', 'content-length'];
  const headers = [...response.headers].filter(([name]) => !varying.includes(name));
  return {
    status: response.status,
    headers: headers.map(([name, value]) => `${name}: ${neutral(value)}`).sort(),
    body: neutral(await response.text()),
  };
}

for (const rules of ['alone', 'within tenants'] as const) {
  describe(`authorize, ${rules}`, function () {
    this.timeout(60_000);
    let broker: Broker;
    let cases: CaseSystem;
    let server: TestServer;
    const folder = blockFolder();
    let ahead = 0;
    let people = 0;

    before(async () => {
      for (const name of ['heart', 'brain']) mkdirSync(at(name));
      for (const name of names) d4(at(`heart/${name}.d4`), 'female');
      d4(at('brain/other.d4'), 'male');
      broker = await Broker.start();
      cases = await CaseSystem.start();
      broker.allowRedirects(`${publicUrl}/-/sign-in/callback`, `${publicUrl}/-/me`);
      const { issuer, audience, client } = broker;
      const members = [{ claim: 'groups', value: '/heart', issuer, rights: ['report', 'load'] }];
      const tenants = { heart: { roots: [at('heart')], members }, brain: { roots: [at('brain')] } };
      server = await serveForTest({
        jobs: false,
        now: () => new Date(Date.now() + ahead),
        plugins: {
          coverage: {
            roots: [folder],
            tickets: { key: 'k'.repeat(32) },
            authorize: { url: cases.url, secret: cases.secret, timeout: 30, cache: 60 },
          },
        },
        settings: {
          audit: { key },
          http: { baseUrl: publicUrl },
          auth: {
            issuers: [{ issuer, audience }],
            signIn: { issuer, clientId: client.id, clientSecret: client.secret },
            ...(rules === 'alone' ? {} : { tenants }),
          },
        },
      });
      const stated = { build: 'GRCh38', sex: 'female', labels: {} } as const;
      await server
        .repository(coverageSamples)
        .register(
          [
            ...names.map((id) => ({ ...stated, id, case: `case of ${id}`, file: { path: `heart/${id}.d4` } })),
            { ...stated, id: 'other', file: { path: at('brain/other.d4') } },
          ],
          new Date(),
        );
    });
    after(async () => {
      await server?.close();
      await Promise.all([broker?.close(), cases?.close()]);
    });
    afterEach(() => {
      cases.trouble = undefined;
    });

    const at = (name: string) => join(folder, name);
    const mine = () => ['mine', at('heart/mine.d4')];

    /** Somebody about whom nothing is known yet, who may see these; a member of the tenant. */
    async function somebody(...allowed: string[]): Promise<{ sub: string; headers: Headers }> {
      const sub = `person ${++people}`;
      broker.add({ sub, claims: { groups: ['/heart'] } });
      cases.allow(sub, ...allowed);
      return { sub, headers: { authorization: `Bearer ${await broker.accessToken(sub)}` } };
    }

    const ask = async (endpoint: Endpoint, naming: Naming, headers: Headers) =>
      plain(await endpoint.send(server.url, naming, headers));
    const send = (method: string, path: string, headers: Headers, json?: unknown) =>
      outcome(server.url + path, { method, headers, json });
    const namings = (name: string): Naming[] => [
      { id: name },
      { path: `heart/${name}.d4` },
      { path: at(`heart/${name}.d4`) },
      { path: at(`brain/../heart/./${name}.d4`) },
    ];

    it('answers about what is not allowed as about what does not exist, at every endpoint', async () => {
      const { sub, headers } = await somebody(...mine());
      broker.visitor = { sub, claims: { groups: ['/heart'] } };
      const browser = new Browser(server.url);
      await browser.open('/-/sign-in');
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const session = { cookie, 'x-csrf-token': await browser.csrfToken() };
      const compare = async (endpoint: Endpoint, carrier: Headers, [own, theirs, ghost]: Naming[]) => {
        const what = `${endpoint.name} ${JSON.stringify(own)}`;
        const seen = await ask(endpoint, own as Naming, carrier);
        // No genes are loaded: a page gets as far as looking for them.
        expect(seen.status === 200 || seen.body.includes('DSP'), `${what} ${seen.body}`).to.equal(true);
        const refused = await ask(endpoint, theirs as Naming, carrier);
        expect(refused, what).to.deep.equal(await ask(endpoint, ghost as Naming, carrier));
        expect(refused.status, what).to.be.oneOf([404, 422]);
      };
      const [mines, theirs, ghosts] = [namings('mine'), namings('theirs'), namings('ghost')];
      const ways = mines.map((own, i) => [own, theirs[i], ghosts[i]] as Naming[]);
      for (const endpoint of rules === 'alone' ? all : [interval]) {
        for (const way of ways.slice(0, 2)) await compare(endpoint, headers, way);
        expect((await ask(endpoint, { id: 'mine' }, {})).status, endpoint.name).to.equal(401);
      }
      for (const way of ways) for (const carrier of [headers, session]) await compare(interval, carrier, way);
      await compare(reportOnBed('text/html'), session, ways[0] as Naming[]);
    });

    it('asks who the person is and what is named, before it is looked up, and never with a token of the person', async () => {
      const { sub, headers } = await somebody(...mine());
      const before = cases.questions.length;
      await ask(interval, { id: 'mine' }, headers);
      await ask(interval, { id: 'ghost' }, headers);
      await ask(interval, { path: '../nowhere/ghost.d4' }, headers);
      await ask(interval, { path: at('heart/../heart/ghost.d4') }, headers);
      const subject = { type: 'user', id: sub, properties: { issuer: broker.issuer } };
      const about = (resource: object) => ({ subject, action: { name: 'read' }, evaluations: [{ resource }] });
      expect(cases.questions.slice(before)).to.deep.equal([
        about({ type: 'sample', id: 'mine', properties: { case: 'case of mine', file: 'heart/mine.d4' } }),
        about({ type: 'sample', id: 'ghost' }),
        about({ type: 'file', id: at('heart/ghost.d4') }),
      ]);
    });

    it('answers 503 alike for everything while nothing can be asked, at every endpoint', async () => {
      cases.trouble = troubles['fails with 500'];
      const { headers } = await somebody(...mine());
      for (const endpoint of rules === 'alone' ? all : [interval]) {
        for (const [i, own] of namings('mine').slice(0, 2).entries()) {
          const seen = await ask(endpoint, own, headers);
          // Whether genes are known is found out before files are looked up.
          if (!seen.body.includes('DSP') || 'id' in own) {
            expect(seen.status, endpoint.name).to.equal(503);
            expect(seen.headers, endpoint.name).to.include('retry-after: 5');
          }
          expect(await ask(endpoint, namings('theirs')[i] as Naming, headers), endpoint.name).to.deep.equal(seen);
          expect(await ask(endpoint, namings('ghost')[i] as Naming, headers), endpoint.name).to.deep.equal(seen);
        }
      }
      // No failure is remembered.
      cases.trouble = undefined;
      expect((await ask(interval, { id: 'mine' }, headers)).status).to.equal(200);
    });

    for (const [name, trouble] of Object.entries(rules === 'alone' ? quickTroubles : {})) {
      it(`believes nothing if the case system ${name}`, async () => {
        cases.trouble = trouble;
        const { headers } = await somebody(...mine());
        const asked = [{ id: 'mine' }, { path: 'heart/theirs.d4' }, { path: 'heart/ghost.d4' }, { id: 'ghost' }];
        const seen = await Promise.all(asked.map((naming) => ask(interval, naming, headers)));
        for (const one of seen) expect(one).to.deep.equal({ ...seen[0], status: 503 });
        expect(seen[0]?.body).to.match(/cannot be asked at the moment; try again later/);
      });
    }

    it('takes back what is withdrawn within the time of the cache, and gives what is allowed later', async () => {
      const { sub, headers } = await somebody(...mine());
      const seen = async () => [
        (await ask(interval, { id: 'mine' }, headers)).status,
        (await ask(interval, { path: 'heart/theirs.d4' }, headers)).status,
      ];
      expect(await seen()).to.deep.equal([200, 404]);
      cases.allow(sub, at('heart/theirs.d4'));
      expect(await seen()).to.deep.equal([200, 404]);
      ahead += 60_000;
      expect(await seen()).to.deep.equal([422, 200]);
    });

    it('keeps lists to what is allowed', async () => {
      const { sub, headers } = await somebody(...mine(), 'samples');
      const list = async (query = '') => (await send('GET', `/coverage/registry/samples${query}`, headers)).body;
      const ids = async (query = '') => ((await list(query)).samples as { id: string }[]).map(({ id }) => id);
      expect(await ids()).to.deep.equal(['mine']);
      expect(await list('?limit=1')).to.have.property('next', null);
      const form = await (await fetch(`${server.url}/coverage`, { headers })).text();
      expect(form)
        .to.include('value="mine"')
        .and.not.match(/value="(theirs|other)/);
      // Without the right to a list, it is as if nothing were registered.
      const asked = cases.asked.length;
      const without = await somebody(...mine());
      expect((await send('GET', '/coverage/registry/samples', without.headers)).body).to.deep.equal({
        samples: [],
        next: null,
      });
      expect(cases.asked.slice(asked)).to.deep.equal(['registry:samples']);
      // Nothing can be asked: whether anything follows is not said, not even of what was allowed just now.
      cases.trouble = troubles['fails with 500'];
      for (const query of ['', '?after=mine', '?after=zzz']) {
        expect((await send('GET', `/coverage/registry/samples${query}`, headers)).status, query).to.equal(503);
      }
      const page = await fetch(`${server.url}/coverage`, { headers });
      expect(page.status).to.equal(200);
      expect(await page.text()).to.not.include('value="mine"');
      expect(sub).to.not.equal('');
    });

    it('reads, counts and changes registered samples as far as it is allowed', async () => {
      const { headers } = await somebody(...mine());
      const sample = (id: string) => `/coverage/registry/samples/${id}`;
      expect((await send('GET', sample('mine'), headers)).status).to.equal(200);
      const absent = { status: 404, body: { detail: 'The sample is not registered' } };
      for (const id of ['theirs', 'ghost', 'other'])
        expect(await send('GET', sample(id), headers)).to.deep.equal(absent);
      const places = [{ chromosome: '1', intervals: [{ start: 1, end: 2 }] }];
      const question = { build: 'GRCh38', threshold: 10, groups: [['theirs', 'ghost', 'mine']], places };
      expect((await send('POST', '/coverage/registry/callability', headers, question)).body).to.have.deep.property(
        'unknown',
        [
          { sample: 'theirs', reason: 'unregistered' },
          { sample: 'ghost', reason: 'unregistered' },
          { sample: 'mine', reason: 'unchecked' },
        ],
      );
      const many = { samples: Array.from({ length: 1001 }, (_, i) => `s${i}`) };
      expect((await send('POST', '/coverage/registry/sexes', headers, many)).status).to.equal(422);
      for (const query of ['', '?assay=none']) {
        expect((await send('GET', `/coverage/registry/runs${query}`, headers)).status).to.equal(403);
      }
      const put = (id: string, name: string) =>
        send('PUT', sample(id), headers, { build: 'GRCh38', coverage_file_path: `heart/${name}.d4` });
      if (rules === 'alone') {
        // Seeing is not changing: without rules no person may register.
        expect((await put('new', 'mine')).status).to.equal(403);
        expect((await send('DELETE', sample('mine'), headers)).status).to.equal(403);
        return;
      }
      expect(await put('new', 'theirs')).to.deep.equal(await put('new', 'ghost'));
      expect((await put('new', 'theirs')).status).to.equal(404);
      expect((await put('theirs', 'mine')).status).to.equal(409);
      expect((await put('mine', 'mine')).status).to.equal(202);
      expect(await send('DELETE', sample('theirs'), headers)).to.deep.equal(absent);
      expect(await send('DELETE', sample('ghost'), headers)).to.deep.equal(absent);
      cases.trouble = troubles['fails with 500'];
      const stranger = await somebody();
      for (const id of ['mine', 'theirs', 'ghost']) {
        expect((await send('DELETE', sample(id), stranger.headers)).status).to.equal(503);
        expect((await send('GET', sample(id), stranger.headers)).status).to.equal(503);
      }
    });

    it('does not ask about programs and tickets, whose rights somebody gave', async () => {
      const before = cases.questions.length;
      const program = { 'x-auth-token': await server.token('coverage:report', 'coverage:read', 'coverage:ticket') };
      expect((await ask(interval, { id: 'theirs' }, program)).status).to.equal(200);
      expect((await send('GET', '/coverage/registry/samples', program)).body.samples).to.have.lengthOf(3);
      expect((await send('GET', '/coverage/registry/runs', program)).status).to.equal(200);
      const { body } = await send('POST', '/coverage/tickets', program, { samples: ['theirs'] });
      const track = await fetch(`${server.url}/coverage/track?sample=theirs&region=chr1:1-10`, {
        headers: { cookie: `coverage_ticket=${String(body.ticket)}` },
      });
      expect(track.status).to.equal(200);
      expect(cases.questions.length).to.equal(before);
      const without = {
        'x-auth-token': await server.token('coverage:load'),
      };
      expect((await ask(interval, { id: 'theirs' }, without)).status).to.equal(403);
    });

    it('reads no BED file of the server that is not allowed, nor tells whether it exists', async () => {
      const { headers } = await somebody(...mine());
      const asked = async (bed: string) => {
        const body = {
          coverage_file_path: 'heart/mine.d4',
          intervals_bed_path: bed,
          completeness_thresholds: [10],
        };
        return send('POST', '/coverage/d4/interval_file/', headers, body);
      };
      const absent = await asked('heart/ghost.d4');
      expect(absent.status).to.equal(422);
      expect(await asked('heart/theirs.d4')).to.deep.equal(absent);
    });

    it('is named in the audit as the reason', async () => {
      const { headers, sub } = await somebody(...mine());
      const genes = endpoints.find(({ name }) => name === '/coverage/d4/genes/summary') as Endpoint;
      expect((await ask(genes, { id: 'mine' }, headers)).status).to.equal(200);
      const repository = server.repository(audit);
      const reasons: (string | undefined)[] = [];
      for await (const page of readEntries({ repository, keys: new AuditKeys(key) }, {})) {
        for (const { actor, because } of page) if (actor.includes(sub)) reasons.push(because);
      }
      expect(reasons).to.deep.equal([rules === 'alone' ? 'case system' : 'tenant heart, case system']);
    });

    it('leaves no secret and no name of a person or sample in the log', () => {
      const log = server.log();
      expect(log).to.include('the system that decides who may see samples failed');
      expect(log).to.not.include(cases.secret);
      const warnings = log.split('\n').filter((line) => line.includes('the system that decides'));
      expect(warnings.join()).to.not.match(/mine|theirs|ghost|person \d|\.d4/);
    });

    if (rules === 'alone') {
      it('pages through more samples than one request asks about, without naming those of others', async () => {
        const all = Array.from({ length: 2500 }, (_, i) => `x-${String(i).padStart(4, '0')}`);
        const stated = { build: 'GRCh38', sex: 'female', labels: {}, file: { path: 'heart/mine.d4' } } as const;
        await server.repository(coverageSamples).register(
          all.map((id) => ({ ...stated, id })),
          new Date(),
        );
        const own = all.filter((_, i) => i % 400 === 399 || (i > 1100 && i < 1104));
        const { headers } = await somebody(...own, 'samples');
        const found: string[] = [];
        let after: string | null = '';
        for (let pages = 0; after !== null; pages += 1) {
          const { body } = await send(
            'GET',
            `/coverage/registry/samples?limit=2&after=${encodeURIComponent(after)}`,
            headers,
          );
          found.push(...(body.samples as { id: string }[]).map(({ id }) => id));
          after = body.next as string | null;
          if (after !== null) expect(after.startsWith('~') || own.includes(after), after).to.equal(true);
          expect(pages).to.be.below(20);
        }
        expect(found).to.deep.equal(own);
        for (const wrong of ['~', '~x', `~${'A'.repeat(300)}`]) {
          const { status } = await send('GET', `/coverage/registry/samples?after=${wrong}`, headers);
          expect(status, wrong).to.equal(200);
        }
        const long = await send('GET', `/coverage/registry/samples?after=${'a'.repeat(201)}`, headers);
        expect(long.status).to.equal(422);
        await server.repository(coverageSamples).remove(all);
      });
    } else {
      it('cannot give what the rules do not: files of other tenants stay absent, and the case system learns of none', async () => {
        const { headers } = await somebody('other', at('brain/other.d4'), at('brain/ghost.d4'));
        const before = cases.asked.length;
        // A relative path may name a file of the tenant's own, too.
        const inHeart = ['other', 'ghost'].map((name) => `file:${at(`heart/brain/${name}.d4`)}`);
        for (const [theirs, ghost] of [
          [{ path: 'brain/other.d4' }, { path: 'brain/ghost.d4' }],
          [{ path: at('brain/other.d4') }, { path: at('brain/ghost.d4') }],
        ] as const) {
          const seen = await ask(interval, theirs, headers);
          expect(seen.status).to.equal(404);
          expect(await ask(interval, ghost, headers)).to.deep.equal(seen);
        }
        expect(cases.asked.slice(before)).to.deep.equal(inHeart);
        expect((await ask(interval, { id: 'other' }, headers)).status).to.equal(422);
        cases.allow('stranger', ...mine());
        const stranger = { authorization: `Bearer ${await broker.accessToken('stranger')}` };
        expect((await ask(interval, { id: 'mine' }, stranger)).status).to.equal(403);
      });
    }
  });
}

describe('authorize, with tokens that coverage accepts by itself', () => {
  it('asks about the person in every place of a token, and about ID tokens too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trefoil-authorize-'));
    for (const name of names) d4(join(folder, `${name}.d4`), 'female');
    const [provider, cases] = await Promise.all([IdentityProvider.start(), CaseSystem.start()]);
    const { jwksUrl, audience } = provider;
    const server = await serveForTest({
      jobs: false,
      plugins: {
        coverage: {
          roots: [folder],
          oidc: { jwksUrl, audience },
          tokenFields: ['id_token'],
          authorize: { url: cases.url, secret: cases.secret },
        },
      },
    });
    try {
      cases.allow('somebody', join(folder, 'mine.d4'), 'samples');
      const iss = 'https://login.test';
      const token = await provider.token({ claims: { iss } });
      const idToken = await provider.token({ claims: { iss, nonce: 'n', at_hash: 'h' } });
      const page = reportOnBed('application/json');
      const asked = (path: string, field: string, sent: string) =>
        sendTo(`${server.url}/report`, { form: { ...oneBed, sample_file_1: path, [field]: sent } });
      const statuses = async (path: string) => [
        (await interval.send(server.url, { path }, { authorization: `Bearer ${token}` })).status,
        (await page.send(server.url, { path }, { cookie: `access_token=${token}` })).status,
        (await asked(path, 'access_token', token)).status,
        (await asked(path, 'id_token', idToken)).status,
        (await asked(path, 'access_token', 'x')).status,
      ];
      expect(await statuses('mine.d4')).to.deep.equal([200, 200, 200, 200, 401]);
      expect(await statuses('theirs.d4')).to.deep.equal([404, 422, 422, 422, 401]);
      expect(await statuses('ghost.d4')).to.deep.equal([404, 422, 422, 422, 401]);
      const { subject } = cases.questions[0] ?? {};
      expect(subject).to.deep.equal({ type: 'user', id: 'somebody', properties: { issuer: iss } });
      expect(JSON.stringify(cases.questions)).to.not.include(token.slice(-20)).and.not.include(idToken.slice(-20));
      expect((await fetch(`${server.url}/coverage`)).status).to.equal(401);
      expect((await fetch(`${server.url}/coverage/registry/samples`)).status).to.equal(401);
      // Another issuer's person of the same name is another person.
      const other = await provider.token({ claims: { iss: 'https://other.test' } });
      await interval.send(server.url, { path: 'mine.d4' }, { authorization: `Bearer ${other}` });
      expect(cases.questions.at(-1)?.subject.properties?.issuer).to.equal('https://other.test');
    } finally {
      await server.close();
      await Promise.all([provider.close(), cases.close()]);
      await rm(folder, { recursive: true });
    }
  });

  it('asks about the person of an ID token in the header with acceptIdTokens, which opens no registry', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trefoil-authorize-'));
    for (const name of names) d4(join(folder, `${name}.d4`), 'female');
    const [provider, cases] = await Promise.all([IdentityProvider.start(), CaseSystem.start()]);
    const { jwksUrl, audience } = provider;
    const server = await serveForTest({
      jobs: false,
      plugins: {
        coverage: {
          roots: [folder],
          oidc: { jwksUrl, audience },
          acceptIdTokens: true,
          authorize: { url: cases.url, secret: cases.secret },
        },
      },
    });
    try {
      cases.allow('somebody', join(folder, 'mine.d4'), 'samples');
      const iss = 'https://login.test';
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
      const [access, id] = [
        bearer(await provider.token({ claims: { iss } })),
        bearer(await provider.token({ claims: { iss, nonce: 'n', at_hash: 'h' } })),
      ];
      expect((await interval.send(server.url, { path: 'mine.d4' }, id)).status).to.equal(200);
      expect((await interval.send(server.url, { path: 'theirs.d4' }, id)).status).to.equal(404);
      expect(cases.questions[0]?.subject).to.deep.equal({ type: 'user', id: 'somebody', properties: { issuer: iss } });
      const registry = async (headers: Record<string, string>) =>
        (await fetch(`${server.url}/coverage/registry/samples`, { headers })).status;
      expect(await registry(access)).to.equal(200);
      expect(await registry(id)).to.equal(401);
    } finally {
      await server.close();
      await Promise.all([provider.close(), cases.close()]);
      await rm(folder, { recursive: true });
    }
  });
});
