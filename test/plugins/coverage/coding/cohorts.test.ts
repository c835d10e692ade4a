/**
 * Reports by coding bases on registered samples, with depths that a person chose: cohorts, low-coverage regions with their findings,
 * known sites and control charts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { coverageSites } from '../../../../plugins/coverage/contract.js';
import { loadIntervals } from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/reader.js';
import { loadSites } from '../../../../plugins/coverage/sites/loading.js';
import { type Compared, serveExomes } from '../comparison/support.js';
import { rowsOf } from '../pages/support/post.js';
import { record, vcf } from '../sites/support.js';
import { chromosomesOf, type Run, writeD4 } from '../support/d4.js';
import { type GeneModel, gtfOf } from './models.js';

const at = 10_000_000;
const mane = { strand: 1, tags: ['MANE_Select'] } as const;

/** 50 + 100 + 50 coding bases, 100 untranslated ones, and 8 splice bases at 4 ends of introns: 232 counted. */
const target: GeneModel = {
  ...{ ...mane, chromosome: '21', hgnc: 9001, symbol: 'TARGET', number: 9001, cds: [at + 50, at + 450] },
  exons: [
    [at, at + 100],
    [at + 200, at + 300],
    [at + 400, at + 500],
  ],
};
const counted = [
  [at + 50, at + 108],
  [at + 192, at + 308],
  [at + 392, at + 450],
];
/** Coding from end to end, without introns. */
const usual = Array.from({ length: 5 }, (_, i): GeneModel => {
  const start = at + 10_000 * (i + 1);
  return {
    ...{ ...mane, chromosome: '21', hgnc: 9010 + i, symbol: `USUAL${i}`, number: 9010 + i },
    ...{ exons: [[start, start + 150]], cds: [start, start + 150] },
  };
});
const silent: GeneModel = {
  ...{ ...mane, chromosome: '21', hgnc: 9002, symbol: 'SILENT', number: 9002, exons: [[at + 5000, at + 5100]] },
};

/** Depth 40, but 10 in untranslated bases of TARGET and `own` in its coding and splice bases; nothing where `lost` is. */
function write(path: string, own: number, lost?: readonly [number, number]): void {
  const pieces: [number, number, number][] = [
    [at - 1000, at, 40],
    [at, at + 50, 10],
    [at + 50, lost?.[0] ?? at + 450, own],
    [lost?.[1] ?? at + 450, at + 450, own],
    [at + 450, at + 500, 10],
    [at + 500, at + 100_000, 40],
  ];
  const runs = pieces.flatMap(([begin, end, depth]): Run[] =>
    begin < end ? [{ chromosome: '21', begin, end, depth }] : [],
  );
  runs.push({ chromosome: 'X', begin: 100_000_000, end: 102_000_000, depth: 40 });
  writeD4(path, { chromosomes: chromosomesOf('GRCh38', { names: ['21', 'X', 'Y'] }), runs });
}

/** Seven samples with 36, six with 40 and seven with 44: median 40, and 4 the median of the distances from it. */
const depths = [36, 40, 44].flatMap((depth) => Array.from({ length: depth === 40 ? 6 : 7 }, () => depth));
const mad = 0.1;
const z = (ratio: number) => (ratio - 1) / (1.4826 * mad);

