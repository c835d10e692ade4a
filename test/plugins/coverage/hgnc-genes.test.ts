/**
 * A gene is the HGNC gene on every face: pseudoautosomal genes are measured on X alone, and Ensembl genes that share an HGNC id are
 * one. The genes are invented; the depths are such that every number below can be computed by hand.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { serveForTest, type TestServer } from '../../../core/testing.js';
import { type Build, coverage, coverageSites, type Gene, type Transcript } from '../../../plugins/coverage/contract.js';
import { loadIntervals } from '../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../plugins/coverage/intervals/reader.js';
import { select } from '../../../plugins/coverage/measure/select.js';
import { panels } from '../../../plugins/panels/contract.js';
import { blockFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { fewer } from '../../support/sample.js';
import { sqlite } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { contentOf, signedOff } from './panels/support.js';
import { chromosomesOf, type Run, writeD4 } from './support/d4.js';

const now = new Date('2026-11-20T08:00:00Z');

/** A GTF gene with one transcript of the given exons, 0-based half-open. */
function gtfGene(chromosome: string, { gene, hgnc, symbol, transcript, exons, tags = [] }: GtfGene): string {
  const [first, last] = [(exons[0]?.[0] ?? 0) + 1, exons.at(-1)?.[1]];
  const ofGene = `gene_id "${gene}"; gene_name "${symbol}"; gene_type "protein_coding"; hgnc_id "HGNC:${hgnc}";`;
  const ofTranscript = `${ofGene} transcript_id "${transcript}"; ${tags.map((tag) => `tag "${tag}";`).join(' ')}`;
  return [
    `chr${chromosome}\tHAVANA\tgene\t${first}\t${last}\t.\t+\t.\t${ofGene}`,
    `chr${chromosome}\tHAVANA\ttranscript\t${first}\t${last}\t.\t+\t.\t${ofTranscript}`,
    ...exons.map(
      ([start, end], i) =>
        `chr${chromosome}\tHAVANA\texon\t${start + 1}\t${end}\t.\t+\t.\t${ofTranscript} exon_number ${i + 1}; exon_id "${transcript.replace('ENST', 'ENSE').replace(/\d(?=\.)/, String(i))}";`,
    ),
  ].join('\n');
}

interface GtfGene {
  gene: string;
  hgnc: number;
  symbol: string;
  transcript: string;
  exons: readonly [start: number, end: number][];
  tags?: readonly string[];
}

const mane = ['basic', 'MANE_Select'];
/** 100 + 50 bases in the first pseudoautosomal region, which is at the same positions on X and Y of GRCh38. */
const shoxExons: [number, number][] = [
  [630_000, 630_100],
  [634_000, 634_050],
];
const shox = { hgnc: 10853, symbol: 'SHOX', exons: shoxExons, tags: mane };
/** 80 bases at the same places, by ids that end with _PAR_Y on Y. */
const csf2ra = { hgnc: 2435, symbol: 'CSF2RA', exons: [[1_300_000, 1_300_080]] as [number, number][], tags: mane };
/** Two Ensembl genes of one HGNC gene: 100 bases of depth 30 (MANE Select), 200 of depth 2. */
const first = { start: 10_000_000, end: 10_000_100 };
const second = { start: 10_050_000, end: 10_050_200 };
const lines = [
  '##description: evidence-based annotation of the human genome (GRCh38), version 49 (Ensembl 115)',
  gtfGene('21', {
    ...{ gene: 'ENSG00000015479.20', transcript: 'ENST00000394805.8', hgnc: 6912, symbol: 'MATR3', tags: mane },
    exons: [[first.start, first.end]],
  }),
  gtfGene('21', {
    ...{ gene: 'ENSG00000280987.4', transcript: 'ENST00000502929.5', hgnc: 6912, symbol: 'MATR3', tags: ['basic'] },
    exons: [[second.start, second.end]],
  }),
  gtfGene('X', { gene: 'ENSG00000185960.14', transcript: 'ENST00000686671.1', ...shox }),
  gtfGene('Y', { gene: 'ENSG00000292340.1', transcript: 'ENST00000711213.1', ...shox }),
  gtfGene('X', { gene: 'ENSG00000198223.17', transcript: 'ENST00000381529.9', ...csf2ra }),
  gtfGene('Y', { gene: 'ENSG00000198223.17_PAR_Y', transcript: 'ENST00000381529.9_PAR_Y', ...csf2ra }),
  '',
].join('\n');

