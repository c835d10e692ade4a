/**
 * What chanjo2's and Scout's clients send is answered as it was before reports by coding bases and expected copies: JSON byte for
 * byte, pages with the same types of intervals and the same tables, but for what a sample cannot have. `answers.json` is of
 * commit 46402634; to make it again, copy this folder into a clone of that commit and run the test there with TEST_RECORD=1.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { en } from '../../../../plugins/coverage/texts/texts.js';
import { useFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { useEach } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';

const file = fileURLToPath(new URL('answers.json', import.meta.url));
const isRecording = process.env.TEST_RECORD !== undefined;
const builds = ['GRCh37', 'GRCh38'] as const;
const names = ['child', 'mother', 'father'] as const;
const now = () => new Date('2026-11-20T08:00:00Z');
/** MTHFR, DHFR, FOLR1 and SLC46A1; SRY is on Y, MT-TP has no mRNA. */
const autosomal = [7436, 2861, 3791, 30521];
const [sry, mtTp] = [11311, 7494];
const types = ['genes', 'transcripts', 'exons'] as const;

interface Call {
  name: string;
  path: string;
  body?: unknown;
}

const lines = ['1\t11785722\t11806920\tMTHFR', 'Y\t2786854\t2787741\tSRY', '5\t80626225\t80654983'];

const jsonCalls: Call[] = [
  { name: 'heartbeat', path: '/' },
  { name: 'counts', path: '/intervals/intervals_count_by_build' },
  ...builds.flatMap((build) =>
    types.map((type) => ({
      name: `${type} of ${build}`,
      path: `/intervals/${type}`,
      body: { build, hgnc_ids: [7436, sry] },
    })),
  ),
  ...names.flatMap((name) => [
    ...['14', 'MT', 'M', 'chrX'].map((chromosome) => ({
      name: `chromosome ${chromosome} of ${name}`,
      path: '/coverage/d4/interval/',
      body: { coverage_file_path: `${name}.d4`, chromosome },
    })),
    {
      name: `interval of ${name}`,
      path: '/coverage/d4/interval/',
      body: {
        ...{ coverage_file_path: `${name}.d4`, chromosome: '1', start: 11785722, end: 11806920 },
        completeness_thresholds: [50, 10, 20],
      },
    },
    {
      name: `lines of ${name}`,
      path: '/coverage/d4/interval_file/',
      body: {
        ...{ coverage_file_path: `${name}.d4`, intervals_bed_path: 'targets.bed' },
        completeness_thresholds: [10, 20, 30],
      },
    },
    { name: `sex of ${name}`, path: `/coverage/samples/predicted_sex?coverage_file_path=${name}.d4` },
  ]),
  ...types.flatMap((interval_type) =>
    [autosomal, [...autosomal, sry], [sry], [mtTp], [999_999]].map((hgnc_gene_ids) => ({
      name: `summary by ${interval_type} of ${hgnc_gene_ids}`,
      path: '/coverage/d4/genes/summary',
      body: {
        build: 'GRCh38',
        samples: names.map((name) => ({ name, coverage_file_path: `${name}.d4` })),
        ...{ hgnc_gene_ids, coverage_threshold: 15, interval_type },
      },
    })),
  ),
  { name: 'no file', path: '/coverage/d4/interval/', body: { coverage_file_path: 'none.d4', chromosome: '1' } },
  { name: 'no chromosome', path: '/coverage/d4/interval/', body: { coverage_file_path: 'child.d4' } },
];

/** As Scout sends it: lists of Python, and no depths. */
function form(interval_type: string, genes: readonly number[], more: Record<string, string> = {}) {
  const samples = names.map(
    (name) =>
      `{'name': '${name}', 'coverage_file_path': '${name}.d4', 'case_name': '643594', 'analysis_date': '2026-04-23T10:20:30.400Z'}`,
  );
  return {
    ...{ build: 'GRCh38', default_level: '20', interval_type, panel_name: 'OMIM-AUTO', case_display_name: '643594' },
    ...{ hgnc_gene_ids: `[${genes.join(', ')}]`, samples: `[${samples.join(', ')}]`, ...more },
  };
}

