/** Depths along a region over HTTP. Expected values are those of the made-up files. */
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { mergeD4 } from '../../../../plugins/coverage/d4/index.js';
import { blockFolder } from '../../../support/folder.js';
import { blocksOf } from '../../../support/guide.js';
import { request } from '../../../support/http.js';
import { person } from '../registry/support.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';
import { type Coverage, serveCoverage } from '../support/serve.js';

describe('depths along a region', () => {
  const folder = blockFolder();
  let server: Coverage;
  const path = (name: string) => join(folder, name);

  before(async () => {
    // 1:1,000,000-2,000,000 has 12x, 3,000,000-3,005,000 has 25x.
    person(path('patient-name.d4'), 'female');
    writeD4(path('tenths.d4'), {
      chromosomes: chromosomesOf('GRCh38'),
      runs: [{ chromosome: 'MT', begin: 3, end: 7, depth: 2.5 }],
      denominator: 10,
    });
    await mergeD4(path('two.d4'), [
      { path: path('patient-name.d4'), name: 'a' },
      { path: person(path('other.d4'), 'female', { depth: 40 }), name: 'b' },
    ]);
    server = await serveCoverage({
      settings: { roots: [folder] },
      http: { cors: { origins: ['https://igv.example'] } },
    });
    const description = { build: 'GRCh38', sex: 'female', labels: {} } as const;
    await server.samples.register(
      [
        { ...description, id: 'P 1', file: { path: 'patient-name.d4' } },
        { ...description, id: 'second', file: { path: 'two.d4', track: 'b' } },
        { ...description, id: 'gone', file: { path: 'gone.d4' } },
      ],
      new Date(0),
    );
  });
  after(async () => {
    await server?.close();
  });

  const ask = (query: Record<string, string> | string, headers: Record<string, string> = {}) =>
    request(`${server.url}/coverage/track?${new URLSearchParams(query)}`, { headers });
  const rows = async (query: Record<string, string>) => {
    const { status, text } = await ask({ sample: 'P 1', ...query });
    expect(status, text).to.equal(200);
    return text;
  };
  const json = async (query: Record<string, string>) =>
    JSON.parse(await rows({ format: 'json', ...query })) as {
      exact: boolean;
      values: { chr: string; start: number; end: number; value: number }[];
    };

  it('are what the track of igv.js in the guide reads', async () => {
    const [shown] = blocksOf('plugins/coverage/README.md', 'Depths in a genome browser').filter(
      ({ language }) => language === 'js',
    );
    const { source } = runInNewContext(`(${shown?.text})`, { token: 'none', JSON });
    const place = { $CHR: 'chr1', $START: '999999', $END: '1000001' };
    const url = Object.entries(place).reduce((whole, [name, value]) => whole.replace(name, value), String(source.url));
    const answer = await fetch(url.replace('https://trefoil.example.org', server.url).replace('=child', '=P+1'));
    expect(source.parser(await answer.text()).map(({ value }: { value: number }) => value)).to.deep.equal([0, 12]);
  });

  it('are exact in a short region, as bedGraph and as JSON', async () => {
    const { headers, text } = await ask({ sample: 'P 1', region: 'chr1:999,999-1,000,003' });
    expect(text).to.equal('chr1\t999998\t1000000\t0\nchr1\t1000000\t1000003\t12\n');
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="P-1_chr1_999999_1000003.bedgraph"');
    expect(headers.get('cache-control')).to.equal('no-store');
    // Zero-based half-open, and with the name of the request: the file says chr1.
    expect(await json({ chromosome: '1', start: '2000000', end: '2002000' })).to.deep.equal({
      chromosome: '1',
      start: 2_000_000,
      end: 2_002_000,
      exact: true,
      values: [{ chr: '1', start: 2_000_000, end: 2_002_000, value: 0 }],
      warnings: [],
    });
    expect(await rows({ region: '1:1000001-1000001' })).to.equal('1\t1000000\t1000001\t12\n');
    expect(await rows({ region: 'M:16569-16569' })).to.equal('M\t16568\t16569\t0\n');
  });

  it('are means of equal parts in a longer one, which cover it without a gap', async () => {
    const long = await json({ region: 'chr1:2999001-3009000', bins: '10' });
    expect(long.exact).to.equal(false);
    // 5,000 bases at 25x begin at base 1,000 of the region.
    expect(long.values.map(({ value }) => value)).to.deep.equal([0, 25, 25, 25, 25, 25, 0, 0, 0, 0]);
    const { values } = await json({ region: 'chr1:2999501-3009500', bins: '4000' });
    expect(values.length).to.equal(4000);
    let at = 2_999_500;
    let sum = 0;
    for (const { start, end, value } of values) {
      expect(start).to.equal(at);
      at = end;
      sum += value * (end - start);
    }
    expect(at).to.equal(3_009_500);
    expect(Math.round(sum)).to.equal(25 * 5000);
    expect((await json({ region: 'chr1' })).values.length).to.equal(1000);
    expect((await json({ region: 'chr1:1-2001' })).exact).to.equal(false);
    expect((await json({ region: 'chr1:1-2000' })).exact).to.equal(true);
  });

  it('are cut at the end of the chromosome', async () => {
    expect(await rows({ region: 'chrM:16560-99999999' })).to.equal('chrM\t16559\t16569\t0\n');
    expect(await rows({ chromosome: 'chrM', start: '16568' })).to.equal('chrM\t16568\t16569\t0\n');
  });

  it("are those of the registration's track, or of a file by its path, in its unit", async () => {
    expect(await rows({ sample: 'second', region: 'chr1:1000001-1000002' })).to.equal('chr1\t1000000\t1000002\t40\n');
    const { text } = await ask({ coverage_file_path: 'tenths.d4', region: 'chrM:3-8' });
    expect(text).to.equal('chrM\t2\t3\t0\nchrM\t3\t7\t2.5\nchrM\t7\t8\t0\n');
    const several = await ask({ coverage_file_path: 'two.d4', region: 'chr1:1-2', format: 'json' });
    expect(JSON.parse(several.text).warnings[0].code).to.equal('several-tracks');
  });

  it('may be read by pages of the configured origins', async () => {
    const query = { sample: 'P 1', region: 'chr1:1-10' };
    const allowed = await ask(query, { origin: 'https://igv.example' });
    expect(allowed.headers.get('access-control-allow-origin')).to.equal('https://igv.example');
    const other = await ask(query, { origin: 'https://elsewhere.example' });
    expect(other.headers.get('access-control-allow-origin')).to.not.equal('https://elsewhere.example');
  });

  const sample = 'P 1';
  const region = 'chr1:1-10';
  const refused: [Record<string, string> | string, number, RegExp][] = [
    [{ region }, 422, /Field required \(or coverage_file_path\)/],
    [{ sample }, 422, /region.*Field required, such as chr1:1000-2000/],
    [{ sample: 'nobody', region }, 422, /is not registered/],
    [{ sample: '', region }, 422, /sample/],
    [{ sample: 'x'.repeat(201), region }, 422, /sample/],
    [{ sample, coverage_file_path: 'other.d4', region }, 422, /give one or the other/],
    [{ sample, region, chromosome: '1' }, 422, /give one or the other/],
    [{ sample, region: 'chrZ:1-10' }, 422, /no chromosome chrZ/],
    [{ sample, region: 'chr1:0-10' }, 422, /first base from 1/],
    [{ sample, region: 'chr1:10-9' }, 422, /last base that is not before it/],
    [{ sample, region: 'chr1:1,00-2,000' }, 422, /must be a chromosome, or chr1:1000-2000/],
    [{ sample, region: 'chr1:10' }, 422, /must be a chromosome, or chr1:1000-2000/],
    [{ sample, region: 'chr1:-5-10' }, 422, /must be a chromosome|no chromosome/],
    [{ sample, region: 'chr1:1-1e9' }, 422, /must be a chromosome/],
    [{ sample, region: 'chr1:,-,' }, 422, /must be a chromosome, or chr1:1000-2000/],
    [{ sample, region: `chr1:1-${'9'.repeat(400)}` }, 422, /first base from 1/],
    [{ sample, region: 'chr1:248956423-248956424' }, 422, /ends at 248956422/],
    [{ sample, region: ' ' }, 422, /no chromosome/],
    [{ sample, region: 'a'.repeat(10_001) }, 422, /region/],
    [{ sample, chromosome: '1', start: '10', end: '10' }, 422, /has no bases/],
    [{ sample, chromosome: '1', start: '-1', end: '10' }, 422, /start/],
    [{ sample, chromosome: '1', start: '1.5', end: '10' }, 422, /start/],
    [{ sample, region, bins: '0' }, 422, /bins/],
    [{ sample, region, bins: '4001' }, 422, /bins/],
    [{ sample, region, format: 'bigwig' }, 422, /format/],
    ['sample=P+1&sample=P+1&region=chr1:1-10', 422, /sample/],
    ['sample=P+1&region=chr1:1-10&region=chr2', 422, /region/],
    [{ coverage_file_path: '../../etc/passwd', region }, 404, /must be either an existing local file path or a URL/],
    [{ sample: 'gone', region }, 404, /must be either an existing local file path or a URL/],
  ];
  for (const [query, status, words] of refused) {
    const shown = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    it(`refuse ${shown.slice(0, 60)}`, async () => {
      const answer = await ask(query);
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.text).to.match(words).and.not.include('patient-name');
      expect(JSON.parse(answer.text)).to.have.property('detail');
    });
  }

  it('are linked from low-coverage regions of registered samples only', async () => {
    const report = async (more: Record<string, string>) => {
      const bed = 'chr1\t999990\t1000010\tedge\nchr1\t100\t120\tstart\n';
      const form = { build: 'GRCh38', interval_type: 'custom_intervals', intervals_bed: bed, ...more };
      const sent = { form: { completeness_thresholds: '10', ...form }, headers: { accept: 'text/html' } };
      return (await request(`${server.url}/report`, sent)).text;
    };
    const links = [...(await report({ sample_id_1: 'P 1' })).matchAll(/href="(\/coverage\/track[^"]*)"/g)];
    expect(links.map(([, href]) => href?.replaceAll('&amp;', '&'))).to.deep.equal([
      '/coverage/track?sample=P+1&region=chr1%3A999491-1000500',
      '/coverage/track?sample=P+1&region=chr1%3A1-620',
    ]);
    const answer = await fetch(server.url + links[0]?.[1]?.replaceAll('&amp;', '&'));
    expect(await answer.text()).to.equal('chr1\t999490\t1000000\t0\nchr1\t1000000\t1000500\t12\n');
    const byPath = await report({ samples: JSON.stringify([{ name: 'x', coverage_file_path: 'other.d4' }]) });
    expect(byPath).to.include('Regions below').and.not.include('/coverage/track');
  });
});
