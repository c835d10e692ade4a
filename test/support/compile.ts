import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { transform } from 'esbuild';

const parts = ['core', 'plugins', 'adapters', 'test'];

/** Compiles every source of the clone at `root` into `folder`, each under its own path (see compiled.mjs). */
export async function compile(root: string, folder: string): Promise<void> {
  const files = parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(part, file)),
  );
  await Promise.all(
    files.map(async (file) => {
      const target = join(folder, file);
      const { code } = await transform(readFileSync(join(root, file), 'utf8'), {
        loader: 'ts',
        format: 'esm',
        target: 'node20.19',
        // The map names the source from the module, which has the same URL.
        sourcefile: basename(file),
        sourcemap: 'inline',
        sourcesContent: false,
      });
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    }),
  );
}
