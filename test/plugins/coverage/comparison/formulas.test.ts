/** The formulas of comparisons. Expected numbers are from NumPy 2.4.6 and SciPy 1.17.1, with the call beside each, or by hand. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  mannWhitney,
  normalisedDepth,
  percentileInCohort,
  quantile,
  quantiles,
  robustZ,
  spreadOfValues,
  statementOfCohort,
  upperTail,
  westgard,
} from '../../../../plugins/coverage/cohorts/statistics.js';

const exons = [0.2, 1.0, 0.9, 1.1, 1.05, 0.95, 1.3];
/** 25 values: ((i * 37) % 101) / 100 for i in range(25). */
const spread25 = Array.from({ length: 25 }, (_, i) => ((i * 37) % 101) / 100);

describe('formulas of comparisons', () => {
  it('interpolate quantiles as Hyndman and Fan 7', () => {
    // numpy.quantile(exons, q, method='linear')
    const expected = [
      [0, 0.2],
      [0.05, 0.41],
      [0.25, 0.925],
      [0.5, 1],
      [0.95, 1.24],
      [1, 1.3],
    ] as const;
    for (const [fraction, value] of expected) {
      expect(quantile(Float64Array.from(exons), fraction), `${fraction}`).to.be.closeTo(value, 1e-12);
    }
    expect(quantile(Float64Array.from([7]), 0.05)).to.equal(7);
    expect(quantile(Float64Array.from([]), 0.5)).to.be.NaN;
  });

  it('find each order statistic, whatever the order and repeats', () => {
    const values = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(values, (list) => {
        const sorted = list.toSorted((a, b) => a - b);
        const [scratch, last] = [Float64Array.from(list), Math.max(1, list.length - 1)];
        for (const [rank, value] of sorted.entries()) expect(quantile(scratch, rank / last)).to.be.closeTo(value, 1e-9);
      }),
    );
  });

  it('find several quantiles at once as one by one', () => {
    const values = fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 60 });
    const fractions = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(values, fractions, (list, twentieths) => {
        const asked = twentieths.map((one) => one / 20);
        const sorted = list.toSorted((a, b) => a - b);
        const expected = asked.map((fraction) => {
          const place = (sorted.length - 1) * fraction;
          const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
          if (low === undefined || high === undefined) return Number.NaN;
          return low === high ? low : low + (high - low) * (place - Math.floor(place));
        });
        expect(quantiles(Float64Array.from(list), asked)).to.deep.equal(expected);
      }),
    );
  });

  it('find quantiles of thousands as sorting does, and leave the values as they are', () => {
    const count = 4000;
    const noise = (i: number) => (Math.imul(i + 1, 2_654_435_761) >>> 0) / 2 ** 32;
    const lists: Record<string, (i: number) => number> = {
      'evenly spread': noise,
      'fully covered but for a few': (i) => (noise(i) < 0.9 ? 150 : Math.floor(150 * noise(i + count))),
      'a few that are far away': (i) => (i % 997 === 0 ? 1e9 * noise(i) : 1 + noise(i) / 1000),
      'of a geometric series': (i) => 2 ** Math.floor(2000 * noise(i) - 1000),
      'further apart than a number can say': (i) => (noise(i) - 0.5) * Number.MAX_VALUE * 1.9,
      'as close as numbers can be': (i) => Math.floor(1000 * noise(i)) * Number.MIN_VALUE,
      sorted: (i) => i / 7,
      'all equal': () => 12.5,
    };
    const fractions = [0.5, 0.05, 0.95, 0, 1, 0.25, 1 / 3];
    for (const [what, of] of Object.entries(lists)) {
      const values = Float64Array.from({ length: count }, (_, i) => of(i));
      const before = values.slice();
      const sorted = values.toSorted();
      const expected = fractions.map((fraction) => {
        const place = (count - 1) * fraction;
        const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
        return low === high ? low : low + (high - low) * (place - Math.floor(place));
      });
      expect(quantiles(values, fractions), what).to.deep.equal(expected);
      expect(values, what).to.deep.equal(before);
    }
  });

  it('place a value among the others by its mid-rank', () => {
    // scipy.stats.percentileofscore([1, 2, 2, 2, 3, 5, 5, 9], value, kind='mean')
    const expected = [
      [0, 0],
      [2, 31.25],
      [4, 62.5],
      [5, 75],
      [9, 93.75],
      [10, 100],
    ] as const;
    const sorted = Float64Array.from([9, 5, 2, 1, 5, 2, 3, 2]);
    for (const [value, percentile] of expected)
      expect(percentileInCohort(sorted, value), `${value}`).to.equal(percentile);
    expect(percentileInCohort(Float64Array.from(new Array(30).fill(1)), 1), 'all are equal').to.equal(50);
  });

  it('agree with counting, whatever the values', () => {
    const values = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.integer({ min: -4, max: 4 }), (list, own) => {
        const less = list.filter((one) => one < own).length;
        const equal = list.filter((one) => one === own).length;
        expect(percentileInCohort(Float64Array.from(list), own)).to.be.closeTo(
          (100 * (less + equal / 2)) / list.length,
          1e-9,
        );
      }),
    );
  });

  it('measure the distance from a cohort by median and MAD, and none if the MAD is 0', () => {
    // By hand: median 1; deviations 0.8, 0, 0.1, 0.1, 0.05, 0.05, 0.3, their median 0.1; (0.2 − 1) / 0.14826.
    const own = spreadOfValues(Float64Array.from(exons));
    expect(own.median).to.equal(1);
    expect(own.mad).to.be.closeTo(0.1, 1e-12); // scipy.stats.median_abs_deviation(exons)
    expect(robustZ(0.2, own)).to.be.closeTo(-5.395926075812763, 1e-9);
    expect(robustZ(3, spreadOfValues(Float64Array.from([1, 1, 1, 9])))).to.equal(undefined);
  });

  it('divide depths by the median of the sample', () => {
    expect(normalisedDepth(30, 120)).to.equal(0.25);
    expect(normalisedDepth(30, 0)).to.equal(undefined);
    expect(normalisedDepth(30, Number.NaN)).to.equal(undefined);
  });

  it('state median and percentiles of 20 samples, and the values of 19', () => {
    // numpy.quantile(spread25, [0.05, 0.5, 0.95]) and scipy.stats.percentileofscore(spread25, 0.37, kind='mean')
    const found = statementOfCohort(Float64Array.from(spread25), 0.37);
    expect(found).to.have.all.keys('n', 'median', 'low', 'high', 'percentile');
    expect(found).to.deep.include({ n: 25, median: 0.47, percentile: 38 });
    if (!('low' in found)) throw new Error('percentiles were expected');
    expect(found.low).to.be.closeTo(0.036, 1e-12);
    expect(found.high).to.be.closeTo(0.926, 1e-12);
    expect(statementOfCohort(Float64Array.from(spread25.slice(0, 20)), undefined)).to.have.all.keys(
      'n',
      'median',
      'low',
      'high',
    );
    expect(statementOfCohort(Float64Array.of(3, 1, 2), 2)).to.deep.equal({ n: 3, values: [1, 2, 3] });
    expect(statementOfCohort(Float64Array.from(spread25.slice(0, 19)), 1))
      .to.have.property('values')
      .with.lengthOf(19);
    expect(statementOfCohort(new Float64Array(), 1)).to.deep.equal({ n: 0, values: [] });
  });

  it('test two groups as Mann and Whitney', () => {
    // scipy.stats.mannwhitneyu(x, y, alternative='two-sided', method='asymptotic')
    const close = (x: number[], y: number[], u: number, p: number) => {
      const found = mannWhitney(Float64Array.from(x), Float64Array.from(y));
      expect(found?.u).to.equal(u);
      expect((found?.p ?? 0) / p).to.be.closeTo(1, 1e-9);
    };
    close([1.2, 0.4, 2.2, 1.9, 3.1, 0.4], [0.1, 0.4, -0.3, 0.9, 0.0, 0.4, -1.1, 0.2], 44, 0.010910015602073936);
    const from = (first: number, length: number) => Array.from({ length }, (_, i) => first + i);
    close(from(30, 30), from(0, 40), 1150, 6.940573105159873e-11);
    close([1, 2, 3], [2, 3, 1], 4.5, 1);
    expect(mannWhitney(Float64Array.of(), Float64Array.of(1))).to.equal(undefined);
    expect(mannWhitney(Float64Array.of(2, 2), Float64Array.of(2, 2))).to.equal(undefined);
  });

  it('know the tail of the normal distribution', () => {
    // scipy.stats.norm.sf(z)
    const expected = [
      [0, 0.5],
      [0.5, 0.3085375387259869],
      [1.96, 0.024997895148220435],
      [2.9, 0.0018658133003840375],
      [3.1, 0.0009676032132183563],
      [5, 2.866515718791933e-7],
      [8, 6.22096057427174e-16],
      [20, 2.7536241186061556e-89],
    ] as const;
    for (const [z, tail] of expected) expect(upperTail(z) / tail, `${z}`).to.be.closeTo(1, 1e-11);
  });

  it('apply the rules of Westgard', () => {
    const last = (...distances: (number | undefined)[]) => westgard(distances).at(-1);
    expect(last(1.9)).to.deep.equal([]);
    expect(last(-2.1)).to.deep.equal(['1-2s']);
    expect(last(3.1)).to.deep.equal(['1-3s', '1-2s']);
    expect(last(2.1, 2.2)).to.deep.equal(['2-2s', '1-2s']);
    expect(last(2.1, -2.2)).to.deep.equal(['R-4s', '1-2s']);
    expect(last(-2.1, undefined, -2.2)).to.deep.equal(['1-2s']);
    expect(last(1.1, 1.2, 1.3, 1.4)).to.deep.equal(['4-1s']);
    expect(last(1.1, 1.2, 0.9, 1.4)).to.deep.equal([]);
    expect(last(...new Array(10).fill(-0.1))).to.deep.equal(['10-x']);
    expect(last(...new Array(9).fill(-0.1))).to.deep.equal([]);
    expect(last(...new Array(9).fill(-0.1), 0)).to.deep.equal([]);
    expect(last(4, undefined)).to.deep.equal([]);
  });
});
