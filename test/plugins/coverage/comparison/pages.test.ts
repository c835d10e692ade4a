/** Cohorts beside the figures of registered samples: pages, JSON and exports of simulated exomes, over HTTP. */
import { join } from 'node:path';
import { expect } from 'chai';
import { type Exome, exomesOf, simulatedExons, writeExome } from '../support/exomes.js';
import { type Compared, normalised, quantileOf, serveExomes } from './support.js';

const women = 22;
const exomes = exomesOf(women);
const genes = 'SIM1,SIM3,SIM5,SIMX,SIMPAR';
const pages = ['report', 'overview', 'gene_overview', 'mane_overview'] as const;
const formats = ['html', 'json', 'csv', 'bed'] as const;

describe('registered samples beside their cohorts', () => {
  let it_: Compared;
  const byPath: Record<string, string> = {};

  /** Pages, and exports of each, of a sample that is named by its file. */
  async function pathAnswers(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const sample = { name: 'a', coverage_file_path: 'S001.d4', sex: 'female' };
    for (const page of pages) {
      for (const format of formats) {
        const fields = {
          samples: JSON.stringify([sample]),
          hgnc_gene_ids: genes,
          hgnc_gene_id: 'SIM3',
          interval_type: 'exons',
        };
        const answer = await it_.text(page, { ...fields, format });
        const timeless = answer.replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:[\d.]+Z| UTC)/g, 'now');
        found[`${page} ${format}`] = timeless.replace(/nonce="[^"]*"/g, 'nonce');
      }
    }
    return found;
  }

  before(async function () {
    this.timeout(60_000);
    it_ = await serveExomes([]);
    writeExome(join(it_.folder, 'S001.d4'), exomes[0] as Exome);
    Object.assign(byPath, await pathAnswers());
    await it_.register(exomes);
  });
  after(() => it_?.close());

  const listed = (...ids: string[]) => JSON.stringify(ids.map((id) => ({ sample_id: id })));
  const S001 = listed('S001');

  it('change nothing for samples that are named by a file', async () => {
    expect(await pathAnswers()).to.deep.equal(byPath);
  });

  it('state exact medians and percentiles of normalised depths, without the sample itself', async () => {
    const report = await it_.json('report', { samples: S001, hgnc_gene_ids: genes, interval_type: 'exons' });
    expect(report.cohorts).to.have.lengthOf(1);
    expect(report.cohorts[0]).to.deep.include({
      sample: 'S001',
      state: 'compared',
      assays: ['WES-A'],
      pooled: false,
      samples: women,
      same_sex: women - 1,
    });
    const others = exomes.filter(({ id, assay }) => id !== 'S001' && assay === 'WES-A');
    let compared = 0;
    for (const interval of report.intervals) {
      const exon = simulatedExons.find(
        ({ start, chromosome }) => start === interval.start && chromosome === interval.chromosome,
      );
      if (exon === undefined) throw new Error('an exon of the simulation');
      const cohort = others
        .filter(({ sex }) => exon.gene !== 'SIMX' || sex === 'female')
        .map((one) => normalised(exon, one));
      const own = normalised(exon, exomes[0] as Exome);
      const median = quantileOf(cohort, 0.5);
      const mad = quantileOf(
        cohort.map((value) => Math.abs(value - median)),
        0.5,
      );
      const found = interval.samples.S001.cohort.normalised_depth;
      expect(interval.samples.S001.cohort.samples, exon.gene).to.equal(exon.gene === 'SIMX' ? women - 1 : women);
      const expected = {
        own,
        ratio: own / median,
        z: (own - median) / (1.4826 * mad),
        median,
        p5: quantileOf(cohort, 0.05),
        p95: quantileOf(cohort, 0.95),
        percentile: (100 * cohort.filter((value) => value < own).length) / cohort.length,
      };
      for (const [name, value] of Object.entries(expected))
        expect(found[name], `${exon.gene} ${name}`).to.be.closeTo(value, 1e-9);
      compared += 1;
    }
    expect(compared).to.equal(25);
  });

  it('say of each gap which kind it is', async () => {
    const report = await it_.json('report', { samples: S001, hgnc_gene_ids: genes, interval_type: 'transcripts' });
    const kinds = report.gaps.map((gap: { gene: string; exon: number; finding: { kind: string } }) => [
      gap.gene,
      gap.exon,
      gap.finding.kind,
    ]);
    // The edges of the poor exon are two gaps of one exon, or one with its middle.
    expect(kinds).to.deep.include(['SIM3', 2, 'possible-deletion']);
    expect(new Set(kinds.map(String))).to.deep.equal(new Set(['SIM3,2,possible-deletion', 'SIM5,4,assay']));
    const lost = report.gaps.find(({ gene }: { gene: string }) => gene === 'SIM3');
    expect(lost.finding).to.deep.include({ ratio: 0, usually_poor: false });
    expect(lost.finding.z).to.be.below(-5);
    const page = await it_.text('report', { samples: S001, hgnc_gene_ids: genes, interval_type: 'transcripts' });
    expect(page)
      .to.include('Low in this sample only: check whether this is a dropout or a deletion.\nratio 0.00, z -')
      .and.include('Usually poor in this assay')
      .and.include('Not for patient reports');
    const bed = await it_.text('report', {
      samples: S001,
      hgnc_gene_ids: 'SIM3',
      interval_type: 'transcripts',
      format: 'bed',
    });
    expect(bed).to.match(/\tcoding\tkind\tdepth_ratio\tdepth_z\n.*\tpossible-deletion\t0\t-\d/);
    const csv = await it_.text('report', {
      ...{ samples: S001, hgnc_gene_ids: 'SIM5', interval_type: 'transcripts' },
      ...{ format: 'csv', table: 'gaps' },
    });
    expect(csv).to.include(',kind,usually_poor,depth_ratio,depth_z,bases_counted\r\n').and.include(',assay,true,');
  });

  it('show them on every page, in both languages', async () => {
    for (const page of pages) {
      const fields = { samples: S001, hgnc_gene_ids: genes, hgnc_gene_id: 'SIM3', interval_type: 'transcripts' };
      const english = await it_.text(page, fields);
      expect(english, page).to.include('Samples of the assay WES-A.').and.include(`n ${women}`).and.include('Hyndman');
    }
    const swedish = { samples: S001, hgnc_gene_id: 'SIM3', lang: 'sv' };
    expect(await it_.text('gene_overview', swedish)).to.include('Prover för analysen WES-A.');
  });

  it('pool assays only if asked to, and say so', async () => {
    const fields = { samples: listed('other'), hgnc_gene_ids: 'SIM1', interval_type: 'exons' };
    const alone = await it_.json('report', fields);
    expect(alone.cohorts[0]).to.deep.include({ state: 'alone', samples: 0 });
    expect(alone.intervals[0].samples.other).to.not.have.property('cohort');
    const pooled = await it_.json('report', { ...fields, pool_assays: 'true' });
    expect(pooled.cohorts[0]).to.deep.include({ state: 'compared', samples: women + 1, pooled: true });
    expect(await it_.text('report', { ...fields, pool_assays: 'true' }))
      .to.include('Samples of all assays, as requested: WES-A.')
      .and.match(/name="pool_assays" value="true" checked/);
  });

  it('list the values of fewer than 20 samples without names', async () => {
    const man = await it_.json('report', {
      samples: listed('man'),
      hgnc_gene_ids: 'SIMX,SIMY',
      interval_type: 'exons',
    });
    expect(man.cohorts[0]).to.deep.include({ state: 'compared', samples: women, same_sex: 0 });
    for (const { samples } of man.intervals) {
      expect(samples.man.cohort.samples).to.equal(0);
      expect(samples.man.cohort.normalised_depth.values).to.deep.equal([]);
    }
    await it_.register([{ ...(exomes[0] as Exome), id: 'B2', assay: 'WES-B', run: 'B01', lost: undefined } as Exome]);
    const fields = { samples: listed('other'), hgnc_gene_ids: 'SIM1', interval_type: 'exons' };
    const other = await it_.json('report', fields);
    const [value] = other.intervals[0].samples.other.cohort.normalised_depth.values;
    expect(value).to.be.a('number');
    expect(await it_.text('report', fields))
      .to.include('1 sample:')
      .and.not.include('B2');
    expect(await it_.text('report', { ...fields, format: 'csv' })).to.match(/[\d.]+; 1 sample: [\d.]+"/);
    expect(await it_.text('mane_overview', { ...fields, format: 'csv' })).to.match(
      /"Normalised depth: [\d.]+; 1 sample: [\d.]+; ≥ \d+×: 1 sample: [\d.]+"/,
    );
  });

  it('chart the runs of the assay, with names only for tokens that may read them', async () => {
    const url = `${it_.server.url}/coverage/registry/runs`;
    expect((await fetch(url)).status).to.equal(401);
    const asked = async (query: string, scope = 'coverage:read') => {
      const headers = { 'X-Auth-Token': await it_.server.token(scope) };
      return fetch(`${url}?${query}`, { headers });
    };
    expect((await asked('', 'coverage:register')).status).to.equal(403);
    expect((await asked('build=hg19')).status).to.equal(422);
    // biome-ignore lint/suspicious/noExplicitAny: JSON, compared by its fields
    const { assays } = (await (await asked('assay=WES-A')).json()) as any;
    const runs = assays[0].runs.map(({ run, samples }: { run: string; samples: number }) => [run, samples]);
    // 22 women in runs of eight, and the man in the first.
    expect([assays.length, assays[0].assay, assays[0].exons]).to.deep.equal([1, 'WES-A', 45]);
    expect(runs).to.deep.equal([
      ['R01', 9],
      ['R02', 8],
      ['R03', 6],
    ]);
    expect(assays[0].runs[0].values.map(({ id }: { id: string }) => id)).to.include('man');
    const report = await it_.json('report', { samples: S001, hgnc_gene_ids: 'SIM1' });
    expect(report.runs[0].runs[0]).to.deep.include({ run: 'R01', day: '2026-01-05', samples: 9 });
    expect(report.runs[0].runs[0].median_z).to.equal(assays[0].runs[0].median_z);
    const page = await it_.text('report', { samples: S001, hgnc_gene_ids: 'SIM1' });
    expect(page).to.include('Runs of WES-A').and.include('◆ sample of this report').and.include('10-x ten in a row');
  });

  it('name no other sample in any format', async () => {
    for (const page of ['report', 'gene_overview']) {
      for (const format of formats) {
        const fields = { samples: S001, hgnc_gene_ids: genes, hgnc_gene_id: 'SIM3', interval_type: 'exons', format };
        expect(await it_.text(page, fields), `${page} ${format}`).to.not.match(/S0(02|1\d)|\bman\b/);
      }
    }
  });

  it('are not compared where the file is another one', async () => {
    writeExome(join(it_.folder, 'S002.d4'), { ...(exomes[1] as Exome), lost: { exon: 'SIM1:1', left: 0 } });
    const report = await it_.json('report', { samples: listed('S002'), hgnc_gene_ids: 'SIM1', interval_type: 'exons' });
    expect(report.cohorts[0].state).to.equal('changed');
    expect(report.intervals[0].samples.S002.cohort).to.not.have.property('normalised_depth');
  });
});
