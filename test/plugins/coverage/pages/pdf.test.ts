/** PDF files as read by other programs; skipped if poppler's pdftotext is not installed. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { PdfMaker } from '../../../../core/paper/maker.js';
import { type PageView, paperOf } from '../../../../plugins/coverage/report/view.js';
import { en } from '../../../../plugins/coverage/texts/texts.js';
import { encoded } from '../../../support/http.js';
import { type Coverage, serveCoverage } from '../support/serve.js';
import { data, demoForm, type Fields, trio } from './support/post.js';
import { shownDepth } from './support/tables.js';

interface PageData {
  thresholds: number[];
  samples: { name: string; mean_coverage: number; completeness_percent: Record<string, number> }[];
  gaps: { chromosome: string; start: number; end: number }[];
}

/** Text of each page, in layout order. */
function textOf(file: Buffer): string[] {
  const { stdout, status, stderr } = spawnSync('pdftotext', ['-layout', '-', '-'], { input: file });
  expect(status, String(stderr)).to.equal(0);
  expect(String(stderr)).to.equal('');
  return stdout.toString('utf8').split('\f').slice(0, -1);
}

describe('coverage pages: PDF', () => {
  let server: Coverage;
  before(async function () {
    if (spawnSync('pdftotext', ['-v']).error) return this.skip();
    server = await serveCoverage({ demo: true });
  });
  after(() => server?.close());

  async function pdf(page: string, fields: Fields): Promise<string[]> {
    const body = encoded({ ...fields, format: 'pdf' });
    const response = await fetch(`${server.url}/${page}`, { method: 'POST', body });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/pdf');
    return textOf(Buffer.from(await response.arrayBuffer()));
  }

  it('has header, date and number on each page', async () => {
    const fields = { ...demoForm, hgnc_gene_id: 'MTHFR', case_display_name: 'Case 7', panel_name: 'Panel 8' };
    const pages = await pdf('gene_overview', fields);
    expect(pages.length).to.be.greaterThan(2);
    for (const [i, page] of pages.entries()) {
      expect(page).to.match(/^\s*Coverage of MTHFR · Case: Case 7 · Panel: Panel 8\s+Trefoil\n/);
      expect(page).to.match(
        new RegExp(`Created: \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\s+Page ${i + 1} of ${pages.length}\\s*$`),
      );
    }
  });

  it('contains the numbers of the JSON, including every gap', async () => {
    const { samples, thresholds, gaps } = await data<PageData>(`${server.url}/report`, demoForm);
    const text = (await pdf('report', demoForm)).join('\n');
    for (const { name, mean_coverage, completeness_percent } of samples) {
      const shares = thresholds.map((one) => {
        const percent = completeness_percent[one] ?? -1;
        // Low at the coverage threshold.
        return `${one === 20 && percent < 100 ? '▾ ' : ''}${percent.toFixed(2)} %`;
      });

      expect(text.replace(/ +/g, ' ')).to.include([name, shownDepth(mean_coverage), ...shares].join(' '));
    }
    expect(gaps.length).to.be.greaterThan(5);
    for (const { chromosome, start, end } of gaps) expect(text).to.include(`${chromosome}:${start + 1}-${end}`);
  });

  it('names an exon once for all samples, and again at the top of a page', async () => {
    const { intervals } = await data<{ intervals: { exon: number | null; start: number; end: number }[] }>(
      `${server.url}/gene_overview`,
      { ...demoForm, hgnc_gene_id: 'MTHFR' },
    );
    const exons = intervals.filter(({ exon }) => exon !== null);
    expect(exons.length).to.be.greaterThan(5);
    const pages = await pdf('gene_overview', { ...demoForm, hgnc_gene_id: 'MTHFR' });
    const [first = '', ...others] = trio.map(({ name }) => name);
    const named = pages
      .flatMap((page) => page.split('\n'))
      .filter((line) => exons.some(({ start, end }) => line.includes(`:${start + 1}-${end} `)));
    const ofFirst = named.filter((line) => line.includes(` ${first} `));
    const ofOthers = named.filter((line) => others.some((name) => line.includes(` ${name} `)));
    expect(ofFirst.length).to.be.at.least(exons.length);
    // Only the first row of a page may name the exon of the row before it.
    expect(ofOthers.length).to.be.at.most(pages.length);
  });

  it('breaks no word of a title, however many depths are reported', async () => {
    for (const count of [3, 8, 12, 20]) {
      const completeness_thresholds = Array.from({ length: count }, (_, i) => 5 * (i + 1)).join(',');
      const text = (
        await pdf('gene_overview', { ...demoForm, hgnc_gene_id: 'MTHFR', completeness_thresholds, lang: 'sv' })
      ).join('\n');
      expect(text, String(count)).to.match(/Baser +Prov +Medelläsdjup /);
      expect(text, String(count)).not.to.match(/Medelläsdju\b|Medelläsdj\b|^ *(p|up)$/m);
      // Nor a number from its unit.
      expect(text, String(count)).not.to.match(/^[ %]*%[ %]*$/m);
    }
  });

  it('has room for the names of a trio and for its genes by coding bases in one table', async () => {
    const fields = { ...demoForm, interval_type: 'coding', hgnc_gene_ids: 'MTHFR,SRY' };
    const report = (await pdf('report', fields)).join('\n');
    expect(report).to.match(/Gene +Lowest +demo_child +demo_mother +demo_father\n/);
    expect(report).to.match(/MTHFR +▾ 90\.90 % +▾ 90\.90 % +100\.00 % +▾ 90\.90 %\n/);
    expect(report).to.match(/coding 90\.16 % · exonic 97\.24 %/);
    // What is said beside a depth stands apart from it, on one line.
    expect(report).to.match(/SRY +▾ 0\.00 % +▾ 0\.00 % +not expected +▾ 0\.00 %\n +1 copy +1 copy +1 copy\n/);
    expect(report).to.match(/1 copy\n +coding 0\.00 % · exonic 0\.00 % +coding 0\.00 % · exonic 0\.00 %\n/);
    // In narrow columns each figure has a line, without a sign between them.
    const six = JSON.stringify([...trio, ...trio].map((one, i) => ({ ...one, name: `sample_${i}` })));
    const narrow = (await pdf('report', { ...fields, samples: six })).join('\n');
    expect(narrow).to.match(/\n( +coding 90\.16 %| +coding 100\.00 %){6}\n( +exonic 97\.24 %| +exonic 100\.00 %){6}\n/);
    const mane = (await pdf('mane_overview', { ...fields, lang: 'sv' })).join('\n');
    expect(mane.match(/\bdemo_mother\b/g)).to.have.length.above(2);
    expect(mane).not.to.match(/\bdemo_mothe\b/);
  });

  it('splits tables that are too wide or too long, and prints nothing below the foot of a page', async () => {
    const samples = JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ ...trio[i % 3], name: `sample ${i + 1}` })));
    const pages = await pdf('overview', { ...demoForm, interval_type: 'exons', samples });
    const text = pages.join('\n');
    for (let i = 1; i <= 50; i++) expect(text, `sample ${i}`).to.match(new RegExp(`sample\\s+${i}\\b`));
    // Only the foot is below the last line of a page.
    for (const page of pages) expect(page.trimEnd().split('\n').at(-1)).to.match(/Page \d+ of \d+$/);
  });

  it('has all rows of a table that the page shows in parts', async () => {
    const lines = Array.from({ length: 450 }, (_, i) => `1\t${11785722 + i * 10}\t${11785725 + i * 10}\tline-${i}\n`);
    const text = (
      await pdf('overview', {
        ...{ build: 'GRCh38', samples: JSON.stringify(trio), interval_type: 'custom_intervals' },
        ...{ default_level: '100000', intervals_bed: lines.join('') },
      })
    ).join('\n');
    for (const i of lines.keys()) expect(text).to.match(new RegExp(`line-${i}\\b`));
  });

  it('keeps the title and head of a table with its first row', async () => {
    const samples = JSON.stringify([{ ...trio[0], name: 'W'.repeat(200) }]);
    const pages = await pdf('report', { ...demoForm, samples });
    const begin = pages.filter((page) => /^\s*(Coverage|Fully covered transcripts at 20×)\s*$/m.test(page));
    expect(begin).not.to.have.length(0);
    for (const page of begin) {
      expect(page).to.match(/^\s*(Coverage|Fully covered transcripts at 20×)\s*$(?:.|\n)*W{5}/m);
    }
  });

  it('prints characters missing in its font as code points', async () => {
    const samples = JSON.stringify([{ ...trio[0], name: '\u202Eevil \u05D0' }]);
    expect((await pdf('report', { ...demoForm, samples })).join('\n')).to.include('[U+202E]evil [U+05D0]');
  });
});

