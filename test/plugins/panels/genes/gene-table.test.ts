import { expect } from 'chai';
import { type GeneByName, GeneTable } from '../../../../plugins/panels/genes/gene-table.js';
import { checkGenes } from '../../../../plugins/panels/genes/genes-in-panels.js';
import { readApproved, readWithdrawn } from '../../../../plugins/panels/genes/hgnc.js';
import { approved, withdrawn } from '../support/hgnc.js';

const table = new GeneTable(
  readApproved({ name: 'hgnc_complete_set.txt', text: approved }).genes,
  readWithdrawn({ name: 'withdrawn.txt', text: withdrawn }),
);

/** The symbol and the note, or why there is none and what may be meant. */
function resolved(given: GeneByName, from = table): unknown[] {
  const found = from.resolve(given);
  return 'gene' in found ? [found.gene.symbol, found.note] : [found.why, found.candidates];
}

describe('names of genes', () => {
  it('are not read from a download that failed, which is named', () => {
    const lines = approved.trimEnd().split('\n');
    for (const text of ['<!DOCTYPE html>', '503 Service Unavailable', 'Query ERROR: caught BioMart::Exception']) {
      const broken = [...lines.slice(0, 3), text].join('\n');
      expect(() => readApproved({ name: 'set.txt', text: broken })).to.throw('set.txt, line 4: the download failed');
    }
  });

  it('have Ensembl ids, as far as HGNC states them', () => {
    const lines = approved.split('\n');
    const ids = ['ensembl_gene_id', 'ENSG00000163930', '', 'ENSG00000118058', 'ENSG00000163930'];
    const text = lines.map((line, i) => `${line}\t${ids[i] ?? ''}`).join('\n');
    const set = readApproved({ name: 'set.txt', text }).genes;
    const from = GeneTable.unpack(new GeneTable(set, []).pack());
    expect(resolved({ symbol: 'ENSG00000118058.24' }, from)).to.deep.equal(['KMT2A', 'ENSG00000118058.24 is KMT2A']);
    expect(resolved({ hgnc: 7132, symbol: 'ensg00000118058' }, from)).to.deep.equal(['KMT2A', undefined]);
    expect(resolved({ hgnc: 4982, symbol: 'ENSG00000118058' }, from)).to.deep.equal([
      'HGNC:4982 is HMBS, but ENSG00000118058 is HGNC:7132',
      [4982, 7132],
    ]);
    expect(resolved({ symbol: 'ENSG00000163930' }, from)).to.deep.equal([
      'ENSG00000163930 is the Ensembl id of several genes',
      [950, 8847],
    ]);
    expect(resolved({ symbol: 'ENSG00000000001' }, from)).to.deep.equal(['ENSG00000000001 is unknown', []]);
    expect(resolved({ symbol: 'ENSG00000118058' })[0]).to.include('names of genes in use have no Ensembl ids');
  });

  for (const [given, expected] of [
    [{ hgnc: 950 }, ['BAP1', undefined]],
    [{ hgnc: 950, symbol: 'BAP1' }, ['BAP1', undefined]],
    [{ symbol: 'bap1' }, ['BAP1', undefined]],
    [{ symbol: 'C1ORF112' }, ['C1orf112', undefined]],
    // A former symbol of one gene.
    [{ symbol: 'MLL' }, ['KMT2A', 'MLL is now KMT2A']],
    [{ symbol: 'MLL1' }, ['KMT2A', 'MLL1 is now KMT2A']],
    [{ hgnc: 7132, symbol: 'MLL' }, ['KMT2A', 'MLL is now KMT2A']],
    // Of two genes; an alias; an alias of two; unknown.
    [{ symbol: 'MAGIC' }, ['MAGIC is a former symbol of 2 genes', [11, 24599]]],
    [{ symbol: 'GIG13' }, ['GIG13 is an alias, which is not certain', [8847]]],
    [{ symbol: 'UCHL2' }, ['UCHL2 is an alias, which is not certain', [11, 950]]],
    [{ symbol: 'NOGENE' }, ['NOGENE is unknown', []]],
    [{ hgnc: 77777 }, ['HGNC:77777 is unknown', []]],
    [{}, ['has neither id nor symbol', []]],
    // The id decides, unless the symbol is that of another gene.
    [{ hgnc: 950, symbol: 'WRONG' }, ['BAP1', 'HGNC:950 is BAP1, not WRONG']],
    [{ hgnc: 950, symbol: 'PER3' }, ['HGNC:950 is BAP1, but PER3 is HGNC:8847', [950, 8847]]],
    // Withdrawn, merged (also by two steps), split, and entries that name each other.
    [{ hgnc: 1 }, ['HGNC:1 (A1S9T) was withdrawn', []]],
    [{ symbol: 'A1S9T' }, ['HGNC:1 (A1S9T) was withdrawn', []]],
    [{ hgnc: 2 }, ['BAP1', 'HGNC:2 (OLDBAP) was merged into HGNC:950 (BAP1)']],
    [{ hgnc: 4, symbol: 'CHAIN' }, ['BAP1', 'HGNC:4 (CHAIN) was merged into HGNC:950 (BAP1)']],
    [{ hgnc: 3 }, ['HGNC:3 (SPLIT) was split into HGNC:950 (BAP1), HGNC:8847 (PER3)', [950, 8847]]],
    [{ hgnc: 5 }, ['HGNC:5 (ROUND) was withdrawn', []]],
  ] as [GeneByName, unknown[]][]) {
    it(`say what ${JSON.stringify(given)} means`, () => {
      const [first, second] = resolved(given);
      const candidates = Array.isArray(expected[1]) ? [...expected[1]].sort((a, b) => a - b) : expected[1];
      expect([first, second]).to.deep.equal([expected[0], candidates]);
      expect(resolved(given, GeneTable.unpack(table.pack())), 'after storing').to.deep.equal([first, second]);
    });
  }

  it('tell what became of the genes of a panel', () => {
    const genes = [
      { hgnc: 950, symbol: 'BAP1' },
      { hgnc: 7132, symbol: 'MLL' },
      { hgnc: 2, symbol: 'OLDBAP' },
      { hgnc: 1, symbol: 'A1S9T' },
      { hgnc: 11, symbol: 'OTHER' },
    ];
    expect(checkGenes(genes, table).map(({ symbol, what }) => [symbol, what])).to.deep.equal([
      ['MLL', 'renamed'],
      ['OLDBAP', 'merged'],
      ['A1S9T', 'withdrawn'],
      ['OTHER', 'non-coding'],
    ]);
  });

  it('are of the release in the file’s name, or else of the latest change', () => {
    expect(readApproved({ name: 'hgnc_complete_set_2026-11-01.txt', text: approved }).release).to.equal('2026-11-01');
    expect(readApproved({ name: 'hgnc_complete_set.txt', text: approved }).release).to.equal('2024-10-29');
  });

  for (const [what, text, sentence] of [
    ['no header', 'HGNC:950\tBAP1', 'set.txt, line 1: the column "hgnc_id" is missing'],
    ['no id', `${approved}\nX:1\tA\t\t\t\t\t\t`, 'set.txt, line 8: "X:1" is not an HGNC id'],
    ['a gene twice', `${approved}\nHGNC:950\tBAP1`, 'set.txt, line 8: HGNC:950 is there twice'],
    ['no gene', approved.split('\n')[0] ?? '', 'set.txt: there are no approved genes in it'],
    ['nothing', '', 'set.txt: it is empty'],
  ] as const) {
    it(`are refused with file and line if there is ${what}`, () => {
      expect(() => readApproved({ name: 'set.txt', text })).to.throw(sentence);
    });
  }
});
