/** A folder in which the packed package is installed, as an institution would have it, without asking any registry. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Installed {
  folder: string;
  remove(): void;
}

/** Builds and packs what is there now. Dependencies are those of the clone: installing them anew tests nothing of ours. */
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
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === 'trefoil' || name === '.bin' || name.startsWith('.')) continue;
    if (!name.startsWith('@')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
    else {
      mkdirSync(join(modules, name));
      for (const own of readdirSync(join(root, 'node_modules', name)))
        symlinkSync(join(root, 'node_modules', name, own), join(modules, name, own));
    }
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../trefoil/core/bin/trefoil.mjs', join(modules, '.bin/trefoil'));
  symlinkSync('../trefoil/plugins/beacon/bin/beacon.mjs', join(modules, '.bin/beacon'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
