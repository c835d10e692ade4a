/** Depths of reads that map uniquely beside those of all reads: random pairs of files over HTTP, compared with arrays of depths. */
import { copyFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Batch, Chromosome, Exon, Gene, Place } from '../../../plugins/coverage/contract.js';
import { Random } from '../../conformance/core.js';
import { sqlite } from '../../support/storages.js';
import { temporaryFolder } from './d4/support/folder.js';
import { data, type Fields, post, rowsOf } from './pages/support/post.js';
import { chromosomesOf, type Run, writeD4 } from './support/d4.js';
import { type Coverage, get, post as json, serveCoverage } from './support/serve.js';

const seed = Number(process.env.TEST_SEED ?? 1);
const chromosomes: readonly Chromosome[] = ['1', '14', 'X'];
const bases = 4000;
const thresholds = [1, 10, 20, 30];
type Depths = Record<string, Uint16Array>;

interface Figures {
  bases_at: Record<string, number>;
  completeness_percent: Record<string, number>;
  unique?: Figures;
}

interface UniqueReport {
  samples: (Figures & {
    name: string;
    unique_file?: string;
    unique_fingerprint?: string;
    unique_mapping_quality?: number | null;
    unique_fully_covered_percent?: number;
    intervals: number;
    genes_covered_only_by_ambiguous_reads?: string[];
    genes_incomplete_by_unique_reads?: string[];
    counted?: Record<string, Figures>;
  })[];
  intervals: { gene: string; regions: [number, number][]; chromosome: string; samples: Record<string, Figures> }[];
  names?: { name: string; samples: Record<string, Figures> }[];
  incomplete_genes?: {
    gene: string;
    length: number;
    samples: Record<string, { bases_at_level: number; unique_bases_at_level?: number; unique_percent?: number }>;
  }[];
  warnings: { code: string; message: string; samples: string[] }[];
  made: string;
}

function runsOf(depths: Depths): Run[] {
  return Object.entries(depths).flatMap(([chromosome, own]) => {
    const runs: Run[] = [];
    for (const [at, depth] of own.entries()) {
      const last = runs.at(-1);
      if (last?.end === at && last.depth === depth) last.end = at + 1;
      else if (depth > 0) runs.push({ chromosome, begin: at, end: at + 1, depth });
    }
    return runs;
  });
}

const idOf = (prefix: string, i: number) => `${prefix}${String(i).padStart(11, '0')}`;

