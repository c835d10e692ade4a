/**
 * Starts the command line from the build if it is newer than the source, and from source otherwise (in a clone under
 * development). A published package has only the build.
 */
import { existsSync } from 'node:fs';
import { openPrepared, tuneForServers } from './prepared.mjs';

const root = new URL('../../', import.meta.url);
const built = new URL('dist/core/cli.js', root);
const source = new URL('core/cli.ts', root);

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
  try {
    const module = await load(argv);
    if (module) process.exitCode = await module.runCli(argv, options);
  } catch (error) {
    if (error.name !== 'HandOver') throw error;
    tuneForServers();
    process.exitCode = await (await import(built.href)).runCli(argv, options);
  }
}

/** Words of commands that serve requests, and of what loads few modules. */
const unprepared = new Set(['serve', 'work', 'run', 'd4', '--version', '-V']);
const helps = new Set(['help', '--help', '-h']);

/** The help of one command is recorded in the build; that of all lists the plugins that the configuration enables. */
function mayBePrepared(argv) {
  if (argv.some((word) => unprepared.has(word))) return false;
  return !argv.some((word) => helps.has(word)) || argv.every((word) => word.startsWith('-') || helps.has(word));
}

async function isOutdated() {
  return (await import('./newer-than-build.mjs')).newerThanBuild(built);
}

async function load(argv) {
  if (existsSync(built) && !(existsSync(source) && (await isOutdated()))) {
    return (mayBePrepared(argv) && openPrepared(root)) || import(built.href);
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

function refuse(reason) {
  process.stderr.write(`trefoil: ${reason}\n`);
  process.exitCode = 1;
}
