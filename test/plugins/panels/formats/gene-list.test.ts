/** Panels from tables and lists: no gene of any cell is lost. */
import { expect } from 'chai';
import fc from 'fast-check';
import { contentOfDraft } from '../../../../plugins/panels/import/drafts.js';
import { readGeneList } from '../../../../plugins/panels/import/gene-list.js';
import { at, geneTable } from '../support/served.js';

const table = geneTable();
const isGene = (symbol: string) => 'gene' in table.resolve({ symbol });
const read = (text: string) => readGeneList({ name: 'list.txt', text }, isGene);

/** Symbols of the genes that were found, and the words of entries without a gene. */
function found(text: string): { genes: string[]; open: string[]; notes: readonly string[] } {
  const given = { name: 'x', ...read(text) };
  const { content, notes } = contentOfDraft(given, { name: 'x', read: at.toISOString() }, { table, release: '1' });
  return {
    genes: content.genes.map(({ symbol }) => symbol).sort(),
    open: (content.unmapped ?? []).map((one) => one.given),
    notes,
  };
}

describe('panels from tables and lists', () => {
  it('have every gene of a list, however many a line has', () => {
    expect(found('BAP1\nHMBS;KMT2A\n')).to.deep.include({ genes: ['BAP1', 'HMBS', 'KMT2A'], open: [] });
    expect(found('BAP1, HMBS,"KMT2A"\tPER3\n').genes).to.have.length(4);
    expect(found('BAP1\nHMBS CHEKK2|HGNC: 8847\n')).to.deep.include({
      genes: ['BAP1', 'HMBS', 'PER3'],
      open: ['CHEKK2'],
    });
    const { genes, notes } = found('# of 2026\nBAP1\n#PER3\n');
    expect([genes, notes]).to.deep.equal([['BAP1'], ['Left out as 2 comments: lines that begin with #']]);
  });

  it('are read with tabs, semicolons and commas, and what is quoted', () => {
    for (const separator of ['\t', ';', ',']) {
      const lines = [
        ['hgnc_id', 'hgnc_symbol', 'comment'],
        ['950', 'BAP1', `"a${separator}b ""c"""`],
        ['', '"PER3"', ''],
      ];
      const { entries } = read(lines.map((cells) => cells.join(separator)).join('\r\n'));
      expect(entries, separator).to.deep.equal([
        { at: 'line 2', confidence: 'unrated', hgnc: 950, symbol: 'BAP1', comment: `a${separator}b "c"` },
        { at: 'line 3', confidence: 'unrated', symbol: 'PER3' },
      ]);
    }
  });

  it('have all genes of a cell', () => {
    expect(found('hgnc_id\tsymbol\n950\tBAP1;PER3\n\tHMBS, NOGENE\n')).to.deep.include({
      genes: ['BAP1', 'HMBS', 'PER3'],
      open: ['NOGENE'],
    });
  });

  it('have the genes of all columns of symbols', () => {
    // Two tables side by side.
    expect(found('gene\tnote\tgene\nBAP1\tx\tHMBS\nKMT2A\ty\t\n')).to.deep.include({
      genes: ['BAP1', 'HMBS', 'KMT2A'],
      open: [],
    });
    expect(() => read('hgnc_id;symbol;hgnc_id\n950;BAP1;4982\n')).to.throw(
      'list.txt, line 1: two columns of the header are called "hgnc_id"',
    );
    expect(
      found('gene,hgnc_symbol,Gene name\nKMT2A,MLL,in words\nPER3,,x\n8314,BAP1,x\nHMBS,BAP1,x\n'),
    ).to.deep.include({
      genes: ['BAP1', 'HMBS', 'KMT2A', 'PER3'],
      open: [],
    });
    expect(found('Gene stable ID,Gene name\nENSG00000163930,BAP1\n').genes).to.deep.equal(['BAP1']);
  });

  it('refuse what they would lose', () => {
    for (const [text, why] of [
      ['hgnc_id,symbol\n950,BAP1,PER3\n', 'line 2: expected 2 cells, as in the header, found 3'],
      ['symbol\t\nBAP1\tPER3\n', 'line 2: the column of "PER3" has no title in the header'],
      ['symbol,BAP1\nPER3,x\n', 'line 1: expected titles of columns, found the gene "BAP1" among them'],
      ['symbol,comment\nBAP1,"x\nPER3"\n', 'line 2: expected a quotation mark at the end of a cell'],
      [
        'BAP1\tAD\tred eyes\n',
        'line 1: expected a header with hgnc_id or symbol, or a list of genes; "AD" is not a gene',
      ],
    ] as const)
      expect(() => read(text), text).to.throw(`list.txt, ${why}`);
  });

  it('have as many genes as were put in: found, without a gene, or refused', () => {
    const known = { BAP1: 'BAP1', 'HGNC:8847': 'PER3', '4982': 'HMBS', mll: 'KMT2A', C1ORF112: 'C1orf112' };
    const unknown = ['GIG13', 'NOGENE', 'HGNC:77', 'MAGIC'];
    const word = fc.constantFrom(...Object.keys(known), ...unknown);
    const quoted = fc.tuple(word, fc.constantFrom('', '"', ' ')).map(([text, mark]) => `${mark}${text}${mark}`);
    const cell = fc.oneof({ weight: 4, arbitrary: quoted }, { weight: 1, arbitrary: fc.constant('') });
    const line = fc
      .tuple(fc.array(cell, { minLength: 1, maxLength: 3 }), fc.constantFrom('\t', ',', ';'))
      .map(([cells, separator]) => cells.join(separator));
    const header = fc.constantFrom(
      '',
      'symbol\n',
      'gene,comment\n',
      '#hgnc_symbol\t\n',
      'symbol;gene\n',
      '##version=2\n\n',
    );
    let accepted = 0;
    fc.assert(
      fc.property(header, fc.array(line, { minLength: 1, maxLength: 6 }), (head, lines) => {
        const text = head + lines.join('\n');
        const put = new Set(lines.join(' ').match(/[\w:]+/g) ?? []);
        let got: ReturnType<typeof found>;
        try {
          got = found(text);
        } catch (cause) {
          expect((cause as Error).message).to.match(/^list\.txt(?:, line \d+)?: /);
          return;
        }
        accepted++;
        // A second column of comments is kept as such.
        if (head.includes('comment')) return;
        // An id beside a symbol, in a further column of symbols, is of the line's gene: a note says that it is not read.
        if (head === 'symbol;gene\n') {
          expect(got.notes).to.include('Of further columns of symbols, numbers and Ensembl ids are not read');
          put.delete('4982');
          got.open = got.open.filter((one) => one !== '4982');
        }
        for (const one of put) {
          // In a column of symbols, a number may be the id of another database.
          const isForeign = one === '4982' && /symbol|gene/.test(head);
          const gene = isForeign ? undefined : Object.entries(known).find(([name]) => name === one)?.[1];
          expect(gene === undefined ? got.open : got.genes, `${one} of ${JSON.stringify(text)}`).to.include(
            gene ?? one,
          );
        }
        expect(got.genes.length + new Set(got.open).size).to.equal(put.size);
      }),
      { numRuns: 300 },
    );
    expect(accepted).to.be.greaterThan(50);
  });
});
