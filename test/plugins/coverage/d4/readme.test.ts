/** The README of the library, followed by someone who has only the packed package. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { build } from 'esbuild';
import { depths, openD4 } from '../../../../plugins/coverage/d4/index.js';
import { type Block, blocksOf, follow } from '../../../support/guide.js';
import { type Installed, install } from '../../../support/installed.js';
import { trefoil } from '../../../support/trefoil.js';
import { type RangeServer, serveRanges } from './support/server.js';

const readme = 'plugins/coverage/d4/README.md';

/** As mosdepth writes it. */
const perBase = [
  ['chr1', 0, 9500, 30],
  ['chr1', 9500, 10_500, 15],
  ['chr1', 10_500, 12_500, 30],
  ['chr1', 12_500, 13_000, 30],
  ['chr1', 13_000, 14_000, 45],
  ['chr1', 14_000, 50_000, 30],
  ['chr2', 0, 5000, 20],
  ['chr2', 5000, 9000, 10],
  ['chr2', 9000, 10_000, 5],
  ['chr2', 10_000, 15_000, 20],
  ['chr2', 15_000, 20_000, 1],
]
  .map((line) => `${line.join('\t')}\n`)
  .join('');

/** What of JBrowse an adapter uses, with a file handle as generic-filehandle2 has it. */
const jbrowse: Record<string, string> = {
  'package.json': JSON.stringify({
    name: '@jbrowse/core',
    type: 'module',
    exports: {
      './data_adapters/BaseAdapter': './adapter.js',
      './util': './util.js',
      './util/io': './io.js',
      './util/rxjs': './rxjs.js',
    },
  }),
  'adapter.js': `
export class BaseFeatureDataAdapter {
  constructor(config) { this.config = config; }
  getConf(name) { return this.config[name]; }
}`,
  'util.js': `
export class SimpleFeature {
  constructor({ id, data }) { Object.assign(this, { uniqueId: id, data }); }
  get(name) { return this.data[name]; }
}`,
  'io.js': `
class RemoteFile {
  constructor(url) { this.url = url; }
  async fetch(input, init) { return fetch(input, init); }
  async read(length, position, { signal } = {}) {
    const range = 'bytes=' + position + '-' + (position + length - 1);
    return new Uint8Array(await (await this.fetch(this.url, { headers: { range }, signal })).arrayBuffer());
  }
  async stat() {
    const response = await this.fetch(this.url, { headers: { range: 'bytes=0-1' } });
    return { size: Number(response.headers.get('content-range').split('/')[1]) };
  }
  async close() {}
}
export const openLocation = ({ uri }) => new RemoteFile(uri);`,
  'rxjs.js': `
export const ObservableCreate = (work) => ({
  subscribe(observer) { work(observer).catch((error) => observer.error(error)); },
});`,
};

