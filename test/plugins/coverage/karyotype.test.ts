/** Karyotypes from depths: the rule against published genomes and a model, and reports on made-up genomes. */
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { contigs, lengthOf } from '../../../core/genome.js';
import type { Batch, Exon, Gene, Transcript } from '../../../plugins/coverage/contract.js';
import { karyotypeOfCopies, sexOfKaryotype } from '../../../plugins/coverage/measure/karyotype.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { fewer } from '../../support/sample.js';
import { bothBuilds, type Run, writeD4 } from './support/d4.js';
import { genome } from './support/genomes.js';
import { type Coverage, serveCoverage } from './support/serve.js';

/**
 * Sample, sex (1 male, 2 female, 3 neither), copies of X and of Y of 49 genomes, as indexcov found them: facts of
 * data/indexcov.ped of https://github.com/brwnj/covviz. One has two copies of Y, one is in between.
 */
const genomes = `
  S-765 2 1.95 0.16
  S-974 2 1.96 0.05
  S-151 2 1.97 0.09
  S-1174 2 1.97 0.07
  S-1185 2 1.96 0.04
  S-1117 1 1.01 1.06
  S-413 1 1.01 1.05
  S-839 2 1.97 0.10
  S-101 2 1.96 0.05
  S-498 1 1.02 1.06
  S-22 2 1.97 0.07
  S-150 1 1.01 1.09
  S-220 1 1.01 1.06
  S-1184 1 1.01 1.06
  S-324 2 1.97 0.05
  S-218 2 1.99 0.04
  S-1123 1 1.00 1.03
  S-383 2 1.97 0.06
  S-276 2 1.97 0.05
  S-871 1 1.00 1.06
  S-11 2 1.96 0.06
  S-251 2 1.96 0.11
  S-1042 1 1.00 1.06
  S-72 1 1.02 1.06
  S-819 1 1.01 1.05
  S-863 2 1.94 0.06
  S-635 2 1.97 0.04
  S-746 1 1.05 1.07
  S-642 2 1.95 0.09
  S-775 1 1.01 1.04
  S-225 2 1.98 0.05
  S-386 2 1.97 0.06
  S-185 1 1.05 1.05
  S-1041 2 1.96 0.05
  S-152 1 1.01 1.05
  S-1207 1 1.01 1.04
  S-128 1 1.01 1.07
  S-1119 1 1.01 1.07
  S-594 1 1.02 1.09
  S-307 2 1.96 0.09
  S-39 2 1.97 0.11
  S-986 1 1.00 1.06
  S-26 2 1.96 0.05
  S-1078 1 1.01 1.08
  S-774 2 1.97 0.07
  S-446 2 1.97 0.10
  S-861 1 1.00 2.03
  S-428 2 1.95 0.04
  S-184 3 1.62 0.50
`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' '))
  .map(([name = '', sex = '', x, y]) => ({ name, sex, x: Number(x), y: Number(y) }));

const enough = { autosomes: 1000, x: 1000, y: 500 };

function found(
  xCopies: number,
  yCopies: number,
  change: { depth?: number; unit?: 'bins' | 'exons'; places?: Partial<typeof enough> } = {},
) {
  const { depth = 30, unit = 'bins', places = {} } = change;
  const count = { ...enough, ...places };
  return karyotypeOfCopies({
    unit,
    autosomes: { median: depth, count: count.autosomes },
    x: { median: (xCopies * depth) / 2, count: count.x },
    y: { median: (yCopies * depth) / 2, count: count.y },
  });
}

