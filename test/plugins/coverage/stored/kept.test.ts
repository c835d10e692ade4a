/** Kept reports over HTTP: byte for byte what was sent, rendered anew, and found by gene, panel and sample. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { coverage, coverageReports } from '../../../../plugins/coverage/contract.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { GeneTable } from '../../../../plugins/panels/genes/gene-table.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { openPanelWorld } from '../panels/support.js';

const browser = { accept: 'text/html' };

describe('kept reports', () => {
  const world = useOnce(() => openPanelWorld({ coverage: { reports: { days: 3650 } } }));

  const open = (id: string, query = '', headers: Record<string, string> = {}) =>
    fetch(`${world.server.url}/coverage/reports/${id}${query}`, { headers });

  async function keep(fields: Record<string, string>, page = 'report') {
    const response = await world.ask(page, { keep: 'true', format: 'json', ...fields });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return { id: response.headers.get('report-id') ?? '', text };
  }
  async function found(fields: Record<string, string>) {
    type List = { reports: ({ id: string; gene?: string } & Record<string, unknown>)[]; next: string | null };
    const sent = { form: fields, headers: { accept: 'application/json' } };
    const { status, body } = await request<List>(`${world.server.url}/coverage/reports`, sent);
    expect(status).to.equal(200);
    const { reports, next } = body;
    return {
      reports,
      next,
      ids: reports.map(({ id }) => id),
      gene: new Map(reports.map(({ id, gene }) => [id, gene])),
    };
  }

  it('come as JSON byte for byte as they were sent, with their id', async () => {
    const { id, text } = await keep({ hgnc_gene_ids: 'GENA,GENB', case_display_name: 'Ærø 🧬' });
    expect(id).to.match(/^[\w-]{24}$/);
    expect(JSON.parse(text)).to.include({ report_id: id, case: 'Ærø 🧬' });
    for (const [query, headers] of [
      ['?format=json', {}],
      ['', { accept: 'application/json' }],
    ] as const) {
      const opened = await open(id, query, headers);
      expect(await opened.text()).to.equal(text);
      expect(opened.headers.get('content-type')).to.match(/^application\/json/);
    }
  });

  it('are only those whose form asks for it', async () => {
    const before = (await found({ after: '' })).ids;
    const response = await world.ask('report', { hgnc_gene_ids: 'GENA', format: 'json' });
    expect(response.headers.has('report-id')).to.equal(false);
    expect(await response.json()).not.to.have.property('report_id');
    expect((await found({ after: '' })).ids).to.deep.equal(before);
  });

  it('have on their page what the first page had, and both versions of the software', async () => {
    for (const page of ['report', 'overview', 'gene_overview', 'mane_overview']) {
      const fields = { keep: 'true', hgnc_gene_ids: 'GENA,GENB', hgnc_gene_id: 'GENA' };
      const first = await world.ask(page, fields, browser);
      const sent = await first.text();
      expect(first.status, sent).to.equal(200);
      const id = first.headers.get('report-id') ?? '';
      expect(sent).to.include(`href="/coverage/reports/${id}"`);
      const shown = await (await open(id, '', browser)).text();
      // Every number of every table, without buttons and links to other pages.
      expect(cells(shown), page).to.deep.equal(cells(sent));
      expect(cells(shown).length, page).to.be.greaterThan(5);
      expect(shown).to.match(
        /Measured on \d{4}-\d\d-\d\d \d\d:\d\d UTC by Trefoil [\d.]+, and not measured again\. Shown on/,
      );
      // The settings of a new report have a button, and nothing else does.
      expect(shown.match(/form="ask"/g) ?? [], page).to.have.lengthOf(1);
      expect(shown).to.include('No warnings about files');
    }
  });

  it('say which genes differ in a newer version of the panel, on the page, in the PDF file and as JSON', async () => {
    const { id } = await keep({ panel: 'kidney@1.9' });
    const sentence = 'This report used kidney@1.9. Meanwhile kidney@1.10 is signed off, in which 1 gene differs.';
    const page = await (await open(id, '', browser)).text();
    expect(page).to.include(sentence).and.to.include('Added (1): GENC');
    const facts = (await (await open(id, '?format=facts')).json()) as Record<string, unknown>;
    expect(facts.panel).to.include({ panel: 'kidney', version: '1.9', state: 'signed off', names: '2026-11-01' });
    expect(facts.newer_panel).to.deep.equal({
      version: '1.10',
      differences: [{ hgnc: 103, symbol: 'GENC', what: ['added'] }],
    });
    const pdf = textOf(Buffer.from(await (await open(id, '?format=pdf')).arrayBuffer()));
    expect(pdf).to.include(sentence).and.to.include('not measured again').and.to.include(id);
    const latest = await keep({ panel: 'kidney' });
    expect(await (await open(latest.id, '', browser)).text()).not.to.include('Newer panel version');
  });

  it('are found by what they have of a gene: measured, not measured, or not asked for', async () => {
    const panel = await keep({ panel: 'kidney@1.10', panel_confidence: 'green' });
    const list = await keep({ hgnc_gene_ids: 'GENC,NOSUCHGENE' });
    const genes = async (gene: string) => {
      const { gene: has } = await found({ gene });
      return [has.get(panel.id), has.get(list.id)];
    };
    expect(await genes('GENA')).to.deep.equal(['measured', undefined]);
    expect(await genes('hgnc:103')).to.deep.equal(['left', 'measured']);
    expect(await genes('ENSG00000000103.7')).to.deep.equal(['left', 'measured']);
    expect(await genes('HGNC:999')).to.deep.equal(['missing', undefined]);
    expect(await genes('nosuchgene')).to.deep.equal([undefined, 'missing']);
    expect(await genes('NOSUCH')).to.deep.equal([undefined, undefined]);
    const { gene: byBoth } = await found({ gene: 'GENC', panel: 'Kidney@1.10' });
    expect([...byBoth.keys()])
      .to.include(panel.id)
      .and.not.to.include(list.id);
    expect((await found({ panel: 'kidney' })).ids).to.include(panel.id);
    expect((await found({ panel: 'KIDNEY TUMOURS' })).ids).to.include(panel.id);
    expect((await found({ panel: 'kidney@1.1' })).ids).to.deep.equal([]);
  });

  it('are found by a gene under whose name nothing was known when they were made', async () => {
    const { id } = await keep({ hgnc_gene_ids: 'GENA,LATER1' });
    expect((await found({ gene: 'GENB' })).gene.get(id)).to.equal(undefined);
    const rows = async function* () {
      yield { names: [{ hgnc: 102, symbol: 'GENB', previous: ['LATER1'], aliases: [] }] };
    };
    const record = { source: 'hgnc', checksum: `sha256:${'1'.repeat(64)}`, read: 1, skipped: {} };
    const request = { sets: [{ kind: 'names' as const }], rows: rows(), accept: () => record };
    await world.server.repository(coverage).load(request, new Date());
    expect((await found({ gene: 'GENB' })).gene.get(id)).to.equal('missing');
    expect((await found({ gene: '102' })).gene.get(id)).to.equal('missing');
  });

  it('are found by the names of genes with which panels are kept, though no interval set has them', async () => {
    // NOWHERE (HGNC:999) is a gene of the panel that no interval set has; HGNC:998 was merged into it.
    const { id } = await keep({ panel: 'kidney@1.9' });
    const { id: plain } = await keep({ hgnc_gene_ids: 'GENA,OLDPLACE' });
    expect((await found({ gene: 'NOWHERE' })).ids).to.deep.equal([]);
    const named = [
      { hgnc: 101, symbol: 'GENA', coding: true, previous: ['FORMERA'], aliases: [] },
      { hgnc: 999, symbol: 'NOWHERE', coding: true, previous: ['OLDPLACE'], aliases: ['SHARED'] },
      { hgnc: 997, symbol: 'OTHER', coding: true, previous: [], aliases: ['SHARED'] },
    ];
    const gone = { hgnc: 998, symbol: 'MERGED', into: [999] };
    const names = { release: '2026-11-01', sources: ['set.txt'], approved: 3, withdrawn: 1, loaded: new Date() };
    await world.server.repository(panels).replaceNames(names, new GeneTable(named, [gone]).pack());
    for (const gene of ['NOWHERE', 'oldplace', 'HGNC:999', '998', 'MERGED']) {
      const { gene: held } = await found({ gene });
      expect([held.get(id), held.get(plain)], gene).to.deep.equal(['missing', 'missing']);
    }
    expect((await found({ gene: 'FORMERA' })).gene.get(plain)).to.equal('measured');
    // An alias is not certain: nothing is found by it, and the page says so.
    expect((await found({ gene: 'SHARED' })).ids).to.deep.equal([]);
    const page = await (await fetch(`${world.server.url}/coverage/reports?gene=SHARED`, { headers: browser })).text();
    expect(page).to.include('SHARED is not a gene of the loaded gene sets');
  });

  it('are found by a sample in a form, never in a URL', async () => {
    const samples = JSON.stringify([{ name: 'proband', coverage_file_path: 'mother.d4' }]);
    const { id } = await keep({ hgnc_gene_ids: 'GENA', samples });
    for (const sample of ['proband', 'mother', ' mother.d4 ']) {
      expect((await found({ sample })).ids, sample).to.deep.equal([id]);
    }
    expect((await found({ sample: 'prob' })).ids).to.deep.equal([]);
    const inUrl = await fetch(`${world.server.url}/coverage/reports?sample=proband`);
    expect(inUrl.status).to.equal(422);
    expect(await inUrl.text()).to.include('so that no URL contains the name of a sample');
  });

  it('are listed on a page, the latest first', async () => {
    const { id } = await keep({ hgnc_gene_ids: 'GENA', panel_name: '<b>Cardio</b>' });
    const url = `${world.server.url}/coverage/reports?gene=GENA`;
    const page = await (await fetch(url, { headers: browser })).text();
    expect(page).to.match(/<td>measured<\/td>/);
    expect(page).to.include('&lt;b&gt;Cardio').and.not.to.include('<b>Cardio');
    expect(page.indexOf(`/coverage/reports/${id}`)).to.be.lessThan(page.indexOf('kidney@1.9'));
    const other = await (await fetch(`${world.server.url}/coverage/reports?gene=QQ`, { headers: browser })).text();
    expect(other).to.include('QQ is not a gene of the loaded gene sets').and.to.include('There are no such reports');
  });

  it('are listed a hundred at a time', async () => {
    const repository = world.server.repository(coverageReports);
    const [{ report } = { report: undefined }] = await repository.list({ words: [], limit: 1 });
    if (report === undefined) throw new Error('a report was kept');
    // Several have one time.
    const ids = Array.from({ length: 230 }, (_, i) => `many-${String(i).padStart(19, '0')}`);
    for (const [i, id] of ids.entries()) {
      await repository.keep({ ...report, id, made: new Date(Math.floor(i / 7)) }, ['sample:many'], {});
    }
    const pages: string[][] = [];
    for (let after = ''; ; ) {
      const { ids: own, next } = await found({ sample: 'many', after });
      pages.push(own);
      if (next === null) break;
      after = next;
    }
    expect(pages.map(({ length }) => length)).to.deep.equal([100, 100, 30]);
    expect(pages.flat()).to.deep.equal(ids.toReversed());
    await repository.remove(ids);
  });

  it('are refused in one sentence if they do not exist, or if what is asked is not valid', async () => {
    const { id } = await keep({ hgnc_gene_ids: 'GENA' });
    const other = id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const absent of [other, 'x', `${id}x`, '..%2f..', 'a'.repeat(3000)]) {
      const response = await open(absent);
      expect(response.status, absent).to.equal(404);
    }
    const page = await open(other, '', browser);
    expect(page.headers.get('content-type')).to.match(/^text\/html/);
    expect((await open(id, '?format=csv')).status).to.equal(422);
    expect((await open(id, '', { accept: 'image/png' })).status).to.equal(406);
    for (const [field, value] of [
      ['after', 'tomorrow'],
      ['gene', 'x'.repeat(201)],
    ] as const) {
      const refused = await fetch(`${world.server.url}/coverage/reports`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ [field]: value }),
      });
      expect(refused.status).to.equal(422);
    }
  });

  it('are not shown if they are damaged', async () => {
    const { id } = await keep({ hgnc_gene_ids: 'GENA' });
    const repository = world.server.repository(coverageReports);
    const report = await repository.find(id);
    const [json] = await repository.content(id, 'json');
    if (report === undefined || json === undefined) throw new Error('a report was kept');
    const wrong = Uint8Array.from(json);
    wrong[40] = (wrong[40] ?? 0) ^ 1;
    await repository.remove([id]);
    await repository.keep(report, [], { json: [wrong], page: [json] });
    for (const format of ['json', 'html', 'pdf']) {
      const response = await open(id, `?format=${format}`);
      expect(response.status, format).to.equal(503);
    }
    await repository.remove([id]);
  });
});

describe('reports that are kept without asking', () => {
  it('are all of /report in every format, and of other pages what is asked', async () => {
    const world = await openPanelWorld({ withPanels: false, coverage: { reports: { keep: 'all', days: 1 } } });
    try {
      const isKept = async (page: string, fields: Record<string, string>) =>
        (await world.ask(page, { hgnc_gene_ids: 'GENA', hgnc_gene_id: 'GENA', ...fields })).headers.has('report-id');
      for (const format of ['html', 'json', 'pdf', 'csv', 'tsv', 'bed', 'multiqc']) {
        expect(await isKept('report', { format }), format).to.equal(true);
      }
      expect(await isKept('overview', {})).to.equal(false);
      expect(await isKept('overview', { keep: 'true' })).to.equal(true);
      expect(await isKept('report', { samples: '[]' })).to.equal(false);
    } finally {
      await world.close();
    }
  });

  it('offer the bases that the server counts by default in the form on their page', async () => {
    const own = await openPanelWorld({ coverage: { reports: { days: 1 }, defaultIntervals: 'exons' } });
    try {
      const first = await own.ask('report', { keep: 'true', hgnc_gene_ids: 'GENA' }, browser);
      const [offered] = /<option value="default"[^>]*>[^<]*/.exec(await first.text()) ?? [];
      const path = `/coverage/reports/${first.headers.get('report-id')}`;
      const page = await (await fetch(`${own.server.url}${path}`, { headers: browser })).text();
      expect(offered?.toLowerCase()).to.include('exon');
      expect(page).to.include(offered);
    } finally {
      await own.close();
    }
  });

  it('are none, and asking for it is refused, without the setting', async () => {
    const world = await openPanelWorld({ withPanels: false });
    try {
      const refused = await world.ask('report', { hgnc_gene_ids: 'GENA', keep: 'true', format: 'json' });
      expect(refused.status).to.equal(422);
      expect(await refused.text()).to.include('this server keeps no reports');
      expect((await fetch(`${world.server.url}/coverage/reports`)).status).to.equal(404);
      const page = await (await world.ask('report', { hgnc_gene_ids: 'GENA' }, browser)).text();
      expect(page).not.to.include('name="keep"');
    } finally {
      await world.close();
    }
  });
});

/** By poppler's pdftotext, with single blanks. */
function textOf(file: Buffer): string {
  const { stdout, error } = spawnSync('pdftotext', ['-layout', '-', '-'], { input: file });
  if (error !== undefined) throw error;
  return stdout.toString('utf8').replace(/\s+/g, ' ');
}

/** The text of each cell of the tables, and of each drawing. */
function cells(page: string): string[] {
  const main = page.slice(page.indexOf('<tbody>'));
  const plain = (markup: string) =>
    markup
      .replace(/ ?<a class="screen"[^>]*>[^<]*<\/a>/g, '')
      .replace(/<[^>]*>/g, '')
      .trim();
  return [...main.matchAll(/<(?:td|th scope="row")[^>]*>(.*?)<\/(?:td|th)>|<svg.*?<\/svg>/gs)].map(([all]) =>
    plain(all),
  );
}
