/** What the plugins record before an answer leaves, and that nothing leaves that could not be recorded. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { type AuditRepository, audit } from '../../../core/audit/contract.js';
import { type ReadEntry, readEntries } from '../../../core/audit/read.js';
import { verifyAudit } from '../../../core/audit/verify.js';
import type { Plugin } from '../../../core/plugin.js';
import type { Contract, Storage } from '../../../core/storage.js';
import { serveForTest, storageSubject, type TestServer } from '../../../core/testing.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import beaconPlugin from '../../../plugins/beacon/plugin.js';
import { coverage, coverageSamples } from '../../../plugins/coverage/contract.js';
import coveragePlugin from '../../../plugins/coverage/plugin.js';
import { delegate } from '../../conformance/wrong/wrap.js';
import { add, january } from '../../plugins/beacon/support/observed.js';
import { dataset } from '../../plugins/beacon/support/serve.js';
import { chromosomesOf, writeD4 } from '../../plugins/coverage/support/d4.js';

const key = 'a key of the audit, for tests only';

describe('what plugins record in the audit', () => {
  let server: TestServer;
  let repository: AuditRepository;
  let isBroken = false;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-test-'));
    writeD4(join(folder, 'made.d4'), {
      chromosomes: chromosomesOf('GRCh37'),
      runs: [{ chromosome: '1', begin: 10_000, end: 10_100, depth: 30 }],
    });
    const base = await storageSubject('sqlite', { plugins: [beaconPlugin, coveragePlugin] as Plugin[] });
    server = await serveForTest({
      plugins: {
        beacon: { listProtected: true, loqusdb: { dataset: 'local', addresses: ['127.0.0.1'] } },
        coverage: { roots: [folder] },
      },
      settings: { audit: { key } },
      jobs: false,
      storage: {
        name: 'SQLite',
        async open(contracts) {
          const opened = await base.open(contracts);
          return { ...opened, storage: breakable(opened.storage, () => isBroken) };
        },
      },
    });
    repository = server.repository(audit);
    const alleles = server.repository(beacon);
    await alleles.addDataset(dataset('local', { access: 'CONTROLLED' }), january);
    const allele = { contig: '1', start: 880_085, end: 880_086, reference: 'T', alternate: 'C', kind: 'SNP' } as const;
    await add(
      alleles,
      'local',
      { ADM1: { case: 'F1' }, ADM2: { case: 'F2' }, ADM3: { case: 'F2' } },
      [
        {
          ...allele,
          structural: false,
          carriers: [
            [0, 1],
            [1, 2],
          ],
        },
      ],
      january,
    );
  });
  after(async () => {
    isBroken = false;
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** The entries that the work adds. */
  async function recorded(work: () => Promise<unknown>): Promise<Partial<ReadEntry>[]> {
    const all = async () => {
      const found: ReadEntry[] = [];
      for await (const page of readEntries({ repository, keys: new AuditKeys(key) }, {})) found.push(...page);
      return found;
    };
    const before = (await all()).length;
    await work();
    return (await all()).slice(before).map(({ actor, action, about, because, outcome, detail }) => ({
      ...{ actor, action, about: [...about].sort(), because, outcome, detail },
    }));
  }

  async function get(path: string, token?: string): Promise<{ status: number; text: string }> {
    const headers: Record<string, string> = token === undefined ? {} : { 'X-Auth-Token': token };
    const response = await fetch(`${server.url}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  }

  const observation = '/observations?assembly=GRCh37&allele=1-880086-T-C';

  it('an observation with the cases that its answer names, and without them if it names none', async () => {
    const [counts, cases] = await Promise.all([
      server.token('beacon:observe'),
      server.token('beacon:observe', 'beacon:cases'),
    ]);
    const entry = {
      actor: 'token:test',
      action: 'beacon.observe',
      because: 'API token',
      outcome: 'answered',
      detail: { alleles: 1 },
    };
    expect(await recorded(() => get(observation, counts))).to.deep.equal([{ ...entry, about: ['dataset:local'] }]);
    const about = ['case:F1', 'case:F2', 'dataset:local'];
    expect(await recorded(() => get(observation, cases))).to.deep.equal([{ ...entry, about }]);
    // F2 is homozygous, and named although the page has no room.
    expect(await recorded(() => get(`${observation}&limit=0`, cases))).to.deep.equal([
      { ...entry, about: ['case:F2', 'dataset:local'] },
    ]);
  });

  const place = 'assemblyId=GRCh37&referenceName=1&start=880085&referenceBases=T&alternateBases=C';
  const faces = [
    `/apiv1.0/query?${place}`,
    `/apiv1.0/query?${place}&includeDatasetResponses=ALL`,
    `/beacon/v1/query?${place}`,
    '/beacon/v2/g_variants?assemblyId=GRCh37&referenceName=1&start=880085&referenceBases=T&alternateBases=C&requestedGranularity=record',
    '/beacon/search?q=1-880086-T-C&assemblyId=GRCh37',
  ];

  it('a question about a protected dataset by every face, without the alleles, and nothing of strangers', async () => {
    const token = await server.token('beacon:read:local');
    const digests = new Set<unknown>();
    for (const path of faces) {
      const entries = await recorded(() =>
        fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${token}` } }).then((answer) =>
          answer.text(),
        ),
      );
      expect(entries, path).to.have.length.within(1, 2);
      for (const { detail, ...entry } of entries) {
        expect(entry, path).to.deep.equal({
          ...{ actor: 'token:test', action: 'beacon.query', about: ['dataset:local'], outcome: 'answered' },
          because: 'API token',
        });
        expect(detail?.found).to.equal(true);
        digests.add(detail?.query);
      }
      expect(await recorded(() => get(path)), `${path} of a stranger`).to.deep.equal([]);
    }
    expect([...digests].every((one) => /^[0-9a-f]{32}$/.test(String(one)))).to.equal(true);
    const bodies = (await repository.entries({ limit: 1000 })).map(({ body }) => body).join();
    expect(bodies).to.not.match(/88008|ADM|Lab|T-C/);
  });

  it('all alleles of a dataset that leave as a file', async () => {
    const token = await server.token('beacon:read:local');
    const headers = { Authorization: `Bearer ${token}` };
    const entries = await recorded(async () => {
      const response = await fetch(`${server.url}/beacon/v2/datasets/local/sites.vcf.gz`, { headers });
      expect(response.status).to.equal(200);
      await response.arrayBuffer();
    });
    expect(entries.map(({ action, about }) => [action, about])).to.deep.equal([['beacon.export', ['dataset:local']]]);
  });

  it('the samples of a dataset', async () => {
    const token = await server.token('beacon:cases');
    const [entry, ...more] = await recorded(() => get('/observations/datasets/local/samples?limit=2', token));
    expect(more).to.deep.equal([]);
    expect(entry).to.deep.include({ action: 'beacon.samples', because: 'API token' });
    expect(entry?.about).to.deep.equal(['case:F1', 'case:F2', 'dataset:local', 'sample:ADM1', 'sample:ADM2']);
  });

  it('what loqusdb clients are told', async () => {
    const entries = await recorded(async () => {
      await get('/loqusdb/variants/1_880086_T_C');
      await get('/loqusdb/cases/F2');
    });
    expect(entries.map(({ actor, about, because }) => ({ actor, about, because }))).to.deep.equal([
      { actor: 'anonymous', about: ['case:F1', 'case:F2', 'dataset:local'], because: 'configured client' },
      {
        actor: 'anonymous',
        about: ['case:F2', 'dataset:local', 'sample:ADM2', 'sample:ADM3'],
        because: 'configured client',
      },
    ]);
  });

  it('a report with its samples and cases', async () => {
    expect(server.repository(coverage)).to.be.an('object');
    const form = new URLSearchParams({
      build: 'GRCh37',
      interval_type: 'custom_intervals',
      intervals_bed: '1\t10000\t10100',
      default_level: '10',
      samples: JSON.stringify([{ name: 'ADM7', coverage_file_path: 'made.d4', case_name: 'F7' }]),
      format: 'json',
    });
    let status = 0;
    const [entry] = await recorded(async () => {
      const response = await fetch(`${server.url}/report`, { method: 'POST', body: form });
      status = response.status;
      await response.text();
    });
    expect(status).to.equal(200);
    expect(entry).to.deep.equal({
      ...{ actor: 'anonymous', action: 'coverage.report', about: ['case:F7', 'sample:ADM7'], outcome: 'answered' },
      ...{ because: 'open to every caller', detail: { genes: 0, what: 'report' } },
    });
  });

  it('depths of single intervals, of BED files and along a region, and the predicted sex, by the name of the file', async () => {
    const path = 'made.d4';
    const fields = { coverage_file_path: path, chromosome: '1', start: 10_000, end: 10_100 };
    const post = async (to: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${server.url}${to}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(response.status, await response.text()).to.equal(200);
    };
    const bed = new FormData();
    bed.append('coverage_file_path', path);
    bed.append('bed', new Blob(['1\t10000\t10100\n']), 'targets.bed');
    const asked: Record<string, () => Promise<unknown>> = {
      interval: () => post('/coverage/d4/interval/', fields),
      interval_file: () => fetch(`${server.url}/coverage/d4/interval_file/`, { method: 'POST', body: bed }),
      track: () => get(`/coverage/track?coverage_file_path=${path}&region=1:10000-10100`),
      sex: () => get(`/coverage/samples/predicted_sex?coverage_file_path=${path}`),
    };
    for (const [what, ask] of Object.entries(asked)) {
      expect(await recorded(ask), what).to.deep.equal([
        {
          ...{
            actor: 'anonymous',
            action: 'coverage.depth',
            about: ['sample:made'],
            outcome: 'answered',
          },
          ...{ because: 'open to every caller', detail: { what } },
        },
      ]);
    }
    expect(await recorded(() => get('/coverage/track?coverage_file_path=absent.d4&region=1:1-10'))).to.deep.equal([]);
  });

  it('registered samples that are listed, named, or asked for their coverage, and none that are unknown', async () => {
    const samples = server.repository(coverageSamples);
    const file = { path: 'made.d4' };
    const stated = { build: 'GRCh37', sex: 'female', labels: {}, file } as const;
    const registered = ['ADM8', 'ADM9'].map((id) => ({ id, ...stated }));
    await samples.register(
      [...registered.slice(0, 1), { ...registered[1], id: 'ADM9', case: 'F9', ...stated }],
      january,
    );
    const token = await server.token('coverage:read');
    const headers = { 'X-Auth-Token': token, 'content-type': 'application/json' };
    const about = async (ask: () => Promise<unknown>) =>
      (await recorded(ask)).map(({ action, about, because }) => [action, about, because]);
    expect(await about(() => get('/coverage/registry/samples', token))).to.deep.equal([
      ['coverage.samples', ['case:F9', 'sample:ADM8', 'sample:ADM9'], 'API token'],
    ]);
    expect(await about(() => get('/coverage/registry/samples/ADM8', token))).to.deep.equal([
      ['coverage.samples', ['sample:ADM8'], 'API token'],
    ]);
    const sexes = (...asked: string[]) =>
      fetch(`${server.url}/coverage/registry/sexes`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ samples: asked }),
      });
    expect(await about(() => sexes('ADM9', 'unknown'))).to.deep.equal([
      ['coverage.callability', ['sample:ADM9'], 'API token'],
    ]);
    expect(await about(() => sexes('unknown'))).to.deep.equal([]);
  });

  it('nothing leaves that could not be recorded: 503, in one sentence', async () => {
    const token = await server.token('beacon:observe');
    isBroken = true;
    try {
      const { status, text } = await get(observation, token);
      expect(status).to.equal(503);
      expect(text).to.include('cannot be recorded').and.to.not.include('carriers');
    } finally {
      isBroken = false;
    }
    expect((await get(observation, token)).status).to.equal(200);
  });

  it('and the chains verify', async () => {
    expect((await verifyAudit({ repository, keys: new AuditKeys(key) })).findings).to.deep.equal([]);
    expect(server.log()).to.not.match(/ADM\d|case:F/);
  });
});

/** The same storage, which takes no entries while it is broken. */
function breakable(storage: Storage, isBroken: () => boolean): Storage {
  const append = async (right: AuditRepository, ...asked: Parameters<AuditRepository['append']>) => {
    if (isBroken()) throw new Error('The disk is full');
    await right.append(...asked);
  };
  return {
    ...delegate(storage),
    repository<Repository>(contract: Contract<Repository>): Repository {
      const right = storage.repository(contract);
      if (contract.id !== audit.id) return right;
      const trail = right as AuditRepository;
      return { ...right, append: (...asked: Parameters<AuditRepository['append']>) => append(trail, ...asked) };
    },
  };
}
