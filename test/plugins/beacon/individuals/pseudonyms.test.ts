/** Pseudonyms of people and samples, and how carriers have an allele. */
import { expect } from 'chai';
import { isPseudonym, pseudonym, zygosityOfCarrier } from '../../../../plugins/beacon/faces/v2/individuals.js';

describe('beacon: pseudonyms', () => {
  it('are HMAC-SHA256 of kind and name', () => {
    // printf 'individual\nNA12878' | openssl dgst -sha256 -hmac salt -binary | basenc --base64url | cut -c1-22
    expect(pseudonym('salt', 'individual', 'NA12878')).to.equal('DThwiIWyBeYi1GBiD8diG7');
    // printf 'biosample\nÅsa 1' | openssl dgst -sha256 -hmac salt -binary | basenc --base64url | cut -c1-22
    expect(pseudonym('salt', 'biosample', 'Åsa 1')).to.equal('QjKB0keK3E_0qICQA0jPHD');
  });

  it('differ by dataset, kind and sample, and are known by their form', () => {
    const all = ['one', 'other'].flatMap((salt) =>
      (['individual', 'biosample', 'run', 'analysis'] as const).flatMap((kind) =>
        ['s', 't'].map((sample) => pseudonym(salt, kind, sample)),
      ),
    );
    expect(new Set(all).size).to.equal(all.length);
    expect(all.every(isPseudonym)).to.equal(true);
    expect(['NA12878', 'x'.repeat(23), 'a/b'.padEnd(22, 'x')].some(isPseudonym)).to.equal(false);
  });
});

describe('beacon: zygosities', () => {
  const at = (contig: '1' | 'X' | 'Y' | 'MT', start: number, sex: 'female' | 'male' | 'unknown', copies: number) =>
    zygosityOfCarrier({ contig, start }, { assembly: 'GRCh37', sex, copies });

  it('follow from copies, sex and place, and are unknown otherwise', () => {
    expect([1, 2, 3].map((copies) => at('1', 5, 'unknown', copies))).to.deep.equal([
      'heterozygous',
      'homozygous',
      'homozygous',
    ]);
    // X:60,001-2,699,520 is the first pseudo-autosomal region of GRCh37.
    expect(at('X', 60_000, 'male', 1)).to.equal('heterozygous');
    expect(at('X', 2_699_520, 'male', 1)).to.equal('hemizygous');
    expect(at('X', 2_699_520, 'male', 2)).to.equal('hemizygous');
    expect(at('X', 2_699_520, 'female', 1)).to.equal('heterozygous');
    expect(at('X', 2_699_520, 'unknown', 1)).to.equal(undefined);
    expect(at('Y', 20_000_000, 'male', 1)).to.equal('hemizygous');
    expect(at('Y', 20_000_000, 'female', 1)).to.equal(undefined);
    expect(at('MT', 5, 'male', 1)).to.equal(undefined);
  });
});
