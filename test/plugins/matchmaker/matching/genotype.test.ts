import { expect } from 'chai';
import fc from 'fast-check';
import type { GenomicFeature, Variant } from '../../../../plugins/matchmaker/contract.js';
import { bestAssignment } from '../../../../plugins/matchmaker/matching/genotype.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { compareProfiles } from '../../../../plugins/matchmaker/matching/score.js';
import { Work } from '../../../../plugins/matchmaker/matching/work.js';
import type { Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import { completeResources, describeWithShared } from '../resources/support/shared.js';
import { featuresOf, genomicFeature, patientOf, smallWorld } from './support/toy.js';

const weights = { genotype: 0.75, phenotype: 0.25 };

/** What genotypes add to the score, of patients with a term each or, if `bare`, of one or both without. */
function scoring(resources: Resources, bare: 'query' | 'other' | 'both' | 'neither' = 'neither') {
  const profiler = new Profiler(resources);
  const [term] = resources.ontology.size > 100 ? [{ id: 'HP:0001250' }] : featuresOf(220);
  const profileOf = (genomicFeatures: GenomicFeature[], isBare: boolean) => {
    const profile = profiler.profile(patientOf('p', { genomicFeatures, features: isBare || !term ? [] : [term] }));
    expect(profile.mass === 0).to.equal(isBare);
    return profile;
  };
  return (query: GenomicFeature[], other: GenomicFeature[]) => {
    const one = profileOf(query, bare === 'query' || bare === 'both');
    const two = profileOf(other, bare === 'other' || bare === 'both');
    return compareProfiles(one, two, profiler.information, weights).genotype;
  };
}

const gene = (id: string, more: Partial<GenomicFeature> = {}): GenomicFeature => ({ gene: { id }, ...more });
const at = (start: number, more: Partial<Variant> = {}): Variant => ({
  assembly: 'GRCh37',
  referenceName: '1',
  start,
  end: start + 1,
  referenceBases: 'A',
  alternateBases: 'G',
  ...more,
});

function assign(gains: readonly (readonly number[])[], work?: Work): Int32Array {
  return bestAssignment(Int32Array.from(gains.flat()), gains[0]?.length ?? 0, work);
}

/** All ways to assign each row a column of its own, or none. */
function exhaustive(gains: number[][], row = 0, taken: ReadonlySet<number> = new Set()): number {
  const mine = gains[row];
  if (!mine) return 0;
  let best = exhaustive(gains, row + 1, taken);
  mine.forEach((gain, column) => {
    if (!taken.has(column)) best = Math.max(best, gain + exhaustive(gains, row + 1, new Set([...taken, column])));
  });
  return best;
}

describe('matchmaker: genotypes', () => {
  let score: ReturnType<typeof scoring>;
  before(async () => {
    score = scoring(await smallWorld());
  });

  it('finds an optimal assignment', () => {
    const matrix = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })).chain(([rows, columns]) =>
      fc.array(fc.array(fc.nat(20), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(matrix, (gains) => {
        const found = [...assign(gains)];
        const used = found.filter((column) => column >= 0);
        expect(new Set(used).size).to.equal(used.length);
        const sum = found.reduce((total, column, row) => total + (gains[row]?.[column] ?? 0), 0);
        expect(sum).to.equal(exhaustive(gains));
        for (const [row, column] of found.entries()) if (column >= 0) expect(gains[row]?.[column]).to.be.above(0);
      }),
      { numRuns: 500 },
    );
    expect([...assign([])]).to.eql([]);
  });

  it('assigns within the promised number of steps', () => {
    const steps = (gains: number[][]) => {
      const work = new Work();
      assign(gains, work);
      return work.steps;
    };
    const matrix = (rows: number, columns: number, gain: (row: number, column: number) => number) =>
      Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => gain(row, column)));
    // Equal gains: a row looks at each column once. Rows and columns without gain are skipped.
    expect(steps(matrix(100, 100, () => 4))).to.equal(100 * 100);
    expect(steps(matrix(60, 100, () => 4))).to.equal(60 * 100);
    expect(steps(matrix(100, 60, () => 4))).to.equal(60 * 100);
    expect(steps(matrix(100, 100, (row, column) => (row === column && row < 3 ? 16 : 0)))).to.be.at.most(3 * 3 * 2);
    expect(steps(matrix(100, 100, () => 0))).to.equal(0);
    const drawn = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 })).chain(([rows, columns]) =>
      fc.array(fc.array(fc.constantFrom(0, 4, 5, 6, 8, 9, 10, 15, 16), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(drawn, (gains) => {
        const [few, many] = [gains.length, gains[0]?.length ?? 0].sort((one, other) => one - other) as [number, number];
        expect(steps(gains)).to.be.at.most((many * few * (few + 1)) / 2);
      }),
    );
    // Gains grow to the left for every row: each new row displaces all rows before it.
    const worst = steps(matrix(100, 100, (row, column) => (100 - row) * (100 - column)));
    expect(worst).to.be.at.most((100 * 100 * 101) / 2);
  });

  it('counts a gene as a quarter, and counts its steps', () => {
    const stop = { type: { id: 'SO:0001587' } };
    expect(score([gene('GENA')], [gene('GENA')])).to.equal(0.75 / 4); // two missing variants are not the same variant
    expect(score([gene('GENA')], [gene('GENB')])).to.equal(0);
    expect(score([gene('GENA', { zygosity: 1 })], [gene('GENA', { zygosity: 1 })])).to.equal((0.75 * 5) / 16);
    expect(score([gene('GENA', { zygosity: 1 })], [gene('GENA', { zygosity: 2 })])).to.equal((0.75 * 4) / 16);
    expect(score([gene('GENA', stop)], [gene('GENA', stop)])).to.equal((0.75 * 5) / 16);
    const other = at(100, { alternateBases: 'C' });
    expect(score([gene('GENA', { variant: at(100) })], [gene('GENA', { variant: other })])).to.equal((0.75 * 8) / 16);
    expect(
      score(
        [gene('GENA', { variant: at(100), zygosity: 2, ...stop })],
        [gene('GENA', { variant: other, zygosity: 2, ...stop })],
      ),
    ).to.equal((0.75 * 10) / 16);
    expect(score([gene('GENA', { zygosity: 1 })], [gene('GENB', { zygosity: 1 })])).to.equal(0);
  });

  it('finds the same variant in any spelling, with or without the gene', () => {
    const same = (mine: Variant, theirs: Variant, other = 'GENA') =>
      score([gene('GENA', { variant: mine })], [gene(other, { variant: theirs })]);
    expect(same(at(100), at(100))).to.equal(0.75);
    expect(same(at(100), at(100), 'GENB')).to.equal(0.75);
    expect(same(at(100), at(100, { assembly: 'GRCh37.p13' }))).to.equal(0.75);
    const { end: _, ...endless } = at(100);
    expect(same(at(100), endless)).to.equal(0.75);
    expect(same(at(100), at(100, { referenceBases: 'a', alternateBases: 'g' }))).to.equal(0.75);
    // CAG>CG at 99 and AG>G at 100 both delete the A at 100.
    const long = at(99, { end: 102, referenceBases: 'CAG', alternateBases: 'CG' });
    expect(same(long, at(100, { end: 102, referenceBases: 'AG', alternateBases: 'G' }))).to.equal(0.75);
    const mitochondrial = at(7277, { referenceName: 'M' });
    expect(same(mitochondrial, { ...mitochondrial, referenceName: 'MT', assembly: 'GRCh38' })).to.equal(0.75);
    expect(same(at(100), at(100, { referenceName: '2' }), 'GENB')).to.equal(0);
    expect(same(at(100), at(100, { assembly: 'GRCh38' }), 'GENB')).to.equal(0);
  });

  it('tolerates a start that is off by one, not by two, and scores it below an exact match', () => {
    const same = (mine: number, theirs: number) =>
      score([gene('GENA', { variant: at(mine) })], [gene('GENB', { variant: at(theirs) })]);
    // 15/16 of 0.75.
    const beside = 0.703125;
    expect([same(100, 101), same(101, 100), same(100, 102), same(0, 1)]).to.eql([beside, beside, 0, beside]);
    expect(same(100, 100)).to.equal(0.75);
    const [here, next] = [gene('GENA', { variant: at(100) }), gene('GENA', { variant: at(101) })];
    expect(score([here, next], [here, next])).to.equal(0.75);
    // Two off-by-one matches (15 and 15 sixteenths) are worth more than one exact match and one by gene (16 and 4).
    expect(score([here, next], [next, gene('GENA', { variant: at(102) })])).to.equal((0.75 * (15 + 15)) / 32);
    // The exact match is chosen, out of one and two features: the root of 1 · 2 divides.
    expect(score([here], [next, here])).to.be.closeTo(0.75 / Math.SQRT2, 1e-12);
  });

  it('compares a deletion without bases by its ends, and any other variant without bases by its gene alone', () => {
    const bare: Variant = { assembly: 'GRCh37', referenceName: '1', start: 100, end: 900 };
    const deletion = gene('GENA', { variant: bare, type: { id: 'SO:0000159' } });
    expect(score([deletion], [deletion])).to.equal(0.75);
    const shorter = gene('GENA', { variant: { ...bare, end: 800 }, type: { id: 'SO:0000159' } });
    expect(score([deletion], [shorter])).to.equal((0.75 * 9) / 16);
    const stop = gene('GENA', { variant: bare, type: { id: 'SO:0001587' } });
    expect(score([stop], [stop])).to.equal((0.75 * 9) / 16);
  });

  it('uses each feature once, in the best way', () => {
    const [first, second] = [gene('GENA', { variant: at(100) }), gene('GENA', { variant: at(500) })];
    expect(score([first, second], [second, first])).to.equal(0.75);
    // One identical variant of one feature and two, in any order and direction: 1 / √(1 · 2).
    const oneOfTwo = 0.75 * 0.7071067811865475;
    expect(score([first], [first, second])).to.be.closeTo(oneOfTwo, 1e-12);
    expect(score([first], [second, first])).to.be.closeTo(oneOfTwo, 1e-12);
    expect(score([first, second], [first])).to.be.closeTo(oneOfTwo, 1e-12);
    // X/A, Y/B, Z/C against X/D, Y/B, W/E: a quarter of a third, a third, nothing.
    const query = [
      gene('GENA', { variant: at(1) }),
      gene('GENB', { variant: at(20) }),
      gene('GENC', { variant: at(40) }),
    ];
    const other = [
      gene('GENA', { variant: at(60) }),
      gene('GENB', { variant: at(20) }),
      gene('W', { variant: at(80) }),
    ];
    expect(score(query, other)).to.equal(0.3125);
  });

  it('divides by the geometric mean of the lengths of both lists, with and without terms', async () => {
    const list = (...ids: string[]) => ids.map((id) => gene(id));
    const five = list('GENA', 'a', 'b', 'c', 'd');
    const variants = [100, 500, 900, 1300, 1700].map((start) => gene('GENA', { variant: at(start) }));
    for (const bare of ['neither', 'query', 'other', 'both'] as const) {
      const score = scoring(await smallWorld(), bare);
      // One gene counts ¼ of 0.75, divided by √(1 · 1), √(5 · 1), √(5 · 4) and √(5 · 5).
      expect(score(list('GENA'), list('GENA')), bare).to.equal(0.1875);
      expect(score(five, list('GENA'))).to.be.closeTo(0.1875 * 0.447213595, 1e-9);
      expect(score(list('GENA'), five)).to.equal(score(five, list('GENA')));
      expect(score(five, list('w', 'x', 'y', 'GENA'))).to.be.closeTo(0.1875 * 0.2236067977, 1e-9);
      expect(score(five, list('v', 'w', 'x', 'y', 'GENA'))).to.be.closeTo(0.0375, 1e-12);
      // Four and five genes of five.
      expect(score(five, [...five.slice(1), gene('x')])).to.be.closeTo(0.1875 * 0.8, 1e-12);
      expect(score(five, five)).to.equal(0.1875);
      for (let same = 0; same <= 5; same++) {
        const others = variants.map((one, i) => (i < same ? one : gene(`G${i}`)));
        expect(score(variants, others)).to.be.closeTo(0.75 * (same / 5), 1e-12);
      }
      fc.assert(
        fc.property(
          fc.array(genomicFeature, { maxLength: 6 }),
          fc.array(genomicFeature, { maxLength: 6 }),
          (mine, theirs) => {
            expect(score(mine, theirs)).to.equal(score(theirs, mine));
          },
        ),
      );
    }
  });

  it('finds known genes by any id, and unknown ones by a single spelling', () => {
    const ids = [
      'GENA',
      'gena',
      'OLDA',
      'AliasA',
      'ENSG00000000001',
      'ENSG00000000001.12',
      'HGNC:1',
      'NCBIGene:1',
      '1',
    ];
    for (const id of ids) expect(score([gene('GENA')], [gene(id)]), id).to.equal(0.1875);
    expect(score([gene('unheard')], [gene('UNHEARD')])).to.equal(0.1875);
    expect(score([gene(' ', { variant: at(1) })], [gene('', { variant: at(90) })])).to.equal(0);
  });

  it('scores fully described variants the maximum against themselves, and never higher', () => {
    const described = fc.array(fc.tuple(genomicFeature, fc.nat(50)), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(described, (drawn) => {
        const features = drawn.map(([feature, start]): GenomicFeature => ({ ...feature, variant: at(start) }));
        expect(score(features, features)).to.equal(0.75);
        expect(score(features, features.toReversed())).to.equal(0.75);
      }),
    );
    const list = fc.array(genomicFeature, { maxLength: 6 });
    fc.assert(
      fc.property(list, list, (mine, theirs) => {
        expect(score(mine, theirs)).to.be.within(0, 0.75);
      }),
    );
  });
});

describeWithShared('matchmaker: genotypes in both builds', () => {
  it('match across GRCh37 and GRCh38', async () => {
    // GUCY2C, 12:14794075-14794076 C>T in GRCh37 is 12:14641141-14641142 in GRCh38 (reference, section 7.3).
    const score = scoring(await completeResources());
    const in37 = at(14794075, { referenceName: '12', referenceBases: 'C', alternateBases: 'T' });
    const in38 = { ...in37, assembly: 'GRCh38', start: 14641141, end: 14641142 };
    expect(score([gene('GUCY2C', { variant: in37 })], [gene('unknown', { variant: in38 })])).to.equal(0.75);
    expect(score([gene('unknown', { variant: in38 })], [gene('GUCY2C', { variant: in37 })])).to.equal(0.75);
    const oneBased = { ...in38, start: in38.start + 1, end: in38.end + 1 };
    expect(score([gene('x', { variant: oneBased })], [gene('y', { variant: in37 })])).to.equal((0.75 * 15) / 16);
  });
});
