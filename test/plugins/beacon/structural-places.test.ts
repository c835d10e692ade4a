/** Where structural alleles begin and end, by caller and version of VCF: junctions in symbolic form, telomeres, lengths. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { CountedAllele } from '../../../plugins/beacon/contract.js';
import { adjacencyKey, alleleKey, writtenAlternate } from '../../../plugins/beacon/domain/allele.js';
import { siteLine } from '../../../plugins/beacon/vcf/sites.js';
import { blockFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { send, tokenWith } from './support/observed.js';
import { ask, dataset, type Json, load, loadText, serveBeacon } from './support/serve.js';
import { line, read, vcf } from './support/vcf.js';

const versioned = (version: string, ...records: string[]) => vcf({ records }).replace('VCFv4.2', `VCFv${version}`);

/** The alleles of records of one sample, without it; after a plus the stated length. */
async function placed(version: string, ...records: string[]): Promise<string[]> {
  const { alleles, summary } = await read(versioned(version, ...records.map((record) => `${record} GT 0/1`)));
  const told = alleles.map((allele) => line(allele).replace(/ \S+$/, '') + (allele.length ? ` +${allele.length}` : ''));
  return [...told, ...summary.oddities.map(({ reason }) => reason)];
}

describe('beacon: junctions as callers write them', () => {
  const mate = '5:99999-7:199999';
  /** ALT and INFO of a record at 5:100000, by caller, and the allele. */
  const callers: Record<string, [alternate: string, info: string, allele: string]> = {
    'Delly 0.7': ['<TRA>', 'SVTYPE=TRA;CHR2=7;END=200000;CT=3to5;INSLEN=0', `${mate} N><TRA> [TRA]`],
    'Delly 1': ['N[7:200000[', 'SVTYPE=BND;END=100001;CHR2=7;POS2=200000', `${mate} N>N[7:200000[ [BND]`],
    'Delly 0.8, converted': ['<BND>', 'SVTYPE=BND;END=100001;CHR2=chr7;POS2=200000', `${mate} N><BND> [BND]`],
    'GATK-SV CTX': ['<CTX>', 'SVTYPE=CTX;CHR2=chr7;END=100000;END2=200000', `${mate} N><CTX> [TRA]`],
    'GATK-SV BND': ['<BND>', 'END=100000;SVTYPE=BND;CHR2=7;END2=200000;STRANDS=+-', `${mate} N><BND> [BND]`],
    'GATK-SV on a chromosome': ['<BND>', 'END=100000;SVTYPE=BND;CHR2=5;END2=180000', '5:99999-5:179999 N><BND> [BND]'],
    'BreakDancer within a chromosome': ['<ITX>', 'SVTYPE=ITX;END=150000;SVLEN=50000', '5:99999-5:149999 N><ITX> [TRA]'],
    Dysgu: ['<TRA>', 'SVTYPE=TRA;END=200000;CHR2=7;CHR2_POS=200000', `${mate} N><TRA> [TRA]`],
    'Sniffles 1': ['<TRA>', 'CHR2=7;END=200000;SVTYPE=TRA;SVLEN=1;STRANDS=+-', `${mate} N><TRA> [TRA]`],
    'Sniffles 1 BND': ['N]7:200000]', 'CHR2=7;END=200000;SVTYPE=BND;SVLEN=0', `${mate} N>N]7:200000] [BND]`],
    'Sniffles 2': ['N]7:200000]', 'SVTYPE=BND;CHR2=7;SUPPORT=9', `${mate} N>N]7:200000] [BND]`],
    SURVIVOR: ['<BND>', 'SVTYPE=TRA;CHR2=7;END=200000;AVGLEN=0', `${mate} N><BND> [TRA]`],
    'before its own place': ['<TRA>', 'SVTYPE=TRA;CHR2=5;END=50000', '5:99999-5:49999 N><TRA> [TRA]'],
    'without CHR2': ['<BND>', 'SVTYPE=BND;END=180000', '5:99999-5:179999 N><BND> [BND]'],
    'without END': ['<BND>', 'CHR2=7;POS2=200000', `${mate} N><BND> [BND]`],
    Manta: ['N]7:200000]', 'SVTYPE=BND;MATEID=b:1;CIPOS=0,2;HOMLEN=2', `${mate} N>N]7:200000] [BND]`],
    GRIDSS: ['NACG[7:200000[', 'SVTYPE=BND;MATEID=g1h;PARID=g1h', `${mate} N>NACG[7:200000[ [BND]`],
    SvABA: ['[7:200000[N', 'SVTYPE=BND;MATEID=9:2;SPAN=-1', `${mate} N>[7:200000[N [BND]`],
    'Lumpy, pbsv, cuteSV': [']7:200000]N', 'SVTYPE=BND;EVENT=4;STRANDS=-+:9', `${mate} N>]7:200000]N [BND]`],
    'Sniffles 1 inversion': ['<INV>', 'CHR2=7;END=200000;SVTYPE=INV', `${mate} N><INV> [INV]`],
    // The mate is not known, and none is invented: neither its place, nor a stretch on this chromosome.
    'no position': ['<TRA>', 'SVTYPE=TRA;CHR2=7', '5:99999-100000 N><TRA> [TRA]'],
    'END of the record': ['<TRA>', 'SVTYPE=TRA;CHR2=7;END=100000', '5:99999-100000 N><TRA> [TRA]'],
    'a decoy': ['<TRA>', 'SVTYPE=TRA;CHR2=GL000220.1;END=150000', '5:99999-100000 N><TRA> [TRA]'],
    // CHR2 is the source of a copy, or that of END.
    'GATK-SV insertion': [
      '<INS>',
      'SVTYPE=INS;CHR2=7;END=100000;END2=9;SVLEN=300',
      '5:99999-100000 N><INS> [INS] +300',
    ],
    'GATK-SV complex': ['<CPX>', 'SVTYPE=CPX;CHR2=7;END=100400;END2=200000', '5:99999-100400 N><CPX> [CPX]'],
    VarSim: ['<DUP>', 'SVTYPE=DUP;SVLEN=500;CHR2=7;POS2=9;END2=509;END=100500', '5:99999-100500 N><DUP> [DUP]'],
    'Delly deletion': ['<DEL>', 'SVTYPE=DEL;CHR2=5;END=100400;CT=3to5', '5:99999-100400 N><DEL> [DEL]'],
  };

  for (const [caller, [alternate, info, allele]] of Object.entries(callers)) {
    it(caller, async () => {
      expect(await placed('4.2', `5 100000 . N ${alternate} . . ${info}`)).to.deep.equal([allele]);
    });
  }

  it('count once, whichever of both ends records are at', async () => {
    const { alleles } = await read(
      vcf({
        records: ['5 100 . N <BND> . . CHR2=7;POS2=200 GT 0/1', '7 200 . A <BND> . . CHR2=5;END=101;END2=100 GT 0/1'],
      }),
    );
    expect(new Set(alleles.map(adjacencyKey))).to.have.property('size', 1);
  });

  it('join telomeres, which are beside the first and the last base', async () => {
    // VCF 4.5, Telomeres: all of chromosome 1 moved into chromosome 13; and its end, of 249,250,621 bases, likewise.
    const records = [
      '1 0 X N .[13:123457[ . . SVTYPE=BND;MATEID=V GT 0/1',
      '1 1 Y T ]13:123456]T . . SVTYPE=BND;MATEID=U GT 0/1',
      '13 123456 U C C[1:1[ . . SVTYPE=BND;MATEID=Y GT 0/1',
      '13 123457 V A ]1:0]A . . SVTYPE=BND;MATEID=X GT 0/1',
      '1 249250622 P N ]13:500]. . . SVTYPE=BND GT 0/1',
      '13 500 Q G G[1:249250622[ . . SVTYPE=BND GT 0/1',
      '13 600 . G <TRA> . . CHR2=1;END=0 GT 0/1',
      '13 700 . G <TRA> . . CHR2=1;END=249250622 GT 0/1',
    ];
    const { alleles, summary } = await read(vcf({ records }));
    expect(alleles.map(line)).to.deep.equal([
      '1:0-13:123456 N>.[13:123457[ [BND] 0:1',
      '1:0-13:123455 T>]13:123456]T [BND] 0:1',
      '13:123455-1:0 C>C[1:1[ [BND] 0:1',
      '13:123456-1:0 A>]1:0]A [BND] 0:1',
      '1:249250620-13:499 N>]13:500]. [BND] 0:1',
      '13:499-1:249250620 G>G[1:249250622[ [BND] 0:1',
      '13:599-1:0 G><TRA> [TRA] 0:1',
      '13:699-1:249250620 G><TRA> [TRA] 0:1',
    ]);
    expect(summary.skipped.unreadable).to.equal(0);
    const junctions = alleles.slice(0, 6).map(adjacencyKey);
    expect(new Set(junctions).size).to.equal(3);
    expect([junctions[3], junctions[2], junctions[5]]).to.deep.equal([junctions[0], junctions[1], junctions[4]]);
    const sites = alleles.map((allele) => siteLine({ ...(allele as unknown as CountedAllele), calls: 1 }, 1));
    expect(sites.slice(0, 6).map((site) => site.split('\t')[1])).to.deep.equal(
      records.slice(0, 6).map((record) => record.split(' ')[1]),
    );
    const again = await read(vcf({ records: sites.map((site) => `${site.trim().replaceAll('\t', ' ')} GT 0/1`) }));
    expect(again.alleles.map(line)).to.deep.equal(alleles.map(line));
  });

  it('are the only alleles that a telomere can have, but for those that begin with the first base', async () => {
    expect(
      await placed('4.4', '1 0 . N <DEL> . . SVLEN=500', '1 0 . N A . . .', '1 0 . N A . . SVTYPE=INS'),
    ).to.deep.equal(['1:0-500 N><DEL> [DEL] +500', ...Array(2).fill('position 0, before the first base')]);
    expect(
      await placed('4.4', '1 249250622 . N <DEL> . . SVLEN=5', '1 249250623 . N <BND> . . CHR2=2;POS2=9'),
    ).to.deep.equal([
      'nothing but a junction can be at the telomere after the last base',
      'position beyond the end of chromosome 1',
    ]);
    expect(await placed('4.4', '1 5 . N .[2:9[ . . SVTYPE=BND')).to.deep.equal(['malformed breakend in ALT']);
  });
});

