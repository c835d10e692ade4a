import { expect } from 'chai';
import fc from 'fast-check';
import type { GeneRecord, GeneTable } from '../../../../plugins/matchmaker/resources/genes.js';
import { read, refusal, resourcesOf } from './support/build.js';
import { completeResources, describeWithShared } from './support/shared.js';

const header = 'hgnc_id\tsymbol\tname\tstatus\talias_symbol\tprev_symbol\tdate_modified\tentrez_id\tensembl_gene_id';

function hgnc(...rows: string[][]): string {
  return `${header}\n${rows.map((row) => row.join('\t')).join('\n')}\n`;
}

/** The complete set as HGNC writes it, lists in quotes. */
const set = hgnc(
  [
    'HGNC:4556',
    'GPX4',
    'glutathione peroxidase 4',
    'Approved',
    '"MCSP|PHGPx"',
    '',
    '2023-01-20',
    '2879',
    'ENSG00000167468',
  ],
  [
    'HGNC:6215',
    'KARS1',
    'lysyl-tRNA synthetase 1',
    'Approved',
    'KARS2',
    '"DFNB89|KARS"',
    '2024-02-01',
    '3735',
    'ENSG00000065427',
  ],
  ['HGNC:9', 'SHARED', 'x', 'Approved', 'TWIN', 'WAS1', '', '9', ''],
  ['HGNC:10', 'OTHER', 'x', 'Approved', 'TWIN|KARS1|was1b', 'WAS1|GPX4', '2020-01-01', '', ''],
  ['HGNC:11', 'C9orf72', 'x', 'Approved', 'WAS1B', '', '', '', ''],
  ['HGNC:12', 'GONE~withdrawn', 'x', 'Entry Withdrawn', '', '', '', '', ''],
);

const symbolOf = (genes: GeneTable, id: string): string | undefined => genes.resolve(id)?.symbol;

