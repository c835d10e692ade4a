/** The demo panel: what a first look at a server with panels finds. */
import { expect } from 'chai';
import { serveForTest } from '../../../core/testing.js';
import { panels } from '../../../plugins/panels/contract.js';
import { namesInUse } from '../../../plugins/panels/genes/gene-table.js';
import { checkGenes } from '../../../plugins/panels/genes/genes-in-panels.js';
import { differences, parseContent } from '../../../plugins/panels/versions/content.js';
import { useOnce } from '../../support/use.js';

describe('the demo panel', () => {
  const server = useOnce(() =>
    serveForTest({
      plugins: { coverage: { reports: { days: 10 } }, panels: {} },
      settings: { demo: true },
      jobs: false,
    }),
  );

  it('has a version in each state that people meet first', async () => {
    const heads = await server.repository(panels).list();
    expect(heads.map(({ panel, version, state, unmapped }) => [panel, version, state, unmapped])).to.deep.equal([
      ['demo-folate', '1.9', 'retired', 0],
      ['demo-folate', '1.10', 'signed off', 0],
      ['demo-folate', '2.0', 'draft', 1],
    ]);
  });

  it('differs between versions in what people look for, and has names of its genes', async () => {
    const repository = server.repository(panels);
    const contents = await Promise.all(
      ['1.9', '1.10'].map(async (version) => {
        const found = await repository.find('demo-folate', version);
        if (found === undefined) throw new Error(`There is no ${version}`);
        return parseContent(found.content);
      }),
    );
    const [before, after] = contents as [(typeof contents)[0], (typeof contents)[0]];
    expect(differences(before, after).map(({ symbol, what }) => [symbol, what])).to.deep.equal([
      ['DHFR', ['promoted']],
      ['MTHFR', ['changed']],
      ['SLC46A1', ['added']],
    ]);
    const { table } = await namesInUse(repository);
    expect(checkGenes(after.genes, table)).to.deep.equal([]);
    expect(table.resolve({ symbol: 'PCFT' })).to.deep.include({ candidates: [30521] });
  });

  it('can be reported on the demo trio', async () => {
    const response = await fetch(`${server.url}/report/demo?panel=demo-folate&format=json`);
    const report = (await response.json()) as {
      panel_version: { panel: string; version: string };
      genes_found: { genes: { symbol: string }[] }[];
      panel_requirement: { depth: number; percent: number };
    };
    expect(report.panel_requirement).to.deep.include({ depth: 15, percent: 98 });
    expect(report.genes_found.flatMap(({ genes }) => genes.map(({ symbol }) => symbol)).sort()).to.deep.equal([
      'DHFR',
      'FOLR1',
      'MTHFR',
      'SLC46A1',
    ]);
  });

  it('leads from the panels that held a gene to the reports, and back', async () => {
    const token = await server.token('panels:read');
    const page = async (path: string) =>
      (await fetch(`${server.url}${path}`, { headers: { 'x-auth-token': token, accept: 'text/html' } })).text();
    expect(await page('/panels/holding?gene=PCFT')).to.include(
      'PCFT is an alias, which is not certain; may be SLC46A1',
    );
    const panelsPage = await page('/panels/holding?gene=MTHFR');
    expect(panelsPage).to.include('MTHFR (HGNC:7436) is in 3 versions');
    expect(panelsPage).to.include('<a href="/coverage/reports?gene=MTHFR">Kept reports on MTHFR</a>');
    const reportsPage = await page('/coverage/reports?gene=MTHFR');
    expect(reportsPage).to.include('Versions of panels with MTHFR');
    for (const version of ['1.9', '1.10', '2.0'])
      expect(reportsPage).to.include(`<a href="/panels/demo-folate/${version}">demo-folate@${version}</a>`);
    const listed = await fetch(`${server.url}/coverage/reports?gene=PCFT`, { headers: { accept: 'application/json' } });
    expect(await listed.json()).to.deep.equal({ reports: [], next: null, panel_versions: null });
    expect(await page('/panels/holding?gene=%22%3Cb%3E')).not.to.include('<b>');
  });
});
