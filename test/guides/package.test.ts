/** The packed package, used as an institution would use it, on every supported version of Node.js. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { createD4 } from '../../plugins/coverage/d4/index.js';
import { installWithLevel } from '../kit/kv-adapter/installed.js';
import { serveRanges } from '../plugins/coverage/d4/support/server.js';
import { engines } from '../support/engines.js';
import { blocksOf } from '../support/guide.js';
import { nodes, promised } from '../support/nodes.js';
import { type Outcome, type RunOptions, serve, trefoil } from '../support/trefoil.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** All entry points for imports. */
const doors = [
  'plugin',
  'commands',
  'files',
  'genome',
  'vcf',
  'openid',
  'outgoing',
  'migration',
  'storage',
  'conformance',
  'testing',
  'services',
  'beacon/contract',
  'beacon/conformance',
  'd4',
  'd4/browser',
  'coverage/contract',
  'coverage/conformance',
  'matchmaker/contract',
  'matchmaker/conformance',
  'panels/contract',
  'panels/conformance',
  'reviews/contract',
  'reviews/conformance',
  'adapters/knex',
  'package.json',
];
const hidden = ['', '/core/start.js', '/dist/core/start.js', '/dist/core/plugin.js', '/beacon', '/adapters/sqlite'];

/** Imports entry points by name and prints which succeeded. */
const opener = `
const opened = [];
for (const door of process.argv.slice(2)) {
  const type = door.endsWith('.json') ? { with: { type: 'json' } } : undefined;
  await import(door, type).then(() => opened.push(door), (error) => {
    if (error.code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
  });
}
console.log(JSON.stringify(opened));
`;

/** Sums by a pool, writes and checks a depth file; `sum`, its verdict and the number of threads are printed. */
const depthProgram = `
import { createD4, D4Pool, openD4, verifyD4 } from 'trefoil/d4';
let threads = 0;
process.on('worker', () => threads++);
async function run([path, written]) {
  const pool = new D4Pool({ threads: 1, inlineBases: 0 });
  const file = await openD4(path, { sweeper: pool.sweeper });
  const [{ sum }] = await file.statistics({ intervals: [{ chromosome: 'chr1', begin: 0, end: 1_000_000 }] });
  file.close();
  await pool.close();
  await createD4(written, [{ chromosome: 'chr1', begins: [0], ends: [9], depths: [sum] }], { deflate: 1 });
  console.log(sum, (await verifyD4(written)).verdict, threads);
}
run(process.argv.slice(2));
`;

/** What a page calls, as its author writes it: with the types of the language and of the browser alone. */
const pageProgram = `
import { bins, type D4File, depths, isD4Error, openD4, runs, stretches } from 'trefoil/d4/browser';
export async function draw(input: HTMLInputElement, interval = { chromosome: 'chr1', begin: 0, end: 9 }): Promise<number> {
  const [blob] = input.files ?? [];
  const file: D4File = await openD4(blob ?? new URL('https://example.org/a.d4'), { http: { fetch, timeout: 5 } });
  const track = file.track();
  for await (const { begins } of runs(track, interval)) if (begins.length > 5) break;
  for await (const { end } of stretches(track, interval, { below: 10 })) if (end > 5) break;
  const { signal } = new AbortController();
  const [row] = await file.statistics({ intervals: [interval], thresholds: [10], signal }).catch((error: unknown) => {
    if (isD4Error(error)) document.body.append(error.reason);
    throw error;
  });
  const { means } = await file.columns({ intervals: bins(interval, 3) });
  return (row?.mean ?? 0) + (means[0] ?? 0) + ((await depths(track, interval))[0] ?? 0);
}
`;

const alleleQuery =
  '/apiv1.0/query?assemblyId=GRCh37&referenceName=1&start=156146085&referenceBases=C&alternateBases=A';
const patient = {
  id: 'case-1',
  contact: { name: 'A. Clinician', href: 'mailto:a.clinician@example.org' },
  features: [{ id: 'HP:0002373' }, { id: 'HP:0001251' }],
  genomicFeatures: [{ gene: { id: 'SCN1A' } }],
};

