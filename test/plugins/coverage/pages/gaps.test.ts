/** Regions below the threshold by their names, and genes with incomplete coverage, against numbers counted by hand. */
import { expect } from 'chai';
import type { Batch, Chromosome, Exon, References, Span, Strand } from '../../../../plugins/coverage/contract.js';
import { temporaryFolder } from '../d4/support/folder.js';
import { chromosomesOf, type Run, writeD4 } from '../support/d4.js';
import { type Coverage, serveCoverage } from '../support/serve.js';
import { data, type Fields, post, rowsOf } from './support/post.js';
import { tableOf, titledTable } from './support/tables.js';

const none: References = {
  ...{ refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] },
};

/** The exons and coding parts, relative to this position. */
const origin = 1_000_000;
const coded = [
  { start: 100, end: 120, cds: { start: 108, end: 120 } },
  { start: 200, end: 230, cds: { start: 200, end: 230 } },
  { start: 300, end: 350, cds: { start: 300, end: 310 } },
];

function transcript(
  [gene, id]: [string, string],
  chromosome: Chromosome,
  strand: Strand,
  parts: readonly (Span & { cds?: Span })[],
): Batch {
  const moved = ({ start, end }: Span) => ({ start: origin + start, end: origin + end });
  const exons = parts.map(
    ({ cds, ...span }, i): Exon => ({
      ...{ ensembl: `ENSE${id}${i}`, gene, transcript: id, chromosome, strand, ...moved(span) },
      rank: strand === 1 ? i + 1 : parts.length - i,
      ...(cds === undefined ? {} : { cds: moved(cds) }),
    }),
  );
  const [first, last] = [exons[0], exons.at(-1)];
  const place = { chromosome, strand, start: first?.start ?? 0, end: last?.end ?? 0 };
  return {
    transcripts: [{ ...place, ensembl: id, gene, references: none, isManeSelect: false, isManePlusClinical: false }],
    exons,
  };
}

/*
 * FWD has a second transcript that overlaps the first one, and of which only its exon is known: the gene has
 * 40 + 30 + 50 = 120 distinct bases. REV has the same exons, read backwards. MITO is on a chromosome that no file has.
 */
const genes = [
  { ensembl: 'ENSG00000000001', symbol: 'FWD', chromosome: '1', strand: 1, start: origin, end: origin + 400 },
  { ensembl: 'ENSG00000000002', symbol: 'REV', chromosome: '14', strand: -1, start: origin, end: origin + 400 },
  { ensembl: 'ENSG00000000003', symbol: 'MITO', chromosome: 'MT', strand: 1, start: 100, end: 200 },
] as const;

async function* rows(): AsyncGenerator<Batch> {
  yield { genes };
  yield transcript(['ENSG00000000001', 'ENST00000000001'], '1', 1, coded);
  yield transcript(['ENSG00000000001', 'ENST00000000002'], '1', 1, [{ start: 110, end: 140 }]);
  yield transcript(['ENSG00000000002', 'ENST00000000003'], '14', -1, coded);
  yield transcript(['ENSG00000000003', 'ENST00000000004'], 'MT', 1, [{ start: 100 - origin, end: 200 - origin }]);
}

/** Depth 30 on all genes, but 5 at these positions. */
function runs(prefix: string, low: Readonly<Record<string, readonly [number, number][]>>): Run[] {
  return ['1', '14'].flatMap((chromosome) => {
    const own = low[chromosome] ?? [];
    const edges = [0, ...own.flat(), 400];
    return edges.slice(1).map((end, i) => ({
      ...{ chromosome: prefix + chromosome, begin: origin + (edges[i] ?? 0), end: origin + end },
      depth: i % 2 === 0 ? 30 : 5,
    }));
  });
}

interface Gap {
  gene: string;
  transcript: string;
  exon: number | null;
  coding: string | null;
  sample: string;
  start: number;
  end: number;
}