describe('coverage pages: the PDF writer', () => {
  const column = { key: 'a', title: 'A' };
  const table = (rows: number): PageView['sampleTable'] => ({
    ...{ name: 't', title: 'Long table', caption: '', columns: [column] },
    rows: Array.from({ length: rows }, (_, i) => [{ text: `row ${i}`, value: i }]),
  });
  const view = (rows: number): PageView => ({
    ...{
      page: 'report',
      title: 'Long',
      subtitle: '',
      facts: [],
      warnings: [],
      unchecked: [],
      sections: [],
      tables: [],
    },
    sampleTable: table(rows),
  });
  const made = new Date('2026-04-23T10:00:00Z');
  let maker: PdfMaker;
  before(() => {
    maker = new PdfMaker();
  });
  after(() => maker.close());

  it('writes several at once', async () => {
    const { signal } = new AbortController();
    const files = await Promise.all(
      [10, 200, 10, 400].map((rows) => maker.make(paperOf(view(rows), en), 'en', made, signal)),
    );
    const pages = files.map((file) => [...file.toString('latin1').matchAll(/\/Type \/Page\b/g)].length);
    expect(pages[0]).to.equal(1);
    expect(pages[2]).to.equal(1);
    expect(pages[3]).to.be.greaterThan(pages[1] ?? 0);
  });

  it('begins a new page rather than leave a term without its text', async function () {
    if (spawnSync('pdftotext', ['-v']).error) return this.skip();
    const long = 'A sentence that says what the term means, and goes on. '.repeat(6);
    const items = Array.from({ length: 20 }, (_, i) => [`Term ${i}`, long] as const);
    const { signal } = new AbortController();
    // The terms begin at another height each time.
    for (let rows = 30; rows < 46; rows++) {
      const shown: PageView = { ...view(rows), sections: [{ kind: 'terms', title: 'Terms', items }] };
      const pages = textOf(await maker.make(paperOf(shown, en), 'en', made, signal));
      expect(pages.length).to.be.greaterThan(1);
      for (const page of pages) {
        // The foot is the last line.
        const last = page
          .trimEnd()
          .split('\n')
          .slice(0, -1)
          .findLast((line) => line.trim() !== '');
        expect(last?.trim(), `${rows} rows`).not.to.match(/^Terms?( \d+)?$/);
      }
    }
  });

  it('stops if no caller waits any more, and continues for others', async () => {
    const controller = new AbortController();
    const given = maker.make(paperOf(view(3000), en), 'en', made, controller.signal).then(
      () => 'made',
      (error: Error) => error.name,
    );
    controller.abort();
    expect(await given).to.equal('AbortError');
    const file = await maker.make(paperOf(view(1), en), 'en', made, new AbortController().signal);
    expect(file.toString('latin1', 0, 5)).to.equal('%PDF-');
  });
});
