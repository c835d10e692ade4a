import { expect } from 'chai';
import fc from 'fast-check';
import { line, Panel, read, vcf } from './support/vcf.js';

/** The result of one or more records of a single sample, one line per allele. */
async function lines(...records: string[]): Promise<string[]> {
  return (await read(vcf({ records }))).alleles.map(line);
}

/** Reads a file of records, each of which must have the alleles beside it. */
async function expectAlleles(rows: Record<string, readonly string[]>): Promise<void> {
  expect(await lines(...Object.keys(rows))).to.deep.equal(Object.values(rows).flat());
}

describe('beacon: reading VCF records', () => {
  describe('sequence-resolved alleles', () => {
    it('positions them zero-based and half-open, and names them by their lengths', async () => {
      await expectAlleles({
        '1 100 . A C . . . GT 0/1': ['1:99-100 A>C SNP 0:1'],
        '1 100 . AC GT . . . GT 0/1': ['1:99-101 AC>GT MNP 0:1'],
        '1 100 . A ACC . . . GT 0/1': ['1:99-100 A>ACC INS 0:1'],
        '1 100 . ACC A . . . GT 0/1': ['1:99-102 ACC>A DEL 0:1'],
        '1 100 . ACC AT . . . GT 0/1': ['1:100-102 CC>T DEL 0:1'],
      });
    });

    it('trims shared bases, at the end first, and writes bases in upper case', async () => {
      await expectAlleles({
        '1 100 . caa ca . . . GT 0/1': ['1:99-101 CA>C DEL 0:1'],
        '1 5 . N A . . . GT 0/1': ['1:4-5 N>A SNP 0:1'],
        'MT 41 . TCC CCC . . . GT 1': ['MT:40-41 T>C SNP 0:1'],
      });
    });

    it('keeps alleles with unknown bases as written', async () => {
      await expectAlleles({
        '1 9 . NCC ACC . . . GT 0/1': ['1:8-11 NCC>ACC MNP 0:1'],
        '1 9 . CN CCN,CG . . . GT 1/2': ['1:8-10 CN>CCN INS 0:1', '1:8-10 CN>CG MNP 0:1'],
      });
    });

    it('reduces codes of REF to the base that is first in the alphabet, and skips an ALT with them', async () => {
      // VCF 4.3, 1.6.1.4, and the codes of NC-IUB 1984.
      const codes = { R: 'AG', Y: 'CT', S: 'CG', W: 'AT', K: 'GT', M: 'AC', B: 'CGT', D: 'AGT', H: 'ACT', V: 'ACG' };
      for (const [code, possible] of Object.entries(codes)) {
        for (const written of [code, code.toLowerCase()]) {
          const [first, second] = possible;
          const reduced = await lines(
            `1 5 . ${written}N ${second}N . . . GT 0/1`,
            `1 5 . G${written} GGG . . . GT 0/1`,
          );
          expect(reduced, written).to.deep.equal([
            `1:4-6 ${first}N>${second}N MNP 0:1`,
            first === 'G' ? '1:4-5 G>GG INS 0:1' : `1:5-6 ${first}>GG INS 0:1`,
          ]);
          // An N keeps the first one from being trimmed.
          const file = vcf({
            records: [`1 5 . A ${written},T . . . GT 1/2`, `1 5 . ${written} ${first} . . . GT 1/1`],
          });
          const { alleles, summary } = await read(file);
          expect(alleles.map(line)).to.deep.equal(['1:4-5 A>T SNP 0:1']);
          expect([summary.skipped.unreadable, summary.unreadableRecords]).to.deep.equal([2, 1]);
          expect(summary.oddities).to.deep.equal([
            { line: 3, reason: 'ALT has a code for several bases (IUPAC), so that its bases are not known' },
            { line: 4, reason: 'ALT is the same as REF' },
          ]);
        }
      }
      await expectAlleles({ '1 5 . R R]2:9] . . SVTYPE=BND GT 0/1': ['1:4-2:8 A>A]2:9] [BND] 0:1'] });
    });

    it('skips a record with more alternates than there can be, or than REF can be written for', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, n) => `<A${n}>`).join(',');
      const file = (ref: string, alternates: string) =>
        vcf({ records: [`1 10 . ${ref} ${alternates} . . END=200 GT 0/1`, '1 20 . A C . . . GT 0/1'] });
      const excess = await read(file('A', many(300_000)));
      expect(excess.alleles.map(line)).to.deep.equal(['1:19-20 A>C SNP 0:1']);
      expect(excess.summary.oddities).to.deep.equal([
        { line: 3, reason: 'it has 300000 alternates; a record can have 65534' },
      ]);
      expect((await read(file('A', many(65_534)))).summary.oddities).to.deep.equal([]);
      // 20,000 times 1,000 bases are 20,000,000; 2^24 are 16,777,216.
      const wide = await read(file('A'.repeat(1000), many(20_000)));
      expect(wide.summary.oddities.map(({ reason }) => reason)).to.deep.equal([
        'it has 20000 alternates of a REF of 1000 bases, which is more than 16777216 bases in all',
      ]);
    });

    it('splits records with several alternates', async () => {
      // CAA>CA is CA>C at 100 (the end is trimmed first); CAA>C is minimal; ACG>ACT is G>T two bases on.
      await expectAlleles({
        '1 100 . CAA CA,C . . . GT 1/2': ['1:99-101 CA>C DEL 0:1', '1:99-102 CAA>C DEL 0:1'],
        '2 100 . ACG ACT,TCG . . . GT 1|2': ['2:101-102 G>T SNP 0:1', '2:99-100 A>T SNP 0:1'],
        '3 9 . A C,* . . . GT 1/2': ['3:8-9 A>C SNP 0:1'],
      });
    });

    it('adds up duplicates of an alternate in a record', async () => {
      const { alleles, summary } = await read(vcf({ records: ['1 10 . CA TA,T,TA . . . GT 1/3'] }));
      expect(alleles.map(line)).to.deep.equal(['1:9-10 C>T SNP 0:2']);
      expect(summary).to.deep.include({ records: 1, alleles: 1, calls: 2 });
    });

    it('splits and trims as a naive splitter does', () => {
      const bases = fc.string({ unit: fc.constantFrom('A', 'C'), minLength: 1, maxLength: 6 });
      return fc.assert(
        fc.asyncProperty(
          bases,
          fc.uniqueArray(bases, { minLength: 2, maxLength: 4 }),
          fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }),
          async (reference, alternates, genotype) => {
            const called = genotype.map((allele) => Math.min(allele, alternates.length));
            const record = `1 100 . ${reference} ${alternates.join(',')} . . . GT ${called.join('/')}`;
            const expected = new Map<string, number>();
            for (const allele of called) {
              const alternate = alternates[allele - 1];
              if (alternate === undefined || alternate === reference) continue;
              const key = naiveTrim(99, reference, alternate);
              expected.set(key, (expected.get(key) ?? 0) + 1);
            }
            const found = (await read(vcf({ records: [record] }))).alleles.map((allele) => [
              `${allele.start} ${allele.reference}>${allele.alternate}`,
              allele.carriers[0]?.[1],
            ]);
            expect(new Map(found as [string, number][])).to.deep.equal(expected);
          },
        ),
        { numRuns: 300 },
      );
    });
  });

  describe('genotypes', () => {
    for (const [genotype, copies] of [
      ['0/1', 1],
      ['1/1', 2],
      ['1', 1],
      ['./1', 1],
      ['1|0', 1],
      ['0/1/1', 2],
      ['1|.', 1],
      ['/0|1', 1],
      ['0/0', undefined],
      ['./.', 'unknown'],
      ['.', 'unknown'],
    ] as const) {
      it(`counts ${genotype} as ${copies ?? 'not carried'}`, async () => {
        const { alleles, uncalled, summary } = await read(vcf({ records: [`1 100 . A C . . . GT:DP ${genotype}:7`] }));
        const called = typeof copies === 'number' ? copies : 0;
        expect(alleles.map(({ carriers }) => carriers)).to.deep.equal(called === 0 ? [] : [[[0, called]]]);
        expect(uncalled).to.deep.equal(copies === 'unknown' ? ['1:99-100 A>C SNP 0:0'] : []);
        expect(summary.calls).to.equal(called);
        expect(summary.skipped.notCarried).to.equal(copies === undefined ? 1 : 0);
        expect(summary.skipped.uncalled).to.equal(copies === 'unknown' ? 1 : 0);
      });
    }

    it('counts every copy, however many', async () => {
      const genotype = (copies: number) => Array(copies).fill('1').join('/');
      const records = [300, 65_537].map((copies, i) => `1 ${i + 1} . A C . . . GT ${genotype(copies)}`);
      expect(await lines(...records)).to.deep.equal(['1:0-1 A>C SNP 0:300', '1:1-2 A>C SNP 0:65537']);
    });

    it('counts one copy of each alternate for 1|2', async () => {
      await expectAlleles({ '1 100 . A C,G . . . GT 1|2': ['1:99-100 A>C SNP 0:1', '1:99-100 A>G SNP 0:1'] });
    });

    it('finds GT at any place of FORMAT, and treats an omitted field as no call', async () => {
      const records = ['1 1 . A C . . . DP:GT 9:1/1', '1 2 . A C . . . DP:GT 9', '1 3 . A C . . . DP:PGT 9:1'];
      const { alleles, summary } = await read(vcf({ records }));
      expect(alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 0:2']);
      expect(summary.skipped).to.deep.include({ notCarried: 0, uncalled: 2, withoutGenotypes: 1 });
    });

    it('reads only the selected samples, with carriers in the order of the selection', async () => {
      const file = vcf({
        samples: ['a', 'b', 'c', 'd'],
        records: ['1 1 . A C,G . . . GT 1/1 0/1 2/2 1/2', '1 2 . A C . . . GT 1/1 0/0 0/0 1/1'],
      });
      const { alleles, samples, summary } = await read(file, { samples: ['c', 'b', 'c'] });
      expect(samples).to.deep.equal(['c', 'b']);
      expect(alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 1:1', '1:0-1 A>G SNP 0:2']);
      expect(summary.skipped.notCarried).to.equal(1);
    });
  });

  describe('chromosomes', () => {
    it('accepts them with and without prefix, in any case, M and MT, and by RefSeq accession', async () => {
      const names = ['chr1', 'CHR22', 'x', 'chrY', 'M', 'chrM', 'MT', 'NC_000007.13', 'NC_012920.1'];
      const { alleles } = await read(vcf({ records: names.map((name, i) => `${name} ${i + 1} . A C . . . GT 1/1`) }));
      expect(alleles.map(({ contig }) => contig)).to.deep.equal(['1', '22', 'X', 'Y', 'MT', 'MT', 'MT', '7', 'MT']);
    });

    it('skips and counts others', async () => {
      const names = ['GL000207.1', 'chrUn_KI270442v1', 'GL000207.1', '27', '__proto__', '1'];
      const { alleles, summary } = await read(vcf({ records: names.map((name) => `${name} 1 . A C . . . GT 1/1`) }));
      expect(alleles).to.have.length(1);
      expect(Object.entries(summary.skipped.contigs)).to.have.deep.members([
        ['GL000207.1', 2],
        ['chrUn_KI270442v1', 1],
        ['27', 1],
        ['__proto__', 1],
      ]);
    });

    it('knows the numbers of PLINK, and refuses 25 unless its length is that of MT', async () => {
      const names = ['23', 'chr24', '26', 'CHR23', '22'];
      const { alleles } = await read(vcf({ records: names.map((name) => `${name} 9 . A C . . . GT 1/1`) }));
      expect(alleles.map(({ contig }) => contig)).to.deep.equal(['X', 'Y', 'MT', 'X', '22']);
      for (const name of ['25', 'chr25', 'XY', 'PAR1', 'par2']) {
        const records = [`${name} 9 . A C . . . GT 1/1`];
        const refused = await read(vcf({ records })).catch(({ message }: Error) => message);
        expect(refused).to.match(new RegExp(`^x.vcf: chromosome ${name} means the pseudoautosomal regions .*16569`));
        const header = [`##contig=<ID=${name},length=16569>`];
        expect((await read(vcf({ header, records }))).alleles.map(({ contig }) => contig)).to.deep.equal(['MT']);
        const ofX = [`##contig=<ID=${name},length=155270560>`];
        expect(await read(vcf({ header: ofX, records })).catch(({ message }: Error) => message)).to.equal(refused);
        // A header may name what the file has no records of.
        expect((await read(vcf({ header: ofX, records: ['X 9 . A C . . . GT 1'] }))).alleles).to.have.length(1);
      }
    });

    it('does not count a chromosome as searched whose records were all skipped', async () => {
      const x = { header: ['##contig=<ID=cX,length=155270560>'], name: 'cX' };
      const [sound, call] = ['1 9 . A C . . . GT 0/1', 'X 9 . A C . . . GT'];
      const table: [what: string, header: string[], record: string][] = [
        ['another version of the sequence', [], 'NC_000023.9 9 . A C . . . GT 0/1'],
        ['a name that only its length explains', x.header, 'cX 9 . A C . . . GT 0/1'],
        ['a genotype that is damaged', [], `${call} 0/x`],
        ['a position beyond the end', [], 'X 155270561 . A C . . . GT 0/1'],
        ['a REF that is no sequence', [], 'X 9 . Q C . . . GT 0/1'],
        ['an ALT that is no sequence', [], 'X 9 . A Q . . . GT 0/1'],
        ['an ALT with a code for several bases', [], 'X 9 . A R . . . GT 0/1'],
        ['too many alternates', [], `X 9 . A ${'C,'.repeat(65_534)}C . . . GT 0/1`],
      ];
      for (const [what, header, record] of table) {
        const { small, structural } = (await read(vcf({ header, records: [sound, record] }))).chromosomes;
        expect([[...small.read], [...small.skipped]], what).to.deep.equal([['1'], ['X']]);
        expect([structural.read.size, structural.skipped.size], what).to.deep.equal([0, 0]);
      }
      const header = ['##contig=<ID=chrM,length=16571>'];
      const old = (await read(vcf({ header, records: [sound, 'chrM 9 . A <DEL> . . END=20 GT 1'] }))).chromosomes;
      expect([[...old.structural.read], [...old.structural.skipped]]).to.deep.equal([[], ['MT']]);
    });

    it("skips the mitochondrion of hg19, whose coordinates are not MT's", async () => {
      const header = ['##contig=<ID=chrM,length=16571>'];
      const { alleles, summary } = await read(vcf({ header, records: ['chrM 9 . A C . . . GT 1'] }));
      expect(alleles).to.deep.equal([]);
      expect({ ...summary.skipped.contigs }).to.deep.equal({ chrM: 1 });
    });
  });

  describe('structural alleles', () => {
    it('ends them at END, one past the last base', async () => {
      await expectAlleles({
        '5 474602 . GCC G . . SVTYPE=DEL;END=474974;SVLEN=-372 GT 1/1': ['5:474601-474974 GCC>G [DEL] 0:2'],
        '20 54963149 . C <DUP:TANDEM> . . CSQ=x;END=54963210;SVTYPE=DUP GT 0/1': [
          '20:54963148-54963210 C><DUP:TANDEM> [DUP:TANDEM] 0:1',
        ],
        '8 133920667 . A <INS> . . CIEND=0,1;END=133920667;SVTYPE=INS GT 1/1': [
          '8:133920666-133920667 A><INS> [INS] 0:2',
        ],
      });
    });

    it('falls back to SVLEN, or to a written sequence, if END is missing or before the record', async () => {
      await expectAlleles({
        '1 100 . A <DEL> . . SVTYPE=DEL;SVLEN=-50 GT 1/1': ['1:99-150 A><DEL> [DEL] 0:2'],
        '1 100 . A <DUP> . . SVTYPE=DUP;SVLEN=50;END=7 GT 1/1': ['1:99-150 A><DUP> [DUP] 0:2'],
        '1 100 . A <INS> . . SVTYPE=INS;SVLEN=50 GT 1/1': ['1:99-100 A><INS> [INS] 0:2'],
        '1 100 . AC A . . SVTYPE=DEL;END=7 GT 1/1': ['1:99-101 AC>A [DEL] 0:2'],
        '1 100 . A <DEL>,<DUP> . . SVLEN=10,20;END=120 GT 1/2': [
          '1:99-110 A><DEL> [DEL] 0:1',
          '1:99-120 A><DUP> [DUP] 0:1',
        ],
      });
    });

    it('classifies each alternate separately: a symbol beside it makes no allele structural', async () => {
      await expectAlleles({
        '1 1001 . A G,<NON_REF> . . . GT 0/1': ['1:1000-1001 A>G SNP 0:1'],
        '1 1002 . AT A,<*> . . END=1500 GT 0/1': ['1:1001-1003 AT>A DEL 0:1'],
        '1 1003 . A ACC,<non_ref> . . . GT 0/1': ['1:1002-1003 A>ACC INS 0:1'],
        '1 1004 . A G,<DEL> . . END=1100;CIPOS=-5,5 GT 1/2': [
          '1:1003-1004 A>G SNP 0:1',
          '1:1003-1100 A><DEL> [DEL] 0:1',
        ],
        '1 1005 . ACGT ACG,<DUP>,A[2:7[ . . SVTYPE=DUP;END=1100 GT 1/2/3': [
          '1:1006-1008 GT>G DEL 0:1',
          '1:1004-1100 ACGT><DUP> [DUP] 0:1',
          '1:1004-2:6 ACGT>A[2:7[ [BND] 0:1',
        ],
        '1 1006 . A ACC,G . . SVTYPE=INS;END=1006 GT 1/2': ['1:1005-1006 A>ACC [INS] 0:1', '1:1005-1006 A>G SNP 0:1'],
        '1 1007 . A ACC,*,<NON_REF> . . SVTYPE=INS;END=1007 GT 1/1': ['1:1006-1007 A>ACC [INS] 0:2'],
        '1 1008 . A <DEL>,<NON_REF> . . SVTYPE=CNV;END=1020 GT 1/1': ['1:1007-1020 A><DEL> [DEL] 0:2'],
      });
      const { alleles } = await read(
        vcf({ records: ['1 9 . A G,<DEL> . . END=90;CIPOS=-5,5 GT 1/2', '1 9 . A <NON_REF> . . END=90 GT 1'] }),
      );
      expect(alleles.map(({ startRange }) => startRange)).to.deep.equal([undefined, { min: 3, max: 13 }]);
    });

    it('keeps the alleles of records with an SVTYPE at the stated positions', async () => {
      await expectAlleles({
        '5 11 . GCCAT GT . . SVTYPE=DEL;END=15 GT 1/1': ['5:10-15 GCCAT>GT [DEL] 0:2'],
        '5 21 . GTA GTTTA,GA . . SVTYPE=CNV;END=30 GT 1/2': ['5:20-30 GTA>GTTTA [CNV] 0:1', '5:20-30 GTA>GA [CNV] 0:1'],
      });
    });

    it('cannot read ends beyond the storable range', async () => {
      const records = [
        '1 100 . A <DEL> . . SVTYPE=DEL;END=99999999999 GT 1/1',
        '1 100 . A <DEL> . . SVTYPE=DEL;END=2147483648 GT 1/1',
        '1 100 . A <DUP> . . SVTYPE=DUP;SVLEN=99999999999999999999999 GT 1/1',
        '1 100 . A A]17:2147483649] . . SVTYPE=BND GT 1/1',
        '1 100 . A <TRA> . . SVTYPE=TRA;CHR2=5;END=2147483649 GT 1/1',
        `1 100 . A <INV> . . SVTYPE=INV;END=${'9'.repeat(400)} GT 1/1`,
        // The largest storable end.
        '1 100 . A <DEL> . . SVTYPE=DEL;END=2147483647 GT 1/1',
        '1 100 . A A]17:2147483648] . . SVTYPE=BND GT 1/1',
        // END does not apply to these alleles.
        '1 100 . A C . . END=99999999999 GT 1/1',
        '1 100 . A C,<NON_REF> . . END=99999999999 GT 1/1',
      ];
      const { alleles, summary } = await read(vcf({ records }));
      expect(alleles.map(({ end }) => end)).to.deep.equal([2_147_483_647, 2_147_483_647, 100, 100]);
      expect(summary.oddities.map(({ line: at }) => at)).to.deep.equal([3, 4, 5, 6, 7, 8]);
      expect(summary.oddities[0]?.reason).to.include('2147483647');
    });

    it('reports alleles without a determinable end, or beyond the chromosome', async () => {
      const { alleles, summary } = await read(
        vcf({
          records: [
            '1 100 . A <INV> . . SVTYPE=INV;END=. GT 1/1',
            '1 200 . A <DEL> . . SVTYPE=DEL;END=abc GT 1/1',
            '1 300 . A <DUP> . . SVTYPE=DUP;END=299 GT 1/1',
            // Chromosome 1 of GRCh37 has 249 250 621 bases.
            '1 249250621 . A C . . . GT 1/1',
            '1 249250622 . A C . . . GT 1/1',
          ],
        }),
      );
      expect(alleles.map(({ start }) => start)).to.deep.equal([249_250_620]);
      expect(summary.skipped.unreadable).to.equal(4);
    });

    it('takes the kind from the symbol, and from an SVTYPE that says the same more precisely', async () => {
      const kinds = async (...records: string[]) => (await read(vcf({ records }))).alleles.map(({ kind }) => kind);
      expect(
        await kinds(
          '1 9 . A <DEL> . . SVTYPE=CNV;END=20 GT 1/1',
          '1 9 . A <DEL:ME:ALU> . . SVTYPE=DEL;END=20 GT 1/1',
          '1 9 . A <DEL> . . END=20 GT 1/1',
          '1 9 . A <CN0>,<CN2> . . SVTYPE=CNV;END=20 GT 1/2',
          '1 9 . A <DEL>,<DUP> . . SVTYPE=CNV;END=20 GT 1/2',
          '1 9 . A <CN3> . . END=20 GT 1/1',
          '1 9 . A ACGT . . SVTYPE=ins GT 1/1',
        ),
      ).to.deep.equal(['DEL', 'DEL:ME:ALU', 'DEL', 'CNV', 'CNV', 'DEL', 'DUP', 'CNV', 'INS']);
      const table: [alternate: string, svtype: string | undefined, kind: string][] = [
        ['<DUP>', 'CNV', 'DUP'],
        ['<CNV>', 'DEL', 'DEL'],
        ['<CNV>', 'LOH', 'CNV'],
        ['<DEL>', 'INV', 'DEL'],
        ['<DUP>', 'DUP:TANDEM', 'DUP:TANDEM'],
        ['<DUP:TANDEM>', 'TDUP', 'DUP:TANDEM'],
        ['<TDUP>', undefined, 'DUP:TANDEM'],
        ['<INVDUP>', 'DUP', 'INVDUP'],
        ['<INS:ME:ALU>', 'ALU', 'INS:ME:ALU'],
        ['<INS:ME:L1>', 'LINE1', 'INS:ME:LINE1'],
        ['<INS>', 'SVA', 'INS:ME:SVA'],
        ['<ALU>', 'MEI', 'INS:ME:ALU'],
        ['ACGTA', 'MEI', 'INS:ME'],
        ['<STR18>', undefined, 'STR:18'],
        ['<STR18>', 'STR', 'STR:18'],
        ['<CN=0>', undefined, 'CNV'],
        ['<CN0>', 'DEL', 'DEL'],
        ['<CN=2>', 'DUP', 'DUP'],
        ['<CN0>', 'INV', 'CNV'],
        ['<RPL>', 'DEL', 'DEL'],
        ['<RPL>', undefined, 'RPL'],
      ];
      for (const [alternate, svtype, kind] of table) {
        const type = svtype === undefined ? '' : `SVTYPE=${svtype};`;
        const record = `1 9 . A ${alternate} . . ${type}END=20 GT 1/1`;
        expect(await kinds(record), record).to.deep.equal([kind]);
      }
    });

    it('reads only whole INFO keys, and only the INFO of this record', async () => {
      await expectAlleles({
        '1 9 . A C . . XSVTYPE=DEL;END=20 GT 1/1': ['1:8-9 A>C SNP 0:2'],
        '1 10 . A C . . OLD_END=7;SVTYPE=DEL;CIEND=3;END=30 GT 1/1': ['1:9-30 A>C [DEL] 0:2'],
        '1 11 . A C . . END=20 GT 1/1': ['1:10-11 A>C SNP 0:2'],
      });
    });

    it('reads the four forms of breakends: the end is the zero-based position of the mate', async () => {
      const records = [
        '2 321681 . G G]17:198982] . . SVTYPE=BND GT 0/1',
        '2 321682 . T ]chr13:123456]T . . SVTYPE=BND GT 0/1',
        '13 123456 . C C[2:321682[ . . SVTYPE=BND GT 0/1',
        '17 198983 . c [m:16000[c . . . GT 0/1',
      ];
      expect(await lines(...records)).to.deep.equal([
        '2:321680-17:198981 G>G]17:198982] [BND] 0:1',
        '2:321681-13:123455 T>]13:123456]T [BND] 0:1',
        '13:123455-2:321681 C>C[2:321682[ [BND] 0:1',
        '17:198982-MT:15999 C>[MT:16000[C [BND] 0:1',
      ]);
    });

    it('reads the uncertainty of start and end, for each alternate; anything but a pair of numbers is ignored', async () => {
      const ranges = async (alternates: string, info: string) => {
        const { alleles } = await read(
          vcf({ records: [`1 11 . A ${alternates} . . ${info} GT ${alternates.includes(',') ? '1/2' : '1'}`] }),
        );
        return alleles.map(({ startRange, endRange }) => [startRange, endRange]);
      };
      const bounds = (min: number, max: number) => ({ min, max });
      // POS 11 is the zero-based start 10; END 20 is the exclusive end 20.
      const placed = 'SVTYPE=DEL;END=20';
      expect(await ranges('<DEL>', `${placed};CIPOS=-3,4;CIEND=0,12`)).to.deep.equal([[bounds(7, 14), bounds(20, 32)]]);
      expect(await ranges('<DEL>', `${placed};CIEND=-5,5`)).to.deep.equal([[undefined, bounds(15, 25)]]);
      expect(await ranges('<DEL>', `${placed};CIPOS=-30,0`)).to.deep.equal([[bounds(0, 10), undefined]]);
      expect(await ranges('<DEL>,<DUP>', `${placed};CIPOS=-1,1,-2,2`)).to.deep.equal([
        [bounds(9, 11), undefined],
        [bounds(8, 12), undefined],
      ]);
      expect(await ranges('A[2:9[', 'SVTYPE=BND;CIPOS=-1,0;CIEND=0,3')).to.deep.equal([[bounds(9, 10), bounds(8, 11)]]);
      for (const odd of ['CIPOS=5', 'CIPOS=a,b', 'CIPOS=.', 'CIPOS=1,2,3', 'CIPOS=', 'XCIPOS=-1,1']) {
        expect(await ranges('<DEL>', `${placed};${odd}`), odd).to.deep.equal([[undefined, undefined]]);
      }
      expect(await ranges('C', 'CIPOS=-1,1')).to.deep.equal([[undefined, undefined]]);
    });

    it('reads breakends without a mate: single ones, and those whose mate is on no chromosome', async () => {
      await expectAlleles({
        '1 9 . G G. . . SVTYPE=BND GT 0/1': ['1:8-9 G>G. [BND] 0:1'],
        '1 9 . G .GT . . . GT 0/1': ['1:8-9 G>.GT [BND] 0:1'],
        '1 9 . G G[<ctg>:7[ . . . GT 0/1': ['1:8-9 G>G[<ctg>:7[ [BND] 0:1'],
      });
    });

    it('uses CHR2 and END of older callers as the mate', async () => {
      await expectAlleles({ '1 9 . N <TRA> . . SVTYPE=TRA;CHR2=chr5;END=77 GT 0/1': ['1:8-5:76 N><TRA> [TRA] 0:1'] });
    });
  });

  describe('non-alleles and unreadable records', () => {
    it('skips *, <NON_REF>, <*> and . with a count', async () => {
      const records = [
        '1 1 . A C,* . . . GT 1/2',
        '1 2 . A <NON_REF> . . . GT 0/0',
        '1 3 . A . . . . GT 0/0',
        '1 4 . A <*> . . . GT 1',
      ];
      const { alleles, summary } = await read(vcf({ records }));
      expect(alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 0:1']);
      expect(summary.skipped.placeholders).to.equal(4);
    });

    it('counts single invalid records, reports their lines and reasons, and continues', async () => {
      const records = [
        '1 1 . A C . . . GT 0/2',
        '1 2 . A C . . . GT 0/x',
        '1 0 . A C . . . GT 0/1',
        '1 3 . A! C . . . GT 0/1',
        '1 4 . A C? . . . GT 0/1',
        '1 5 . A A . . . GT 0/1',
        '1 6 . A A[17:x[ . . . GT 0/1',
        '1 7 . A A[17:7] . . . GT 0/1',
        '1 8 . A C . . . GT 0/1',
      ];
      const { alleles, summary } = await read(vcf({ records }));
      expect(alleles.map(line)).to.deep.equal(['1:7-8 A>C SNP 0:1']);
      expect(summary.skipped.unreadable).to.equal(8);
      // Two header lines come before the records.
      expect(summary.oddities).to.deep.equal([
        { line: 3, reason: 'malformed genotype, or one with an allele that the record does not have' },
        { line: 4, reason: 'malformed genotype, or one with an allele that the record does not have' },
        { line: 5, reason: 'position 0, before the first base' },
        { line: 6, reason: 'REF must be bases' },
        { line: 7, reason: 'ALT must be bases, a <symbol> or a breakend' },
        { line: 8, reason: 'ALT is the same as REF' },
        { line: 9, reason: 'malformed breakend in ALT' },
        { line: 10, reason: 'malformed breakend in ALT' },
      ]);
    });

    it('keeps the first reasons, and counts all', async () => {
      const records = Array.from({ length: 50 }, (_, i) => `1 ${i + 1} . A A . . . GT 0/1`);
      const { summary } = await read(vcf({ records }));
      expect(summary.skipped.unreadable).to.equal(50);
      expect(summary.oddities).to.have.length(20);
    });
  });

  describe('panels', () => {
    it('keep the alleles that overlap a region', async () => {
      const panel = new Panel([
        ['1', 100, 200],
        ['1', 150, 300],
        ['2', 0, 10],
      ]);
      const records = [
        '1 100 . A C . . . GT 1/1', // [99, 100) ends where the region begins
        '1 100 . AC A . . . GT 1/1', // [99, 101) overlaps it
        '1 300 . A C . . . GT 1/1', // [299, 300) is its last base
        '1 301 . A C . . . GT 1/1',
        '1 50 . A <DEL> . . SVTYPE=DEL;END=400 GT 1/1',
        '1 50 . A A[2:5[ . . SVTYPE=BND GT 1/1', // the mate does not count
        '2 5 . A A[1:50[ . . SVTYPE=BND GT 1/1',
        '3 5 . A C . . . GT 1/1',
      ];
      const { alleles, summary } = await read(vcf({ records }), { panel });
      expect(alleles.map(({ contig, start }) => `${contig}:${start}`)).to.deep.equal(['1:99', '1:299', '1:49', '2:4']);
      expect(summary.skipped.outsidePanel).to.equal(4);
    });

    it('overlap a region exactly if a linear scan of all regions says so', () => {
      const region = fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 12 }));
      fc.assert(
        fc.property(fc.array(region, { minLength: 1, maxLength: 12 }), region, (regions, [start, length]) => {
          const panel = new Panel(regions.map(([from, size]) => ['1', from, from + size] as const));
          const naive = regions.some(([from, size]) => from < start + length && start < from + size);
          expect(panel.overlaps('1', start, start + length)).to.equal(naive);
          expect(panel.overlaps('2', start, start + length)).to.equal(false);
        }),
      );
    });
  });

  it('reads the same for any chunks', async () => {
    const records = Array.from(
      { length: 40 },
      (_, i) => `${(i % 22) + 1} ${i + 1} . A ${i % 2 ? 'C' : 'C,G'} . . DP=${i} GT 1/1`,
    );
    const text = vcf({ records });
    const whole = (await read(text)).alleles.map(line);
    expect(whole).to.have.length(40);
    for (const chunk of [1, 2, 7, 64, 1000]) {
      expect((await read(text, { chunk })).alleles.map(line), `chunks of ${chunk}`).to.deep.equal(whole);
    }
  });

  it('reads Windows line ends, blank lines and a last line without an end', async () => {
    const text = vcf({ records: ['1 1 . A C . . . GT 1/1', '', '1 2 . A C . . . GT 0/1'] });
    const windows = text.replaceAll('\n', '\r\n').slice(0, -2);
    expect((await read(windows)).alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 0:2', '1:1-2 A>C SNP 0:1']);
  });
});

/** By definition: while both end (then begin) with the same base, and keep one, remove it. */
function naiveTrim(start: number, reference: string, alternate: string): string {
  let [at, ref, alt] = [start, reference, alternate];
  while (ref.length > 1 && alt.length > 1 && ref.slice(-1) === alt.slice(-1))
    [ref, alt] = [ref.slice(0, -1), alt.slice(0, -1)];
  while (ref.length > 1 && alt.length > 1 && ref[0] === alt[0]) [at, ref, alt] = [at + 1, ref.slice(1), alt.slice(1)];
  return `${at} ${ref}>${alt}`;
}
