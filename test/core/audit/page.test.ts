/** The page at /-/audit. */
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { audit } from '../../../core/audit/contract.js';
import { createRecorder } from '../../../core/audit/recorder.js';
import { tokenHolder } from '../../../core/policy/policy.js';
import { serveForTest, type TestServer } from '../../../core/testing.js';
import { Broker } from '../../support/broker.js';

const key = 'a key of the audit, for tests only';

describe('the page of the audit', () => {
  let server: TestServer;
  let token: string;
  let broker: Broker;
  before(async () => {
    broker = await Broker.start();
    const { issuer, audience } = broker;
    const roles = (['admin', 'work'] as const).map((role) => ({ claim: 'groups', value: role, role }));
    const members = [{ claim: 'groups', value: 'head', rights: ['read', 'report', 'load', 'admin'] }];
    const auth = { issuers: [{ issuer, audience }], roles, tenants: { cardio: { members } } };
    server = await serveForTest({ plugins: {}, settings: { audit: { key }, auth } });
    token = await server.token('server:audit');
    const repository = server.repository(audit);
    const { record } = createRecorder({ repository, keys: new AuditKeys(key), now: () => new Date() });
    const days = ['2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', '2026-03-31T23:59:59Z', '2026-04-01T00:00:00Z'];
    for (const [i, day] of days.entries()) {
      const about = ['dataset:cardio', `sample:ADM${i}`, 'sample:<b>&"'];
      await record(tokenHolder(i === 1 ? '=cmd|calc' : 'Lab A', []), {
        ...{ action: 'beacon.query', about, because: 'API token', outcome: 'answered', at: new Date(day) },
      });
    }
  });
  after(async () => {
    await server.close();
    await broker.close();
  });

  async function search(fields: Record<string, string>, headers: Record<string, string> = { 'X-Auth-Token': token }) {
    const response = await fetch(`${server.url}/-/audit`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  const rows = (markup: string) => markup.split('<tbody>')[1]?.match(/<tr>/g)?.length ?? 0;

  it('needs the right server:audit', async () => {
    const other = await server.token('server:read');
    expect((await search({ names: '' }, {})).status).to.equal(401);
    expect((await search({ names: '' }, { 'X-Auth-Token': other })).status).to.equal(403);
    expect((await fetch(`${server.url}/-/audit`)).status).to.equal(401);
    expect((await search({ names: '' }, { 'X-Auth-Token': token, 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(
      403,
    );
  });

  it('is open to people with the role admin, and to no members of tenants', async () => {
    for (const [group, status] of [
      ['admin', 200],
      ['work', 403],
      ['head', 403],
    ] as const) {
      const held = await broker.accessToken('person', { groups: [group] });
      const response = await fetch(`${server.url}/-/audit`, { headers: { authorization: `Bearer ${held}` } });
      expect(response.status, group).to.equal(status);
    }
  });

  it('shows who looked at the samples in a month, and no others', async () => {
    const { status, text, headers } = await search({
      ...{ names: 'ADM0\r\nADM1\nADM2\nADM3\nADM9', from: '2026-03-01', to: '2026-03-31' },
    });
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(rows(text)).to.equal(2);
    expect(text).to.include('2 entries').and.include('sample:ADM1').and.include('sample:ADM2');
    expect(text).to.include('No entry names: ADM9');
    expect(text).to.include('&lt;b&gt;&amp;&quot;').and.to.not.include('<b>');
  });

  it('finds a person in all plugins by one id, as a sample, a case or a patient', async () => {
    const { record } = createRecorder({
      repository: server.repository(audit),
      keys: new AuditKeys(key),
      now: () => new Date(),
    });
    for (const [action, name] of [
      ['beacon.observe', 'case:X7'],
      ['coverage.report', 'sample:X7'],
      ['matchmaker.read', 'patient:X7'],
    ] as const) {
      const told = { because: 'API token', outcome: 'answered', at: new Date('2026-05-01T12:00:00Z') };
      await record(tokenHolder('Lab A', []), { action, about: [name], ...told });
    }
    const { text } = await search({ kind: 'person', names: 'X7\nX8', from: '2026-05-01', to: '2026-05-01' });
    expect(rows(text)).to.equal(3);
    expect(text).to.include('case:X7').and.include('sample:X7').and.include('patient:X7');
    expect(text).to.include('No entry names: X8<').and.include('value="person" selected');
    expect(rows((await search({ kind: 'patient', names: 'X7', from: '2026-05-01', to: '2026-05-01' })).text)).to.equal(
      1,
    );
  });

  it('is in Swedish for those who prefer it', async () => {
    const headers = { 'X-Auth-Token': token, 'Accept-Language': 'sv' };
    const { text } = await search({ names: 'ADM0', to: '2026-02-28' }, headers);
    expect(text).to.include('<html lang="sv">').and.include('Åtkomstlogg').and.include('1 post<');
  });

  it('gives all entries as CSV that spreadsheets do not run', async () => {
    const { text, headers } = await search({ caller: '=cmd|calc', format: 'csv' });
    expect(headers.get('content-type')).to.match(/^text\/csv/);
    const [heading, line, ...more] = text.trimEnd().split('\r\n');
    expect(heading).to.equal('time,caller,action,about,because,outcome,detail,request,chain,number');
    expect(line).to.match(/^2026-03-01T00:00:00.000Z,token:=cmd\|calc,beacon.query,/);
    expect(more).to.deep.equal([]);
  });

  it('explains dates that are not valid', async () => {
    const wrong: Record<string, string>[] = [
      { from: '2026-02-30' },
      { from: '2026-03-02', to: '2026-03-01' },
      { to: 'March' },
    ];
    for (const days of wrong) {
      const { status, text } = await search(days);
      expect(status).to.equal(200);
      expect(text).to.include('The dates are not valid');
    }
  });

  it('records each search before it answers, and without names that it does not know', async () => {
    const before = (await server.repository(audit).entries({ limit: 100 })).length;
    await search({ names: 'ADM1\nunknown' });
    const last = (await server.repository(audit).entries({ limit: 100 })).slice(before);
    expect(last.map(({ about, body }) => [about.length, JSON.parse(body).action])).to.deep.equal([[1, 'audit.list']]);
    expect(await server.repository(audit).people([new AuditKeys(key).lookup('sample:unknown')])).to.deep.equal([]);
  });

  const front = async ({ url }: TestServer) => (await fetch(url, { headers: { Accept: 'text/html' } })).text();

  it('is on the front page, and not there without an audit', async () => {
    expect(await front(server)).to.include('/-/audit');
    const without = await serveForTest({ plugins: {} });
    try {
      expect(await front(without)).to.not.include('/-/audit');
      expect((await fetch(`${without.url}/-/audit`)).status).to.equal(404);
    } finally {
      await without.close();
    }
  });
});
