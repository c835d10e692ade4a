/** A folder with the packed package installed, as at an institution, without contacting a registry. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Installed {
  folder: string;
  remove(): void;
}

/**
 * The current package, in a folder that the caller may change. A run of the whole suite packs once and names
 * the folder in TREFOIL_TEST_PACKAGE; a file that runs alone packs for itself.
 */
export function install(): Installed {
  packed ??= process.env.TREFOIL_TEST_PACKAGE ?? packAlone();
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-installed-'));
  cpSync(packed, folder, { recursive: true, verbatimSymlinks: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

let packed: string | undefined;

function packAlone(): string {
  run(process.execPath, ['core/bin/build.mjs']);
  const folder = pack();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Packs the build, and installs it in a new folder whose path is returned. Dependencies are those of the clone except
 * development ones: a package that we use without declaring it is missing here, as it would be elsewhere.
 */
export function pack(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-packed-'));
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const [tarball = ''] = readdirSync(folder);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'trefoil'), { recursive: true });
  run('tar', ['-xzf', join(folder, tarball), '-C', join(modules, 'trefoil'), '--strip-components=1']);
  rmSync(join(folder, tarball));
  for (const name of dependencies()) link(modules, name);
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../trefoil/core/bin/trefoil.mjs', join(modules, '.bin/trefoil'));
  symlinkSync('../trefoil/plugins/beacon/bin/beacon.mjs', join(modules, '.bin/beacon'));
  return folder;
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'pipe' });
}

/** Links a package of the clone into the modules of a folder. */
export function link(modules: string, name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

/** The packages that `npm install trefoil` installs: our dependencies, direct and indirect. */
function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return name === undefined || dev || optional ? [] : [name];
  });
}
