import { copyFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { createD4, D4Cache, type D4File, D4Pool, isD4Error, openD4 } from '../../../../plugins/coverage/d4/index.js';
import { fewer } from '../../../support/sample.js';
import { intervalsArbitrary, trackArbitrary } from './support/arbitrary.js';
import { buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';

/** Two chromosomes, one long enough to be divided between workers, with depths beyond the dictionary. */
async function writeSample(path: string): Promise<void> {
  const batches = [40_000_000, 300_000].map((size, c) => {
    const ends = Array.from({ length: 20_000 }, (_, i) => Math.floor((size * (i + 1)) / 20_000));
    return {
      chromosome: `${c + 1}`,
      begins: [0, ...ends.slice(0, -1)],
      ends,
      depths: ends.map((_, i) => (i % 97 === 0 ? 500 : (i * 13) % 40)),
    };
  });
  await createD4(path, { open: () => batches }, { dictionary: { low: 0, high: 16 }, denominator: 1 });
}

describe('d4: worker pool and cache', () => {
  const folder = temporaryFolder();
  const intervals = [
    { chromosome: '2', begin: 5, end: 290_000 },
    { chromosome: '1', begin: 3, end: 39_999_999 },
    { chromosome: '1', begin: 12_345_678, end: 12_355_679 },
    { chromosome: '1', begin: 50_000_000, end: 60_000_000 },
    ...Array.from({ length: 3_000 }, (_, i) => ({ chromosome: '1', begin: i * 13_000, end: i * 13_000 + 150 })),
  ];
  const request = { intervals, thresholds: [10, 30, 499] };
  const pools: D4Pool[] = [];
  before(() => writeSample(folder.path('sample.d4')));
  after(() => Promise.all(pools.map((pool) => pool.close())));

  function pool(threads: number, kernel?: 'plain'): D4Pool {
    const made = new D4Pool({ threads, inlineBases: 0, kernel });
    pools.push(made);
    return made;
  }

  it('gives the same results inline, with one worker and with several, with both kernels', async () => {
    const path = folder.path('sample.d4');
    const more = { ...request, percentiles: [50, 99], range: true, histogram: true };
    const inline = await openD4(path);
    const [plain, full] = [await inline.statistics(request), await inline.statistics(more)];
    const columns = await inline.columns({ ...request, percentiles: [50], range: true });
    const together = await inline.histogram({ intervals });
    expect(together.reduce((sum, { bases }) => sum + bases, 0)).to.equal(
      plain.reduce((sum, { bases }) => sum + bases, 0),
    );
    expect(plain[1]?.counts[2]).to.be.greaterThan(0);
    for (const sweeper of [pool(1).sweeper, pool(3).sweeper, pool(2, 'plain').sweeper]) {
      const file = await openD4(path, { sweeper });
      expect(await file.statistics(request)).to.deep.equal(plain);
      expect(await file.statistics(more)).to.deep.equal(full);
      expect(await file.columns({ ...request, percentiles: [50], range: true })).to.deep.equal(columns);
      expect(await file.histogram({ intervals })).to.deep.equal(together);
      file.close();
    }
    inline.close();
  });

  it('gives the same results in a page that has Node.js, where memory is not shared', async () => {
    const file = await openD4(folder.path('sample.d4'), { sweeper: pool(1).sweeper });
    const expected = await file.statistics(request);
    Object.assign(globalThis, { crossOriginIsolated: true });
    try {
      expect(await file.statistics(request)).to.deep.equal(expected);
    } finally {
      Reflect.deleteProperty(globalThis, 'crossOriginIsolated');
      file.close();
    }
  });

  it('equals the inline reader for any file and intervals', async () => {
    const sweepers = [pool(1).sweeper, pool(3).sweeper];
    const case_ = trackArbitrary({ maxSize: 1500 }).chain((track) =>
      fc.record({ track: fc.constant(track), intervals: intervalsArbitrary(track), n: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(case_, async ({ track, intervals, n }) => {
        const path = folder.path(`random-${n}.d4`);
        writeFileSync(path, buildFile(track));
        const all = { intervals, thresholds: [0, 20, 40], percentiles: [0, 50, 90], range: true, histogram: true };
        const inline = await openD4(path);
        const answers = async (file: D4File) => [
          await file.statistics(all),
          await file.statistics({ intervals }),
          await file.histogram({ intervals }),
        ];
        const expected = await answers(inline);
        for (const sweeper of sweepers) {
          const file = await openD4(path, { sweeper });
          expect(await answers(file)).to.deep.equal(expected);
          file.close();
        }
        inline.close();
        rmSync(path);
      }),
      { numRuns: fewer(40, 3) },
    );
  });

  it('returns the same for concurrent queries as for sequential ones', async () => {
    const file = await openD4(folder.path('sample.d4'));
    const asked = [
      request,
      { ...request, histogram: true },
      { intervals },
      { ...request, range: true, percentiles: [50] },
    ];
    const expected = [];
    for (const one of asked) expected.push(await file.statistics(one));
    expect(await Promise.all([...asked, ...asked].map((one) => file.statistics(one)))).to.deep.equal([
      ...expected,
      ...expected,
    ]);
    file.close();
  });

  it('can be cancelled, before and during the work', async () => {
    const file = await openD4(folder.path('sample.d4'), { sweeper: pool(1).sweeper });
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    expect(await file.statistics({ ...request, signal }).catch((error: unknown) => error)).to.equal(reason);
    const controller = new AbortController();
    const work = file.statistics({ ...request, histogram: true, signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    expect(await work.catch((error: unknown) => error)).to.equal(reason);
    expect(await file.statistics({ intervals: [] })).to.deep.equal([]);
    file.close();
  });

  it('passes errors on from the workers', async () => {
    const path = folder.path('replaced.d4');
    copyFileSync(folder.path('sample.d4'), path);
    const file = await openD4(path, { sweeper: pool(1).sweeper });
    utimesSync(path, 1, 1);
    const error = await file.statistics(request).catch((caught: unknown) => caught);
    expect(isD4Error(error) && error.code).to.equal('changed');
    file.close();
  });

  it('keeps files open, reopens replaced ones and closes the least used', async () => {
    const paths = ['a', 'b', 'c'].map((name) => folder.path(`${name}.d4`));
    for (const path of paths) copyFileSync(folder.path('sample.d4'), path);
    const cache = new D4Cache({ files: 2 });
    const [a, b, c] = paths as [string, string, string];
    const first = await cache.use(a, async (file) => file);
    expect(await cache.use(a, async (file) => file)).to.equal(first);
    utimesSync(a, 1, 1);
    const second = await cache.use(a, async (file) => file);
    expect(second).not.to.equal(first);
    await cache.use(b, async () => {
      await cache.use(c, async () => undefined);
    });
    expect(await cache.use(a, async (file) => file)).not.to.equal(second);
    rmSync(a);
    const error = await cache.use(a, async () => 0).catch((caught: unknown) => caught);
    expect(isD4Error(error) && error.code).to.equal('not-found');
    cache.close();
  });

  it('does not block the event loop', async () => {
    const file = await openD4(folder.path('sample.d4'));
    let turns = 0;
    let done = false;
    const turn = () => {
      turns++;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    const many = Array.from({ length: 40 }, () => intervals[1] as (typeof intervals)[number]);
    await file.statistics({ intervals: many, thresholds: [10], histogram: true });
    done = true;
    expect(turns).to.be.greaterThan(3);
    file.close();
  });
});
