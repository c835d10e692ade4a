/** Ids of alleles. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Allele, contigs, matches } from '../../../../plugins/beacon/contract.js';
import { referenceForm } from '../../../../plugins/beacon/domain/dataset-forms.js';
import { queryForVariantId, variantIdOf, variantWithId } from '../../../../plugins/beacon/faces/v2/variants/record.js';
import { breakend, small, structural } from '../../../conformance/beacon/build.js';
import { alleleAt, haplotype, numbersFrom, randomIndel, referenceOf, repeatedSequence } from '../support/reference.js';

const bases = fc
  .array(fc.constantFrom('A', 'C', 'G', 'T', 'N'), { minLength: 1, maxLength: 40 })
  .map((all) => all.join(''));
const position = fc.integer({ min: 0, max: 2 ** 31 - 2 });

const allele: fc.Arbitrary<Allele> = fc
  .record({
    contig: fc.constantFrom(...contigs),
    start: position,
    end: position,
    reference: bases,
    alternate: fc.oneof(bases, fc.constantFrom('<DEL>', '<DUP:TANDEM>', '<%/?>', 'G.', '<INS:ME:ALU>')),
    mate: fc.option(fc.constantFrom(...contigs), { nil: undefined }),
    isSmall: fc.boolean(),
  })
  .map(({ isSmall, mate, ...one }) => {
    if (isSmall) return small(one.contig, one.start, one.reference, one.alternate.replace(/[^ACGTN]/g, '') || 'A');
    if (mate) return breakend(one.contig, one.start, `${one.reference[0]}[${mate}:${one.end + 1}[`, mate, one.end);
    return {
      ...structural(one.contig, one.start, Math.max(one.end, one.start + 1), 'DEL', one.alternate),
      reference: one.reference,
    };
  });

describe('beacon: ids of alleles', () => {
  it('say which allele they mean, by positions from 1', () => {
    expect(variantIdOf('GRCh38', small('17', 43_045_702, 'G', 'A'))).to.equal('GRCh38-17-43045703-G-A');
    expect(variantIdOf('GRCh37', small('MT', 0, 'GA', 'G'))).to.equal('GRCh37-MT-1-GA-G');
    expect(variantIdOf('GRCh38', structural('1', 99, 200, 'DEL'))).to.match(/^GRCh38-1-100-200-DEL-[\w-]{22}$/);
    expect(variantIdOf('GRCh38', small('1', 99, 'A', 'T'.repeat(60)))).to.match(/^GRCh38-1-100-100-INS-[\w-]{22}$/);
    const near = breakend('2', 321_680, 'G]17:198982]', '17', 198_981);
    expect(variantIdOf('GRCh38', near)).to.match(/^GRCh38-2-321681-198982-BND-[\w-]{22}$/);
  });

  it('do not depend on what imports state beside the identity of an allele', () => {
    const one = structural('1', 2000, 2001, 'INS');
    const other = { ...one, kind: 'INS:ME', length: 300, startRange: { min: 1990, max: 2010 } };
    expect(variantIdOf('GRCh38', other)).to.equal(variantIdOf('GRCh38', one));
  });

  it('survive a path, and lead back to their allele alone', () => {
    fc.assert(
      fc.property(allele, allele, (one, other) => {
        const id = variantIdOf('GRCh37', one);
        expect(encodeURIComponent(id)).to.equal(id);
        const query = queryForVariantId(id);
        expect(query && matches(one, query), id).to.equal(true);
        expect(query).to.have.property('assembly', 'GRCh37');
        const isSame = JSON.stringify([one.contig, one.start, one.end, one.reference, one.alternate, one.mate]) ===
          JSON.stringify([other.contig, other.start, other.end, other.reference, other.alternate, other.mate]); // biome-ignore format: one
        if (!isSame) expect(variantIdOf('GRCh37', other)).not.to.equal(id);
      }),
    );
    for (const text of [
      '',
      'x',
      'GRCh38-17-0-G-A',
      'GRCh36-17-5-G-A',
      'GRCh38-99-5-G-A',
      'GRCh38-17-5-G-<DEL>',
      'GRCh38-17-5-6-DEL-short',
    ]) {
      expect(queryForVariantId(text), text).to.equal(undefined);
    }
  });

  it('find their allele in datasets that were left-aligned since, however long it is', () => {
    const random = numbersFrom(4);
    let [moved, unspelled] = [0, 0];
    for (let round = 0; round < 300; round++) {
      const unit = Array.from({ length: 1 + random(70) }, () => 'ACGT'[random(4)]).join('');
      const sequence = `${repeatedSequence(50, random)}${unit.repeat(2 + random(5))}${repeatedSequence(50, random)}`;
      const form = referenceForm(referenceOf({ 1: sequence }));
      const { aligned } = form;
      const at = 51 + random(sequence.length - 100 - unit.length);
      const bases = sequence.slice(at, at + unit.length);
      const before = sequence[at - 1] ?? '';
      const former = random(2)
        ? alleleAt('1', at - 1, before + bases, before)
        : alleleAt('1', at - 1, before, before + bases);
      const [now, id] = [aligned(former), variantIdOf('GRCh37', former)];
      expect(haplotype(sequence, now)).to.equal(haplotype(sequence, former));
      const { queries, isIt } = variantWithId(id, () => form);
      for (const one of [former, now]) {
        expect([isIt(one), queries.some((query) => matches(one, query))], id).to.deep.equal([true, true]);
      }
      const other = aligned(randomIndel('1', sequence, random));
      if (haplotype(sequence, other) !== haplotype(sequence, now)) expect(isIt(other), id).to.equal(false);
      if (now.start < former.start) moved++;
      if (now.start < former.start && unit.length > 48) unspelled++;
    }
    expect([moved > 100, unspelled > 20]).to.deep.equal([true, true]);
    expect(variantWithId('x', () => undefined).queries).to.deep.equal([]);
    const snv = small('1', 3, 'A', 'T');
    const form = referenceForm(referenceOf({ 1: 'ACGACG' }));
    for (const formOf of [() => undefined, () => form]) {
      expect(variantWithId(variantIdOf('GRCh37', snv), formOf).queries).to.have.length(1);
    }
  });
});
