/** What becomes of three panels of PanelApp, gene by gene, and of a superpanel of them. */
import { expect } from 'chai';
import { GeneTable } from '../../../../plugins/panels/genes/gene-table.js';
import { readApproved } from '../../../../plugins/panels/genes/hgnc.js';
import { contentOfDraft } from '../../../../plugins/panels/import/drafts.js';
import { readPanelApp } from '../../../../plugins/panels/import/panelapp.js';
import { contentDigest, contentText, type PanelContent } from '../../../../plugins/panels/versions/content.js';
import { approvedOfPanels, panelAppPanels } from './panelapp.js';

const table = new GeneTable(readApproved({ name: 'set.txt', text: approvedOfPanels }).genes, []);
const read = { name: 'panelapp.jsonl', read: '2026-11-23T00:00:00.000Z' };
const confidenceOf: Readonly<Record<string, string>> = { 3: 'green', 2: 'amber', 1: 'red', 0: 'red' };

function imported(value: { name: string }) {
  return contentOfDraft({ ...readPanelApp(value, value.name), name: value.name }, read, {
    table,
    release: '2026-11-01',
  });
}
const counts = ({ genes }: PanelContent) =>
  (['green', 'amber', 'red', 'unrated'] as const).map(
    (level) => genes.filter((one) => one.confidence === level).length,
  );

describe('three panels of PanelApp', () => {
  it('keep every gene that PanelApp counts, with its level', () => {
    for (const panel of panelAppPanels) {
      const { content } = imported(panel);
      const { stats } = panel as unknown as { stats: { number_of_genes: number } };
      expect(content.genes, panel.name).to.have.length(stats.number_of_genes);
      expect(content.unmapped, panel.name).to.equal(undefined);
      for (const { gene_data, confidence_level, mode_of_inheritance, transcript } of panel.genes) {
        const hgnc = Number(gene_data.hgnc_id.slice(5));
        const gene = content.genes.find((one) => one.hgnc === hgnc);
        expect(gene, gene_data.hgnc_id).to.include({
          symbol: gene_data.hgnc_symbol,
          confidence: confidenceOf[confidence_level],
          inheritance: mode_of_inheritance,
        });
        expect(gene?.transcripts, gene_data.hgnc_id).to.deep.equal(transcript ?? undefined);
      }
    }
    expect(panelAppPanels.map((panel) => counts(imported(panel).content))).to.deep.equal([
      [1, 0, 0, 0],
      [52, 7, 10, 0],
      [13, 0, 1, 0],
    ]);
  });

  it('list the gene that the reviewers took off', () => {
    expect(panelAppPanels.flatMap((panel) => imported(panel).notes)).to.deep.equal([
      'CFTR was taken off the panel in PanelApp: it is kept as red',
    ]);
  });

  it('have the digests that people signed', () => {
    // Frozen: another digest for the same content would make signatures worthless.
    expect(panelAppPanels.map((panel) => contentDigest(contentText(imported(panel).content)))).to.deep.equal([
      '7ce417b5317985ee589bda52017c375874a2b24a9bca9d8b862373003c40d48d',
      '022d53922037fde91d188288ada478d4cde40397d05b0148b6cd6dfba2b4a417',
      'b252fbeabaf9d226b0de1995f697420e3b3057f902a721761bee8247d49afac3',
    ]);
  });

  it('are stored as text with members by name', () => {
    const [porphyria] = panelAppPanels;
    if (porphyria === undefined) throw new Error('there is no panel');
    // sha256sum of this text is the first digest above.
    expect(contentText(imported(porphyria).content)).to.equal(
      '{"description":"Gastrohepatology","disorders":["R169"],"genes":[{"confidence":"green","hgnc":4982,' +
        '"inheritance":"BOTH monoallelic and biallelic (but BIALLELIC mutations cause a more SEVERE disease form), ' +
        'autosomal or pseudoautosomal","symbol":"HMBS"}],"name":"Acute intermittent porphyria","names":"2026-11-01",' +
        '"source":{"id":"1207","kind":"panelapp","name":"panelapp.jsonl","read":"2026-11-23T00:00:00.000Z","version":"1.6"}}',
    );
  });

  describe('as one superpanel', () => {
    const [porphyria, rhabdomyolysis, findings] = panelAppPanels as [Panel, Panel, Panel];
    type Panel = (typeof panelAppPanels)[number];
    const within = ({ id, name, version, genes }: Panel) =>
      genes.map((gene) => ({ ...gene, panel: { id, name, version } }));
    const extra = (level: string) => ({
      ...within(porphyria)[0],
      ...{ confidence_level: level, transcript: ['NM_000190.4'] },
      panel: { id: 77, name: 'Made up', version: '1.10' },
    });
    const repeat = (level: string, id: number) => ({
      ...{ entity_name: 'HTT_CAG', confidence_level: level, gene_data: { hgnc_id: 'HGNC:4851' } },
      panel: { id, name: 'Made up', version: '1.10' },
    });
    const superpanel = {
      ...porphyria,
      ...{ id: 900, name: 'All', version: '4.0' },
      genes: [extra('2'), ...within(rhabdomyolysis), ...within(porphyria), ...within(findings), extra('1')],
      strs: [repeat('1', 77), repeat('3', 78)],
    };

    it('has each gene once, by its highest confidence, and names the panels that it comes from', () => {
      const { content, notes } = imported(superpanel);
      expect(content.genes).to.have.length(1 + 69 + 14);
      expect(counts(content)).to.deep.equal([66, 7, 11, 0]);
      const hmbs = content.genes.find(({ symbol }) => symbol === 'HMBS');
      expect(hmbs).to.deep.include({
        confidence: 'green',
        transcripts: ['NM_000190.4'],
        from: [
          'Acute intermittent porphyria 1.6 (panelapp-1207): green',
          'Made up 1.10 (panelapp-77): amber',
          'Made up 1.10 (panelapp-77): red',
        ],
      });
      expect(content.genes.find(({ symbol }) => symbol === 'CFTR')?.from).to.deep.equal([
        'Additional findings health related 0.116 (panelapp-399): red',
      ]);
      expect(notes.filter((note) => note.includes('HMBS'))).to.deep.equal([
        'gene 71: HMBS is listed before; the entry with the higher confidence (green) is kept, from Acute intermittent porphyria 1.6 (panelapp-1207): green; Made up 1.10 (panelapp-77): amber',
        'gene 86: HMBS is listed before; the entry with the higher confidence (green) is kept, from Acute intermittent porphyria 1.6 (panelapp-1207): green; Made up 1.10 (panelapp-77): amber; Made up 1.10 (panelapp-77): red',
      ]);
    });

    it('has each repeat once', () => {
      expect(imported(superpanel).content.others).to.deep.equal([
        {
          ...{ kind: 'str', name: 'HTT_CAG', confidence: 'green', genes: [4851] },
          from: ['Made up 1.10 (panelapp-78): green', 'Made up 1.10 (panelapp-77): red'],
        },
      ]);
    });
  });
});
