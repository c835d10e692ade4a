/** Reports as custom content for MultiQC. Expected numbers follow from the made-up files. */
import { join } from 'node:path';
import { expect } from 'chai';
import { blockFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { person } from '../registry/support.js';
import { type Coverage, serveCoverage } from '../support/serve.js';

interface MultiQc {
  id: string;
  section_name: string;
  plot_type: string;
  pconfig: Record<string, unknown>;
  headers: Record<string, Record<string, unknown>>;
  data: Record<string, Record<string, unknown>>;
}

describe('coverage pages: custom content for MultiQC', () => {
  const folder = blockFolder();
  let server: Coverage;

  before(async () => {
    // 1:1,000,000-2,000,000 has 12x.
    person(join(folder, 'a.d4'), 'female');
    person(join(folder, 'b.d4'), 'male', { depth: 40 });
    server = await serveCoverage({ settings: { roots: [folder] } });
    const description = { build: 'GRCh38', sex: 'female', case: 'Family Andersson', labels: {} } as const;
    await server.samples.register([{ ...description, id: 'P 1', file: { path: 'a.d4' } }], new Date(0));
  });
  after(async () => {
    await server?.close();
  });

  async function report(more: Record<string, string>, page = 'report') {
    const fields = {
      build: 'GRCh38',
      interval_type: 'custom_intervals',
      intervals_bed: 'chr1\t999990\t1000010\tedge\nchr1\t100\t120\tstart\nchr1\t1500000\t1500010\tinside\n',
      completeness_thresholds: '10,20',
      default_level: '10',
      format: 'multiqc',
    };
    return request<MultiQc>(`${server.url}/${page}`, { form: { ...fields, ...more } });
  }

  it('have the figures of each sample, and a header for each', async () => {
    const samples = JSON.stringify([
      { sample_id: 'P 1', name: 'Anna Andersson' },
      { name: 'S2', coverage_file_path: 'b.d4', sex: 'female' },
    ]);
    const { status, headers, body, text } = await report({ samples, panel_name: 'Cardio (v2.1)' });
    expect(status, text).to.equal(200);
    expect(headers.get('content-type')).to.match(/^application\/json/);
    expect(headers.get('content-disposition')).to.match(/Cardio-v2\.1_GRCh38_10x_\d{4}-\d\d-\d\d_mqc\.json"$/);
    expect(body).to.include({
      id: 'trefoil_coverage_cardio_v2_1',
      section_name: 'Coverage: Cardio (v2.1)',
      plot_type: 'table',
    });
    expect(body.pconfig).to.deep.equal({
      id: 'trefoil_coverage_cardio_v2_1_table',
      title: 'Trefoil: Coverage of Cardio (v2.1)',
    });
    // 50 bases: 20 at 12x (or 40x), 30 at 0, so that the 20th percentile is 0 and fold-80 is not stated; one of three intervals
    // is covered, one has no reads. Evenness: 20 of 50 bases reach the mean, the others have nothing of it.
    expect(body.data).to.deep.equal({
      'P 1': {
        mean_coverage: 4.8,
        completeness_10_percent: 40,
        completeness_20_percent: 0,
        fully_covered_percent: 33.33,
        incompletely_covered: 2,
        median_coverage: 0,
        at_fifth_of_mean_percent: 40,
        evenness: 0.4,
        zero_coverage_intervals_percent: 33.33,
        predicted_sex: 'female',
        sex_check: 'ok',
        karyotype: 'unclear',
      },
      S2: {
        mean_coverage: 16,
        completeness_10_percent: 40,
        completeness_20_percent: 40,
        fully_covered_percent: 33.33,
        incompletely_covered: 2,
        median_coverage: 0,
        at_fifth_of_mean_percent: 40,
        evenness: 0.4,
        zero_coverage_intervals_percent: 33.33,
        predicted_sex: 'male',
        sex_check: 'mismatch',
        karyotype: 'unclear',
      },
    });
    // Samples may have these.
    const { fold_80, x_copies, y_copies, mt_copies, ...others } = body.headers;
    expect([x_copies, y_copies, mt_copies].map((own) => own?.title)).to.deep.equal([
      'Copies of X',
      'Copies of Y',
      'Copies of MT',
    ]);
    expect(fold_80).to.include({ title: 'Fold-80' });
    expect(Object.keys(others)).to.deep.equal(Object.keys(body.data['P 1'] ?? {}));
    for (const header of Object.values(body.headers)) {
      expect(header.title).to.be.a('string');
      expect(header.description).to.be.a('string');
    }
  });

  it('name no person and no family', async () => {
    const samples = JSON.stringify([{ sample_id: 'P 1', name: 'Anna' }]);
    const { text, headers } = await report({ samples, case_display_name: 'Andersson' });
    expect(text).to.not.match(/Anders|Anna|a\.d4/);
    expect(headers.get('content-disposition')).to.not.include('Andersson');
  });

  it('come from the other pages too, and keep two samples of one id apart', async () => {
    const samples = JSON.stringify([{ sample_id: 'P 1' }, { sample_id: 'P 1', name: 'again' }]);
    const { body, status, text } = await report({ samples }, 'overview');
    expect(status, text).to.equal(200);
    expect(body.id).to.equal('trefoil_coverage');
    expect(Object.keys(body.data)).to.deep.equal(['P 1', 'again']);
  });

  it('say in JSON what is wrong with a request', async () => {
    const { status, body } = await report({ samples: '[{"sample_id": "nobody"}]' });
    expect(status).to.equal(422);
    expect(body).to.have.property('detail');
  });
});