describe('beacon: lengths and ends by version of VCF', () => {
  /** Version, REF, ALT and INFO of a record at 1:100, and ends with stated lengths of its alternates. */
  const records: [version: string, written: string, ...ends: string[]][] = [
    // Up to 4.3: SVLEN is the difference in length; END that of the variant.
    ['4.1', 'N <DEL> SVTYPE=DEL;END=600;SVLEN=-500', '600'],
    ['4.2', 'N <DEL> SVTYPE=DEL;SVLEN=500', '600'],
    ['4.2', 'N <DUP> SVTYPE=DUP;SVLEN=500;END=100', '600'],
    // Imprecise: by its place, and by the length that it states.
    ['4.2', 'N <DEL> SVTYPE=DEL;END=600;SVLEN=-510', '600 +510'],
    ['4.3', 'N <DEL>,<DEL> END=600;SVLEN=-500,-50', '600', '150'],
    ['4.3', 'N <DEL>,<INS> END=600', '600', '100'],
    ['4.3', 'N <CN0>,<CN2>,<CN3> END=600;SVLEN=500', '600', '600', '600'],
    // Two lengths for three alternates are nobody's.
    ['4.3', 'N <DEL>,<DUP>,<INV> END=600;SVLEN=500,70', '600', '600', '600'],
    // From 4.4: a length for each, never negative, and END is the farthest; a missing length follows from END.
    ['4.4', 'N <DEL>,<DUP> SVLEN=500,50;END=600;SVCLAIM=J,D', '600', '150'],
    ['4.4', 'N <DEL>,<DUP> SVLEN=500,.;END=620', '600', '620'],
    ['4.4', 'N <DEL>,<INS> SVLEN=500,300;END=600', '600', '100 +300'],
    ['4.4', 'N <DEL> SVLEN=-500;END=9000', '600'],
    ['4.4', 'NACG N,<DEL> SVTYPE=DEL;SVLEN=.,500;END=600', '103', '600'],
    ['4.5', 'N <DEL>,<*> SVLEN=500,.;END=5000;SVCLAIM=DJ,.', '600'],
    ['4.5', 'N <CNV>,<CNV> SVLEN=30,40;CN=1,2', '130', '140'],
    ['4.5', 'N <CNV:TR> SVLEN=30;RN=1;RUS=CAG;RUC=12;RB=36', '130'],
    ['4.5', 'N <INS> SVLEN=20;END=700', '100 +20'],
    // Callers.
    ['4.2', 'N <INS> SVTYPE=INS;END=101;INSLEN=55;CHR2=1', '101 +55'],
    ['4.2', 'C <INS> SVTYPE=INS;END=100;SVINSLEN=70', '100 +70'],
    ['4.1', 'C <INS> SVTYPE=INS;END=100;LEFT_SVINSSEQ=ACG', '100'],
    ['4.2', 'N <DUP> SVTYPE=DUP;END=600;SVLEN=501;CHR2=1', '600 +501'],
    ['4.2', 'N <DEL> SVTYPE=CNV;END=600;REFLEN=500', '600'],
    ['4.2', 'N <INV> SVTYPE=INV;END=600;SVLEN=0', '600'],
  ];
  for (const [version, written, ...ends] of records) {
    it(`${version} ${written}`, async () => {
      const [reference, alternate, info] = written.split(' ');
      const alternates = (alternate?.split(',') ?? []).filter((each) => each !== '<*>');
      const genotype = alternates.map((_, i) => i + 1).join('/');
      const record = `1 100 . ${reference} ${alternate} . . ${info} GT ${genotype}`;
      const { alleles } = await read(versioned(version, record));
      const found = alleles.map(({ start, end, length }) => [start, `${end}${length ? ` +${length}` : ''}`]);
      expect(found).to.deep.equal(ends.map((end) => [99, end]));
    });
  }

  it('insertions without the base before them are as long as what they write', async () => {
    const shown = async (reference: string, alternate: string, info: string) =>
      (await placed('4.2', `1 100 . ${reference} ${alternate} . . SVTYPE=INS;${info}`))[0]?.split(' ')[1];
    // Sniffles up to 2.0.7; its SVLEN may be a mean of reads.
    expect(await shown('N', 'TGGT', 'SVLEN=4')).to.equal('N>NTGGT');
    expect(await shown('N', 'TGGT', 'SVLEN=5')).to.equal('N>NTGGT');
    // Without a length: as it is written.
    expect(await shown('N', 'TGGT', 'END=100')).to.equal('N>TGGT');
    expect(await shown('C', 'TGGT', 'SVLEN=4')).to.equal('C>CTGGT');
    // With it: Manta and most others.
    expect(await shown('N', 'TGGT', 'SVLEN=3')).to.equal('N>TGGT');
    expect(await shown('C', 'CTGGT', 'SVLEN=4')).to.equal('C>CTGGT');
    expect(await shown('N', 'NTGG', 'SVLEN=3')).to.equal('N>NTGG');
  });

  it('tell insertions without bases apart, the longest of a file as if it were alone', async () => {
    const shown = async (...records: [info: string, ...alternates: string[]][]) => {
      const { alleles, summary } = await read(
        versioned(
          '4.3',
          ...records.map(([info, ...alternates]) => {
            const genotype = alternates.map((_, i) => i + 1).join('/');
            return `1 100 . N ${alternates} . . SVTYPE=INS;${info} GT ${genotype.length > 1 ? genotype : '0/1'}`;
          }),
        ),
      );
      expect(summary.alleles).to.equal(new Set(alleles.map(alleleKey)).size);
      return alleles.map(({ alternate, length }) => `${alternate} ${length}`);
    };
    const two = ['<INS> 500', '<INS,300> 300'];
    expect(await shown(['SVLEN=500,300', '<INS>', '<INS>'])).to.deep.equal(two);
    expect(await shown(['SVLEN=300', '<INS>'], ['SVLEN=500', '<INS>'])).to.deep.equal([...two].reverse());
    expect(await shown(['SVLEN=-500', '<INS>'], ['INSLEN=300', '<INS>'])).to.deep.equal(two);
    expect(await shown(['SVLEN=300', '<INS>'])).to.deep.equal(['<INS> 300']);
    expect(await shown(['SVLEN=300,300', '<INS>', '<INS>'])).to.deep.equal(['<INS> 300']);
    const [unknown, known] = ['<INS> undefined', '<INS,300> 300'];
    expect(await shown(['SVLEN=300', '<INS>'], ['SVLEN=.', '<INS>'])).to.deep.equal([known, unknown]);
    expect(await shown(['SVLEN=300,500', '<INS>', '<INS:ME:ALU>'])).to.deep.equal(['<INS> 300', '<INS:ME:ALU> 500']);
    // However a file is cut into blocks, and however many alleles are in between.
    const between = Array.from({ length: 20_000 }, (_, i) => `1 ${200 + i} . A C . . . GT 0/1`);
    const at = (length: number) => `1 20300 . N <INS> . . SVTYPE=INS;SVLEN=${length} GT 0/1`;
    const text = versioned('4.3', ...between, at(300), at(500));
    const cut = text.lastIndexOf('\n1\t20300') + 1;
    for (const chunk of [1 << 16, cut, cut - 1]) {
      const { alleles } = await read(text, { chunk });
      expect(alleles.slice(-2).map(({ alternate }) => alternate)).to.deep.equal(['<INS,300>', '<INS>']);
    }
  });

  it('ranges belong to their alternate', async () => {
    const record = '1 100 . N <DEL>,<INS> . . SVLEN=500,20;CIPOS=-9,9,0,0;CIEND=-5,5,.,. GT 1/2';
    const { alleles } = await read(versioned('4.5', record));
    expect(alleles.map(({ endRange }) => endRange)).to.deep.equal([{ min: 595, max: 605 }, undefined]);
  });

  it('are what a plain reading of the specifications gives', async () => {
    const number = fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined });
    const alternate = fc.record({
      type: fc.constantFrom('DEL', 'DUP', 'INV', 'CNV', 'INS'),
      length: number,
      sign: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('4.2', '4.3', '4.4', '4.5'),
        fc.array(alternate, { minLength: 1, maxLength: 3 }),
        fc.option(fc.integer({ min: 95, max: 600 }), { nil: undefined }),
        async (version, alternates, end) => {
          const lengths = alternates.map(({ length, sign }) =>
            length === undefined ? '.' : `${sign ? -length : length}`,
          );
          const symbols = alternates.map(({ type }) => `<${type}>`);
          const info = [`SVLEN=${lengths}`, ...(end === undefined ? [] : [`END=${end}`])].join(';');
          const record = `1 100 . N ${symbols} . . ${info} GT ${alternates.map((_, i) => i + 1).join('/')}`;
          const { alleles } = await read(versioned(version, record));
          const expected = new Set<string>();
          for (const { type, length } of alternates) {
            // Bases 101 to `last` are changed; an insertion changes none.
            const isOwn = version >= '4.4' || alternates.length > 1;
            const byEnd = end !== undefined && end >= 100 && !(end === 100 && (length ?? 0) > 1) ? end : undefined;
            const byLength = length === undefined ? undefined : 100 + length;
            const last = isOwn ? (byLength ?? byEnd) : (byEnd ?? byLength);
            if (type === 'INS') expected.add(`<INS> ${isOwn ? 100 : Math.max(end ?? 0, 100)} ${length}`);
            else if (last !== undefined) expected.add(`<${type}> ${last} ${length ?? Math.max(last - 100, 0)}`);
          }
          expect(new Set(alleles.map(alleleKey))).to.have.property('size', alleles.length);
          const found = alleles.map((allele) => {
            const { start, end: last, length } = allele;
            const symbol = writtenAlternate(allele);
            if (symbol === '<INS>') return `${symbol} ${last} ${length}`;
            return `${symbol} ${last} ${length ?? last - start - 1}`;
          });
          expect(new Set(found)).to.deep.equal(expected);
        },
      ),
      { numRuns: 300 },
    );
  });
});

