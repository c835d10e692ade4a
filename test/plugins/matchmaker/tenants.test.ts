/**
 * Two tenants × endpoints × carriers of a credential: patients of the other tenant's clients are answered as patients that do
 * not exist, and members use those of their own clients as far as their rights go.
 */
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { audit } from '../../../core/audit/contract.js';
import { type ReadEntry, readEntries } from '../../../core/audit/read.js';
import { issueToken } from '../../../core/auth/access.js';
import { tokens } from '../../../core/auth/contract.js';
import { serveForTest, type TestServer } from '../../../core/testing/server.js';
import { Browser, publicUrl } from '../../core/http/sign-in/support.js';
import { Broker } from '../../support/broker.js';
import { useOnce } from '../../support/use.js';
import { patient, vendor } from './support/serve.js';

const key = 'a key of the audit, for tests only';
type Owner = 'cardio' | 'neuro' | 'ghost';
type Headers = Record<string, string>;

/** Of each tenant the stored patient; that of the ghost does not exist. */
const idOf = (owner: Owner) => `P-${owner}`;

const requests: Readonly<Record<string, (owner: Owner) => [method: string, path: string]>> = {
  'read a patient': (owner) => ['GET', `/patient/${idOf(owner)}`],
  'read matches': (owner) => ['GET', `/matches/${idOf(owner)}`],
  'read a page of matches': (owner) => ['GET', `/matches/${idOf(owner)}?limit=1`],
  'search nodes': (owner) => ['POST', `/match/external/${idOf(owner)}`],
  delete: (owner) => ['DELETE', `/patient/delete/${idOf(owner)}`],
};

