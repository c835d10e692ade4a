/**
 * Links the prepared command line: our modules, as functions that the build wrote, and files of a few packages, as they
 * are installed. Each is evaluated when it is first needed.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';

/** Packages that most commands need. What their files need of their own dependencies is linked, too. */
export const linked = new Set(['commander', 'knex', 'yaml', 'zod']);

/** What files of these packages load and commands rarely use: each is loaded when it is first used. */
const late = new Set(['node:child_process', 'assert', 'colorette', '../locales/index.cjs']);

/** Stands for the package debug, which writes only if the environment says of whom, and looks at terminals first. */
const silent = () => () => undefined;

/** The parameters of the functions of our modules, and of those of files of packages. */
const helpers = ['__export', '__reExport', '__toCommonJS', '__toESM'];
export const parameters = ['exports', 'require', 'module', 'urlOfModule', 'importModule', ...helpers];
export const fileParameters = ['exports', 'require', 'module', '__filename', '__dirname'];

/** Modules are named by their paths from the folder of our package, ours without `dist/`. */
export const isOurs = (id) => /^(?:core|plugins|adapters)\//.test(id);

/**
 * @typedef {object} Source
 * @property {(id: string) => Function} functionOf the function of a module
 * @property {(from: string, specifier: string) => string | undefined} target the file that a linked file, or ours if
 * `from` is empty, needs by this name; undefined if Node.js has to load it
 *
 * @param {URL} root the folder of our package
 * @param {Source} source
 * @returns a function that returns the exports of the module with this id
 */
export function link(root, source) {
  const dist = new URL('dist/', root).href;
  const folder = fileURLToPath(root);
  const nodeRequire = createRequire(new URL('prepared/modules.cjs', dist));
  const ours = new WeakSet();
  const modules = new Map();

  const evaluate = (id) => {
    const known = modules.get(id);
    if (known !== undefined) return known.exports;
    const module = { exports: {}, id };
    modules.set(id, module);
    if (isOurs(id))
      source.functionOf(id)(...[module.exports, requireOfOurs, module, urlOfModule, importModule, ...shared]);
    else evaluateFile(module);
    return module.exports;
  };
  const evaluateFile = (module) => {
    // Paths are only joined: there are hundreds of files.
    const file = folder + module.id;
    const load = (specifier) => {
      const target = source.target(module.id, specifier);
      return target === undefined ? createRequire(file)(specifier) : evaluate(target);
    };
    module.require = (specifier) => {
      if (specifier === 'debug' && !process.env.DEBUG) return silent;
      return late.has(specifier) ? whenUsed(() => load(specifier)) : load(specifier);
    };
    source
      .functionOf(module.id)
      .call(module.exports, module.exports, module.require, module, file, file.slice(0, file.lastIndexOf('/')));
  };
  const requireOfOurs = (specifier) => {
    if (isOurs(specifier)) return evaluate(specifier);
    const target = linked.has(specifier) ? source.target('', specifier) : undefined;
    return target === undefined ? nodeRequire(specifier) : evaluate(target);
  };
  const urlOfModule = (id) => dist + id;
  const importModule = async (specifier) => {
    const id = specifier.startsWith(dist) ? specifier.slice(dist.length) : specifier;
    return isOurs(id) || linked.has(id) ? namespaceOf(requireOfOurs(id)) : import(id);
  };

  // The helpers of esbuild that our modules call.
  const namespaceOf = (exports) => {
    if (ours.has(exports) || types.isModuleNamespaceObject(exports)) return exports;
    return reExport({ default: exports }, exports);
  };
  const exportAll = (target, getters) => {
    for (const name in getters) Object.defineProperty(target, name, { get: getters[name], enumerable: true });
  };
  const reExport = (target, exports) => {
    for (const name of Object.keys(exports)) {
      if (name === 'default' || Object.hasOwn(target, name)) continue;
      Object.defineProperty(target, name, { get: () => exports[name], enumerable: true });
    }
    return target;
  };
  const ofOurs = (exports) => {
    ours.add(exports);
    return exports;
  };
  const shared = [exportAll, reExport, ofOurs, namespaceOf];
  return evaluate;
}

/** Stands for what `load` returns: a function with properties. Compiled ES modules ask for the mark of such first. */
function whenUsed(load) {
  return new Proxy(() => undefined, {
    get: (_, name) => name === '__esModule' || load()[name],
    apply: (_, self, values) => Reflect.apply(load(), self, values),
  });
}
