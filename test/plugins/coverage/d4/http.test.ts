import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  createD4,
  depths,
  type Fetch,
  type HttpOptions,
  isD4Error,
  memorySource,
  openD4,
  verifyD4,
} from '../../../../plugins/coverage/d4/index.js';
import { serveS3, testKeys } from '../../../support/s3.js';
import { fewer } from '../../../support/sample.js';
import { demoFile } from '../support/shared.js';
import { intervalsArbitrary, trackArbitrary } from './support/arbitrary.js';
import { buildFile } from './support/build.js';
import { type RangeServer, serveRanges } from './support/server.js';

/** A track of a few megabases with depths beyond the dictionary, written by the library. */
async function ownFile(): Promise<Uint8Array> {
  const path = join(tmpdir(), `trefoil-http-${process.pid}.d4`);
  const runs = Array.from({ length: 300_000 }, (_, i) => ({
    begin: i * 100,
    end: i * 100 + 100,
    depth: (i * 7) % 150,
  }));
  const batch = {
    chromosome: '1',
    begins: runs.map(({ begin }) => begin),
    ends: runs.map(({ end }) => end),
    depths: runs.map(({ depth }) => depth),
  };
  await createD4(path, { open: () => [batch] }, { dictionary: { low: 0, high: 64 } });
  const bytes = readFileSync(path);
  await rm(path);
  return bytes;
}

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isD4Error(error)) return error.code;
    throw error;
  }
  return 'none';
}

