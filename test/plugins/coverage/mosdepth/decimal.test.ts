import { expect } from 'chai';
import fc from 'fast-check';
import { regionMeans } from '../../../../plugins/coverage/commands/mosdepth/by-regions.js';
import { decimal } from '../../../../plugins/coverage/commands/mosdepth/options.js';
import { memorySource, openD4 } from '../../../../plugins/coverage/d4/index.js';
import { buildFile } from '../d4/support/build.js';

/** As C prints a number: its exact value, rounded to the nearest decimal, half to even. */
function printed(value: number, precision: number): string {
  // Doubling is exact: value = doubled / 2^exponent.
  let [doubled, exponent] = [value, 0];
  for (; !Number.isInteger(doubled); exponent++) doubled *= 2;
  const numerator = BigInt(doubled);
  const denominator = 1n << BigInt(exponent);
  const scaled = numerator * 10n ** BigInt(precision);
  let whole = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  if (twice > denominator || (twice === denominator && whole % 2n === 1n)) whole++;
  const digits = String(whole).padStart(precision + 1, '0');
  return `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

describe('d4 mosdepth: numbers', () => {
  it('are rounded as C does', () => {
    expect([0.125, 0.375, 2.5, 0.005, 1.005, 12.345, 0].map((value) => decimal(value, 2))).to.deep.equal([
      '0.12',
      '0.38',
      '2.50',
      '0.01',
      '1.00',
      '12.35',
      '0.00',
    ]);
    const eighths = fc.nat(8_000_000).map((value) => value / 8);
    const values = fc.oneof(eighths, fc.double({ min: 0, max: 1e6, noNaN: true }));
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 9 }), (value, precision) => {
        expect(decimal(value, precision)).to.equal(printed(value, precision));
      }),
    );
  });

  it('of regions have the digits of depths that are divided first and added base by base', async () => {
    const size = 4000;
    const depths = Int32Array.from({ length: size }, (_, i) => (i * 7919 + ((i * i) % 97)) % 41);
    const file = await openD4(
      memorySource(
        buildFile({
          chromosomes: [{ name: 'chr1', size, depths }],
          values: Array.from({ length: 64 }, (_, i) => i),
          simple: true,
          cuts: [[]],
          deflate: false,
          firstFrame: 512,
        }),
        'memory',
      ),
    );
    const lengths = [8, 16, 24, 40, 56, 120, 200, 1000, 7];
    const regions = lengths.flatMap((length) =>
      Array.from({ length: Math.floor(size / length) }, (_, i) => ({
        chromosome: 'chr1',
        begin: i * length,
        end: (i + 1) * length,
        name: '',
      })),
    );
    regions.sort((a, b) => a.begin - b.begin);
    const { sums } = await file.columns({ intervals: regions });
    const meanOf = await regionMeans(file.track(), regions, sums, 2);
    let unlike = 0;
    for (const [i, { begin, end }] of regions.entries()) {
      let mean = 0;
      for (let at = begin; at < end; at++) mean += (depths[at] as number) / (end - begin);
      expect(decimal(meanOf(i), 2), `${begin}-${end}`).to.equal(printed(mean, 2));
      expect(Math.round(meanOf(i)), `${begin}-${end}`).to.equal(Math.floor(mean + 0.5));
      if (printed((sums[i] as number) / (end - begin), 2) !== printed(mean, 2)) unlike++;
    }
    expect(unlike, 'means that sum / length would print otherwise').to.be.greaterThan(5);
  });
});
