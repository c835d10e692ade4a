/**
 * Preloaded with --import: writes the URL of every module that the process loads into the file LOADED_MODULES, both
 * those of the ES module loader (by a hook) and those of `require` (by its cache, at the end).
 */
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const file = process.env.LOADED_MODULES;
const hook = `
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(file)}, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

process.on('exit', () => {
  const required = Object.keys(createRequire(import.meta.url).cache);
  appendFileSync(file, required.map((path) => `${pathToFileURL(path).href}\n`).join(''));
});
