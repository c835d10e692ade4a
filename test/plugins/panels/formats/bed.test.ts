/** Panels from BED files: names of every common form, and exports read again. */
import { expect } from 'chai';
import fc from 'fast-check';
import { bedOfPanel } from '../../../../plugins/panels/genes/bed-export.js';
import { GeneTable } from '../../../../plugins/panels/genes/gene-table.js';
import { readApproved, readWithdrawn } from '../../../../plugins/panels/genes/hgnc.js';
import { isBed, misplacedLines, readBed } from '../../../../plugins/panels/import/bed.js';
import { contentOfDraft } from '../../../../plugins/panels/import/drafts.js';
import type { PanelContent } from '../../../../plugins/panels/versions/content.js';
import { draftVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import type { GeneStructures } from '../../../../plugins/services/coverage.js';
import { approved, withdrawn } from '../support/hgnc.js';

const at = new Date('2026-11-02T10:00:00Z');
const table = new GeneTable(
  readApproved({
    name: 'set.txt',
    text: [
      approved,
      'HGNC:2898\tDLD\tdihydrolipoamide dehydrogenase\tprotein-coding gene\tApproved\tE3\t\t2023-01-20',
      'HGNC:1358\tC9\tcomplement C9\tprotein-coding gene\tApproved\t\t\t2023-01-20',
    ].join('\n'),
  }).genes,
  readWithdrawn({ name: 'withdrawn.txt', text: withdrawn }),
);
const meaningOf = (symbol: string) => {
  const found = table.resolve({ symbol });
  return 'gene' in found ? { hgnc: found.gene.hgnc } : found;
};

function read(...lines: string[]) {
  return readBed({ name: 'kit.bed', text: lines.join('\n') }, meaningOf);
}
const named = (name: string) => read(`chr3\t100\t200\t${name}`).entries;

describe('panels from BED', () => {
  it('are told from tables and lists', () => {
    for (const text of [
      'chr1\t1\t2',
      '# x\ntrack name=a\n\nchr1 1 2 BAP1\n',
      '1\t10\t20\tBAP1\t0\t+\r\n',
      'Chr Start End\n1 2 3',
    ]) {
      expect(isBed(text), text).to.equal(true);
    }
    for (const text of [
      '',
      'chrom\tstart\tend\tgene\n1\t2\t3\tBAP1',
      'BAP1\n',
      'hgnc_id\tsymbol\n950\tBAP1',
      '950\tBAP1\t1',
      '##panel_id=x\n#hgnc_id\n950',
      '# only',
    ]) {
      expect(isBed(text), text).to.equal(false);
    }
  });

  it('have the genes that names mean', () => {
    const entry = { at: 'line 1', confidence: 'unrated' };
    expect(named('BAP1')).to.deep.equal([{ ...entry, symbol: 'BAP1' }]);
    expect(named('mll')).to.deep.equal([{ ...entry, symbol: 'mll' }]);
    expect(named('HGNC:950')).to.deep.equal([{ ...entry, hgnc: 950 }]);
    expect(named('hgnc:950|BAP1')).to.deep.equal([{ ...entry, hgnc: 950, symbol: 'BAP1' }]);
    expect(named('BAP1_exon3')).to.deep.equal([{ ...entry, symbol: 'BAP1' }]);
    expect(named('ex3 (BAP1)')).to.deep.equal([{ ...entry, symbol: 'BAP1' }]);
    expect(named('BAP1:NM_004656.4:7')).to.deep.equal([{ ...entry, symbol: 'BAP1', transcripts: ['NM_004656.4'] }]);
    expect(named('NM_004656.4_BAP1_ex7,ENST00000460680')).to.deep.equal([
      { ...entry, symbol: 'BAP1', transcripts: ['NM_004656.4', 'ENST00000460680'] },
    ]);
    expect(named('BAP1;NM_004656.4')).to.deep.equal([{ ...entry, symbol: 'BAP1', transcripts: ['NM_004656.4'] }]);
    // Of two genes it is not certain which one wants the transcript: an entry that blocks signing.
    expect(named('BAP1;PER3;NM_004656').map(({ symbol }) => symbol)).to.deep.equal(['BAP1', 'PER3', 'NM_004656']);
    expect(named('BAP1,PER3;HGNC:4982')).to.deep.equal([
      { ...entry, symbol: 'BAP1' },
      { ...entry, symbol: 'PER3' },
      { ...entry, hgnc: 4982 },
    ]);
  });

  it('have the genes of names as kits, designs and Scout write them', () => {
    const genesOf = (...lines: string[]) =>
      read(...lines).entries.map(({ hgnc, symbol }) => [hgnc, symbol].filter(Boolean).join(' '));
    for (const [name, genes] of [
      // Agilent
      ['mRNA|JX093079,ens|ENST00000460680,ref|BAP1,ref|NM_004656,ccds|CCDS2853.1', ['BAP1']],
      ['ref|BAP1,ref|PER3', ['BAP1', 'PER3']],
      ['ens|ENST00000460680,mRNA|AF161376', ['ens|ENST00000460680,mRNA|AF161376']],
      // Illumina, Roche, and attributes
      ['BAP1.chr3.52401013.52401100', ['BAP1']],
      ['BAP1_1', ['BAP1']],
      ['gene_name=BAP1;transcript_id=ENST00000460680;exon=3', ['BAP1']],
      ['"PER3"', ['PER3']],
      ['HGNC:950_HGNC:8847', ['HGNC:950_HGNC:8847']],
      ['HGNC:950|PER3|x', ['950 PER3']],
      ['HGNC:950_PER3', ['HGNC:950_PER3']],
    ] as const)
      expect(genesOf(`chr3\t100\t200\t${name}`), name).to.deep.equal(genes);
    // Ion Torrent: amplicons have names, genes are in the last column.
    expect(
      genesOf('chr3\t1\t9\tAMPL715\t.\tGENE_ID=BAP1;Pool=1', 'chr3\t1\t9\tAMPL7\t0\t+\t.\tGENE_ID=PER3,HMBS'),
    ).to.deep.equal(['BAP1', 'PER3', 'HMBS']);
    const scout = ['##genome_build=37', '##contig=1', '#chromosome\tgene_start\tgene_stop\thgnc_id\thgnc_symbol'];
    expect(genesOf(...scout, '3\t52435029\t52444366\t950\tBAP1', '1\t7844380\t7905237\t\tPER3')).to.deep.equal([
      '950 BAP1',
      'PER3',
    ]);
    expect(() => genesOf(...scout, '3\t1\t2\tBAP1\t950')).to.throw('kit.bed, line 4: "BAP1" is not an HGNC id');
    const nameless = read(
      'chr3\t99\t200\tCEX-chr3-100-200',
      'chr3\t1\t2\t-',
      '3\t1\t2\tchr3:2-2',
      '3\t1\t2\tBAP1\tx\tsee',
    );
    expect(nameless.others?.map(({ name }) => name)).to.deep.equal(['chr3:100-200', 'chr3:2-2', '3:2-2']);
    expect(nameless.notes).to.include(
      'Columns after the fourth are not read: names of genes are expected in the fourth',
    );
    expect(() => read('3\t1\t2\t.\tPER3')).to.throw('line 1: expected the name of the gene in column 4, found "PER3"');
  });

  it('lose nothing of names with several forms of genes, transcripts and exons', () => {
    // What each form may mean by the lines of HGNC above; a transcript has to be wanted, or kept with an open entry.
    const forms: Record<string, readonly number[]> = {
      ...{ BAP1: [950], UCHL2: [950, 11], 'hucep-6': [950], CHAIN: [950], GIG13: [8847], 'HGNC:8847': [8847] },
      ...{ HMBS: [4982], UPS: [4982], mll: [7132], MAGIC: [24599, 11], C9: [1358], NOGENE: [], ex3: [], E3: [], 7: [] },
      ...{ 'NM_004656.4': [], ENST00000460680: [] },
    };
    const separator = fc.constantFrom('_', ';', ',', ' ', ':', '(', '.', '_ex2_');
    const name = fc.array(fc.tuple(fc.constantFrom(...Object.keys(forms)), separator), { minLength: 1, maxLength: 4 });
    const kept = (parts: [form: string, separator: string][]) => {
      const text = parts.map(([form, after], i) => (i < parts.length - 1 ? form + after : form)).join('');
      const { content } = contentOfDraft(
        { ...read(`3\t1\t9\t${text}`), name: 'x' },
        { name: 'x', read: at.toISOString() },
        { table, release: '1' },
      );
      for (const [i, [form, after]] of parts.entries()) {
        const isOpen = (content.unmapped ?? []).some(({ given }) => given.includes(form));
        const isTranscript = /^(?:NM_|ENST)/.test(form);
        // A number behind an id without a version is its version.
        const isVersioned = after === '.' && parts[i + 1]?.[0] === '7' && !form.includes('.');
        const isWanted = content.genes.some(({ hgnc, transcripts = [] }) =>
          isTranscript ? transcripts.includes(isVersioned ? `${form}.7` : form) : forms[form]?.includes(hgnc),
        );
        if (isTranscript || forms[form]?.length) expect(isOpen || isWanted, `${form} of ${text}`).to.equal(true);
      }
    };
    fc.assert(fc.property(name, kept), { numRuns: 2000 });
  });

  it('have one gene if they name it by symbol and alias', () => {
    for (const name of ['BAP1_UCHL2', 'hucep-6_BAP1', 'BAP1_E3', 'CHAIN|BAP1', 'BAP1_NOGENE']) {
      const { content } = contentOfDraft(
        { ...read(`1\t1\t2\t${name}`), name: 'x' },
        { name: 'x', read: at.toISOString() },
        { table, release: '1' },
      );
      expect([content.genes.map(({ hgnc }) => hgnc), content.unmapped], name).to.deep.equal([[950], undefined]);
    }
  });

  it('leave names open that mean no gene, or several', () => {
    // An alias (GIG13), a former symbol of two genes (MAGIC), none, and two genes in one name, be it by an alias or a former symbol.
    for (const name of [
      'GIG13',
      'MAGIC',
      'exon_7',
      'BAP1_PER3',
      'BAP1_GIG13',
      'BAP1_C9',
      'HMBS_MAGIC_ex3',
      'UPS_UCHL2',
      // Not a position on chromosome 6: an alias of BAP1 with numbers behind it.
      'hucep-6_7_7',
    ]) {
      const given = read(`1\t1\t2\t${name}`);
      expect(
        given.entries.map(({ symbol }) => symbol),
        name,
      ).to.deep.equal([name]);
      const { content } = contentOfDraft(
        { ...given, name: 'x' },
        { name: 'x', read: at.toISOString() },
        { table, release: '1' },
      );
      expect([content.genes, content.unmapped?.[0]?.given], name).to.deep.equal([[], name]);
    }
  });

  it('have each gene once, with the transcripts of all of its lines, and say how names were read', () => {
    const given = read(
      ...[
        'track name="kit"',
        '# a kit',
        '3\t1\t9\tBAP1_NM_1000001.2',
        '3\t20\t30\tBAP1_ENST00000460680',
        '1\t5\t6\tPER3',
      ],
    );
    expect(given.entries).to.deep.equal([
      {
        ...{ at: 'line 3', confidence: 'unrated', symbol: 'BAP1' },
        transcripts: ['NM_1000001.2', 'ENST00000460680'],
      },
      { at: 'line 5', confidence: 'unrated', symbol: 'PER3' },
    ]);
    expect(given.notes).to.deep.equal(['line 3: BAP1_NM_1000001.2 is read as BAP1']);
  });

  describe('with lines beside their genes', () => {
    /** BAP1 (950) and PER3 (8847): zero-based exons; KMT2A (7132) has none. */
    const places: Record<string, Record<number, [chromosome: string, start: number, end: number][]>> = {
      GRCh37: { 950: [['3', 52_400_000, 52_400_100]], 8847: [['1', 7_800_000, 7_800_200]] },
      GRCh38: {
        950: [
          ['3', 52_300_000, 52_300_100],
          ['3', 52_305_000, 52_305_100],
        ],
        8847: [
          ['X', 500, 600],
          ['Y', 500, 600],
        ],
      },
    };
    const structures = (loaded: string[]): Pick<GeneStructures, 'exonsOf'> => ({
      exonsOf: async (build, genes) => ({
        ...{ unmet: [], sets: [] },
        missing: loaded.includes(build) ? [] : genes.map(({ hgnc }) => ({ hgnc, reason: 'no-genes-loaded' as const })),
        transcripts: genes.flatMap(({ hgnc }) =>
          (places[build]?.[hgnc] ?? []).map(([chromosome, start, end]) => ({
            ...{ hgnc, chromosome: chromosome as 'X', transcript: 'ENST1', exons: [{ start, end, rank: 1 }] },
          })),
        ),
      }),
    });
    const { signal } = new AbortController();
    const told = (loaded: string[], ...lines: string[]) =>
      misplacedLines(structures(loaded), read(...lines).lines ?? [], table, signal);

    it('say so, by the build that fits most of them', async () => {
      const on37 = ['chr3\t52400010\t52400090\tBAP1_ex1', '1\t7800000\t7800200\tPER3'];
      expect(await told(['GRCh37', 'GRCh38'], ...on37)).to.deep.equal([]);
      expect(await told(['GRCh38'], ...on37)).to.deep.equal([
        'line 1: chr3:52400011-52400090 is not on BAP1 in GRCh38',
        'line 2: 1:7800001-7800200 is not on PER3 in GRCh38',
      ]);
      // Names of two lines were exchanged, and one is on the right chromosome far away.
      const exchanged = [
        '3\t52400010\t52400090\tPER3',
        '1\t7800000\t7800200\tBAP1',
        '3\t9\t99\tBAP1',
        '1\t7800001\t7800009\tPER3',
      ];
      expect(await told(['GRCh37', 'GRCh38'], ...exchanged)).to.deep.equal([
        'line 1: 3:52400011-52400090 is not on PER3 in GRCh37',
        'line 2: 1:7800001-7800200 is not on BAP1 in GRCh37, and 1 more line of it',
      ]);
    });

    it('allow flanks of 10 kb, both places of a gene on X and Y, and genes of which nothing is known', async () => {
      const [least, greatest] = [52_300_000 - 10_000, 52_305_100 + 10_000];
      expect(
        await told(['GRCh38'], `3\t1000\t${least + 1}\tBAP1`, `3\t${greatest - 1}\t${greatest}\tBAP1`),
      ).to.deep.equal([]);
      expect(await told(['GRCh38'], `3\t1000\t${least}\tBAP1`)).to.have.length(1);
      expect(await told(['GRCh38'], `3\t${greatest}\t${greatest + 1}\tBAP1`)).to.have.length(1);
      expect(await told(['GRCh38'], 'chrX\t510\t520\tPER3', 'chrY\t510\t520\tPER3')).to.deep.equal([]);
      expect(await told(['GRCh38'], '5\t1\t2\tKMT2A', '5\t1\t2\tNOGENE', '5\t1\t2\t.')).to.deep.equal([]);
      expect(await told([], '5\t1\t2\tBAP1')).to.deep.equal([]);
    });
  });

  it('keep lines without a name as regions', () => {
    const { others, notes } = read('chr7\t99\t200', 'chr7\t300\t400\t.', '1\t5\t6\tPER3');
    expect(others?.map(({ kind, name }) => [kind, name])).to.deep.equal([
      ['region', 'chr7:100-200'],
      ['region', 'chr7:301-400'],
    ]);
    expect(notes).to.deep.equal([
      'Lines without a name are regions, which no report looks at, since a BED file states no build: 2',
    ]);
  });

  it('keep what an export says of entries without lines', () => {
    const { entries } = read(
      '# No gene: SPLIT HGNC:3: HGNC:3 was split',
      '# Left out as amber: HGNC:950 BAP1',
      '1\t5\t6\tPER3',
    );
    expect(entries).to.deep.equal([
      { at: 'line 1', confidence: 'unrated', symbol: 'SPLIT HGNC:3' },
      { at: 'line 2', confidence: 'amber', hgnc: 950, symbol: 'BAP1' },
      { at: 'line 3', confidence: 'unrated', symbol: 'PER3' },
    ]);
  });

  it('refuse rubbish with file and line', () => {
    for (const [lines, why] of [
      [['1\t5\t5\tBAP1'], 'kit.bed, line 1: the region has no bases: its start and its end are 5'],
      [
        ['1\t5\t6\tBAP1', '1\tx\t6\tBAP1'],
        'kit.bed, line 2: the start must be a whole number from 0 to 4294967295, found "x"',
      ],
      [['1\t5\t6\tBA\u0000P1'], 'kit.bed, line 1: expected text without control characters'],
      [['1\t5'], 'kit.bed, line 1: expected three columns (chromosome, start, end), separated by tabs or by spaces'],
      [Array.from({ length: 5001 }, () => '1\t5\t6'), 'kit.bed, line 5001: expected at most 5000 lines without a name'],
      [['# nothing'], 'kit.bed: it has no regions'],
    ] as const) {
      expect(() => read(...lines), why).to.throw(why);
    }
  });

  it('are as they were if they were exported before, genes without lines included', () => {
    const ids = [950, 4982, 7132, 8847, 24599];
    const gene = fc.record({
      hgnc: fc.constantFrom(...ids),
      at: fc.nat(1000),
      placed: fc.boolean(),
      red: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(gene, { minLength: 1, selector: ({ hgnc }) => hgnc }),
        fc.nat(200),
        (given, padding) => {
          const genes: PanelContent['genes'] = given.map(({ hgnc, red }) => ({
            ...{ hgnc, symbol: table.gene(hgnc)?.symbol ?? '' },
            confidence: red ? ('red' as const) : ('unrated' as const),
          }));
          const source = { kind: 'person' as const, name: 'anna', read: at.toISOString() };
          const content: PanelContent = { name: 'x', genes, source };
          const wanted = given.filter(({ red }) => !red);
          const exons = {
            transcripts: wanted
              .filter(({ placed }) => placed)
              .map(({ hgnc, at: start }) => ({
                ...{ hgnc, chromosome: '3' as const, transcript: `ENST${String(hgnc).padStart(11, '0')}` },
                exons: [{ start, end: start + 10, rank: 1 }],
              })),
            missing: wanted.filter(({ placed }) => !placed).map(({ hgnc }) => ({ hgnc, reason: 'unknown' as const })),
            ...{ unmet: [], sets: [] },
          };
          const { text } = bedOfPanel(
            draftVersion('x', '1', content, { by: 'anna', at }),
            content,
            genes.filter((one) => one.confidence !== 'red'),
            exons,
            {
              ...{ build: 'GRCh38', choice: 'preferred', padding, prefixed: true, software: '1', now: at },
            },
          );
          const again = contentOfDraft(
            { ...readBed({ name: 'x.bed', text }, meaningOf), name: 'x' },
            { name: 'x.bed', read: at.toISOString() },
            { table, release: '1' },
          );
          const shown = (one: PanelContent) =>
            one.genes.map(({ hgnc, symbol, confidence }) => [hgnc, symbol, confidence]);
          const sorted = { ...content, genes: [...genes].sort((one, two) => one.hgnc - two.hgnc) };
          expect(shown(again.content)).to.deep.equal(shown(sorted));
          expect(again.content.unmapped).to.equal(undefined);
        },
      ),
    );
  });
});
