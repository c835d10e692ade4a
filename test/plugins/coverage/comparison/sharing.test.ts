/**
 * Cohorts with the samples that another tenant shares: medians and percentiles of simulated exomes, own and released ones
 * together, as a sort of them gives, and nothing of single samples of others.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { type BeaconRepository, beacon } from '../../../../plugins/beacon/contract.js';
import { useOnce } from '../../../support/use.js';
import { add } from '../../beacon/support/observed.js';
import { dataset } from '../../beacon/support/serve.js';
import { type Exome, simulatedExons } from '../support/exomes.js';
import { normalised, quantileOf, serveExomes } from './support.js';

const exome = (id: string, folder: string, sex: 'female' | 'male', assay = 'WES-A'): Exome => ({
  ...{ id, folder, sex, assay, run: `${folder}-run`, day: '2026-01-05' },
});
/** Of cardio: three women, two men, and a woman of another assay. */
const own = [
  ...['C1', 'C2', 'C3'].map((id) => exome(id, 'cardio', 'female')),
  ...['C4', 'C5'].map((id) => exome(id, 'cardio', 'male')),
  exome('C6', 'cardio', 'female', 'WES-C'),
];
/** Of neuro, in the order of registration: one in six is a man. */
const others = Array.from({ length: 33 }, (_, i) =>
  exome(`N${String(i).padStart(2, '0')}`, 'neuro', i % 6 === 5 ? 'male' : 'female'),
);
/** Of another assay; and one that is linked to no dataset. */
const apart = [exome('NB', 'neuro', 'female', 'WES-B'), exome('NX', 'neuro', 'female')];
const genes = 'SIM1,SIM3,SIM5,SIMX';
const pages = ['report', 'overview', 'gene_overview', 'mane_overview'] as const;
const formats = ['html', 'json', 'csv', 'bed', 'multiqc'] as const;
const rule = { minimum: 20, batch: 5 };

/** How much of a value is below another: half if they are equal. */
function below(one: number, other: number): number {
  return Math.abs(one - other) < 1e-12 ? 0.5 : Number(one < other);
}

