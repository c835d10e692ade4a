/** What the library opens and writes, as its README says. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openD4 as openInPage } from '../../../../plugins/coverage/d4/browser.js';
import {
  createD4,
  type D4File,
  depths,
  type FileHandle,
  type FileLocation,
  isD4Error,
  memorySource,
  openD4,
  parseRuns,
  type RunBatch,
  type RunStream,
} from '../../../../plugins/coverage/d4/index.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { serveRanges } from './support/server.js';
import { handleOf } from './support/ways.js';

const size = 150_000;
const track: BuildTrack = {
  chromosomes: [{ name: '1', size, depths: Int32Array.from({ length: size }, (_, i) => (i * 37) % 101) }],
  values: Array.from({ length: 64 }, (_, code) => code),
  simple: true,
  cuts: [[15_000]],
  deflate: true,
  firstFrame: 512,
};
const bytes = buildFile(track);
const whole = { chromosome: '1', begin: 0, end: size };
const expected = Array.from(track.chromosomes[0]?.depths ?? []);

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (isD4Error(error) ? `${error.code}: ${error.message}` : `not ours: ${error}`),
  );
}

async function readAll(file: D4File): Promise<number[]> {
  const found = await depths(file.track(), whole);
  file.close();
  return Array.from(found);
}

describe('d4: the door', () => {
  const { path } = temporaryFolder();
  const copy = new Uint8Array(bytes);

  it('opens a path, URLs, a Blob, a File, a file handle, bytes and a source', async () => {
    const server = await serveRanges(bytes);
    try {
      writeFileSync(path('whole.d4'), bytes);
      const locations: FileLocation[] = [
        path('whole.d4'),
        pathToFileURL(path('whole.d4')),
        pathToFileURL(path('whole.d4')).href,
        server.url,
        new URL(server.url),
        new Blob([copy]),
        new File([copy], 'whole.d4'),
        handleOf(bytes),
        copy,
        copy.buffer,
        memorySource(bytes),
      ];
      for (const location of locations) expect(await readAll(await openD4(location))).to.deep.equal(expected);
      const s3 = { fetch: (_: string, init?: RequestInit) => fetch(server.url, init) };
      expect(await readAll(await openD4('s3://bucket/whole.d4', { s3 }))).to.deep.equal(expected);
      for (const location of locations.slice(3)) {
        expect(await readAll(await openInPage(location))).to.deep.equal(expected);
      }
    } finally {
      await server.close();
    }
  });

  it('reads and writes what is in shared memory', async () => {
    type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;
    const shared = <T extends Column>(
      make: (buffer: SharedArrayBuffer, length: number) => T,
      values: ArrayLike<number>,
    ) => {
      const made = make(new SharedArrayBuffer(8 * values.length), values.length);
      made.set(values);
      return made;
    };
    const kinds: ((buffer: SharedArrayBuffer, length: number) => Column)[] = [
      (buffer, length) => new Uint16Array(buffer, 0, length),
      (buffer, length) => new Int32Array(buffer, 0, length),
      (buffer, length) => new Float32Array(buffer, 0, length),
      (buffer, length) => new Float64Array(buffer, 0, length),
    ];
    const ofBytes = (values: ArrayLike<number>) =>
      shared(() => new Uint8Array(new SharedArrayBuffer(values.length)), values);
    const positions = (values: number[]) => shared((buffer, length) => new Uint32Array(buffer, 0, length), values);
    const given = ofBytes(bytes);
    const handle = (piece: (view: Uint8Array) => unknown): FileHandle => ({
      ...handleOf(bytes),
      read: async (length, at) => piece(ofBytes(bytes.subarray(at, at + length))) as Uint8Array,
    });
    const locations = [
      given,
      given.buffer,
      memorySource(given),
      handle((view) => view),
      handle(({ buffer }) => buffer),
    ];
    for (const open of [openD4, openInPage]) {
      for (const location of locations) expect(await readAll(await open(location))).to.deep.equal(expected);
      const file = await open(given);
      // Bases 0 to 7 have depths 0, 37, 74, 10, 47, 84, 20 and 57.
      const at = (place: number) => ({ chromosome: '1', begin: 4 * place, end: 4 * place + 4 });
      const stretches = [{ name: '1', from: 0, to: 2 }];
      const columns = { begins: positions([0, 4]), ends: positions([4, 8]), stretches };
      const thresholds = shared((buffer) => new Float64Array(buffer), [47]) as unknown as number[];
      const found = await file.columns({ intervals: { length: 2, at, columns }, thresholds });
      expect([[...found.sums], [...found.counts]]).to.deep.equal([
        [121, 208],
        [1, 3],
      ]);
      file.close();
    }
    for (const kind of kinds) {
      const column = (values: number[]) => shared(kind, values);
      const batch = { chromosome: '1', begins: column([0, 2]), ends: column([2, 4]), depths: column([3, 90]) };
      await createD4(path('shared.d4'), [batch], { deflate: 1 });
      const file = await openD4(path('shared.d4'));
      expect([...(await depths(file.track(), { chromosome: '1', begin: 0, end: 9 }))]).to.deep.equal([3, 3, 90, 90]);
      file.close();
    }
    const lines = ['1\t0\t5\t1.5\n1\t5', '\t9\t3\n'].map((text) => ofBytes(Buffer.from(text)));
    const batches: RunBatch[] = [];
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const line of lines) controller.enqueue(line);
        controller.close();
      },
    });
    for await (const batch of parseRuns(chunks, { place: 'shared' })) batches.push(batch);
    expect(batches.map((batch) => [...Array.from(batch.ends), ...Array.from(batch.depths)])).to.deep.equal([
      [5, 9, 1.5, 3],
    ]);
  });

  it('sends from a page only what a server of another origin need not permit first', async () => {
    const server = await serveRanges(bytes);
    try {
      const sent: [string, string][] = [];
      const spy = (url: string, init?: RequestInit) => {
        sent.push(...Object.entries(init?.headers as Record<string, string>));
        return fetch(url, init);
      };
      const http = { fetch: spy };
      expect(await readAll(await openInPage(server.url, { http }))).to.deep.equal(expected);
      expect(new Set(sent.map(([name]) => name))).to.deep.equal(new Set(['Range']));
      expect(sent.filter(([, value]) => value.includes(','))).to.deep.equal([]);
    } finally {
      await server.close();
    }
  });

  it('names the file and the offset in errors', async () => {
    const cut = bytes.subarray(0, 700);
    expect(await refusal(openD4(cut, { name: 'cut' }))).to.match(/^truncated: .* \(cut: \.\w+.*, byte \d+\)$/);
    expect(await refusal(openD4(new File([new Uint8Array(cut)], 'x.d4')))).to.match(/^truncated: .*\(x\.d4: .*byte/);
    expect(await refusal(openD4(new Blob(['no'])))).to.equal('not-d4: The bytes do not begin as a D4 file does (blob)');
    const failing: FileHandle = { ...handleOf(bytes), read: () => Promise.reject(new Error('the disk is gone')) };
    expect(await refusal(openD4(failing, { name: 'h' }))).to.equal(
      'unreachable: The file cannot be read: the disk is gone (h: byte 0)',
    );
    const short: FileHandle = { ...handleOf(bytes.subarray(0, 30_000)), stat: async () => ({ size: bytes.length }) };
    expect(await refusal(openD4({ ...short, source: 's.d4' }))).to.equal(
      'truncated: The file ends early (s.d4: byte 30000)',
    );
    const signed = { ...short, source: 'https://user:secret@host/s.d4?signature=secret' };
    expect(await refusal(openD4(signed))).to.equal('truncated: The file ends early (https://host/s.d4: byte 30000)');
    const long: FileHandle = { ...handleOf(bytes), read: async () => new Uint8Array(bytes.length + 1) };
    expect(await refusal(openD4(long))).to.match(/^unreachable: The file handle returned \d+ bytes instead of \d+/);
    const lost: FileHandle = { ...handleOf(bytes), stat: () => Promise.reject(new Error('gone')) };
    expect(await refusal(openD4(lost))).to.equal(
      'unreachable: The file handle does not state its size: gone (file handle)',
    );
    expect(await refusal(openD4(new URL('ftp://x/y')))).to.match(/^invalid: .*ftp:/);
    expect(await refusal(openInPage('x.d4'))).to.equal(
      'invalid: A page reads http and https URLs, Blobs and file handles (x.d4)',
    );
  });

  it('names a file handle by its file or URL, and says why it failed', async () => {
    const gone = Object.assign(new Error('ENOENT: stat'), { code: 'ENOENT' });
    const local = { ...handleOf(bytes), filename: '/data/x.d4', stat: () => Promise.reject(gone) };
    expect(await refusal(openD4(local))).to.equal('not-found: There is no such file (/data/x.d4)');
    const url = 'https://host/x.d4?token=secret';
    const refused = { ...handleOf(bytes), url, stat: () => Promise.reject(new Error(`HTTP 404 fetching ${url}`)) };
    expect(await refusal(openD4(refused))).to.equal(
      'unreachable: The file handle does not state its size: HTTP 404 fetching https://host/x.d4 (https://host/x.d4)',
    );
    const hidden = { ...handleOf(bytes), url, stat: async () => ({ size: 0 }) };
    expect(await refusal(openD4(hidden))).to.match(/^unreachable: .* does not expose Content-Range \(https/);
    for (const size of [undefined, Number.NaN, Infinity, 1.5, -1, '1', BigInt(bytes.length)]) {
      const wrong = { ...handleOf(bytes), stat: async () => ({ size }) } as unknown as FileHandle;
      expect(await refusal(openD4(wrong)), String(size)).to.match(/^unreachable: The stated size of the file is no/);
    }
    const nothing = { ...handleOf(bytes), read: async () => undefined } as unknown as FileHandle;
    expect(await refusal(openD4(nothing))).to.equal(
      'unreachable: The file cannot be read: it returned undefined instead of a Uint8Array (file handle: byte 0)',
    );
    const buffers = {
      ...handleOf(bytes),
      read: async (length: number, at: number) => copy.slice(at, at + length).buffer,
    };
    expect(await readAll(await openD4(buffers as unknown as FileHandle))).to.deep.equal(expected);
  });

  it('reads a file handle that takes the position first, whatever it does if asked for no byte', async () => {
    const read = (position: number, length: number) => copy.slice(position, position + length);
    const none: Record<string, () => Promise<Uint8Array>> = {
      nothing: async () => new Uint8Array(),
      failure: () => Promise.reject(new RangeError('no bytes')),
      'the whole file': async () => copy,
    };
    for (const [name, given] of Object.entries(none)) {
      const handle = {
        ...handleOf(bytes),
        read: async (position: number, length: number) => (length === 0 ? given() : read(position, length)),
      };
      expect(await readAll(await openD4(handle)), name).to.deep.equal(expected);
    }
  });

  it('passes the signal to a file handle, rejects with its reason, and closes the handle', async () => {
    let closed = 0;
    const signals: (AbortSignal | undefined)[] = [];
    const handle = handleOf(bytes);
    const file = await openD4({
      ...handle,
      read(length, position, options) {
        signals.push(options?.signal);
        return handle.read(length, position, options);
      },
      close: async () => closed++,
    });
    const { signal } = new AbortController();
    await file.statistics({ intervals: [whole], signal });
    expect(signals.slice(1)).to.include(signal);
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    expect(await file.statistics({ intervals: [whole], signal: aborted }).catch((error) => error)).to.equal(reason);
    file.close();
    expect(closed).to.equal(1);
    expect(await refusal(file.statistics({ intervals: [whole] }))).to.match(/^unreachable: The file was closed/);
  });

  it('writes runs of an array, of a generator and of a stream of text', async () => {
    const batch: RunBatch = { chromosome: '1', begins: [0, 10], ends: [10, 20], depths: [3, 90] };
    const values = [...new Array(10).fill(3), ...new Array(10).fill(90)];
    const read = async (name: string) => {
      const file = await openD4(path(name));
      const found = await depths(file.track(), { chromosome: '1', begin: 0, end: 20 });
      file.close();
      return Array.from(found);
    };
    await createD4(path('array.d4'), [batch]);
    expect(await read('array.d4')).to.deep.equal(values);
    const given = { chromosomes: [{ name: '1', size: 20 }], dictionary: { low: 0, high: 64 }, denominator: 1 };
    const once: Record<string, () => RunStream> = {
      *generator() {
        yield batch;
      },
      text: () => parseRuns(new Blob(['1\t0\t10\t3\n1\t10\t20\t90\n']).stream(), { place: 'a stream' }),
    } as Record<string, () => RunStream>;
    for (const [name, make] of Object.entries(once)) {
      await createD4(path(`${name}.d4`), make(), given);
      expect(await read(`${name}.d4`), name).to.deep.equal(values);
      expect(await refusal(createD4(path('never.d4'), make()))).to.match(/^invalid: Runs that come once .*never\.d4/);
    }
    expect(await refusal(openD4(path('never.d4')))).to.match(/^not-found/);
  });
});
