/** Lengths of tandem repeats as ExpansionHunter writes them: units in ALT, the bases of a unit in RU. */
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { send, tokenWith } from './support/observed.js';
import { addRecords, type Json, serveBeacon } from './support/serve.js';
import { read, vcf } from './support/vcf.js';

const info = 'END=3074933;REF=19;RL=57;RU=CAG;VARID=HTT;REPID=HTT';
const records = [
  `4 3074876 . C <STR17>,<STR40> . PASS ${info} GT 1/2`,
  // Nothing states how long a unit is; SVLEN may be the difference.
  '4 3074976 . C <STR18> . . END=3075033;SVTYPE=STR GT 0/1',
  '4 3075076 . C <STR16> . . END=3075133;SVLEN=9 GT 0/1',
  '4 3075176 . C <STR15> . . END=3075233;RU=. GT 0/1',
  '4 3075276 . C <STR14> . . END=3075333;RU=CAG,CCG GT 0/1',
  // Codes of several bases are bases of the unit; no repeat is left.
  '4 3075376 . C <STR12> . . END=3075433;RU=AARRG GT 0/1',
  '4 3075476 . C <STR0> . . END=3075533;RU=CAG GT 0/1',
];

describe('beacon: repeats in VCF files', () => {
  it('are as long as all of their units, and of unknown length without a unit', async () => {
    const { alleles } = await read(vcf({ records }));
    expect(alleles.map(({ kind, length }) => [kind, length])).to.deep.equal([
      ['STR:17', 51],
      ['STR:40', 120],
      ['STR:18', undefined],
      ['STR:16', undefined],
      ['STR:15', undefined],
      ['STR:14', undefined],
      ['STR:12', 60],
      ['STR:0', undefined],
    ]);
  });
});

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: lengths of repeats in Beacon v2 (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine));
    let token: string;
    before(async () => {
      await addRecords(beacon.repository, 'ds', records, { samples: ['s'] });
      token = await tokenWith(beacon, 'beacon:read');
    });

    const found = async (more: Record<string, string>) => {
      const place = { assemblyId: 'GRCh37', referenceName: '4', start: '3074000', end: '3076000', variantType: 'STR' };
      const query = new URLSearchParams({ ...place, requestedGranularity: 'record', limit: '100', ...more });
      const { body } = await send(beacon, `/beacon/v2/g_variants?${query}`, { token });
      const results = (((body.response as Json).resultSets as Json[]) ?? []).flatMap(
        ({ results }) => results as Json[],
      );
      return results
        .map(({ info, variation }) => [(variation as Json).variantType, (info as Json | undefined)?.repeatLength])
        .sort();
    };

    it('find repeats by all of their bases, and none whose length is unknown', async () => {
      const [short, long, coded] = [
        ['STR:17', 51],
        ['STR:40', 120],
        ['STR:12', 60],
      ];
      expect(await found({ variantMinLength: '120', variantMaxLength: '120' })).to.deep.equal([long]);
      expect(await found({ variantMinLength: '61' })).to.deep.equal([long]);
      // 57 bases are those of the reference, from POS to END.
      expect(await found({ variantMinLength: '57', variantMaxLength: '57' })).to.deep.equal([]);
      expect(await found({ variantMaxLength: '100' })).to.deep.equal([coded, short]);
      expect(await found({ variantMinLength: '0' })).to.deep.equal([coded, short, long]);
      expect((await found({})).length).to.equal(8);
    });
  });
}
