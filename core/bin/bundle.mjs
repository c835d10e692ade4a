/**
 * Bundles the code of the build, so that a start reads some ten files instead of hundreds: a script of the core, of the adapters,
 * of each plugin and of the D4 library with its tool (`script.cjs` in its folder of `dist/`). A module of a script is evaluated
 * when it is first imported, so that what no enabled plugin needs never runs. Modules that others load by their paths stay files at
 * these paths, which give the exports of the same module of a script: a process has one of each. Workers, doors into pages of
 * browsers, and the door of the D4 library, which others bundle into programs of their own, are bundles of their own.
 *
 * Dependencies stay files of their packages, which an institution can update. Those that most commands need are scripts in
 * `dist/dependencies/` as well, each of which is used only as long as exactly its versions are installed.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { scriptOf } from './modules.cjs';

/** Modules that others load by their paths: those that `core/load.ts` and `adapters/knex/storage.ts` find. */
const loaded = [
  /^core\/cli\.ts$/,
  /^core\/cli\/outline\.ts$/,
  /^plugins\/[^/]+\/plugin\.ts$/,
  /^plugins\/[^/]+\/(tools|groups)\/[^/]+\.ts$/,
  /^adapters\/[^/]+\/(adapter|environment|testing)\.ts$/,
  /^adapters\/knex\/[^/]+\/binding\.ts$/,
];

/** Doors into a page: each is one file for browsers, with all that it needs. */
const forPages = /\/browser\.ts$/;

/** The door of the library, as one module that bundlers follow: they see no script that is found at run time. */
const library = 'plugins/coverage/d4/index.ts';

/** Packages that nearly every command loads, from hundreds of files, and what we take of them. */
const common = {
  commander: ['Command', 'CommanderError', 'InvalidArgumentError', 'Option'],
  knex: ['default'],
  yaml: ['isAlias', 'isMap', 'isScalar', 'isSeq', 'LineCounter', 'parseDocument', 'stringify', 'visit'],
  zod: ['z'],
};

/** Modules of Node.js that most commands never use, each of which costs a start some milliseconds (see `builtin` in modules.cjs). */
const seldom = /\brequire(\("node:(?:child_process|crypto|https?|readline\/promises|zlib)"\))/g;

/** What these load if it is there. */
const drivers = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
];
drivers.push('supports-color', 'tedious');

const shared = {
  bundle: true,
  packages: 'external',
  // The same names in the result, wherever packages are linked from.
  preserveSymlinks: true,
  platform: 'node',
  target: 'node20.19',
  // Node.js reads ASCII faster, and comments at each start for nothing.
  charset: 'ascii',
  minifyWhitespace: true,
  // Node.js shows the line of an error that nobody caught.
  lineLimit: 160,
  legalComments: 'none',
  write: false,
};

/**
 * @param {{ root: string, parts: readonly string[], folder: string }} options `folder` gets the code, which is then moved
 * to `dist/`: source maps name the sources from there.
 */
export async function bundle({ root, parts, folder }) {
  const dist = join(root, 'dist');
  const save = ({ outputFiles }) => {
    for (const { path, text } of outputFiles) {
      // A name of the same length, so that source maps stay true.
      const code = path.endsWith('.cjs') ? text.replace(seldom, 'builtin$1') : text;
      write(join(folder, relative(dist, path)), code);
    }
  };
  const ours = { ...shared, absWorkingDir: root, sourcemap: true };
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const doors = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [types.replace('./dist/', '').replace('.d.ts', '.ts')],
  );
  const found = sourcesIn(root, parts, (file) => loaded.some((path) => path.test(file)));
  const byPath = [...doors.filter((door) => !forPages.test(door)), ...found];
  const exported = await exportedFrom(ours, byPath);
  for (const [script, sources] of scriptsOf(exported.keys())) {
    save(
      await build({
        ...ours,
        stdin: { contents: entry(sources), resolveDir: root, sourcefile: script },
        outfile: `dist/${script}`,
        format: 'cjs',
        banner: { js: calls(script) },
        plugins: [betweenScripts(root, script, exported), keepUrls(root, (path) => `urlOf('${path}')`)],
      }),
    );
  }
  const workers = sourcesIn(root, parts, (file) => file.endsWith('/worker.ts'));
  save(await build({ ...ours, entryPoints: workers, outbase: '.', outdir: 'dist', format: 'esm' }));
  for (const door of doors) if (forPages.test(door)) save(await bundleForPages(root, door));
  // A program of CommonJS has no URL. What bundlers know as the URL of a file that exists is avoided.
  const beside = (path) =>
    `((path, door) => door && new URL(path, door).href)('${relative(dirname(library), path).split(sep).join('/')}', import.meta.url)`;
  save(
    await build({
      ...ours,
      entryPoints: [library],
      outfile: `dist/${builtPath(library)}`,
      format: 'esm',
      // Keeps comments for bundlers.
      minifyWhitespace: false,
      plugins: [keepUrls(root, beside)],
    }),
  );
  await saveDependencies(root, save);
  for (const source of byPath)
    if (source !== library) write(join(folder, builtPath(source)), standIn(source, exported.get(source)));
}

/** A door into a page, as a module that browsers load as it is. */
export function bundleForPages(root, door) {
  return build({
    ...shared,
    absWorkingDir: root,
    entryPoints: [door],
    outfile: `dist/${builtPath(door)}`,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: true,
  });
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The sources that a test accepts, by their paths from the root. */
function sourcesIn(root, parts, accepts) {
  return parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true })
      .map((file) => join(part, file).split(sep).join('/'))
      .filter(accepts)
      .sort(),
  );
}

