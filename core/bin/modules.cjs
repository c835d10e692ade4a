/**
 * What the scripts of the build (see bundle.mjs) call in place of `import.meta.url`, of importing a URL, of modules in other
 * scripts, of packages that most commands need, and of modules of Node.js that most do not.
 */
const { readFileSync, realpathSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');

const root = join(__dirname, '../..');
const dist = join(root, 'dist');
const distUrl = pathToFileURL(`${dist}/`).href;

/** What loads without the rest of its plugin: the library `trefoil/d4`, and the tool above it. */
const apart = /^plugins\/coverage\/(?:d4|tools|commands\/(?:d4|mosdepth))\//;

/** The script of a module, by its path from `dist/`. */
function scriptOf(path) {
  const [part, name] = path.split('/');
  if (apart.test(path)) return 'plugins/coverage/d4/script.cjs';
  return part === 'plugins' ? `plugins/${name}/script.cjs` : `${part}/script.cjs`;
}

/** The modules of the script that has this one, by their paths. */
const modulesBeside = (path) => require(join(dist, scriptOf(path))).modules;

/** The URL that a module has without bundling. */
const urlOf = (path) => distUrl + path;

const moduleAt = (path) => modulesBeside(path)[path]();

/** Imports a module of a script, or one from elsewhere. */
async function importFrom(url) {
  const path = url.startsWith(distUrl) ? url.slice(distUrl.length) : '';
  return /^(?:core|adapters|plugins)\//.test(path) ? moduleAt(path) : import(url);
}

/** A module of Node.js, which is loaded when something of it is first used. */
const builtin = (name) => new Proxy({}, { get: (_, key) => require(name)[key] });

let bundled;
const loaded = new Map();

/** A package: from `dist/dependencies/` if all that is in its script is installed in the same versions, else as installed. */
function dependency(name) {
  bundled ??= JSON.parse(readFileSync(join(dist, 'dependencies.json'), 'utf8'));
  if (!loaded.has(name)) {
    const isCurrent = areInstalled(bundled[name]);
    loaded.set(name, require(isCurrent ? join(dist, 'dependencies', `${name}.cjs`) : name));
  }
  return loaded.get(name);
}

/** Whether each package is installed in its version, where Node.js finds it from ours, or from the package `of` that needs it. */
function areInstalled(packages) {
  const folders = [];
  return packages.every(({ name, version, of }) => {
    for (let from = of === undefined ? root : folders[of]; ; from = dirname(from)) {
      const candidate = join(from, 'node_modules', name);
      const manifest = textOf(join(candidate, 'package.json'));
      if (manifest !== undefined) {
        folders.push(realpathSync(candidate));
        return JSON.parse(manifest).version === version;
      }
      if (dirname(from) === from) return false;
    }
  });
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

module.exports = { urlOf, moduleAt, importFrom, dependency, builtin, scriptOf };
