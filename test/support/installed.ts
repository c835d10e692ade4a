/** A folder in which the packed package is installed, as an institution would have it, without asking any registry. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Installed {
  folder: string;
  remove(): void;
}

/**
 * Builds and packs what is there now. Dependencies are those of the clone, less what only development needs: a package
 * that we use without declaring it is missed here, as it would be elsewhere.
 */
export function install(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-installed-'));
  const run = (command: string, args: string[]) => execFileSync(command, args, { cwd: root, stdio: 'pipe' });
  run(process.execPath, ['core/bin/build.mjs']);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const [packed = ''] = readdirSync(folder);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'trefoil'), { recursive: true });
  run('tar', ['-xzf', join(folder, packed), '-C', join(modules, 'trefoil'), '--strip-components=1']);
  rmSync(join(folder, packed));
  for (const name of dependencies()) link(modules, name);
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../trefoil/core/bin/trefoil.mjs', join(modules, '.bin/trefoil'));
  symlinkSync('../trefoil/plugins/beacon/bin/beacon.mjs', join(modules, '.bin/beacon'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Puts a package of the clone among the modules of a folder. */
export function link(modules: string, name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

/** The packages that `npm install trefoil` brings, whether we name them or those that we name do. */
function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return name === undefined || dev || optional ? [] : [name];
  });
}
