/** Signals end every call that waits, whatever it waits for, and break nothing for others. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  createD4,
  D4Cache,
  type D4File,
  depths,
  firstExcess,
  memorySource,
  mergeD4,
  openD4,
  type RunBatch,
  runs,
  type Source,
  stretches,
  verifyD4,
} from '../../../../plugins/coverage/d4/index.js';
import { sampled } from '../../../support/sample.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { type RangeServer, serveRanges } from './support/server.js';
import { handleOf } from './support/ways.js';

/** A third of the depths are beyond the dictionary, in frames of several sizes. */
const trackOf = (deflate: boolean, size = 60_000): BuildTrack => ({
  chromosomes: [{ name: '1', size, depths: Int32Array.from({ length: size }, (_, i) => (i * 37) % 101) }],
  values: Array.from({ length: 64 }, (_, code) => code),
  simple: true,
  cuts: [[size / 4, (size * 2) / 3]],
  deflate,
  firstFrame: 512,
});
const interval = { chromosome: '1', begin: 10_000, end: 50_000 };
const other = { chromosome: '1', begin: 52_000, end: 55_000 };
const intervals = [interval, other];

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** All of the README's table that is asked of an open file, and waits. */
const calls: Record<string, (file: D4File, signal?: AbortSignal) => Promise<unknown>> = {
  depths: (file, signal) => depths(file.track(), interval, { signal }),
  runs: (file, signal) => all(runs(file.track(), interval, { signal })),
  stretches: (file, signal) => all(stretches(file.track(), interval, { atLeast: 90 }, { signal })),
  profile: (file, signal) => file.profile({ interval, parts: 7, range: true, signal }),
  statistics: (file, signal) => file.statistics({ intervals, thresholds: [10], percentiles: [50], signal }),
  columns: (file, signal) => file.columns({ intervals, signal }),
  rows: (file, signal) => all(file.rows({ intervals, signal })),
  histogram: (file, signal) => file.histogram({ intervals, signal }),
  checkFrames: (file, signal) => file.checkFrames({ signal }),
  firstExcess: (file, signal) => firstExcess(file.track(), file.track(), { intervals, signal }),
};

/** What happens at a read, counted from 1. */
interface Gate {
  reads: number;
  at: number;
  /** Called at that read. */
  reached: () => void;
  /** Whether the read is answered nevertheless. */
  answers: boolean;
}

/** Whether this read is never answered. */
function isHeld(gate: Gate): boolean {
  if (++gate.reads !== gate.at) return false;
  gate.reached();
  return !gate.answers;
}

const openGate = (): Gate => ({ reads: 0, at: 0, reached: () => undefined, answers: true });
const never = () => new Promise<never>(() => undefined);

type Opener = (bytes: Uint8Array, gate: Gate, server: RangeServer) => Parameters<typeof openD4>[0];

/** Locations whose reads pass a gate. */
const ways: Record<string, Opener> = {
  'a server': (bytes, gate, server) => {
    server.bytes = bytes;
    server.holds = () => isHeld(gate);
    return server.url;
  },
  'a handle that knows no signals': (bytes, gate) => ({
    ...handleOf(bytes),
    read: async (length, position) => (isHeld(gate) ? never() : handleOf(bytes).read(length, position)),
  }),
  'a handle that knows signals': (bytes, gate) => ({
    ...handleOf(bytes),
    read: (length, position, options) =>
      isHeld(gate)
        ? new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
        : handleOf(bytes).read(length, position),
  }),
  'a source that knows no signals': (bytes, gate): Source => {
    const memory = memorySource(bytes);
    const fetch: Source['fetch'] = async (spans) => (isHeld(gate) ? never() : memory.fetch(spans));
    return { ...memory, remote: true, fetch };
  },
};

/** Aborts a call at each of its first eight reads, then at some, until it has no more. Returns how many it has. */
async function abortAtEach(
  gate: Gate,
  call: (signal: AbortSignal) => Promise<unknown>,
  afterwards: () => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n += Math.ceil(n / 8)) {
    const reason = new Error(`aborted at read ${n}`);
    const controller = new AbortController();
    Object.assign(gate, { reads: 0, at: n, reached: () => controller.abort(reason), answers: false });
    const outcome = await call(controller.signal).then(
      () => 'answered',
      (error: unknown) => error,
    );
    gate.at = 0;
    if (gate.reads < n) {
      expect(outcome).to.equal('answered');
      return gate.reads;
    }
    expect(outcome, `read ${n}`).to.equal(reason);
    await afterwards();
  }
}

