/** D4 files in S3: reports on them over HTTP, how few requests they cost, and what happens if the storage misbehaves. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createS3 } from '../../../core/outgoing/s3/s3.js';
import { s3Settings } from '../../../core/outgoing/s3/settings.js';
import { coverageSources } from '../../../plugins/coverage/measure/sources.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { outcome } from '../../support/http.js';
import { type S3Server, serveS3, testKeys } from '../../support/s3.js';
import { depthsIn } from './support/d4.js';
import { type Coverage, get, type Json, post, serveCoverage } from './support/serve.js';
import { demoFile } from './support/shared.js';

const notThere = 'Coverage_file_path must be either an existing local file path or a URL';
/** Depths of the files, a run for every hundred bases: too much for one request. */
const ofOne = (run: number) => (run * 7) % 150;
const ofAnother = (run: number) => 150 - ofOne(run);
const gene = { begin: 12_345_678, end: 12_366_789 };

describe('D4 files in S3', () => {
  const folder = useFolder();
  let storage: S3Server;
  let server: Coverage | undefined;
  let file: Buffer;
  let other: Buffer;

  let made: Promise<Buffer[]> | undefined;
  const make = () =>
    Promise.all([
      readFile(depthsIn(join(folder.path(), 'one.d4'), ofOne)),
      readFile(depthsIn(join(folder.path(), 'other.d4'), ofAnother)),
    ]);
  beforeEach(async () => {
    made ??= make();
    [file, other] = (await made) as [Buffer, Buffer];
    storage = await serveS3();
    storage.objects.set('depths/cases/a 1.d4', file);
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await storage.close();
  });

  const store = (more: Record<string, unknown> = {}) => ({
    ...{ prefix: 's3://depths/cases/', endpoint: storage.endpoint, region: storage.region, credentials: testKeys },
    ...more,
  });

  async function start(
    settings: Record<string, unknown> = { buckets: ['s3://depths/'] },
    s3 = [store()],
  ): Promise<(path?: string) => Promise<{ status: number; body: Json }>> {
    const own = await serveCoverage({ settings, s3 });
    server = own;
    return (coverage_file_path = 's3://depths/cases/a 1.d4') =>
      post(`${own.url}/coverage/d4/interval/`, {
        ...{ coverage_file_path, chromosome: '1', start: gene.begin, end: gene.end },
        completeness_thresholds: [100],
      });
  }

  /** The mean and the completeness at 100 of the gene, by counting. */
  function expected(depthOf: (run: number) => number): Json {
    const depths = Array.from({ length: gene.end - gene.begin }, (_, i) => depthOf(Math.floor((gene.begin + i) / 100)));
    const sum = depths.reduce((a, b) => a + b, 0);
    return {
      mean_coverage: sum / depths.length,
      completeness: { '100': depths.filter((depth) => depth >= 100).length / depths.length },
    };
  }
  const ofFile = () => expected(ofOne);
  const ofOther = () => expected(ofAnother);
  const almost = (body: Json, right: Json) => {
    expect(body.mean_coverage).to.be.closeTo(right.mean_coverage as number, 1e-9);
    const of = ({ completeness }: Json) => (completeness as Record<string, number>)['100'] as number;
    expect(of(body)).to.be.closeTo(of(right), 1e-9);
  };

  it('are reported on, with two requests for a region of a file in our own layout', async () => {
    storage.objects.set(
      'depths/cases/records.d4',
      await readFile(depthsIn(join(folder.path(), 'records.d4'), ofOne, 1)),
    );
    const ask = await start();
    const { status, body } = await ask('s3://depths/cases/records.d4');
    expect(status).to.equal(200);
    almost(body, ofFile());
    expect(storage.requests.map(({ path }) => path)).to.deep.equal(Array(2).fill('/depths/cases/records.d4'));
  });

  it('with codes and records cost one request more, because S3 sends one range at a time', async () => {
    const ask = await start();
    almost((await ask()).body, ofFile());
    expect(storage.requests.map(({ path }) => path)).to.deep.equal(Array(3).fill('/depths/cases/a%201.d4'));
    // The first answer's tag is a condition of all others.
    expect(storage.requests[0]?.headers['if-match']).to.equal(undefined);
    expect(storage.requests[1]?.headers['if-match']).to.match(/^"[0-9a-f]{32}"$/);
    const sex = await get(`${server?.url}/coverage/samples/predicted_sex`, {
      coverage_file_path: 's3://depths/cases/a 1.d4',
    });
    expect(sex.status).to.equal(200);
  });

  it('of d4tools cost at most four requests for a gene, in reports as HTML and JSON', async function () {
    const demo = demoFile();
    if (demo === undefined) return this.skip();
    storage.objects.set('depths/cases/demo.d4', await readFile(demo));
    const own = await serveCoverage({
      ...{ settings: { buckets: ['s3://depths/'] }, s3: [store()], builds: ['GRCh37'] },
    });
    server = own;
    const { status, body } = await post(`${own.url}/coverage/d4/interval/`, {
      ...{ coverage_file_path: 's3://depths/cases/demo.d4', chromosome: '1', start: 11_845_780, end: 11_866_977 },
      completeness_thresholds: [],
    });
    expect([status, body.mean_coverage]).to.deep.equal([200, 22.072038496013587]);
    expect(storage.requests.length).to.be.at.most(4);
    const form = {
      build: 'GRCh37',
      samples: JSON.stringify([{ name: 's1', coverage_file_path: 's3://depths/cases/demo.d4' }]),
    };
    const fields = { ...form, interval_type: 'genes', hgnc_gene_ids: '7436', default_level: '10' };
    for (const format of ['html', 'json']) {
      const page = await fetch(`${own.url}/report`, {
        method: 'POST',
        body: new URLSearchParams({ ...fields, format }),
      });
      const text = await page.text();
      expect(page.status, text.slice(0, 300)).to.equal(200);
      expect(text).to.include('MTHFR').and.not.include(testKeys.accessKeyId);
    }
  });

  it('are found by a bucket in the host, too', async () => {
    storage.objects.set('depths/cases/x.d4', file);
    const stores = s3Settings.parse([store({ endpoint: `http://s3.lab:${storage.port}`, style: 'virtual' })]);
    const resolve = (_name: string, found: (error: null, at: { address: string; family: number }[]) => void) =>
      found(null, [{ address: '127.0.0.1', family: 4 }]);
    const settings = coverageSettings.parse({ buckets: ['s3://depths/'] });
    const warnings: unknown[] = [];
    const log = { warn: (detail: unknown) => void warnings.push(detail) };
    const refused = coverageSources({ settings, s3: createS3({ stores, resolve, log }), log });
    const location = await refused.coverageFile('s3://depths/cases/x.d4');
    // A name that leads to this machine is refused, as for any host.
    const fault = await refused.use(location, async () => 'read').catch((error: unknown) => error);
    expect(fault).to.include({ code: 'not-found' });
    expect(storage.requests).to.deep.equal([]);
    await refused.close();

    const local = s3Settings.parse([store({ endpoint: `http://s3.localhost:${storage.port}`, style: 'virtual' })]);
    const sources = coverageSources({ settings, s3: createS3({ stores: local, resolve, log }), log });
    const bases = await sources.use(await sources.coverageFile('s3://depths/cases/x.d4'), async (d4) => {
      const [row] = await d4.statistics({ intervals: [{ chromosome: '1', ...gene }] });
      return row?.bases;
    });
    expect(bases).to.equal(21_111);
    expect(storage.requests[0]).to.include({ host: `depths.s3.localhost:${storage.port}`, path: '/cases/x.d4' });
    await sources.close();
  });

  it('are as if they did not exist outside of the buckets that requests may name', async () => {
    storage.objects.set('depths/others/b.d4', file).set('secret/cases/c.d4', file);
    const ask = await start({ buckets: ['s3://depths/cases/'] }, [
      store({ prefix: 's3://depths/' }),
      store({ prefix: 's3://secret/' }),
    ]);
    for (const name of [
      's3://depths/others/b.d4',
      's3://secret/cases/c.d4',
      's3://depths/cases/../others/b.d4',
      's3://depths/cases/..\\others/b.d4',
      's3://depths/cases//a 1.d4',
      's3://depths/cases/./a 1.d4',
      's3://depths/cases/',
      's3://depths',
      's3://user:password@depths/cases/a 1.d4',
      's3://depths:80/cases/a 1.d4',
      's3://169.254.169.254/cases/a 1.d4',
      'S3://depths/cases/a 1.d4',
      `s3://depths/cases/${'x'.repeat(2000)}`,
      `${storage.endpoint}/depths/cases/a%201.d4`,
    ]) {
      const { status, body } = await ask(name);
      expect([status, body], name.slice(0, 60)).to.deep.equal([404, { detail: notThere }]);
    }
    expect(storage.requests).to.deep.equal([]);
    expect((await ask()).status).to.equal(200);
    // What is allowed and does not exist gets the same answer.
    expect(await ask('s3://depths/cases/absent.d4').then(({ status, body }) => [status, body])).to.deep.equal([
      404,
      { detail: notThere },
    ]);
  });

  it('are not reached if no bucket is allowed, or none is configured', async () => {
    expect((await (await start({}))()).status).to.equal(404);
    await server?.close();
    expect((await (await start(undefined, []))()).status).to.equal(404);
    expect(storage.requests).to.deep.equal([]);
  });

  for (const [what, more, reason] of [
    [
      'an unknown key',
      { credentials: { ...testKeys, accessKeyId: 'AKIAWRONG' } },
      /does not know the access key \(403 InvalidAccessKeyId\)/,
    ],
    [
      'a wrong secret',
      { credentials: { ...testKeys, secretAccessKey: 'wr0ng' } },
      /secret key is not the one .*SignatureDoesNotMatch/,
    ],
    [
      'a wrong region',
      { region: 'us-west-1' },
      /region is not that of the bucket \(400 AuthorizationHeaderMalformed\)/,
    ],
    ['no signature', { credentials: 'none' }, /do not allow it, or there is no such object \(403 AccessDenied\)/],
    [
      'a file of credentials that is missing',
      { credentials: { file: '/nowhere/keys' } },
      /There are no credentials .*ENOENT/,
    ],
  ] as const) {
    it(`with ${what} are not found by clients, and the log says why, once and without secrets`, async () => {
      const ask = await start(undefined, [store(more)]);
      const { status, body } = await ask();
      expect([status, body]).to.deep.equal([404, { detail: notThere }]);
      expect(storage.requests.length).to.be.at.most(1);
      const log = server?.log() ?? '';
      expect(log).to.match(reason);
      expect(log.match(/could not be read/g)).to.have.length(1);
      expect(log).to.not.match(/wJalr|wr0ng|AKIA|cases\/a/);
    });
  }

  it('that are replaced are noticed, and never mixed', async () => {
    const ask = await start();
    almost((await ask()).body, ofFile());
    storage.objects.set('depths/cases/a 1.d4', other);
    storage.requests.length = 0;
    // Another region, which is not in memory yet: its first request is refused, then the new file is opened.
    const elsewhere = await post(`${server?.url}/coverage/d4/interval/`, {
      ...{ coverage_file_path: 's3://depths/cases/a 1.d4', chromosome: '1', start: 25_000_000, end: 25_000_100 },
      completeness_thresholds: [],
    });
    expect(elsewhere.body.mean_coverage).to.equal(ofAnother(250_000));
    expect(storage.requests[0]?.headers['if-match']).to.match(/^"/);
    almost((await ask()).body, ofOther());
  });

  it('that are replaced between the first request and the second are opened again', async () => {
    const ask = await start();
    storage.onAnswer = () => {
      storage.objects.set('depths/cases/a 1.d4', other);
      storage.onAnswer = () => undefined;
    };
    const { status, body } = await ask();
    expect(status).to.equal(200);
    almost(body, ofOther());
  });

  it('are read although the storage fails now and then', async () => {
    const ask = await start();
    storage.faults.push('503', 'SlowDown', 'drop');
    almost((await ask()).body, ofFile());
    expect(storage.requests).to.have.length(3 + 3);
    storage.objects.set('depths/cases/b.d4', file);
    storage.faults.push('short', '500');
    almost((await ask('s3://depths/cases/b.d4')).body, ofFile());
  });

  it('are unavailable, not missing, if the storage keeps failing or is too slow', async () => {
    const ask = await start({ buckets: ['s3://depths/'], files: { timeout: 1 } });
    storage.faults.push('503', '503', '503', '503');
    const { status, body } = await ask();
    expect([status, body]).to.deep.equal([
      503,
      { detail: 'The coverage file could not be fetched from its host: try again later' },
    ]);
    storage.faults.push('hang');
    almost((await ask()).body, ofFile());
  });

  it('are registered as samples by their names, and reported on', async () => {
    const own = await serveCoverage({ settings: { buckets: ['s3://depths/'] }, s3: [store()] });
    server = own;
    own.startJobs();
    const token = await own.token('coverage:register');
    const send = (id: string, coverage_file_path: string) => {
      const sent = { method: 'PUT', token, json: { coverage_file_path, build: 'GRCh37' } };
      return outcome(`${own.url}/coverage/registry/samples/${id}`, sent);
    };
    expect((await send('NA1', 's3://depths/cases/a 1.d4')).status).to.equal(202);
    expect((await own.samples.find(['NA1']))[0]?.file).to.deep.equal({ path: 's3://depths/cases/a 1.d4' });
    const refused = await send('NA2', 's3://depths/cases/../b.d4');
    expect([refused.status, refused.body]).to.deep.equal([404, { detail: notThere }]);
  });

  it('are read by commands with the credentials of the operator', async () => {
    const env = {
      ...{ AWS_ACCESS_KEY_ID: testKeys.accessKeyId, AWS_SECRET_ACCESS_KEY: testKeys.secretAccessKey },
      ...{ AWS_REGION: storage.region, AWS_ENDPOINT_URL: storage.endpoint },
    };
    const run = (name: string, more: Record<string, string> = {}) =>
      command(['d4', 'stat', name], { cwd: folder.path(), env: { ...env, ...more } });
    // 300,000 runs: each depth from 0 to 149 equally often.
    expect(await run('s3://depths/cases/a 1.d4')).to.deep.include({ code: 0, stdout: '1\t0\t30000000\t74.5\n' });
    const refused = await run('s3://depths/cases/a 1.d4', { AWS_SECRET_ACCESS_KEY: 'wr0ng' });
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr)
      .to.match(/^[^\n]*the secret key is not the one of the access key \(403 SignatureDoesNotMatch\)[^\n]*\n$/)
      .and.not.include('wr0ng');
    const missing = await run('s3://depths/cases/none.d4');
    expect([missing.code, missing.stderr]).to.deep.equal([1, `${missing.stderr.split('\n')[0]}\n`]);
    expect(missing.stderr).to.match(/no such file/i);
  });
});
