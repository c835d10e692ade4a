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
import { openUncompiled } from './prepared.mjs';

const root = new URL('../../', import.meta.url);

/** One of each kind: what they call is compiled; what only others call is compiled when they do. */
const samples = [
  ['token', 'list'],
  ['job', 'list'],
  ['beacon', 'dataset', 'list'],
  ['coverage', 'list', 'samples'],
  ['matchmaker', 'list', 'patients'],
  ['panels', 'list'],
];

if (process.argv[2] === '--here') await compile().catch(refuse);
else if (existsSync(new URL('dist/prepared/', root))) prepare();

/** Works in a temporary folder, without the settings of this process. */
function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-prepare-'));
  const { PATH, SystemRoot } = process.env;
  const run = (script, ...words) => {
    const options = { cwd: folder, env: { PATH, SystemRoot }, encoding: 'utf8' };
    // V8 refuses code that was compiled with other options.
    return spawnSync(process.execPath, [...process.execArgv, fileURLToPath(new URL(script, root)), ...words], options);
  };
  // Apart, because the code of migrations is not worth keeping.
  const migrated = run('core/bin/trefoil.mjs', 'migrate');
  const compiled = migrated.status === 0 ? run('core/bin/prepare.mjs', '--here') : migrated;
  rmSync(folder, { recursive: true, force: true });
  if (compiled.status === 0) return;
  const reason = compiled.error?.message ?? compiled.stderr.trim().split('\n')[0];
  process.stderr.write(`prepare: commands start more slowly, as they could not be compiled: ${reason}\n`);
}

async function compile() {
  // V8 would forget the code of functions that run once, which are most of a start.
  setFlagsFromString('--no-flush-bytecode');
  const opened = openUncompiled(root);
  if (opened === undefined)
    throw new Error('other versions of dependencies are installed than the package was built with');
  for (const words of samples) await opened.runCli(words, { program: 'trefoil' });
  // It refuses code that was compiled with other flags than those of the process that runs it.
  setFlagsFromString('--flush-bytecode');
  // Not to the file itself, which another process may be reading.
  const partial = `${opened.file}.${process.pid}`;
  writeFileSync(partial, opened.compile());
  renameSync(partial, opened.file);
}

function refuse({ message }) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
