/** Reports on samples with any number of X and Y: what totals leave out, and what stands beside depths. */
import { join } from 'node:path';
import { expect } from 'chai';
import { lengthOf } from '../../../../core/genome.js';
import { useFolder } from '../../../support/folder.js';
import { bothBuilds, writeD4 } from '../support/d4.js';
import { genome } from '../support/genomes.js';
import { type Coverage, type Json, serveCoverage } from '../support/serve.js';
import { data, demoForm, type Fields, post, rowsOf, trio } from './support/post.js';
import { tableOf } from './support/tables.js';

interface SampleData {
  name: string;
  length: number;
  mean_coverage: number;
  mean_of_intervals: number;
  bases_at: Record<string, number>;
  intervals: number;
  incompletely_covered: number;
  fully_covered_percent: number;
  uniformity: Json;
  cumulative_coverage: Json;
  expected_copies?: { by: string; x: number | null; y: number | null };
  not_expected?: Json;
}

interface PageData {
  samples: SampleData[];
  intervals: { gene: string; samples: Record<string, Json> }[];
  incomplete_intervals?: { gene: string; samples: Record<string, Json> }[];
  incomplete_genes: { gene: string; length: number; samples: Record<string, Json> }[];
  gaps: { gene: string; sample: string }[];
  warnings: { code: string; samples: string[] }[];
}

/** 100 bases each on 1, X and Y outside the pseudoautosomal regions of both builds, and on X and Y within them. */
const places = [
  ['1', 1_000_000, 'autosome'],
  ['X', 20_000_000, 'x'],
  ['Y', 7_000_000, 'y'],
  ['X', 1_000_000, 'par_x'],
  ['Y', 1_000_000, 'par_y'],
] as const;

const bed = places
  .map(
    ([chromosome, start, name]) => `${chromosome}	${start}	${start + 100}	${name}
`,
  )
  .join('');

/** Outside of `genome`: 100x in the pseudoautosomal regions of X and Y, 30x on 1. */
const meanOf = (x: number, y: number, isYCounted: boolean) =>
  isYCounted ? (30 + x + y + 100 + 100) / 5 : (30 + x + 100 + 100) / 4;

/** Depths of X and Y, and copies by the letters of the karyotype; the last fits none, but no Y. */
const karyotypes = [
  ['XX', 30, 0, { by: 'karyotype', x: 2, y: 0 }],
  ['XY', 15, 15, { by: 'karyotype', x: 1, y: 1 }],
  ['X0', 15, 0, { by: 'karyotype', x: 1, y: 0 }],
  ['XXY', 30, 15, { by: 'karyotype', x: 2, y: 1 }],
  ['XYY', 15, 30, { by: 'karyotype', x: 1, y: 2 }],
  ['XXX', 45, 0, { by: 'karyotype', x: 3, y: 0 }],
  ['mosaic', 22, 0, { by: 'missing-y', x: null, y: 0 }],
] as const;

