/** What pages and exports say of the panel that they used. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { useOnce } from '../../../support/use.js';
import { openPanelWorld, versions } from './support.js';

interface Version {
  reference: string;
  state: string;
  sha256: string;
  gene_names: string;
  signed_off: { at: string; by: string[] } | null;
  newer: { version: string; genes_that_differ: number } | null;
  genes: { hgnc: string }[];
  genes_beside: string[];
  not_covered: { kind: string; name: string; hgnc: string | null; place: string | null; reason: string }[];
  transcripts_not_as_wanted: { gene: string; wanted: string; measured: string | null }[];
}

const digestOf = (panel: string, version: string) => {
  const found = versions.find((one) => one.panel === panel && one.version === version);
  if (found === undefined) throw new Error(`the test has no ${panel}@${version}`);
  return found.digest;
};

describe('reports on panels: what they say of the panel', function () {
  this.timeout(60_000);
  const world = useOnce(() => openPanelWorld());

  const shown = async (fields: Record<string, string>, page = 'report') => {
    const body = await world.json<{ panel: string | null; panel_version: Version }>(page, fields);
    return { title: body.panel, ...body.panel_version };
  };
  const text = async (fields: Record<string, string>, page = 'report') => (await world.ask(page, fields)).text();
  /** The text of a page, without its markup. */
  const read = async (fields: Record<string, string>, page = 'report') =>
    (await text({ format: 'html', ...fields }, page))
      .replace(/<(style|script|form)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');

  it('is in JSON, with every entry that was not measured', async () => {
    const found = await shown({ panel: 'kidney@1.9', hgnc_gene_ids: 'GENC GENB', panel_name: 'Our kidneys' });
    expect(found).to.deep.include({
      title: 'Our kidneys',
      reference: 'kidney@1.9',
      state: 'signed off',
      sha256: digestOf('kidney', '1.9'),
      gene_names: '2026-11-01',
      signed_off: { at: '2026-11-03T10:00:00.000Z', by: ['anna', 'bo'] },
      newer: { version: '1.10', genes_that_differ: 1 },
      genes_beside: ['GENC'],
    });
    expect(found.genes.map(({ hgnc }) => hgnc)).to.deep.equal(['HGNC:101', 'HGNC:102', 'HGNC:999']);
    expect(found.not_covered).to.deep.equal([
      { kind: 'gene', name: 'NOWHERE', hgnc: 'HGNC:999', place: null, reason: 'not-in-build' },
      { kind: 'region', name: '16p11.2 loss', hgnc: null, place: '16:29500000-30100000', reason: 'no-place' },
      { kind: 'str', name: 'FMR1_CGG', hgnc: null, place: null, reason: 'no-place' },
    ]);
    expect(found.transcripts_not_as_wanted).to.deep.equal([
      { gene: 'HGNC:101', wanted: 'NM_000112.1', measured: 'NM_000112.3' },
      { gene: 'HGNC:101', wanted: 'NM_000199', measured: null },
    ]);
    const green = await shown({ panel: 'kidney', panel_confidence: 'green' });
    expect([green.reference, green.newer]).to.deep.equal(['kidney@1.10', null]);
    expect(green.not_covered.map(({ name, reason }) => `${name} ${reason}`).slice(0, 3)).to.deep.equal([
      'OLDB confidence',
      'GENC confidence',
      'NOWHERE not-in-build',
    ]);
    expect(await world.json('report', { hgnc_gene_ids: 'GENA' })).to.not.have.property('panel_version');
  });

  it('is on the page, in print and in Swedish', async () => {
    const page = await read({ panel: 'kidney@1.9', hgnc_gene_ids: 'GENC' });
    for (const sentence of [
      'Panel: Kidney tumours (kidney@1.9)',
      'Kidney tumours, kidney@1.9, signed off 2026-11-03 by anna, bo; gene names: 2026-11-01',
      `sha256:${digestOf('kidney', '1.9')}`,
      'Genes of the panel 3 genes (2 green, 1 amber)',
      '3 genes of kidney@1.9 and 1 further gene (GENC), 3 transcripts',
      'for 1 gene the transcripts that the panel names',
      'A newer version is signed off: kidney@1.10, in which 1 gene differs.',
      'Of the panel, this report does not include: 1 gene, 1 region, 1 short tandem repeat.',
      'GENA: NM_000112.3 instead of NM_000112.1',
      'GENA: NM_000199 is not loaded',
      'OLDB is reported as GENB',
      'NOWHERE (HGNC:999): not among the genes of this build',
      'Entries of the panel that this report does not include',
      '16p11.2 loss region 16:29500000-30100000 not looked at: the panel does not say where it is on GRCh38',
    ]) {
      expect(page).to.include(sentence);
    }
    for (const name of ['overview', 'mane_overview']) {
      const other = await read({ panel: 'kidney@1.9' }, name);
      expect(other, name).to.include('Entries of the panel that this report does not include');
      expect(other, name).to.include('16p11.2 loss region 16:29500000-30100000 not part of this type of report');
      expect(other, name).to.include('sha256:');
    }
    const swedish = await read({ panel: 'kidney@1.9', lang: 'sv' });
    expect(swedish).to.include('Kidney tumours, kidney@1.9, signerad 2026-11-03 av anna, bo; gennamn: 2026-11-01');
    expect(swedish).to.include('Av panelen omfattar rapporten inte: 1 gen, 1 region, 1 kort tandemrepetition.');
  });

  it('says that a version is retired', async () => {
    const page = await read({ panel: 'kidney@1.8' });
    expect(page).to.include('The panel kidney@1.8 is retired.');
    expect(page).to.include('retired, signed off 2026-11-03 by anna, bo');
    expect((await shown({ panel: 'kidney@1.8' })).state).to.equal('retired');
  });

  it('keeps the version for the buttons of the page', async () => {
    const page = await text({ panel: 'kidney', format: 'html' });
    expect(page).to.match(/name="panel" value="kidney@1\.10"/);
  });

  it('is on the page of a gene, which draws the transcript that the panel names', async () => {
    const gene = await read({ panel: 'kidney@1.9', hgnc_gene_id: 'GENA' }, 'gene_overview');
    expect(gene).to.include('The panel kidney@1.9 names for this gene: NM_000112.1, NM_000199.');
    expect(gene).to.include('Exons of ENST00000000112 to scale');
    expect(await read({ hgnc_gene_id: 'GENA' }, 'gene_overview')).to.include('Exons of ENST00000000111 to scale');
    const other = await read({ panel: 'kidney@1.9', hgnc_gene_id: 'GENC' }, 'gene_overview');
    expect(other).to.include('This gene is not in the panel kidney@1.9.');
    expect(other).to.not.include('Entries of the panel');
  });

  it('is in each row of CSV, which has tables of its genes and of what is not covered', async () => {
    const digest = digestOf('kidney', '1.9');
    const ending = `,kidney@1.9,signed off,${digest},2026-11-01`;
    const response = await world.ask('report', { panel: 'kidney@1.9', format: 'csv' });
    expect(response.headers.get('content-disposition')).to.match(
      /"coverage-report_child_kidney-1\.9_GRCh38_20x_[\d-]+\.csv"/,
    );
    const [head, ...rows] = (await response.text()).trim().split('\r\n');
    expect(head).to.match(/,panel,panel_state,panel_sha256,panel_gene_names$/);
    // GENA and GENB have 150 + 200 = 350 bases, of which all but the 50 of depth 5 reach 20×: 300 / 350 = 85.71 %.
    expect(rows).to.have.length(1);
    expect(rows[0])
      .to.include('85.71')
      .and.to.satisfy((row: string) => row.endsWith(ending));
    const genes = await text({ panel: 'kidney@1.9', format: 'csv', table: 'panel_genes' });
    expect(genes.split('\r\n').slice(1, 4)).to.deep.equal([
      `HGNC:101,GENA,green,AD,NM_000112.1 NM_000199,${ending}`,
      `HGNC:102,OLDB,amber,,,${ending}`,
      `HGNC:999,NOWHERE,green,,,not among the genes of this build${ending}`,
    ]);
    const tsv = await text({ panel: 'kidney@1.9', format: 'tsv', table: 'not_covered' });
    expect(tsv.split('\n')[2]).to.match(/^16p11\.2 loss\tregion\t16:29500000-30100000\t/);
  });

  it('is in BED and MultiQC', async () => {
    const digest = digestOf('kidney', '1.10');
    const line = `kidney@1.10 (signed off), sha256:${digest}, gene names 2026-11-01`;
    expect(await text({ panel: 'kidney', format: 'bed' })).to.include(`# Gene panel ${line}\n`);
    const multiqc = await world.ask('report', { panel: 'kidney', format: 'multiqc' });
    const body = (await multiqc.json()) as Record<string, string>;
    expect(body).to.include({ id: 'trefoil_coverage_kidney_1_10', section_name: 'Coverage: kidney@1.10' });
    expect(body.description).to.include(`Coverage of the intervals of a report on the gene panel ${line}, GRCh38, by`);
  });

  it('is in PDF', async function () {
    if (spawnSync('pdftotext', ['-v']).error) return this.skip();
    const response = await world.ask('report', { panel: 'kidney@1.9', format: 'pdf' });
    const input = Buffer.from(await response.arrayBuffer());
    const { stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], { input });
    const words = stdout.toString().replace(/\s+/g, ' ');
    expect(words).to.include('Kidney tumours, kidney@1.9, signed off 2026-11-03 by anna, bo');
    expect(words).to.include(`sha256:${digestOf('kidney', '1.9')}`);
    expect(words).to.include('Entries of the panel that this report does not include');
  });

  it('is offered by the form, and wrong panels are marked there', async () => {
    const landing = await (await fetch(`${world.server.url}/coverage`)).text();
    const options = [...landing.matchAll(/<option value="([^"]*@[^"]*)" label="([^"]*)">/g)].map((one) => one.slice(1));
    expect(options).to.deep.equal([
      ['heart@1', 'Heart'],
      ['kidney@1.10', 'Kidney tumours'],
      ['red@1', 'Red'],
    ]);
    const linked = await (await fetch(`${world.server.url}/coverage?panel=kidney%401.9&panel_name=x&samples=y`)).text();
    expect(linked)
      .to.match(/name="panel" value="kidney@1\.9"/)
      .and.not.match(/value="[xy]"/);
    const refused = await world.ask('report', { panel: 'kidney@7', format: 'html' });
    expect(refused.status).to.equal(422);
    const page = await refused.text();
    expect(page).to.match(/there is no panel version kidney@7 that you may use/);
    expect(page).to.match(/name="panel" value="kidney@7"/);
    expect(page).to.include('label="Kidney tumours"');
  });
});
