/**
 * Starts the command line from the build if it is newer than the source, and from source otherwise (in a clone under
 * development). A published package has only the build.
 */
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const root = new URL('../../', import.meta.url);
const built = new URL('dist/core/cli.js', root);
const source = new URL('core/cli.ts', root);

/** Words of commands that serve requests. */
const serving = new Set(['serve', 'work', 'run']);

/** @param {{ program: string, plugin?: string }} options */
export async function launch(options) {
  // A reader that closes the pipe (`| head`) is not an error.
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') process.exit(0);
    const reason = error.code === 'ENOSPC' ? 'there is no space left' : error.code;
    process.stderr.write(`${options.program}: standard output cannot be written (${reason})\n`);
    process.exit(1);
  });
  const argv = process.argv.slice(2);
  if (!argv.some((word) => serving.has(word))) tuneForCommands();
  const module = await load();
  if (module) process.exitCode = await module.runCli(argv, options);
}

/**
 * Has V8 leave out what processes that run long gain from, and costs a command a fifth of its start: to mark the heap in steps,
 * and to make machine code before it optimises.
 */
function tuneForCommands() {
  for (const name of ['incremental-marking', 'sparkplug']) setFlagsFromString(`--no-${name}`);
}

async function load() {
  if (existsSync(built) && !(existsSync(source) && (await isOutdated()))) {
    keepCompiledCode(new URL('dist/compiled', root));
    return import(built.href);
  }
  if (!existsSync(source)) return refuse('the package holds no build');
  try {
    const { register } = await import('tsx/esm/api');
    register();
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    if (existsSync(built)) return import(built.href);
    return refuse('there is neither a build nor tsx to run from source: run `npm ci` or `npm run build`');
  }
  return import(source.href);
}

async function isOutdated() {
  return (await import('./newer-than-build.mjs')).newerThanBuild(built);
}

/**
 * Has Node.js 22 and later keep V8's compiled code in a folder of the installation that only its owner may write, since what
 * is in it runs: it is used by its owner, and, if that is root, by all. Without such a folder, each start compiles again.
 */
function keepCompiledCode(folder) {
  const user = process.getuid?.();
  if (nodeModule.enableCompileCache === undefined || user === undefined) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') return;
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const isSafe = found?.isDirectory() && (found.uid === user || found.uid === 0) && (found.mode & 0o022) === 0;
  if (isSafe) nodeModule.enableCompileCache(fileURLToPath(folder));
}

function refuse(reason) {
  process.stderr.write(`trefoil: ${reason}\n`);
  process.exitCode = 1;
}