describe('karyotype', () => {
  it('has the sex of 49 published genomes', () => {
    expect(genomes).to.have.length(49);
    const expected = { '1': 'male', '2': 'female', '3': 'unknown' } as Record<string, string>;
    for (const { name, sex, x, y } of genomes) expect(sexOfKaryotype(found(x, y)), name).to.equal(expected[sex]);
    const kinds = genomes.map(({ x, y }) => found(x, y).karyotype ?? 'unclear');
    expect(
      Object.fromEntries(
        ['XX', 'XY', 'XYY', 'unclear'].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
      ),
    ).to.deep.equal({ XX: 26, XY: 21, XYY: 1, unclear: 1 });
  });

  it('is stated only if both numbers fit', () => {
    /** The table, cell by cell. */
    const model = (x: number, y: number) => {
      if (x >= 1.75 && x <= 2.25 && y <= 0.25) return 'XX';
      if (x >= 0.75 && x <= 1.25 && y >= 0.75 && y <= 1.25) return 'XY';
      if (x >= 0.75 && x <= 1.25 && y <= 0.25) return 'X0';
      if (x >= 1.75 && x <= 2.25 && y >= 0.75 && y <= 1.25) return 'XXY';
      if (x >= 0.75 && x <= 1.25 && y >= 1.75 && y <= 2.25) return 'XYY';
      return x >= 2.75 && x <= 3.25 && y <= 0.25 ? 'XXX' : undefined;
    };
    const copies = fc.integer({ min: 0, max: 70 }).map((n) => n / 16 + 1 / 1024);
    fc.assert(
      fc.property(copies, copies, (x, y) => found(x, y).karyotype === model(x, y)),
      { numRuns: fewer(2000, 3) },
    );
    // On the edge.
    expect(found(1.25, 0.75).karyotype).to.equal('XY');
  });

  it('is unclear with little evidence, and says why', () => {
    expect(found(2, 0, { places: { autosomes: 499 } })).to.include({ reason: 'few-places' });
    expect(found(2, 0, { places: { x: 499 } })).to.include({ reason: 'few-places' });
    expect(found(2, 0, { places: { y: 49 } })).to.include({ reason: 'few-places' });
    expect(found(2, 0, { depth: 4.9 })).to.include({ reason: 'shallow' });
    expect(found(1.5, 0)).to.include({ reason: 'between', xCopies: 1.5 });
    // A male whose Y was not captured looks the same.
    expect(found(1, 0, { unit: 'exons' }))
      .to.include({ reason: 'y-unknown' })
      .and.not.to.have.property('karyotype');
    expect(found(1, 0).karyotype).to.equal('X0');
    expect(found(0, 0, { depth: 0 }))
      .to.include({ reason: 'few-places' })
      .and.not.to.have.property('xCopies');
  });
});