describe('d4: the README', function () {
  this.timeout(120_000); // packs, and starts some processes
  let installed: Installed;
  let server: RangeServer;

  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(installed.folder, name), text);
  /** The blocks of a section, about our server. */
  const here = (heading: string): Block[] =>
    blocksOf(readme, heading).map((block) => ({
      ...block,
      text: block.text.replaceAll('https://example.org/sample.d4', server?.url ?? ''),
    }));
  const followed = (heading: string) => follow(here(heading), { folder: installed.folder });
  /** Runs a script in the folder, and returns what it prints as JSON. */
  const printed = async (script: string): Promise<unknown> => {
    write('printing.mjs', script);
    const file = join(installed.folder, 'printing.mjs');
    const { code, stdout, stderr } = await trefoil([], { cwd: installed.folder, script: file });
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  };

  before(async () => {
    installed = install();
    write('sample.per-base.bed.gz', gzipSync(perBase));
    await followed("A file made from mosdepth's bedGraph");
    server = await serveRanges(readFileSync(join(installed.folder, 'sample.d4')));
  });
  after(async () => {
    await server?.close();
    installed.remove();
  });

  it('makes the file that it names', async () => {
    const file = await openD4(join(installed.folder, 'sample.d4'));
    const found = await depths(file.track(), { chromosome: 'chr1', begin: 9499, end: 9501 });
    expect(Array.from(found)).to.deep.equal([30, 15]);
    file.close();
  });

  it('reads it over HTTP in ten lines, and loads no server and no database for it', async () => {
    const [script] = here('The first numbers');
    expect(script?.text.split('\n').length).to.be.at.most(10);
    await followed('The first numbers');
    const requested = server.requests.length;
    const loaded = join(installed.folder, 'loaded');
    const preload = pathToFileURL(join(import.meta.dirname, '../../../support/loaded.mjs')).href;
    const { code, stderr } = await trefoil([], {
      cwd: installed.folder,
      script: join(installed.folder, 'first.mjs'),
      node: [`--import=${preload}`],
      env: { LOADED_MODULES: loaded },
    });
    expect(code, stderr).to.equal(0);
    expect(server.requests.length).to.be.greaterThan(requested);
    const modules = new Set(
      readFileSync(loaded, 'utf8')
        .split('\n')
        .filter((url) => url.startsWith('file:')),
    );
    const packages = [...modules].map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
    expect(new Set(packages.filter((name) => name !== undefined))).to.deep.equal(new Set(['trefoil']));
  });

  it('shows an error that nobody caught without the code around it', async () => {
    write('uncaught.mjs', "import { openD4 } from 'trefoil/d4';\nawait openD4('absent.d4');\n");
    const script = join(installed.folder, 'uncaught.mjs');
    const { code, stderr } = await trefoil([], { cwd: installed.folder, script });
    expect(code).to.equal(1);
    expect(stderr).to.include('D4Error: There is no such file (absent.d4)');
    expect(stderr.length).to.be.at.most(3000);
  });

  it('is what a bundler for browsers finds, by either name', async () => {
    for (const door of ['trefoil/d4', 'trefoil/d4/browser']) {
      const contents = `import { openD4 } from '${door}';\nconsole.log(openD4);`;
      const stdin = { contents, resolveDir: installed.folder };
      const { outputFiles, warnings } = await build({
        stdin,
        bundle: true,
        platform: 'browser',
        format: 'esm',
        write: false,
      });
      expect(warnings).to.deep.equal([]);
      expect(outputFiles[0]?.text.length).to.be.within(50_000, 150_000);
    }
  });

  for (const heading of ['A step of a pipeline', 'A report of your own']) {
    it(`works as written: ${heading}`, () => followed(heading));
  }

  it('keeps files open in a server as written', async () => {
    const [text = ''] = blocksOf(readme, 'What can be opened').map((block) => block.text);
    const rows = await printed(`
      import { D4Cache, D4Pool } from 'trefoil/d4';
      const path = 'sample.d4';
      const intervals = [{ chromosome: 'chr1', begin: 10_000, end: 12_000 }];
      const signal = new AbortController().signal;
      ${text}
      console.log(JSON.stringify(rows.map(({ mean }) => mean)));
      process.exit();`);
    expect(rows).to.deep.equal([26.25]);
  });

  it('writes a stream as written', async () => {
    const [text = ''] = blocksOf(readme, 'Writing').map((block) => block.text);
    write('written.mjs', `import { createD4, parseRuns } from 'trefoil/d4';\n${text}`);
    const command = "mkdir -p written && cd written && printf 'chr1\\t10\\t20\\t30\\n' | node ../written.mjs";
    await follow([{ language: 'sh', rest: '', text: command }], { folder: installed.folder });
    const file = await openD4(join(installed.folder, 'written/sample.d4'));
    const found = await depths(file.track(), { chromosome: 'chr1', begin: 9, end: 11 });
    expect(Array.from(found)).to.deep.equal([0, 30]);
    file.close();
  });

  it('plots a profile in a notebook', async () => {
    await followed('A plot in a notebook');
    const svg = await printed(`
      import { depthPlot } from './plot.mjs';
      const interval = { chromosome: 'chr1', begin: 9_000, end: 13_000 };
      console.log(JSON.stringify(await depthPlot(${JSON.stringify(server.url)}, interval)));`);
    expect(svg).to.match(/^<svg xmlns=[^>]*>\n<polygon [^>]*\/>\n<polyline [^>]*\/>\n<\/svg>$/);
    const [, line = ''] = /stroke="navy" points="([^"]*)"/.exec(String(svg)) ?? [];
    const heights = line.split(' ').map((point) => Number(point.split(',')[1]));
    expect(heights).to.have.length(400);
    // Parts of 10 bases from 9,000 on: 30x, then 15x in [9500, 10500), of at most 30x.
    expect([heights[0], heights[49], heights[50], heights[149], heights[150]]).to.deep.equal([0, 0, 50, 50, 0]);
    // Four bases up to the end of the chromosome, of six that were asked for, over the whole width.
    const last = await printed(`
      import { depthPlot } from './plot.mjs';
      const interval = { chromosome: 'chr1', begin: 49_996, end: 50_002 };
      console.log(JSON.stringify(await depthPlot(${JSON.stringify(server.url)}, interval)));`);
    const [, short = ''] = /stroke="navy" points="([^"]*)"/.exec(String(last)) ?? [];
    const places = short.split(' ').map((point) => point.split(',').map(Number));
    expect(places).to.deep.equal([0, 1, 2, 3].map((i) => [(400 / 3) * i, 0]));
  });

  it('is a track of igv.js: what its TextFeatureSource reads', async () => {
    await followed('A track of igv.js');
    server.faults.push('404');
    const features = await printed(`
      import { d4Track } from './igv-track.mjs';
      const { type, reader, expandQuery, disableCache } = d4Track(${JSON.stringify(server.url)});
      const before = await reader.readFeatures('1', 9400, 9500).catch(({ code }) => code);
      const shown = await reader.readFeatures('1', 9400.5, 9600.2);
      const far = await reader.readFeatures('chr2', 0, Number.MAX_SAFE_INTEGER);
      const none = [await reader.readFeatures('chrUn', 0, 10), await reader.readFeatures('chr2', 30000, 40000)];
      console.log(JSON.stringify({ type, expandQuery, disableCache, before, shown, far, none }));`);
    const found = features as Record<string, { chr: string; start: number; end: number; value: number }[]>;
    expect(found).to.deep.include({
      type: 'wig',
      before: 'not-found',
      expandQuery: false,
      disableCache: true,
      none: [[], []],
    });
    expect(found.shown?.length).to.equal(201);
    expect(found.shown?.[0]).to.deep.equal({ chr: '1', start: 9400, end: 9401, value: 30 });
    expect(found.shown?.[100]).to.deep.equal({ chr: '1', start: 9500, end: 9501, value: 15 });
    expect(found.far?.length).to.equal(2000);
    expect(found.far?.at(-1)).to.deep.equal({ chr: 'chr2', start: 19_990, end: 20_000, value: 1 });
  });

  it('is an adapter of JBrowse: names of references, and features at the resolution of the screen', async () => {
    const folder = join(installed.folder, 'node_modules/@jbrowse/core');
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(jbrowse)) writeFileSync(join(folder, name), text);
    await followed('An adapter of JBrowse');
    const features = await printed(`
      import Adapter from './jbrowse-adapter.mjs';
      const adapter = new Adapter({ d4Location: { uri: ${JSON.stringify(server.url)} } });
      const all = (region, options) => new Promise((resolve, error) => {
        const found = [];
        const next = (feature) => found.push(['start', 'end', 'score'].map((name) => feature.get(name)));
        adapter.getFeatures(region, options).subscribe({ next, error, complete: () => resolve(found) });
      });
      const region = { refName: 'chr2', start: 8998, end: 9002 };
      const wide = await all({ ...region, end: 10998 }, { bpPerPx: 1000 });
      const names = await adapter.getRefNames();
      console.log(JSON.stringify({ names, near: await all(region, { bpPerPx: 0.1 }), wide }));`);
    expect(features).to.deep.equal({
      names: ['chr1', 'chr2'],
      near: [
        [8998, 8999, 10],
        [8999, 9000, 10],
        [9000, 9001, 5],
        [9001, 9002, 5],
      ],
      wide: [
        [8998, 9998, (2 * 10 + 998 * 5) / 1000],
        [9998, 10_998, (2 * 5 + 998 * 20) / 1000],
      ],
    });
  });
});
