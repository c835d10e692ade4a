/** Where a question looks for alleles, in stretches of a million bases. */
import { expect } from 'chai';
import type { AlleleQuery } from '../../../../plugins/beacon/contract.js';
import { around, regionOfQuery } from '../../../../plugins/beacon/protection/contract.js';

describe('beacon: regions in which a person counts once', () => {
  const of = (query: Partial<AlleleQuery>) => {
    const { contig, first, last } = regionOfQuery({ assembly: 'GRCh38', contig: '7', ...query });
    return `${contig} ${first}-${last}`;
  };

  it('are where the question looks, whatever a dataset has there', () => {
    expect(of({ start: { min: 999_999, max: 999_999 } })).to.equal('7 0-0');
    expect(of({ start: { min: 1_000_000, max: 1_000_000 } })).to.equal('7 1-1');
    expect(of({ overlaps: { start: 2_500_000, end: 4_100_000 } })).to.equal('7 2-4');
    expect(of({ start: { min: 0, max: 9_000_000 }, overlaps: { start: 2_500_000, end: 4_100_000 } })).to.equal('7 2-4');
    // A bracket: the alleles begin in the one and end in the other.
    const bracket = { start: { min: 5_000_000, max: 6_000_000 }, end: { min: 8_000_000, max: 9_000_000 } };
    expect(of(bracket)).to.equal('7 5-6');
    expect(of({ end: { min: 8_000_000, max: 9_000_000 } })).to.equal('7 0-9');
    expect(of({ kinds: [{ kind: 'DUP' }] })).to.equal('7 0-249');
    expect(of({ overlaps: { start: 3_000_000, end: 2_000_000 } })).to.equal('7 3-3');
  });

  it('reach into the stretches on both sides', () => {
    expect(around({ contig: '7', first: 0, last: 2 })).to.deep.equal({ contig: '7', first: -1, last: 3 });
  });
});