/** `parX` and `parY` are the depths of the pseudoautosomal regions: 30 and 0 if Y was masked, 15 and 15 if it was not. */
function writeSample(path: string, parX: number, parY: number): void {
  const runs: Run[] = [
    { chromosome: '21', begin: first.start, end: first.end, depth: 30 },
    { chromosome: '21', begin: second.start, end: second.end, depth: 2 },
    { chromosome: 'X', begin: 10_000, end: 2_781_479, depth: parX },
    { chromosome: 'Y', begin: 10_000, end: 2_781_479, depth: parY },
    { chromosome: 'X', begin: 100_000_000, end: 102_000_000, depth: 30 },
  ];
  const chromosomes = chromosomesOf('GRCh38', { names: ['21', 'X', 'Y'] });
  writeD4(path, { chromosomes, runs: runs.filter(({ depth }) => depth > 0) });
}

interface Report {
  samples: { name: string; length: number; mean_coverage: number; completeness_percent: Record<string, number> }[];
  intervals: { gene: string; interval: string; transcript: string | null; chromosome: string; regions: number[][] }[];
  warnings: { code: string; message: string; samples: string[] }[];
  genes_found: { asked: string; genes: { ensembl: string }[] }[];
  known_sites?: { chromosome: string; genes: string[] }[];
  panel_requirement?: { samples: Record<string, { bases: number; bases_at_depth: number; met: boolean }> };
}

