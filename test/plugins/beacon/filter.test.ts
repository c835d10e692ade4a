/** Which records are loaded by their FILTER column. */
import { expect } from 'chai';
import { isFault } from '../../../core/fault.js';
import { beaconSettings } from '../../../plugins/beacon/settings.js';
import { recordFilterOf } from '../../../plugins/beacon/vcf/rules.js';
import { read, vcf } from './support/vcf.js';

const file = vcf({
  records: [
    '1 1 . A C . PASS . GT 0/1',
    '1 2 . A C . . . GT 0/1',
    '1 3 . A C . LowQual . GT 0/1',
    '1 4 . A C . LowQual;SnpGap . GT 0/1',
    'Un 5 . A C . LowQual . GT 0/1',
    '1 6 . A C . pass . GT 0/1',
  ],
});

/** One-based positions of the alleles read, and the number of records that the policy excludes. */
async function positions(...names: string[]): Promise<[number[], number]> {
  const { alleles, summary } = await read(file, { filter: recordFilterOf(names) });
  expect(summary.records).to.equal(6);
  expect(summary.skipped.contigs).to.deep.equal(Object.assign(Object.create(null), { Un: 1 }));
  return [alleles.map(({ start }) => start + 1), summary.skipped.filtered];
}

describe('beacon: the FILTER policy', () => {
  it('accepts all records, those that passed, or those with accepted names only', async () => {
    expect(await positions('all')).to.deep.equal([[1, 2, 3, 4, 6], 0]);
    expect(await positions('ALL')).to.deep.equal([[1, 2, 3, 4, 6], 0]);
    expect(await positions('pass')).to.deep.equal([[1], 4]);
    expect(await positions('PASS', '.')).to.deep.equal([[1, 2], 3]);
    expect(await positions('PASS', 'LowQual')).to.deep.equal([[1, 3], 3]);
    expect(await positions('LowQual', 'SnpGap')).to.deep.equal([[3, 4], 3]);
    expect(await positions('nothing')).to.deep.equal([[], 5]);
  });

  it('validates the columns of excluded records', async () => {
    const cut = `${file}1\t7\t.\tA\tC\t.\tLowQual\t.\tGT\t0/1\t0/1\n`;
    const error = await read(cut, { filter: recordFilterOf(['PASS']) }).catch((thrown: unknown) => thrown);
    expect((error as Error).message).to.contain('11 columns instead of 10');
  });

  it('is all, or a list without all', () => {
    try {
      recordFilterOf(['all', 'PASS']);
      expect.fail('it was accepted');
    } catch (error) {
      expect(isFault(error) && error.code).to.equal('invalid');
    }
    expect(beaconSettings.parse({}).filter).to.deep.equal(['all']);
    expect(beaconSettings.parse({ filter: 'PASS, LowQual' }).filter).to.deep.equal(['PASS', 'LowQual']);
    for (const filter of [['all', 'PASS'], 'PASS,all', '', [], 'a;b']) {
      expect(beaconSettings.safeParse({ filter }).success, JSON.stringify(filter)).to.equal(false);
    }
  });
});