describe('matchmaker: tenants', function () {
  this.timeout(60_000);
  const broker = useOnce(() => Broker.start());
  let server: TestServer;
  /** By tenant and carrier. */
  const carriers: Record<'cardio' | 'neuro', Record<string, Headers>> = { cardio: {}, neuro: {} };
  const clients: Record<string, Headers> = {};
  const bearer = async (sub: string) => ({ authorization: `Bearer ${await broker.accessToken(sub)}` });

  before(async () => {
    broker.allowRedirects(`${publicUrl}/-/sign-in/callback`, `${publicUrl}/-/me`);
    const { issuer, audience, client } = broker;
    const member = (group: string, ...rights: string[]) => ({ claim: 'groups', value: group, issuer, rights });
    const tenant = (name: string) => ({
      clients: [`${name}-lab`],
      members: [member(`/lab/${name}`, 'report', 'load'), member(`/lab/${name}/readers`, 'report')],
    });
    server = await serveForTest({
      jobs: false,
      plugins: { matchmaker: { protectMetrics: true } },
      settings: {
        audit: { key },
        http: { baseUrl: publicUrl },
        auth: {
          issuers: [{ issuer, audience }],
          signIn: { issuer, clientId: client.id, clientSecret: client.secret },
          roles: [{ claim: 'groups', value: '/it', issuer, role: 'admin' }],
          tenants: { cardio: tenant('cardio'), neuro: tenant('neuro'), other: {} },
        },
      },
    });
    const issue = async (owner: string, ...scopes: string[]) => {
      const { token } = await issueToken(server.repository(tokens), { owner, scopes }, new Date());
      return { 'x-auth-token': token };
    };
    for (const name of ['cardio', 'neuro'] as const) {
      broker.visitor = broker.add({ sub: `person of ${name}`, claims: { name: 'P', groups: [`/lab/${name}`] } });
      broker.add({ sub: `reader of ${name}`, claims: { groups: [`/lab/${name}/readers`] } });
      const browser = new Browser(server.url);
      await browser.open('/-/sign-in');
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      carriers[name] = {
        'access token': await bearer(`person of ${name}`),
        session: { cookie, 'x-csrf-token': await browser.csrfToken() },
        'API token': await issue('pipeline', `matchmaker:read:${name}-lab`, `matchmaker:load:${name}-lab`),
        'no credential': {},
      };
      clients[name] = await issue(`${name}-lab`, 'matchmaker:query', 'matchmaker:submit');
    }
    broker.add({ sub: 'admin', claims: { groups: ['/it'] } });
    for (const name of ['cardio', 'neuro'] as const) await add(idOf(name), clients[name] ?? {});
    // Each finds the other's: both have a record with the other's patient.
    for (const name of ['cardio', 'neuro'] as const) {
      const matched = await ask('POST', '/match', clients[name] ?? {}, { patient: patient(idOf(name)) });
      expect(matched.body, JSON.stringify(matched)).to.have.property('results').with.length(1);
    }
  });
  after(async () => {
    await server?.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: bodies are any response of the server
  async function ask(method: string, path: string, headers: Headers, body?: object): Promise<any> {
    const response = await fetch(server.url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': vendor }) },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const varying = ['date', 'server-timing', 'x-request-id', 'content-length'];
    const sent = [...response.headers].filter(([name]) => !varying.includes(name));
    return { status: response.status, headers: sent, body: JSON.parse(text) };
  }

  async function add(id: string, headers: Headers): Promise<void> {
    const { status, body } = await ask('POST', '/patient/add', headers, { patient: patient(id) });
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  const neutral = (reply: object, owner: Owner) => JSON.stringify(reply).replaceAll(idOf(owner), 'ID');
  const listed = async (headers: Headers) =>
    (await ask('GET', '/patients', headers)).body.patients.map((one: { patient: { id: string } }) => one.patient.id);

  for (const [own, other] of [
    ['cardio', 'neuro'],
    ['neuro', 'cardio'],
  ] as const) {
    for (const carrier of ['access token', 'session', 'API token', 'no credential']) {
      it(`${other} for ${own} by ${carrier}: as if absent`, async () => {
        const headers = carriers[own][carrier] ?? {};
        for (const [what, request] of Object.entries(requests)) {
          const theirs = await ask(...request(other), headers);
          const absent = await ask(...request('ghost'), headers);
          expect(neutral(theirs, other), what).to.equal(neutral(absent, 'ghost'));
          expect(theirs.status === 401, what).to.equal(carrier === 'no credential');
        }
        const list = await ask('GET', '/patients', headers);
        if (carrier === 'no credential') expect(list.status).to.equal(401);
        else expect(await listed(headers)).to.deep.equal([idOf(own)]);
        const replacing = await ask('POST', '/patient/add', headers, { patient: patient(idOf(other), { label: 'x' }) });
        expect(replacing.status).to.equal(carrier === 'no credential' ? 401 : 403);
        // Nothing of the other was changed.
        const kept = await ask('GET', `/patient/${idOf(other)}`, clients[other] ?? {});
        expect(kept.body).to.deep.include({ owner: `${other}-lab` });
        expect(kept.body.patient.label).to.equal(undefined);
      });

      if (carrier === 'no credential') continue;
      it(`${own} for ${own} by ${carrier}: read, added, changed and deleted`, async () => {
        const headers = carriers[own][carrier] ?? {};
        const read = await ask('GET', `/patient/${idOf(own)}`, headers);
        expect(read.body).to.deep.include({ owner: `${own}-lab` });
        const matches = await ask('GET', `/matches/${idOf(own)}`, headers);
        expect(matches.body.matches).to.have.length(2);
        const id = `${own} by ${carrier}`;
        await add(id, headers);
        const changed = await ask('POST', '/patient/add', headers, { patient: patient(id, { label: 'changed' }) });
        expect(changed.body.message).to.equal('Patient was successfully updated.');
        // It is the client's, whose other members and programs see it.
        const seen = await ask('GET', `/patient/${id}`, clients[own] ?? {});
        expect(seen.body).to.deep.include({ owner: `${own}-lab` });
        const deleted = await ask('DELETE', `/patient/delete/${id}`, headers);
        expect(deleted.body.message).to.equal('Patient and its matches were successfully deleted from database');
      });
    }
  }

  it('members who may only report change nothing, and nobody of a tenant searches or sees the state of the node', async () => {
    const reader = await bearer('reader of cardio');
    expect((await ask('GET', `/patient/${idOf('cardio')}`, reader)).status).to.equal(200);
    expect((await ask('DELETE', `/patient/delete/${idOf('cardio')}`, reader)).status).to.equal(403);
    expect((await ask('POST', `/match/external/${idOf('cardio')}`, reader)).status).to.equal(403);
    expect((await ask('POST', '/patient/add', reader, { patient: patient('new') })).status).to.equal(403);
    const member = carriers.cardio['access token'] ?? {};
    expect((await ask('POST', '/match', member, { patient: patient('new') })).status).to.equal(403);
    for (const path of ['/nodes', '/heartbeat', '/metrics']) {
      expect((await ask('GET', path, member)).status, path).to.equal(403);
      expect((await ask('GET', path, await bearer('admin'))).status, path).to.equal(200);
    }
    expect(await listed(await bearer('admin'))).to.deep.equal([idOf('cardio'), idOf('neuro')]);
  });

  it('the audit has persons by their accounts, with the tenant as the reason', async () => {
    const source = { repository: server.repository(audit), keys: new AuditKeys(key) };
    const entries: ReadEntry[] = [];
    const sought = { about: [`patient:${idOf('cardio')}`], actions: ['matchmaker.read'] };
    for await (const page of readEntries(source, sought)) entries.push(...page);
    const readers = new Set(entries.map(({ actor, because }) => `${actor}, ${because}`));
    expect([...readers]).to.include.members([
      `subject:${broker.issuer} person of cardio, tenant cardio`,
      `subject:${broker.issuer} reader of cardio, tenant cardio`,
      'token:pipeline, API token',
      `subject:${broker.issuer} admin, role admin`,
    ]);
    // In its own record of matches, of which it was told.
    const neuro = entries.filter(({ actor }) => actor.endsWith('person of neuro'));
    expect(neuro.every(({ about }) => about.includes(`patient:${idOf('neuro')}`))).to.equal(true);
  });
});
