/** Uniformity of depths: against a model that keeps every base, and in all formats of a report. */
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { picardDepths, type Uniformity, uniformityOfDepths } from '../../../plugins/coverage/measure/uniformity.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { useEach } from '../../support/use.js';
import { chromosomesOf, type Run, writeD4 } from './support/d4.js';
import { serveCoverage } from './support/serve.js';

describe('uniformity', () => {
  /** Keeps every base, and follows the formulas word by word. */
  function model(targets: readonly (readonly number[])[]): Record<string, number | undefined> {
    const bases = targets.flat().sort((a, b) => a - b);
    const nonzero = targets.filter((own) => own.some((depth) => depth > 0)).flat();
    const mean = (list: readonly number[]) => list.reduce((sum, depth) => sum + depth, 0) / list.length;
    /** The least depth that at least a fifth of the bases do not exceed. */
    const p20 = (list: readonly number[]) =>
      Math.min(...list.filter((depth) => list.filter((other) => other <= depth).length * 5 >= list.length));
    const quantile = (fraction: number) => {
      const place = (bases.length - 1) * fraction;
      const [low, high] = [bases[Math.floor(place)] as number, bases[Math.ceil(place)] as number];
      return low + (high - low) * (place % 1);
    };
    const over = (value: number, divisor: number) => (divisor === 0 ? undefined : value / divisor);
    const [q1, q2, q3] = [quantile(0.25), quantile(0.5), quantile(0.75)];
    const all = mean(bases);
    return {
      mean: all,
      median: q2,
      max: bases.at(-1),
      percentile20: p20(bases),
      fold80: over(all, p20(bases)),
      fold80Nonzero: nonzero.length === 0 ? undefined : over(mean(nonzero), p20(nonzero)),
      atFifthOfMean: bases.filter((depth) => depth >= all / 5).length / bases.length,
      evenness: over(mean(bases.map((depth) => Math.min(depth, all))), all),
      cqvOfMedian: over(q3 - q1, q2),
      cqv: over(q3 - q1, q3 + q1),
      zeroTargets: targets.filter((own) => own.every((depth) => depth === 0)).length,
    };
  }

  function counted(targets: readonly (readonly number[])[]): Uniformity {
    const depths = new Map<number, number>();
    for (const depth of targets.flat()) depths.set(depth, (depths.get(depth) ?? 0) + 1);
    const histogram = [...depths].sort(([a], [b]) => a - b).map(([depth, bases]) => ({ depth, bases }));
    const zero = targets.filter((own) => own.every((depth) => depth === 0));
    const found = uniformityOfDepths(histogram, {
      targets: targets.length,
      zero: { targets: zero.length, bases: zero.flat().length },
    });
    if (found === undefined) throw new Error('there are bases');
    return found;
  }

  it('is what a model finds that keeps every base', () => {
    const depths = fc.constantFrom(1, 3, 40, 500).chain((most) => fc.nat(most));
    const target = fc.oneof(
      { weight: 3, arbitrary: fc.array(depths, { minLength: 1, maxLength: 30 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((length) => new Array<number>(length).fill(0)) },
    );
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 5 }), (targets) => {
        const { atDepth, targets: all, quartiles: _, ...found } = counted(targets);
        const expected = model(targets);
        expect(all).to.equal(targets.length);
        for (const [name, value] of Object.entries(expected)) {
          if (value === undefined) expect(found).to.have.property(name, undefined);
          else expect(found, name).to.have.property(name).that.is.closeTo(value, 1e-9);
        }
        const bases = targets.flat();
        expect(atDepth).to.deep.equal(
          picardDepths.map((depth) => bases.filter((own) => own >= depth).length / bases.length),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('counts a base at exactly a fifth of the mean', () => {
    // The mean is 10: (2 + 18) / 2.
    expect(counted([[2, 18]]).atFifthOfMean).to.equal(1);
    expect(counted([[1, 19]]).atFifthOfMean).to.equal(0.5);
  });

  it('is not stated without bases', () => {
    expect(uniformityOfDepths([], { targets: 0, zero: { targets: 0, bases: 0 } })).to.equal(undefined);
  });

  describe('of reports', () => {
    const folder = useFolder();
    const server = useEach(() => serveCoverage({ settings: { roots: [folder.path()] } }));

    /** Ten bases each of 10x, 20x and 40x on chromosome 1; the file lacks chromosome 2. */
    function made(): string {
      const runs: Run[] = [
        { chromosome: '1', begin: 1000, end: 1010, depth: 10 },
        { chromosome: '1', begin: 1010, end: 1020, depth: 20 },
        { chromosome: '1', begin: 1020, end: 1030, depth: 40 },
      ];
      return writeD4(join(folder.path(), 'a.d4'), { chromosomes: chromosomesOf('GRCh38'), runs });
    }

    async function report(more: Record<string, string>) {
      const fields = {
        build: 'GRCh38',
        interval_type: 'custom_intervals',
        // The second lies in the first; the third has no reads, and shares its bases with the fourth, half of which have.
        intervals_bed: '1\t1000\t1020\tboth\n1\t1005\t1015\tinside\n1\t1030\t1040\tnone\n1\t1020\t1040\thalf\n',
        samples: JSON.stringify([{ name: 'S1', coverage_file_path: made() }]),
        default_level: '10',
      };
      return (await request(`${server.url}/report`, { form: { ...fields, ...more } })).text;
    }

    it('state it as JSON, with the names of Picard', async () => {
      const { samples } = JSON.parse(await report({ format: 'json' }));
      // Distinct bases: ten each of 0, 10, 20 and 40. The mean is 17.5; each fifth of the bases is 8, so that the 20th
      // percentile is 0. No base is in intervals without reads alone.
      expect(samples[0].uniformity).to.deep.equal({
        fold_80: null,
        fold_80_nonzero: null,
        percentile_20: 0,
        at_fifth_of_mean: 0.75,
        // (0 + 10 + 17.5 + 17.5) / 4 / 17.5
        evenness: 45 / 70,
        // The 9.75th and 29.25th base in order, from 0: a quarter of the way from the last 0 to the first 10.
        quartiles: [7.5, 25],
        cqv_of_median: 17.5 / 15,
        cqv: 17.5 / 32.5,
        zero_coverage_intervals: 1,
        picard_names: {
          MEAN_TARGET_COVERAGE: 17.5,
          MEDIAN_TARGET_COVERAGE: 15,
          MAX_TARGET_COVERAGE: 40,
          FOLD_80_BASE_PENALTY: null,
          ZERO_CVG_TARGETS_PCT: 0.25,
          PCT_TARGET_BASES_1X: 0.75,
          PCT_TARGET_BASES_2X: 0.75,
          PCT_TARGET_BASES_10X: 0.75,
          PCT_TARGET_BASES_20X: 0.5,
          PCT_TARGET_BASES_30X: 0.25,
          PCT_TARGET_BASES_40X: 0.25,
          PCT_TARGET_BASES_50X: 0,
          PCT_TARGET_BASES_100X: 0,
        },
      });
    });

    it('leave intervals without reads out of the second fold-80, and count bases that the file lacks', async () => {
      const intervals_bed = '1\t1000\t1020\tboth\n1\t1030\t1040\tnone\n2\t100\t110\tlacking\n';
      const { samples } = JSON.parse(await report({ format: 'json', intervals_bed }));
      // Forty bases: twenty without depth, ten of 10x, ten of 20x; of the first interval alone the mean is 15 and the
      // 20th percentile 10.
      expect(samples[0].uniformity).to.deep.include({
        fold_80: null,
        fold_80_nonzero: 1.5,
        zero_coverage_intervals: 2,
      });
      expect(samples[0].uniformity.picard_names).to.include({ MEAN_TARGET_COVERAGE: 7.5, ZERO_CVG_TARGETS_PCT: 2 / 3 });
    });

    it('show it with the formulas, in both languages, and as CSV and PDF', async () => {
      const intervals_bed = '1\t1000\t1030\tall\n';
      const page = await report({ format: 'html', lang: 'en', intervals_bed });
      for (const shown of ['Uniformity', 'Fold-80', '2.333', 'FOLD_80_BASE_PENALTY', 'Mokry'])
        expect(page).to.include(shown);
      expect(await report({ format: 'html', lang: 'sv', intervals_bed }))
        .to.include('Jämnhet')
        .and.include('2,333');
      expect(await report({ format: 'csv', table: 'uniformity', intervals_bed })).to.equal(
        'sample,median_coverage,max_coverage,fold_80,fold_80_nonzero,at_fifth_of_mean_percent,evenness,cqv_of_median,cqv,' +
          // Mean 70 / 3, 20th percentile 10; evenness (10 + 20 + 70 / 3) / 70; quartiles 10 and 40.
          'zero_coverage_intervals_percent,bases_counted\r\nS1,20,40,2.333,2.333,100,0.762,1.5,0.6,0,custom_intervals\r\n',
      );
    });
  });
});