describe('karyotype in reports', () => {
  const folder = useFolder();
  let server: Coverage;
  const serve = async (settings: Record<string, unknown> = {}, demo = false) => {
    server = await serveCoverage({ demo, settings: { roots: [folder.path()], ...settings } });
  };
  afterEach(() => server.close());

  async function report(
    samples: readonly Record<string, string>[],
    more: Record<string, string> = {},
    page = 'report',
  ) {
    const fields = {
      build: 'GRCh38',
      interval_type: 'custom_intervals',
      intervals_bed: '1\t1000000\t1000020\tplace\n',
      samples: JSON.stringify(samples.map((sample, i) => ({ name: `S${i + 1}`, ...sample }))),
      format: 'json',
    };
    return (await request(`${server.url}/${page}`, { form: { ...fields, ...more } })).text;
  }
  const karyotypesIn = (text: string) =>
    (JSON.parse(text) as { samples: { karyotype: Record<string, unknown> }[] }).samples.map(
      ({ karyotype }) => karyotype,
    );

  for (const build of bothBuilds) {
    it(`counts X and Y in ${build} where reads of other places do not map`, async () => {
      await serve({ aneuploidy: 'everyone' });
      const cases = [
        [30, 0, 'XX'],
        [15, 15, 'XY'],
        [15, 0, 'X0'],
        [30, 15, 'XXY'],
        [15, 30, 'XYY'],
        [45, 0, 'XXX'],
        [22, 0, null],
      ] as const;
      const samples = cases.map(([x, y], i) => ({
        coverage_file_path: genome(join(folder.path(), `${i}.d4`), build, x, y),
      }));
      const all = karyotypesIn(await report(samples, { build }));
      expect(all.map(({ karyotype }) => karyotype)).to.deep.equal(cases.map(([, , name]) => name));
      expect(all.map(({ x_copies, y_copies }) => [x_copies, y_copies])).to.deep.equal(
        cases.map(([x, y]) => [x / 15, y / 15]),
      );
      expect(all[6]).to.include({ reason: 'between', counted_by: '10 kb bins', autosomal_median: 30 });
      // 22 autosomes with 24 blocks of two bins each.
      expect(all[0]?.places).to.deep.include({ autosomes: 1056 });
    });
  }

  it('withholds aneuploidies without the right, and never a mismatch', async () => {
    await serve({}, true);
    const xxy = genome(join(folder.path(), 'xxy.d4'), 'GRCh38', 30, 15);
    const between = genome(join(folder.path(), 'between.d4'), 'GRCh38', 22, 15);
    const xy = genome(join(folder.path(), 'xy.d4'), 'GRCh38', 15, 15);
    const samples = [
      { coverage_file_path: xxy, sex: 'female' },
      { coverage_file_path: between, sex: 'female' },
      { coverage_file_path: xy, sex: 'male' },
    ];
    const [first, second, third] = karyotypesIn(await report(samples));
    expect(first).to.include({
      karyotype: null,
      reason: 'withheld',
      x_copies: null,
      y_copies: null,
      declared_sex_mismatch: true,
    });
    expect(second).to.include({ karyotype: null, reason: 'withheld', x_copies: null, y_copies: null });
    expect(third).to.include({ karyotype: 'XY', reason: null, x_copies: 1, y_copies: 1, declared_sex_mismatch: false });
    const page = await report(samples, { format: 'html', print_aneuploidy: 'true' });
    expect(page).to.include('not stated, does not match the declared sex').and.not.include('XXY,');
    // Depths of X and Y would tell it as well.
    const numbers = ['x_coverage', 'y_coverage', 'x_ratio', 'y_ratio'];
    const all = JSON.parse(await report(samples)).samples as Record<string, unknown>[];
    const figuresOf = (list: typeof all) => list.map((sample) => numbers.map((name) => sample[name]));
    expect(figuresOf(all).map((own) => own.map((figure) => figure === null))).to.deep.equal([
      [true, true, true, true],
      [true, true, true, true],
      [false, false, false, false],
    ]);
    // So they would in the JSON of the pages that do not show the sex.
    for (const [page, fields] of [
      ['overview', {}],
      ['mane_overview', { hgnc_gene_ids: 'MTHFR' }],
      ['gene_overview', { hgnc_gene_id: 'MTHFR', interval_type: 'exons' }],
    ] as const) {
      const { samples: found } = JSON.parse(await report(samples, fields, page));
      expect(figuresOf(found), page).to.deep.equal(figuresOf(all));
      expect(karyotypesIn(await report(samples, fields, page)), page).to.deep.equal([first, second, third]);
    }
    const csv = await report(samples, { format: 'csv', table: 'sex' });
    const [ofXxy, ofBetween, ofXy] = csv.split('\r\n').slice(1);
    expect([ofXxy, ofBetween]).to.deep.equal(['S1,male,female,,,30,,', 'S2,male,female,,,30,,']);
    // 15 on X and Y, and 100 where reads of other places map.
    expect(ofXy).to.match(/^S3,male,male,17\.33,22\.22,30,0\.57\d\d,0\.74\d\d$/);
  });

  it('does not print them unless asked to', async () => {
    await serve({ aneuploidy: 'everyone' });
    const samples = [{ coverage_file_path: genome(join(folder.path(), 'xyy.d4'), 'GRCh38', 15, 30), sex: 'male' }];
    const tables = (page: string, name = 'karyotype') =>
      [...page.matchAll(new RegExp(`<section class="block([^"]*)"><h2 id="table-${name}`, 'g'))].map(
        ([, media]) => media,
      );
    const page = await report(samples, { format: 'html' });
    expect(tables(page)).to.deep.equal([' screen', ' paper']);
    expect(page).to.match(
      /class="block screen"><h2 id="table-karyotype"[^§]*>XYY<[^§]*class="block paper"[^§]*>not stated</,
    );
    expect(tables(page, 'sex')).to.deep.equal([' screen', ' paper']);
    // Twice the depth of Y on a screen; on paper the last table has only that of the autosomes.
    expect(page).to.match(/id="table-sex"[^§]*>35\.94×<[^§]*id="table-sex-printed"/);
    expect(page.split('id="table-sex-printed"')[1]?.split('</table>')[0]).to.not.match(/>(?!30×)[\d.]+×?</);
    const asked = await report(samples, { format: 'html', print_aneuploidy: 'true' });
    expect([tables(asked), tables(asked, 'sex')]).to.deep.equal([[''], ['']]);
    const figures = async (more: Record<string, string>) =>
      JSON.parse(await report(samples, { format: 'multiqc', ...more })).data.S1;
    expect(await figures({}))
      .to.include({ karyotype: 'not stated' })
      .and.not.have.property('y_copies');
    expect(await figures({ print_aneuploidy: 'true' })).to.include({ karyotype: 'XYY', x_copies: 1, y_copies: 2 });
    // X: every tenth of 1 bin before the first pseudoautosomal region, of 8,558 up to the X-transposed one, and of 6,237 after it.
    const csv = await report(samples, { format: 'csv', table: 'karyotype' });
    expect(csv).to.equal(
      'sample,karyotype,declared_sex,x_copies,y_copies,autosomal_median,places\r\n' +
        'S1,XYY,male,1,2,30,"bins of 10 kb: 1,056 autosomal, 1,481 X, 852 Y"\r\n',
    );
  });

  it('is unclear for files with few chromosomes or little depth', async () => {
    await serve();
    const few = genome(join(folder.path(), 'few.d4'), 'GRCh38', 30, 0, { names: ['1', '2'] });
    const shallow = genome(join(folder.path(), 'shallow.d4'), 'GRCh38', 4, 0, { depth: 4 });
    const [first, second] = karyotypesIn(await report([{ coverage_file_path: few }, { coverage_file_path: shallow }]));
    expect(first).to.include({ karyotype: null, reason: 'few-places' });
    expect(second).to.include({ karyotype: null, reason: 'shallow', x_copies: 2 });
  });

  describe('of captures', () => {
    /** Genes with three exons, coding in their first 200 of 300 bases: 200 on chromosome 1 and on X, 20 on Y. */
    const captured = (
      [
        ['1', 200, 2_000_000],
        ['X', 200, 10_000_000],
        ['Y', 20, 14_100_000],
      ] as const
    ).flatMap(([chromosome, count, from]) =>
      Array.from({ length: count }, (_, i) => ({
        chromosome,
        start: from + i * 10_000,
        end: from + i * 10_000 + 5000,
      })),
    );
    const exonStarts = [0, 2000, 4000];

    async function load() {
      const [genes, transcripts, exons]: [Gene[], Transcript[], Exon[]] = [[], [], []];
      for (const [i, place] of captured.entries()) {
        const number = String(i + 1).padStart(11, '0');
        const [gene, transcript] = [`ENSG${number}`, `ENST${number}`];
        genes.push({ ensembl: gene, hgnc: i + 1, symbol: `G${i + 1}`, ...place });
        const none = {
          refseqMrna: ['NM_1'],
          refseqMrnaPredicted: [],
          refseqNcrna: [],
          maneSelect: [],
          manePlusClinical: [],
        };
        transcripts.push({
          ensembl: transcript,
          gene,
          ...place,
          references: none,
          isManeSelect: true,
          isManePlusClinical: false,
        });
        for (const [rank, at] of exonStarts.entries()) {
          const start = place.start + at;
          const exon = {
            ensembl: `ENSE${String(3 * i + rank + 1).padStart(11, '0')}`,
            gene,
            transcript,
            rank: rank + 1,
          };
          exons.push({
            ...exon,
            chromosome: place.chromosome,
            start,
            end: start + 300,
            cds: { start, end: start + 200 },
          });
        }
      }
      async function* once(): AsyncGenerator<Batch> {
        yield { genes, transcripts, exons };
      }
      await server.intervals.load(
        {
          sets: (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const })),
          rows: once(),
          accept: () => ({ source: 'made', checksum: `sha256:${'0'.repeat(64)}`, read: captured.length, skipped: {} }),
        },
        new Date(),
      );
    }

    /** Depth on the coding bases alone; of every tenth gene of 1 and X none, since no kit has all. */
    function exome(name: string, x: number, y: number): Record<string, string> {
      const depths = { '1': 60, X: x, Y: y };
      const runs = captured.flatMap(({ chromosome, start }, i): Run[] => {
        const depth = chromosome !== 'Y' && i % 10 === 0 ? 0 : depths[chromosome];
        if (depth === 0) return [];
        return exonStarts.map((at) => ({ chromosome, begin: start + at, end: start + at + 200, depth }));
      });
      const chromosomes = [...contigs].map((contig) => ({ name: contig, size: lengthOf('GRCh38', contig) }));
      return { coverage_file_path: writeD4(join(folder.path(), name), { chromosomes, runs }) };
    }

    it('counts coding exons, and does not take a missing Y for X0', async () => {
      await serve({ aneuploidy: 'everyone' });
      const samples = [exome('xx', 60, 0), exome('xy', 30, 30), exome('xxy', 60, 30), exome('no-y', 30, 0)];
      // Without exons there are only bins, most of which have nothing.
      expect(karyotypesIn(await report(samples))[0]).to.include({ reason: 'few-places' });
      await load();
      const all = karyotypesIn(await report(samples));
      expect(all.map(({ karyotype, reason }) => karyotype ?? reason)).to.deep.equal(['XX', 'XY', 'XXY', 'y-unknown']);
      // 540 exons of 180 genes each, and the 60 of Y.
      expect(all[0]).to.deep.include({
        counted_by: 'coding exons',
        autosomal_median: 60,
        places: { autosomes: 540, x: 540, y: 60 },
      });
    });
  });

  it('is shown to callers with the right for the tenant of the samples', async () => {
    const path = folder.path();
    server = await serveCoverage({
      settings: { roots: [path] },
      auth: {
        tenants: { heart: { members: [{ claim: 'groups', value: 'heart', rights: ['report'] }], roots: [path] } },
      },
    });
    const samples = [{ coverage_file_path: genome(join(path, 'xyy.d4'), 'GRCh38', 15, 30) }];
    const ask = async (...scopes: string[]) => {
      const form = {
        build: 'GRCh38',
        interval_type: 'custom_intervals',
        intervals_bed: '1\t1000000\t1000020\tplace\n',
        samples: JSON.stringify(samples.map((sample) => ({ name: 'S1', ...sample }))),
        format: 'json',
      };
      const token = await server.token(...scopes);
      return karyotypesIn((await request(`${server.url}/report`, { form, token })).text)[0];
    };
    expect(await ask('coverage:report:heart')).to.include({ reason: 'withheld' });
    expect(await ask('coverage:report')).to.include({ reason: 'withheld' });
    expect(await ask('coverage:report:heart', 'coverage:aneuploidy:heart')).to.include({ karyotype: 'XYY' });
    expect(await ask('coverage:report', 'coverage:aneuploidy')).to.include({ karyotype: 'XYY' });
    // The right for one tenant does not hold for all files.
    expect(await ask('coverage:report', 'coverage:aneuploidy:heart')).to.include({ reason: 'withheld' });
  });
});