describe('cohorts with samples that other tenants share', function () {
  this.timeout(120_000);
  const it_ = useOnce(() =>
    serveExomes([], {
      withBeacon: true,
      isAudited: true,
      auth: (folder) => ({
        tenants: {
          cardio: { roots: [join(folder, 'cardio')] },
          neuro: {
            roots: [join(folder, 'neuro')],
            datasets: ['brains', 'few', 'kept'],
            shared: [
              { dataset: 'brains', with: ['cardio'], ...rule },
              { dataset: 'few', with: ['renal'], ...rule },
            ],
          },
          renal: {},
          remote: {},
        },
      }),
    }),
  );
  let datasets: BeaconRepository;
  const callers: Record<string, Record<string, string>> = {};

  const link = (id: string, ids: readonly string[]) =>
    add(datasets, id, Object.fromEntries(ids.map((name) => [name, { sex: 'unknown' as const }])), [], new Date(0));

  before(async () => {
    datasets = it_.server.storage.repository(beacon);
    for (const id of ['brains', 'few', 'kept'])
      await datasets.addDataset(dataset(id, { assembly: 'GRCh38' }), new Date(0));
    await it_.register([...own, ...others.slice(0, 27), ...apart]);
    const ids = others.map(({ id }) => id);
    // The link to a sample of cardio opens nothing: it is not the tenant's.
    await link('brains', [...ids.slice(0, 30), 'NB', 'C6']);
    await link('few', ids.slice(0, 19));
    await link('kept', ids);
    for (const name of ['cardio', 'renal', 'remote']) {
      const token = await it_.server.token('coverage:report:cardio', `coverage:shared:${name}`);
      callers[name] = { 'X-Auth-Token': token };
    }
    callers.none = { 'X-Auth-Token': await it_.server.token('coverage:report:cardio') };
    callers.neuro = { 'X-Auth-Token': await it_.server.token('coverage:report:neuro', 'coverage:shared:neuro') };
  });

  const fields = (sample: string, more: Record<string, string> = {}) => ({
    samples: JSON.stringify([{ sample_id: sample }]),
    hgnc_gene_ids: genes,
    hgnc_gene_id: 'SIM3',
    interval_type: 'exons',
    ...more,
  });
  const reportOf = (sample: string, caller = 'cardio', more: Record<string, string> = {}) =>
    it_.json('report', fields(sample, more), callers[caller]);

  /** The report of C1 beside these samples of others: in all, and of the same sex. */
  async function mustCompare(all: readonly Exome[], women: readonly Exome[]) {
    const report = await reportOf('C1');
    const mine = own.filter(({ id, assay }) => id !== 'C1' && assay === 'WES-A');
    const sameSex = mine.filter(({ sex }) => sex === 'female');
    expect(report.cohorts[0]).to.deep.include({
      state: 'compared',
      assays: ['WES-A'],
      samples: mine.length + all.length,
      same_sex: sameSex.length + women.length,
      shared_samples: all.length,
      shared_same_sex: women.length,
    });
    for (const interval of report.intervals) {
      const { start, chromosome } = interval;
      const exon = simulatedExons.find((one) => one.start === start && one.chromosome === chromosome);
      if (exon === undefined) throw new Error('an exon of the simulation');
      const cohort = exon.gene === 'SIMX' ? [...sameSex, ...women] : [...mine, ...all];
      const values = cohort.map((one) => normalised(exon, one));
      const value = normalised(exon, own[0] as Exome);
      const expected = {
        median: quantileOf(values, 0.5),
        p5: quantileOf(values, 0.05),
        p95: quantileOf(values, 0.95),
        percentile: (100 * values.reduce((sum, one) => sum + below(one, value), 0)) / values.length,
      };
      const { samples, normalised_depth: found } = interval.samples.C1.cohort;
      expect(samples).to.equal(cohort.length);
      for (const [name, number] of Object.entries(expected)) {
        expect(found[name], `${exon.gene} ${name}`).to.be.closeTo(number, 1e-9);
      }
    }
    return report;
  }

  it('have whole batches of them, of the same assay, XX and XY apart, as a sort of the values', async () => {
    const women = others.slice(0, 27).filter(({ sex }) => sex === 'female');
    expect(women).to.have.lengthOf(23);
    await mustCompare(others.slice(0, 25), women.slice(0, 20));
    // A man has as few men to compare with as before: three of the others are not twenty.
    const [man] = (await reportOf('C4')).cohorts;
    expect(man).to.deep.include({ samples: 4 + 25, same_sex: 1, shared_samples: 25, shared_same_sex: 0 });
  });

  it('say on pages how many are whose, and nothing that is of one sample of others', async () => {
    for (const page of pages) {
      for (const format of formats) {
        const text = await it_.text(page, fields('C1', { format }), callers.cardio);
        expect(text, `${page} ${format}`).to.not.match(/\bN\d\d\b|\bN[BX]\b|brains|neuro|WES-B/);
        if (format !== 'html') continue;
        expect(text, page).to.include('4 samples of your own and 25 that others share; of the same sex 2 and 20.');
      }
    }
    const swedish = await it_.text('report', fields('C1', { lang: 'sv' }), callers.cardio);
    expect(swedish).to.include('4 egna prover och 25 som andra delar; av samma kön 2 och 20.');
    // Percentiles, never a list of values: there are at least twenty.
    expect(JSON.stringify(await reportOf('C1'))).to.not.include('"values"');
  });

  it('are recorded with the dataset and the reason, and not if nothing was shared', async () => {
    const before = (await it_.server.audited()).length;
    await reportOf('C1');
    await reportOf('C1', 'renal');
    const entries = (await it_.server.audited()).slice(before);
    const reason = (because = '') => because.replace(/^.*? token\b/, '');
    expect(entries.map(({ action, about, because }) => [action, [...about].sort(), reason(because)])).to.deep.equal([
      ['coverage.report', ['dataset:brains', 'sample:C1'], ', shared dataset brains'],
      ['coverage.report', ['sample:C1'], ''],
    ]);
  });

  it('are of assays that the caller has, also if all are pooled', async () => {
    const [pooled] = (await reportOf('C1', 'cardio', { pool_assays: 'true' })).cohorts;
    expect(pooled).to.deep.include({ pooled: true, assays: ['WES-A', 'WES-C'], samples: 5 + 25, shared_samples: 25 });
    const [alone] = (await reportOf('C6')).cohorts;
    expect(alone).to.deep.include({ state: 'alone', samples: 0 }).and.not.include.keys('shared_samples');
  });

  it('leave control charts with the samples of the tenant', async () => {
    const token = await it_.server.token('coverage:read:cardio', 'coverage:shared:cardio');
    const charts = await fetch(`${it_.server.url}/coverage/registry/runs`, { headers: { 'X-Auth-Token': token } });
    expect(await charts.json()).to.deep.equal({ assays: [] });
  });

  it('of a dataset that is not shared, or too small, are those of the tenant alone', async () => {
    const plain = (text: string) =>
      text.replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:[\d.]+Z| UTC)/g, 'now').replace(/nonce="[^"]*"/g, 'nonce');
    for (const page of pages) {
      for (const format of page === 'report' ? (['html', 'json'] as const) : (['csv'] as const)) {
        const [none, renal, remote] = await Promise.all(
          ['none', 'renal', 'remote'].map(async (caller) =>
            plain(await it_.text(page, fields('C1', { format }), callers[caller])),
          ),
        );
        expect(renal, `${page} ${format}`).to.equal(none);
        expect(remote, `${page} ${format}`).to.equal(none);
      }
    }
    const [cohort] = (await reportOf('C1', 'none')).cohorts;
    expect(cohort).to.deep.include({ samples: 4 }).and.not.include.keys('shared_samples');
    // Nobody is compared with the own tenant's samples twice.
    const [theirs] = (await reportOf('N00', 'neuro')).cohorts;
    expect(theirs).to.deep.include({ samples: 27 }).and.not.include.keys('shared_samples');
  });

  it('change by whole batches, and by what is removed', async () => {
    const before = (await reportOf('C1')).cohorts[0].checksum;
    await it_.register(others.slice(27, 29));
    const women = others.slice(0, 30).filter(({ sex }) => sex === 'female');
    expect((await mustCompare(others.slice(0, 25), women.slice(0, 25))).cohorts[0].checksum).to.equal(before);
    await it_.register(others.slice(29, 33));
    // Three of these are linked to no shared dataset.
    const after = (await mustCompare(others.slice(0, 30), women.slice(0, 25))).cohorts[0].checksum;
    expect(after)
      .to.match(/^sha256:/)
      .and.not.equal(before);
    // A batch is complete or does not count: of all, and of the women, of whom the sixth is in the next five of all.
    await datasets.removeSamples('brains', ['N00'], new Date(1));
    await mustCompare(others.slice(5, 30), women.slice(5, 25));
    await link('brains', ['N00']);
    await mustCompare(others.slice(0, 30), women.slice(0, 25));
    const register = { 'X-Auth-Token': await it_.server.token('coverage:register') };
    const gone = await fetch(`${it_.server.url}/coverage/registry/samples/N01`, {
      method: 'DELETE',
      headers: register,
    });
    expect(gone.status).to.be.oneOf([200, 204]);
    await mustCompare(others.slice(5, 30), women.slice(5, 25));
    // It is registered again, and is a new one; three more fill no batch, nor a fourth who has another assay.
    await it_.register([others[1] as Exome, exome('NC', 'neuro', 'female', 'WES-C')]);
    await link('brains', ['N30', 'N31', 'N32', 'NC']);
    await mustCompare(others.slice(5, 30), women.slice(5, 25));
    await it_.register([exome('N33', 'neuro', 'female')]);
    await link('brains', ['N33']);
    const more = [...others.slice(30, 33), exome('N33', 'neuro', 'female'), others[1] as Exome];
    await mustCompare([...others.slice(5, 30), ...more], [...women.slice(5, 25), ...more]);
  });
});