const pageCalls = [
  ...(['report', 'overview', 'mane_overview'] as const).flatMap((page) =>
    types.map((type) => ({ name: `${page} by ${type}`, path: `/${page}`, form: form(type, autosomal) })),
  ),
  ...types.map((type) => ({
    ...{ name: `gene_overview by ${type}`, path: '/gene_overview' },
    form: form(type, [], { hgnc_gene_id: '7436' }),
  })),
];

/** Every table of a page but that of the samples, which has fingerprints of their files: row by row as text. */
function tablesOf(page: string): string[][][] {
  const text = (html: string) =>
    html
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const tables = [...page.matchAll(/<table[^>]*>.*?<\/table>/gs)].map(([table]) => table);
  return tables
    .filter((table) => !table.includes('"table-samples"'))
    .map((table) => {
      const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => text(cell)),
      );
      return rows.map((row) => row.filter((_, i) => !laterColumns.has(rows[0]?.[i] ?? '')));
    });
}

/** Titles of columns that pages did not have when the answers were recorded: all others are as they were. */
const laterColumns: ReadonlySet<string> = new Set();

/** Long texts by their beginning and digest. */
function kept(text: string): string {
  if (text.length <= 600) return text;
  return `${text.slice(0, 300)}… ${text.length} sha256:${createHash('sha256').update(text).digest('hex')}`;
}