describe('coverage pages: expected copies', () => {
  const folder = useFolder();
  let server: Coverage;
  const serve = async (settings: Record<string, unknown> = {}, demo = false) => {
    server = await serveCoverage({ demo, settings: { roots: [folder.path()], ...settings } });
  };
  afterEach(() => server.close());

  const fieldsOf = (samples: readonly Record<string, string>[], more: Fields = {}): Fields => ({
    build: 'GRCh38',
    samples: JSON.stringify(samples.map((sample, i) => ({ name: `S${i + 1}`, ...sample }))),
    interval_type: 'custom_intervals',
    intervals_bed: bed,
    default_level: '20',
    ...more,
  });
  const reportOf = (samples: readonly Record<string, string>[], more: Fields = {}) =>
    data<PageData>(`${server.url}/report`, fieldsOf(samples, more));
  const textOf = async (samples: readonly Record<string, string>[], more: Fields = {}, page = 'report') => {
    const { status, text } = await post(`${server.url}/${page}`, fieldsOf(samples, more));
    expect(status, text.slice(0, 300)).to.equal(200);
    return text;
  };
  const sampleOf = (name: string, x: number, y: number, build: 'GRCh37' | 'GRCh38' = 'GRCh38') => ({
    coverage_file_path: genome(join(folder.path(), `${name}.${build}.d4`), build, x, y),
  });

  for (const build of bothBuilds) {
    it(`leaves Y out of the totals of a karyotype without Y, in ${build}`, async () => {
      await serve({ aneuploidy: 'everyone' });
      const samples = karyotypes.map(([name, x, y]) => sampleOf(name, x, y, build));
      const fields = { build, print_aneuploidy: 'true' };
      const found = (await reportOf(samples, fields)).samples;
      for (const [i, [name, x, y, expected]] of karyotypes.entries()) {
        const own = found[i] as SampleData;
        const hasY = expected.y > 0;
        expect(own.expected_copies, name).to.deep.equal(expected);
        expect(own.length, name).to.equal(hasY ? 500 : 400);
        expect(own.mean_coverage, name).to.equal(meanOf(x, y, hasY));
        expect(own.mean_of_intervals, name).to.equal(meanOf(x, y, hasY));
        expect(own.intervals, name).to.equal(hasY ? 5 : 4);
        // Below 20x: X and Y where they have 15x.
        const below = [x, ...(hasY ? [y] : [])].filter((depth) => depth < 20).length;
        expect(own.incompletely_covered, name).to.equal(below);
        expect(own.bases_at['20'], name).to.equal(own.length - 100 * below);
        expect(own.not_expected, name).to.deep.equal(hasY ? undefined : { intervals: 1, bases: 100, genes: ['y'] });
        expect(own.uniformity.zero_coverage_intervals, name).to.equal(0);
      }
      const rows = rowsOf(await textOf(samples, { ...fields, format: 'csv', table: 'intervals' }));
      const copies = (name: string, sample: number) =>
        rows.find((row) => row.gene === name && row.sample === `S${sample + 1}`)?.expected_copies;
      for (const [i, [name, , , { x, y }]] of karyotypes.entries()) {
        const own = ['autosome', 'x', 'y', 'par_x', 'par_y'].map((line) => copies(line, i));
        expect(own, name).to.deep.equal(['2', x === null ? '' : String(x), String(y), '2', '2']);
      }
    });
  }

  // SRY has one exon, Y:2786855-2787699, and codes for 204 amino acids.
  for (const [interval_type, bases] of [
    ['transcripts', 2_787_699 - 2_786_854],
    ['coding', 3 * (204 + 1)],
  ] as const)
    it(`has the totals of the same report without the genes on Y: ${interval_type}`, async () => {
      await serve({}, true);
      const form = { ...demoForm, interval_type };
      const whole = { ...form, hgnc_gene_ids: 'MTHFR,SRY,DHFR,FOLR1' };
      const without = { ...form, hgnc_gene_ids: 'MTHFR,DHFR,FOLR1' };
      const [all, less] = await Promise.all(
        [whole, without].map((fields) => data<PageData>(`${server.url}/report`, fields)),
      );
      // Curves are drawn up to twice the greatest mean of all samples, which differs.
      const figures = ({ expected_copies: _, not_expected: __, cumulative_coverage: curve, ...own }: SampleData) => ({
        ...own,
        shares: (curve.shares as number[]).slice(0, 40),
      });
      const [child, mother, father] = all?.samples.map(figures) ?? [];
      expect(mother).to.deep.equal(figures(less?.samples[1] as SampleData));
      expect(all?.samples[1]?.not_expected).to.deep.equal({ intervals: 1, bases, genes: ['SRY'] });
      for (const [i, own] of [
        [0, child],
        [2, father],
      ] as const) {
        expect((own?.length ?? 0) - (less?.samples[i]?.length ?? 0)).to.equal(bases);
      }
      expect(all?.warnings.map(({ code }) => code)).not.to.include('female-y');
      const genes = (name: string) => all?.incomplete_genes.find(({ gene }) => gene === 'SRY')?.samples[name];
      expect(genes('demo_mother')).to.include({ not_expected: true });
      expect(genes('demo_father')).not.to.have.property('not_expected');
      expect(all?.gaps.filter(({ gene }) => gene === 'SRY').map(({ sample }) => sample)).to.deep.equal([
        'demo_child',
        'demo_father',
      ]);
      // The figures of MultiQC, and of the table of the page.
      const multiqc = JSON.parse((await post(`${server.url}/report`, { ...whole, format: 'multiqc' })).text);
      const plain = JSON.parse((await post(`${server.url}/report`, { ...without, format: 'multiqc' })).text);
      expect(multiqc.data.demo_mother).to.deep.equal(plain.data.demo_mother);
      expect(multiqc.data.demo_father).not.to.deep.equal(plain.data.demo_father);
      for (const table of ['metrics', 'fully_covered', 'uniformity']) {
        const rows = await Promise.all(
          [whole, without].map(async (fields) =>
            rowsOf((await post(`${server.url}/report`, { ...fields, format: 'csv', table })).text),
          ),
        );
        expect(rows[0]?.[1], table).to.deep.equal(rows[1]?.[1]);
        expect(rows[0]?.[0], table).not.to.deep.equal(rows[1]?.[0]);
      }
    });

  it('says it in the rows of all pages, beside the depth, in both languages', async () => {
    await serve({}, true);
    const fields = { ...demoForm, hgnc_gene_ids: 'MTHFR,SRY' };
    const row = (page: string, cell: string) =>
      [...page.matchAll(/<tr>.*?<\/tr>/gs)].map(([one]) => one).filter((one) => one.includes(cell));
    const report = await post(`${server.url}/report`, fields);
    const ofGene = row(report.text.split('id="table-incomplete_genes"')[1] ?? '', 'SRY')[0] ?? '';
    expect(ofGene).to.include('not expected').and.to.include('<span class="badge">1 copy</span>');
    expect(report.text).to.include(
      'One copy outside the pseudoautosomal regions, with about half the depth of two: demo_child (Y; XY by depth), demo_father (Y; XY by depth).',
    );
    const mane = await post(`${server.url}/mane_overview`, fields);
    const ofMother = row(mane.text, '<bdi>demo_mother').find((one) => one.includes('not expected')) ?? '';
    // Nothing is marked as good or bad there.
    expect(ofMother)
      .to.include('<bdi>0×</bdi> <span class="badge">not expected</span>')
      .and.not.match(/class="n (bad|good)"/);
    const gene = await post(`${server.url}/gene_overview`, { ...fields, hgnc_gene_id: 'SRY' });
    const ofFather = row(gene.text, '<bdi>demo_father').filter((one) => one.includes('class="n'));
    expect(ofFather.length > 1 && ofFather.every((one) => one.includes('1 copy'))).to.equal(true);
    expect(row(gene.text, '<bdi>demo_mother').filter((one) => one.includes('not expected'))).to.have.length.above(1);
    expect(gene.text).to.include('<h3><bdi>demo_mother (not expected)</bdi></h3>');
    expect(gene.text).to.include('<h3><bdi>demo_father (1 copy)</bdi></h3>');
    const swedish = await post(`${server.url}/report`, { ...fields, lang: 'sv' });
    expect(swedish.text).to.include('Utan Y: demo_mother (XX enligt läsdjup). Förväntas inte').and.include('1 kopia');
    const pdf = await post(`${server.url}/report`, { ...fields, format: 'pdf' });
    expect(pdf.status).to.equal(200);
    // A sex by depth is not stated as a fact if another one is declared.
    const swapped = JSON.stringify(trio.map((one) => ({ ...one, sex: 'male' })));
    const doubted = await post(`${server.url}/report`, { ...fields, samples: swapped });
    expect(doubted.text).to.include('demo_mother: Predicted female. Genes on Y are not expected to be covered');
    // Of the mother alone nothing is left.
    const alone = JSON.stringify(trio.filter(({ name }) => name === 'demo_mother'));
    const only = { ...fields, hgnc_gene_ids: 'SRY', samples: alone };
    const nothing = await data<PageData>(`${server.url}/report`, only);
    expect(nothing.samples[0]).to.include({ length: 0, intervals: 0, incompletely_covered: 0 });
    for (const page of ['report', 'overview', 'mane_overview']) {
      const { status, text } = await post(`${server.url}/${page}`, only);
      expect(status, page).to.equal(200);
      expect(text, page).to.include('Without Y: demo_mother').and.not.include('Every base of every interval');
    }
  });

  it('gives no percentage, in any face, of what a sample cannot have', async () => {
    await serve({}, true);
    const fields = { ...demoForm, hgnc_gene_ids: 'MTHFR,SRY' };
    // SRY has one exon of 845 bases.
    const found = await data<PageData>(`${server.url}/report`, fields);
    const sry = found.intervals.find(({ gene }) => gene === 'SRY');
    const none = { '10': null, '15': null, '20': null, '50': null, '100': null };
    expect(sry?.samples.demo_mother).to.deep.include({
      ...{ not_expected: true, length: 845, completeness: none, completeness_percent: none, complete_at: [] },
    });
    expect(sry?.samples.demo_father).to.not.have.property('not_expected');
    expect(sry?.samples.demo_father?.completeness).to.have.property('10').that.is.a('number');
    const ofGene = found.incomplete_genes.find(({ gene }) => gene === 'SRY')?.samples;
    expect(ofGene?.demo_mother).to.deep.include({ not_expected: true, percent: null });
    expect(ofGene?.demo_father?.percent).to.be.a('number');
    const overview = await data<PageData>(`${server.url}/overview`, fields);
    const row = overview.incomplete_intervals?.find(({ gene }) => gene === 'SRY')?.samples;
    expect(row?.demo_mother).to.deep.include({ not_expected: true, percent: null });
    for (const page of ['mane_overview', 'gene_overview']) {
      const { intervals } = await data<PageData>(`${server.url}/${page}`, { ...fields, hgnc_gene_id: 'SRY' });
      const [own] = intervals.filter(({ gene }) => gene === 'SRY');
      expect(own?.samples.demo_mother, page).to.deep.include({ not_expected: true, completeness: none });
    }
    const csv = async (page: string, table: string) =>
      rowsOf((await post(`${server.url}/${page}`, { ...fields, hgnc_gene_id: 'SRY', format: 'csv', table })).text);
    for (const [page, table] of [
      ['report', 'intervals'],
      ['overview', 'intervals'],
      ['mane_overview', 'transcripts'],
    ] as const) {
      const own = (await csv(page, table)).find((one) => one.gene === 'SRY' && one.sample === 'demo_mother');
      expect(own?.completeness_10_percent, page).to.equal('not expected');
    }
    const genes = (await csv('report', 'incomplete_genes')).find(({ gene }) => gene === 'SRY');
    expect(genes?.demo_mother).to.equal('not expected');
    expect((await csv('overview', 'incomplete')).find(({ gene }) => gene === 'SRY')?.demo_mother).to.equal(
      'not expected',
    );
    expect((await csv('report', 'gaps')).filter((one) => one.gene === 'SRY').map((one) => one.sample)).to.not.include(
      'demo_mother',
    );
    const bed = (await post(`${server.url}/report`, { ...fields, format: 'bed' })).text;
    expect(bed)
      .to.match(/SRY\|\w+\|demo_father/)
      .and.not.match(/SRY\|\w+\|demo_mother/);
    // Each sample has an analysis; SRY is studied and not called, which is said without a percentage.
    const fhir = JSON.parse((await post(`${server.url}/report`, { ...fields, format: 'fhir' })).text);
    const uncalled = JSON.stringify(fhir.entry).match(/"SRY: [^"]*"/g);
    expect(uncalled?.[1]).to.equal('"SRY: not expected"');
    expect(uncalled?.[0]).to.match(/^"SRY: [\d,]+ of 845 bases/);
  });

  it('states nothing of a sample that cannot have any of the intervals', async () => {
    await serve({}, true);
    const fields = { ...demoForm, hgnc_gene_ids: 'SRY' };
    const none = { '10': null, '15': null, '20': null, '50': null, '100': null };
    const [, mother] = (await data<PageData>(`${server.url}/report`, fields)).samples;
    expect(mother).to.deep.include({
      ...{ length: 0, mean_coverage: null, mean_of_intervals: null, fully_covered_percent: null, intervals: 0 },
      ...{ completeness: none, completeness_percent: none, complete_at: [], incompletely_covered: 0 },
    });
    expect(mother).to.not.have.any.keys('cumulative_coverage', 'uniformity');
    const multiqc = JSON.parse((await post(`${server.url}/report`, { ...fields, format: 'multiqc' })).text);
    expect(multiqc.data.demo_mother).to.deep.include({ predicted_sex: 'female' });
    expect(multiqc.data.demo_mother).to.not.have.any.keys('mean_coverage', 'fully_covered_percent');
    expect(multiqc.data.demo_father).to.include.keys('mean_coverage', 'fully_covered_percent', 'median_coverage');
    for (const [table, column] of [
      ['metrics', 'mean_coverage'],
      ['metrics', 'completeness_10_percent'],
      ['fully_covered', 'fully_covered_percent'],
    ] as const) {
      const rows = rowsOf((await post(`${server.url}/report`, { ...fields, format: 'csv', table })).text);
      expect(rows.find(({ sample }) => sample === 'demo_mother')?.[column], column).to.equal('');
    }
    const [curve] = rowsOf((await post(`${server.url}/report`, { ...fields, format: 'csv', table: 'curve' })).text);
    expect([curve?.demo_mother, curve?.demo_father]).to.deep.equal(['', '100']);
    expect((await post(`${server.url}/report`, fields)).text).to.include('not expected');
  });

  it('counts of a group of BED lines those that are not on Y', async () => {
    await serve();
    const samples = [sampleOf('woman', 30, 0), sampleOf('man', 15, 15)];
    // 60 bases of each of the last two overlap; on Y the man has 15x.
    const lines = [
      ['1', 1_000_000, 1_000_100, 'G'],
      ['Y', 7_000_000, 7_000_100, 'G'],
      ['1', 2_000_000, 2_000_100, 'H'],
      ['1', 2_000_040, 2_000_140, 'H'],
      ['Y', 7_000_000, 7_000_100, 'H'],
      ['Y', 7_000_040, 7_000_140, 'H'],
    ];
    const fields = { intervals_bed: lines.map((line) => line.join('\t')).join('\n') };
    const { incomplete_genes: genes, samples: totals } = await reportOf(samples, fields);
    expect(genes.map(({ gene, length, samples: own }) => [gene, length, own])).to.deep.equal([
      [
        'G',
        200,
        {
          S1: { not_expected_bases: 100, bases_at_level: 100, percent: 100 },
          S2: { bases_at_level: 100, percent: 50 },
        },
      ],
      [
        'H',
        280,
        {
          S1: { not_expected_bases: 140, bases_at_level: 140, percent: 100 },
          S2: { bases_at_level: 140, percent: 50 },
        },
      ],
    ]);
    expect(totals.map(({ length }) => length)).to.deep.equal([240, 380]);
    const page = await textOf(samples, fields);
    const table = page.split('id="table-incomplete_genes"')[1]?.split('</table>')[0] ?? '';
    expect(table.match(/100\.00 %<\/bdi> <span class="badge">without Y<\/span>/g)).to.have.lengthOf(2);
    const bed = await textOf(samples, { ...fields, format: 'bed' });
    const ofLines = bed.split('\n').filter((line) => line.startsWith('Y\t') || line.startsWith('chrY\t'));
    expect(ofLines.length).to.be.greaterThan(0);
    expect(ofLines.every((line) => line.includes('|S2'))).to.equal(true);
  });

  it('follows the declared sex where depths do not tell, and neither if they contradict each other', async () => {
    await serve();
    /** With fewer autosomes than a karyotype needs. */
    const few = (name: string, x: number, y: number) => {
      const chromosomes = (['1', 'X', 'Y'] as const).map((one) => ({ name: one, size: lengthOf('GRCh38', one) }));
      const runs = chromosomes.flatMap(({ name: chromosome, size: end }) => {
        const depth = { 1: 30, X: x, Y: y }[chromosome];
        return depth === 0 ? [] : [{ chromosome, begin: 0, end, depth }];
      });
      return { coverage_file_path: writeD4(join(folder.path(), `${name}.d4`), { chromosomes, runs }) };
    };
    const samples = [
      { ...few('a', 30, 0), sex: 'female' },
      { ...few('b', 15, 15), sex: 'male' },
      { ...few('c', 30, 0), sex: 'unknown' },
      { ...few('d', 15, 15), sex: 'female' },
      { ...sampleOf('xx', 30, 0), sex: 'male' },
    ];
    const { samples: found, warnings } = await reportOf(samples);
    expect(found.map(({ expected_copies: own }) => own)).to.deep.equal([
      { by: 'declared', x: 2, y: 0 },
      { by: 'declared', x: 1, y: 1 },
      { by: 'nothing', x: null, y: null },
      { by: 'contradiction', x: null, y: null },
      { by: 'contradiction', x: null, y: null },
    ]);
    expect(found.map(({ length }) => length)).to.deep.equal([400, 500, 500, 500, 500]);
    // Where nothing is left out, Y counts as before: of S3, whose depths have no Y. Reads on Y make S5 a male by the ratio of X to Y.
    expect(warnings.filter(({ code }) => code === 'female-y').flatMap((one) => one.samples)).to.deep.equal(['S3']);
    const page = await textOf(samples);
    expect(page).to.include('Without Y: S1 (declared female). Not expected');
    expect(page).to.include('S2 (X and Y; declared male)');
    expect(page).to.include(
      'S4: declared female, but male by depth. The copies of X and Y are unknown, and nothing is left out.',
    );
    expect(page).to.include('S5: declared male, but XX by depth.');
  });

  it('tells no aneuploidy to readers without the right, and prints none', async () => {
    await serve();
    const samples = karyotypes.map(([name, x, y]) => sampleOf(name, x, y));
    const found = (await reportOf(samples)).samples;
    const byName = new Map(karyotypes.map(([name], i) => [name, found[i]]));
    // One X, three and a mosaic look alike, and so do two Y and two X beside one.
    for (const name of ['X0', 'XXX', 'mosaic'] as const) {
      expect(byName.get(name)?.expected_copies, name).to.deep.equal({ by: 'missing-y', x: null, y: 0 });
      expect(byName.get(name)?.length, name).to.equal(400);
    }
    for (const name of ['XXY', 'XYY'] as const) {
      expect(byName.get(name)?.expected_copies, name).to.deep.equal({ by: 'nothing', x: null, y: null });
    }
    const declared = await reportOf([{ ...sampleOf('XXY', 30, 15), sex: 'male' }]);
    expect(declared.samples[0]?.expected_copies).to.deep.equal({ by: 'declared', x: 1, y: 1 });
    const swapped = await textOf([{ ...sampleOf('XXY', 30, 15), sex: 'female' }]);
    expect(swapped).to.include('S1: declared female, but male by depth.').and.not.include('XXY by depth');
    await server.close();

    await serve({ aneuploidy: 'everyone' });
    const xxy = [{ ...sampleOf('XXY', 30, 15), sex: 'male' }];
    const page = await textOf(xxy);
    const note = (media: string, text: string) =>
      `<p class="note ${media}">One copy outside the pseudoautosomal regions, with about half the depth of two: S1 (${text}).</p>`;
    expect(page).to.include(note('screen', 'Y; XXY by depth')).and.include(note('paper', 'X and Y; declared male'));
    const genes = [
      ...page.matchAll(/<section class="block (screen|paper)"><h2 id="table-incomplete_genes[^§]*?<\/section>/g),
    ];
    expect(genes.map(([, media]) => media)).to.deep.equal(['screen', 'paper']);
    // Twice the file has X at 30x: complete, and not listed.
    const printed = await textOf(xxy, { print_aneuploidy: 'true' });
    expect(printed).to.include('(Y; XXY by depth)').and.not.include('X and Y; declared male');
  });

  describe('with half of the threshold for one copy', () => {
    let samples: Record<string, string>[];
    beforeEach(() => {
      samples = [
        { ...sampleOf('man', 15, 15), sex: 'male' },
        { ...sampleOf('woman', 30, 0), sex: 'female' },
        { ...sampleOf('low', 10, 10), sex: 'male' },
      ];
    });
    /** The texts of all of these requests, from one server. */
    const get = async (setting: string, ...all: Fields[]) => {
      await serve({ singleCopyThreshold: setting });
      const texts: string[] = [];
      for (const more of all) texts.push(await textOf(samples, more));
      await server.close();
      return texts.map((text) =>
        text
          .replace(/"made":"[^"]*"/, '')
          .replaceAll(/"(fullUrl|reference)":"urn:uuid:[^"]*"/g, '')
          .replaceAll(/"(timestamp|date|creation|performedDateTime)":"[^"]*"/g, '')
          .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, ''),
      );
    };
    afterEach(() => serve());

    it('marks values by it, and changes nothing else', async () => {
      const formats = ['json', 'fhir', 'bed', 'multiqc'];
      const tables = ['metrics', 'fully_covered', 'incomplete_genes', 'intervals', 'gaps', 'uniformity'];
      const asked = [
        // 15 is half of 29 rounded up, and reported only if it is asked for.
        ...formats.flatMap((format) => ['20', '29'].map((default_level) => ({ format, default_level }))),
        ...tables.map((table) => ({ format: 'csv', table })),
      ];
      const [half, same] = [await get('half', ...asked), await get('same', ...asked)];
      for (const [i, one] of asked.entries()) expect(half[i], JSON.stringify(one)).to.equal(same[i]);
    });

    it('marks bases along a gene by it', async () => {
      const fields = { ...demoForm, hgnc_gene_id: 'SRY' };
      const shown = async (setting: string) => {
        await serve({ singleCopyThreshold: setting }, true);
        const page = await post(`${server.url}/gene_overview`, fields);
        const { plot } = await data<Json>(`${server.url}/gene_overview`, fields);
        await server.close();
        return { descriptions: [...page.text.matchAll(/<desc[^>]*>([^<]*)</g)].map(([, one]) => one), plot };
      };
      const [same, half] = [await shown('same'), await shown('half')];
      // SRY of the demo: child and father have 10x and more, and less than 20x, at each of its bases.
      const told = (below: string) => [
        `demo_child: 1 exon, mean depth 11.19×; ${below}.`,
        'demo_mother (not expected)',
        `demo_father: 1 exon, mean depth 15.55×; ${below}.`,
      ];
      expect(same.descriptions).to.deep.equal(told('1 region below 20×'));
      expect(half.descriptions).to.deep.equal(told('no base below 10×'));
      expect(half.plot).to.deep.equal(same.plot);
    });

    it('rounds up, and shows both thresholds', async () => {
      const tones = (page: string, name: string) => {
        const row = [...page.matchAll(/<tr>.*?<\/tr>/gs)]
          .map(([one]) => one)
          .find((one) => one.includes(`<bdi>${name}</bdi>`));
        return [...(row ?? '').matchAll(/<td class="n (good|bad)">/g)].map(([, tone]) => tone);
      };
      const table = (page: string) => page.split('id="table-incomplete_genes"')[1]?.split('</table>')[0] ?? '';
      // Lowest, S1 (15x), S2 (30x), S3 (10x, which fits no karyotype).
      const [same = ''] = await get('same', {});
      expect(tones(table(same), 'x')).to.deep.equal(['bad', 'bad', 'good', 'bad']);
      const [half = '', odd = '', more = ''] = await get('half', {}, { default_level: '29' }, { default_level: '31' });
      expect(tones(table(half), 'x').slice(1)).to.deep.equal(['good', 'good', 'good']);
      expect(half).to.include('<span class="badge">1 copy: 10×</span>');
      // Of the 100 bases none reaches 20×, and all reach 10×.
      expect(tableOf(half, 'incomplete_genes').find(([gene]) => gene === 'x')?.[2]).to.match(
        /^0\.00 % +≥ 10×: 100\.00 %$/,
      );
      expect(half).to.include(
        'Values there are marked by 10× in place of 20×; lists, counts and percentages keep 20×.',
      );
      // Half of 29 is 14.5: 15x is enough, 10x is not. Half of 31 is 15.5, which 15x does not reach.
      expect(tones(table(odd), 'x').slice(1)).to.deep.equal(['good', 'good', 'bad']);
      expect(odd).to.include('1 copy: 15×');
      expect(tableOf(odd, 'incomplete_genes').find(([gene]) => gene === 'x')?.[2]).to.match(
        /^0\.00 % +≥ 15×: 100\.00 %$/,
      );
      expect(tones(table(more), 'x').slice(1)).to.deep.equal(['bad', 'bad', 'bad']);
      expect(more).to.include('1 copy: 16×');
    });
  });
});