describe('coverage: registered samples by coding bases', () => {
  let it_: Compared;
  before(async function () {
    this.timeout(120_000);
    it_ = await serveExomes([], { settings: { samples: { thresholds: [20] } } });
    const { folder, server } = it_;
    const now = new Date('2026-11-20T08:00:00Z');
    writeFileSync(join(folder, 'genes.gtf'), gtfOf([target, silent, ...usual]));
    const source = await openIntervals(join(folder, 'genes.gtf'));
    await loadIntervals({
      ...{ repository: server.intervals, kind: 'gtf', build: 'GRCh38', source, maxShrink: 1, force: true, now },
    });
    const ofAssay = { sex: 'female', assay: 'WES-A' } as const;
    const others = depths.map((depth, i) => {
      write(join(folder, `other${i}.d4`), depth);
      return { ...ofAssay, id: `other${i}`, run: 'R1', day: '2026-01-05' };
    });
    write(join(folder, 'child.d4'), 40, [at + 200, at + 300]);
    await it_.register([...others, { ...ofAssay, id: 'child', run: 'R2', day: '2026-01-12' }]);
    // In its untranslated, coding (with the bases beside it) and splice bases, and in an intron; positions from 1.
    const places = [at + 21, at + 251, at + 302, at + 351];
    const sites = places.map((place, i) =>
      record(`21 ${place} ${i + 1} A C`, { GENEINFO: 'TARGET:1', CLNHGVS: `site${i}` }),
    );
    writeFileSync(join(folder, 'sites.vcf'), vcf(sites));
    await loadSites({
      ...{ repository: server.storage.repository(coverageSites), file: join(folder, 'sites.vcf'), leastStars: 0 },
      ...{ maxShrink: 0.1, now, signal: new AbortController().signal, onProgress() {} },
    });
  });
  after(() => it_?.close());

  const fields = (interval_type: string, more: Record<string, string> = {}) => ({
    ...{ samples: JSON.stringify([{ sample_id: 'child' }]), interval_type, hgnc_gene_ids: 'TARGET,SILENT' },
    ...{ completeness_thresholds: '20', ...more },
  });
  const report = (type: string) => it_.json('report', fields(type));
  /** All samples of the cohort have all coding bases at 20x, and two thirds of the exonic ones. */
  const cohort = (own: number, others: number, percentile: number) => {
    return { own, median: others, p5: others, p95: others, percentile };
  };

  it('are compared by coding and splice bases, each with the same of the others', async () => {
    const { cohorts, intervals, incomplete_genes: genes } = await report('coding');
    expect(cohorts).to.have.lengthOf(1);
    expect(cohorts[0]).to.deep.include({ state: 'compared', samples: 20, same_sex: 20 });
    const [ofTarget, ofSilent] = intervals;
    expect(ofTarget.regions).to.deep.equal(counted);
    const own = ofTarget.samples.child;
    expect([own.length, own.bases_at['20']]).to.deep.equal([232, 132]);
    // The median of the exons with depth is 40: five of the eight have it, and two the mean of 40 and 10.
    expect(own.cohort.completeness).to.deep.equal(cohort(132 / 232, 1, 0));
    const { own: depth, ratio, z: distance, median } = own.cohort.normalised_depth;
    expect(median).to.equal(1);
    for (const found of [depth, ratio]) expect(found).to.be.closeTo(132 / 232, 1e-12);
    expect(distance).to.be.closeTo(z(132 / 232), 1e-9);
    // A gene without coding bases by its exons.
    expect(ofSilent.samples.child.cohort.completeness).to.deep.equal(cohort(1, 1, 50));
    expect(genes).to.have.lengthOf(1);
    expect(genes[0].samples.child.cohort).to.deep.equal(own.cohort);
  });

  it('are compared as a whole by the same bases', async () => {
    const { samples } = await report('coding');
    expect(samples[0].length).to.equal(232 + 100);
    expect(samples[0].cohort.completeness).to.deep.equal(cohort(232 / 332, 1, 0));
  });

  it('are compared by exons in a report by exons', async () => {
    const { intervals } = await report('transcripts');
    const own = intervals[0].samples.child;
    expect([own.length, own.bases_at['20']]).to.deep.equal([300, 100]);
    expect(own.cohort.completeness).to.deep.equal(cohort(100 / 300, 200 / 300, 0));
    const page = await it_.text('report', fields('transcripts'));
    expect(page)
      .to.include('assay WES-A')
      .and.not.include('coding and splice bases that this report counts are compared');
  });

  it('have the low-coverage regions of coding and splice bases, compared by the coding part that they are in', async () => {
    const { gaps } = await report('coding');
    expect(gaps).to.have.lengthOf(1);
    const { start, end, exon, coding, finding } = gaps[0];
    // Coding bases 51 to 150.
    expect([start, end, exon, coding]).to.deep.equal([at + 200, at + 300, 2, 'c.51_150']);
    // 16 splice bases are left of the part with 116; by the exon nothing is.
    expect(finding).to.deep.include({ kind: 'possible-deletion', usually_poor: false, ratio: 16 / 116 });
    expect(finding.z).to.be.closeTo(z(16 / 116), 1e-9);
    const ofExons = (await report('transcripts')).gaps;
    expect(
      ofExons.map((gap: Record<string, { kind?: string; ratio?: number }>) => [
        ...[gap.start, gap.end, gap.finding?.kind, gap.finding?.ratio],
      ]),
    ).to.deep.equal([
      [at, at + 50, 'assay', 1],
      [at + 200, at + 300, 'possible-deletion', 0],
      [at + 450, at + 500, 'assay', 1],
    ]);
    const [, ...bed] = (await it_.text('report', fields('coding', { format: 'bed' })))
      .split('\n')
      .filter((line) => !line.startsWith('# ') && line !== '');
    expect(bed.map((line) => line.split('\t').slice(0, 4))).to.deep.equal([
      ['21', String(at + 200), String(at + 300), 'TARGET|ENST00000009001|child'],
    ]);
    expect(bed[0]?.split('\t').slice(-3)).to.deep.equal(['possible-deletion', '0.1379', '-5.8146']);
  });

  it('have the known sites of their genes, whatever bases are counted', async () => {
    const { samples, known_sites: sites } = await report('coding');
    const assay = (callable: number) => ({ samples: 20, callable });
    const found = sites.map((site: { hgvs: string; samples: { child: Record<string, never> } }) => {
      const { state, minimum_depth: least, assay: others } = site.samples.child;
      const usually = others === undefined ? undefined : assay((others as { callable: number }).callable);
      return [site.hgvs, state, least, usually];
    });
    // The bases at both sides of each site count: 10x, nothing, and 40x in the last two.
    expect(found).to.deep.equal([
      ['site0', 'not', 10, assay(0)],
      ['site1', 'not', 0, assay(20)],
      ['site2', 'callable', 40, undefined],
      ['site3', 'callable', 40, undefined],
    ]);
    expect(samples[0].known_sites).to.deep.equal({ sites: 4, callable: 2, partly: 0, not: 2 });
    const ofExons = await report('transcripts');
    expect(sites).to.deep.equal(ofExons.known_sites);
  });

  it('have the control chart of their assay, which rests on coding segments', async () => {
    const { runs } = await report('coding');
    expect(runs).to.have.lengthOf(1);
    // Those of TARGET: depths of the other six are the same in all samples.
    expect(runs[0]).to.deep.include({ assay: 'WES-A', counted: 'coding', exons: 3 });
    const figures = runs[0].runs.map((run: Record<string, unknown>) => [
      run.run,
      run.samples,
      run.median_z,
      run.share_beyond_3,
      run.earlier_samples,
    ]);
    // The first and third segment of the child have the median depth, the second none but in its splice bases: z is
    // (16 / 116 − 1) / 0.14826.

    expect(figures).to.deep.equal([
      ['R1', 20, 0, 0, 0],
      ['R2', 1, 0, 1 / 3, 20],
    ]);
    expect(runs).to.deep.equal((await report('transcripts')).runs);
    const page = await it_.text('report', fields('coding'));
    expect(page).to.include('Control chart over 3 autosomal coding segments with their splice bases');
  });

  it('say in every face which bases are compared', async () => {
    const said = 'The coding and splice bases that this report counts are compared; of non-coding genes, their exons.';
    for (const page of ['report', 'overview']) {
      expect(await it_.text(page, fields('coding')), page).to.include(said);
    }
    // It counts exons, whatever is asked for.
    expect(await it_.text('mane_overview', fields('coding'))).to.not.include(said);
    const swedish = await it_.text('report', fields('coding', { lang: 'sv' }));
    expect(swedish).to.include('De kodande baser och splitsbaser som rapporten räknar jämförs');
    const csv = rowsOf(await it_.text('report', fields('coding', { format: 'csv', table: 'intervals' })));
    expect(
      csv.map(({ gene, bases_counted: bases, ...row }) => [gene, bases, row.cohort_completeness_20_median_percent]),
    ).to.deep.equal([
      ['TARGET', 'coding+8', '100'],
      ['SILENT', 'non-coding exons', '100'],
    ]);
  });
});
