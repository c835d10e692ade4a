import { expect } from 'chai';
import fc from 'fast-check';
import { depths, type OpenOptions, runs, stretches } from '../../../../plugins/coverage/d4/index.js';
import { intervalsArbitrary, trackArbitrary } from './support/arbitrary.js';
import { denominatorOf, depthsIn, percentileOf, runsOf } from './support/brute.js';
import { buildFile } from './support/build.js';
import { openedBy, wayArbitrary } from './support/ways.js';

const thresholdsArbitrary = fc.array(
  fc.oneof(fc.integer({ min: -5, max: 90 }), fc.double({ min: -1, max: 80, noNaN: true }), fc.constant(0.7)),
  { maxLength: 20 },
);
const case_ = trackArbitrary().chain((track) =>
  fc.record({
    track: fc.constant(track),
    intervals: intervalsArbitrary(track),
    thresholds: thresholdsArbitrary,
    way: wayArbitrary,
  }),
);

/** Results of one interval, or of all of them together, that were compared with brute force or with each other. */
let compared = 0;

for (const kernel of ['simd', 'plain'] satisfies OpenOptions['kernel'][]) {
  describe(`d4: statistics equal brute force (${kernel} kernels)`, () => {
    it('sum, mean and counts', async () => {
      await fc.assert(
        fc.asyncProperty(case_, async ({ track, intervals, thresholds, way }) => {
          const file = await openedBy(way, buildFile(track), { kernel });
          const found = await file.statistics({ intervals, thresholds });
          expect(found).to.have.length(intervals.length);
          compared += intervals.length;
          for (const [i, interval] of intervals.entries()) {
            const all = depthsIn(track, interval.chromosome, interval.begin, interval.end);
            const stored = all.map((depth) => Math.round(depth * denominatorOf(track)));
            const sum = stored.reduce((a, b) => a + b, 0);
            expect(found[i]).to.deep.equal({
              ...interval,
              bases: all.length,
              sum: sum,
              mean: all.length === 0 ? 0 : sum / all.length / denominatorOf(track),
              counts: thresholds.map((threshold) => all.filter((depth) => depth >= threshold).length),
            });
          }
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 30) },
      );
    });

    it('range, percentiles, histogram and counts in the same pass', async () => {
      const percentiles = [50, 0, 100, 25, 99.9];
      await fc.assert(
        fc.asyncProperty(case_, async ({ track, intervals, thresholds, way }) => {
          const file = await openedBy(way, buildFile(track), { kernel });
          const found = await file.statistics({ intervals, thresholds, percentiles, range: true, histogram: true });
          compared += intervals.length;
          for (const [i, interval] of intervals.entries()) {
            const all = depthsIn(track, interval.chromosome, interval.begin, interval.end);
            const row = found[i];
            if (all.length === 0) {
              expect(row).to.include({ bases: 0, sum: 0, mean: 0 }).and.not.have.any.keys('min', 'max');
              expect(row).to.deep.include({ percentiles: [], histogram: [] });
              continue;
            }
            expect(row?.min).to.equal(Math.min(...all));
            expect(row?.max).to.equal(Math.max(...all));
            expect(row?.counts).to.deep.equal(thresholds.map((t) => all.filter((depth) => depth >= t).length));
            row?.percentiles?.forEach((value, k) => {
              expect(value).to.be.closeTo(percentileOf(all, percentiles[k] as number), 1e-9 * Math.abs(value) + 1e-9);
            });
            const counted = new Map<number, number>();
            for (const depth of all) counted.set(depth, (counted.get(depth) ?? 0) + 1);
            const ascending = [...counted].sort(([a], [b]) => a - b).map(([depth, bases]) => ({ depth, bases }));
            expect(row?.histogram?.map(({ depth, bases }) => ({ depth: depth || 0, bases }))).to.deep.equal(
              ascending.map(({ depth, bases }) => ({ depth: depth || 0, bases })),
            );
          }
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 20) },
      );
    });

    it('one histogram of all intervals together', async () => {
      await fc.assert(
        fc.asyncProperty(case_, async ({ track, intervals, way }) => {
          const file = await openedBy(way, buildFile(track), { kernel });
          const counted = new Map<number, number>();
          for (const { chromosome, begin, end } of intervals) {
            for (const depth of depthsIn(track, chromosome, begin, end)) {
              counted.set(depth || 0, (counted.get(depth || 0) ?? 0) + 1);
            }
          }
          const ascending = [...counted].sort(([a], [b]) => a - b).map(([depth, bases]) => ({ depth, bases }));
          const found = await file.histogram({ intervals });
          compared++;
          expect(found.map(({ depth, bases }) => ({ depth: depth || 0, bases }))).to.deep.equal(ascending);
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 20) },
      );
    });

    it('columns equal rows', async () => {
      const percentiles = [50, 99.9];
      await fc.assert(
        fc.asyncProperty(case_, async ({ track, intervals, thresholds, way }) => {
          const file = await openedBy(way, buildFile(track), { kernel });
          const asked = { intervals, thresholds, percentiles, range: true };
          const rows = await file.statistics(asked);
          const { bases, sums, means, counts, min, max, percentiles: found } = await file.columns(asked);
          expect(Array.from(bases)).to.deep.equal(rows.map((row) => row.bases));
          expect(Array.from(sums)).to.deep.equal(rows.map((row) => row.sum));
          expect(Array.from(means)).to.deep.equal(rows.map((row) => row.mean));
          expect(Array.from(counts)).to.deep.equal(rows.flatMap((row) => row.counts));
          const none = Number.NaN;
          expect(Array.from(min)).to.deep.equal(rows.map((row) => row.min ?? none));
          expect(Array.from(max)).to.deep.equal(rows.map((row) => row.max ?? none));
          const depths = rows.flatMap((row) => (row.percentiles?.length ? row.percentiles : [none, none]));
          expect(Array.from(found)).to.deep.equal(depths);
          const sliced = [];
          for await (const some of file.rows(asked)) sliced.push(...some);
          expect(sliced).to.deep.equal(rows);
          compared += rows.length;
          const { sums: alone, counts: without, min: unasked } = await file.columns({ intervals });
          expect(Array.from(alone)).to.deep.equal(Array.from(sums));
          expect([without.length, unasked.length]).to.deep.equal([0, 0]);
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 15) },
      );
    });

    it('depths, runs, and runs below or above a threshold', async () => {
      await fc.assert(
        fc.asyncProperty(case_, fc.integer({ min: 0, max: 60 }), async ({ track, intervals, way }, threshold) => {
          const file = await openedBy(way, buildFile(track));
          for (const interval of intervals.slice(0, 8)) {
            const all = depthsIn(track, interval.chromosome, interval.begin, interval.end);
            const expected = runsOf(all, interval.begin);
            expect(Array.from(await depths(file.track(), interval, { kernel }))).to.deep.equal(all);
            const found: [number, number, number][] = [];
            for await (const { begins, ends, depths } of runs(file.track(), interval, { kernel })) {
              for (let i = 0; i < begins.length; i++) {
                found.push([begins[i] as number, ends[i] as number, depths[i] as number]);
              }
            }
            expect(found).to.deep.equal(expected);
            compared += 2;
            for (const test of [{ below: threshold }, { atLeast: threshold }]) {
              const passes = all.map((depth) => Number('below' in test ? depth < threshold : depth >= threshold));
              const list: [number, number][] = [];
              for await (const { begin, end } of stretches(file.track(), interval, test, { kernel, minLength: 3 })) {
                list.push([begin, end]);
              }
              const wanted = runsOf(passes, interval.begin).filter(([b, e, pass]) => pass === 1 && e - b >= 3);
              expect(list).to.deep.equal(wanted.map(([b, e]) => [b, e]));
              compared++;
            }
          }
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 15) },
      );
    });
  });
}

describe('d4: statistics of all files', () => {
  // Forty-one for each history: the long run has a thousand.
  const least = 41 * Number(process.env.TEST_HISTORIES ?? 10);

  it(`are at least ${least} results that were compared`, () => {
    expect(compared).to.be.at.least(least);
  });
});