describe('the packed package', function () {
  this.timeout(120_000); // builds and packs, and starts many processes
  let installed: ReturnType<typeof installWithLevel>;
  let depthFile = '';
  before(async () => {
    installed = installWithLevel();
    depthFile = join(installed.folder, 'sample.d4');
    await createD4(depthFile, [{ chromosome: 'chr1', begins: [0], ends: [1_000_000], depths: [30] }]);
    writeFileSync(join(installed.folder, 'open.mjs'), opener);
  });
  after(() => installed.remove());

  it('contains no TypeScript except declarations, and a strict consumer compiles against it', () => {
    const listed = execFileSync('find', ['node_modules/trefoil', '-name', '*.ts'], options());
    expect(listed.split('\n').filter((file) => file !== '' && !file.endsWith('.d.ts'))).to.deep.equal([]);
    cpSync(join(root, '.ci/consumer.ts'), join(installed.folder, 'consumer.ts'));
    const [example] = blocksOf('plugins/README.md', 'Services between plugins').filter(({ rest }) =>
      rest.endsWith('.ts'),
    );
    writeFileSync(join(installed.folder, 'example.ts'), example?.text ?? '');
    writeFileSync(join(installed.folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
    const target = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    execFileSync(
      join(root, 'node_modules/.bin/tsc'),
      ['--noEmit', ...strict, ...target, 'consumer.ts', 'example.ts'],
      options(),
    );
  });

  it('gives a page types that need none of Node.js, whatever the project says of conditions and of checking libraries', () => {
    const folder = join(installed.folder, '..', `${basename(installed.folder)}-page`);
    try {
      // Nothing else is installed there.
      cpSync(join(installed.folder, 'node_modules/trefoil'), join(folder, 'node_modules/trefoil'), { recursive: true });
      const bare = pageProgram.replace('d4/browser', 'd4');
      for (const [text, customConditions] of [[pageProgram], [bare], [bare, ['browser']]] as const) {
        for (const lib of [
          ['es2022', 'dom'],
          ['es2020', 'dom', 'dom.iterable'],
        ]) {
          writeFileSync(join(folder, 'page.ts'), text);
          const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
          const modules = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', customConditions };
          const compilerOptions = { ...strict, ...modules, lib, types: [], skipLibCheck: false, noEmit: true };
          writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.ts'] }));
          const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), { cwd: folder, encoding: 'utf8' });
          expect(stdout).to.equal('');
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('declares the entry points of the design, and no other', () => {
    const manifest = JSON.parse(readFileSync(join(installed.folder, 'node_modules/trefoil/package.json'), 'utf8'));
    expect(Object.keys(manifest.exports)).to.have.members(doors.map((door) => `./${door}`));
  });

  it('has threads, and the same results without them as part of one file that a bundler makes', async () => {
    const entry = join(installed.folder, 'program.mjs');
    writeFileSync(entry, depthProgram);
    const folder = join(installed.folder, '..', `${basename(installed.folder)}-bundles`);
    const written = join(installed.folder, 'written.d4');
    try {
      const programs = [entry];
      for (const format of ['esm', 'cjs'] as const) {
        for (const minify of [false, true]) {
          const outfile = join(folder, `${minify}.${format === 'esm' ? 'mjs' : 'cjs'}`);
          const options = { bundle: true, platform: 'node', logLevel: 'silent' } as const;
          const { warnings } = await build({ ...options, entryPoints: [entry], format, minify, outfile });
          expect(warnings.map(({ id }) => id)).to.deep.equal([]);
          programs.push(outfile);
        }
      }
      for (const script of programs) {
        const { stdout, stderr } = await trefoil([depthFile, written], { cwd: folder, script });
        // A million bases of depth 30.
        expect(stdout, stderr).to.equal(`30000000 pass ${script === entry ? 1 : 0}\n`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const found = nodes();
  for (const major of new Set([...promised, ...found.keys()])) {
    const executable = found.get(major);
    const where = () => ({ cwd: installed.folder, ...(executable === undefined ? {} : { executable }) });
    const bin = (name: string) => join(installed.folder, 'node_modules/.bin', name);
    const run = (name: string, args: string[], env: Record<string, string>) =>
      trefoil(args, { ...where(), script: bin(name), env });
    /** The output of a command, without Node.js warnings about our code. */
    const printed = async (outcome: Promise<Outcome>): Promise<string> => {
      const { code, stdout, stderr } = await outcome;
      expect(code, stdout + stderr).to.equal(0);
      expect(stderr).to.not.match(/^\(node:/m);
      return stdout;
    };

    describe(`on Node.js ${major}`, () => {
      before(function () {
        if (executable === undefined) this.skip();
      });

      it('exports its entry points, and nothing else', async () => {
        const asked = [...doors.map((door) => `/${door}`), ...hidden].map((path) => `trefoil${path}`);
        const opened = await printed(trefoil(asked, { ...where(), script: join(installed.folder, 'open.mjs') }));
        expect(JSON.parse(opened)).to.deep.equal(doors.map((door) => `trefoil/${door}`));
      });

      it('reads a D4 file over HTTP by a script of ten lines', async () => {
        const [first] = blocksOf('plugins/coverage/d4/README.md', 'The first numbers');
        const server = await serveRanges(readFileSync(depthFile));
        const script = join(installed.folder, 'first.mjs');
        writeFileSync(script, first?.text.replace('https://example.org/sample.d4', server.url) ?? '');
        try {
          expect(await printed(trefoil([], { ...where(), script }))).to.equal(
            'mean 30, 2000,2000 of 2000 bases have at least 10x, 20x\n',
          );
        } finally {
          await server.close();
        }
      });

      it('has two commands', async () => {
        expect(await printed(run('trefoil', ['--version'], {}))).to.match(/^\d+\.\d+\.\d+\n$/);
        expect(await printed(run('beacon', ['--help'], {}))).to.include('Usage: beacon');
      });

      // The driver for PostgreSQL is JavaScript: all other tests run it on one version, and this one on the newest. Those for
      // SQLite and LevelDB are compiled: the first is tried on each version, the second on both ends.
      const [oldest, newest] = [Math.min(...promised), Math.max(...promised)];
      for (const engine of engines.filter(({ name }) => name === 'sqlite' || major === newest)) {
        it(`runs its commands and serves the demo on ${engine.name}, without a warning`, async () => {
          const led = await engine.lead();
          const env = engine.name === 'sqlite' ? { TREFOIL_SQLITE_FILE: `node-${major}.sqlite` } : led.env;
          try {
            await printed(run('trefoil', ['migrate'], env));
            await printed(run('beacon', ['add', 'demo'], env));
            await printed(run('trefoil', ['check'], env));
            await serveDemo({ ...where(), script: bin('trefoil'), env }, async (...args) =>
              printed(run('trefoil', args, env)),
            );
          } finally {
            await led.drop();
          }
        });
      }

      const itAtEnds = major === oldest || major === newest ? it : () => undefined;
      itAtEnds('keeps a beacon in LevelDB, through an adapter in a separate package', async () => {
        const settings = { adapter: '@lab/trefoil-level', folder: `level-${major}` };
        const config = join(installed.folder, `level-${major}.yaml`);
        writeFileSync(config, JSON.stringify({ storage: settings, plugins: { beacon: {} } }));
        const env = { TREFOIL_CONFIG: config };
        await printed(run('beacon', ['add', 'demo'], env));
        const [dataset] = JSON.parse(await printed(run('beacon', ['dataset', 'list', '--json'], env)));
        expect(dataset.alleleCount).to.be.greaterThan(0);
      });
    });
  }

  function options(): { cwd: string; encoding: 'utf8' } {
    return { cwd: installed.folder, encoding: 'utf8' };
  }
});

/** Sends a request to every plugin of a demo server, then ends the server. */
async function serveDemo(options: RunOptions, command: (...args: string[]) => Promise<string>): Promise<void> {
  const { url, process } = await serve(['serve', '--port', '0'], options);
  const text = async (path: string) => {
    const answer = await fetch(url + path);
    const body = await answer.text();
    expect(answer.status, body).to.equal(200);
    return body;
  };
  try {
    expect(JSON.parse(await text(alleleQuery))).to.deep.include({ exists: true, error: null });
    expect(await text('/docs')).to.include('swagger');
    expect(await text('/report/demo')).to.include('demo_child');
    expect(await text('/report/demo?format=csv')).to.include('\ndemo_child,47.12,95.63,');
    expect((await text('/report/demo?format=pdf')).slice(0, 5)).to.equal('%PDF-');
    expect(await text('/-/metrics')).to.match(/^process_cpu_seconds_total /m);
    const client = ['add', 'client', '--id', 'clinic', '--url', 'https://clinic.example.org', '--json'];
    const { token } = JSON.parse(await command('matchmaker', ...client));
    const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/vnd.ga4gh.matchmaker.v1.0+json' };
    const matched = await fetch(`${url}/match`, { method: 'POST', headers, body: JSON.stringify({ patient }) });
    const { results } = (await matched.json()) as { results: { patient: { id: string } }[] };
    expect(results[0]?.patient.id).to.equal('trefoil-demo-01');
  } finally {
    const { code, stderr } = await process.kill();
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  }
}
