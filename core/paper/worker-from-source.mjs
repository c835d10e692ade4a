/**
 * Starts the worker when the project runs from its TypeScript source, from the build if that is current: compiling takes
 * each thread a third of a second. Threads do not inherit the loader that compiles.
 */
import { existsSync } from 'node:fs';
import { newerThanBuild } from '../bin/newer-than-build.mjs';

const built = new URL('../../dist/core/paper/worker.js', import.meta.url);

async function load() {
  if (existsSync(built) && !newerThanBuild(built)) return import(built.href);
  const { register } = await import('tsx/esm/api');
  register();
  return import('./worker.ts');
}

const { default: run } = await load();

export default run;
