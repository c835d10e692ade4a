/** Questions for observations, as VCF files write alleles. */
import { expect } from 'chai';
import {
  chromosomeOfField,
  sequenceQuestion,
  sequenceQuestionOf,
  structuralQuestion,
} from '../../../plugins/beacon/domain/written-question.js';

describe('beacon: questions for observations', () => {
  const sequence = (start: number, reference: string, alternate: string) => ({
    type: 'sequence',
    contig: '1',
    start,
    reference,
    alternate,
  });

  it('reads an allele of bases in canonical form, from one-based positions', () => {
    expect(sequenceQuestion('1', 880086, 't', 'c')).to.deep.equal(sequence(880085, 'T', 'C'));
    // The same change as a record of three bases: position 880085 is that of the first.
    expect(sequenceQuestion('1', 880085, 'GTA', 'GCA')).to.deep.equal(sequence(880085, 'T', 'C'));
    expect(sequenceQuestion('1', 100, 'CAA', 'CA')).to.deep.equal(sequence(99, 'CA', 'C'));
  });

  it('reads ids as Scout, loqusdb and gnomAD write them', () => {
    for (const id of ['1_880086_T_C', '1-880086-T-C', 'chr1-880086-t-c']) {
      expect(sequenceQuestionOf(id), id).to.deep.equal(sequence(880085, 'T', 'C'));
    }
    expect(sequenceQuestionOf('M-263-A-G').contig).to.equal('MT');
  });

  it('reads a structural variant by POS and END', () => {
    const question = structuralQuestion({ contig: '1', position: 7889972, end: 7890026, kind: 'del', mate: '1' });
    expect(question).to.deep.equal({ type: 'structural', contig: '1', start: 7889971, end: 7890026, kind: 'DEL' });
    // VCF 4.3: END is POS + the bases deleted.
    expect(structuralQuestion({ contig: '1', position: 7889972, kind: 'DEL', length: -54 })).to.deep.equal(question);
    expect(structuralQuestion({ contig: '2', position: 500, kind: 'INS', length: 310 })).to.deep.equal({
      type: 'structural',
      contig: '2',
      start: 499,
      end: 500,
      kind: 'INS',
      length: 310,
    });
  });

  it('reads the mate of a breakend, on another or on the same chromosome', () => {
    expect(structuralQuestion({ contig: '2', position: 321681, end: 198982, kind: 'BND', mate: '17' })).to.deep.equal({
      type: 'structural',
      contig: '2',
      start: 321680,
      end: 198981,
      kind: 'BND',
      mate: '17',
    });
    const here = structuralQuestion({ contig: '2', position: 321681, end: 421681, kind: 'BND' });
    expect(here).to.include({ end: 421680, mate: '2' });
    expect(structuralQuestion({ contig: '2', position: 321681, kind: 'BND' })).to.deep.equal({
      type: 'structural',
      contig: '2',
      start: 321680,
      end: 321681,
      kind: 'BND',
    });
  });

  const sentences: readonly [name: string, read: () => unknown, sentence: RegExp][] = [
    ['a rsid', () => sequenceQuestionOf('rs4988235'), /such as 1-880086-T-C; got "rs4988235"/],
    ['mixed separators', () => sequenceQuestionOf('1-880086_T-C'), /such as 1-880086-T-C/],
    ['a contig', () => sequenceQuestionOf('23-5-A-C'), /^chromosome must be 1 to 22, X, Y or MT.*got "23"$/],
    [
      'bases',
      () => sequenceQuestion('1', 5, 'N', 'C'),
      /^reference must be one or more of the bases A, C, G and T; got "N"$/,
    ],
    ['a symbol', () => sequenceQuestion('1', 5, 'A', '<DEL>'), /^alternate must .* got "<DEL>"$/],
    ['no change', () => sequenceQuestion('1', 5, 'A', 'a'), /^alternate must differ from reference$/],
    [
      'position 0',
      () => sequenceQuestion('1', 0, 'A', 'C'),
      /^position must be a whole number from 1 to 2,147,483,647; got 0$/,
    ],
    [
      'a position beyond the chromosome',
      () => sequenceQuestion('1', 249250622, 'A', 'C', 'GRCh37'),
      /^position must be a whole number from 1 to 249,250,621 for chromosome 1 of GRCh37; got 249250622$/,
    ],
    [
      'a missing end',
      () => structuralQuestion({ contig: '1', position: 5, kind: 'DUP' }),
      /^end is missing: a DUP needs/,
    ],
    [
      'a missing mate',
      () => structuralQuestion({ contig: '1', position: 5, kind: 'BND', mate: '2' }),
      /^end is missing: the position of the mate$/,
    ],
    [
      'an early end',
      () => structuralQuestion({ contig: '1', position: 5, end: 4, kind: 'DEL' }),
      /^end must not be before position, which is 5; got 4$/,
    ],
    [
      'a small type',
      () => structuralQuestion({ contig: '1', position: 5, end: 9, kind: 'SNV' }),
      /^type must be one of INS, DEL, /,
    ],
    [
      'a length',
      () => structuralQuestion({ contig: '1', position: 5, kind: 'INS', length: 2.5 }),
      /^length must be a whole number of bases/,
    ],
    ['a long name', () => chromosomeOfField('chromosome', 'x'.repeat(500)), /got "x{40}…"$/],
  ];
  for (const [name, read, sentence] of sentences) {
    it(`refuses ${name} in one sentence`, () => expect(read).to.throw(sentence).with.property('code', 'invalid'));
  }
});
