import { expect } from 'chai';
import { percentOfShare } from '../../../../plugins/coverage/measure/measure.js';
import { type Format, mediaTypes } from '../../../../plugins/coverage/report/formats/format.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';
import { demoD4 } from '../support/shared.js';
import { data, demoForm, type Fields, post, rowsOf, trio } from './support/post.js';
import { shownDepth, tableOf } from './support/tables.js';

interface Depths {
  length: number;
  mean_coverage: number;
  bases_at: Record<string, number>;
  completeness_percent: Record<string, number>;
}
interface PageData {
  thresholds: number[];
  samples: (Depths & {
    name: string;
    file: string;
    fingerprint: string;
    incompletely_covered: number;
    fully_covered_percent: number;
    predicted_sex?: string;
    sex_mismatch?: boolean;
    cumulative_coverage?: { depths: number[]; shares: number[] };
  })[];
  intervals: {
    gene: string;
    interval: string;
    transcript: string | null;
    exon: number | null;
    mane_plus_clinical: boolean;
    start: number;
    end: number;
    samples: Record<string, Depths>;
  }[];
  incomplete_intervals?: {
    gene: string;
    interval: string;
    length: number;
    samples: Record<string, { bases_at_level: number; percent: number }>;
  }[];
  gaps?: { gene: string; interval: string; sample: string; chromosome: string; start: number; end: number }[];
  genes_not_found: { gene: string; reason: string }[];
  warnings: { code: string; message: string; samples: string[] }[];
}
type Summary = Record<
  string,
  { mean_coverage: number; coverage_completeness_percent: number; length: number; bases_at: Record<string, number> }
>;

const pages = ['report', 'overview', 'mane_overview', 'gene_overview'] as const;
const formFor = (page: (typeof pages)[number]): Fields =>
  page === 'gene_overview' ? { ...demoForm, hgnc_gene_id: 'MTHFR' } : demoForm;