describe('d4: signals', () => {
  const folder = temporaryFolder();
  let server: RangeServer;
  before(async () => {
    server = await serveRanges(new Uint8Array());
  });
  after(() => server.close());

  for (const [way, opener] of Object.entries(ways)) {
    it(`end each call on ${way} at each of its reads, and the next call answers`, async () => {
      for (const [turn, deflate] of [true, false].entries()) {
        const [large, small] = [60_000, 15_000].map((size) => buildFile(trackOf(deflate, size)));
        const gate = openGate();
        // Each call of one of the two files.
        for (const [name, call] of sampled(Object.entries(calls), 2, turn)) {
          // Small files are in memory once they are open, and read once more by `checkFrames`, frame by frame.
          const [bytes, http] = name === 'checkFrames' ? [small, { cacheBytes: 0 }] : [large, {}];
          if (bytes === undefined) throw new Error('two files were built');
          const expected = await call(await openD4(memorySource(bytes)));
          const open = () => openD4(opener(bytes, gate, server), { http });
          let file = await open();
          const reads = await abortAtEach(
            gate,
            (signal) => call(file, signal),
            async () => {
              expect(await call(file), name).to.deep.equal(expected);
              file.close();
              file = await open();
            },
          );
          if (name !== 'checkFrames' || way === 'a server') expect(reads, name).to.be.greaterThan(0);
          file.close();
        }
      }
    });

    it(`end one of two calls on ${way} that wait for the same bytes, and the other answers`, async () => {
      const bytes = buildFile(trackOf(false));
      const expected = await (await openD4(memorySource(bytes))).statistics({ intervals });
      for (let n = 1; ; n += Math.ceil(n / 8)) {
        const gate = openGate();
        const file = await openD4(opener(bytes, gate, server));
        const controller = new AbortController();
        const reason = new Error('one of two');
        Object.assign(gate, { reads: 0, at: n, reached: () => controller.abort(reason) });
        const both = [file.statistics({ intervals, signal: controller.signal }), file.statistics({ intervals })];
        const [one, two] = await Promise.allSettled(both);
        expect(two).to.deep.equal({ status: 'fulfilled', value: expected });
        file.close();
        if (gate.reads < n) break;
        if (one?.status === 'rejected') expect(one.reason).to.equal(reason);
      }
    });

    it(`end the opening of ${way} at each of its reads`, async () => {
      const bytes = buildFile(trackOf(true));
      const gate = openGate();
      const open = (signal?: AbortSignal) => openD4(opener(bytes, gate, server), { signal });
      const reads = await abortAtEach(
        gate,
        async (signal) => (await open(signal)).close(),
        async () => (await open()).close(),
      );
      expect(reads).to.be.greaterThan(0);
    });
  }

  it('end a check, a merge and the opening by a cache at each request, and leave no file', async () => {
    const gate = openGate();
    ways['a server']?.(buildFile(trackOf(true)), gate, server);
    const text = folder.path('text.bed');
    writeFileSync(text, '1\t0\t10\t3\n');
    const works: Record<string, (signal?: AbortSignal) => Promise<unknown>> = {
      verifyD4: (signal) => verifyD4(server.url, { signal, perBase: text }),
      mergeD4: (signal) =>
        mergeD4(folder.path('merged.d4'), [{ path: server.url, name: 'one' }], undefined, { signal }),
      'D4Cache.use': async (signal) => {
        const cache = new D4Cache();
        await cache.use(server.url, (file) => file.statistics({ intervals, signal }), signal);
        cache.close();
      },
    };
    for (const [name, work] of Object.entries(works)) {
      const reads = await abortAtEach(
        gate,
        (signal) => work(signal),
        async () => {
          expect(readdirSync(folder.path('')), name).to.deep.equal(['text.bed']);
        },
      );
      rmSync(folder.path('merged.d4'), { force: true });
      expect(reads, name).to.be.greaterThan(1);
    }
  });

  it('that have aborted end a call that has nothing to wait for', async () => {
    const file = await openD4(buildFile(trackOf(true)));
    const reason = new Error('before');
    const signal = AbortSignal.abort(reason);
    const batch: RunBatch = { chromosome: '1', begins: [0], ends: [10], depths: [3] };
    const works: Record<string, () => Promise<unknown>> = {
      ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, () => call(file, signal)])),
      'no intervals': () => file.statistics({ intervals: [], signal }),
      'an empty profile': () => file.profile({ interval: { ...interval, end: interval.begin }, parts: 1, signal }),
      openD4: () => openD4(buildFile(trackOf(true)), { signal }),
      createD4: () => createD4(folder.path('early.d4'), [batch], { signal }),
    };
    for (const [name, work] of Object.entries(works)) {
      expect(await work().catch((error: unknown) => error), name).to.equal(reason);
    }
    expect(readdirSync(folder.path(''))).to.not.include('early.d4');
  });

  it('end the writing of a file while its runs do not come, and close what gives them', async () => {
    const given = { chromosomes: [{ name: '1', size: 20 }], dictionary: { low: 0, high: 64 }, denominator: 1 };
    for (const options of [given, {}]) {
      const controller = new AbortController();
      const reason = new Error('while writing');
      let next: () => void = () => undefined;
      let closed: () => void = () => undefined;
      const isClosed = new Promise<void>((resolve) => {
        closed = resolve;
      });
      async function* waiting(): AsyncGenerator<RunBatch> {
        try {
          yield { chromosome: '1', begins: [0], ends: [10], depths: [3] };
          const more = new Promise<void>((resolve) => {
            next = resolve;
          });
          controller.abort(reason);
          await more;
          yield { chromosome: '1', begins: [10], ends: [20], depths: [4] };
        } finally {
          closed();
        }
      }
      const { signal } = controller;
      const work = createD4(folder.path('late.d4'), { open: waiting }, { ...options, signal });
      expect(await work.catch((error: unknown) => error)).to.equal(reason);
      expect(readdirSync(folder.path('')).filter((name) => name.startsWith('late'))).to.deep.equal([]);
      next();
      await isClosed;
    }
  });
});