describe('coverage pages: regions below the threshold', () => {
  const folder = temporaryFolder();
  let server: Coverage;
  let fields: Fields;

  before(async () => {
    const names = ['1', '14'];
    writeD4(folder.path('prefixed.d4'), {
      chromosomes: chromosomesOf('GRCh38', { prefix: true, names }),
      // Across the start codon, from exon 2 into the intron, across the stop codon; and the same of REV.
      runs: runs('chr', {
        '1': [
          [107, 111],
          [225, 260],
          [305, 313],
        ],
        '14': [
          [105, 110],
          [195, 202],
          [308, 313],
        ],
      }),
    });
    writeD4(folder.path('plain.d4'), {
      chromosomes: chromosomesOf('GRCh38', { names }),
      runs: runs('', { '14': [[190, 240]] }),
    });
    server = await serveCoverage({ settings: { roots: [folder.path('.')] } });
    await server.intervals.load(
      {
        sets: (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const })),
        rows: rows(),
        accept: () => ({ source: 'test', checksum: `sha256:${'0'.repeat(64)}`, read: 3, skipped: {} }),
      },
      new Date(),
    );
    fields = {
      ...{ build: 'GRCh38', interval_type: 'transcripts', transcripts: 'all', default_level: '20' },
      samples: JSON.stringify(['prefixed', 'plain'].map((name) => ({ name, coverage_file_path: `${name}.d4` }))),
      hgnc_gene_ids: 'FWD,REV,MITO',
    };
  });
  after(() => server?.close());

  /** Gene, transcript, sample, place relative to the origin, exon and coding position. */
  const expected = [
    ['FWD', 'ENST00000000001', 'prefixed', 107, 111, '1', 'c.-1_3'],
    ['FWD', 'ENST00000000001', 'prefixed', 225, 230, '2', 'c.38_42'],
    ['FWD', 'ENST00000000001', 'prefixed', 305, 313, '3', 'c.48_*3'],
    ['FWD', 'ENST00000000002', 'prefixed', 110, 111, '1', ''],
    ['REV', 'ENST00000000003', 'prefixed', 105, 110, '3', 'c.51_*3'],
    ['REV', 'ENST00000000003', 'prefixed', 200, 202, '2', 'c.39_40'],
    ['REV', 'ENST00000000003', 'prefixed', 308, 313, '1', 'c.-3_2'],
    ['REV', 'ENST00000000003', 'plain', 200, 230, '2', 'c.11_40'],
    ['MITO', 'ENST00000000004', 'prefixed', 100 - origin, 200 - origin, '1', ''],
    ['MITO', 'ENST00000000004', 'plain', 100 - origin, 200 - origin, '1', ''],
  ].map(([gene, id, sample, from, to, exon, coding]) =>
    [gene, id, sample, origin + Number(from), origin + Number(to), exon, coding].join(' '),
  );

  it('have the exon and the coding position in CSV, JSON and BED, on both strands', async () => {
    const csv = rowsOf((await post(`${server.url}/report?table=gaps`, { ...fields, format: 'csv' })).text);
    const fromCsv = csv.map(({ gene, transcript, sample, first, last, exon, coding }) =>
      [gene, transcript, sample, Number(first) - 1, last, exon, coding].join(' '),
    );
    expect(fromCsv).to.have.members(expected);
    const { gaps } = await data<{ gaps: Gap[] }>(`${server.url}/report`, fields);
    const fromJson = gaps.map(({ gene, transcript, sample, start, end, exon, coding }) =>
      [gene, transcript, sample, start, end, exon, coding ?? ''].join(' '),
    );
    expect(fromJson).to.have.members(expected);
    const bed = (await post(`${server.url}/report`, { ...fields, format: 'bed' })).text;
    const lines = bed.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const fromBed = lines.map((line) => {
      const [, start, end, , , , gene, transcript, exon, sample, , , coding] = line.split('\t');
      return [gene, transcript, sample, start, end, exon, coding === '.' ? '' : coding].join(' ');
    });
    expect(fromBed).to.have.members(expected);
  });

  it('have them on the page', async () => {
    const { text } = await post(`${server.url}/report`, fields);
    const shown = titledTable(text, 'Regions below 20×');
    const cell = (id: string) => shown.find(([, interval]) => interval === id)?.slice(2);
    const [prefixed = '', plain] = cell('ENST00000000001') ?? [];
    for (const named of [
      ...['Exon 1, c.-1_3\n1:1000108-1000111 (4\u00A0bp)', 'Exon 2, c.38_42\n1:1000226-1000230 (5\u00A0bp)'],
      'Exon 3, c.48_*3\n1:1000306-1000313 (8\u00A0bp)',
    ]) {
      expect(prefixed).to.include(named);
    }
    expect(plain).to.equal('none');
    expect(cell('ENST00000000002')).to.deep.equal(['Exon 1\n1:1000111-1000111 (1\u00A0bp)', 'none']);
    expect(cell('ENST00000000003')?.[1]).to.equal('Exon 2, c.11_40\n14:1000201-1000230 (30\u00A0bp)');
    // An exon has its own row, which names it.
    const ofExons = await post(`${server.url}/report`, { ...fields, interval_type: 'exons' });
    const exons = titledTable(ofExons.text, 'Regions below 20×');
    expect(exons.find(([, interval]) => interval === 'ENST00000000003 exon 2')?.slice(2)).to.deep.equal([
      'c.39_40\n14:1000201-1000202 (2\u00A0bp)',
      'c.11_40\n14:1000201-1000230 (30\u00A0bp)',
    ]);
  });

  it('have the chromosome names of each sample’s file in BED, also for chromosomes that it lacks', async () => {
    const bed = (await post(`${server.url}/report`, { ...fields, format: 'bed' })).text;
    const lines = bed.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const found = new Set(lines.map((line) => [line.split('\t')[9], line.split('\t')[0]].join(' ')));
    expect([...found]).to.have.members([
      ...['prefixed chr1', 'prefixed chr14', 'prefixed chrM'],
      ...['plain 14', 'plain MT'],
    ]);
  });

  describe('genes with incomplete coverage', () => {
    // FWD lacks 4 + 5 + 8 of 120 distinct bases, REV 5 + 2 + 5 and 30 of 100, MITO all of 100.
    const [fwd, rev, mito] = [
      ['FWD', '85.83 %', '85.83 %', '100.00 %'],
      ['REV', '70.00 %', '88.00 %', '70.00 %'],
      ['MITO', '0.00 %', '0.00 %', '0.00 %'],
    ];

    it('are listed by sample, lowest first or by the selected column', async () => {
      for (const [order, rows] of [
        [undefined, [mito, rev, fwd]],
        ['completeness', [mito, rev, fwd]],
        ['gene', [fwd, mito, rev]],
        ['sample-1', [mito, fwd, rev]],
        ['sample-2', [mito, rev, fwd]],
      ] as const) {
        const sent = { ...fields, ...(order === undefined ? {} : { order }) };
        const { text } = await post(`${server.url}/report`, sent);
        expect(tableOf(text, 'incomplete_genes'), order).to.deep.equal(rows);
        const csv = rowsOf(
          (await post(`${server.url}/report?table=incomplete_genes`, { ...sent, format: 'csv' })).text,
        );
        expect(csv.map(({ gene }) => gene)).to.deep.equal(rows.map((row) => row?.[0]));
      }
      expect((await post(`${server.url}/report`, { ...fields, order: 'sample-3' })).status).to.equal(422);
    });

    it('are counted by distinct bases in JSON', async () => {
      const { incomplete_genes } = await data<{ incomplete_genes: unknown[] }>(`${server.url}/report`, fields);
      expect(incomplete_genes[0]).to.deep.equal({
        ...{ gene: 'FWD', length: 120 },
        samples: {
          prefixed: { bases_at_level: 103, percent: 85.83 },
          plain: { bases_at_level: 120, percent: 100 },
        },
      });
    });

    it('link to their pages, and are left out if every sample covers them', async () => {
      const { text } = await post(`${server.url}/report`, { ...fields, hgnc_gene_ids: 'FWD,REV' });
      const table = text.slice(text.indexOf('table-incomplete_genes'));
      expect(table).to.match(/<button[^>]* formaction="\/gene_overview"[^>]* value="ENSG00000000002"[^>]*><bdi>REV/);
      const [, plain] = JSON.parse(String(fields.samples)) as unknown[];
      const one = await post(`${server.url}/report`, {
        ...{ ...fields, hgnc_gene_ids: 'FWD,REV', samples: JSON.stringify([plain]) },
      });
      // With one sample its percentage is the lowest.
      expect(tableOf(one.text, 'incomplete_genes')).to.deep.equal([['REV', '70.00 %']]);
    });
  });
});
