/** Random questions of random alleles, compared with models that share no code with the plugin. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Allele, matches } from '../../../../plugins/beacon/contract.js';
import { canonical } from '../../../../plugins/beacon/domain/allele-query.js';
import { breakend, small, structural } from '../../../conformance/beacon/build.js';
import { ask } from './support.js';

/** A chromosome with repeats, so that one change has several forms. */
const sequence = 'GCAAATCACACGTTTGC';
const runs = Number(process.env.TEST_HISTORIES ?? 1) * 400;

interface Edit {
  start: number;
  reference: string;
  alternate: string;
}

const edit: fc.Arbitrary<Edit> = fc
  .record({
    start: fc.integer({ min: 0, max: sequence.length - 1 }),
    length: fc.integer({ min: 0, max: 5 }),
    alternate: fc.array(fc.constantFrom('A', 'C', 'G', 'T'), { maxLength: 5 }).map((all) => all.join('')),
    isRepeat: fc.boolean(),
  })
  .map(({ start, length, alternate, isRepeat }) => {
    const reference = sequence.slice(start, start + length);
    return { start, reference, alternate: isRepeat ? reference + reference.slice(0, 2) : alternate };
  })
  .filter(({ reference, alternate }) => reference !== alternate);

const vcf = edit.filter(({ reference, alternate }) => reference !== '' && alternate !== '');

function applied({ start, reference, alternate }: Edit): string {
  return sequence.slice(0, start) + alternate + sequence.slice(start + reference.length);
}

/** What is left without shared bases, those at the end first. */
function bare({ start, reference, alternate }: Edit): { start: number; end: number; length: number } {
  let [from, ref, alt] = [start, reference, alternate];
  while (ref && alt && ref.at(-1) === alt.at(-1)) [ref, alt] = [ref.slice(0, -1), alt.slice(0, -1)];
  while (ref && alt && ref[0] === alt[0]) [from, ref, alt] = [from + 1, ref.slice(1), alt.slice(1)];
  return { start: from, end: from + ref.length, length: Math.max(ref.length, alt.length) };
}

function stored({ start, reference, alternate }: Edit): Allele {
  return canonical(small('1', start, reference, alternate));
}

async function isFound(allele: Allele, parameters: Parameters<typeof ask>[0]): Promise<boolean> {
  const question = await ask({ assemblyId: 'GRCh37', referenceName: '1', ...parameters });
  return question.kind === 'all' || question.queries.some((query) => matches(allele, query));
}

