/** Regions of caution beside reports: random sets, genes and BED files over HTTP, compared base by base. */
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  type Batch,
  type Chromosome,
  coverageRegions,
  type Exon,
  type Gene,
  type Place,
  type RegionSet,
} from '../../../../plugins/coverage/contract.js';
import { loadRegions } from '../../../../plugins/coverage/sites/regions/loading.js';
import { Random } from '../../../conformance/core.js';
import { faultOf } from '../../../support/fault.js';
import { storages } from '../../../support/storages.js';
import { temporaryFolder } from '../d4/support/folder.js';
import { data, type Fields, post, rowsOf } from '../pages/support/post.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';
import { type Coverage, get, serveCoverage } from '../support/serve.js';

interface ShareData {
  bases: number;
  percent: number;
}

interface CautionReport {
  caution_sets?: ({ name: string; release: string | null; measured_bases: number } & ShareData)[];
  caution?: { gene: string; length: number; sets: Record<string, ShareData> }[];
  gaps: (Place & { gene: string; caution?: string[] })[];
  [member: string]: unknown;
}

const names = ['segmental duplications', 'low mappability', 'ENCODE'];
const seed = Number(process.env.TEST_SEED ?? 1);
const chromosomes: readonly Chromosome[] = ['1', '14', 'X'];

function basesOf(places: readonly Place[]): Set<string> {
  return new Set(
    places.flatMap(({ chromosome, start, end }) => rangeOf(start, end).map((at) => `${chromosome} ${at}`)),
  );
}

const rangeOf = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);

function somePlace(random: Random, longest: number): Place {
  const start = random.int(1000, 3000);
  return { chromosome: random.pick(chromosomes), start, end: start + random.int(1, longest) };
}

/** As files have them: in any order, with and without prefix, with columns and lines that do not matter. */
function bedOf(random: Random, places: readonly Place[]): string {
  const lines = places.map(({ chromosome, start, end }) => {
    const prefix = random.chance(0.5) ? 'chr' : '';
    return [`${prefix}${chromosome}`, start, end, ...(random.chance(0.5) ? ['name', '0'] : [])].join('\t');
  });
  return ['track name=x', ...lines, 'chrUn_KI270302v1\t1\t2', ''].join('\n');
}

