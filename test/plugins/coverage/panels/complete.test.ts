/** Panels at random against a naive model: no entry is lost, whatever is asked for. */
import { expect } from 'chai';
import fc from 'fast-check';
import { panels } from '../../../../plugins/panels/contract.js';
import type { Confidence, PanelGene } from '../../../../plugins/panels/versions/content.js';
import { useOnce } from '../../../support/use.js';
import { contentOf, openPanelWorld, signedOff } from './support.js';

/** Genes that are loaded, with other names that a form may use. */
const loaded = [
  { hgnc: 101, symbol: 'GENA', names: ['GENA', 'HGNC:101', '101', 'ENSG00000000101'] },
  { hgnc: 102, symbol: 'GENB', names: ['GENB', 'hgnc:102', 'genb'] },
  { hgnc: 103, symbol: 'GENC', names: ['GENC', 'ENSG00000000103.4'] },
];
const absent = [901, 902, 903];

const confidence = fc.constantFrom<Confidence>('green', 'amber', 'red', 'unrated');
const entry = fc.constantFrom(...loaded.map(({ hgnc }) => hgnc), ...absent);
const panel = fc
  .uniqueArray(fc.tuple(entry, confidence), { selector: ([hgnc]) => hgnc, minLength: 1, maxLength: 6 })
  .map((list) => list.map(([hgnc, level]): PanelGene => ({ hgnc, symbol: `P${hgnc}`, confidence: level })));
const listed = fc.uniqueArray(fc.constantFrom(...loaded.flatMap(({ names }) => names), 'NOSUCH'), { maxLength: 4 });
const asked = fc.constantFrom('all', 'amber', 'green');
const left: Readonly<Record<string, readonly string[]>> = { all: [], amber: ['red'], green: ['red', 'amber'] };

interface Report {
  intervals: { gene: string }[];
  genes_not_found: { gene: string }[];
  panel_version: {
    genes: { hgnc: string }[];
    genes_beside: string[];
    not_covered: { hgnc: string; reason: string }[];
  };
}

describe('reports on panels: every entry', function () {
  this.timeout(60_000);
  const world = useOnce(() => openPanelWorld());

  it('is measured, or listed with the reason; and so is every gene of the form', async () => {
    let version = 0;
    await fc.assert(
      fc.asyncProperty(panel, listed, asked, async (genes, form, level) => {
        version += 1;
        await world.server.repository(panels).add(signedOff('random', String(version), contentOf(genes)));
        const chosen = genes.filter((gene) => !left[level]?.includes(gene.confidence));
        const symbolOf = (id: number) => loaded.find(({ hgnc }) => hgnc === id)?.symbol;
        const ofPanel = chosen.flatMap(({ hgnc }) => symbolOf(hgnc) ?? []);
        const ofForm = form.flatMap((name) => loaded.find(({ names }) => names.includes(name))?.symbol ?? []);
        const fields = {
          panel: `random@${version}`,
          panel_confidence: level,
          hgnc_gene_ids: form.join(','),
          interval_type: 'genes',
        };
        // Without a gene of the confidence, or without one that is loaded, there is nothing to report.
        const isEmpty = chosen.length === 0 || ofPanel.length + ofForm.length === 0;
        const report = await world.json<Report>('report', fields, isEmpty ? 422 : 200);
        if (isEmpty) return;
        expect(new Set(report.intervals.map(({ gene }) => gene))).to.deep.equal(new Set([...ofPanel, ...ofForm]));
        const used = report.panel_version;
        expect(used.genes.map(({ hgnc }) => hgnc).sort()).to.deep.equal(genes.map(({ hgnc }) => `HGNC:${hgnc}`).sort());
        const missing = new Map(used.not_covered.map(({ hgnc, reason }) => [hgnc, reason]));
        for (const { hgnc, confidence: own } of genes) {
          const reason = left[level]?.includes(own) ? 'confidence' : symbolOf(hgnc) ? undefined : 'not-in-build';
          expect(missing.get(`HGNC:${hgnc}`), `${hgnc}`).to.equal(reason);
        }
        const beside = form.filter((name) => {
          const symbol = loaded.find(({ names }) => names.includes(name))?.symbol;
          return symbol === undefined || !ofPanel.includes(symbol);
        });
        expect(used.genes_beside).to.deep.equal(beside);
        expect(report.genes_not_found.filter(({ gene }) => gene === 'NOSUCH')).to.have.length(
          form.includes('NOSUCH') ? 1 : 0,
        );
      }),
      { numRuns: 150 },
    );
  });
});
