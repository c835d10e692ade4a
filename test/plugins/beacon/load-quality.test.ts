/** Genotype quality, PASS, inserted lengths, and the kinds of alleles that a file was searched for. */
import { expect } from 'chai';
import { reportLines } from '../../../plugins/beacon/commands/output.js';
import { type BeaconRepository, beacon, type CountingRules } from '../../../plugins/beacon/contract.js';
import { recordFilterOf } from '../../../plugins/beacon/vcf/rules.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { engines } from './support/engines.js';
import { dataset, load } from './support/serve.js';
import { line, read, vcf } from './support/vcf.js';

const at20 = { minimum: 20, structural: true };

describe('beacon: genotype quality', () => {
  it('skips genotypes with a lower GQ, or none, and counts them', async () => {
    const records = [
      '1 1 . A C . . . GT:GQ 0/1:20 0/1:19 1/1:99',
      // Trailing fields are omitted, the value is missing, or there is no GQ at all.
      '1 2 . A C . . . GT:DP:GQ 0/1 0/1:30:. 0/1:30:21',
      '1 3 . A C . . . GT 0/1 0/0 0/0',
      // Decimals; text is no GQ. Genotypes without an alternate are not counted.
      '1 4 . A C . . . GT:GQ 0/1:19.99 0/1:20.0 0/1:high',
      '1 5 . A C . . . GT:GQ 0/0:3 ./.:. 0/0',
    ];
    const { alleles, summary } = await read(vcf({ samples: ['a', 'b', 'c'], records }), { quality: at20 });
    expect(alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 0:1,2:2', '1:1-2 A>C SNP 2:1', '1:3-4 A>C SNP 1:1']);
    expect(summary).to.deep.include({ alleles: 3, calls: 5, quality: 20 });
    // Low: b at 1, a at 4. None: a and b at 2, a at 3, c at 4. The genotype of b at 5 was not called.
    expect(summary.skipped).to.deep.include({ lowQuality: 2, withoutQuality: 4, uncalled: 1, notCarried: 0 });
    expect(reportLines({ name: 'x.vcf', summary })).to.include.members([
      '  skipped 2 genotypes with GQ below 20',
      '  skipped 4 genotypes without GQ',
    ]);
  });

  it('reads the fields of the right sample, whatever their order and the samples chosen', async () => {
    // Of b nothing but a missing DP is given: GT and GQ of c must not be taken for its own.
    const file = vcf({
      samples: ['a', 'b', 'c'],
      records: [
        '1 1 . A C . . . DP:GQ:GT 5:30:0/1 . 5:40:1/1',
        '1 2 . A C . . . GT:PL:GQ 0/1:0,9:30 0/1:0,9 1/1:0,9:7',
      ],
    });
    const { alleles } = await read(file, { quality: at20, samples: ['c', 'b', 'a'] });
    expect(alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 2:1,0:2', '1:1-2 A>C SNP 2:1']);
    expect((await read(file)).alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 0:1,2:2', '1:1-2 A>C SNP 0:1,1:1,2:2']);
  });

  it('can leave out structural variants', async () => {
    const records = [
      '1 1 . A C . . . GT 0/1',
      '1 9 . A <DEL> . . SVTYPE=DEL;END=99 GT 0/1',
      '1 9 . A G]2:50] . . . GT 0/1',
    ];
    const { alleles, summary } = await read(vcf({ records }), { quality: { minimum: 20, structural: false } });
    expect(alleles.map(({ kind }) => kind)).to.deep.equal(['DEL', 'BND']);
    expect(summary.skipped.withoutQuality).to.equal(1);
    expect((await read(vcf({ records }), { quality: at20 })).alleles).to.deep.equal([]);
  });

  it('does not read genotypes otherwise', async () => {
    const { alleles, summary } = await read(
      vcf({ records: ['1 1 . A C . . . GT:GQ 0/1:0', '1 2 . A C . . . GT 0/1'] }),
    );
    expect([alleles.length, summary.quality, summary.skipped.lowQuality]).to.deep.equal([2, undefined, 0]);
  });
});

describe('beacon: inserted bases', () => {
  const inserted = async (...records: string[]) =>
    (await read(vcf({ records }))).alleles.map(({ kind, length }) => [kind, length]);

  it('are those of SVLEN if the alternate does not show them', async () => {
    expect(
      await inserted(
        '1 9 . A <INS> . . SVTYPE=INS;SVLEN=320 GT 0/1',
        '1 9 . A <INS:ME:ALU> . . SVTYPE=INS;SVLEN=-280 GT 0/1',
        '1 9 . A <INS>,<DEL> . . SVLEN=50,-70 GT 1/2',
        '1 9 . A ACCC . . SVTYPE=INS;SVLEN=3 GT 0/1',
        '1 9 . A <INS> . . SVTYPE=INS;SVLEN=. GT 0/1',
        '1 9 . A <INS> . . SVTYPE=INS;SVLEN=99999999999 GT 0/1',
        '1 9 . A <DUP> . . SVTYPE=DUP;SVLEN=40 GT 0/1',
      ),
    ).to.deep.equal([
      ['INS', 320],
      ['INS:ME:ALU', 280],
      ['INS', 50],
      ['DEL', undefined],
      ['INS', undefined],
      ['INS', undefined],
      ['INS', undefined],
      ['DUP', undefined],
    ]);
  });
});

describe('beacon: insertions without the base before them', () => {
  it('get it where SVLEN says that all written bases are inserted', async () => {
    const written = async (record: string) =>
      (await read(vcf({ records: [record] }))).alleles.map(({ reference, alternate }) => `${reference}>${alternate}`);
    for (const [record, expected] of [
      ['1 9 . N TGGTG . . SVTYPE=INS;SVLEN=5 GT 0/1', 'N>NTGGTG'],
      ['1 9 . C TGGTG . . SVTYPE=INS;SVLEN=5 GT 0/1', 'C>CTGGTG'],
      // With the base: nothing is added.
      ['1 9 . N NTGGTG . . SVTYPE=INS;SVLEN=5 GT 0/1', 'N>NTGGTG'],
      ['1 9 . C CTGGTG . . SVTYPE=INS;SVLEN=5 GT 0/1', 'C>CTGGTG'],
      ['1 9 . C CTGGTG . . SVTYPE=INS;SVLEN=6 GT 0/1', 'C>CTGGTG'],
      // A replaced base, or no length: as it is written.
      ['1 9 . C TGGTG . . SVTYPE=INS;SVLEN=4 GT 0/1', 'C>TGGTG'],
      ['1 9 . N TGGTG . . SVTYPE=INS GT 0/1', 'N>TGGTG'],
    ] as const) {
      expect(await written(record), record).to.deep.equal([expected]);
    }
  });
});

describe('beacon: the kinds of alleles a file was searched for', () => {
  const searched = async (records: string[], options: Parameters<typeof read>[1] = {}) => {
    const { small, structural } = (await read(vcf({ records }), options)).summary.searched;
    return [...(small ? ['small'] : []), ...(structural ? ['structural'] : [])].join(' ');
  };

  it('are those of its records, carried or not', async () => {
    expect(await searched(['1 1 . A C . . . GT 0/0'])).to.equal('small');
    expect(await searched(['1 1 . A <NON_REF> . . END=9 GT 0/0'])).to.equal('small');
    expect(await searched(['1 1 . A <DEL> . . END=9 GT 0/0'])).to.equal('structural');
    expect(await searched(['1 1 . A AC . . SVTYPE=INS GT 0/0'])).to.equal('structural');
    expect(await searched(['1 1 . A G]2:50] . . . GT 0/0'])).to.equal('structural');
    expect(await searched(['1 1 . A G]2:50] . . . GT ./.'])).to.equal('');
    expect(await searched(['1 1 . A C . . . GT 0/0', '1 2 . A <DUP> . . END=9 GT 0/0'])).to.equal('small structural');
  });

  it('include those of excluded records, and of every allele that is loaded', async () => {
    const filter = recordFilterOf(['PASS']);
    expect(await searched(['1 1 . A C . PASS . GT 0/1', '1 9 . A <DEL> . Low END=20 GT 0/1'], { filter })).to.equal(
      'small structural',
    );
    // One alternate of a structural record is a small allele, which is carried.
    expect(await searched(['1 9 . A C,<DEL> . . SVTYPE=DEL;END=20 GT 0/1'])).to.equal('small structural');
  });

  it('exclude those of records that no genotype can be loaded from', async () => {
    expect(await searched(['Un 1 . A C . . . GT 0/1', '1 1 . A <DEL> . . END=9 DP 3'])).to.equal('');
    const records = ['1 1 . A C . . . GT:GQ 0/0:50', '1 9 . A <DEL> . . END=20 GT 0/1'];
    expect(await searched(records, { quality: at20 })).to.equal('small');
    expect(await searched(records, { quality: { minimum: 20, structural: false } })).to.equal('small structural');
  });
});

for (const engine of sampled(engines, 3, 1)) {
  describe(`beacon: loading by the rules of a dataset (${engine.name})`, () => {
    const folder = useFolder();
    let repository: BeaconRepository;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await engine.open([beacon]);
      repository = opened.storage.repository(beacon);
      close = async () => {
        await opened.storage.close();
        await opened.discard?.();
      };
    });
    afterEach(() => close());

    const made = (counting: CountingRules) => repository.addDataset(dataset('ds', { counting }), new Date());

    it('requires its GQ and PASS in every load, and counts only what was searched for', async () => {
      await made({ quality: 30, passOnly: true, window: 2000 });
      const records = [
        '1 1 . A C . PASS . GT:GQ 0/1:30',
        '1 2 . A C . PASS . GT:GQ 0/1:29',
        '1 3 . A C . Low . GT:GQ 1/1:99',
      ];
      const file = await folder.write('a.vcf', vcf({ samples: ['a'], records }));
      const { added, files } = await load(repository, 'ds', [file]);
      expect(added).to.deep.equal({ alleles: 1, calls: 1, samples: 1 });
      expect(files[0]?.summary.skipped).to.include({ lowQuality: 1, filtered: 1 });
      const [sample] = await repository.sampleFacts('ds');
      expect(sample?.searched).to.deep.equal({ small: true, structural: false });
      const variants = await folder.write(
        'sv.vcf',
        vcf({ samples: ['a'], records: ['1 9 . A <INS> . PASS SVTYPE=INS;SVLEN=300 GT:GQ 0/1:50'] }),
      );
      await load(repository, 'ds', [variants]);
      expect((await repository.sampleFacts('ds'))[0]?.searched).to.deep.equal({ small: true, structural: true });
      const insertion = { type: 'structural', contig: '1', start: 8, end: 9, kind: 'INS' } as const;
      // A question of 400 bases allows for 400 / 2 = 200 more or less, one of 800 for 400.
      const questions = [400, 800].map((length) => ({ ...insertion, length }));
      const observed = await repository.observe('GRCh37', questions, ['ds']);
      expect(observed.map(([found]) => found?.carriers)).to.deep.equal([1, 0]);
    });

    it('refuses a file without any GQ, and adds nothing', async () => {
      await made({ quality: 20, passOnly: false, window: 2000 });
      const file = await folder.write('a.vcf', vcf({ records: ['1 9 . A <DEL> . . END=20 GT 0/1'] }));
      const error = await load(repository, 'ds', [file]).catch((thrown: Error) => thrown.message);
      expect(error).to.equal(
        `${file}: no genotype with an alternate allele has a GQ, and this load requires one of at least 20`,
      );
      expect(await repository.samples('ds')).to.deep.equal([]);
    });
  });
}