/** What a report says of targets, by the names of the sets, from single bases. */
function modelOf(
  sets: Record<string, Place[]>,
  targets: readonly (readonly [gene: string, places: readonly Place[]])[],
) {
  const inSet = Object.entries(sets).map(([name, places]) => [name, basesOf(places)] as const);
  const shared = (bases: Set<string>, own: Set<string>) => [...bases].filter((base) => own.has(base)).length;
  const genes = targets.flatMap(([gene, places]) => {
    const bases = basesOf(places);
    const found = inSet.flatMap(([name, own]): [string, number][] => {
      const count = shared(bases, own);
      return count === 0 ? [] : [[name, count]];
    });
    return found.length === 0 ? [] : [{ gene, length: bases.size, sets: Object.fromEntries(found) }];
  });
  const all = basesOf(targets.flatMap(([, places]) => places));
  const whole = inSet.map(([name, own]): [string, number, number] => [name, all.size, shared(all, own)]);
  return { genes, whole: whole.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

for (const engine of storages) {
  describe(`coverage: regions of caution beside reports on ${engine.name} (TEST_SEED=${seed})`, () => {
    const folder = temporaryFolder();
    const random = new Random(seed);
    let server: Coverage;
    let fields: Fields;
    const genes = Array.from({ length: 8 }, (_, i) => {
      const chromosome = random.pick(chromosomes);
      const exons = random.list(1, 4, () => ({ ...somePlace(random, 120), chromosome }));
      return { symbol: `GEN${i}`, chromosome, exons };
    });
    const idOf = (prefix: string, i: number) => `${prefix}${String(i).padStart(11, '0')}`;

    async function* rows(): AsyncGenerator<Batch> {
      const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
      for (const [i, { symbol, chromosome, exons }] of genes.entries()) {
        const [gene, start, end] = [idOf('ENSG', i + 1), 900, 3200];
        const row: Gene = { ensembl: gene, symbol, chromosome, strand: 1, start, end };
        // Each exon has a transcript of its own, so that exons of one gene overlap.
        const transcripts = exons.map((place, k) => ({
          ...{ ...place, ensembl: idOf('ENST', 10 * i + k), gene, strand: 1 as const, references: none },
          ...{ isManeSelect: false, isManePlusClinical: false },
        }));
        const own = exons.map((place, k): Exon => {
          const transcript = idOf('ENST', 10 * i + k);
          return { ...place, ensembl: idOf('ENSE', 10 * i + k), gene, transcript, strand: 1, rank: 1 };
        });
        yield { genes: [row], transcripts, exons: own };
      }
    }

    const load = async (name: string, bed: string | Buffer, more: { force?: boolean; release?: string } = {}) => {
      await writeFile(folder.path('set.bed'), bed);
      return loadRegions({
        ...{ repository: server.storage.repository(coverageRegions), file: folder.path('set.bed'), name },
        ...{ build: 'GRCh38', kind: 'caution', maxShrink: 0.1, now: new Date(0), signal: new AbortController().signal },
        ...more,
      });
    };

    before(async () => {
      writeD4(folder.path('a.d4'), {
        chromosomes: chromosomesOf('GRCh38', { names: [...chromosomes] }),
        runs: chromosomes.flatMap((chromosome) => [
          { chromosome, begin: 0, end: 1500, depth: 30 },
          { chromosome, begin: 1700, end: 10_000, depth: 30 },
        ]),
      });
      server = await serveCoverage({ engine, settings: { roots: [folder.path('.')] } });
      const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
      const accept = () => ({ source: 'test', checksum: `sha256:${'0'.repeat(64)}`, read: 3, skipped: {} });
      await server.intervals.load({ sets, rows: rows(), accept }, new Date());
      fields = { build: 'GRCh38', default_level: '20', sample_name_1: 'a', sample_file_1: 'a.d4' };
    });
    after(() => server?.close());

    const report = (more: Fields) => data<CautionReport>(`${server.url}/report`, { ...fields, ...more });

    it('are what single bases say, and change no other number', async () => {
      const symbols = genes.map(({ symbol }) => symbol).join(',');
      const lines = random.list(5, 25, () => ({ ...somePlace(random, 200), name: random.pick(['A', 'B', 'C', '']) }));
      const bed = lines.map(({ chromosome, start, end, name }) => {
        return [`${random.pick(['', 'chr'])}${chromosome}`, start, end, ...(name === '' ? [] : [name])].join('\t');
      });
      const ofLines = new Map<string, Place[]>();
      for (const [i, line] of lines.entries()) {
        const [chromosome, start, end, name] = (bed[i] as string).split('\t');
        const key = name ?? `${chromosome}:${Number(start) + 1}-${end}`;
        ofLines.set(key, [...(ofLines.get(key) ?? []), line]);
      }
      const exons = genes.map(({ symbol, exons: own }) => [symbol, own] as const);
      const spans = genes.map(({ symbol, chromosome }) => [symbol, [{ chromosome, start: 900, end: 3200 }]] as const);
      const questions: { targets: readonly (readonly [string, readonly Place[]])[]; form: Fields }[] = [
        { targets: exons, form: { hgnc_gene_ids: symbols, interval_type: 'transcripts', transcripts: 'all' } },
        { targets: exons, form: { hgnc_gene_ids: symbols, interval_type: 'exons', transcripts: 'all' } },
        { targets: spans, form: { hgnc_gene_ids: symbols, interval_type: 'genes' } },
        { targets: [...ofLines], form: { interval_type: 'custom_intervals', intervals_bed: bed.join('\n') } },
      ];
      const before = await Promise.all(questions.map(({ form }) => report(form)));
      for (const one of before) expect(one).to.not.have.any.keys('caution', 'caution_sets');
      for (let turn = 0; turn < 4; turn++) {
        const sets: Record<string, Place[]> = {};
        for (const name of names) {
          // The first set may touch nothing.
          sets[name] = random.list(1, 30, () => somePlace(random, random.pick([1, 30, 300])));
          if (turn === 0 && name === 'ENCODE') sets[name] = [{ chromosome: '1', start: 5_000_000, end: 5_000_100 }];
          const text = bedOf(random, sets[name]);
          await load(name, random.chance(0.5) ? text : gzipSync(text), { force: true, release: `r${turn}` });
        }
        for (const [i, { targets, form }] of questions.entries()) {
          const { caution_sets = [], caution = [], ...rest } = await report(form);
          const expected = modelOf(sets, targets);
          const label = JSON.stringify({ turn, form, sets });
          const counted = caution.map(({ sets: own, ...gene }) => ({
            ...gene,
            sets: Object.fromEntries(Object.entries(own).map(([name, { bases }]) => [name, bases])),
          }));
          expect(counted, label).to.have.deep.members(expected.genes);
          const whole = caution_sets.map(({ name, measured_bases, bases }) => [name, measured_bases, bases]);
          expect(whole, label).to.deep.equal(expected.whole);
          for (const { length, sets: own } of caution) {
            for (const { bases, percent } of Object.values(own))
              expect(percent).to.be.closeTo((100 * bases) / length, 0.01);
          }
          for (const { caution: at, ...gap } of rest.gaps) {
            const place = { ...gap, chromosome: gap.chromosome.replace('chr', '') as Chromosome };
            const met = modelOf(sets, [['', [place]]]).genes.flatMap((gene) => Object.keys(gene.sets));
            expect(at, label).to.have.members(met);
          }
          const without = { ...rest, gaps: rest.gaps.map(({ caution: _, ...gap }) => gap) };
          expect({ ...without, made: '' }).to.deep.equal({ ...before[i], made: '' });
          const csv = rowsOf(
            (await post(`${server.url}/report`, { ...fields, ...form, format: 'csv', table: 'caution' })).text,
          );
          const ofCsv = csv.flatMap(({ gene, source, bases, bases_in_source }) =>
            gene === '' ? [[source, Number(bases), Number(bases_in_source)]] : [],
          );
          expect(ofCsv, label).to.deep.equal(expected.whole);
          const rowCount = expected.genes.reduce((sum, gene) => sum + Object.keys(gene.sets).length, names.length);
          expect(csv.length).to.equal(rowCount);
        }
      }
    });

    it('are named on pages, also of a gene, and listed; a deleted set is not', async () => {
      const repository = server.storage.repository(coverageRegions);
      await load('ENCODE', '1\t5000000\t5000100\n', { force: true });
      const form = { ...fields, hgnc_gene_ids: 'GEN0', interval_type: 'exons', transcripts: 'all' };
      const page = await post(`${server.url}/report`, form);
      expect(page.text).to.include('ENCODE: none of the measured bases').and.to.include('ENCODE: release not stated');
      const gene = await post(`${server.url}/gene_overview`, { ...form, lang: 'sv' });
      expect(gene.text).to.include('Svårbedömda regioner').and.to.include('ENCODE: ingen av de uppmätta baserna');
      const { body } = await get<{ regions: RegionSet[] }>(`${server.url}/intervals`);
      expect(body.regions.map(({ name, kind, bases }) => [name, kind, bases]).at(0)).to.deep.equal([
        'ENCODE',
        'caution',
        100,
      ]);
      for (const name of names) await repository.remove(name, 'GRCh38');
      const none = await post(`${server.url}/report`, form);
      expect(none.text).to.include('No regions where depth can mislead');
      expect(none.text).to.not.include('ENCODE');
    });

    it('refuse what is not a BED file of the build, and keep the old set', async () => {
      const set = await load('x', 'chr1\t100\t200\nchr1\t150\t300\nchr1\t300\t310\n1\t400\t500\n');
      expect([set.regions, set.bases, set.skipped]).to.deep.equal([2, 310, {}]);
      const refused: [bed: string, reason: string][] = [
        ['1\t10\n', 'set.bed, line 1: expected three columns'],
        ['#x\n1\t10\t20\n1\t20\t10\n', 'line 3: the end of the region, 10, is before its start, 20'],
        ['1\t10\tx\n', 'line 1: the end must be a whole number from 0 to'],
        [
          '1\t0\t100000000\nchrMT\t16560\t16570\n',
          'line 2: the region ends at 16570, beyond the end of chromosome chrMT',
        ],
        ['NC_000001.10\t1\t2\n', 'line 1: NC_000001.10 is chromosome 1 of GRCh37, not of GRCh38'],
        ['chrUn_1\t1\t2\n', 'it has no regions on the chromosomes of GRCh38 (1 skipped: other sequence)'],
        [
          '1\t100\t500\nchr23\t1\t2\n',
          '1 of 2 lines of regions would be left out (unknown sequence), the first of them line 2',
        ],
        ['1\t100\t300\n', 'it has 1 region, but the loaded set has 2'],
        ['1\t100\t101\n2\t1\t2\n', 'it has 2 bases, but the loaded set has 310'],
        ['', 'it has no regions'],
      ];
      for (const [bed, reason] of refused) {
        const fault = await faultOf(load('x', bed));
        expect([fault.code, fault.message.includes(reason) || fault.message], bed).to.deep.equal([
          'unprocessable',
          true,
        ]);
      }
      expect((await faultOf(load('x ', '1\t1\t2\n'))).message).to.include('--name must be 1 to 60 characters');
      expect((await faultOf(load('x', gzipSync('1\t1\t2\n').subarray(0, 15)))).message).to.include('truncated');
      expect(await server.storage.repository(coverageRegions).sets()).to.deep.equal([set]);
      await load('x', '1\t100\t101\nchr23\t1\t2\n', { force: true });
      expect((await server.storage.repository(coverageRegions).sets()).map(({ bases }) => bases)).to.deep.equal([1]);
    });
  });
}
