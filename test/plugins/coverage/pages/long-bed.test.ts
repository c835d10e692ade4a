/** BED files that are too long to embed in a page. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { useFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { useEach } from '../../../support/use.js';
import { chromosomesOf, risingRuns, writeD4 } from '../support/d4.js';
import { serveCoverage } from '../support/serve.js';
import { rowsOf } from './support/post.js';

/** Lines of ten bases on chromosome 7, each with a distinct name. */
const lines = 12_000;
/** Fifteen lines have depth 0, the next fifteen 1, and so on: 26 times 0 to 29, of which 20 are below 20, and 0 to 19 once more. */
const below20 = 15 * (26 * 20 + 20);
const bed = Array.from({ length: lines }, (_, i) => `7\t${5000 + 10 * i}\t${5010 + 10 * i}\tLINE_${i}\n`).join('');

describe('coverage pages: a long BED file', () => {
  const folder = useFolder();
  const server = useEach(async () => {
    file = writeD4(join(folder.path(), 'made.d4'), {
      chromosomes: [...chromosomesOf('GRCh37'), { name: '7', size: 159_138_663 }],
      runs: risingRuns(lines / 15),
    });
    return serveCoverage({ settings: { roots: [folder.path()] } });
  });
  let file: string;

  async function ask(page: string, more: Record<string, string>, text: string | Buffer<ArrayBuffer> | undefined = bed) {
    const form = new FormData();
    const samples = JSON.stringify([{ name: 's', coverage_file_path: file }]);
    const fields = { samples, build: 'GRCh37', interval_type: 'custom_intervals', default_level: '20', ...more };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (text !== undefined) form.append('intervals_bed', new Blob([text]), text.length === 0 ? '' : 'lines.bed');
    return request(`${server.url}/${page}`, { form, headers: { accept: 'text/html' } });
  }

  for (const page of ['report', 'overview']) {
    it(`is requested again on /${page}, which lists part of it and says so`, async () => {
      const { status, text } = await ask(page, {});
      expect([status, text.includes(`\tLINE_${lines - 1}\n`)]).to.deep.equal([200, false]);
      expect(text.match(/<form id="ask"[^>]*>/)?.[0]).to.include('enctype="multipart/form-data"');
      expect(text)
        .to.include('MB) is not kept on this page. Choose it again here before')
        .and.match(/<input type="file"[^>]* name="intervals_bed">/);
      expect(text).to.not.include('<textarea id="intervals_bed"');
      expect(text).to.include(
        page === 'report' ? 'the CSV and JSON exports have all' : `of ${below20.toLocaleString('en')}`,
      );
      // A short one is embedded in the page.
      const short = await ask(page, {}, bed.split('\n', 9).join('\n'));
      expect(short.text).to.include('<textarea id="intervals_bed"').and.not.include('enctype=');
    });
  }

  it('may be compressed, and is then requested again however short it is', async () => {
    const few = bed.split('\n', 9).join('\n');
    const packed = Buffer.from(gzipSync(few));
    const tables = [few, packed].map(
      async (text) => (await ask('report', { format: 'csv', table: 'intervals' }, text)).text,
    );
    const [plain = '', unpacked] = await Promise.all(tables);
    expect(rowsOf(plain)).to.have.length(9);
    expect(unpacked).to.equal(plain);
    const { status, text } = await ask('report', {}, packed);
    expect([status, text.includes('is not kept on this page')]).to.deep.equal([200, true]);
  });

  it('is requested if the form is sent without it, as browsers send a file that was not chosen', async () => {
    const { status, text } = await ask('report', {}, '');
    expect(status).to.equal(422);
    expect(text).to.include('is required: the path of a BED file on the server, or BED lines');
  });

  it('has every line in CSV, which is streamed', async () => {
    const { status, headers, text } = await ask('report', { format: 'csv', table: 'intervals' });
    expect([status, headers.get('content-length')]).to.deep.equal([200, null]);
    const rows = rowsOf(text);
    expect(rows.map(({ interval }) => interval)).to.deep.equal(Array.from({ length: lines }, (_, i) => `LINE_${i}`));
    expect(rows.every(({ bases }) => bases === '10')).to.equal(true);
    const incomplete = rows.filter((row) => row.completeness_20_percent !== '100');
    expect(incomplete).to.have.length(below20);
    const genes = rowsOf((await ask('report', { format: 'csv', table: 'incomplete_genes' })).text);
    expect(genes.map(({ gene }) => gene).sort()).to.deep.equal(incomplete.map(({ gene }) => gene).sort());
    const unknown = await ask('report', { format: 'csv', table: 'nothing' });
    expect(unknown.status).to.equal(422);
  });
});