describe(`coverage: depths of unique reads (TEST_SEED=${seed})`, () => {
  const folder = temporaryFolder();
  const random = new Random(seed);
  let server: Coverage;
  const genes = Array.from({ length: 8 }, (_, i) => {
    const chromosome = chromosomes[i % 3] as Chromosome;
    const exons = random.list(1, 4, () => {
      const start = random.int(100, 3500);
      return { chromosome, start, end: start + random.int(1, 150) };
    });
    return { symbol: `GEN${i}`, chromosome, exons };
  });
  const symbols = genes.map(({ symbol }) => symbol).join(',');

  async function* rows(): AsyncGenerator<Batch> {
    const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
    for (const [i, { symbol, chromosome, exons }] of genes.entries()) {
      const gene = idOf('ENSG', i + 1);
      const row: Gene = { ensembl: gene, symbol, chromosome, strand: 1, start: 50, end: 3900 };
      const transcripts = exons.map((place, k) => ({
        ...{ ...place, ensembl: idOf('ENST', 10 * i + k), gene, strand: 1 as const, references: none },
        ...{ isManeSelect: false, isManePlusClinical: false },
      }));
      const own = exons.map((place, k): Exon => {
        const transcript = idOf('ENST', 10 * i + k);
        const cds = { start: place.start, end: Math.max(place.start + 1, place.end - 5) };
        return { ...place, ensembl: idOf('ENSE', 10 * i + k), gene, transcript, strand: 1, rank: 1, cds };
      });
      yield { genes: [row], transcripts, exons: own };
    }
  }

  /** Depths with plateaus around the thresholds; of some stretches, whole genes among them, no read or few are unique. */
  function pair(): { all: Depths; unique: Depths } {
    const [all, unique]: [Depths, Depths] = [{}, {}];
    for (const chromosome of chromosomes) {
      const [own, second] = [new Uint16Array(bases), new Uint16Array(bases)];
      for (let at = 0; at < bases; ) {
        const length = random.int(1, 300);
        const [depth, taken] = [random.pick([0, 9, 10, 20, 35, 200]), random.pick([0, 0, 1, 5, 300])];
        for (const end = Math.min(bases, at + length); at < end; at++) {
          own[at] = depth + random.int(0, 2);
          second[at] = Math.max(0, (own[at] as number) - taken);
        }
      }
      for (const { exons } of genes.filter((one) => one.chromosome === chromosome && random.chance(0.4))) {
        const kept = random.pick([0, 5, 25]);
        for (const { start, end } of exons) {
          own.fill(40, start, end);
          second.fill(kept, start, end);
        }
      }
      [all[chromosome], unique[chromosome]] = [own, second];
    }
    return { all, unique };
  }

  const write = (name: string, depths: Depths, sizes = chromosomesOf('GRCh38', { names: [...chromosomes] })) =>
    writeD4(folder.path(name), { chromosomes: sizes, runs: runsOf(depths), dictionary: random.pick([1, 16, 64]) });

  before(async () => {
    server = await serveCoverage({ engine: sqlite, settings: { roots: [folder.path('.')], reports: { days: 10 } } });
    const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
    const accept = () => ({ source: 'test', checksum: `sha256:${'0'.repeat(64)}`, read: 3, skipped: {} });
    await server.intervals.load({ sets, rows: rows(), accept }, new Date());
  });
  after(() => server?.close());

  const fields: Fields = {
    ...{ build: 'GRCh38', default_level: '20', completeness_thresholds: thresholds.join(',') },
    ...{ sample_name_1: 'a', sample_file_1: 'a.d4', hgnc_gene_ids: symbols, transcripts: 'all' },
  };
  const withUnique: Fields = { ...fields, unique_file_1: 'a.unique.d4', unique_mapping_quality_1: '20' };
  const report = (form: Fields) => data<UniqueReport>(`${server.url}/report`, form);

  /** Distinct bases of the places at or above each threshold. */
  function countsOf(depths: Depths, places: readonly Place[]): Record<string, number> {
    const own = new Map<string, number>();
    for (const { chromosome, start, end } of places) {
      for (let at = start; at < end; at++) own.set(`${chromosome} ${at}`, depths[chromosome]?.[at] ?? 0);
    }
    const reached = (least: number) => [...own.values()].filter((depth) => depth >= least).length;
    return Object.fromEntries(thresholds.map((least) => [String(least), reached(least)]));
  }

  /** Without all members that unique reads add, at any depth. */
  function withoutUnique(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withoutUnique);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => !/^unique|ambiguous_reads$|by_unique_reads$/.test(key));
    return Object.fromEntries(kept.map(([key, own]) => [key, withoutUnique(own)]));
  }

  it('are what arrays of depths say, on every kind of intervals, and change no other number', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const { all, unique } = pair();
      write('a.d4', all);
      write('a.unique.d4', unique);
      for (const interval_type of ['transcripts', 'exons', 'genes', 'coding']) {
        const label = JSON.stringify({ turn, interval_type });
        const found = await report({ ...withUnique, interval_type });
        const alone = await report({ ...fields, interval_type });
        expect({ ...(withoutUnique(found) as object), made: '' }, label).to.deep.equal({ ...alone, made: '' });
        const [one] = found.samples;
        expect(one?.unique_file).to.equal('a.unique.d4');
        expect(one?.unique_mapping_quality).to.equal(20);
        expect(one?.unique_fingerprint).to.match(/^[0-9a-f]{16}$/);
        const placesOf = ({ chromosome, regions }: UniqueReport['intervals'][number]) =>
          regions.map(([start, end]) => ({ chromosome: chromosome as Chromosome, start, end }));
        for (const target of found.intervals) {
          const own = target.samples.a;
          expect(own?.bases_at, label).to.deep.equal(countsOf(all, placesOf(target)));
          expect(own?.unique?.bases_at, label).to.deep.equal(countsOf(unique, placesOf(target)));
        }
        const whole = found.intervals.flatMap(placesOf);
        expect(one?.unique?.bases_at, label).to.deep.equal(countsOf(unique, whole));
        const [ambiguous, incomplete]: string[][] = [[], []];
        for (const { symbol } of genes) {
          const places = found.intervals.filter(({ gene }) => gene === symbol).flatMap(placesOf);
          const [byAll, byUnique] = [countsOf(all, places)['20'] ?? 0, countsOf(unique, places)['20'] ?? 0];
          const length = new Set(places.flatMap((own) => Object.keys(countedBases(own)))).size;
          if (byAll > 0 && byUnique === 0) ambiguous?.push(symbol);
          else if (byAll === length && byUnique < length) incomplete?.push(symbol);
          const row = found.incomplete_genes?.find(({ gene }) => gene === symbol)?.samples.a;
          if (row !== undefined) expect(row.unique_bases_at_level, `${label} ${symbol}`).to.equal(byUnique);
        }
        expect(one?.genes_covered_only_by_ambiguous_reads, label).to.have.members(ambiguous ?? []);
        expect(one?.genes_incomplete_by_unique_reads, label).to.have.members(incomplete ?? []);
        const csv = async (table: string) =>
          rowsOf((await post(`${server.url}/report`, { ...withUnique, interval_type, format: 'csv', table })).text);
        const [metrics] = await csv('metrics');
        const percents = Object.entries(one?.unique?.completeness_percent ?? {});
        for (const [least, percent] of percents) {
          expect(Number(metrics?.[`completeness_${least}_percent_unique`]), label).to.equal(percent);
        }
        const listed = await csv('intervals');
        for (const [i, row] of listed.entries()) {
          const own = found.intervals[i]?.samples.a?.unique?.completeness_percent['20'];
          expect(Number(row.completeness_20_percent_unique), label).to.equal(own);
        }
      }
    }
  });

  it('stand beside the figures of lines of one name, in JSON as in CSV', async () => {
    const { all, unique } = pair();
    write('a.d4', all);
    write('a.unique.d4', unique);
    const { hgnc_gene_ids: _, ...others } = withUnique;
    const bed = genes.flatMap(({ symbol, exons }) =>
      exons.map(({ chromosome, start, end }) => [chromosome, start, end, symbol].join('\t')),
    );
    const form = { ...others, interval_type: 'custom_intervals', intervals_bed: bed.join('\n') };
    const { names = [] } = await report(form);
    expect(names.map(({ name }) => name)).to.have.members(genes.map(({ symbol }) => symbol));
    const { text } = await post(`${server.url}/report`, { ...form, format: 'csv', table: 'names' });
    const rows = new Map(rowsOf(text).map((row) => [row.name, row]));
    for (const { name, samples } of names) {
      const places = genes.find(({ symbol }) => symbol === name)?.exons ?? [];
      expect(samples.a?.unique?.bases_at, name).to.deep.equal(countsOf(unique, places));
      const percent = Number(rows.get(name)?.completeness_20_percent_unique);
      expect(percent, name).to.equal(samples.a?.unique?.completeness_percent['20']);
    }
  });

  it('are returned by the endpoints for programs', async () => {
    const { all, unique } = pair();
    write('a.d4', all);
    write('a.unique.d4', unique);
    const place = { chromosome: '14' as const, start: 200, end: 3000 };
    const question = { ...place, coverage_file_path: 'a.d4', completeness_thresholds: thresholds, build: 'GRCh38' };
    const two = { ...question, unique_file_path: 'a.unique.d4' };
    const interval = `${server.url}/coverage/d4/interval/`;
    const found = (await json(interval, two)).body as Record<string, unknown>;
    expect(found.unique_bases_at).to.deep.equal(countsOf(unique, [place]));
    expect(withoutUnique(found)).to.deep.equal((await json(interval, question)).body);
    const summary = `${server.url}/coverage/d4/genes/summary`;
    const asked = {
      build: 'GRCh38',
      hgnc_gene_ids: symbols.split(','),
      coverage_threshold: 20,
      interval_type: 'exons',
    };
    const sample = { name: 'a', coverage_file_path: 'a.d4', unique_file_path: 'a.unique.d4' };
    const { body } = await json(summary, { ...asked, transcripts: 'all', samples: [sample] });
    const exons = genes.flatMap((gene) => gene.exons);
    const length = new Set(exons.flatMap((own) => Object.keys(countedBases(own)))).size;
    const share = (100 * (countsOf(unique, exons)['20'] ?? 0)) / length;
    const { a } = body as Record<string, { unique_coverage_completeness_percent: number }>;
    expect(a?.unique_coverage_completeness_percent).to.be.closeTo(share, 0.011);
  });

  it('refuse files that were swapped, by the first base of the targets that is deeper, and no other base', async () => {
    const { all, unique } = pair();
    write('a.d4', all);
    const exon = genes[0]?.exons[0] as Place;
    const raised = Object.fromEntries(Object.entries(unique).map(([name, own]) => [name, own.slice()])) as Depths;
    const outside = raised[exon.chromosome] as Uint16Array;
    outside[10] = 500;
    write('a.unique.d4', raised);
    const form = { ...withUnique, interval_type: 'exons' };
    expect((await post(`${server.url}/report`, { ...form, format: 'json' })).status).to.equal(200);
    outside[exon.start] = 900;
    write('a.unique.d4', raised);
    const place = `${exon.chromosome}:${exon.start + 1} (900 over ${all[exon.chromosome]?.[exon.start]})`;
    const refused = await post(`${server.url}/report`, { ...form, hgnc_gene_ids: 'GEN0', format: 'json' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('sample_file_1').and.include('unique_file_1').and.include(place);
    expect(refused.text).to.not.include(folder.path('.'));
    const page = await post(`${server.url}/report`, { ...form, hgnc_gene_ids: 'GEN0' });
    expect(page.status).to.equal(422);
    expect(page.text).to.include('D4 file of unique reads of sample 1').and.include(place);
    const swapped = { ...form, sample_file_1: 'a.unique.d4', unique_file_1: 'a.d4', format: 'json' };
    write('a.unique.d4', unique);
    expect((await post(`${server.url}/report`, swapped)).status).to.equal(422);
    const asked = {
      coverage_file_path: 'a.unique.d4',
      unique_file_path: 'a.d4',
      chromosome: '1',
      start: 0,
      end: bases,
    };
    const answer = await json(`${server.url}/coverage/d4/interval/`, { ...asked, completeness_thresholds: [20] });
    expect(answer.status).to.equal(422);
    expect(JSON.stringify(answer.body)).to.include('"unique_file_path"').and.include('"coverage_file_path"');
  });

  it('are reported of registered samples, and kept with the fingerprints of both files', async () => {
    const { all, unique } = pair();
    write('a.d4', all);
    write('a.unique.d4', unique);
    const common = { build: 'GRCh38', sex: 'unknown', labels: {}, file: { path: 'a.d4' } } as const;
    await server.samples.register([{ ...common, id: 'a', unique: { path: 'a.unique.d4', quality: 20 } }], new Date());
    const form = { ...fields, interval_type: 'exons', sample_name_1: '', sample_file_1: '' };
    const byId = await report({ ...form, sample_id_1: 'a' });
    const byFile = await report({ ...withUnique, interval_type: 'exons' });
    const plain = ({ samples, intervals }: UniqueReport) => ({
      samples: samples.map(({ name, unique: own }) => [name, own]),
      intervals,
    });
    expect(plain(byId)).to.deep.equal(plain(byFile));
    const both = await post(`${server.url}/report`, {
      ...form,
      sample_id_1: 'a',
      unique_file_1: 'a.unique.d4',
      format: 'json',
    });
    expect([both.status, both.text.includes('sample_id_1') || both.text.includes('unique_file_1')]).to.deep.equal([
      422,
      true,
    ]);
    const keptForm = { ...form, sample_id_1: 'a', keep: 'true' };
    const answer = await post(`${server.url}/report`, { ...keptForm, format: 'json' });
    const id = (JSON.parse(answer.text) as { report_id: string }).report_id;
    const { body } = await get(`${server.url}/coverage/reports/${id}`, { format: 'facts' });
    const [sample] = (body as unknown as { samples: { unique?: object }[] }).samples;
    const fingerprint = byId.samples[0]?.unique_fingerprint;
    expect(sample?.unique, JSON.stringify(body)).to.deep.equal({ fingerprint, mapping_quality: 20 });
    await server.samples.remove(['a']);
  });

  it('say which of the two files cannot be used, and whether both are one', async () => {
    const { all, unique } = pair();
    write('a.d4', all);
    const form = { ...withUnique, interval_type: 'exons', format: 'json' };
    write('a.unique.d4', unique, chromosomesOf('GRCh37', { names: [...chromosomes] }));
    const refusal = async (more: Fields = {}) => (await post(`${server.url}/report`, { ...form, ...more })).text;
    expect(await refusal()).to.include('The file of unique reads belongs to GRCh37, not to GRCh38');
    expect(await refusal({ unique_file_1: 'gone.d4' })).to.include('The file of unique reads must be either');
    expect(await refusal({ unique_mapping_quality_1: 'high' })).to.include('must be a whole number from 1 to 255');
    expect(await refusal({ unique_file_1: '' })).to.include('needs a D4 file of unique reads');
    write('a.unique.d4', { '1': unique['1'] as Uint16Array }, chromosomesOf('GRCh38', { names: ['1'] }));
    const lacking = await report(form);
    const missing = lacking.warnings.filter(({ code }) => code === 'missing-chromosome').map(({ message }) => message);
    expect(missing[0]).to.include('The file of unique reads has no chromosome');
    copyFileSync(folder.path('a.d4'), folder.path('a.unique.d4'));
    const same = await report(form);
    expect(same.warnings.map(({ code }) => code))
      .to.include('same-unique')
      .and.not.include('same-file');
    write('a.unique.d4', unique);
    const sound = await report(form);
    expect(sound.warnings.map(({ code }) => code))
      .to.not.include('same-unique')
      .and.not.include('same-file');
  });
});

function countedBases({ chromosome, start, end }: Place): Record<string, true> {
  return Object.fromEntries(Array.from({ length: end - start }, (_, i) => [`${chromosome} ${start + i}`, true]));
}
