/**
 * Files of RefSeq, as NCBI writes them (GFF3 and GTF), and transcripts as names of genes. The genes are invented; accessions of
 * chromosomes, features and attributes are those of NCBI's annotation of GRCh38.
 */
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveForTest } from '../../../../core/testing.js';
import { type Build, codingParts, coverage, type IntervalRepository } from '../../../../plugins/coverage/contract.js';
import { loadIntervals } from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/reader.js';
import { withTranscriptNames } from '../../../../plugins/coverage/measure/genes.js';
import { dealt } from '../../../support/dealt.js';
import { faultOf } from '../../../support/fault.js';
import { useFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { storages } from '../../../support/storages.js';
import { useEach, useOnce } from '../../../support/use.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';

const now = new Date('2026-11-20T08:00:00Z');

const header = [
  '##gff-version 3',
  '#!gff-spec-version 1.21',
  '#!processor NCBI annotwriter',
  '#!genome-build GRCh38.p14',
  '#!genome-build-accession NCBI_Assembly:GCF_000001405.40',
  '#!annotation-source NCBI RefSeq GCF_000001405.40-RS_2024_08',
];

/** A line of GFF3; positions are 1-based. */
const gff = (sequence: string, type: string, place: string, strand: string, attributes: string) => {
  const [first, last] = place.split('-');
  return [sequence, 'BestRefSeq', type, first, last, '.', strand, type === 'CDS' ? '0' : '.', attributes].join('\t');
};

const [chromosome21, x, y, mt] = ['NC_000021.9', 'NC_000023.11', 'NC_000024.10', 'NC_012920.1'];
const alphaXrefs = 'GeneID:9001,Ensembl:ENST00000009001.4,GenBank:NM_009001.5,HGNC:HGNC:8001,MIM:600001';
/** On the reverse strand: two exons, coding from 10,000,131 to 10,001,020. */
const alpha = [
  gff(
    ...[chromosome21, 'gene', '10000101-10001100', '-'],
    'ID=gene-ALPHA;Dbxref=GeneID:9001,HGNC:HGNC:8001,MIM:600001;Name=ALPHA;description=alpha%2C first;gbkey=Gene;gene=ALPHA;gene_biotype=protein_coding;gene_synonym=ALF',
  ),
  gff(
    ...[chromosome21, 'mRNA', '10000101-10001100', '-'],
    `ID=rna-NM_009001.5;Parent=gene-ALPHA;Dbxref=${alphaXrefs};Name=NM_009001.5;gbkey=mRNA;gene=ALPHA;product=alpha;tag=MANE Select;transcript_id=NM_009001.5`,
  ),
  gff(
    ...[chromosome21, 'exon', '10001001-10001100', '-'],
    `ID=exon-NM_009001.5-1;Parent=rna-NM_009001.5;Dbxref=${alphaXrefs};gbkey=mRNA;gene=ALPHA;transcript_id=NM_009001.5`,
  ),
  gff(
    ...[chromosome21, 'exon', '10000101-10000200', '-'],
    `ID=exon-NM_009001.5-2;Parent=rna-NM_009001.5;Dbxref=${alphaXrefs};gbkey=mRNA;gene=ALPHA;transcript_id=NM_009001.5`,
  ),
  gff(...[chromosome21, 'CDS', '10001001-10001020', '-'], 'ID=cds-NP_009001.1;Parent=rna-NM_009001.5;gene=ALPHA'),
  gff(...[chromosome21, 'CDS', '10000131-10000200', '-'], 'ID=cds-NP_009001.1;Parent=rna-NM_009001.5;gene=ALPHA'),
  // A predicted transcript that shares the last exon.
  gff(
    ...[chromosome21, 'mRNA', '10000101-10000500', '-'],
    'ID=rna-XM_009002.1;Parent=gene-ALPHA;Dbxref=GeneID:9001,GenBank:XM_009002.1;gene=ALPHA;transcript_id=XM_009002.1',
  ),
  gff(
    ...[chromosome21, 'exon', '10000401-10000500', '-'],
    'ID=exon-XM_009002.1-1;Parent=rna-XM_009002.1;gene=ALPHA;transcript_id=XM_009002.1',
  ),
  gff(
    ...[chromosome21, 'exon', '10000101-10000200', '-'],
    'ID=exon-XM_009002.1-2;Parent=rna-XM_009002.1;gene=ALPHA;transcript_id=XM_009002.1',
  ),
];
type Line = [sequence: string, type: string, place: string, strand: string];
const shox = (sequence: string, suffix: string) => [
  gff(
    ...([sequence, 'gene', '630001-630100', '+'] as Line),
    `ID=gene-SHOX${suffix};Dbxref=GeneID:6473,HGNC:HGNC:10853;Name=SHOX;gene=SHOX;gene_biotype=protein_coding`,
  ),
  gff(
    ...([sequence, 'mRNA', '630001-630100', '+'] as Line),
    `ID=rna-NM_000451.4${suffix};Parent=gene-SHOX${suffix};Dbxref=GeneID:6473;gene=SHOX;tag=MANE Select;transcript_id=NM_000451.4`,
  ),
  gff(
    ...([sequence, 'exon', '630001-630100', '+'] as Line),
    `ID=exon-NM_000451.4${suffix}-1;Parent=rna-NM_000451.4${suffix};gene=SHOX;transcript_id=NM_000451.4`,
  ),
];
const others = [
  // Of the mitochondrion: a CDS without a transcript, and a transfer RNA without an accession.
  gff(
    mt,
    'gene',
    '3307-4262',
    '+',
    'ID=gene-ND1;Dbxref=GeneID:4535,HGNC:HGNC:7455;Name=ND1;gene=ND1;gene_biotype=protein_coding',
  ),
  gff(
    mt,
    'CDS',
    '3307-4262',
    '+',
    'ID=cds-YP_003024026.1;Parent=gene-ND1;Dbxref=GeneID:4535;gene=ND1;protein_id=YP_003024026.1',
  ),
  gff(
    mt,
    'gene',
    '577-647',
    '+',
    'ID=gene-TRNF;Dbxref=GeneID:4558,HGNC:HGNC:7481;Name=TRNF;gene=TRNF;gene_biotype=tRNA',
  ),
  gff(
    mt,
    'tRNA',
    '577-647',
    '+',
    'ID=rna-TRNF;Parent=gene-TRNF;Dbxref=GeneID:4558,HGNC:HGNC:7481;gene=TRNF;product=tRNA-Phe',
  ),
  gff(mt, 'exon', '577-647', '+', 'ID=exon-TRNF-1;Parent=rna-TRNF;Dbxref=GeneID:4558,HGNC:HGNC:7481;gene=TRNF'),
  // A microRNA, whose product has an exon of its own; the exons of a pseudogene; features that are not of a gene.
  gff(
    chromosome21,
    'gene',
    '20000001-20000090',
    '+',
    'ID=gene-MIR99;Dbxref=GeneID:9003,HGNC:HGNC:8003;Name=MIR99;gene=MIR99;gene_biotype=miRNA',
  ),
  gff(
    chromosome21,
    'primary_transcript',
    '20000001-20000090',
    '+',
    'ID=rna-NR_009003.1;Parent=gene-MIR99;Dbxref=GeneID:9003;gene=MIR99;transcript_id=NR_009003.1',
  ),
  gff(
    chromosome21,
    'exon',
    '20000001-20000090',
    '+',
    'ID=exon-NR_009003.1-1;Parent=rna-NR_009003.1;transcript_id=NR_009003.1',
  ),
  gff(
    chromosome21,
    'miRNA',
    '20000011-20000032',
    '+',
    'ID=rna-MIR99;Parent=rna-NR_009003.1;Dbxref=GeneID:9003;gene=MIR99;product=miR-99-5p',
  ),
  gff(chromosome21, 'exon', '20000011-20000032', '+', 'ID=exon-MIR99-1;Parent=rna-MIR99;gene=MIR99'),
  gff(
    chromosome21,
    'pseudogene',
    '20001001-20001200',
    '-',
    'ID=gene-OLDP1;Dbxref=GeneID:9004;Name=OLDP1;gene=OLDP1;gene_biotype=pseudogene;pseudo=true',
  ),
  gff(chromosome21, 'exon', '20001101-20001200', '-', 'ID=id-OLDP1-2;Parent=gene-OLDP1;gene=OLDP1'),
  gff(chromosome21, 'exon', '20001001-20001050', '-', 'ID=id-OLDP1;Parent=gene-OLDP1;gene=OLDP1'),
  gff(chromosome21, 'enhancer', '20002001-20002200', '.', 'ID=id-GeneID:9005;Dbxref=GeneID:9005;gbkey=regulatory'),
  gff(chromosome21, 'cDNA_match', '20002001-20002200', '+', 'ID=aln1;Target=NM_009009.1 1 200 +'),
  gff('NT_187361.1', 'gene', '1-100', '+', 'ID=gene-PATCH;Dbxref=GeneID:9006;Name=PATCH;gene=PATCH;gene_biotype=other'),
  gff('NT_187361.1', 'exon', '1-100', '+', 'ID=id-PATCH;Parent=gene-PATCH;gene=PATCH'),
];
/** A second place of a transcript on one chromosome. */
const again = [
  gff(
    chromosome21,
    'gene',
    '30000001-30000100',
    '+',
    'ID=gene-MIR99-2;Dbxref=GeneID:9003,HGNC:HGNC:8003;Name=MIR99;gene=MIR99;gene_biotype=miRNA',
  ),
  gff(
    chromosome21,
    'primary_transcript',
    '30000001-30000090',
    '+',
    'ID=rna-NR_009003.1-2;Parent=gene-MIR99-2;Dbxref=GeneID:9003;gene=MIR99;transcript_id=NR_009003.1',
  ),
  gff(
    chromosome21,
    'exon',
    '30000001-30000090',
    '+',
    'ID=exon-NR_009003.1-2-1;Parent=rna-NR_009003.1-2;transcript_id=NR_009003.1',
  ),
];
const gff3 = [...header, ...alpha, ...shox(x, ''), ...shox(y, '-2'), ...others, '###', ''].join('\n');

/** The first gene in NCBI's GTF, whose CDS ends before the stop codon. */
const gtfLine = (type: string, place: string, more: string) => {
  const [first, last] = place.split('-');
  const of = 'gene_id "ALPHA"; db_xref "GeneID:9001"; db_xref "HGNC:HGNC:8001";';
  return [chromosome21, 'BestRefSeq', type, first, last, '.', '-', '.', `${of} ${more}`].join('\t');
};
const inGtf = 'transcript_id "NM_009001.5"; db_xref "Ensembl:ENST00000009001.4"; gene "ALPHA"; tag "MANE Select";';
const gtf = [
  '#gtf-version 2.2',
  ...header.slice(3),
  gtfLine('gene', '10000101-10001100', 'transcript_id ""; gbkey "Gene"; gene "ALPHA"; gene_biotype "protein_coding";'),
  gtfLine('transcript', '10000101-10001100', `${inGtf} transcript_biotype "mRNA";`),
  gtfLine('exon', '10001001-10001100', `${inGtf} exon_number "1";`),
  gtfLine('exon', '10000101-10000200', `${inGtf} exon_number "2";`),
  gtfLine('CDS', '10001001-10001020', `${inGtf} exon_number "1"; protein_id "NP_009001.1";`),
  gtfLine('CDS', '10000134-10000200', `${inGtf} exon_number "2"; protein_id "NP_009001.1";`),
  gtfLine('start_codon', '10001018-10001020', `${inGtf} exon_number "1";`),
  gtfLine('stop_codon', '10000131-10000133', `${inGtf} exon_number "2";`),
  '',
].join('\n');

/** As GENCODE has the same gene: the RefSeq match of the MANE transcript with its version, of others without. */
const ensembl = (() => {
  const of = 'gene_id "ENSG00000009001.3"; gene_name "ALPHA"; gene_type "protein_coding"; hgnc_id "HGNC:8001";';
  const line = (type: string, place: string, more: string) => {
    const [first, last] = place.split('-');
    return ['chr21', 'HAVANA', type, first, last, '.', '-', '.', `${of} ${more}`].join('\t');
  };
  const mane = 'transcript_id "ENST00000009001.4"; tag "MANE_Select"; db_xref "RefSeq:NM_009001.5";';
  const other = 'transcript_id "ENST00000009002.1"; db_xref "RefSeq:NM_009007.2";';
  return [
    line('gene', '10000101-10001100', ''),
    line('transcript', '10000101-10001100', mane),
    line('exon', '10001001-10001100', `${mane} exon_number 1; exon_id "ENSE00000009001.1";`),
    line('exon', '10000101-10000200', `${mane} exon_number 2; exon_id "ENSE00000009002.1";`),
    line('transcript', '10000101-10000500', other),
    line('exon', '10000401-10000500', `${other} exon_number 1; exon_id "ENSE00000009003.1";`),
    '',
  ].join('\n');
})();

for (const engine of dealt(storages, 'postgres')) {
  describe(`files of RefSeq (${engine.name})`, () => {
    const folder = useFolder();
    const opened = useEach(() => engine.open([coverage]));
    let repository: IntervalRepository;
    beforeEach(async () => {
      repository = opened.storage.repository(coverage);
    });

    async function load(text: string, { build = 'GRCh38' as Build, force = false } = {}) {
      const file = join(folder.path(), 'genes.gff');
      await writeFile(file, text);
      const source = await openIntervals(file);
      return loadIntervals({ repository, kind: 'gtf', build, source, force, maxShrink: 1, now });
    }

    it('have genes by NCBI and HGNC ids, and transcripts by accession', async () => {
      const report = await load(gff3);
      expect(report.skipped).to.deep.equal({ 'other sequence': 2 });
      expect(report.sets.map(({ kind, rows, release }) => [kind, rows, release])).to.deep.equal([
        ['genes', 7, 'NCBI RefSeq GCF_000001405.40-RS_2024_08'],
        ['transcripts', 8, 'NCBI RefSeq GCF_000001405.40-RS_2024_08'],
        ['exons', 11, 'NCBI RefSeq GCF_000001405.40-RS_2024_08'],
      ]);
      const { answers } = await repository.findGenes('GRCh38', ['alpha', 'HGNC:8001', 'GeneID:9001', 'geneid:9001']);
      for (const answer of answers) {
        const [gene] = 'genes' in answer ? answer.genes : [];
        expect(gene).to.deep.equal({
          ...{ ensembl: 'GeneID:9001', hgnc: 8001, symbol: 'ALPHA', biotype: 'protein_coding', strand: -1 },
          ...{ chromosome: '21', start: 10_000_100, end: 10_001_100 },
        });
      }
    });

    for (const [format, text] of [
      ['GFF3', gff3],
      ['GTF', gtf],
    ] as const) {
      it(`have exons with ranks and coding parts: ${format}`, async () => {
        await load(text);
        const { transcripts } = await repository.transcriptsOf('GRCh38', ['GeneID:9001']);
        const mane = transcripts.find(({ isManeSelect }) => isManeSelect);
        expect(mane).to.include({
          ensembl: 'NM_009001',
          gene: 'GeneID:9001',
          biotype: 'mRNA',
          isManePlusClinical: false,
        });
        expect(mane?.references).to.deep.include({
          refseqMrna: ['NM_009001.5'],
          maneSelect: ['NM_009001.5', 'ENST00000009001.4'],
          manePlusClinical: [],
        });
        const [first, second] = mane?.exons ?? [];
        expect(first).to.deep.include({ rank: 1, ensembl: '21:10001001-10001100', start: 10_001_000, end: 10_001_100 });
        expect(second).to.deep.include({
          rank: 2,
          ensembl: '21:10000101-10000200',
          start: 10_000_100,
          end: 10_000_200,
        });
        // 70 + 20 bases, with the stop codon.
        expect(mane && codingParts(mane)).to.deep.equal([
          { start: 10_000_130, end: 10_000_200 },
          { start: 10_001_000, end: 10_001_020 },
        ]);
      });
    }

    it('have transcripts of genes whose parts have none, and one place of each transcript on a chromosome', async () => {
      const { skipped } = await load([...gff3.split('\n'), ...again, ''].join('\n'), { force: true });
      expect(skipped).to.deep.equal({ 'other sequence': 2, 'another place': 2 });
      const of = async (id: string) =>
        (await repository.transcriptsOf('GRCh38', [id])).transcripts.map(
          ({ ensembl, chromosome, start, end, exons }) => {
            return [ensembl, chromosome, start, end, exons.map((exon) => [exon.rank, exon.start, exon.end])];
          },
        );
      expect(await of('GeneID:4535')).to.deep.equal([['gene-ND1', 'MT', 3306, 4262, [[1, 3306, 4262]]]]);
      expect(await of('GeneID:4558')).to.deep.equal([['rna-TRNF', 'MT', 576, 647, [[1, 576, 647]]]]);
      expect(await of('GeneID:9003')).to.deep.equal([
        ['NR_009003', '21', 20_000_000, 20_000_090, [[1, 20_000_000, 20_000_090]]],
      ]);
      const pseudogene = [
        [1, 20_001_100, 20_001_200],
        [2, 20_001_000, 20_001_050],
      ];
      expect(await of('GeneID:9004')).to.deep.equal([['gene-OLDP1', '21', 20_001_000, 20_001_200, pseudogene]]);
      expect((await of('GeneID:6473')).map(([id, chromosome]) => [id, chromosome])).to.deep.equal([
        ['NM_000451', 'X'],
        ['NM_000451', 'Y'],
      ]);
    });

    it('are refused for the other build, by header, accessions and known genes', async () => {
      const refusal = async (text: string) => (await faultOf(load(text, { build: 'GRCh37' }), 'unprocessable')).message;
      expect(await refusal(gff3)).to.equal('genes.gff, line 4: this file is of GRCh38, not of GRCh37');
      expect(await refusal(alpha.join('\n'))).to.equal(
        'genes.gff, line 1: NC_000021.9 is chromosome 21 of GRCh38, not of GRCh37',
      );
      // BRCA1 in GRCh38, in a file with names of UCSC.
      const brca1 = 'ID=gene-BRCA1;Dbxref=GeneID:672,HGNC:HGNC:1100;Name=BRCA1;gene=BRCA1;gene_biotype=protein_coding';
      const known = [
        gff('chr17', 'gene', '43044295-43125364', '-', brca1),
        ...alpha.map((line) => line.replace(/^\S+/, 'chr21')),
        '',
      ];
      expect(await refusal(known.join('\n'))).to.match(/does not fit GRCh37.* of GRCh38\./);
    });

    it('are found by their transcripts, with or without version, as are those of Ensembl', async () => {
      const named = withTranscriptNames(repository);
      const outcomes = async (...names: string[]) =>
        (await named.findGenes('GRCh38', names)).answers.map((answer) =>
          'genes' in answer
            ? `${answer.asked} ${answer.by} ${answer.genes.map((gene) => gene.ensembl)}`
            : `${answer.asked} ${answer.reason}`,
        );
      expect(await outcomes('NM_009001')).to.deep.equal(['NM_009001 no-transcripts-loaded']);
      await load(gff3);
      const asked = [
        'NM_009001',
        'nm_009001.9',
        'ALPHA',
        'ENST00000009001.4',
        'XM_009002.1',
        'NM_999999.1',
        'ENST00000999999',
      ];
      expect(await outcomes(...asked)).to.deep.equal([
        'NM_009001 transcript GeneID:9001',
        'nm_009001.9 transcript GeneID:9001',
        'ALPHA symbol GeneID:9001',
        'ENST00000009001.4 transcript GeneID:9001',
        'XM_009002.1 transcript GeneID:9001',
        'NM_999999.1 unknown-transcript',
        'ENST00000999999 unknown-transcript',
      ]);
      // The names in memory are those of the set that is loaded.
      await load(ensembl, { force: true });
      expect(await outcomes('NM_009001.5', 'NM_009007', 'ENST00000009002.8', 'XM_009002', 'NM_000451')).to.deep.equal([
        'NM_009001.5 transcript ENSG00000009001',
        'NM_009007 transcript ENSG00000009001',
        'ENST00000009002.8 transcript ENSG00000009001',
        'XM_009002 unknown-transcript',
        'NM_000451 unknown-transcript',
      ]);
    });
  });
}

interface Report {
  samples: { length: number; mean_coverage: number }[];
  intervals: { interval: string; transcript: string | null; refseq: string[]; chromosome: string }[];
  warnings: { code: string; message: string }[];
  genes_found: { asked: string; by: string }[];
  genes_not_found: { gene: string; reason: string; message: string }[];
  plot?: { transcript: string };
}

describe('coverage of genes by their transcripts', () => {
  const server = useOnce(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trefoil-refseq-'));
    const runs = [
      { chromosome: '21', begin: 10_000_100, end: 10_000_200, depth: 10 },
      { chromosome: '21', begin: 10_000_400, end: 10_000_500, depth: 5 },
      { chromosome: '21', begin: 10_001_000, end: 10_001_100, depth: 30 },
      { chromosome: 'X', begin: 630_000, end: 630_100, depth: 40 },
    ];
    writeD4(join(folder, 's.d4'), { chromosomes: chromosomesOf('GRCh38', { names: ['21', 'X', 'Y', 'MT'] }), runs });
    return serveForTest({ plugins: { coverage: { roots: [folder] } }, jobs: false });
  });
  let folder: string;
  after(async () => {
    await rm(folder, { recursive: true });
  });

  async function load(text: string): Promise<void> {
    const file = join(folder, 'genes.gff');
    await writeFile(file, text);
    const repository = server.repository(coverage);
    await loadIntervals({
      repository,
      kind: 'gtf',
      build: 'GRCh38',
      source: await openIntervals(file),
      force: true,
      maxShrink: 1,
      now,
    });
  }

  async function report(fields: Record<string, string>, page = 'report', status = 200): Promise<Report> {
    const form = {
      ...{ build: 'GRCh38', sample_name_1: 's', sample_file_1: 's.d4', interval_type: 'transcripts' },
      ...{ default_level: '20', format: 'json' },
      ...fields,
    };
    const answer = await request<Report>(`${server.url}/${page}`, { form });
    expect(answer.status, answer.text.slice(0, 500)).to.equal(status);
    return answer.body;
  }

  const summary = (...genes: string[]) =>
    request<Record<string, Record<string, unknown>>>(`${server.url}/coverage/d4/genes/summary`, {
      json: {
        ...{ build: 'GRCh38', coverage_threshold: 20, interval_type: 'transcripts', hgnc_gene_ids: genes },
        samples: [{ name: 's', coverage_file_path: 's.d4' }],
      },
    });

  it('measures genes of RefSeq: MANE Select, on X alone if pseudoautosomal', async () => {
    await load(gff3);
    const found = await report({ hgnc_gene_symbols: 'ALPHA,SHOX' });
    expect(found.intervals.map(({ interval, refseq, chromosome }) => [interval, refseq, chromosome])).to.deep.equal([
      ['NM_009001', ['NM_009001.5'], '21'],
      ['NM_000451', ['NM_000451.4'], 'X'],
    ]);
    expect(found.samples[0]).to.include({ length: 300, mean_coverage: (100 * 10 + 100 * 30 + 100 * 40) / 300 });
    const exons = await report({ hgnc_gene_symbols: 'ALPHA', interval_type: 'exons', transcripts: 'all' });
    // The exon that both transcripts have is one.
    expect(exons.intervals.map(({ interval }) => interval)).to.deep.equal([
      '21:10000101-10000200',
      '21:10000401-10000500',
      '21:10001001-10001100',
    ]);
    const mitochondrial = await report({ hgnc_gene_ids: '7455,7481' });
    expect(mitochondrial.samples[0]).to.include({ length: 956 + 71, mean_coverage: 0 });
  });

  it('measures the transcript that is named, and says if its version is another', async () => {
    for (const [text, name, transcript] of [
      [gff3, 'XM_009002', 'XM_009002'],
      [ensembl, 'NM_009007', 'ENST00000009002'],
      [ensembl, 'ENST00000009002', 'ENST00000009002'],
    ] as const) {
      await load(text);
      for (const field of ['hgnc_gene_ids', 'hgnc_gene_symbols', 'ensembl_gene_ids']) {
        const found = await report({ [field]: name });
        expect(
          found.intervals.map((one) => one.transcript),
          name,
        ).to.deep.equal([transcript]);
        expect(found.genes_found[0]).to.include({ asked: name, by: 'transcript' });
        expect(found.warnings.filter(({ code }) => code === 'other-transcript')).to.deep.equal([]);
      }
      // 100 bases of 5, in RefSeq with the shared exon of 10.
      const mean = text === gff3 ? 7.5 : 5;
      expect((await summary(name)).body.s).to.include({ mean_coverage: mean });
      const both = await report({ hgnc_gene_ids: `ALPHA,${name}` });
      expect(both.intervals).to.have.length(2);
      const page = await report({ hgnc_gene_id: name }, 'gene_overview');
      expect(page.plot?.transcript).to.equal(transcript);
      const span = await report({ hgnc_gene_ids: name, interval_type: 'genes' });
      expect(span.samples[0]?.length).to.equal(1000);
      const mane = await report({ hgnc_gene_ids: name }, 'mane_overview');
      expect(mane.intervals[0]?.transcript).to.equal(text === gff3 ? 'NM_009001' : 'ENST00000009001');
    }
    const messages = async (name: string) =>
      (await report({ hgnc_gene_ids: name })).warnings.flatMap((one) =>
        one.code === 'other-transcript' ? one.message : [],
      );
    expect(await messages('NM_009001.4')).to.deep.equal(['NM_009001.4 was requested; NM_009001.5 was measured.']);
    expect(await messages('ENST00000009001.4')).to.deep.equal([
      'ENST00000009001.4 was requested; the version of ENST00000009001 that was measured is not known.',
    ]);
    expect(await messages('NM_009001.5')).to.deep.equal([]);
  });

  it('refuses unknown transcripts by name', async () => {
    await load(ensembl);
    const message = 'The transcript NM_999999.1 is not among the transcripts of this build';
    const found = await report({ hgnc_gene_ids: 'ALPHA,NM_999999.1' });
    expect(found.genes_not_found).to.deep.equal([{ gene: 'NM_999999.1', reason: 'unknown-transcript', message }]);
    const { status, body } = await summary('NM_999999.1');
    expect(status).to.equal(422);
    expect(JSON.stringify(body)).to.include(message);
    const refused = JSON.stringify(await report({ hgnc_gene_ids: 'NM_999999.1' }, 'report', 422));
    expect(refused).to.include('NM_999999.1: not among the transcripts of this build');
  });

  it('lists genes and transcripts by ids of transcripts', async () => {
    await load(ensembl);
    const list = async (kind: string, filter: object) => {
      const url = `${server.url}/intervals/${kind}`;
      const { body, headers } = await request<Record<string, unknown>[]>(url, { json: { build: 'GRCh38', ...filter } });
      return { rows: body, missing: headers.get('x-not-found') };
    };
    const { rows, missing } = await list('genes', { hgnc_symbols: ['NM_009001.5', 'NM_999999'] });
    expect(rows.map((row) => row.ensembl_ids)).to.deep.equal([['ENSG00000009001']]);
    expect(missing).to.equal('NM_999999;reason=unknown-transcript');
  });
});