describe('coverage: calls of chanjo2 and Scout', () => {
  const folder = useFolder();
  const server = useEach(async () => {
    writeFileSync(join(folder.path(), 'targets.bed'), `${lines.join('\n')}\n`);
    return serveCoverage({ demo: true, settings: { roots: [folder.path()] }, now });
  });
  const recorded: Record<string, string> = isRecording ? {} : JSON.parse(readFileSync(file, 'utf8'));
  after(() => {
    if (isRecording) writeFileSync(file, `${JSON.stringify(recorded, undefined, 1)}\n`);
  });

  const compare = (name: string, text: string) => {
    if (isRecording) recorded[name] = kept(text);
    else expect(kept(text), name).to.equal(recorded[name]);
  };

  it('are answered in JSON byte for byte as before', async () => {
    for (const { name, path, body } of jsonCalls) {
      const response = await fetch(server.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = (await response.text()).replace(/ v\d+\.\d+\.\d+ /, ' v… ');
      compare(name, `${response.status} ${text}`);
    }
  });

  const pageOf = async (path: string, fields: Record<string, string>) => {
    const { status, text } = await request(server.url + path, { form: fields });
    expect(status, text.slice(0, 300)).to.equal(200);
    return text;
  };

  it('are answered by pages with the types of intervals that they ask for, and the same tables as before', async () => {
    for (const { name, path, form: fields } of pageCalls) {
      const page = await pageOf(path, fields);
      if (!isRecording) {
        // Pages of genes and of MANE transcripts always counted exons.
        const type = path === '/report' || path === '/overview' ? fields.interval_type : 'transcripts';
        expect(page, name).to.include(`<dt>Bases counted</dt><dd>${en.types[type as 'genes']}</dd>`);
      }
      const tables = tablesOf(page);
      expect(tables.length, name).to.be.greaterThan(0);
      compare(name, JSON.stringify(tables));
    }
  });

  it('are answered by pages that differ only where a sample has no Y or one copy', async () => {
    const changed = async (page: string) => {
      const tables = tablesOf(await pageOf(`/${page}`, form('transcripts', [7436, sry])));
      const name = `${page} with SRY`;
      if (isRecording) recorded[name] = JSON.stringify(tables);
      return differences(JSON.parse(recorded[name] ?? ''), tables);
    };
    const ofReport = await changed('report');
    const ofPages = [await changed('overview'), await changed('mane_overview')];
    if (isRecording) return;
    // The mother has every base of MTHFR's transcript (7,018) at 20x, and none of SRY (845): 89.25 % of both. Her totals no
    // longer count SRY, so that each share of her curve is 7,863 / 7,018 of what it was.
    const isCurve = ([place = '']: string[]) => /^\d+×: mother$/.test(place);
    for (const [place, before = '', after = ''] of ofReport.filter(isCurve)) {
      expect(Number.parseFloat(after), place).to.be.closeTo((Number.parseFloat(before) * 7863) / 7018, 0.011);
    }
    expect(ofReport.filter((one) => !isCurve(one))).to.deep.equal([
      ['mother: Mean depth', '31.11×', '34.86×'],
      ['mother: ≥ 10×', '89.25 %', '100.00 %'],
      ['mother: ≥ 15×', '89.25 %', '100.00 %'],
      ['mother: ≥ 20×', '▾ 89.25 %', '100.00 %'],
      ['mother: Fully covered', '▾ 50.00 %', '100.00 %'],
      ['mother: Not fully covered', '1 of 2', '0 of 1'],
      ['SRY: Lowest', '▾ 0.00 %', '▾ 0.00 % 1 copy'],
      ['SRY: child', '▾ 0.00 %', '▾ 0.00 % 1 copy'],
      ['SRY: mother', '▾ 0.00 %', 'not expected'],
      ['SRY: father', '▾ 0.00 %', '▾ 0.00 % 1 copy'],
      ['mother: Median depth', '36×', '37×'],
      ['mother: Fold-80', '1.245', '1.089'],
      ['mother: ≥ 0.2 × mean', '89.25 %', '100.00 %'],
      ['mother: Evenness', '0.855', '0.937'],
      ['mother: (Q3 − Q1) / median', '0.250', '0.162'],
      ['mother: (Q3 − Q1) / (Q3 + Q1)', '0.130', '0.083'],
      ['mother: Intervals without reads', '50.00 %', '0.00 %'],
      ['SRY: mother', 'Exon 1, c.-96_*134 Y:2786855-2787699 (845 bp)', 'not expected'],
    ]);
    expect(ofPages).to.deep.equal([
      [
        ['SRY: child', '▾ 0.00 %', '▾ 0.00 % 1 copy'],
        ['SRY: mother', '▾ 0.00 %', 'not expected'],
        ['SRY: father', '▾ 0.00 %', '▾ 0.00 % 1 copy'],
      ],
      [
        ['SRY: Mean depth', '11.19×', '11.19× 1 copy'],
        ['SRY: Mean depth', '0×', '0× not expected'],
        ['SRY: ≥ 10×', '0.00 %', '–'],
        ['SRY: ≥ 15×', '0.00 %', '–'],
        ['SRY: ≥ 20×', '▾ 0.00 %', '–'],
        ['SRY: ≥ 50×', '0.00 %', '–'],
        ['SRY: ≥ 100×', '0.00 %', '–'],
        ['SRY: Mean depth', '15.55×', '15.55× 1 copy'],
      ],
    ]);
  });
});

/** Cells that are not as before: their row and column, and both texts. Curves are drawn up to twice the greatest mean, and may be longer. */
function differences(before: readonly string[][][], after: readonly string[][][]): string[][] {
  expect(after.length).to.equal(before.length);
  return after.flatMap((rows, t) => {
    const isCurve = rows[0]?.[0] === 'Depth';
    const had = before[t] ?? [];
    if (!isCurve) expect(rows.length, `table ${t}`).to.equal(had.length);
    return rows.flatMap((row, r) => {
      const own = isCurve ? had.find(([depth]) => depth === row[0]) : had[r];
      return row.flatMap((cell, c) =>
        own === undefined || cell === own[c] ? [] : [[`${row[0]}: ${rows[0]?.[c]}`, own[c] ?? '', cell]],
      );
    });
  });
}
