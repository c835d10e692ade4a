/** How many copies of a place a sample is expected to have, against a model that looks at each base. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  copiesAt,
  dependsOnSex,
  placeKindsOf,
  readCopies,
  type SexCopies,
} from '../../../plugins/coverage/measure/copies.js';
import { karyotypeOfCopies, lacksY } from '../../../plugins/coverage/measure/karyotype.js';

/** Of the assembly reports of the Genome Reference Consortium, 1-based with both ends. */
const pars = {
  GRCh37: {
    X: [60_001, 2_699_520, 154_931_044, 155_260_560],
    Y: [10_001, 2_649_520, 59_034_050, 59_363_566],
  },
  GRCh38: {
    X: [10_001, 2_781_479, 155_701_383, 156_030_895],
    Y: [10_001, 2_781_479, 56_887_903, 57_217_415],
  },
} as const;

/** X and Y of each karyotype, read off its letters. */
const letters = ['XX', 'XY', 'X0', 'XXY', 'XYY', 'XXX'] as const;
const counted = (karyotype: string): SexCopies => ({
  x: [...karyotype].filter((letter) => letter === 'X').length,
  y: [...karyotype].filter((letter) => letter === 'Y').length,
});

/** Zero-based base → copies. */
function copiesOfBase(chromosome: string, base: number, build: 'GRCh37' | 'GRCh38', own: SexCopies | undefined) {
  if (chromosome === 'MT') return undefined;
  if (chromosome !== 'X' && chromosome !== 'Y') return 2;
  const [a, b, c, d] = pars[build][chromosome];
  const place = base + 1;
  if ((place >= a && place <= b) || (place >= c && place <= d)) return 2;
  return chromosome === 'X' ? own?.x : own?.y;
}

describe('coverage: expected copies', () => {
  it('has at each place what the karyotype has, on both builds', () => {
    const places = fc.constantFrom('GRCh37' as const, 'GRCh38' as const).chain((build) => {
      // A few bases on either side of each end of a PAR, and elsewhere.
      const near = (chromosome: 'X' | 'Y') =>
        fc
          .tuple(fc.constantFrom(...pars[build][chromosome], 50_000_000), fc.integer({ min: -8, max: 8 }))
          .map(([end, shift]) => ({ chromosome: chromosome as string, start: end + shift }));
      const other = fc.record({ chromosome: fc.constantFrom('1', '22', 'MT'), start: fc.nat(16_000) });
      const region = fc
        .tuple(fc.oneof(near('X'), near('Y'), other), fc.integer({ min: 1, max: 12 }), fc.boolean())
        .map(([{ chromosome, start }, bases, isPrefixed]) => ({ chromosome, start, end: start + bases, isPrefixed }));
      return fc.tuple(fc.constant(build), fc.array(region, { minLength: 1, maxLength: 3 }));
    });
    fc.assert(
      fc.property(places, fc.constantFrom(...letters, undefined), ([build, regions], karyotype) => {
        const own = karyotype === undefined ? undefined : counted(karyotype);
        const each = regions.flatMap(({ chromosome, start, end }) =>
          Array.from({ length: end - start }, (_, i) => copiesOfBase(chromosome, start + i, build, own)),
        );
        const expected = each.every((copies) => copies === each[0]) ? each[0] : undefined;
        const named = regions.map(({ isPrefixed, chromosome, ...rest }) => ({
          ...rest,
          chromosome: isPrefixed ? `chr${chromosome}`.replace('chrMT', 'chrM') : chromosome,
        }));
        expect(copiesAt(placeKindsOf(named, build), readCopies({ karyotype }))).to.equal(expected);
        const isOnSexChromosome = regions.some(({ chromosome, start, end }) =>
          Array.from({ length: end - start }, (_, i) => start + i).some(
            (base) => copiesOfBase(chromosome, base, build, { x: 7, y: 7 }) === 7,
          ),
        );
        expect(dependsOnSex(named, build)).to.equal(isOnSexChromosome);
      }),
      { numRuns: 2000 },
    );
  });

  it('follows the depths, then the declared sex, and nothing if they contradict each other', () => {
    const sexes = ['female', 'male', 'unknown', undefined] as const;
    for (const karyotype of [...letters, undefined]) {
      for (const lacksY of [true, false]) {
        for (const predicted of sexes) {
          for (const declared of sexes) {
            const reading = readCopies({ karyotype, lacksY, predicted, declared });
            const name = JSON.stringify({ karyotype, lacksY, predicted, declared });
            const withY = karyotype?.includes('Y') ?? (lacksY ? false : undefined);
            const byDepth = withY === undefined ? predicted : withY ? 'male' : 'female';
            const isKnown = (sex: string | undefined) => sex === 'female' || sex === 'male';
            if (isKnown(declared) && isKnown(byDepth) && declared !== byDepth) {
              expect(reading, name).to.deep.equal({ by: 'contradiction', declared, found: karyotype ?? byDepth });
            } else if (karyotype !== undefined) {
              expect(reading, name).to.deep.equal({ by: 'karyotype', karyotype, copies: counted(karyotype) });
            } else if (lacksY) {
              const copies = declared === 'female' ? counted('XX') : { y: 0 };
              expect(reading, name).to.deep.equal({ by: 'missing-y', copies });
            } else if (isKnown(declared)) {
              const copies = counted(declared === 'female' ? 'XX' : 'XY');
              expect(reading, name).to.deep.equal({ by: 'declared', sex: declared, copies });
            } else {
              // A ratio of X to Y alone is no karyotype: an assay may not capture Y.
              expect(reading, name).to.deep.equal({ by: 'nothing' });
            }
          }
        }
      }
    }
  });

  it('takes Y for missing by the depths of a genome, not by those of a capture', () => {
    const depths = (unit: 'bins' | 'exons', x: number, y: number, count = 1000) =>
      karyotypeOfCopies({
        unit,
        autosomes: { median: 30, count },
        x: { median: x, count },
        y: { median: y, count },
      });
    // Twice the median depth of Y, divided by 30: 0.2 and 0.27 copies, within and beyond the tolerance of 0.25.
    for (const x of [15, 22, 30, 45]) {
      expect(lacksY(depths('bins', x, 3)), `${x}`).to.equal(true);
      expect(lacksY(depths('bins', x, 4)), `${x}`).to.equal(false);
      expect(lacksY(depths('exons', x, 3)), `${x}`).to.equal(false);
      expect(lacksY(depths('bins', x, 3, 20)), `${x}`).to.equal(false);
    }
  });
});