describe('coverage: a gene is the HGNC gene', () => {
  let server: TestServer;
  const folder = blockFolder();
  before(async () => {
    writeSample(join(folder, 'masked.d4'), 30, 0);
    writeSample(join(folder, 'shared.d4'), 15, 15);
    server = await serveForTest({ plugins: { coverage: { roots: [folder] }, panels: {} }, jobs: false });
    writeFileSync(join(folder, 'genes.gtf'), lines);
    const source = await openIntervals(join(folder, 'genes.gtf'));
    const repository = server.repository(coverage);
    await loadIntervals({ repository, kind: 'gtf', build: 'GRCh38', source, maxShrink: 0.1, now });
    const genes = [shox, csf2ra, { hgnc: 6912, symbol: 'MATR3' }].map(({ hgnc, symbol }) => {
      return { hgnc, symbol, confidence: 'green' as const };
    });
    const content = contentOf(genes, { requirement: { depth: 20, percent: 100 } });
    await server.repository(panels).add(signedOff('height', '1', content));
    const site = { reference: 'G', alternate: 'A', genes: [] };
    const sites = (['X', 'Y'] as const).map((chromosome) => ({ ...site, chromosome, start: 630_050, end: 630_051 }));
    const record = { release: '1', source: 'clinvar.vcf', checksum: `sha256:${'0'.repeat(64)}`, skipped: {} };
    async function* all() {
      yield sites;
    }
    await server
      .repository(coverageSites)
      .load({ name: 'ClinVar', build: 'GRCh38', sites: all(), accept: () => record }, now);
  });
  after(async () => {
    await server.close();
  });

  async function ask(page: string, fields: Record<string, string>): Promise<string> {
    const form = {
      ...{ build: 'GRCh38', sample_name_1: 'child', sample_file_1: 'masked.d4', interval_type: 'transcripts' },
      ...{ default_level: '20', completeness_thresholds: '10,20', format: 'json' },
      ...fields,
    };
    const { status, text } = await request(`${server.url}/${page}`, { form });
    expect(status, text.slice(0, 500)).to.equal(200);
    return text;
  }
  const report = async (fields: Record<string, string>, page = 'report') =>
    JSON.parse(await ask(page, fields)) as Report;
  const codes = ({ warnings }: Report) => warnings.map(({ code }) => code);

  /** All names of one gene, with the Ensembl id of its copy on Y. */
  const shoxNames = ['SHOX', 'HGNC:10853', 'ENSG00000185960', 'ENSG00000292340'];
  const csf2raNames = ['CSF2RA', 'HGNC:2435', 'ENSG00000198223'];

  describe('of the pseudoautosomal regions', () => {
    for (const type of ['genes', 'transcripts', 'exons']) {
      it(`is measured on X alone, by any name: ${type}`, async () => {
        for (const [names, bases] of [
          // A span from the first exon to the last; else the bases of the exons.
          [shoxNames, type === 'genes' ? 4050 : 150],
          [csf2raNames, 80],
        ] as const) {
          for (const name of names) {
            for (const sex of ['female', 'male']) {
              const found = await report({ hgnc_gene_symbols: name, interval_type: type, sample_sex_1: sex });
              expect(found.samples[0], name).to.deep.include({ length: bases, mean_coverage: 30 });
              expect(found.samples[0]?.completeness_percent).to.deep.equal({ 10: 100, 20: 100 });
              expect(new Set(found.intervals.map(({ chromosome }) => chromosome))).to.deep.equal(new Set(['X']));
              expect(codes(found), name).not.to.include('female-y');
              expect(codes(found), name).not.to.include('shared-reads');
            }
          }
        }
      });
    }

    it('is warned of if the file has depth in the copy on Y', async () => {
      const fields = { hgnc_gene_symbols: 'SHOX,CSF2RA,MATR3', sample_file_1: 'shared.d4' };
      const found = await report(fields);
      // (150 + 80) bases of 15 and 100 bases of 30.
      expect(found.samples[0]?.mean_coverage).to.equal((230 * 15 + 100 * 30) / 330);
      const [warning, ...others] = found.warnings.filter(({ code }) => code === 'shared-reads');
      expect(others).to.deep.equal([]);
      expect(warning).to.deep.include({ samples: ['child'] });
      expect(warning?.message).to.match(
        /pseudoautosomal regions of Y, at the copies of SHOX, CSF2RA\. Probably .*not masked.*too low\.$/,
      );
      expect(codes(await report({ ...fields, hgnc_gene_symbols: 'MATR3' }))).not.to.include('shared-reads');
      for (const page of ['report', 'overview', 'mane_overview'])
        expect(await ask(page, { ...fields, format: 'html' })).to.match(
          /at the copies of SHOX, CSF2RA.*reference was not masked/,
        );
      const gene = { hgnc_gene_id: 'SHOX', sample_file_1: 'shared.d4', format: 'html' };
      expect(await ask('gene_overview', gene)).to.match(/at the copies of SHOX.*reference was not masked/);
      expect(await ask('report', { ...fields, format: 'html', lang: 'sv' })).to.match(/SHOX, CSF2RA.*maskad/);
      expect(await ask('report', { ...fields, format: 'fhir' })).to.include('the reference was not masked');
    });

    it('has no warning if the file has no chromosome Y', async () => {
      const runs = [{ chromosome: 'X', begin: 10_000, end: 2_781_479, depth: 30 }];
      writeD4(join(folder, 'without-y.d4'), { chromosomes: chromosomesOf('GRCh38', { names: ['21', 'X'] }), runs });
      const found = await report({ hgnc_gene_symbols: 'SHOX', sample_file_1: 'without-y.d4' });
      expect(found.samples[0]).to.include({ length: 150, mean_coverage: 30 });
      expect(codes(found)).not.to.include('shared-reads');
    });
  });

  describe('of two Ensembl genes', () => {
    it('is measured by the transcript rule of the whole gene, by id and symbol alike', async () => {
      for (const name of ['6912', 'HGNC:6912', 'MATR3', 'matr3']) {
        for (const type of ['transcripts', 'exons', 'genes']) {
          const found = await report({ hgnc_gene_ids: name, interval_type: type });
          expect(found.samples[0], `${name} ${type}`).to.deep.include({ length: 100, mean_coverage: 30 });
          expect(found.intervals).to.have.length(1);
          expect(codes(found)).not.to.include('other-gene');
        }
        const all = await report({ hgnc_gene_ids: name, transcripts: 'all' });
        // Depth 30 on 100 bases and 2 on 200.
        expect(all.samples[0]).to.include({ length: 300, mean_coverage: (100 * 30 + 200 * 2) / 300 });
      }
    });

    it('is one of them if its Ensembl id was requested, with a note', async () => {
      const found = await report({ ensembl_gene_ids: 'ENSG00000280987' });
      expect(found.samples[0]).to.include({ length: 200, mean_coverage: 2 });
      const note = 'ENSG00000280987 was measured as requested; MATR3 (HGNC:6912) also has ENSG00000015479.';
      expect(found.warnings).to.deep.include({ code: 'other-gene', message: note, samples: ['child'] });
      expect(await ask('report', { ensembl_gene_ids: 'ENSG00000280987', format: 'html' })).to.include(note);
      const swedish = await ask('report', { ensembl_gene_ids: 'ENSG00000280987', format: 'html', lang: 'sv' });
      expect(swedish).to.include('HGNC-genen har flera').and.include('ENSG00000015479');
    });

    it('is measured beside it if both are requested', async () => {
      const found = await report({ hgnc_gene_ids: 'HGNC:6912,ENSG00000280987,MATR3' });
      expect(found.intervals.map(({ transcript }) => transcript)).to.deep.equal(['ENST00000394805', 'ENST00000502929']);
      expect(found.samples[0]?.length).to.equal(300);
    });
  });

  it('is so on the overview, the page of MANE transcripts and the page of a gene', async () => {
    const overview = await report({ hgnc_gene_symbols: 'SHOX,CSF2RA,MATR3' }, 'overview');
    expect(overview.intervals.map(({ interval, chromosome }) => `${interval} ${chromosome}`)).to.deep.equal([
      'ENST00000686671 X',
      'ENST00000381529 X',
      'ENST00000394805 21',
    ]);
    const manePage = await report({ hgnc_gene_symbols: 'SHOX,MATR3' }, 'mane_overview');
    expect(manePage.intervals.map(({ interval }) => interval)).to.deep.equal(['ENST00000686671', 'ENST00000394805']);
    for (const name of shoxNames) {
      const page = await report({ hgnc_gene_id: name }, 'gene_overview');
      expect(new Set(page.intervals.map(({ chromosome }) => chromosome))).to.deep.equal(new Set(['X']));
    }
    // The page of a gene has all its transcripts.
    const both = await report({ hgnc_gene_id: 'MATR3' }, 'gene_overview');
    expect(new Set(both.intervals.map(({ transcript }) => transcript))).to.deep.equal(
      new Set(['ENST00000394805', 'ENST00000502929']),
    );
  });

  it('is so in the summary', async () => {
    const summary = async (genes: (string | number)[], file = 'masked.d4') => {
      const url = `${server.url}/coverage/d4/genes/summary`;
      const json = {
        ...{ build: 'GRCh38', coverage_threshold: 20, interval_type: 'transcripts', hgnc_gene_ids: genes },
        samples: [{ name: 'child', coverage_file_path: file, sex: 'female' }],
      };
      const { status, body } = await request<Record<string, Record<string, unknown>>>(url, { json });
      expect(status).to.equal(200);
      return body.child;
    };
    const whole = { mean_coverage: 30, coverage_completeness_percent: 100, warnings: [] };
    for (const names of [...shoxNames, ...csf2raNames]) expect(await summary([names]), names).to.deep.include(whole);
    expect(await summary([10853, 2435, 6912])).to.deep.include({ ...whole, length: 150 + 80 + 100, intervals: 3 });
    const shared = (await summary([10853], 'shared.d4'))?.warnings as Report['warnings'];
    expect(shared.map(({ code }) => code)).to.deep.equal(['shared-reads']);
    const one = (await summary(['ENSG00000280987']))?.warnings as Report['warnings'];
    expect(one.map(({ code }) => code)).to.deep.equal(['other-gene']);
  });

  it('is so for what a panel requires, its BED file, FHIR documents and known sites', async () => {
    const found = await report({ panel: 'height@1' });
    const counts = { bases: 330, bases_at_depth: 330, met: true };
    expect(found.panel_requirement?.samples.child).to.deep.include(counts);
    const headers = { 'X-Auth-Token': await server.token('panels:read') };
    const bed = await (await fetch(`${server.url}/panels/height/1.bed?build=GRCh38`, { headers })).text();
    expect(bed.split('\n').filter((line) => /^\w/.test(line))).to.deep.equal([
      '21\t10000000\t10000100\tHGNC:6912|MATR3|ENST00000394805|1',
      'X\t630000\t630100\tHGNC:10853|SHOX|ENST00000686671|1',
      'X\t634000\t634050\tHGNC:10853|SHOX|ENST00000686671|2',
      'X\t1300000\t1300080\tHGNC:2435|CSF2RA|ENST00000381529|1',
    ]);
    expect(found.known_sites?.map(({ chromosome, genes }) => [chromosome, genes])).to.deep.equal([['X', ['SHOX']]]);
    const fhir = await ask('report', { panel: 'height@1', format: 'fhir' });
    const beds = [...fhir.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64').toString());
    expect(beds.join('')).to.include('X\t630000\t630100\n').and.not.match(/^Y/m);
  });

  describe('in any set', () => {
    const opened = useOnce(() => sqlite.open([coverage]));

    /** Ensembl genes of few HGNC genes, on X and Y in and outside the pseudoautosomal regions, and elsewhere. */
    const starts = { X: [700_000, 90_000_000], Y: [700_000, 20_000_000], '21': [30_000_000, 31_000_000] } as const;
    const oneGene = fc.record({
      hgnc: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      symbol: fc.integer({ min: 1, max: 3 }),
      chromosome: fc.constantFrom('X' as const, 'Y' as const, '21' as const),
      at: fc.constantFrom(0, 1),
      shift: fc.nat(40),
      isMane: fc.boolean(),
    });

    it('has one answer for its id and its symbol, prefers MANE Select, and is not on Y if it is on X', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(oneGene, { minLength: 1, maxLength: 12 }), async (made) => {
          const build: Build = 'GRCh38';
          const genes = made.map(({ hgnc, symbol, chromosome, at, shift }, i): Gene => {
            const start = starts[chromosome][at as 0 | 1] + shift;
            return {
              ...{ ensembl: `ENSG${i}`, symbol: `G${hgnc ?? symbol}`, chromosome, start, end: start + 50 },
              ...(hgnc !== undefined && { hgnc }),
            };
          });
          const none = {
            refseqMrna: [],
            refseqMrnaPredicted: [],
            refseqNcrna: [],
            maneSelect: [],
            manePlusClinical: [],
          };
          const transcripts = genes.map(({ ensembl, chromosome, start, end }, i): Transcript => {
            const isManeSelect = made[i]?.isMane === true;
            const own = { gene: ensembl, references: none, isManeSelect, isManePlusClinical: false };
            return { ensembl: `ENST${i}`, chromosome, start, end, ...own };
          });
          const exons = transcripts.map(({ references, isManeSelect, isManePlusClinical, ...own }, i) => {
            return { ...own, ensembl: `ENSE${i}`, transcript: own.ensembl, rank: 1 };
          });
          async function* rows() {
            yield { genes, transcripts, exons };
          }
          const repository = opened.storage.repository(coverage);
          const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build }));
          const record = { source: 'x', checksum: 'sha256:0', read: 1, skipped: {} };
          await repository.load({ sets, rows: rows(), accept: () => record }, now);
          for (const hgnc of new Set(genes.flatMap((gene) => gene.hgnc ?? []))) {
            for (const type of ['genes', 'transcripts', 'exons'] as const) {
              const of = async (name: string) => {
                const wanted = { build, genes: [name], type, transcripts: 'preferred' } as const;
                return (await select(repository, wanted, {})).targets;
              };
              const byId = await of(`HGNC:${hgnc}`);
              expect(await of(`G${hgnc}`)).to.deep.equal(byId);
              expect(byId).not.to.deep.equal([]);
              const own = genes.filter((gene) => gene.hgnc === hgnc);
              const isParX = own.some(({ chromosome, start }) => chromosome === 'X' && start < 2_000_000);
              const onParY = byId.filter(({ gene }) => gene.chromosome === 'Y' && gene.start < 2_000_000);
              if (isParX) expect(onParY).to.deep.equal([]);
              for (const { gene } of byId) {
                const isCopy = ({ chromosome, start }: Gene) => isParX && chromosome === 'Y' && start < 2_000_000;
                const here = own.filter((one) => one.chromosome === gene.chromosome && !isCopy(one));
                const isMane = (one: Gene) => made[Number(one.ensembl.slice(4))]?.isMane === true;
                if (here.some(isMane)) expect(isMane(gene)).to.equal(true);
              }
            }
          }
        }),
        { numRuns: fewer(40, 3) },
      );
    });
  });
});
