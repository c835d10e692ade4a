/** Who may open a kept report: callers who reach all of its samples; for all others it does not exist. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKeys } from '../../../../core/audit/chain.js';
import { audit } from '../../../../core/audit/contract.js';
import { readEntries } from '../../../../core/audit/read.js';
import { serveForTest, type TestServer } from '../../../../core/testing/server.js';
import { coverageReports, coverageSamples } from '../../../../plugins/coverage/contract.js';
import { Broker } from '../../../support/broker.js';
import { blockFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { CaseSystem } from '../authorize/case-system.js';
import { person as d4 } from '../registry/support.js';
import { openWorld } from '../tenants/world.js';

type Headers = Record<string, string>;

const ticketKey = 'a secret of at least thirty-two characters';
const auditKey = 'a key of the audit, for tests only';
const absentId = 'AAAAAAAAAAAAAAAAAAAAAAAA';

/** Of a server: keeps reports on the lines of a BED file, opens and lists them. */
function client(url: () => string) {
  return {
    async keep(headers: Headers, samples: Record<string, string>): Promise<string> {
      const answer = await request(`${url()}/report`, {
        headers: { accept: 'application/json', ...headers },
        form: {
          ...{ build: 'GRCh38', interval_type: 'custom_intervals', intervals_bed: '1\t999990\t1000010' },
          ...{ keep: 'true', ...samples },
        },
      });
      expect(answer.status, answer.text).to.equal(200);
      return answer.headers.get('report-id') ?? '';
    },
    async open(id: string, headers: Headers, query = '?format=json') {
      const response = await fetch(`${url()}/coverage/reports/${id}${query}`, { headers });
      const { status } = response;
      const varying = ['date', 'x-request-id', 'content-length', 'content-security-policy'];
      const fixed = [...response.headers].filter(([name]) => !varying.includes(name)).sort();
      return { status, fixed, text: (await response.text()).replace(/nonce="[^"]*"/g, '') };
    },
    async list(headers: Headers, fields: Record<string, string> = { after: '' }): Promise<string[]> {
      const sent = { form: fields, headers: { accept: 'application/json', ...headers } };
      const { status, text, body } = await request<{ reports: { id: string }[] }>(`${url()}/coverage/reports`, sent);
      expect(status, text).to.equal(200);
      return body.reports.map(({ id }) => id);
    },
  };
}

const byId = (...ids: string[]) =>
  Object.fromEntries(
    ids.flatMap((id, i) => [
      [`sample_name_${i + 1}`, id],
      [`sample_id_${i + 1}`, id],
    ]),
  );
const byPath = (path: string) => ({ sample_name_1: 's', sample_file_1: path });

describe('kept reports of tenants', () => {
  const world = useOnce(() => openWorld({ reports: { days: 10 }, tickets: { key: ticketKey } }));
  let lab: Headers;
  let cardio: Headers;
  let neuro: Headers;
  before(async () => {
    const bearer = async (group: string) => ({ authorization: `Bearer ${await world.person(group)}` });
    [cardio, neuro] = [await bearer('/cardio'), await bearer('/neuro')];
    lab = { 'x-auth-token': await world.server.token('coverage:*') };
  });

  const { keep, open, list } = client(() => world.server.url);

  it('are opened and listed by those who reach all samples, and do not exist for others', async () => {
    const registered = await keep(cardio, byId('heart'));
    const named = await keep(cardio, byPath('cardio/heart.d4'));
    const both = await keep(lab, byId('heart', 'loose'));
    const theirs = await keep(neuro, byId('brain'));
    for (const id of [registered, named]) {
      expect((await open(id, cardio)).status).to.equal(200);
      expect((await open(id, lab)).status).to.equal(200);
    }
    const guest = { authorization: `Bearer ${await world.person('/guests')}` };
    for (const format of ['html', 'json', 'pdf', 'facts']) {
      const absent = await open(absentId, neuro, `?format=${format}`);
      expect(absent.status).to.equal(404);
      for (const id of [registered, named, both]) {
        expect(await open(id, neuro, `?format=${format}`), format).to.deep.equal(absent);
      }
      expect((await open(both, cardio, `?format=${format}`)).status).to.equal(404);
      expect((await open(theirs, cardio, `?format=${format}`)).status).to.equal(404);
      expect((await open(registered, guest, `?format=${format}`)).status).to.equal(403);
      expect((await open(registered, {}, `?format=${format}`)).status).to.equal(401);
    }
    expect(await list(cardio)).to.deep.equal([named, registered]);
    expect(await list(neuro)).to.deep.equal([theirs]);
    expect(await list(neuro, { sample: 'heart' })).to.deep.equal([]);
    expect(await list(lab)).to.deep.equal([theirs, both, named, registered]);
  });

  it('are opened by tickets for their samples', async () => {
    const own = await keep(cardio, byId('heart'));
    const other = await keep(lab, byId('loose'));
    const made = await fetch(`${world.server.url}/coverage/tickets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...lab },
      body: JSON.stringify({ samples: ['heart'] }),
    });
    const { ticket } = (await made.json()) as { ticket: string };
    const cookie = { cookie: `coverage_ticket=${ticket}` };
    expect((await open(own, cookie)).status).to.equal(200);
    expect((await open(other, cookie)).status).to.equal(404);
    expect((await open(other, { cookie: 'coverage_ticket=wrong' })).status).to.equal(401);
  });

  it('are for those who may see aneuploidies, if they show one', async () => {
    const id = await keep(cardio, byId('heart'));
    const repository = world.server.storage.repository(coverageReports);
    const report = await repository.find(id);
    if (report === undefined) throw new Error('a report was kept');
    const content = { json: await repository.content(id, 'json'), page: await repository.content(id, 'page') };
    await repository.remove([id]);
    await repository.keep({ ...report, facts: { ...report.facts, aneuploidy: true } }, ['gene:G'], content);
    expect(await open(id, cardio)).to.deep.equal(await open(absentId, cardio));
    expect(await list(cardio)).not.to.include(id);
    expect((await open(id, lab)).status).to.equal(200);
  });

  it('stay those of the tenant whose file was measured, whatever is registered later', async () => {
    const id = await keep(cardio, byId('heart'));
    const stated = { build: 'GRCh38', sex: 'female', labels: {} } as const;
    const brain = join(world.folder, 'neuro/brain.d4');
    await world.server.samples.register([{ ...stated, id: 'heart', file: { path: brain } }], new Date());
    expect((await open(id, neuro)).status, 'the same id, with a file of neuro').to.equal(404);
    expect((await open(id, cardio)).status, 'the file is still theirs').to.equal(200);
    await world.server.samples.remove(['heart']);
    expect((await open(id, neuro)).status).to.equal(404);
    expect((await open(id, cardio)).status).to.equal(200);
    await world.server.samples.register([{ ...stated, id: 'heart', file: { path: 'cardio/heart.d4' } }], new Date());
  });
});

describe('kept reports of people about whom a case system is asked', function () {
  this.timeout(60_000);
  let broker: Broker;
  let cases: CaseSystem;
  let server: TestServer;
  const folder = blockFolder();
  before(async () => {
    for (const name of ['mine', 'theirs']) d4(join(folder, `${name}.d4`), 'female');
    broker = await Broker.start();
    cases = await CaseSystem.start();
    const { issuer, audience } = broker;
    server = await serveForTest({
      jobs: false,
      plugins: {
        coverage: {
          roots: [folder],
          reports: { days: 10 },
          authorize: { url: cases.url, secret: cases.secret, cache: 0 },
        },
      },
      settings: { audit: { key: auditKey }, auth: { issuers: [{ issuer, audience }] } },
    });
    const stated = { build: 'GRCh38', sex: 'female', labels: {} } as const;
    const samples = ['mine', 'theirs'].map((id) => ({ ...stated, id, file: { path: `${id}.d4` } }));
    await server.repository(coverageSamples).register(samples, new Date());
  });
  after(async () => {
    await server?.close();
    await Promise.all([broker?.close(), cases?.close()]);
  });

  const { keep, open, list } = client(() => server.url);

  async function somebody(sub: string, ...allowed: string[]): Promise<Headers> {
    broker.add({ sub, claims: {} });
    cases.allow(sub, ...allowed);
    return { authorization: `Bearer ${await broker.accessToken(sub)}` };
  }

  it('are opened by those to whom it allows every sample', async () => {
    const [both, one] = [await somebody('both', 'mine', 'theirs'), await somebody('one', 'mine')];
    const [id, trio] = [await keep(one, byId('mine')), await keep(both, byId('mine', 'theirs'))];
    expect((await open(id, one)).status).to.equal(200);
    expect((await open(trio, both)).status).to.equal(200);
    const absent = await open(absentId, one);
    expect(await open(trio, one)).to.deep.equal(absent);
    expect(await list(one)).to.deep.equal([id]);
    expect(await list(both)).to.deep.equal([trio, id]);
    cases.allow('one');
    expect(await open(id, one), 'a withdrawal counts at once').to.deep.equal(absent);
  });

  it('are asked about by their file once the sample is not registered', async () => {
    const one = await somebody('filer', join(folder, 'mine.d4'));
    const other = await somebody('other', 'mine');
    const id = await keep(one, byPath('mine.d4'));
    await rm(join(folder, 'mine.d4'));
    expect((await open(id, one)).status, 'the file need not exist any more').to.equal(200);
    expect((await open(id, other)).status).to.equal(404);
    d4(join(folder, 'mine.d4'), 'female');
  });

  it('are in the audit with their samples each time they are opened or listed', async () => {
    const one = await somebody('audited', 'theirs');
    const id = await keep(one, byId('theirs'));
    await open(id, one);
    await list(one, { sample: 'theirs' });
    const entries = [];
    const reading = readEntries({ repository: server.repository(audit), keys: new AuditKeys(auditKey) }, {});
    for await (const page of reading) entries.push(...page);
    const own = entries.slice(-3).map(({ action, about, detail, because }) => ({ action, about, detail, because }));
    const because = 'case system';
    expect(own).to.deep.equal([
      { action: 'coverage.report', about: ['sample:theirs'], detail: { what: 'report', genes: 0, kept: id }, because },
      {
        action: 'coverage.report',
        about: ['sample:theirs'],
        detail: { what: 'kept_report', genes: 0, kept: id },
        because,
      },
      { action: 'coverage.samples', about: ['sample:theirs'], detail: { what: 'kept_reports' }, because },
    ]);
    expect(await server.repository(coverageReports).find(id)).to.have.nested.property(
      'facts.by',
      `audited (${broker.issuer})`,
    );
  });
});
