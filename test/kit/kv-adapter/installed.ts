/** An installed Trefoil with the adapter for LevelDB beside it, as `npm install` would put it there. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Installed, install, link } from '../../support/installed.js';

export const source = fileURLToPath(new URL('../../support/kv-adapter', import.meta.url));

export function installWithLevel(): Installed & { adapter: string } {
  const installed = install();
  const adapter = join(installed.folder, 'node_modules/@lab/trefoil-level');
  mkdirSync(adapter, { recursive: true });
  cpSync(source, adapter, { recursive: true });
  link(join(installed.folder, 'node_modules'), 'classic-level');
  return { ...installed, adapter };
}
