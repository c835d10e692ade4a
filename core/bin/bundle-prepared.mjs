/**
 * Bundles the prepared command line (see prepared.mjs): `commands.cjs` is an expression of a function, with what most
 * commands need of our dependencies, `contents.json` names these packages, and `LICENCES.txt` has their licences.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { keepUrls, loadedByPath } from './bundle.mjs';

/** Packages that are loaded from where they are installed, if a command needs them: few do, or they are compiled. */
const external = [
  ...[
    '@expo-google-fonts/*',
    '@koa/*',
    '@opentelemetry/*',
    'accepts',
    'aws4fetch',
    'cli-progress',
    'formidable',
    'koa',
  ],
  ...['koa-body', 'koa-helmet', 'nodemailer', 'openid-client', 'pdfkit', 'pg', 'pg-copy-streams', 'pino', 'piscina'],
  ...['prom-client', 'rate-limiter-flexible', 'sqlite3', 'supports-color', 'swagger-ui-dist'],
  // Engines that Knex knows and we do not use.
  ...['better-sqlite3', 'mariadb/*', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'tedious'],
];

/** Modules that the script has in place of the sources: it loads nothing by path, and hands servers over. */
const replaced = {
  'core/prepared.js': (text) => once(text, 'isPrepared: boolean = false', 'isPrepared: boolean = true'),
  'core/start.js': () =>
    "import { HandOver } from './prepared.js';\nexport async function start() { throw new HandOver(); }\n",
  'core/load.js': byMap,
  'adapters/knex/bindings.js': byMap,
};

function byMap(text) {
  return `import { importBuiltIn } from 'built-in modules';\n${text.replaceAll('import(url.href)', 'importBuiltIn(url.href)')}`;
}

/** @param {{ root: string, parts: readonly string[], folder: string }} options `folder` gets the files. */
export async function bundlePrepared({ root, parts, folder }) {
  const modules = loadedByPath(root, parts).filter(
    (path) => !/\/worker\.ts$|\/testing\.ts$|^core\/cli\.ts$/.test(path),
  );
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: "export { runCli } from './core/cli.js';", resolveDir: root, sourcefile: 'prepared.ts' },
    bundle: true,
    outfile: 'commands.cjs',
    external,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    banner: { js: '(function (exports, require, module, urlOfModule) {' },
    footer: { js: '})' },
    write: false,
    metafile: true,
    plugins: [keepUrls(root, (text, module) => replaced[module]?.(text) ?? text), builtInModules(root, modules)],
  });
  const text = inAscii(withoutPlaces(outputFiles[0].text));
  const packages = packagesIn(root, metafile);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'commands.cjs'), text);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const named = packages.map(({ name, version, of }) => ({ name, version, of }));
  writeFileSync(join(folder, 'contents.json'), JSON.stringify({ digest, packages: named }));
  writeFileSync(join(folder, 'LICENCES.txt'), licencesOf(packages));
}

/** The module `built-in modules`: what `core/load.ts` and `adapters/knex/bindings.ts` load by path, in the script. */
const builtInModules = (root, modules) => ({
  name: 'built-in modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^built-in modules$/ }, () => ({ path: 'built-in modules', namespace: 'prepared' }));
    onLoad({ filter: /.*/, namespace: 'prepared' }, () => {
      const entries = modules.map((path) => {
        const module = path.replace(/\.ts$/, '.js');
        return `[urlOfModule(${JSON.stringify(module)}), () => import(${JSON.stringify(`./${module}`)})]`;
      });
      const contents = `const known = new Map([${entries.join(',\n')}]);
export const importBuiltIn = async (url) => {
  const load = known.get(url);
  if (load === undefined) throw new Error('The prepared command line has no module ' + url);
  return load();
};`;
      return { contents, resolveDir: root, loader: 'js' };
    });
  },
});

/** Modules of packages are named by their path, which is not the same on every machine. */
function withoutPlaces(text) {
  return text.replaceAll(/"(?:\.\.?\/)[^"\n]*?node_modules\//g, '"node_modules/');
}

/** Node.js reads ASCII faster. Other characters are in templates with a tag, which esbuild leaves as they are. */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The packages in the bundle, each after the one that needs it: `of` is that one's name, empty for ourselves. */
function packagesIn(root, { inputs }) {
  const folderOf = (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? '';
  const found = new Map([['', { name: '' }]]);
  const arrows = Object.entries(inputs).flatMap(([path, { imports }]) =>
    imports.filter(({ external: isExternal }) => !isExternal).map((one) => [folderOf(path), folderOf(one.path)]),
  );
  for (const [from, { name: of }] of found) {
    for (const to of new Set(arrows.filter(([one]) => one === from).map(([, other]) => other))) {
      if (found.has(to)) continue;
      const folder = join(root, to);
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      found.set(to, { name, version, license, of, folder });
    }
  }
  return [...found.values()].filter(({ name }) => name !== '');
}

function licencesOf(packages) {
  const texts = packages.map(({ name, version, license, folder }) => {
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.(md|txt))?$/i.test(one));
    if (file === undefined) throw new Error(`The package ${name} has no file with its licence`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `commands.cjs has code of these packages:\n\n${texts.sort().join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function once(text, part, other) {
  if (text.split(part).length !== 2) throw new Error(`The source does not have exactly one "${part}"`);
  return text.replace(part, () => other);
}
