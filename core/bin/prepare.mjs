/**
 * Compiles the prepared command line (see prepared.mjs) for the Node.js that runs this, with what typical commands call. The
 * build does it, the container image, and npm after an installation. Without it commands start more slowly, so that a
 * failure is only reported.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { crc32 } from 'node:zlib';
import { link } from './linker.mjs';
import { preparedFile, sizeOfHeader, tuneForCommands } from './prepared.mjs';
import { compile, inAscii, manifestOf, packageIn, unprepared } from './unprepared.mjs';

const root = new URL('../../', import.meta.url);

/** One of each kind, with its exit code: what they call is compiled; what only others call is compiled when they do. */
const samples = [
  ['--help', 0],
  ['schema', 0],
  ['token list', 0],
  ['job list', 0],
  ['consent list', 0],
  ['beacon dataset list', 0],
  ['coverage list samples', 0],
  ['beacon verify', 0],
  ['matchmaker list patients', 0],
  ['matchmaker list submissions', 0],
  ['panels list', 0],
  ['check', 0],
  ['migrate --status', 0],
  ['check --config sections.yaml', 0],
  ['check --config server.yaml', 1],
];

/** Sections that may be omitted, and a database server, which does not exist. */
const configurations = {
  'sections.yaml': {
    auth: { issuers: [{ issuer: 'https://login.example.org', audience: 'trefoil' }], roles: [], tenants: {} },
    audit: { key: 'none'.repeat(8) },
    erasures: {},
    plugins: {},
  },
  'server.yaml': { storage: { adapter: 'postgres', host: '127.0.0.1', port: 1 }, plugins: {} },
};

if (process.argv[2] === '--here') await compileHere().catch(refuse);
else if (existsSync(new URL('dist/prepared/', root))) prepare();

/** Works in a temporary folder, without the settings of this process. */
function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-prepare-'));
  const { PATH, SystemRoot } = process.env;
  const run = (script, ...words) => {
    const stdio = ['ignore', 'ignore', 'pipe'];
    const options = { cwd: folder, env: { PATH, SystemRoot }, encoding: 'utf8', stdio };
    // V8 refuses code that was compiled with other options.
    return spawnSync(process.execPath, [...process.execArgv, fileURLToPath(new URL(script, root)), ...words], options);
  };
  for (const [name, settings] of Object.entries(configurations)) {
    writeFileSync(join(folder, name), JSON.stringify(settings));
  }
  // Apart, because the code of migrations is not worth keeping.
  const migrated = run('core/bin/trefoil.mjs', 'migrate');
  const compiled = migrated.status === 0 ? run('core/bin/prepare.mjs', '--here') : migrated;
  rmSync(folder, { recursive: true, force: true });
  if (compiled.status === 0) return;
  const reason = compiled.error?.message ?? compiled.stderr.trim().split('\n')[0];
  process.stderr.write(`prepare: commands start more slowly, as they could not be compiled: ${reason}\n`);
}

/** Runs each sample twice: to learn which modules it needs, and to have V8 compile what these call. */
async function compileHere() {
  tuneForCommands();
  const file = preparedFile(root);
  const { recorder, needed, targets } = recording(unprepared(root));
  const bySample = [];
  for (const sample of samples) bySample.push(await needed(() => run(sample, recorder)));
  // V8 would forget the code of functions that run once, which are most of a start.
  setFlagsFromString('--no-flush-bytecode');
  const parts = partsOf(bySample, recorder, targets);
  const entries = Object.assign({}, ...parts.map(({ script }) => script.runInThisContext()));
  const source = { functionOf: (id) => entries[id][0], target: (from, specifier) => targets.get(from)?.get(specifier) };
  for (const sample of samples) await run(sample, source);
  // It refuses code that was compiled with other flags than those of the process that runs it.
  setFlagsFromString('--flush-bytecode');
  // Not to the file itself, which another process may be reading.
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, packed(parts, targets));
  renameSync(partial, file);
}

async function run([line, expected], source) {
  const { runCli } = link(root, source)('core/cli.js');
  const code = await runCli(line.split(' '), { program: 'trefoil' });
  if (code !== expected) throw new Error(`trefoil ${line} ended with ${code}`);
}

/** A source that notes the modules that a sample needs, and which files the names in them are. */
function recording(source) {
  const functions = new Map();
  const targets = new Map();
  let ids = new Set();
  const recorder = {
    ...source,
    functionOf: (id) => {
      ids.add(id);
      if (!functions.has(id)) functions.set(id, source.functionOf(id));
      return functions.get(id);
    },
    target: (from, specifier) => {
      if (!targets.has(from)) targets.set(from, new Map());
      const known = targets.get(from);
      if (!known.has(specifier)) known.set(specifier, source.target(from, specifier));
      return known.get(specifier);
    },
  };
  const needed = async (work) => {
    ids = new Set();
    await work();
    return ids;
  };
  return { recorder, needed, targets };
}

/** Modules that the same samples need are in one part, so that a command reads no others; the first has those of all. */
function partsOf(bySample, { textOf }, targets) {
  const groups = new Map();
  for (const id of new Set(bySample.flatMap((ids) => [...ids]))) {
    const key = bySample.map((ids) => (ids.has(id) ? '1' : '0')).join('');
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([, ids]) => {
      const entries = ids.map((id) => `${JSON.stringify(id)}:[${inAscii(textOf(id))},${namesIn(targets.get(id))}]`);
      const text = `({${entries.join(',\n')}})`;
      return { ids, text, script: compile(text, ids[0]) };
    });
}

/** Names that Node.js loads are null. */
function namesIn(targets = new Map()) {
  return JSON.stringify(Object.fromEntries([...targets].map(([name, id]) => [name, id ?? null])));
}

/** The file, as prepared.mjs reads it. */
function packed(parts, targets) {
  const places = [];
  const blobs = [];
  const partOf = {};
  let from = 0;
  for (const [part, { ids, text, script }] of parts.entries()) {
    for (const id of ids) partOf[id] = part;
    const bytes = Buffer.concat([Buffer.from(text, 'latin1'), script.createCachedData()]);
    places.push({ from, code: from + text.length, to: from + bytes.length, sum: crc32(bytes) });
    blobs.push(bytes);
    from += bytes.length;
  }
  const ofOurs = Object.fromEntries(targets.get(''));
  const header = Buffer.from(JSON.stringify({ packages: packagesOf(targets), parts: places, partOf, targets: ofOurs }));
  const start = Buffer.alloc(sizeOfHeader);
  start.writeUInt32LE(header.length, 0);
  start.writeUInt32LE(crc32(header), 4);
  return Buffer.concat([start, header, ...blobs]);
}

/** The packages with linked files, each after the one that needs it: `of` is the place of that one, if it is not ours. */
function packagesOf(targets) {
  const found = new Map();
  const placeOf = new Map([['', undefined]]);
  for (const [from, names] of targets) {
    for (const [specifier, id] of names) {
      if (id === undefined) continue;
      const name = packageIn(specifier);
      if (name === undefined) placeOf.set(id, placeOf.get(from));
      else {
        const of = placeOf.get(from);
        const key = `${of} ${name}`;
        const { version } = manifestOf(fileURLToPath(new URL(id, root)));
        if (!found.has(key)) found.set(key, { name, version, of });
        placeOf.set(id, [...found.keys()].indexOf(key));
      }
    }
  }
  return [...found.values()];
}

function refuse({ message }) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
