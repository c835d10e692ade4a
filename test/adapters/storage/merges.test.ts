/** Which segments are merged: however loads of any size follow one another, removing a sample rewrites a bounded part. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type MergeableSegment, mergesOfSegments, mostRewritten } from '../../../adapters/knex/beacon/segment.js';

/** A segment with the rows of its loads. */
type Merged = MergeableSegment & { of: readonly number[] };

let number = 0;

function load(rows: number, fields: Partial<Merged> = {}): Merged {
  number += 1;
  return { id: number, generation: 0, loads: 1, rows, samples: 1, cases: [`c${number}`], of: [rows], ...fields };
}

/** `shared` is the part of the smallest segment's rows that all have. */
function merged(segments: readonly Merged[], shared: number): Merged {
  number += 1;
  const sum = (of: (segment: Merged) => number) => segments.reduce((total, segment) => total + of(segment), 0);
  const common = Math.floor(shared * Math.min(...segments.map(({ rows }) => rows)));
  return {
    id: number,
    generation: segments[0]?.generation ?? 0,
    loads: sum(({ loads }) => loads),
    rows: sum(({ rows }) => rows) - (segments.length - 1) * common,
    samples: sum(({ samples }) => samples),
    cases: segments.flatMap(({ cases }) => cases),
    of: segments.flatMap(({ of }) => of),
  };
}

function settled(segments: readonly Merged[], shared = 0.6): Merged[] {
  let all = [...segments];
  for (let merges = mergesOfSegments(all); merges.length > 0; merges = mergesOfSegments(all)) {
    const done = new Set(merges.flat());
    expect(done.size, 'each segment is in one group').to.equal(merges.flat().length);
    all = [...all.filter((segment) => !done.has(segment)), ...merges.map((merge) => merged(merge, shared))];
  }
  return all;
}

describe('Segments to be merged', () => {
  it('removing a sample rewrites at most a fixed multiple of its load', () => {
    const loads = fc.record({
      rows: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 0, max: 6_000_000 })),
      generation: fc.nat(1),
      samples: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(loads, { maxLength: 300, size: 'max' }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (some, shared) => {
          let all: Merged[] = [];
          for (const each of some) all = settled([...all, load(each.rows, each)], shared);
          for (const { rows, of } of all) {
            if (of.length > 1) expect(rows).to.be.at.most(mostRewritten * Math.max(Math.min(...of), 100));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of loads of one size, however many, few segments remain', () => {
    let all: Merged[] = [];
    for (let n = 1; n <= 1000; n++) {
      all = settled([...all, load(2000)]);
      // 64 loads each, and at most seven of eight and seven of one.
      expect(all.length).to.be.at.most(Math.floor(n / 64) + 14);
    }
    // 1000 = 15 × 64 + 5 × 8.
    expect(all.map(({ loads }) => loads).sort((one, other) => other - one)).to.deep.equal([
      ...Array.from({ length: 15 }, () => 64),
      ...Array.from({ length: 5 }, () => 8),
    ]);
  });

  it('removal rewrites at most 64 times the rows of a load if all are of one size', () => {
    const all = settled(
      Array.from({ length: 200 }, () => load(2000)),
      0,
    );
    expect(Math.max(...all.map(({ rows }) => rows))).to.equal(64 * 2000);
  });

  it('brings the samples of a case together', () => {
    const family = [0, 11].map((n) => ({ n, fields: { cases: ['family'] } }));
    const loads = Array.from({ length: 12 }, (_, n) => load(500, family.find((each) => each.n === n)?.fields));
    const [merge] = mergesOfSegments(loads);
    expect(merge).to.include(loads[0]);
    expect(merge).to.include(loads[11]);
  });

  it('leaves alone what differs in size, is a genome, or is of another generation', () => {
    expect(mergesOfSegments(Array.from({ length: 9 }, (_, n) => load(200 * 3 ** n)))).to.deep.equal([]);
    expect(mergesOfSegments(Array.from({ length: 70 }, () => load(4_500_000)))).to.deep.equal([]);
    expect(mergesOfSegments(Array.from({ length: 14 }, (_, n) => load(500, { generation: n % 2 })))).to.deep.equal([]);
  });
});