describe('beacon: random questions of v2', () => {
  it('a question in the form of a file finds the allele of that form, and only the same change', async () => {
    await fc.assert(
      fc.asyncProperty(vcf, vcf, async (one, other) => {
        const { start, reference: referenceBases, alternate: alternateBases } = other;
        const asked = { start: [start], referenceBases, alternateBases };
        if (await isFound(stored(one), asked)) expect(applied(one)).to.equal(applied(other));
        expect(await isFound(stored(other), asked)).to.equal(true);
        if (referenceBases.length !== alternateBases.length) return;
        // With further bases before it, as another program may write it. Insertions and deletions in repeats have several places.
        const from = Math.max(start - 2, 0);
        const before = sequence.slice(from, start);
        const wide = {
          start: [from],
          referenceBases: before + referenceBases,
          alternateBases: before + alternateBases,
        };
        expect(await isFound(stored(other), wide)).to.equal(true);
      }),
      { numRuns: runs },
    );
  });

  it('a question with an empty side finds the changes that give the same sequence', async () => {
    const empty = edit.filter(({ reference, alternate }) => reference === '' || alternate === '');
    await fc.assert(
      fc.asyncProperty(vcf, empty, async (one, other) => {
        const allele = stored(one);
        const { start, reference, alternate } = other;
        const asked = { start: [start], referenceBases: reference, alternateBases: alternate };
        const touches = start <= allele.end && start + reference.length >= allele.start;
        expect(await isFound(allele, asked)).to.equal(touches && applied(one) === applied(other));
      }),
      { numRuns: runs },
    );
  });

  it('HGVS finds no other change than its own', async () => {
    await fc.assert(
      fc.asyncProperty(vcf, edit, async (one, other) => {
        const { start, reference, alternate } = other;
        const places = reference.length > 1 ? `${start + 1}_${start + reference.length}` : `${start + 1}`;
        const text =
          reference === ''
            ? `${start}_${start + 1}ins${alternate}`
            : alternate === ''
              ? `${places}del`
              : `${places}delins${alternate}`;
        fc.pre(reference !== '' || start > 0);
        const question = await ask({ genomicAlleleShortForm: `NC_000001.10:g.${text}` });
        if (question.kind === 'all') throw new Error('a listing');
        const finds = (allele: Allele) => question.queries.some((query) => matches(allele, query));
        if (finds(stored(one))) expect(applied(one), text).to.equal(applied(other));
        // The bounds for indexes leave nothing out.
        const anywhere = question.queries.map(({ overlaps, start: bounds, ...query }) =>
          query.replaces ? query : { ...query, ...(bounds && { start: bounds }) },
        );
        expect(finds(stored(one)), text).to.equal(anywhere.some((query) => matches(stored(one), query)));
        const same = {
          start: Math.max(start - 1, 0),
          reference: sequence[start - 1] + reference,
          alternate: sequence[start - 1] + alternate,
        };
        // A description that repeats bases of the reference, which HGVS does not allow, is found if a record shows them.
        const { start: from, end } = bare(other);
        const isMinimal = from === start && end === start + reference.length;
        if (start > 0 && isMinimal) expect(finds(stored(same)), text).to.equal(true);
      }),
      { numRuns: runs },
    );
  });

  it('ranges, brackets and lengths are those of the bases that differ', async () => {
    const position = fc.integer({ min: 0, max: sequence.length + 2 });
    const pair = fc
      .tuple(position, position)
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
    const length = fc.integer({ min: 0, max: 6 });
    await fc.assert(
      fc.asyncProperty(vcf, pair, pair, length, length, async (one, first, second, min, more) => {
        const allele = stored(one);
        const { start, end, length: bases } = bare(one);
        const inRange = (from: number, to: number) =>
          start === end ? from <= start && start <= to : start < to && end > from;
        const [from, to] = first;
        expect(await isFound(allele, { start: [from], end: [to] })).to.equal(inRange(from, to));
        const bounds = { variantMinLength: min, variantMaxLength: min + more };
        const fits = bases >= min && bases <= min + more;
        expect(await isFound(allele, { start: [from], end: [to], ...bounds })).to.equal(inRange(from, to) && fits);
        const within = (value: number, [low, high]: readonly [number, number]) =>
          low === high ? value === low : value >= low && value < high;
        expect(await isFound(allele, { start: [...first], end: [...second] })).to.equal(
          within(start, first) && within(end, second),
        );
      }),
      { numRuns: runs },
    );
  });

  it('structural alleles are where their records state, and breakends at both of their ends', async () => {
    const position = fc.integer({ min: 1, max: 30 });
    await fc.assert(
      fc.asyncProperty(position, position, position, position, fc.boolean(), async (one, other, from, width, isFar) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other) + 1];
        const range = { start: [from], end: [from + width] };
        const inside = (position: number) => position >= from && position < from + width;
        const event = structural('1', start, end, 'DUP');
        expect(await isFound(event, range)).to.equal(start < from + width && end > from);
        const junction = breakend('1', one, `G[${isFar ? '7' : '1'}:${other + 1}[`, isFar ? '7' : '1', other);
        expect(await isFound(junction, range)).to.equal(inside(one) || (!isFar && inside(other)));
        const mate = {
          variantType: 'BND',
          start: [one],
          mateName: isFar ? '7' : '1',
          mateStart: [from],
          mateEnd: [from + width],
        };
        expect(await isFound(junction, mate)).to.equal(inside(other) || (!isFar && one === other && inside(one)));
        const { mateEnd: _, ...bracket } = { ...mate, mateStart: [from, from + width] };
        expect(await isFound(junction, bracket)).to.equal(await isFound(junction, mate));
        const backwards = { ...mate, referenceName: isFar ? '7' : '1', start: [other], mateName: '1' };
        expect(await isFound(junction, backwards)).to.equal(inside(one) || (!isFar && one === other && inside(other)));
      }),
      { numRuns: runs },
    );
  });
});