const builtPath = (source) => source.replace(/\.ts$/, '.js');

/** The names that each source exports which others load: by its path, or from another script. */
async function exportedFrom(options, byPath) {
  const analysed = async (entryPoints) =>
    (await build({ ...options, entryPoints, outdir: 'dist', format: 'esm', splitting: true, metafile: true })).metafile;
  const sources = new Set(byPath);
  for (const [from, { imports }] of Object.entries((await analysed(byPath)).inputs)) {
    for (const { path, external } of imports) if (!external && scriptOf(from) !== scriptOf(path)) sources.add(path);
  }
  const { outputs } = await analysed([...sources].sort());
  return new Map(
    Object.values(outputs).flatMap(({ entryPoint, exports }) =>
      sources.has(entryPoint) ? [[entryPoint, exports]] : [],
    ),
  );
}

/** The scripts, each with those of the sources that it has. */
function scriptsOf(sources) {
  const scripts = new Map();
  for (const source of [...sources].sort()) {
    const script = scriptOf(source);
    scripts.set(script, [...(scripts.get(script) ?? []), source]);
  }
  return scripts;
}

/** What a script calls, from modules.cjs. */
function calls(script) {
  const up = '../'.repeat(script.split('/').length);
  return `const{urlOf,moduleAt,importFrom,dependency,builtin}=require("${up}core/bin/modules.cjs");`;
}

/** A script's own module: it loads each of the modules by its path. */
function entry(sources) {
  const rows = sources.map((path) => `'${builtPath(path)}': () => require('./${path}')`);
  return `export const modules = {\n${rows.join(',\n')}\n};\n`;
}

/** The file at the path of a module. */
function standIn(source, names) {
  const script = `./${relative(dirname(source), scriptOf(source)).split(sep).join('/')}`;
  return [
    "import { createRequire } from 'node:module';",
    `const module = createRequire(import.meta.url)('${script}').modules['${builtPath(source)}']();`,
    exportsOf(names),
  ].join('\n');
}

/** Exports what a variable `module` has under these names. */
function exportsOf(names) {
  const line = (name) => `export ${name === 'default' ? 'default' : `const ${name} =`} module.${name};\n`;
  return names.map(line).join('');
}

/** What a script takes from elsewhere: modules of another script, and packages that most commands need. */
const betweenScripts = (root, script, exported) => ({
  name: 'between scripts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      const source = relative(root, join(resolveDir, path)).split(sep).join('/').replace(/\.js$/, '.ts');
      if (kind === 'entry-point' || scriptOf(source) === script) return undefined;
      return { path: source, namespace: 'script', sideEffects: false };
    });
    // As variables of this script: what loops call is not looked up in an object each time.
    onLoad({ filter: /.*/, namespace: 'script' }, ({ path }) => {
      return { contents: `const module = moduleAt('${builtPath(path)}');\n${exportsOf(exported.get(path))}` };
    });
    onResolve({ filter: new RegExp(`^(?:${Object.keys(common).join('|')})$`) }, ({ path, namespace }) =>
      namespace === 'package' ? undefined : { path, namespace: 'package', sideEffects: false },
    );
    // By name: each of a hundred modules would get a copy of all that zod exports.
    onLoad({ filter: /.*/, namespace: 'package' }, ({ path }) => {
      return { contents: `const module = dependency('${path}');\n${exportsOf(common[path])}` };
    });
  },
});

/**
 * A module finds its assets and workers from `import.meta.url`, and built-in plugins and adapters by URLs: in a script, these
 * are those that it had without bundling (see modules.cjs). `urlOf` writes the URL of a path.
 */
const keepUrls = (root, urlOf) => ({
  name: 'module URLs',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', urlOf(builtPath(relative(root, path).split(sep).join('/'))))
        .replaceAll('import(url.href)', 'importFrom(url.href)'),
      loader: 'ts',
    }));
  },
});

/** Each common package with what it needs itself, and lists of these: `of` is the place of the one that needs it. */
async function saveDependencies(root, save) {
  const lists = {};
  for (const name of Object.keys(common)) {
    const { outputFiles, metafile } = await build({
      ...shared,
      absWorkingDir: root,
      stdin: { contents: `module.exports = require('${name}');`, resolveDir: root },
      outfile: `dist/dependencies/${name}.cjs`,
      format: 'cjs',
      banner: { js: calls(`dependencies/${name}.cjs`) },
      packages: 'bundle',
      plugins: [englishOnly],
      external: drivers,
      metafile: true,
    });
    save({ outputFiles });
    lists[name] = packagesIn(root, metafile);
  }
  save({ outputFiles: [{ path: join(root, 'dist/dependencies.json'), text: JSON.stringify(lists) }] });
}

/** The messages of zod in fifty languages, of which we have none but English, cost each start ten milliseconds. */
const englishOnly = {
  name: 'English only',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.cjs$/ }, () => ({
      contents: "exports.en = require('./en.cjs').default;",
    }));
  },
};

function packagesIn(root, metafile) {
  const packageOf = (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
  const needs = Object.entries(metafile.inputs).flatMap(([from, { imports }]) =>
    imports.filter(({ external }) => !external).map(({ path }) => [packageOf(from), packageOf(path)]),
  );
  const found = new Map([[undefined, undefined]]);
  for (const [folder] of found) {
    for (const [from, to] of needs) if (from === folder && !found.has(to)) found.set(to, folder);
  }
  found.delete(undefined);
  return [...found].map(([folder, of]) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return { name, version, of: of && [...found.keys()].indexOf(of) };
  });
}
