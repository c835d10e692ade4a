/** The covered regions of many samples in one list, against a look at every base. */
import { expect } from 'chai';
import fc from 'fast-check';
import { MergedRuns, mergedRuns } from '../../../../plugins/coverage/samples/tracks/merged-runs.js';

const window = { start: 2 ** 21, end: 2 ** 21 + 200 };

/** For each sample whether it covers each base of the window. */
const cover = fc.array(fc.array(fc.boolean(), { minLength: 200, maxLength: 200 }), { minLength: 1, maxLength: 64 });

function runsOf(covered: readonly boolean[]): Uint32Array {
  const runs: number[] = [];
  for (let i = 0; i <= covered.length; i++) {
    if ((covered[i] ?? false) !== (covered[i - 1] ?? false)) runs.push(window.start + i);
  }
  return Uint32Array.from(runs);
}

/** The samples that are found at each place, of one track between two others. */
function found(merged: MergedRuns, places: readonly { start: number; end: number }[]): number[][] {
  const words = new Int32Array(6 * places.length).fill(-1);
  const [starts, ends] = [places.map(({ start }) => start), places.map(({ end }) => end)];
  const sorted = { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), count: places.length };
  merged.find(sorted, words, 2, 6);
  return places.map((_, i) => {
    const others = [0, 1, 4, 5].map((word) => words[6 * i + word]);
    expect(others).to.deep.equal([-1, -1, -1, -1]);
    const bits = (word: number) => ((words[6 * i + 2 + word] as number) >>> 0).toString(2).padStart(32, '0');
    return [...(bits(1) + bits(0))].reverse().flatMap((bit, sample) => (bit === '1' ? [sample] : []));
  });
}

describe('merged runs', () => {
  it('have the samples that cover every base of each place, in any number of questions', () => {
    const interval = fc
      .tuple(fc.nat(199), fc.nat(30))
      .map(([from, more]) => ({ start: window.start + from, end: window.start + Math.min(from + 1 + more, 200) }));
    fc.assert(
      fc.property(cover, fc.array(fc.array(interval, { maxLength: 20 }), { maxLength: 4 }), (samples, questions) => {
        const merged = new MergedRuns(mergedRuns(samples.map(runsOf), window), window.start);
        for (const places of questions) {
          places.sort((one, other) => one.end - other.end);
          const expected = places.map(({ start, end }) =>
            samples.flatMap((covered, sample) =>
              covered.slice(start - window.start, end - window.start).every(Boolean) ? [sample] : [],
            ),
          );
          expect(found(merged, places)).to.deep.equal(expected);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are stored as differences of two bytes, and of four after 65,535', () => {
    const far = { start: 0, end: 2 ** 21 };
    // Sample 1 from base 2 on: 2 × 64 + 1. Sample 0 from base 1,026: 64 × 1,026 − 129 = 65,535. To the end of the window.
    const content = mergedRuns([Uint32Array.of(1026, 2 ** 21), Uint32Array.of(2, 2 ** 21)], far);
    expect([...content]).to.deep.equal([129, 0, 255, 255, 255, 255, 0, 0]);
    const merged = new MergedRuns(content, 0);
    const places = [1, 2, 1025, 1026, 2 ** 21 - 1].map((start) => ({ start, end: start + 1 }));
    expect(found(merged, places)).to.deep.equal([[], [1], [1], [0, 1], [0, 1]]);
    // The last change of a window, on the last base of it, of the last sample.
    const last = mergedRuns(
      Array.from({ length: 64 }, (_, i) => (i < 63 ? new Uint32Array(0) : Uint32Array.of(2 ** 21 - 1, 2 ** 21))),
      far,
    );
    expect(found(new MergedRuns(last, 0), places)).to.deep.equal([[], [], [], [], [63]]);
    expect(found(new MergedRuns(new Uint8Array(0), 0), places)).to.deep.equal([[], [], [], [], []]);
  });
});
