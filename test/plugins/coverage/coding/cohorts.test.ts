/** Registered samples in reports by coding bases: cohorts, findings and control charts rest on the exons of the same transcripts. */
import { expect } from 'chai';
import { type Compared, serveExomes } from '../comparison/support.js';
import { exomesOf, loadSimulatedGenes } from '../support/exomes.js';

const genes = 'SIM1,SIM3,SIM5,SIMX';

interface Report {
  interval_type: string;
  samples: Record<string, unknown>[];
  intervals: { gene: string; length?: number; samples: Record<string, { length: number; cohort?: unknown }> }[];
  incomplete_genes: { gene: string; samples: Record<string, { cohort?: unknown }> }[];
  gaps: { gene: string; exon: number | null; start: number; finding?: { kind: string } }[];
  cohorts: unknown[];
  runs?: unknown[];
}

describe('coverage: cohorts beside coding bases', () => {
  let it_: Compared;
  before(async function () {
    this.timeout(120_000);
    it_ = await serveExomes([]);
    await loadSimulatedGenes(it_.server.intervals, new Date(1), true);
    await it_.register(exomesOf(22));
  });
  after(() => it_?.close());

  const report = async (type: string): Promise<Report> =>
    it_.json('report', { samples: JSON.stringify([{ sample_id: 'S001' }]), hgnc_gene_ids: genes, interval_type: type });

  it('compare the exonic bases of the same transcripts, and say so', async () => {
    const [coding, exonic] = [await report('coding'), await report('transcripts')];
    expect(coding.cohorts).to.deep.equal(exonic.cohorts);
    expect(coding.runs).to.deep.equal(exonic.runs);
    expect(coding.intervals.map(({ gene }) => gene)).to.deep.equal(exonic.intervals.map(({ gene }) => gene));
    for (const [i, { samples }] of coding.intervals.entries()) {
      // 5 exons of 150 bases, less 60 untranslated ones, and 8 splice bases at 8 ends.
      expect(samples.S001?.length).to.equal(5 * 150 - 60 + 8 * 8);
      expect(samples.S001?.cohort).to.be.an('object').and.deep.equal(exonic.intervals[i]?.samples.S001?.cohort);
    }
    const ofGenes = new Map(exonic.incomplete_genes.map(({ gene, samples }) => [gene, samples.S001?.cohort]));
    expect(coding.incomplete_genes.length).to.be.greaterThan(0);
    for (const { gene, samples } of coding.incomplete_genes) {
      if (ofGenes.has(gene)) expect(samples.S001?.cohort, gene).to.deep.equal(ofGenes.get(gene));
    }
    const page = await it_.text('report', {
      ...{ samples: JSON.stringify([{ sample_id: 'S001' }]), hgnc_gene_ids: genes, interval_type: 'coding' },
    });
    expect(page).to.include('Cohorts are compared by the exonic bases of the same transcripts.');
  });

  it('find the same kind of a gap in an exon', async () => {
    const [coding, exonic] = [await report('coding'), await report('transcripts')];
    const kinds = new Map(exonic.gaps.map(({ gene, exon, finding }) => [`${gene} ${exon}`, finding?.kind]));
    const ofExons = coding.gaps.filter(({ gene, exon }) => exon !== null && kinds.has(`${gene} ${exon}`));
    expect(ofExons.length).to.be.greaterThan(0);
    for (const { gene, exon, finding } of ofExons) {
      expect(finding?.kind, `${gene} ${exon}`).to.equal(kinds.get(`${gene} ${exon}`));
    }
  });
});