for (const engine of sampled(engines, 3)) {
  describe(`beacon: places and lengths of structural alleles are found (${engine.name})`, function () {
    this.timeout(120_000);
    const loqusdb = { dataset: 'ds', addresses: ['127.0.0.0/8'] };
    const beacon = useOnce(() => serveBeacon(engine, { settings: { loqusdb } }));
    let token: string;
    const folder = blockFolder();
    before(async () => {
      await beacon.repository.addDataset(dataset('ds'), new Date());
      await loadText(
        beacon.repository,
        'ds',
        versioned(
          '4.4',
          '1 1000 . N <DEL>,<DUP> . . SVLEN=500,50;END=1500 GT 1/2',
          '1 9000 . N <DEL> . . END=9500 GT 0/1',
          '5 100000 . N <CTX> . . SVTYPE=CTX;CHR2=7;END=100000;END2=200000 GT 0/1',
          '5 300000 . N <TRA> . . SVTYPE=TRA;CHR2=5;END=400000 GT 0/1',
          '13 123457 . A ]1:0]A . . SVTYPE=BND GT 0/1',
        ),
      );
      // Lengths of which neither is within the window around the other, in one record, in two, and one alone.
      const at = (alternates: string, lengths: string, genotype: string) =>
        `3 50000 . N ${alternates} . . SVTYPE=INS;SVLEN=${lengths} GT ${genotype}`;
      const files = {
        both: [at('<INS>,<INS>', '300,900', '1/2')],
        apart: [at('<INS>', '900', '0/1'), at('<INS>', '300', '1/1')],
        alone: [at('<INS>', '900', '0/1')],
      };
      for (const [name, records] of Object.entries(files)) {
        await writeFile(join(folder, `${name}.vcf`), vcf({ samples: [name], records }));
        await load(beacon.repository, 'ds', [join(folder, `${name}.vcf`)]);
      }
      token = await tokenWith(beacon, 'beacon:observe', 'beacon:read', 'beacon:cases');
    });

    it('by v2: lengths, and junctions from either side', async () => {
      const isFound = async (fields: Record<string, string>) => {
        const query = new URLSearchParams({ assemblyId: 'GRCh37', ...fields });
        const { body } = await send(beacon, `/beacon/v2/g_variants?${query}`, { token });
        return (body.responseSummary as Json).exists;
      };
      const at = { referenceName: '1', start: '900', end: '2000' };
      const lengths = (length: number) => ({ variantMinLength: `${length}`, variantMaxLength: `${length}` });
      expect(await isFound({ ...at, variantType: 'DUP', ...lengths(50) })).to.equal(true);
      expect(await isFound({ ...at, variantType: 'DUP', ...lengths(500) })).to.equal(false);
      expect(await isFound({ ...at, variantType: 'DEL', ...lengths(500) })).to.equal(true);
      const ends: [string, number, string, number][] = [
        ['5', 99_999, '7', 199_999],
        ['5', 299_999, '5', 399_999],
        ['13', 123_456, '1', 0],
      ];
      for (const [contig, start, mateName, mateStart] of ends) {
        const here = {
          referenceName: contig,
          start: `${start}`,
          mateName,
          mateStart: `${mateStart}`,
          variantType: 'BND',
        };
        expect(await isFound(here), `${contig}`).to.equal(true);
        const there = { referenceName: mateName, start: `${mateStart}`, mateName: contig, mateStart: `${start}` };
        expect(await isFound({ ...there, variantType: 'BND' }), `${mateName}`).to.equal(true);
      }
      expect(
        await isFound({ referenceName: '5', start: '99999', mateName: '7', mateStart: '99999', variantType: 'BND' }),
      ).to.equal(false);
    });

    it('insertions of two lengths at one place are two alleles on every face', async () => {
      // 300: both once, apart twice; 900: each of the three once.
      const place = { assemblyId: 'GRCh37', referenceName: '3', variantType: 'INS' };
      const counts = { variantCount: 2, callCount: 6, sampleCount: 3 };
      const v1 = await ask(beacon.url, {
        ...place,
        start: 49_999,
        referenceBases: 'N',
        includeDatasetResponses: 'ALL',
      });
      expect((v1.body.datasetAlleleResponses as Json[])[0]).to.include(counts);
      const get = async (path: string, fields: Record<string, string>) =>
        (await send(beacon, `${path}?${new URLSearchParams(fields)}`, { token })).body;
      const v11 = { ...place, start: '49999', end: '50000', referenceBases: 'N', includeDatasetResponses: 'ALL' };
      expect(((await get('/beacon/v1/query', v11)).datasetAlleleResponses as Json[])[0]).to.include({
        variantCount: 6,
        sampleCount: 3,
      });

      const byLength: Record<string, { samples: number; found: unknown[] }> = {
        300: { samples: 2, found: [300] },
        900: { samples: 3, found: [900] },
        600: { samples: 0, found: [] },
      };
      const ids = new Set<unknown>();
      for (const [length, { samples, found }] of Object.entries(byLength)) {
        const body = await get('/beacon/v2/g_variants', {
          ...{ ...place, start: '49000', end: '51000', variantMinLength: length, variantMaxLength: length },
          ...{ requestedGranularity: 'record', includeResultsetResponses: 'ALL' },
        });
        const results = ((body.response as Json).resultSets as Json[]).flatMap(({ results }) => results as Json[]);
        expect(results.map(({ info }) => (info as Json).svlen)).to.deep.equal(found);
        const names = results.flatMap(({ caseLevelData }) => caseLevelData as Json[]);
        expect(new Set(names.map(({ biosampleId }) => biosampleId)).size, `v2, ${length}`).to.equal(samples);
        for (const { variantInternalId: id } of results) {
          ids.add(id);
          const one = await get(`/beacon/v2/g_variants/${id}`, {});
          expect((one.responseSummary as Json).numTotalResults, `${id}`).to.equal(1);
        }
        // Windows: 200 bases around 300, 400 around 900, 300 around 600.
        const asked = { chromosome: '3', position: '50000', type: 'INS' };
        const seen = await get('/observations', { assembly: 'GRCh37', ...asked, length });
        expect((seen.observations as Json[])[0]?.carriers).to.equal(length === '600' ? 3 : samples);
        const sv = await get('/loqusdb/svs', {
          ...{ chrom: '3', pos: '50000', end: `${50_000 + Number(length)}`, sv_type: 'INS' },
        });
        expect(sv.observations, 'loqusdb').to.equal(length === '600' ? 3 : samples);
      }
      expect(ids).to.have.property('size', 2);

      const search = new URLSearchParams({ q: '3:49,990-50,010', assembly: 'GRCh37' });
      const response = await fetch(`${beacon.url}/beacon/search?${search}`, { headers: { 'X-Auth-Token': token } });
      const page = await response.text();
      expect(page).to.include('&lt;INS&gt; (300)').and.include('&lt;INS&gt; (900)').and.not.include('INS,');

      const { alleleCount, callCount } = (await beacon.repository.dataset('ds')) ?? {};
      expect(await beacon.repository.recount('ds')).to.include({ alleles: alleleCount, calls: callCount });
      // The same again adds nothing.
      await load(beacon.repository, 'ds', [join(folder, 'apart.vcf')]);
      expect((await beacon.repository.dataset('ds'))?.callCount).to.equal(callCount);
    });

    it('by v1: ends', async () => {
      const isFound = async (variantType: string, end: number) => {
        const place = {
          assemblyId: 'GRCh37',
          referenceName: '1',
          startMin: 999,
          startMax: 999,
          endMin: end,
          endMax: end,
        };
        return (await ask(beacon.url, { ...place, referenceBases: 'N', variantType })).body.exists;
      };
      expect(await isFound('DUP', 1050)).to.equal(true);
      expect(await isFound('DUP', 1500)).to.equal(false);
      expect(await isFound('DEL', 1500)).to.equal(true);
    });

    it('by observations: junctions from either side, under either word', async () => {
      const carriers = async (fields: Record<string, string>) => {
        const query = new URLSearchParams({ assembly: 'GRCh37', ...fields });
        const { body } = await send(beacon, `/observations?${query}`, { token });
        return (body.observations as Json[])[0]?.carriers;
      };
      const far = { chromosome: '7', position: '200000', mateChromosome: '5', end: '100000' };
      expect(await carriers({ ...far, type: 'BND' })).to.equal(1);
      expect(await carriers({ ...far, type: 'TRA' })).to.equal(1);
      expect(await carriers({ chromosome: '5', position: '400000', end: '300000', type: 'TRA' })).to.equal(1);
      expect(
        await carriers({ chromosome: '1', position: '1', mateChromosome: '13', end: '123457', type: 'BND' }),
      ).to.equal(1);
      expect(await carriers({ chromosome: '1', position: '1000', end: '1050', type: 'DUP' })).to.equal(1);
    });
  });
}