describe('d4: reading over HTTP', () => {
  let server: RangeServer;
  const gene = { chromosome: '1', begin: 12_345_678, end: 12_366_789 };

  afterEach(() => server.close());

  it('needs two requests for one region of a file in our own layout', async () => {
    const bytes = await ownFile();
    server = await serveRanges(bytes);
    const file = await openD4(server.url);
    const [row] = await file.statistics({ intervals: [gene], thresholds: [100] });
    expect(server.requests).to.have.length(2);
    const [local] = await (await openD4(memorySource(bytes))).statistics({ intervals: [gene], thresholds: [100] });
    expect(row).to.deep.equal(local);
    expect(row?.counts[0]).to.be.greaterThan(0);
  });

  it('needs at most four for the demo file of d4tools', async function () {
    const demo = demoFile();
    if (!demo) this.skip();
    server = await serveRanges(readFileSync(demo));
    const file = await openD4(server.url);
    const [row] = await file.statistics({ intervals: [{ chromosome: '1', begin: 11_845_780, end: 11_866_977 }] });
    expect(row?.mean).to.equal(22.072038496013587);
    expect(server.requests.length).to.be.at.most(4);
  });

  it('needs at most four for a dense file in the layout of d4tools, also from a server that supports only single ranges', async () => {
    const size = 2_000_000;
    const depths = Int32Array.from({ length: size }, (_, i) => (i % 211 === 0 ? 100 + (i % 50) : i % 60));
    const bytes = buildFile({
      chromosomes: [{ name: '1', size, depths }],
      values: Array.from({ length: 64 }, (_, value) => value),
      simple: true,
      cuts: [[400_000, 800_000, 1_200_000, 1_600_000]],
      deflate: false,
      firstFrame: 512,
    });
    server = await serveRanges(bytes);
    for (const several of ['multipart', 'whole'] as const) {
      server.several = several;
      server.requests.length = 0;
      const file = await openD4(server.url);
      const [row] = await file.statistics({ intervals: [{ chromosome: '1', begin: 1_000_000, end: 1_020_000 }] });
      expect(row?.sum).to.equal(depths.subarray(1_000_000, 1_020_000).reduce((a, b) => a + b, 0));
      expect(server.requests.length, several).to.be.at.most(4);
      file.close();
    }
  });

  it('needs few requests for many regions, not one for each', async () => {
    server = await serveRanges(await ownFile());
    const file = await openD4(server.url);
    const intervals = Array.from({ length: 300 }, (_, i) => ({
      chromosome: '1',
      begin: i * 90_000,
      end: i * 90_000 + 2_000,
    }));
    const found = await file.statistics({ intervals });
    expect(found.every(({ bases }) => bases === 2_000)).to.equal(true);
    expect(server.requests.length).to.be.below(40);
  });

  for (const several of ['whole', 'first'] as const) {
    it(`handles a server that responds to several ranges with one part: ${several}`, async () => {
      server = await serveRanges(await ownFile());
      server.several = several;
      const file = await openD4(server.url);
      const [row] = await file.statistics({ intervals: [gene] });
      expect(row?.bases).to.equal(21_111);
      expect(row?.mean).to.be.closeTo(74.5, 2);
    });
  }

  it('equals the local reader for any file and intervals', async () => {
    server = await serveRanges(new Uint8Array());
    const case_ = trackArbitrary({ maxSize: 2000 }).chain((track) =>
      fc.record({ track: fc.constant(track), intervals: intervalsArbitrary(track), etag: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(case_, async ({ track, intervals, etag }) => {
        server.bytes = buildFile(track);
        server.etag = `"${etag}"`;
        const request = { intervals, thresholds: [10, 20], percentiles: [50], range: true, histogram: true };
        const remote = await openD4(server.url, { http: { cacheBytes: 32 * 1024 } });
        const local = await openD4(memorySource(server.bytes));
        expect(await remote.statistics(request)).to.deep.equal(await local.statistics(request));
        for (const interval of intervals.slice(0, 3)) {
          const [here, there] = await Promise.all([local, remote].map((file) => depths(file.track(), interval)));
          expect(there).to.deep.equal(here);
        }
      }),
      { numRuns: fewer(60, 3) },
    );
  });

  it('retries after transient failures', async () => {
    server = await serveRanges(await ownFile());
    server.faults = ['500', 'drop'];
    const file = await openD4(server.url);
    server.faults = ['500'];
    const [row] = await file.statistics({ intervals: [gene] });
    expect(row?.bases).to.equal(21_111);
  });

  it('reports a file that is replaced during a read, by its tag or by its size', async () => {
    const bytes = await ownFile();
    server = await serveRanges(bytes);
    const tagged = await openD4(server.url);
    server.etag = '"two"';
    expect(await failure(tagged.statistics({ intervals: [gene] }))).to.equal('changed');
    server.etag = undefined;
    const untagged = await openD4(server.url);
    server.bytes = bytes.subarray(0, bytes.length - 1);
    expect(await failure(untagged.statistics({ intervals: [gene] }))).to.equal('changed');
  });

  it('explains the faults of a server', async () => {
    server = await serveRanges(await ownFile());
    server.faults = ['404'];
    expect(await failure(openD4(server.url))).to.equal('not-found');
    server.faults = ['no-ranges'];
    expect(await failure(openD4(server.url))).to.equal('unreachable');
    server.faults = ['short', 'short', 'short', 'short'];
    expect(await failure(openD4(server.url, { http: { attempts: 2 } }))).to.equal('unreachable');
    server.faults = ['500', '500'];
    expect(await failure(openD4(server.url, { http: { attempts: 2 } }))).to.equal('unreachable');
    server.bytes = new Uint8Array();
    expect(await failure(openD4(server.url))).to.equal('not-d4');
    expect(await failure(openD4('http://'))).to.equal('invalid');
  });

  /** The sentence of an error of the library, with its code. */
  const sentence = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (isD4Error(error) ? `${error.code}: ${error.reason}` : `not ours: ${error}`),
    );

  it('names the cause of a failure', async () => {
    server = await serveRanges(await ownFile());
    const open = (http: HttpOptions = {}) => openD4(server.url, { http: { attempts: 1, ...http } });
    server.faults = ['drop', 'cut', '416'];
    expect(await sentence(open())).to.match(/^unreachable: The server cannot be reached: \w/);
    expect(await sentence(open())).to.match(/^unreachable: The response ends early: \w/);
    expect(await sentence(open())).to.equal('unreachable: The server answers 416');
    const failing = { fetch: () => Promise.reject(new Error('no way to https://user:pw@host/x?key=1')) };
    expect(await sentence(open(failing))).to.equal(
      'unreachable: The server cannot be reached: no way to https://host/x',
    );
    const slow = 'unreachable: The server did not respond within 20 ms';
    server.holds = () => true;
    expect(await sentence(open({ timeout: 20 }))).to.equal(slow);
    expect(await sentence(open({ timeout: 20, fetch: () => new Promise(() => undefined) }))).to.equal(slow);
    server.holds = () => false;
    // Bytes that are not compressed as the response says: `fetch` does not end by itself.
    server.headers = { 'Content-Encoding': 'gzip' };
    expect(await failure(open({ timeout: 500 }))).to.equal('unreachable');
  });

  it('makes no request with options that cannot work', async () => {
    server = await serveRanges(await ownFile());
    const wrong: [HttpOptions, RegExp][] = [
      [{ attempts: 0 }, /at least one attempt, not 0/],
      [{ attempts: Number.NaN }, /at least one attempt, not NaN/],
      [{ timeout: 0 }, /positive number of milliseconds, not 0/],
      [{ headers: { 'a b': 'c' } }, /A header has a name or a value/],
      [{ fetch: 5 as never }, /must be a function/],
    ];
    for (const [http, reason] of wrong) {
      expect(await sentence(openD4(server.url, { http })))
        .to.match(/^invalid: /)
        .and.match(reason);
    }
    const withPassword = server.url.replace('//', '//user:secret@');
    expect(await sentence(openD4(withPassword))).to.match(/^invalid: A URL with credentials/);
    expect(server.requests).to.deep.equal([]);
    (await openD4(server.url, { http: { timeout: Number.POSITIVE_INFINITY } })).close();
  });

  it('waits as long as a busy server asks, but no longer than for a response', async () => {
    server = await serveRanges(await ownFile());
    server.headers = { 'Retry-After': '86400' };
    server.faults = ['429'];
    expect(await sentence(openD4(server.url))).to.equal(
      'unreachable: The server answers 429, and asks to wait 86400 s',
    );
    expect(server.requests).to.have.length(1);
    server.headers = { 'Retry-After': '0.2' };
    server.faults = ['429'];
    const since = performance.now();
    (await openD4(server.url)).close();
    // Timers count whole milliseconds.
    expect(performance.now() - since).to.be.at.least(199);
  });

  it('waits until the date that a busy server states', async () => {
    server = await serveRanges(await ownFile());
    const wait = (seconds: number) => `unreachable: The server answers 429, and asks to wait ${seconds} s`;
    // The same date in the three forms of RFC 9110, 5.6.7.
    for (const date of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      server.headers = { Date: 'Sat, 05 Nov 1994 08:49:36 GMT', 'Retry-After': date };
      server.faults = ['429'];
      expect(await sentence(openD4(server.url)), date).to.equal(wait(24 * 3600 + 1));
    }
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const busy = async () => new Response('', { status: 429, headers: { 'Retry-After': later } });
    expect(await sentence(openD4(server.url, { http: { fetch: busy } }))).to.match(
      / asks to wait 3[56]\d\d(\.\d+)? s$/,
    );
    // A second after the response; a date that has passed, and what is no date, make the usual short pause.
    for (const [stated, least, most] of [
      ['Sat, 05 Nov 1994 08:49:37 GMT', 999, 5000],
      ['Sat, 05 Nov 1994 08:49:35 GMT', 0, 900],
      ['soon', 0, 900],
    ] as const) {
      server.headers = { Date: 'Sat, 05 Nov 1994 08:49:36 GMT', 'Retry-After': stated };
      server.faults = ['429'];
      const since = performance.now();
      (await openD4(server.url)).close();
      expect(performance.now() - since, stated).to.be.within(least, most);
    }
    // Longer than a timer can wait, whatever the caller would wait for.
    server.headers = { 'Retry-After': '3000000' };
    server.faults = ['429'];
    const http = { timeout: Number.POSITIVE_INFINITY };
    expect(await sentence(openD4(server.url, { http }))).to.equal(wait(3_000_000));
  });

  it('names no query of a URL, in a report either', async () => {
    server = await serveRanges(await ownFile());
    expect((await verifyD4(`${server.url}?token=secret`)).file).to.equal(server.url);
    const key = 's3://bucket/a#b?c %20é.d4';
    const asked: string[] = [];
    const send: Fetch = async (name) => {
      asked.push(name);
      return new Response('', { status: 404 });
    };
    const missing = openD4(key, { s3: { fetch: send } });
    expect(await missing.catch(String)).to.include(`There is no such file (${key})`);
    expect(asked).to.deep.equal([key]);
  });

  it('sends headers that can be signed before', async () => {
    const bytes = await ownFile();
    server = await serveRanges(bytes);
    const storage = await serveS3();
    try {
      storage.objects.set('bucket/sample.d4', bytes);
      const { region } = storage;
      const aws = new AwsClient({ ...testKeys, service: 's3', region, retries: 0 });
      // The storage wants the digest of the body, which is empty.
      const digest = { 'X-Amz-Content-Sha256': createHash('sha256').digest('hex') };
      const send: Fetch = (name, init) =>
        aws.fetch(name.replace('s3:/', storage.endpoint), { ...init, headers: { ...init?.headers, ...digest } });
      const s3 = { fetch: send };
      const [row] = await (await openD4('s3://bucket/sample.d4', { s3 })).statistics({ intervals: [gene] });
      expect(row?.bases).to.equal(21_111);
      // Some storages compress what they send to clients that do not refuse it.
      expect(new Set(storage.requests.map(({ headers }) => headers['accept-encoding']))).to.deep.equal(
        new Set(['identity']),
      );
    } finally {
      await storage.close();
    }
  });

  it('rejects with the reason of its signal', async () => {
    server = await serveRanges(await ownFile());
    const file = await openD4(server.url);
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const work = file.statistics({ intervals: [gene], signal: controller.signal });
    controller.abort(reason);
    expect(await work.catch((error: unknown) => error)).to.equal(reason);
  });
});