describe('coverage pages: over HTTP', () => {
  const server = useOnce(() => serveCoverage({ demo: true }));

  async function summary(fields: Record<string, unknown>): Promise<Summary> {
    const samples = trio.map(({ name, coverage_file_path }) => ({ name, coverage_file_path }));
    const url = `${server.url}/coverage/d4/genes/summary`;
    const { status, body } = await request<Summary>(url, { json: { build: 'GRCh38', samples, ...fields } });
    expect(status).to.equal(200);
    return body;
  }

  for (const type of ['genes', 'transcripts', 'exons']) {
    it(`reports the numbers of genes/summary: ${type}`, async () => {
      const genes = ['MTHFR', 'DHFR', 'FOLR1', 'SLC46A1'];
      const fields = { ...demoForm, interval_type: type, completeness_thresholds: '10,20,30' };
      const report = await data<PageData>(`${server.url}/report`, fields);
      const csv = await post(`${server.url}/report`, { ...fields, format: 'csv' });
      for (const threshold of [10, 20, 30]) {
        const expected = await summary({ hgnc_gene_ids: genes, interval_type: type, coverage_threshold: threshold });
        for (const [i, sample] of report.samples.entries()) {
          const own = expected[sample.name];
          expect(Math.round(sample.mean_coverage * 100) / 100).to.equal(own?.mean_coverage);
          expect(sample.length).to.equal(own?.length);
          expect(sample.bases_at[threshold]).to.equal(own?.bases_at[threshold]);
          expect(sample.completeness_percent[threshold]).to.equal(own?.coverage_completeness_percent);
          const row = rowsOf(csv.text)[i];
          expect(row?.sample).to.equal(sample.name);
          expect(Number(row?.mean_coverage)).to.equal(own?.mean_coverage);
          expect(Number(row?.[`completeness_${threshold}_percent`])).to.equal(own?.coverage_completeness_percent);
        }
      }
      // The page shows the numbers of the CSV file, formatted.
      const { text } = await post(`${server.url}/report`, fields);
      for (const row of rowsOf(csv.text)) {
        expect(text).to.include(shownDepth(Number(row.mean_coverage)));
        expect(text).to.include(`${Number(row.completeness_20_percent).toFixed(2)} %`);
      }
    });
  }

  it('exports the same gaps as BED, CSV and JSON, equal to the uncovered bases', async () => {
    const report = await data<PageData>(`${server.url}/report`, demoForm);
    const bed = await post(`${server.url}/report`, { ...demoForm, format: 'bed' });
    const csv = await post(`${server.url}/report?table=gaps`, { ...demoForm, format: 'csv' });
    const keyed = (gaps: { gene: string; interval: string; sample: string; start: number; end: number }[]) =>
      gaps.map(({ gene, interval, sample, start, end }) => `${gene} ${interval} ${sample} ${start} ${end}`).sort();
    const expected = keyed(report.gaps ?? []);
    expect(expected.length).to.be.greaterThan(5);
    const lines = bed.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const fromBed = lines.map((line) => {
      const [, start, end, name = '', , , gene = '', , , sample = ''] = line.split('\t');
      return { gene, interval: name.split('|')[1] ?? '', sample, start: Number(start), end: Number(end) };
    });
    expect(keyed(fromBed)).to.deep.equal(expected);
    const fromCsv = rowsOf(csv.text).map(({ gene = '', interval = '', sample = '', first, last }) => ({
      ...{ gene, interval, sample, start: Number(first) - 1, end: Number(last) },
    }));
    expect(keyed(fromCsv)).to.deep.equal(expected);
    for (const { interval, samples } of report.intervals) {
      for (const [name, { length, bases_at }] of Object.entries(samples)) {
        const own = (report.gaps ?? []).filter((gap) => gap.interval === interval && gap.sample === name);
        const missing = own.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(missing, `${interval} ${name}`).to.equal(length - (bases_at[20] ?? 0));
      }
    }
    expect(bed.headers.get('content-disposition')).to.equal(
      `attachment; filename="coverage-report_demo_child-demo_mother-demo_father_GRCh38_20x_${new Date().toISOString().slice(0, 10)}.bed"`,
    );
  });

  it('draws a curve through the percentages', async () => {
    const { samples, thresholds } = await data<PageData>(`${server.url}/report`, demoForm);
    for (const { cumulative_coverage: curve, completeness_percent } of samples) {
      for (const threshold of thresholds.filter((one) => one <= (curve?.depths.at(-1) ?? 0))) {
        const share = curve?.shares[curve.depths.indexOf(threshold)] ?? -1;
        expect(percentOfShare(share)).to.equal(completeness_percent[threshold]);
      }
      expect(curve?.shares).to.deep.equal(curve?.shares.toSorted((a, b) => b - a));
    }
  });

  it('lists every incomplete interval in the overview, with sorting, filter and verdict', async () => {
    const fields = { ...demoForm, interval_type: 'exons' };
    const { intervals } = await data<PageData>(`${server.url}/overview`, fields);
    const incomplete = intervals.filter(({ samples }) =>
      Object.values(samples).some(({ length, bases_at }) => bases_at[20] !== length),
    );
    const rows = rowsOf((await post(`${server.url}/overview`, { ...fields, format: 'csv' })).text);
    expect(rows.length).to.equal(incomplete.length);
    const worst = rowsOf(
      (await post(`${server.url}/overview`, { ...fields, format: 'csv', sort: 'completeness' })).text,
    );
    const least = worst.map((row) => Math.min(...trio.map(({ name }) => Number(row[name]))));
    expect(least).to.deep.equal(least.toSorted((a, b) => a - b));
    // JSON lists what page and CSV list, in their order; the numbers are those of all intervals.
    const views: Record<string, string>[] = [{}, { sort: 'completeness' }, { sort: 'interval', filter: 'dhfr' }];
    for (const asked of [...views, { filter: 'is not there' }]) {
      const sent = { ...fields, ...asked };
      const csv = rowsOf((await post(`${server.url}/overview`, { ...sent, format: 'csv' })).text);
      const { incomplete_intervals: listed = [] } = await data<PageData>(`${server.url}/overview`, sent);
      const shown = listed.map(({ gene, interval, length, samples }) => ({ gene, interval, length, samples }));
      expect(shown.map(({ gene, length }) => [gene, String(length)])).to.deep.equal(
        csv.map((row) => [row.gene, row.bases]),
      );
      for (const [i, { interval, samples, length }] of shown.entries()) {
        const known = incomplete.find((one) => one.interval === interval);
        for (const { name } of trio) {
          expect(samples[name]?.bases_at_level).to.equal(known?.samples[name]?.bases_at[20]);
          const percent = String(samples[name]?.percent);
          expect(percent).to.equal(csv[i]?.[name]);
          expect(known?.samples[name]?.length).to.equal(length);
        }
      }
    }
    const some = rowsOf((await post(`${server.url}/overview`, { ...fields, format: 'csv', filter: 'dhfr' })).text);
    expect(new Set(some.map(({ gene }) => gene))).to.deep.equal(new Set(['DHFR']));
    expect((await post(`${server.url}/overview`, { ...fields, filter: 'nothing is called so' })).text).to.include(
      'No interval matches the filter.',
    );
  });

  it('shows long tables in parts, shorter with more samples, and exports them completely', async () => {
    const lines = Array.from({ length: 450 }, (_, i) => `1\t${11785722 + i * 10}\t${11785725 + i * 10}\tline-${i}\n`);
    const fields = {
      ...{ build: 'GRCh38', interval_type: 'custom_intervals', default_level: '100000', sort: 'interval' },
      intervals_bed: lines.join(''),
    };
    const all = lines.map((_, i) => `line-${i}`);
    for (const [count, sizes] of [
      [3, [200, 200, 50]],
      [50, [55, 55, 55, 55, 55, 55, 55, 55, 10]],
    ] as const) {
      const samples = JSON.stringify(Array.from({ length: count }, (_, i) => ({ ...trio[i % 3], name: `s${i}` })));
      const asked = { ...fields, samples };
      const shown: string[][] = [];
      for (const i of sizes.keys()) {
        const { text } = await post(`${server.url}/overview`, { ...asked, part: String(i + 1) });
        expect(text).to.include(`Part ${i + 1} of ${sizes.length}`);
        shown.push(tableOf(text, 'incomplete').map(([gene = '']) => gene));
      }
      expect(shown.map(({ length }) => length)).to.deep.equal(sizes);
      expect(shown.flat()).to.deep.equal(all);
      const csv = rowsOf((await post(`${server.url}/overview`, { ...asked, format: 'csv' })).text);
      expect(csv.map(({ gene }) => gene)).to.deep.equal(all);
    }
  });

  it('has a row for each MANE transcript, and refuses a build without any', async () => {
    const mane = await data<PageData>(`${server.url}/mane_overview`, demoForm);
    expect(mane.intervals.map(({ gene }) => gene)).to.have.members(['MTHFR', 'DHFR', 'FOLR1', 'SLC46A1']);
    const { status, text } = await post(`${server.url}/mane_overview`, {
      ...demoForm,
      build: 'GRCh37',
      samples: samples37,
    });
    expect(status).to.equal(422);
    expect(text).to.include('is marked as MANE');
  });

  it('finds a gene of the gene page by any id, and draws the named transcript', async () => {
    for (const id of ['7436', 'HGNC:7436', 'mthfr', 'ENSG00000177000.13']) {
      const page = await post(`${server.url}/gene_overview`, { ...demoForm, hgnc_gene_id: id });
      expect(page.status, id).to.equal(200);
      expect(page.text).to.include('Coverage of MTHFR');
    }
    const drawn = { ...demoForm, hgnc_gene_id: '7436', transcript: 'ENST00000376583' };
    expect((await post(`${server.url}/gene_overview`, drawn)).text).to.include('Exons of ENST00000376583 to scale');
    const { plot } = await data<{
      plot: { transcript: string; samples: { bins: { start: number; mean: number }[][] }[] };
    }>(`${server.url}/gene_overview`, drawn);
    expect(plot.transcript).to.equal('ENST00000376583');
    expect(plot.samples.map(({ bins }) => bins.length)).to.deep.equal([23, 23, 23]);
  });

  it('explains missing genes, and refuses if none is left', async () => {
    const some = await post(`${server.url}/report`, { ...demoForm, hgnc_gene_ids: 'MTHFR,PIPPI6' });
    expect(some.status).to.equal(200);
    expect(some.text).to.match(/PIPPI6: not in the gene set that is loaded/);
    const none = await post(`${server.url}/report`, { ...demoForm, hgnc_gene_ids: 'PIPPI6,LAMA9' });
    expect(none.status).to.equal(422);
    expect(none.text).to.include('PIPPI6').and.include('LAMA9');
  });

  it('accepts a target BED, pasted or uploaded', async () => {
    const { intervals } = await data<PageData>(`${server.url}/report`, {
      ...{ build: 'GRCh38', samples: demoForm.samples ?? '', interval_type: 'custom_intervals', default_level: '20' },
      intervals_bed: 'track name=x\nchr1\t11785722\t11785822\tpanel 1\n1 11785900 11786000\n',
    });
    expect(intervals.map(({ gene, start, end }) => [gene, start, end])).to.deep.equal([
      ['panel 1', 11785722, 11785822],
      ['1:11785901-11786000', 11785900, 11786000],
    ]);
    const upload = new FormData();
    for (const [name, value] of Object.entries({
      build: 'GRCh38',
      samples: String(demoForm.samples),
      interval_type: 'custom_intervals',
      format: 'json',
    }))
      upload.set(name, value);
    upload.set('file', new Blob(['1\t11785722\t11785822\n']), 'panel.bed');
    const response = await fetch(`${server.url}/report`, { method: 'POST', body: upload });
    expect(response.status).to.equal(200);
    expect(((await response.json()) as PageData).samples[0]?.length).to.equal(100);
  });

  it('shows faults on a page that keeps the form, or as JSON on request', async () => {
    const wrong = { ...demoForm, build: 'hg38', default_level: 'many', panel_name: 'My "panel"' };
    for (const page of pages) {
      const { status, text, headers } = await post(`${server.url}/${page}`, wrong);
      expect(status).to.equal(422);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(text)
        .to.include('must be one of GRCh37, GRCh38')
        .and.include('My &quot;panel&quot;')
        .and.include('value="many"');
    }
    for (const accept of ['application/json', '*/*']) {
      const { status, text } = await post(`${server.url}/report`, { ...wrong, format: 'json' }, { accept });
      expect(status).to.equal(422);
      const { detail } = JSON.parse(text) as { detail: { loc: unknown[]; msg: string }[] };
      expect(detail.map(({ loc }) => loc.join('.'))).to.deep.equal(['body.build', 'body.default_level']);
    }
    const absent = { ...demoForm, samples: '[{"name": "s", "coverage_file_path": "/etc/passwd"}]' };
    const refused = await post(`${server.url}/report`, absent);
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('Coverage_file_path must be either an existing local file path or a URL');
    expect((await post(`${server.url}/report`, { ...demoForm, format: 'xls' })).status).to.equal(422);
    expect((await post(`${server.url}/report`, { ...demoForm, format: 'csv', table: 'other' })).status).to.equal(422);
    expect((await post(`${server.url}/report`, demoForm, { accept: 'image/png' })).status).to.equal(406);
    expect((await fetch(`${server.url}/report`, { method: 'POST' })).status).to.equal(422);
  });

  it('warns of a sex that the data contradict', async () => {
    const samples = JSON.stringify(trio.map((one) => ({ ...one, sex: 'female' })));
    const report = await data<PageData>(`${server.url}/report`, { ...demoForm, samples });
    expect(report.samples.map(({ sex_mismatch }) => sex_mismatch)).to.deep.equal([true, false, true]);
    expect((await post(`${server.url}/report`, { ...demoForm, samples })).text).to.include(
      'demo_child, demo_father: declared female, predicted male.',
    );
  });

  it('supports Swedish', async () => {
    const { text } = await post(`${server.url}/report`, demoForm, { 'accept-language': 'sv-SE,sv;q=0.9,en;q=0.5' });
    expect(text).to.include('<html lang="sv">').and.include('Täckningsrapport').and.include('Spara som');
    expect(
      (await post(`${server.url}/report`, { ...demoForm, lang: 'en' }, { 'accept-language': 'sv' })).text,
    ).to.include('<html lang="en">');
  });

  it('reports faults of genes and files in Swedish, too', async () => {
    const swedish = { 'accept-language': 'sv' };
    const none = await post(`${server.url}/report`, { ...demoForm, hgnc_gene_ids: 'PIPPI6' }, swedish);
    expect(none.status).to.equal(422);
    expect(none.text).to.include('Det finns inget att mäta. PIPPI6: finns inte bland de gener som är inlästa.');
    // The last line of the file is beyond the end of chromosome 1 (248,956,422 bases).
    const bed = {
      ...{ build: 'GRCh38', samples: demoForm.samples ?? '', interval_type: 'custom_intervals' },
      intervals_bed: '1\t11785722\t11785822\n1\t248956400\t248956500\n',
    };
    const english = await post(`${server.url}/report`, bed);
    const message = /[^<>]*beyond[^<>]*/i.exec(english.text)?.[0] ?? '';
    expect(message).not.to.equal('');
    const { text } = await post(`${server.url}/report`, bed, swedish);
    expect(text).to.include(
      'Ett intervall går utanför kromosomens slut: baserna där har inga läsdjup i filen och räknas som 0.',
    );
  });

  it('says on every page what a sample without Y cannot have', async () => {
    const fields = { ...demoForm, hgnc_gene_ids: 'MTHFR,SRY' };
    const note =
      'Without Y: demo_mother (XX by depth). Not expected, and left out of totals, fully covered intervals and uniformity: SRY (';
    for (const page of ['report', 'overview', 'mane_overview']) {
      const { text } = await post(`${server.url}/${page}`, fields);
      expect(text, page).to.include(note).and.not.include('count as incomplete');
    }
    expect((await post(`${server.url}/gene_overview`, { ...fields, hgnc_gene_id: 'SRY' })).text).to.include(note);
    // No note without Y, and none in males.
    expect((await post(`${server.url}/report`, demoForm)).text).not.to.include('Without Y');
    const males = JSON.stringify(trio.filter(({ sex }) => sex === 'male'));
    expect((await post(`${server.url}/report`, { ...fields, samples: males })).text).not.to.include('Without Y');
    // Every page counts X and Y independently.
    const undeclared = JSON.stringify(trio.map(({ sex: _, ...one }) => one));
    for (const page of ['report', 'overview']) {
      expect((await post(`${server.url}/${page}`, { ...fields, samples: undeclared })).text).to.include(note);
    }
  });

  it('filters and sorts MANE transcripts', async () => {
    const fields = { ...demoForm, format: 'csv' };
    const some = rowsOf((await post(`${server.url}/mane_overview`, { ...fields, filter: 'folr' })).text);
    expect(new Set(some.map(({ gene }) => gene))).to.deep.equal(new Set(['FOLR1']));
    const worst = rowsOf((await post(`${server.url}/mane_overview`, { ...fields, sort: 'completeness' })).text);
    const least = new Map<string, number>();
    for (const { transcript = '', completeness_20_percent } of worst) {
      least.set(transcript, Math.min(least.get(transcript) ?? 100, Number(completeness_20_percent)));
    }
    expect([...least.values()]).to.deep.equal([...least.values()].toSorted((a, b) => a - b));
    // The page can undo the filter.
    const none = await post(`${server.url}/mane_overview`, { ...demoForm, filter: 'nothing is called so' });
    expect(none.text).to.include('No interval matches the filter.').and.include('value="nothing is called so"');
  });

  it('refuses URLs without parameters with a page in browsers, with JSON elsewhere', async () => {
    for (const page of pages) {
      const shown = await fetch(`${server.url}/${page}`, { headers: { accept: 'text/html', 'accept-language': 'sv' } });
      expect(shown.status).to.equal(405);
      expect(shown.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(shown.headers.get('allow')).to.include('POST');
      const markup = await shown.text();
      expect(markup).to.include('<html lang="sv">').and.include('Sidan skapas från ett formulär');
      const nonce = /<style nonce="([^"]+)"/.exec(markup)?.[1] ?? '';
      expect(shown.headers.get('content-security-policy')).to.include(`style-src 'nonce-${nonce}'`);
      const plain = await fetch(`${server.url}/${page}`);
      expect(plain.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await plain.json()).to.have.property('detail');
    }
  });

  it('reports the time of its parts, varies by language, and is not cached', async () => {
    for (const page of pages) {
      const { status, headers } = await post(`${server.url}/${page}`, formFor(page));
      expect(status, page).to.equal(200);
      expect(headers.get('server-timing')).to.match(/^intervals;dur=[\d.]+, depth;dur=[\d.]+, page;dur=[\d.]+$/);
      expect(headers.get('vary')).to.match(/Accept.*Accept-Language/);
      expect(headers.get('cache-control')).to.equal('no-store');
    }
  });

  const nasty = [
    '<script>alert(1)</script>',
    `"'><img src=x onerror=alert(1)>`,
    '=HYPERLINK("http://x.example")',
    '@SUM(1)',
    '+1',
    '\u202Eevil',
    '\u05D0\u05D1',
    'a\tb',
  ];
  it('escapes hostile names, or refuses them', async () => {
    for (const name of nasty) {
      const fields = {
        ...demoForm,
        samples: JSON.stringify([{ ...trio[0], name, case_name: name }]),
        ...{ panel_name: name, case_display_name: name, hgnc_gene_ids: `MTHFR;${name.replaceAll(' ', '')}` },
      };
      for (const page of pages) {
        const { status, text } = await post(
          `${server.url}/${page}`,
          page === 'gene_overview' ? { ...fields, hgnc_gene_id: 'MTHFR' } : fields,
        );
        expect(status, `${page} ${name}`).to.equal(200);
        expect(text).not.to.include('<script>alert').and.not.to.include('<img');
      }
      const csv = await post(`${server.url}/report`, { ...fields, format: 'csv' });
      const [, first = ''] = csv.text.split('\r\n');
      expect(first).not.to.match(/^"?\s*[=+@-]/);
      const bed = await post(`${server.url}/report`, { ...fields, format: 'bed' });
      for (const line of bed.text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
        expect(line.split('\t')).to.have.length(13);
      }
    }
    // All names in one file: laying one out takes ten times as long as a page.
    const samples = nasty.map((name) => ({ ...trio[0], name, case_name: name }));
    const title = nasty.join(' ');
    const all = { ...demoForm, samples: JSON.stringify(samples), panel_name: title, case_display_name: title };
    const pdf = await post(`${server.url}/report`, { ...all, format: 'pdf' });
    expect(pdf.status).to.equal(200);
    expect(pdf.text).to.match(/^%PDF-/);
    const genes = { ...demoForm, hgnc_gene_ids: 'x'.repeat(10_000) };
    expect((await post(`${server.url}/report`, genes)).status).to.equal(422);
    const long = JSON.stringify([{ ...trio[0], name: 'x'.repeat(10_000) }]);
    expect((await post(`${server.url}/report`, { ...demoForm, samples: long })).status).to.equal(422);
  });

  /** What a spreadsheet makes of a cell: it drops blanks, tabs and quotes around it. Numbers are no formulas. */
  const runs = (cell: string) => /^[\s"]*[=+\-@]/.test(cell) && Number.isNaN(Number(cell));
  /** The cells of each text format, as a spreadsheet finds them. */
  const cellsOf: Readonly<Record<string, (text: string) => string[]>> = {
    csv: (text) => rowsOf(text).flatMap(Object.values),
    tsv: (text) => text.split(/[\t\n]/),
    bed: (text) => text.split(/[\t\n]/),
    multiqc: (text) => Object.keys((JSON.parse(text) as { data: object }).data),
  };

  it('gives no text that a spreadsheet runs, in any text export', async () => {
    // Every format but those that are not opened as tables of text.
    const formats = (Object.keys(mediaTypes) as Format[]).filter(
      (format) => !['html', 'json', 'pdf', 'fhir'].includes(format),
    );
    expect(formats).to.have.members(Object.keys(cellsOf));
    // Nothing else on the server is a table of text.
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { responses?: Record<string, { content?: object }> }>>;
    };
    const tables = Object.entries(paths).flatMap(([path, methods]) => {
      const types = Object.values(methods).flatMap(({ responses = {} }) =>
        Object.values(responses).flatMap(({ content = {} }) => Object.keys(content)),
      );
      return types.some((type) => /csv|tab-separated|x-bed/.test(type)) ? [path] : [];
    });
    expect(tables.sort()).to.deep.equal(pages.flatMap((page) => [`/${page}`, `/${page}/demo`]).sort());
    const names = ['=1+1', '"=1+1"', '"  =1+12"', "'=1+1", '\t=1+13', '\u201C=1+1', '" \'@SUM(1)', '-1+1', '"x'];
    const samples = JSON.stringify(names.map((name) => ({ ...trio[0], name })));
    const bed = names.map((name, i) => `chr1\t${100 * i}\t${100 * i + 10}\t${name.replaceAll('\t', '')}`).join('\n');
    const { hgnc_gene_ids: _, ...form } = demoForm;
    const custom: Fields = { ...form, samples, interval_type: 'custom_intervals', intervals_bed: bed };
    for (const page of ['report', 'overview'] as const) {
      for (const format of formats) {
        // The names of regions, and those of samples in regions with low coverage.
        const cells: string[] = [];
        for (const fields of [custom, { ...demoForm, samples }]) {
          const { status, text } = await post(`${server.url}/${page}`, { ...fields, format });
          expect(status, `${page} ${format}: ${text.slice(0, 300)}`).to.equal(200);
          cells.push(...(cellsOf[format]?.(text) ?? []));
        }
        // An overview names what is incomplete, which may be nothing.
        if (page === 'report')
          expect(
            cells.some((cell) => cell.includes('1+1')),
            format,
          ).to.equal(true);
        expect(cells.filter(runs), `${page} ${format}`).to.deep.equal([]);
        // In TSV, a quote at the beginning of a cell would take the next cells into it.
        if (format === 'tsv') expect(cells.filter((cell) => /^\s*"/.test(cell))).to.deep.equal([]);
      }
    }
  });

  it('prints header and number on each page of a PDF file', async () => {
    const response = await fetch(`${server.url}/gene_overview/demo?format=pdf`);
    expect(response.headers.get('content-type')).to.equal('application/pdf');
    const file = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const count = [...file.matchAll(/\/Type \/Page\b/g)].length;
    expect(count).to.be.greaterThan(2);
    expect(file).to.match(new RegExp(`/Count ${count}\\b`));
  });

  it('prints the maximum number of samples', async () => {
    const samples = JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ ...trio[i % 3], name: `sample ${i + 1}` })));
    const complaints: string[] = [];
    const complain = ({ message }: Error) => void complaints.push(message);
    process.on('warning', complain);
    const { status, text } = await post(`${server.url}/overview`, { ...demoForm, samples, format: 'pdf' });
    expect(status).to.equal(200);
    expect(text).to.match(/^%PDF-/);
    expect((await post(`${server.url}/report`, { ...demoForm, samples })).status).to.equal(200);
    process.off('warning', complain);
    // For example of too many listeners.
    expect(complaints).to.deep.equal([]);
  });

  it('has demo pages and a page that links to them', async () => {
    const landing = await (await fetch(`${server.url}/coverage`)).text();
    for (const page of pages) {
      expect(landing).to.include(`href="/${page}/demo"`);
      expect((await fetch(`${server.url}/${page}/demo`)).status).to.equal(200);
    }
  });

  it('refuses a file of another build, and names it', async () => {
    const { status, text } = await post(`${server.url}/report`, { ...demoForm, build: 'GRCh37' });
    expect(status).to.equal(422);
    expect(text).to.include('belongs to GRCh38, not to GRCh37');
  });
});

const samples37 = JSON.stringify([{ name: 'ADM1059A2', coverage_file_path: demoD4 }]);
