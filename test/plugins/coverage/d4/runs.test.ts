import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  createD4,
  type D4File,
  D4Pool,
  type Interval,
  isD4Error,
  memorySource,
  openD4,
  type RunsRequest,
  stretches,
} from '../../../../plugins/coverage/d4/index.js';
import { fewer } from '../../../support/sample.js';
import { useOnce } from '../../../support/use.js';
import { intervalsArbitrary, trackArbitrary } from './support/arbitrary.js';
import { depthsIn, runsOf } from './support/brute.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { serveRanges } from './support/server.js';

const case_ = trackArbitrary({ maxSize: 2000 }).chain((track) =>
  fc.record({
    track: fc.constant(track),
    intervals: intervalsArbitrary(track),
    depth: fc.integer({ min: -2, max: 60 }),
    minLength: fc.constantFrom(undefined, 1, 3, 40),
    below: fc.boolean(),
  }),
);

function expectedRuns(track: BuildTrack, { chromosome, begin, end }: Interval, runs: RunsRequest): object[] {
  const passes = depthsIn(track, chromosome, begin, end).map((depth) =>
    Number('below' in runs ? depth < runs.below : depth >= runs.atLeast),
  );
  return runsOf(passes, begin)
    .filter(([from, to, pass]) => pass === 1 && to - from >= (runs.minLength ?? 1))
    .map(([from, to]) => ({ begin: from, end: to }));
}

describe('d4: runs below or above a depth, for many intervals in one pass', () => {
  const folder = temporaryFolder();
  const pools = [1, 3].map((threads) => new D4Pool({ threads, inlineBases: 0 }));
  const server = useOnce(() => serveRanges(new Uint8Array()));
  after(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
  });

  it('equal brute force with both kernels, with workers and over HTTP, as rows and as columns', async () => {
    const path = folder.path('random.d4');
    let version = 0;
    await fc.assert(
      fc.asyncProperty(case_, async ({ track, intervals, depth, minLength, below }) => {
        const bytes = buildFile(track);
        writeFileSync(path, bytes);
        server.bytes = bytes;
        server.etag = `"${version++}"`;
        const runs: RunsRequest = below ? { below: depth, minLength } : { atLeast: depth, minLength };
        const expected = intervals.map((interval) => expectedRuns(track, interval, runs));
        const files = await Promise.all([
          openD4(memorySource(bytes), { kernel: 'simd' }),
          openD4(memorySource(bytes), { kernel: 'plain' }),
          ...pools.map(({ sweeper }) => openD4(path, { sweeper })),
          openD4(server.url),
        ]);
        for (const file of files) {
          const rows = await file.statistics({ intervals, thresholds: [20], runs });
          expect(rows.map((row) => row.runs)).to.deep.equal(expected);
          const columns = await file.columns({ intervals, runs });
          expect(columns.runs.map((list) => Array.from(list))).to.deep.equal(
            expected.map((list) => list.flatMap((run) => Object.values(run))),
          );
          file.close();
        }
      }),
      { numRuns: fewer(40, 3) },
    );
  });

  describe('of a long chromosome', () => {
    const size = 40_000_000;
    const whole = { chromosome: '1', begin: 0, end: size };
    const opened: D4File[] = [];
    before(async () => {
      // 5,000 bases of 30x, then as many of 3x, and so on.
      const begins = Array.from({ length: 8000 }, (_, i) => i * 5_000);
      const ends = [...begins.slice(1), size];
      const depths = begins.map((_, i) => (i % 2 === 0 ? 30 : 3));
      const batch = { chromosome: '1', begins, ends, depths };
      await createD4(folder.path('long.d4'), { open: () => [batch] }, { dictionary: { low: 0, high: 16 } });
      for (const sweeper of [undefined, ...pools.map((pool) => pool.sweeper)]) {
        opened.push(await openD4(folder.path('long.d4'), { sweeper }));
      }
    });
    after(() => {
      for (const file of opened) file.close();
    });

    it('are complete if the work was divided between workers', async () => {
      for (const file of opened) {
        const [low] = await file.statistics({ intervals: [whole], runs: { below: 10, minLength: 5_000 } });
        expect(low?.runs).to.have.length(4_000);
        expect(low?.runs?.[0]).to.deep.equal({ begin: 5_000, end: 10_000 });
        const [all] = await file.statistics({ intervals: [whole], runs: { atLeast: 1, minLength: size } });
        expect(all?.runs).to.deep.equal([{ begin: 0, end: size }]);
        const [none] = await file.statistics({ intervals: [whole], runs: { below: 10, minLength: 5_001, most: 10 } });
        expect(none?.runs).to.deep.equal([]);
      }
    });

    it('are refused if there are more than the limit of the caller', async () => {
      for (const file of opened) {
        const request = { intervals: [whole], runs: { below: 10, most: 3_999 } };
        const error = await file.statistics(request).catch((caught: unknown) => caught);
        expect(isD4Error(error) && error.code).to.equal('invalid');
        expect((error as Error).message).to.match(/^More than 3999 runs were found/);
      }
    });

    it('equal the runs found one interval at a time', async () => {
      const [file] = opened as [D4File];
      const interval = { chromosome: '1', begin: 7_999_123, end: 8_123_456 };
      const found: object[] = [];
      for await (const { begin, end } of stretches(file.track(), interval, { below: 10 })) found.push({ begin, end });
      const [row] = await file.statistics({ intervals: [interval], runs: { below: 10 } });
      expect(row?.runs).to.deep.equal(found);
      expect(found).to.have.length.greaterThan(10);
    });
  });
});
