/** A server of its own process, for measurements. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { withFolder } from './machine.js';
import { answered, stop } from './processes.js';

const trefoil = fileURLToPath(new URL('../../../core/bin/trefoil.mjs', import.meta.url));

export interface Served {
  port: number;
  /** The sections `storage` and `plugins` of the configuration. */
  storage: object;
  plugins: object;
  auth?: object;
}

/** Runs work while a server answers on the port; it gets the number of the server's process. */
export async function withServer(
  { port, ...sections }: Served,
  work: (process: number) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const config = join(folder, 'bench.yaml');
    await writeFile(config, stringify({ demo: false, migrate: 'auto', ...sections }));
    const server: ChildProcess = spawn(process.execPath, [trefoil, 'serve', '--config', config, '--port', `${port}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      await answered(`http://127.0.0.1:${port}/-/ready`);
      await work(server.pid ?? 0);
    } finally {
      await stop(server);
    }
  });
}
