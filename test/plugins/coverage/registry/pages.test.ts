/** Reports on registered samples: as with a path, and no page shows where their file is. */
import { join } from 'node:path';
import { expect } from 'chai';
import { blockFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';
import { person } from './support.js';

const day = new Date(0);
const fields = {
  build: 'GRCh38',
  interval_type: 'custom_intervals',
  intervals_bed: 'chr1\t999990\t1000010\tedge\n',
  completeness_thresholds: '10',
};

// biome-ignore lint/suspicious/noExplicitAny: a report, compared by its fields
type Report = any;

describe('reports on registered samples', () => {
  const folder = blockFolder();
  const server = useOnce(async () => {
    person(join(folder, 'secret-place.d4'), 'female');
    return serveCoverage({ settings: { roots: [folder], files: { listed: 100 } } });
  });

  const send = (page: string, more: Record<string, string>, accept = 'text/html') =>
    request(`${server.url}/${page}`, { form: { ...fields, ...more }, headers: { accept } });
  const report = async (more: Record<string, string>) =>
    JSON.parse((await send('report', more, 'application/json')).text) as Report;
  const start = async () => (await fetch(`${server.url}/coverage`)).text();

  it('offer no registered samples while there are none', async () => {
    expect(await start())
      .to.include('secret-place.d4')
      .and.not.include('sample_id_1');
  });

  it('have the numbers and facts of the sample, by a list and by a row', async () => {
    const description = { build: 'GRCh38', case: 'F1', sex: 'male', analysed: '2026-04-23', labels: {} } as const;
    await server.samples.register([{ ...description, id: 'R 1', file: { path: 'secret-place.d4' } }], day);
    const listed = {
      name: 'R 1',
      coverage_file_path: 'secret-place.d4',
      sex: 'male',
      case_name: 'F1',
      analysis_date: '2026-04-23',
    };
    const byPath = await report({ samples: JSON.stringify([listed]) });
    expect(byPath.samples[0].name).to.equal('R 1');
    const timeless = ({ made: _, ...rest }: Report) => rest;
    const ways: Record<string, string>[] = [
      { samples: '[{"sample_id": "R 1"}]' },
      { samples: "[{'sample_id': 'R 1'}]" },
      { sample_id_1: 'R 1' },
    ];
    for (const more of ways) {
      expect(timeless(await report(more))).to.deep.equal(timeless(byPath));
    }
    const renamed = await report({ sample_id_1: 'R 1', sample_name_1: 'child', sample_sex_1: 'female' });
    expect(renamed.samples[0].name).to.equal('child');
  });

  it('show the id and not the place of the file, and can be sent again', async () => {
    const { status, text } = await send('report', { sample_id_1: 'R 1' });
    expect(status, text).to.equal(200);
    expect(text).to.include('name="sample_id_1" value="R 1"').and.to.include('name="sample_file_1" value=""');
    const repeated = [...text.matchAll(/name="(sample_\w+_1)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(Object.fromEntries(repeated)).to.deep.equal({
      sample_id_1: 'R 1',
      sample_name_1: 'R 1',
      sample_file_1: '',
      sample_group_1: 'F1',
      sample_date_1: '2026-04-23',
    });
    expect((await send('report', Object.fromEntries(repeated))).status).to.equal(200);
  });

  it('offer the registered samples on the form', async () => {
    const page = await start();
    expect(page).to.match(/<datalist id="registered-samples"><option value="R 1"><\/datalist>/);
    expect(page).to.match(/name="sample_id_1"[^>]* list="registered-samples"/);
    const { text } = await send('coverage', { samples: '[{"sample_id": "R 1"}]', add_sample: '1' });
    expect(text)
      .to.include('name="sample_id_1" value="R 1"')
      .and.to.match(/name="sample_id_2"[^>]* autofocus/);
  });

  it('refuse an id that is not registered, and one with a file, at its field', async () => {
    const unknown = await send('report', { sample_id_1: 'nobody' });
    expect(unknown.status).to.equal(422);
    expect(unknown.text)
      .to.include('<a href="#sample_id_1">Registered sample of sample 1</a>')
      .and.include('is not registered');
    const both = await send('report', { sample_id_1: 'R 1', sample_file_1: 'secret-place.d4' });
    expect(both.text).to.include('and a D4 file exclude each other');
    const list = await send('report', { samples: '[{"sample_id": "nobody"}]' }, 'application/json');
    expect(JSON.parse(list.text).detail[0]).to.deep.include({ loc: ['body', 'samples', 0, 'sample_id'] });
  });
});
