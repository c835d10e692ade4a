/** The modules of the prepared command line, as the build and the installation have them: each is compiled by itself. */
import { openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';
import { fileParameters, isOurs } from './linker.mjs';

/**
 * @param {URL} root the folder of our package
 * @returns {import('./linker.mjs').Source & { textOf(id: string): string }}
 */
export function unprepared(root) {
  const folder = fileURLToPath(root);
  let built;
  const textOf = (id) => {
    if (!isOurs(id)) return textOfFile(join(folder, id));
    built ??= {
      places: JSON.parse(readFileSync(join(folder, 'dist/prepared/modules.json'), 'utf8')),
      texts: openSync(join(folder, 'dist/prepared/modules.txt')),
    };
    if (built.places[id] === undefined) throw new Error(`The prepared command line has no module ${id}`);
    const [from, to] = built.places[id];
    const bytes = Buffer.alloc(to - from);
    readSync(built.texts, bytes, 0, bytes.length, from);
    return bytes.latin1Slice();
  };
  const target = (from, specifier) => {
    if (isBuiltin(specifier)) return undefined;
    const file = join(folder, from === '' ? 'dist/prepared/modules.txt' : from);
    const name = packageIn(specifier);
    if (from !== '' && name !== undefined && manifestOf(file).dependencies?.[name] === undefined) return undefined;
    const path = realpathSync(createRequire(file).resolve(specifier));
    return isScript(path) ? relative(folder, path).split(sep).join('/') : undefined;
  };
  return { textOf, target, functionOf: (id) => compile(textOf(id), id).runInThisContext() };
}

export function compile(text, filename, cachedData) {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script(text, { filename, cachedData, importModuleDynamically });
}

/** Node.js reads ASCII faster. */
export function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The name of the package that a specifier names; undefined for a path. */
export function packageIn(specifier) {
  return /^(?![./])(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}

/** What the package of a file says about itself. */
export function manifestOf(file) {
  const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? dirname(file);
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function textOfFile(file) {
  const text = readFileSync(file, 'utf8');
  const body = file.endsWith('.json') ? `module.exports = ${text}` : text.replace(/^#!.*/, '');
  return `(function(${fileParameters.join()}){${body}\n})`;
}

/** Whether Node.js would take it for a script, not for an ES module or an addon. */
function isScript(file) {
  return /\.(?:cjs|json)$/.test(file) || (file.endsWith('.js') && manifestOf(file).type !== 'module');
}