describe('matchmaker genes', () => {
  it('are found by any id and symbol', async () => {
    const { genes } = await resourcesOf(set);
    expect(genes.size).to.equal(5);
    const gpx4: GeneRecord = {
      number: 0,
      symbol: 'GPX4',
      ensembl: 'ENSG00000167468',
      hgnc: 'HGNC:4556',
      entrez: '2879',
    };
    const forms = [
      'ENSG00000167468',
      'ENSG00000167468.12',
      'ensg00000167468',
      'ENSG00000167468.3_PAR_Y',
      'HGNC:4556',
      'hgnc:4556',
      'NCBIGene:2879',
      'ncbigene:2879',
      'Entrez:2879',
      'GeneID:2879',
      '2879',
      'GPX4',
      'gpx4',
      ' GPX4 ',
      'phgpx',
    ];
    for (const form of forms) expect(genes.resolve(form), form).to.deep.equal(gpx4);
    expect(symbolOf(genes, 'c9ORF72')).to.equal('C9orf72');
    expect(genes.resolve('HGNC:11')).to.deep.equal({ number: 4, symbol: 'C9orf72', hgnc: 'HGNC:11' });
    for (const none of [
      '',
      '0',
      'HGNC:2879',
      'HGNC:0',
      'NCBIGene:4556',
      'ENSG00000000000',
      'ENST00000167468',
      'GONE',
      'constructor',
    ]) {
      expect(genes.resolve(none), none).to.equal(undefined);
    }
  });

  it('are ranked: approved symbol, previous symbol, alias', async () => {
    const { genes } = await resourcesOf(set);
    expect(symbolOf(genes, 'KARS')).to.equal('KARS1');
    expect(symbolOf(genes, 'KARS1'), 'an alias of another').to.equal('KARS1');
    expect(symbolOf(genes, 'GPX4'), 'a previous symbol of another').to.equal('GPX4');
    expect(symbolOf(genes, 'KARS2')).to.equal('KARS1');
  });

  it('are never guessed if several match', async () => {
    const { genes } = await resourcesOf(set);
    const named = (id: string) => genes.candidates(id).map(({ symbol }) => symbol);
    for (const id of ['TWIN', 'twin', 'WAS1', 'WAS1B']) expect(genes.resolve(id), id).to.equal(undefined);
    expect(named('TWIN')).to.deep.equal(['SHARED', 'OTHER']);
    expect(named('WAS1')).to.deep.equal(['SHARED', 'OTHER']);
    expect(named('was1b')).to.deep.equal(['OTHER', 'C9orf72']);
    for (const id of ['GPX4', 'nothing', '9']) expect(named(id), id).to.deep.equal([]);
  });

  it('that are not in the table still have one spelling', async () => {
    const { genes } = await resourcesOf(set);
    const spellings = [
      'ENSG00000999999.2',
      'ensg00000999999',
      'HGNC:007',
      'hgnc:7',
      '12345',
      'Entrez:12345',
      ' abc1 ',
      'ABC1',
    ];
    expect(spellings.map((id) => genes.spelling(id))).to.deep.equal([
      'ENSG00000999999',
      'ENSG00000999999',
      'HGNC:7',
      'HGNC:7',
      'NCBIGene:12345',
      'NCBIGene:12345',
      'ABC1',
      'ABC1',
    ]);
  });

  it('refuse numbers of no gene', async () => {
    const { genes } = await resourcesOf(set);
    for (const number of [-1, 5, 0.5]) expect(() => genes.gene(number)).to.throw(RangeError);
  });

  it('resolve as a linear search through the list would, for any table', async () => {
    const symbol = fc.constantFrom('A', 'b', 'B', 'C1', 'é', 'Z9', 'AA', '~');
    const row = fc.record({
      symbol,
      id: fc.nat({ max: 4 }),
      previous: fc.array(symbol, { maxLength: 2 }),
      aliases: fc.array(symbol, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const lines = rows.map(({ symbol, id, previous, aliases }) => [
          `HGNC:${id + 1}`,
          symbol,
          '',
          'Approved',
          aliases.join('|'),
          previous.join('|'),
          '',
          '',
          '',
        ]);
        const { genes } = await resourcesOf(hgnc(...lines));
        for (const wanted of ['a', 'B', 'c1', 'É', 'z9', 'aa', '~', 'none']) {
          const same = (text: string) => text.toUpperCase() === wanted.toUpperCase();
          const ranks = [
            rows.flatMap(({ symbol }, i) => (same(symbol) ? i : [])),
            rows.flatMap(({ previous }, i) => (previous.some(same) ? i : [])),
            rows.flatMap(({ aliases }, i) => (aliases.some(same) ? i : [])),
          ];
          const found = ranks.find((rank) => rank.length > 0) ?? [];
          expect(genes.resolve(wanted)?.number).to.equal(found.length === 1 ? found[0] : undefined);
          expect(genes.candidates(wanted).map(({ number }) => number)).to.deep.equal(found.length > 1 ? found : []);
        }
        for (let id = 0; id < 5; id++) {
          const found = rows.flatMap((each, i) => (each.id === id ? i : []));
          expect(genes.resolve(`HGNC:${id + 1}`)?.number).to.equal(found.length === 1 ? found[0] : undefined);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('matchmaker gene files', () => {
  it('take their version from the latest change, or from their name', async () => {
    expect(await read(set)).to.include({ kind: 'genes', version: '2024-02-01', entries: 5 });
    expect(await read(set, 'hgnc_complete_set_2026-10-07.txt')).to.include({ version: '2026-10-07' });
  });

  it('may be merged tables, in which two lines for one gene become one', async () => {
    const table = [
      'ensembl\thgnc\tentrez\tsymbol\tprev_symbols\talias_symbols\tsource',
      '\tHGNC:137\t64\tACTBP4\tOLD\t\thgnc',
      'ENSG00000286676\t\t\tACTBP4\t\tNICK\tensembl',
      'ENSG00000271880\tHGNC:29421\t119385\tAGAP11\t\t\thgnc',
      'ENSG00000261011\t\t\tAGAP11\t\t\tensembl',
      'ENSG00000000001\t\t\tY_RNA\t\t\tensembl',
      'ENSG00000000002\t\t\tY_RNA\t\t\tensembl',
    ].join('\n');
    const { genes } = await resourcesOf(table);
    expect(genes.size).to.equal(5);
    const whole: GeneRecord = {
      number: 0,
      symbol: 'ACTBP4',
      ensembl: 'ENSG00000286676',
      hgnc: 'HGNC:137',
      entrez: '64',
    };
    for (const id of ['ACTBP4', 'OLD', 'NICK', 'ENSG00000286676', 'HGNC:137'])
      expect(genes.resolve(id)).to.deep.equal(whole);
    expect(genes.resolve('AGAP11')?.hgnc, 'approved by HGNC').to.equal('HGNC:29421');
    expect(genes.resolve('ENSG00000261011')?.hgnc).to.equal(undefined);
    expect(genes.resolve('Y_RNA'), 'one of two').to.equal(undefined);
  });

  it('are refused with file and line if invalid', async () => {
    const row = ['HGNC:1', 'A', '', 'Approved', '', '', '', '1', 'ENSG00000000001'];
    const wrong = (column: number, value: string) => hgnc(row.map((cell, i) => (i === column ? value : cell)));
    const cases: [text: string, reason: RegExp][] = [
      [wrong(0, 'HGNC:x'), /^genes\.txt, line 2: "HGNC:x" is not an HGNC id$/],
      [wrong(7, 'x'), /line 2: "x" is not an Entrez gene id/],
      [wrong(8, 'ENST00000000001'), /line 2: "ENST00000000001" is not an Ensembl gene id/],
      [wrong(1, ''), /line 2: the symbol is missing/],
      [`${hgnc(row)}HGNC:2\tB\n`, /line 3: expected 9 columns, found 2/],
      [`${header}\n`, /this file has no genes/],
      [hgnc(row).replace('\tprev_symbol', '\tprevious'), /line 1: the column "prev_symbol" is missing/],
    ];
    for (const [text, reason] of cases) expect(await refusal(read(text, 'genes.txt'))).to.match(reason);
  });
});

describeWithShared('matchmaker: all genes', () => {
  it('resolve the genes of the benchmark patients and of the reference', async () => {
    const { genes } = await completeResources();
    const expected: [id: string, symbol: string, ensembl: string][] = [
      ['KARS', 'KARS1', 'ENSG00000065427'],
      ['3735', 'KARS1', 'ENSG00000065427'],
      ['GARS', 'GARS1', 'ENSG00000106105'],
      ['SGOL1', 'SGO1', 'ENSG00000129810'],
      ['AAGAB', 'AAGAB', 'ENSG00000103591'],
      ['ENSG00000103591', 'AAGAB', 'ENSG00000103591'],
      ['SKI', 'SKI', 'ENSG00000157933'],
      ['ngly1', 'NGLY1', 'ENSG00000151092'],
      ['NCBIGene:2879', 'GPX4', 'ENSG00000167468'],
    ];
    for (const [id, symbol, ensembl] of expected) expect(genes.resolve(id), id).to.include({ symbol, ensembl });
    expect(genes.size).to.be.within(45_000, 45_566);
  });

  it('resolve each gene by its own ids', async () => {
    const { genes } = await completeResources();
    let ambiguous = 0;
    for (let number = 0; number < genes.size; number++) {
      const { ensembl, hgnc, entrez } = genes.gene(number);
      for (const id of [ensembl, hgnc, entrez]) {
        if (id === undefined) continue;
        const found = genes.resolve(id);
        if (found === undefined) ambiguous++;
        else if (found.number !== number) expect(found, id).to.include({ number });
      }
    }
    expect(ambiguous, 'ENSG00000230417 stands in two lines').to.equal(2);
  });
});
