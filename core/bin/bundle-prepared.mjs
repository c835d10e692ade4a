/**
 * Writes our modules as functions for the prepared command line (see linker.mjs): `modules.txt` has their texts,
 * `modules.json` says where each begins and ends, and `digest` is that of the texts. Dependencies are not among them.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build, transform } from 'esbuild';
import { keepUrls } from './bundle.mjs';
import { parameters } from './linker.mjs';
import { inAscii } from './unprepared.mjs';

/** What the command line never loads: it starts workers by their URLs, and tests nothing. */
const left = /\/(?:worker|testing)\.ts$|\/testing\/|\.d\.ts$/;

/** Changes of sources: the prepared command line says that it is that, and hands servers over. */
const replaced = {
  'core/prepared.js': (text) => once(text, 'isPrepared: boolean = false', 'isPrepared: boolean = true'),
  'core/start.js': () =>
    "import { HandOver } from './prepared.js';\nexport async function start() { throw new HandOver(); }\n",
};

/** @param {{ root: string, parts: readonly string[], folder: string }} options `folder` gets the files. */
export async function bundlePrepared({ root, parts, folder }) {
  const entryPoints = parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true })
      .map((file) => join(part, file).split(sep).join('/'))
      .filter((file) => file.endsWith('.ts') && !left.test(file))
      .sort(),
  );
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    outbase: '.',
    outdir: '.',
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    legalComments: 'none',
    write: false,
    plugins: [keepUrls(root, (text, module) => replaced[module]?.(text) ?? text), namedFromRoot(root)],
  });
  const modules = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const id = relative(root, path).split(sep).join('/');
      return [id, await asFunction(id, text)];
    }),
  );
  const places = {};
  let all = '';
  for (const [id, text] of modules) {
    places[id] = [all.length, all.length + text.length];
    all += `${text}\n`;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'modules.txt'), all);
  writeFileSync(join(folder, 'modules.json'), JSON.stringify(places));
  writeFileSync(join(folder, 'digest'), createHash('sha256').update(all).digest('hex').slice(0, 16));
}

/** No module contains another; each names ours by their paths from the root. */
const namedFromRoot = (root) => ({
  name: 'modules named from the root',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined;
      const isOurs = path.startsWith('.');
      const id = isOurs
        ? relative(root, join(dirname(importer), path))
            .split(sep)
            .join('/')
        : path;
      return { path: id, external: true, sideEffects: false };
    });
  },
});

/** The module as an expression of a function whose parameters the linker gives. */
async function asFunction(id, text) {
  const begin = text.indexOf(`// ${id.replace(/\.js$/, '.ts')}\n`);
  if (begin < 0) throw new Error(`The module ${id} is not as esbuild writes it`);
  // Before it are the helpers of esbuild, which each module would repeat.
  const own = withLazyImports(text.slice(begin)).replaceAll(/\bimport\((?="|url\.href\))/g, 'importModule(');
  const { code } = await transform(own, { minifyWhitespace: true, minifySyntax: true, target: 'node20.19' });
  return inAscii(`(function(${parameters.join()}){"use strict";${code.trim()}})`);
}

/**
 * Imports are evaluated when one of their names is first used: a command runs only the modules that it needs. Ours do
 * nothing else when they are evaluated (`sideEffects` in package.json).
 */
function withLazyImports(text) {
  return [...text.matchAll(/^var (import_\w+) = ((?:__toESM\()?require\("[^"]+"\)(?:, 1\))?);$/gm)].reduce(
    (all, [line, name, load]) => {
      const used = new RegExp(`\\b${name}\\b(?=\\.)`, 'g');
      const uses = all.match(used)?.length ?? 0;
      if (all.match(new RegExp(`\\b${name}\\b`, 'g')).length !== uses + 1) return all;
      const made = new RegExp(`\\bnew (${name}(?:\\.\\w+)+)`, 'g');
      return all
        .replace(made, 'new ($1)')
        .replace(used, `${name}()`)
        .replace(line, () => `var ${name}$, ${name} = () => ${name}$ ??= ${load};`);
    },
    text,
  );
}

function once(text, part, other) {
  if (text.split(part).length !== 2) throw new Error(`The source does not have exactly one "${part}"`);
  return text.replace(part, () => other);
}
