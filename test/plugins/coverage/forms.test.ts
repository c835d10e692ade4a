/** BED files uploaded in multipart forms. */
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { useEach } from '../../support/use.js';
import { chromosomesOf, writeD4 } from './support/d4.js';
import { serveCoverage } from './support/serve.js';

/** Responses and descriptions, as far as these tests read them. */
// biome-ignore lint/suspicious/noExplicitAny: the tests state the expected members
type Json = any;

const bed = '1\t100\t200\tfirst\n1\t150\t350\n';

describe('coverage of uploaded BED files', () => {
  const folder = useFolder();
  const server = useEach(async () => {
    file = writeD4(join(folder.path(), 'a.d4'), {
      chromosomes: chromosomesOf('GRCh37'),
      runs: [{ chromosome: '1', begin: 0, end: 300, depth: 30 }],
    });
    return serveCoverage({ settings: { roots: [folder.path()] } });
  });
  let file: string;

  async function send(path: string, fields: Record<string, string>, text: string | undefined = bed) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ coverage_file_path: file, ...fields })) form.set(name, value);
    if (text !== '') form.set('file', new Blob([text]), 'regions.bed');
    return request<Json>(server.url + path, { form });
  }

  it('are measured by line, with lists as JSON or joined by commas', async () => {
    for (const completeness_thresholds of ['[31,30]', '31, 30']) {
      const { status, body } = await send('/coverage/d4/interval_file/', { completeness_thresholds });
      expect(status).to.equal(200);
      expect(body.map((row: Json) => [row.name, row.length, row.mean_coverage, row.bases_at])).to.deep.equal([
        ['first', 100, 30, { 30: 100, 31: 0 }],
        [undefined, 200, 22.5, { 30: 150, 31: 0 }],
      ]);
    }
  });

  it('are returned completely, however long', async () => {
    const lines = Array.from({ length: 2500 }, (_, i) => `1\t${i}\t${i + 1}`);
    const { status, body } = await send('/coverage/d4/interval_file/', {}, lines.join('\n'));
    expect(status).to.equal(200);
    expect(body.map((row: Json) => row.interval_id)).to.deep.equal(lines.map((_, i) => `1:${i}-${i + 1}`));
    expect(body.filter((row: Json) => row.mean_coverage === 30)).to.have.length(300);
  });

  it('are pooled, with min, max and median if the form says true', async () => {
    const samples = JSON.stringify([{ name: 's', coverage_file_path: file }]);
    const fields = { build: 'GRCh37', samples, coverage_threshold: '10', interval_type: 'custom_intervals' };
    const { status, body } = await send('/coverage/d4/genes/summary', { ...fields, distribution: 'true' });
    expect(status).to.equal(200);
    // 100–350: 200 bases of 30, 50 of 0.
    expect(body.s).to.deep.include({ mean_coverage: 24, coverage_completeness_percent: 80, length: 250 });
    expect(body.s).to.deep.include({ min: 0, max: 30, median: 30 });
    const plain = await send('/coverage/d4/genes/summary', { ...fields, distribution: 'false' });
    expect(plain.body.s).not.to.have.any.keys('min', 'max', 'median');
  });

  it('are refused together with a path, if both are missing, and if a list is truncated', async () => {
    const both = await send('/coverage/d4/interval_file/', { intervals_bed_path: 'regions.bed' });
    expect([both.status, both.body.detail[0].msg]).to.deep.equal([
      422,
      'intervals_bed_path and a file in the form exclude each other',
    ]);
    const neither = await send('/coverage/d4/interval_file/', {}, '');
    expect([neither.status, neither.body.detail[0].loc]).to.deep.equal([422, ['body', 'intervals_bed_path']]);
    for (const completeness_thresholds of ['[20,', '20]', '[20', '[[20]]']) {
      const { status, body } = await send('/coverage/d4/interval_file/', { completeness_thresholds });
      expect([status, body.detail[0].loc.slice(0, 2)], completeness_thresholds).to.deep.equal([
        422,
        ['body', 'completeness_thresholds'],
      ]);
    }
  });

  it('are in the API description, with the file and its fields as text', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as Json;
    for (const path of ['/coverage/d4/interval_file/', '/coverage/d4/genes/summary']) {
      const { content } = paths[path].post.requestBody;
      const { properties, required = [] } = content['multipart/form-data'].schema;
      expect(properties.file).to.deep.include({ type: 'string', format: 'binary' });
      expect(Object.keys(properties)).to.include.members(required);
      expect(Object.values(properties).map((field) => (field as Json).type)).not.to.include.members(['array']);
      expect(content['application/json'].schema.properties).not.to.have.property('file');
    }
  });
});
