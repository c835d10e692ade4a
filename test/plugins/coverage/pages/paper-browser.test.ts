/**
 * Reports on paper, against the points for which external quality schemes mark reports down: minimum depth, percentage of the
 * target, limitations of a negative result, gene content, panel and its version, software, releases. Read from the PDF file
 * and from the page as a browser prints it; skipped if poppler's pdftotext is not installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Texts } from '../../../../plugins/coverage/texts/texts.js';
import { en, sv } from '../../../../plugins/coverage/texts/texts.js';
import type { PanelVersion } from '../../../../plugins/panels/contract.js';
import type { PanelContent } from '../../../../plugins/panels/versions/content.js';
import { useBrowser } from '../../../support/browser.js';
import { encoded } from '../../../support/http.js';
import { nowhere, openPanelWorld, versions } from '../panels/support.js';
import { serveCoverage } from '../support/serve.js';
import { data, demoForm, type Fields, trio } from './support/post.js';

interface ReportFacts {
  level: number;
  build: string;
  panel: string | null;
  interval_sets: { release: string | null; checksum: string }[];
  bed_file?: { name: string | null; checksum: string; lines: number };
  genes_found: { genes: { hgnc: number; symbol: string }[] }[];
  genes_not_found: { gene: string }[];
  samples: {
    name: string;
    length: number;
    bases_at: Record<string, number>;
    completeness_percent: Record<string, number>;
  }[];
  intervals: { gene: string; transcript: string | null }[];
}

const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));

/** The points of the list, each with what the text must state. */
function pointsOf(facts: ReportFacts, texts: Texts): Record<string, readonly string[]> {
  const { level, build, samples, interval_sets: sets, bed_file: bed } = facts;
  const { limits, number, decimal } = texts;
  const depth = texts.depth(level);
  const short = (checksum: string) => checksum.slice(0, 'sha256:'.length + 12);
  const below = samples.flatMap(({ name, length, bases_at }) => {
    const missing = length - (bases_at[level] ?? 0);
    return missing === 0 ? [] : [`${name}: ${number(missing)} ${texts === sv ? 'av' : 'of'} ${number(length)}`];
  });
  return {
    'minimum depth': [texts.header.level, limits.statementText(depth)],
    'percentage of the target': samples.map(
      ({ completeness_percent }) => `${decimal(completeness_percent[level] ?? -1)} %`,
    ),
    'limitations of a negative result': [
      limits.title,
      ...(below.length === 0 ? [limits.noneBelow(depth)] : below),
      limits.kindsText,
      limits.personText,
      texts.sites.terms.sampling,
      ...facts.genes_not_found.map(({ gene }) => gene),
    ],
    'gene content': [
      ...facts.genes_found.flatMap(({ genes }) => genes.map(({ symbol, hgnc }) => `${symbol} (HGNC:${hgnc}`)),
      ...facts.intervals.map(({ gene }) => gene),
      ...facts.intervals.flatMap(({ transcript }) => transcript ?? []),
      ...(bed === undefined ? [] : [number(bed.lines), short(bed.checksum), bed.name ?? '']),
    ],
    panel: [facts.panel ?? ''],
    software: [`Trefoil ${version}`],
    releases: [build, ...sets.flatMap(({ release, checksum }) => [release ?? '', short(checksum)])],
  };
}

/** What the text must state of a panel: its version, its digest and the release of its names, and what it could not cover. */
function panelPoints(panel: PanelVersion, texts: Texts): Record<string, readonly string[]> {
  const { genes, others = [], names } = JSON.parse(panel.content) as PanelContent;
  return {
    'panel version': [`${panel.panel}@${panel.version}`, `sha256:${panel.digest}`, names ?? ''],
    'entries that were not covered': [
      ...others.map(({ name }) => name),
      ...genes.flatMap(({ hgnc, symbol }) =>
        hgnc === nowhere.hgnc ? [`${symbol} (HGNC:${hgnc}): ${texts.warnings.notMeasured['not-in-build']}`] : [],
      ),
    ],
  };
}

/** Words in reading order. */
function textOf(file: Buffer): string {
  const { stdout, status, stderr } = spawnSync('pdftotext', ['-', '-'], { input: file });
  expect(status, String(stderr)).to.equal(0);
  return plain(stdout.toString('utf8'));
}

function plain(text: string): string {
  return text.replace(/\s+/g, '').replace(/-/g, '');
}

/** The points that the text does not state, with what is missing. */
function missing(text: string, points: Record<string, readonly string[]>): string[] {
  return Object.entries(points).flatMap(([point, statements]) =>
    statements.filter((one) => !text.includes(plain(one))).map((one) => `${point}: ${one}`),
  );
}

const bed = '1\t11785722\t11787000\tMTHFR_1\n1\t11790000\t11790800\tMTHFR_2\n5\t80626226\t80627000\tDHFR\n';
const of = { build: 'GRCh38', samples: JSON.stringify(trio), panel_name: 'Folate panel' };
const kinds: Record<string, Fields> = {
  'on genes': { ...demoForm, hgnc_gene_ids: 'MTHFR,DHFR,FOLR1,SLC46A1,LAMA1', panel_name: 'Folate panel' },
  'on exons': { ...demoForm, interval_type: 'exons', transcripts: 'mane' },
  'on whole genes': { ...demoForm, interval_type: 'genes', default_level: '30' },
  'on a BED file': { ...of, interval_type: 'custom_intervals', default_level: '20', intervals_bed: bed },
  'on covered intervals': { ...of, interval_type: 'custom_intervals', default_level: '1', intervals_bed: bed },
};

