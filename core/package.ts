/** The folder and version of this package, whether run from source (`core/`) or from the build (`dist/core/`). */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../', import.meta.url);
const built = !existsSync(new URL('package.json', source));

/** The package's folder, with `package.json` and `config/`, as a file URL. */
const packageFolder: URL = built ? new URL('../', source) : source;

/** The folder that holds `plugins/` and `adapters/`, of the source or of the build, as a file URL. */
export const codeFolder: URL = source;

/** A path inside the package's folder. */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(path, packageFolder));
}

const manifest = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };

export const version: string = manifest.version;

/** The short id of the commit that was built, `unknown` if it was not recorded, `source` if this is not a build. */
export const revision: string = built ? builtOf() : 'source';

function builtOf(): string {
  const stamp = fileURLToPath(new URL('build.json', source));
  if (!existsSync(stamp)) return 'unknown';
  return (JSON.parse(readFileSync(stamp, 'utf8')) as { revision: string }).revision;
}
