/** Interval files of every kind, good and bad. Counts are those of the data folder's files, counted by hand or by `cut | sort -u`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  type Build,
  codingParts,
  coverage,
  type IntervalKind,
  type IntervalRepository,
} from '../../../../plugins/coverage/contract.js';
import { openD4 } from '../../../../plugins/coverage/d4/index.js';
import { addDemo, demoBuild, demoGenes, demoSamples } from '../../../../plugins/coverage/demo/demo.js';
import {
  type FileKind,
  type IntervalLoadRequest,
  loadIntervals,
} from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/reader.js';
import { faultOf } from '../../../support/fault.js';
import { useFolder } from '../../../support/folder.js';
import { sqlite } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { dataFile, describeWithData } from '../support/shared.js';
import { makeDemo } from './support/make-demo.js';

const now = new Date('2026-01-15T08:00:00Z');

const geneHeader =
  'Chromosome/scaffold name\tGene start (bp)\tGene end (bp)\tGene stable ID\tHGNC symbol\tHGNC ID\tGene type';
const mthfr = '1\t11845780\t11866977\tENSG00000177000\tMTHFR\t7436\tprotein_coding';
const dhfr = '5\t79922047\t79950802\tENSG00000228716\tDHFR\tHGNC:2861\tprotein_coding';
const mt = 'MT\t15956\t16023\tENSG00000210196\tMT-TP\tHGNC:7494\tMt_tRNA';

describe('loading of intervals', () => {
  const folder = useFolder();
  const opened = useEach(() => sqlite.open([coverage]));
  let repository: IntervalRepository;
  beforeEach(async () => {
    repository = opened.storage.repository(coverage);
  });

  async function load(kind: FileKind, text: string | Buffer, options: Partial<IntervalLoadRequest> = {}) {
    const file = join(folder.path(), 'file.tsv');
    await writeFile(file, text);
    const source = await openIntervals(file);
    return loadIntervals({ repository, kind, build: 'GRCh37', source, maxShrink: 0.1, now, ...options });
  }

  async function refusal(
    kind: FileKind,
    text: string | Buffer,
    options: Partial<IntervalLoadRequest> = {},
  ): Promise<string> {
    const before = await repository.sets();
    const { message } = await faultOf(load(kind, text, options), 'unprocessable');
    expect(await repository.sets()).to.deep.equal(before);
    return message;
  }

  describeWithData('of BioMart', () => {
    const loadFile = async (kind: IntervalKind, build: Build) => {
      const source = await openIntervals(dataFile(`${kind}_${build.slice(-2)}.tsv`));
      return loadIntervals({ repository, kind, build, source, maxShrink: 0.1, now });
    };

    it('reads both header generations, each transcript once, with zero-based starts', async () => {
      const rows: Record<string, number[]> = {};
      for (const build of ['GRCh37', 'GRCh38'] as const) {
        for (const kind of ['genes', 'transcripts', 'exons'] as const) {
          const { sets, read, skipped } = await loadFile(kind, build);
          expect(skipped).to.deep.equal({});
          rows[`${build} ${kind}`] = [read, sets[0]?.rows ?? 0];
        }
      }
      // Lines of each file; distinct transcripts: reference §7, rows/distinct per gene.
      expect(rows).to.deep.equal({
        'GRCh37 genes': [5, 5],
        'GRCh37 transcripts': [37, 9 + 7 + 4 + 11 + 1],
        'GRCh37 exons': [151, 151],
        'GRCh38 genes': [5, 5],
        'GRCh38 transcripts': [50, 19 + 7 + 5 + 9 + 1],
        'GRCh38 exons': [238, 238],
      });
      const [set] = await repository.sets();
      expect(set?.checksum).to.match(/^sha256:81903aea32c128dd/);
      const { answers } = await repository.findGenes('GRCh37', ['mthfr']);
      const [answer] = answers;
      const genes = answer && 'genes' in answer ? answer.genes : [];
      expect(genes[0]).to.include({ start: 11845779, end: 11866977, hgnc: 7436 });
      const { transcripts } = await repository.transcriptsOf('GRCh38', ['ENSG00000177000']);
      const select = transcripts.filter(({ isManeSelect }) => isManeSelect);
      expect(select.map(({ ensembl }) => ensembl)).to.deep.equal(['ENST00000376590']);
      expect(select[0]?.references.refseqMrnaPredicted).to.have.length(7);
      expect(select[0]?.references.maneSelect).to.deep.equal(['NM_005957.5']);
      // MTHFR, 656 amino acids: 1971 bases with the stop codon (CCDS137).
      expect(bases(codingParts(select[0] ?? { exons: [] }))).to.equal(1971);
    });
  });

  it('skips [success], repeated headers, blank lines, scaffolds and rows without a required value', async () => {
    const others = Array.from({ length: 15 }, (_, i) => `6\t${i + 1}\t99\tENSG000000001${10 + i}\tG${i}\t${i + 1}`);
    const lines = [
      geneHeader,
      ...others,
      mthfr,
      '[success]',
      geneHeader,
      '',
      dhfr,
      dhfr,
      'CHR_HG1_PATCH\t1\t2\tENSG00000000001\tX\t1\tother',
      'LRG_1\t1\t2\tLRG_1\t\t\tLRG_gene',
      '2\t5\t\tENSG00000000002',
      '3\t5\t9\tLRG_5',
      '4\t5\t9\tENSG00000000004',
      mt,
      '[success]',
    ];
    const report = await load('genes', `${lines.join('\r\n')}\r\n`);
    expect(report).to.deep.include({
      read: 20,
      skipped: { 'other sequence': 2, incomplete: 1, 'without Ensembl id': 1 },
      warnings: [],
    });
    expect(report.sets[0]).to.include({ rows: 19, source: 'file.tsv' });
    const found = await repository.select('genes', 'GRCh37', { ids: ['ENSG00000000004'] });
    expect(found).to.deep.equal([{ ensembl: 'ENSG00000000004', chromosome: '4', start: 4, end: 9 }]);
  });

  it('reads gzip, columns in another order, and chr names', async () => {
    const turned = 'Gene stable ID\tHGNC ID\tHGNC symbol\tGene end (bp)\tGene start (bp)\tChromosome/scaffold name';
    const text = `${turned}\nENSG00000210196.1\tHGNC:7494\tMT-TP\t16023\t15956\tchrM\n`;
    const report = await load('genes', gzipSync(text));
    expect(report.sets[0]?.chromosomes).to.deep.equal([{ chromosome: 'MT', rows: 1 }]);
  });

  it('names file and line of a fault, and keeps the old set', async () => {
    await load('genes', [geneHeader, mthfr, mt, ''].join('\n'));
    const bad = (row: string) => refusal('genes', [geneHeader, mt, row, ''].join('\n'));
    expect(await bad('1\tx\t5\tENSG00000000001\tA\t1')).to.equal(
      'file.tsv, line 3: the start must be a whole number from 1, not "x"',
    );
    expect(await bad('1\t9\t5\tENSG00000000001\tA\t1')).to.equal('file.tsv, line 3: the start, 9, is after the end, 5');
    expect(await bad('1\t0\t5\tENSG00000000001\tA\t1')).to.match(/line 3: the start must be a whole number from 1/);
    expect(await bad('1\t9\t249250622\tENSG00000000001\tA\t1')).to.match(
      /is beyond the end of the chromosome in GRCh37/,
    );
    expect(await bad('1\t1\t5\tENSG00000000001\tA\tHGNC:x')).to.match(/is not an HGNC id/);
    expect(await refusal('genes', `${geneHeader}\n`)).to.equal('file.tsv: it has no genes');
    expect(await refusal('genes', '')).to.equal('file.tsv: the file is empty');
    expect(await refusal('exons', `${geneHeader}\n${mt}\n`)).to.match(/line 1: not a header of exons .* missing/);
    expect(await refusal('genes', gzipSync(`${geneHeader}\n${mthfr}\n${mt}\n`).subarray(0, 60))).to.match(/too early/);
    expect(
      await refusal('genes', Buffer.concat([gzipSync(`${geneHeader}\n${mt}\n`), Buffer.from('rubbish')])),
    ).to.match(/damaged/);
    expect(await refusal('gtf', `${geneHeader}\n`)).to.match(/not a line of GTF or GFF3/);
  });

  it('refuses a file of which more than one in twenty rows are left out for one reason, also into an empty database', async () => {
    /** 38 rows of which none, some or all of `bad` replace the last ones. */
    const rows = Array.from({ length: 38 }, (_, i) => `6\t${i + 1}\t99\tENSG000000001${10 + i}\tG${i}\t${i + 1}`);
    const file = (...bad: string[]) => [geneHeader, ...rows.slice(bad.length), ...bad, mt, mt, ''].join('\n');
    const [odd, short, patch] = ['3\t5\t9\tLRG_5', '2\t5\t\tENSG00000000002', 'HG1_PATCH\t5\t9\tENSG00000000009'];
    // 3 of 40 are 7.5 %.
    expect(await refusal('genes', file(odd, odd, odd))).to.equal(
      'file.tsv: 3 of 40 lines of genes would be left out (without Ensembl id), the first of them line 37: "3\\t5\\t9\\tLRG_5". ' +
        'Nothing was changed. Force the load if the file is right',
    );
    await load('genes', file(odd, odd, short, short));
    await load('genes', file(odd, odd, odd), { force: true });
    // Rows on sequences that are not loaded do not count, neither as left out nor among all.
    await load('genes', file(...Array.from({ length: 30 }, () => patch)), { force: true });
    expect(await refusal('genes', file(...Array.from({ length: 29 }, () => patch), odd))).to.match(/1 of 11 lines/);
  });

  it('counts genes, transcripts and exons of GTF apart', async () => {
    const gene = (id: string, i: number) => `6\tx\tgene\t${i + 1}\t99\t.\t+\t.\tgene_id "${id}";`;
    const part = (type: string, i: number) =>
      `6\tx\t${type}\t1\t99\t.\t+\t.\tgene_id "ENSG00000000100"; transcript_id "ENST000000001${10 + i}"; exon_id "ENSE000000001${10 + i}"; exon_number 1;`;
    const parts = Array.from({ length: 60 }, (_, i) => [part('transcript', i), part('exon', i)]).flat();
    const genes = (bad: number) =>
      Array.from({ length: 20 }, (_, i) => gene(i < bad ? `g${i}` : `ENSG000000001${10 + i}`, i));
    // 2 of 20 genes are many, though few of 140 lines.
    expect(await refusal('gtf', [...genes(2), ...parts, ''].join('\n'))).to.match(/2 of 20 lines of genes .* line 1: /);
    await load('gtf', [...genes(1), ...parts, ''].join('\n'));
  });

  it('recognises texts of failed downloads, at any place and even if forced', async () => {
    const biomart = 'Query ERROR: caught BioMart::Exception::Usage: Attribute hgnc_id NOT FOUND';
    const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head>';
    for (const [text, expected] of [
      [biomart, /line 2: the download failed: BioMart wrote "Query ERROR: caught BioMart/],
      [`5\t79922${biomart}`, /line 2: the download failed: BioMart wrote "Query ERROR/],
      [page, /line 2: the download failed: this is a web page, "<!DOCTYPE/],
      ['  <html><body>', /line 2: the download failed: this is a web page/],
      ['504 Gateway Time-out', /line 2: the download failed: the server wrote "504 Gateway/],
    ] as const) {
      for (const force of [false, true])
        expect(await refusal('genes', [geneHeader, text, mt, ''].join('\n'), { force })).to.match(expected);
    }
    expect(await refusal('gtf', `${page}\n`)).to.match(/line 1: the download failed: this is a web page/);
    expect(await refusal('names', `${biomart}\n`, { build: undefined })).to.match(/line 1: the download failed/);
  });

  it('says why a file has no usable line, and where it is not text', async () => {
    const file = (row: string) => `${geneHeader}\n${row}\n`;
    expect(await refusal('genes', file('KI270711.1\t1\t5\tENSG00000000001\tA\t1'))).to.equal(
      'file.tsv: it has no genes (1 skipped: other sequence)',
    );
    for (const bytes of [[0], [0xff], [0xc3, 0x28]]) {
      const text = Buffer.concat([Buffer.from(`${geneHeader}\n1\t1\t5\tENSG00000000001\tA`), Buffer.from(bytes)]);
      expect(await refusal('genes', text)).to.equal('file.tsv, line 2: it is not UTF-8 text');
    }
  });

  it('refuses a file of the other build, by genes with known positions', async () => {
    // Positions of Ensembl 75 (GRCh37) and 110 (GRCh38).
    const here = [geneHeader, mthfr, dhfr, mt, ''].join('\n');
    const there = [
      geneHeader,
      '1\t11785723\t11806455\tENSG00000177000\tMTHFR\t7436',
      '5\t80626226\t80654983\tENSG00000228716\tDHFR\t2861',
      mt,
      '',
    ].join('\n');
    expect(await refusal('genes', there)).to.equal(
      'file.tsv does not fit GRCh37: of 2 rows that were compared with the known positions of their genes, 2 are elsewhere. ' +
        'The file seems to be of GRCh38. The old set stays. Force the load if the file is right',
    );
    expect(await refusal('genes', here, { build: 'GRCh38' })).to.match(/does not fit GRCh38.* of GRCh37\./);
    const transcripts = (start: number) =>
      'Chromosome/scaffold name\tGene stable ID\tTranscript stable ID\tTranscript start (bp)\tTranscript end (bp)\t' +
      `RefSeq mRNA ID\n1\tENSG00000177000\tENST00000376590\t${start}\t${start + 20}\tNM_005957\n`;
    expect(await refusal('transcripts', transcripts(11785723))).to.match(/does not fit GRCh37/);
    await load('transcripts', transcripts(11845787));
    await load('genes', here);
    await load('genes', there, { build: 'GRCh38' });
    await load('genes', there, { force: true });
  });

  it('refuses a file of the other build, by the stored sets', async () => {
    const genes = (shift: number) => {
      const rows = Array.from({ length: 40 }, (_, i) => {
        const start = 1_000_000 * (i + 1) + shift;
        return `2\t${start}\t${start + 999}\tENSG000000001${10 + i}\tG${i}\t${i + 1}`;
      });
      return [geneHeader, ...rows, ''].join('\n');
    };
    await load('genes', genes(0));
    expect(await refusal('genes', genes(0), { build: 'GRCh38' })).to.match(/does not fit GRCh38: of 40 .* 40 are else/);
    await load('genes', genes(50_000), { build: 'GRCh38' });
    expect(await refusal('genes', genes(50_000))).to.match(/does not fit GRCh37.* of GRCh38\./);
    await load('genes', genes(10));
  });

  it('refuses a set that shrank or lost a chromosome, unless forced', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `${i + 1}\t1\t5\tENSG000000000${10 + i}\tG${i}\t${i + 1}`);
    const file = (count: number) => [geneHeader, ...rows.slice(0, count), mt, ''].join('\n');
    await load('genes', file(20));
    expect(await refusal('genes', file(17))).to.match(/has 18 genes, but the loaded set has 21/);
    expect(await refusal('genes', file(19))).to.match(/has no genes of 20, but the loaded set has/);
    const { sets } = await load('genes', file(17), { force: true });
    expect(sets[0]?.rows).to.equal(18);
  });

  it('warns of files that may be truncated', async () => {
    const { warnings } = await load('genes', [geneHeader, mthfr, '[success]', dhfr].join('\n'));
    expect(warnings.join(' ')).to.match(/\[success\].*no line break.*MT/);
  });

  describe('of GTF and GFF3', () => {
    /** A transcript of two exons on the reverse strand, coding from 130 to 260, its stop codon at 127-129. */
    const gtf = (gene: string, transcript: string, build = 'GRCh38') =>
      [
        `#!genome-build ${build}.p14`,
        `1\thavana\tgene\t101\t300\t.\t-\t.\tgene_id "${gene}"; gene_name "AB;C"; gene_biotype "protein_coding";`,
        `1\thavana\ttranscript\t101\t300\t.\t-\t.\tgene_id "${gene}"; transcript_id "${transcript}"; tag "basic"; tag "MANE_Select"; db_xref "RefSeq:NM_5.2";`,
        `1\thavana\texon\t251\t300\t.\t-\t.\tgene_id "${gene}"; transcript_id "${transcript}"; exon_number "1"; exon_id "ENSE00000000001.2";`,
        `1\thavana\tCDS\t251\t260\t.\t-\t0\tgene_id "${gene}"; transcript_id "${transcript}";`,
        `1\thavana\texon\t101\t200\t.\t-\t.\tgene_id "${gene}"; transcript_id "${transcript}"; exon_number 2; exon_id "ENSE00000000002";`,
        `1\thavana\tCDS\t130\t200\t.\t-\t1\tgene_id "${gene}"; transcript_id "${transcript}";`,
        `1\thavana\tstop_codon\t127\t129\t.\t-\t0\tgene_id "${gene}"; transcript_id "${transcript}";`,
        `1\thavana\tthree_prime_utr\t101\t126\t.\t-\t.\tgene_id "${gene}"; transcript_id "${transcript}";`,
        '',
      ].join('\n');
    const expected = [
      { rank: 1, start: 250, end: 300, cds: { start: 250, end: 260 }, utr5: { start: 260, end: 300 } },
      { rank: 2, start: 100, end: 200, cds: { start: 126, end: 200 }, utr3: { start: 100, end: 126 } },
    ];

    it('counts the stop codon as coding, and the rest of the exons as untranslated', async () => {
      const text = gtf('ENSG00000000001.4', 'ENST00000000001.7');
      await load('gtf', text, { build: 'GRCh38' });
      const { transcripts } = await repository.transcriptsOf('GRCh38', ['ENSG00000000001']);
      const [transcript] = transcripts;
      expect(transcript).to.include({ ensembl: 'ENST00000000001', strand: -1, isManeSelect: true });
      expect(transcript?.references).to.deep.include({ maneSelect: ['NM_5.2'], refseqMrna: ['NM_5'] });
      for (const [i, exon] of expected.entries()) expect(transcript?.exons[i]).to.deep.include(exon);
      expect(bases(transcript && codingParts(transcript))).to.equal(10 + 74);
      const { answers } = await repository.findGenes('GRCh38', ['ab;c']);
      expect(answers[0]).to.have.property('by', 'symbol');
    });

    it('reads the same from GFF3, where the CDS includes the stop codon', async () => {
      const lines = [
        '##gff-version 3',
        '1\tensembl\tgene\t101\t300\t.\t-\t.\tID=gene:ENSG00000000001;Name=A%3BB;biotype=protein_coding;description=x [Source:HGNC Symbol%3BAcc:HGNC:77];gene_id=ENSG00000000001',
        '1\tensembl\tmRNA\t101\t300\t.\t-\t.\tID=transcript:ENST00000000001;Parent=gene:ENSG00000000001;tag=basic,MANE_Select;transcript_id=ENST00000000001',
        '1\tensembl\tthree_prime_UTR\t101\t126\t.\t-\t.\tParent=transcript:ENST00000000001',
        '1\tensembl\texon\t251\t300\t.\t-\t.\tParent=transcript:ENST00000000001;Name=ENSE00000000001;exon_id=ENSE00000000001;rank=1',
        '1\tensembl\texon\t101\t200\t.\t-\t.\tParent=transcript:ENST00000000001;exon_id=ENSE00000000002;rank=2',
        '1\tensembl\tCDS\t251\t260\t.\t-\t0\tID=CDS:ENSP1;Parent=transcript:ENST00000000001',
        '1\tensembl\tCDS\t127\t200\t.\t-\t1\tID=CDS:ENSP1;Parent=transcript:ENST00000000001',
        '###',
        '',
      ];
      const report = await load('gtf', lines.join('\n'));
      expect(report.sets.map(({ kind, rows }) => [kind, rows])).to.deep.equal([
        ['genes', 1],
        ['transcripts', 1],
        ['exons', 2],
      ]);
      const { transcripts } = await repository.transcriptsOf('GRCh37', ['ENSG00000000001']);
      for (const [i, exon] of expected.entries()) expect(transcripts[0]?.exons[i]).to.deep.include(exon);
      expect((await repository.findGenes('GRCh37', ['HGNC:77'])).answers[0]).to.have.property('by', 'hgnc');
    });

    it('reads the files of GENCODE for GRCh37, and ids of copies on Y in all releases', async () => {
      // The header of version 49, in which the origin is named first; the ids end with the version of the mapping.
      const header =
        '#description: evidence-based annotation of the human genome (GRCh38), version 49 (Ensembl 115), mapped to GRCh37 with gencode-backmap';
      const ids = (gene: string, transcript: string, chromosome: string, first: number) =>
        ['gene', 'transcript', 'exon']
          .map(
            (type) =>
              `chr${chromosome}\tHAVANA\t${type}\t${first}\t${first + 99}\t.\t+\t.\tgene_id "${gene}"; gene_name "G"; ` +
              `${type === 'gene' ? '' : `transcript_id "${transcript}"; exon_number 1; exon_id "ENSE00000000001.2_1";`}`,
          )
          .join('\n');
      const text = [
        header,
        '##provider: GENCODE',
        ids('ENSG00000177000.14_12', 'ENST00000376590.9_6', '1', 11_845_780),
        ids('ENSG00000182378.15_5', 'ENST00000381657.7_2', 'X', 192_989),
        ids('ENSG00000182378.15_5_PAR_Y', 'ENST00000381657.7_2_PAR_Y', 'Y', 142_989),
        // As GENCODE 19 names them.
        ids('ENSGR0000198223.8', 'ENSTR0000381529.3', 'Y', 1_337_692),
        '',
      ].join('\n');
      const report = await load('gtf', text);
      expect(report).to.deep.include({ read: 12, skipped: {} });
      expect(report.sets[0]?.release).to.equal('GENCODE 49lift37 (Ensembl 115)');
      expect(await refusal('gtf', text, { build: 'GRCh38' })).to.match(/line 1: this file is of GRCh37, not of GRCh38/);
      const asked = ['ENSG00000177000', 'ensg00000177000.14_12', 'ENSG00000182378.15_PAR_Y', 'ENSGR0000198223.8'];
      const { answers } = await repository.findGenes('GRCh37', asked);
      expect(
        answers.map((one) => ('genes' in one ? one.genes.map(({ ensembl }) => ensembl) : one.reason)),
      ).to.deep.equal([
        ['ENSG00000177000'],
        ['ENSG00000177000'],
        ['ENSG00000182378', 'ENSG00000182378'],
        ['ENSG00000198223'],
      ]);
      const { transcripts } = await repository.transcriptsOf('GRCh37', ['ENSG00000198223', 'ENSG00000177000']);
      expect(transcripts.map(({ ensembl, exons }) => [ensembl, exons[0]?.ensembl])).to.deep.equal([
        ['ENST00000376590', 'ENSE00000000001'],
        ['ENST00000381529', 'ENSE00000000001'],
      ]);
    });

    it('refuses another build, and parts that do not follow their transcript', async () => {
      expect(await refusal('gtf', gtf('ENSG00000000001', 'ENST00000000001'))).to.match(
        /line 1: this file is of GRCh38/,
      );
      const lines = gtf('ENSG00000000001', 'ENST00000000001', 'GRCh37').split('\n');
      const stray = [...lines.slice(0, 2), ...lines.slice(3)].join('\n');
      expect(await refusal('gtf', stray)).to.match(/line 3: a part of ENST00000000001 does not follow/);
    });
  });

  it("reads HGNC's complete set", async () => {
    await load('genes', [geneHeader, mthfr, mt, ''].join('\n'));
    const lines = [
      'hgnc_id\tsymbol\tname\tstatus\talias_symbol\tprev_symbol\tensembl_gene_id',
      'HGNC:7436\tMTHFR\tmethylene…\tApproved\t"FRA|FRB"\tOLD1\tENSG00000177000',
      'HGNC:2861\tDHFR\tx\tApproved\t\t\tENSG00000228716',
      'HGNC:9999\tGONE\tx\tEntry Withdrawn\t\t\t',
      '',
    ];
    const report = await load('names', lines.join('\n'), { build: undefined });
    expect(report).to.deep.include({ read: 2, skipped: { 'not approved': 1 } });
    const { answers } = await repository.findGenes('GRCh37', ['frb', 'old1', 'DHFR', 'GONE']);
    expect(answers.map((answer) => ('by' in answer ? answer.by : answer.reason))).to.deep.equal([
      'alias',
      'previous',
      'not-in-build',
      'unknown',
    ]);
    expect(await refusal('names', `${geneHeader}\n`, { build: undefined })).to.match(/not the header of HGNC/);
  });

  describe('of the demo', () => {
    it('is loaded once, if nothing is stored', async () => {
      expect(await addDemo(repository, now)).to.have.length(6);
      expect(await addDemo(repository, now)).to.deep.equal([]);
      for (const build of ['GRCh37', 'GRCh38'] as const) {
        const { answers } = await repository.findGenes(build, demoGenes);
        expect(answers.every((answer) => 'genes' in answer)).to.equal(true);
      }
      const { transcripts } = await repository.transcriptsOf(demoBuild, ['ENSG00000184895']);
      // SRY has 204 amino acids.
      expect(bases(transcripts[0] && codingParts(transcripts[0]))).to.equal(3 * 205);
    });

    it('has depths that its generator reproduces, with X and Y according to sex', async () => {
      await makeDemo(folder.path());
      for (const { sex, coverageFile } of demoSamples) {
        const made = await readFile(join(folder.path(), coverageFile.split('/').at(-1) ?? ''));
        const kept = await readFile(coverageFile);
        expect(kept.length).to.be.below(200_000);
        expect(made.equals(kept)).to.equal(true);
        const file = await openD4(coverageFile);
        const means = await file.statistics({
          intervals: [
            { chromosome: 'X', begin: 0, end: 156_040_895 },
            { chromosome: 'Y', begin: 0, end: 57_227_415 },
          ],
        });
        file.close();
        const rounded = means.map(({ mean }) => Math.round(mean));
        expect(rounded).to.deep.equal(sex === 'male' ? [15, 15] : [30, 0]);
      }
    });
  });
});

function bases(spans: readonly { start: number; end: number }[] | undefined): number {
  return (spans ?? []).reduce((sum, { start, end }) => sum + end - start, 0);
}
