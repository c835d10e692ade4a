/**
 * Starts the worker when the project runs from its TypeScript source. If the build is newer than the source of D4, which
 * is all that the worker loads, it is loaded instead: compiling takes each thread a third of a second. Threads do not
 * inherit the loader that compiles.
 */
import { readdirSync, statSync } from 'node:fs';

const source = new URL('../../', import.meta.url);
const built = new URL('../../../../../dist/plugins/coverage/d4/node/pool/worker.js', import.meta.url);

function isCurrent() {
  const time = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  return (
    time !== undefined &&
    readdirSync(source, { recursive: true, encoding: 'utf8' }).every(
      (file) => statSync(new URL(file, source)).mtimeMs < time,
    )
  );
}

async function load() {
  if (isCurrent()) return import(built.href);
  const { register } = await import('tsx/esm/api');
  register();
  return import('./worker.ts');
}

const { default: run } = await load();

export default run;