describe('coverage reports on paper', function () {
  this.timeout(60_000);
  before(function () {
    if (spawnSync('pdftotext', ['-v']).error) this.skip();
  });
  const { server, blank } = useBrowser(() => serveCoverage({ demo: true }));

  const pdf = async (page: string, fields: Fields): Promise<string> => {
    const body = encoded({ ...fields, format: 'pdf' });
    const response = await fetch(`${server().url}/${page}`, { method: 'POST', body });
    expect(response.status).to.equal(200);
    return textOf(Buffer.from(await response.arrayBuffer()));
  };

  for (const [kind, fields] of Object.entries(kinds)) {
    it(`state every point of the list: ${kind}`, async () => {
      const points = pointsOf(await data<ReportFacts>(`${server().url}/report`, fields), en);
      expect(missing(await pdf('report', fields), points)).to.deep.equal([]);
    });
  }

  it('state every point as a browser prints them, with closed sections', async () => {
    for (const kind of ['on genes', 'on a BED file']) {
      const fields = kinds[kind] as Fields;
      const page = await blank({ javaScriptEnabled: false });
      const response = await fetch(`${server().url}/report`, {
        method: 'POST',
        body: encoded({ ...fields, lang: 'en' }),
        headers: { accept: 'text/html' },
      });
      const markup = (await response.text()).replaceAll('<details class="rows" open>', '<details class="rows">');
      await page.setContent(markup);
      const printed = textOf(await page.pdf({ preferCSSPageSize: true }));
      const points = pointsOf(await data<ReportFacts>(`${server().url}/report`, fields), en);
      expect(missing(printed, points), kind).to.deep.equal([]);
    }
  });

  it('state every point in Swedish', async () => {
    const fields = { ...(kinds['on genes'] as Fields), lang: 'sv' };
    const points = pointsOf(await data<ReportFacts>(`${server().url}/report`, fields), sv);
    expect(missing(await pdf('report', fields), points)).to.deep.equal([]);
  });

  it('state the version of a panel, and which of its entries they do not cover', async () => {
    const world = await openPanelWorld();
    try {
      const lists: Record<string, string[]> = {};
      for (const [reference, lang] of [
        ['kidney@1.9', 'en'],
        ['kidney', 'sv'],
        ['heart@1', 'en'],
      ] as const) {
        const panel = versions.find(
          (one) => `${one.panel}@${one.version}` === (reference === 'kidney' ? 'kidney@1.10' : reference),
        );
        const fields = { panel: reference, lang };
        const facts = await world.json<ReportFacts>('report', fields);
        const response = await world.ask('report', { ...fields, format: 'pdf' });
        const text = textOf(Buffer.from(await response.arrayBuffer()));
        const texts = lang === 'sv' ? sv : en;
        const points = pointsOf(facts, texts);
        lists[reference] = missing(text, { ...points, ...panelPoints(panel as PanelVersion, texts) });
      }
      expect(lists).to.deep.equal({ 'kidney@1.9': [], kidney: [], 'heart@1': [] });
    } finally {
      await world.close();
    }
  });

  it('are found lacking if they lack a point', async () => {
    const fields = kinds['on genes'] as Fields;
    const points = pointsOf(await data<ReportFacts>(`${server().url}/report`, fields), en);
    const text = await pdf('report', fields);
    for (const [point, statements] of Object.entries(points)) {
      const cut = statements.reduce((rest, one) => (one === '' ? rest : rest.replaceAll(plain(one), '')), text);
      expect(missing(cut, { [point]: statements }), point).not.to.deep.equal([]);
    }
    // The list of intervals states neither what it was asked for nor what it cannot show.
    const lacking = missing(await pdf('overview', fields), points).map((one) => one.split(':')[0]);
    expect(lacking).to.include('limitations of a negative result').and.include('gene content');
  });

  it('name a BED file by the checksum of its bytes, pasted or uploaded', async () => {
    const checksum = `sha256:${createHash('sha256').update(bed).digest('hex')}`;
    const fields = kinds['on a BED file'] as Fields;
    const ofPasted = await data<ReportFacts>(`${server().url}/report`, {
      ...fields,
      intervals_bed: bed.replaceAll('\n', '\r\n'),
    });
    expect(ofPasted.bed_file).to.deep.equal({ name: null, checksum, lines: 3 });
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...of, interval_type: 'custom_intervals', format: 'json' })) {
      form.append(name, value);
    }
    form.append('intervals_bed_file', new Blob([bed]), 'targets.bed');
    const response = await fetch(`${server().url}/report`, { method: 'POST', body: form });
    expect(((await response.json()) as ReportFacts).bed_file).to.deep.equal({ name: null, checksum, lines: 3 });
  });
});
