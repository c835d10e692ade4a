/** What a panel requires of reports: a part of its bases at a depth, and all bases of core genes. */
import { expect } from 'chai';
import { en } from '../../../../plugins/coverage/texts/texts.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { useOnce } from '../../../support/use.js';
import { contentOf, geneA, geneB, geneC, geneY, nowhere, openPanelWorld, signedOff } from './support.js';

interface Answer {
  panel_requirement?: {
    depth: number;
    percent: number | null;
    genes_not_measured: string[];
    samples: Record<string, { bases: number; bases_at_depth: number; met: boolean } & Record<string, unknown>>;
  };
}

/** The longer transcript of GENA: 100 bases of depth 30, 50 of depth 5. GENB has 200, GENC 300 bases of depth 30. */
const longA = { ...geneA, transcripts: ['NM_000112'] };

describe('coverage: what a panel requires', () => {
  const world = useOnce(() => openPanelWorld());
  before(async () => {
    const requirement = (depth: number, percent: number) => ({ requirement: { depth, percent } });
    for (const [version, content] of [
      ['1', contentOf([longA, geneB], requirement(15, 85))],
      ['2', contentOf([longA, geneB], requirement(15, 86))],
      ['3', contentOf([{ ...longA, core: true }, geneB], requirement(15, 85))],
      ['4', contentOf([{ ...longA, core: true }, geneB], requirement(5, 100))],
      ['5', contentOf([longA, { ...geneB, core: true }])],
      ['6', contentOf([longA, geneB, nowhere], requirement(15, 85))],
      ['7', contentOf([longA, geneB, { ...geneC, core: true }], requirement(15, 90))],
      ['8', contentOf([longA, geneB, geneY], requirement(15, 66))],
      ['9', contentOf([longA, { ...geneY, core: true }], requirement(15, 40))],
    ] as const) {
      await world.server.repository(panels).add(signedOff('asked', version, content));
    }
  });

  const checked = async (fields: Record<string, string>) =>
    (await world.json<Answer>('report', fields)).panel_requirement;

  it('is judged by the distinct bases of its genes', async () => {
    // (100 + 200) / (150 + 200) = 85.71 %; GENA has 100 / 150 = 66.67 %.
    const below = [{ symbol: 'GENA', bases: 150, bases_at_depth: 100 }];
    const counts = { bases: 350, bases_at_depth: 300, core_genes_incomplete: [], genes_below_95_percent: below };
    expect(await checked({ panel: 'asked@1' })).to.deep.equal({
      bases_counted: 'transcripts',
      depth: 15,
      percent: 85,
      genes_not_measured: [],
      samples: { child: { ...counts, met: true } },
    });
    expect((await checked({ panel: 'asked@2' }))?.samples.child).to.deep.equal({ ...counts, met: false });
  });

  it('is not met while a core gene lacks a base', async () => {
    expect((await checked({ panel: 'asked@3' }))?.samples.child).to.deep.include({
      met: false,
      core_genes_incomplete: [{ symbol: 'GENA', bases: 150, bases_at_depth: 100 }],
      genes_below_95_percent: [],
    });
    // Every base has depth 5 or more.
    expect((await checked({ panel: 'asked@4' }))?.samples.child).to.deep.include({ bases_at_depth: 350, met: true });
  });

  it('may be that of core genes alone, at the coverage threshold', async () => {
    expect(await checked({ panel: 'asked@5', default_level: '30' })).to.deep.include({ depth: 30, percent: null });
    expect((await checked({ panel: 'asked@5', default_level: '31' }))?.samples.child).to.deep.include({
      met: false,
      core_genes_incomplete: [{ symbol: 'GENB', bases: 200, bases_at_depth: 0 }],
    });
  });

  it('is not met if a gene of the panel could not be measured', async () => {
    const found = await checked({ panel: 'asked@6' });
    expect(found?.genes_not_measured).to.deep.equal(['NOWHERE']);
    expect(found?.samples.child).to.deep.include({ bases: 350, bases_at_depth: 300, met: false });
  });

  it('does not count genes that the form adds, nor those of a confidence that is not reported', async () => {
    const added = await checked({ panel: 'asked@1', hgnc_gene_ids: '103' });
    expect(added?.samples.child).to.deep.include({ bases: 350, bases_at_depth: 300 });
    // With GENC (red) 600 / 650 = 92.31 %; without 85.71 %, as above.
    expect((await checked({ panel: 'asked@7' }))?.samples.child).to.deep.include({ bases: 650, met: true });
    const green = await checked({ panel: 'asked@7', panel_confidence: 'amber' });
    expect(green?.samples.child).to.deep.include({ bases: 350, met: false });
  });

  it('counts genes that a sample is not expected to have, and names them as such', async () => {
    // (100 + 200) / (150 + 200 + 100) = 66.67 %; without GENY, 85.71 %.
    const ofY = { symbol: 'GENY', bases: 100, bases_at_depth: 0, not_expected: true };
    expect((await checked({ panel: 'asked@8' }))?.samples.child).to.deep.equal({
      ...{ bases: 450, bases_at_depth: 300, met: true, core_genes_incomplete: [] },
      genes_below_95_percent: [{ symbol: 'GENA', bases: 150, bases_at_depth: 100 }, ofY],
    });
    // (100 + 0) / (150 + 100) = 40 %, but a core gene lacks bases.
    expect((await checked({ panel: 'asked@9' }))?.samples.child).to.deep.include({
      ...{ bases: 250, bases_at_depth: 100, met: false, core_genes_incomplete: [ofY] },
    });
    const page = await (await world.ask('report', { panel: 'asked@8' })).text();
    expect(page).to.include('GENY (not expected)').and.include(en.copies.requirement);
    const csv = await (await world.ask('report', { panel: 'asked@9', format: 'csv', table: 'requirement' })).text();
    expect(csv).to.include('child,40,transcripts,no,GENY (not expected),GENA 66.67 %,asked@9');
  });

  it('is shown on the page and in CSV, and nowhere for a panel that requires nothing', async () => {
    const page = await (await world.ask('report', { panel: 'asked@3' })).text();
    expect(page).to.include('Requirement of the panel').and.include('85.00 % of its bases at 15× or more');
    const csv = await (await world.ask('report', { panel: 'asked@3', format: 'csv', table: 'requirement' })).text();
    const [head, row, ...more] = csv.trim().split(/\r?\n/);
    expect(head).to.equal(
      'sample,completeness_percent,bases_counted,required,core_genes,genes_below,panel,panel_state,panel_sha256,panel_gene_names',
    );
    expect(row).to.match(/^child,85\.71,transcripts,no,GENA 66\.67 %,,asked@3,signed off,/);
    expect(more).to.deep.equal([]);
    expect(await checked({ panel: 'heart' })).to.equal(undefined);
    expect(await (await world.ask('report', { panel: 'heart' })).text()).not.to.include('Requirement of the panel');
    expect(await checked({ hgnc_gene_ids: '101' })).to.equal(undefined);
  });
});
