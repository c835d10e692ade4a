/**
 * The prepared command line: one script with our code and the dependencies that most commands need, and V8's compiled code
 * of both. `prepare.mjs` compiles it for the Node.js of this machine. It is used only if each of these dependencies is
 * installed in the version that the script holds, so that an update of one takes effect at once.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

/** Bytes of the digest before the compiled code: V8 does not notice if it is damaged. */
const digestLength = 32;

/**
 * Returns the command line, or undefined if it is not prepared for this Node.js or the dependencies.
 * @param {URL} root the folder of the package
 */
export function openPrepared(root) {
  const folder = fileURLToPath(new URL('dist/prepared/', root));
  const known = read(join(folder, 'contents.json'), 'utf8');
  const compiled = known && read(compiledFile(folder, JSON.parse(known)));
  if (!compiled || !areInstalled(JSON.parse(known).packages, folder)) return undefined;
  const code = compiled.subarray(digestLength);
  if (!compiled.subarray(0, digestLength).equals(digestOf(code))) return undefined;
  const script = scriptIn(folder, code);
  return script.cachedDataRejected ? undefined : run(script, folder, root);
}

/** The script, to be compiled; undefined if another version of a dependency is installed. */
export function openUncompiled(root) {
  const folder = fileURLToPath(new URL('dist/prepared/', root));
  const known = read(join(folder, 'contents.json'), 'utf8');
  if (!known || !areInstalled(JSON.parse(known).packages, folder)) return undefined;
  const script = scriptIn(folder);
  const compile = () => {
    const code = script.createCachedData();
    return Buffer.concat([digestOf(code), code]);
  };
  return { ...run(script, folder, root), file: compiledFile(folder, JSON.parse(known)), compile };
}

/** Named after the script too: V8 compares only its length. */
function compiledFile(folder, { digest }) {
  return join(folder, `${digest}-node-${process.version}-${process.arch}.compiled`);
}

function scriptIn(folder, cachedData) {
  const filename = join(folder, 'commands.cjs');
  // It is ASCII, and read faster as such.
  return new Script(readFileSync(filename, 'latin1'), {
    filename,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

function run(script, folder, root) {
  const module = { exports: {} };
  const base = new URL('dist/', root).href;
  script.runInThisContext()(module.exports, createRequire(join(folder, 'commands.cjs')), module, (path) => base + path);
  return module.exports;
}

/** Whether each package is installed in its version, where Node.js finds it from our package, or from the package that needs it. */
function areInstalled(packages, folder) {
  const folders = new Map([['', folder]]);
  return packages.every(({ name, version, of }) => {
    for (let from = folders.get(of); ; from = dirname(from)) {
      const candidate = join(from, 'node_modules', name);
      const manifest = read(join(candidate, 'package.json'), 'utf8');
      if (manifest !== undefined) {
        if (packages.some((other) => other.of === name)) folders.set(name, realpathSync(candidate));
        return JSON.parse(manifest).version === version;
      }
      if (dirname(from) === from) return false;
    }
  });
}

function read(file, encoding) {
  try {
    return readFileSync(file, encoding);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest();
}
