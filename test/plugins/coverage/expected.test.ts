/** All numbers that another program counted in the demo file, over HTTP, exact to the base. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { useOnce } from '../../support/use.js';
import { type Json, post, postForm, serveCoverage } from './support/serve.js';
import { dataFile, dataFolder, demoBed, demoD4, describeWithData } from './support/shared.js';

interface Counted {
  chrom: string;
  start0: number;
  end: number;
  bases: number;
  sum: number;
  mean: number;
  min: number;
  max: number;
  median: number;
  bases_ge: Record<string, number>;
}

interface Pooled {
  bases: number;
  pooled_mean: number;
  mean_of_means: number;
  pooled_fraction: Record<string, number>;
}

interface Expected {
  thresholds: number[];
  bed_109_green: (Counted & { symbol: string })[];
  genes_37: Record<string, { hgnc_id: string; corrected: Counted }>;
  transcripts_37: Record<string, { corrected: Counted }>;
  exons_37: Record<string, { corrected: Counted }>;
  exact_aggregates: {
    genes_4: { corrected: Pooled };
    exons_unique_90: { corrected: Pooled };
    exon_union_of_4_genes: { corrected: { bases: number; mean: number; fraction_ge: Record<string, number> } };
  };
  gaps_lt10_in_109_green: Record<string, [number, number][]>;
  gap_counts_lt20_in_109_green: Record<string, { runs: number; bases: number }>;
}

interface Row extends Json {
  mean_coverage: number;
  completeness: Record<string, number>;
  bases_at: Record<string, number>;
  length: number;
  gaps?: { start: number; end: number }[];
}

interface Summary extends Json {
  mean_coverage: number;
  coverage_completeness_percent: number;
  mean_of_intervals: number;
  length: number;
  bases_at: Record<string, number>;
}

describeWithData('coverage of the demo file', () => {
  let expected: Expected;
  const server = useOnce(async () => {
    expected = JSON.parse(await readFile(dataFile('chanjo2_expected.json'), 'utf8')) as Expected;
    return serveCoverage({ settings: { roots: [dataFolder] }, builds: ['GRCh37', 'GRCh38'] });
  });

  /** Compares a row with the counts; nothing is rounded. */
  function compare(row: Row | undefined, counted: Counted, thresholds: readonly number[]): void {
    if (row === undefined) throw new Error('there is no row');
    const { bases, mean, min, max, median, bases_ge } = counted;
    expect(row).to.deep.include({ length: bases, mean_coverage: mean, min, max, median, warnings: [] });
    for (const threshold of thresholds) {
      const count = bases_ge[threshold] as number;
      expect(row.bases_at[threshold]).to.equal(count);
      expect(row.completeness[threshold]).to.equal(count / bases);
    }
  }

  async function measured(intervals: readonly Counted[], more: Record<string, string> = {}): Promise<Row[]> {
    const bed = intervals.map(({ chrom, start0, end }) => `${chrom}\t${start0}\t${end}`).join('\n');
    const { status, body } = await postForm<Row[]>(`${server.url}/coverage/d4/interval_file/`, {
      coverage_file_path: demoD4,
      completeness_thresholds: JSON.stringify(expected.thresholds),
      file: Buffer.from(bed),
      ...more,
    });
    expect(status).to.equal(200);
    return body;
  }

  for (const kind of ['genes', 'transcripts', 'exons'] as const) {
    it(`counts the bases of all ${kind}`, async () => {
      const counted = Object.values(expected[`${kind}_37`]).map(({ corrected }) => corrected);
      const rows = await measured(counted);
      expect(rows).to.have.length(counted.length).greaterThan(4);
      for (const [i, own] of counted.entries()) compare(rows[i], own, expected.thresholds);
    });

    it(`has stored the ${kind} at the same positions`, async () => {
      const all = Object.entries(expected[`${kind}_37`]);
      const names = Object.values(expected.genes_37).map(({ hgnc_id }) => hgnc_id);
      const lookup = await server.intervals.findGenes('GRCh37', names);
      const genes = lookup.answers.flatMap((answer) => ('genes' in answer ? answer.genes : []));
      const stored = await server.intervals.select(kind, 'GRCh37', { genes: genes.map(({ ensembl }) => ensembl) });
      const places = new Map(stored.map((one) => [one.ensembl, one]));
      const bySymbol = new Map(genes.map((gene) => [gene.symbol, gene]));
      for (const [name, { corrected }] of all) {
        const { chrom: chromosome, start0: start, end } = corrected;
        expect(kind === 'genes' ? bySymbol.get(name) : places.get(name), name).to.deep.include({
          chromosome,
          start,
          end,
        });
      }
    });
  }

  it('returns the demo BED file as measured, in its order', async () => {
    const { status, body } = await post<Row[]>(`${server.url}/coverage/d4/interval_file/`, {
      coverage_file_path: demoD4,
      intervals_bed_path: demoBed,
      completeness_thresholds: [30, 10, 20, 10],
    });
    expect(status).to.equal(200);
    const order = ['MTHFR', 'DHFR', 'FOLR1', 'SLC46A1'];
    expect(body.map(({ interval_id }) => interval_id)).to.deep.equal([
      '1:11845780-11866977',
      '5:79922047-79950802',
      '11:71900602-71907345',
      '17:26721661-26734215',
    ]);
    for (const [i, symbol] of order.entries()) {
      const counted = expected.bed_109_green.find((one) => one.symbol === symbol) as Counted;
      compare(body[i], counted, [10, 20, 30]);
      expect(Object.keys(body[i]?.completeness ?? {})).to.deep.equal(['10', '20', '30']);
    }
  });

  it('finds the gaps of the demo BED file', async () => {
    const asked = (below: number) =>
      post<Row[]>(`${server.url}/coverage/d4/interval_file/`, {
        coverage_file_path: demoD4,
        intervals_bed_path: demoBed,
        gaps_below: below,
      });
    const ten = (await asked(10)).body;
    const twenty = (await asked(20)).body;
    for (const [i, symbol] of ['MTHFR', 'DHFR', 'FOLR1', 'SLC46A1'].entries()) {
      expect(ten[i]?.gaps?.map(({ start, end }) => [start, end])).to.deep.equal(
        expected.gaps_lt10_in_109_green[symbol],
      );
      const gaps = twenty[i]?.gaps ?? [];
      const { runs, bases } = expected.gap_counts_lt20_in_109_green[symbol] as { runs: number; bases: number };
      expect(gaps).to.have.length(runs);
      expect(gaps.reduce((sum, { start, end }) => sum + end - start, 0)).to.equal(bases);
    }
  });

  const genes = [7436, 2861, 3791, 30521];
  async function summary(more: Json): Promise<Summary> {
    const { status, body } = await post<Record<string, Summary>>(`${server.url}/coverage/d4/genes/summary`, {
      build: 'GRCh37',
      samples: [{ name: 'ADM1059A2', coverage_file_path: demoD4 }],
      hgnc_gene_ids: genes,
      coverage_threshold: 10,
      interval_type: 'genes',
      ...more,
    });
    expect(status).to.equal(200);
    return body.ADM1059A2 as Summary;
  }

  it('pools genes, exons and exonic bases as the other program did', async () => {
    const { genes_4, exons_unique_90, exon_union_of_4_genes: union } = expected.exact_aggregates;
    for (const threshold of [10, 20]) {
      const spans = await summary({ coverage_threshold: threshold });
      const { bases, pooled_fraction, pooled_mean, mean_of_means } = genes_4.corrected;
      expect(spans.length).to.equal(bases);
      expect((spans.bases_at[threshold] as number) / bases).to.equal(pooled_fraction[threshold]);
      expect(spans.mean_coverage).to.equal(Math.round(pooled_mean * 100) / 100);
      expect(spans.mean_of_intervals).to.equal(Math.round(mean_of_means * 100) / 100);

      const exons = await summary({ coverage_threshold: threshold, interval_type: 'exons', transcripts: 'all' });
      expect(exons.length).to.equal(union.corrected.bases);
      expect((exons.bases_at[threshold] as number) / exons.length).to.equal(union.corrected.fraction_ge[threshold]);
      expect(exons.mean_coverage).to.equal(Math.round(union.corrected.mean * 100) / 100);
      expect(exons.mean_of_intervals).to.equal(Math.round(exons_unique_90.corrected.mean_of_means * 100) / 100);
      expect(exons.intervals).to.equal(90);

      const all = await summary({ coverage_threshold: threshold, interval_type: 'transcripts', transcripts: 'all' });
      expect(all.length).to.equal(union.corrected.bases);
    }
  });

  it('uses the transcripts with a RefSeq mRNA if none is of MANE', async () => {
    // reference §7: 17,851 bases, mean 18.70523, 84.23058 % at 10x, 56.48983 % at 20x.
    for (const transcripts of ['preferred', 'refseq_mrna']) {
      for (const [threshold, percent] of [
        [10, 84.23058],
        [20, 56.48983],
      ] as const) {
        const found = await summary({ coverage_threshold: threshold, interval_type: 'transcripts', transcripts });
        expect(found.length).to.equal(17851);
        expect(found.mean_coverage).to.equal(18.71);
        expect((100 * (found.bases_at[threshold] as number)) / 17851).to.be.closeTo(percent, 0.000005);
        expect(found.intervals).to.equal(7);
      }
    }
  });

  it('measures each gene separately as counted', async () => {
    for (const { hgnc_id, corrected } of Object.values(expected.genes_37)) {
      if (corrected.sum === 0) continue;
      const found = await summary({ hgnc_gene_ids: [Number(hgnc_id)], distribution: true });
      const { bases, bases_ge, mean, min, max, median } = corrected;
      expect(found).to.deep.include({ length: bases, bases_at: { '10': bases_ge[10] }, min, max, median });
      expect(found.mean_coverage).to.equal(Math.round(mean * 100) / 100);
    }
  });

  it('finds genes by symbol, Ensembl id and HGNC id alike, and names the release', async () => {
    const alike = await Promise.all(
      [[7436], ['HGNC:7436'], ['mthfr'], ['ENSG00000177000.14'], [7436, 'MTHFR']].map((ids) =>
        summary({ hgnc_gene_ids: ids }),
      ),
    );
    for (const found of alike) expect(found).to.deep.equal(alike[0]);
    const [set] = (alike[0] as Json).interval_sets as Json[];
    expect(set).to.deep.include({ kind: 'genes', build: 'GRCh37', release: 'demo' });
    expect(set?.checksum).to.match(/^sha256:81903aea32c128dd/);
  });
});
