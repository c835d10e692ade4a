/**
 * Bundles the code of the build, so that a start reads some twenty files instead of hundreds. Each module that is loaded
 * by its path stays a file at that path; what several of them share is in `chunks/`, and what only one plugin or
 * adapter reaches is in no file that others load. Dependencies are not bundled here; see bundle-prepared.mjs.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

/** Modules that others load by their paths: those that `core/load.ts` and `adapters/knex/storage.ts` find, and workers. */
const loaded = [
  /^core\/cli\.ts$/,
  /^core\/cli\/outline\.ts$/,
  /^plugins\/[^/]+\/plugin\.ts$/,
  /^plugins\/[^/]+\/(tools|groups)\/[^/]+\.ts$/,
  /^plugins\/.*\/worker\.ts$/,
  /^adapters\/[^/]+\/(adapter|environment|testing)\.ts$/,
  /^adapters\/knex\/[^/]+\/binding\.ts$/,
];

/**
 * @param {{ root: string, parts: readonly string[], folder: string }} options `folder` gets the code, which is then moved
 * to `dist/`: source maps name the sources from there.
 */
export async function bundle({ root, parts, folder }) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const doors = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [types.replace('./dist/', '').replace('.d.ts', '.ts')],
  );
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...doors, ...loadedByPath(root, parts)],
    outbase: '.',
    outdir: 'dist',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    write: false,
    plugins: [keepUrls(root)],
  });
  const dist = join(root, 'dist');
  for (const { path, text } of outputFiles) {
    const target = join(folder, relative(dist, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withUrls(text, relative(dirname(path), dist) || '.'));
  }
}

/** The sources that others load by their paths, relative to the root. */
function loadedByPath(root, parts) {
  return parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true })
      .map((file) => join(part, file).split(sep).join('/'))
      .filter((file) => loaded.some((path) => path.test(file)))
      .sort(),
  );
}

/**
 * A module finds its assets and workers from `import.meta.url`, which after bundling is the URL of another file. Its
 * place is marked here, and `withUrls` writes the URL that it had without bundling. `change` gets the text and the path from
 * the root, and may return another text.
 */
export const keepUrls = (root, change = (text) => text) => ({
  name: 'module URLs',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const module = relative(root, path).replace(/\.ts$/, '.js').split(sep).join('/');
      const text = change(readFileSync(path, 'utf8'), module);
      return { contents: text.replaceAll('import.meta.url', `urlOfModule("${module}")`), loader: 'ts' };
    });
  },
});

function withUrls(text, up) {
  return text.replaceAll(
    /urlOfModule\("([^"]+)"\)/g,
    (_, module) => `new URL("${up}/${module}", import.meta.url).href`,
  );
}
