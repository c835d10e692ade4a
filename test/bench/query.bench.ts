/**
 * Point queries over HTTP against a route of bare Koa that answers a constant, both in processes of their own, asked by
 * the same client in turns. Options: `--alleles=200000`, `--seconds=5`, `--connections=10`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Print } from './run.js';
import { grouped, withFolder } from './support/machine.js';
import { type Site, sampleNames, writeVcf } from './support/vcf.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const trefoil = join(root, 'core/bin/trefoil.mjs');
const beacon = join(root, 'plugins/beacon/bin/beacon.mjs');

export default async function query(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const alleles = Number(options.alleles ?? 200_000);
  const seconds = Number(options.seconds ?? 5);
  const connections = Number(options.connections ?? 10);
  await withFolder(async (folder) => {
    const config = join(folder, 'bench.yaml');
    await writeFile(
      config,
      `demo: false\nstorage:\n  adapter: sqlite\n  file: ${join(folder, 'bench.sqlite')}\nplugins:\n  beacon: {}\n`,
    );
    const vcf = join(folder, 'bench.vcf.gz');
    const sites = await writeVcf(vcf, { alleles, samples: 1 });
    const command = [beacon, '--config', config];
    await run([...command, 'add', 'dataset', '--did', 'bench', '--name', 'Bench', '--authlevel', 'public']);
    await run([...command, 'add', 'variants', '--ds', 'bench', '--vcf', vcf, '--sample', ...sampleNames(1)]);

    const ports = { bare: 5911, trefoil: 5912 };
    const servers = [
      spawn(process.execPath, [fileURLToPath(new URL('support/bare.mjs', import.meta.url)), `${ports.bare}`]),
      spawn(process.execPath, [trefoil, 'serve', '--config', config, '--port', `${ports.trefoil}`], {
        stdio: 'ignore',
      }),
    ];
    try {
      const begin = performance.now();
      await answered(`http://127.0.0.1:${ports.trefoil}/-/ready`);
      print(`ready after ${grouped(performance.now() - begin)} ms`);
      await answered(`http://127.0.0.1:${ports.bare}/`);
      const paths = sites.map(pathOf);
      const first = await fetch(`http://127.0.0.1:${ports.trefoil}${paths[0]}`);
      const { exists } = (await first.json()) as { exists: unknown };
      if (exists !== true) throw new Error(`The first site of the file is answered with exists: ${exists}`);

      const shoot = (port: number, requests: string[]) =>
        autocannon({
          url: `http://127.0.0.1:${port}`,
          connections,
          duration: seconds,
          requests: requests.map((path) => ({ path })),
        });
      for (const port of Object.values(ports)) await shoot(port, port === ports.bare ? ['/'] : paths);
      const bare = await shoot(ports.bare, ['/']);
      const ours = await shoot(ports.trefoil, paths);
      if (ours.non2xx > 0) throw new Error(`${ours.non2xx} queries were refused`);
      print(`${grouped(alleles)} alleles on SQLite, ${connections} connections, ${seconds} s each`);
      for (const [name, result] of [
        ['bare Koa route', bare],
        ['point query', ours],
      ] as const) {
        const { p50, p99, average } = result.latency;
        print(
          `${name.padEnd(15)} ${grouped(result.requests.average).padStart(7)} requests/s, latency p50 ${p50} ms, p99 ${p99} ms, mean ${average.toFixed(2)} ms`,
        );
      }
      print(
        `ratios: requests/s ${(ours.requests.average / bare.requests.average).toFixed(2)}, ` +
          `mean latency ${(ours.latency.average / bare.latency.average).toFixed(2)}, ` +
          `p99 ${(ours.latency.p99 / bare.latency.p99).toFixed(2)}`,
      );
    } finally {
      await Promise.all(servers.map(stop));
    }
  });
}

function pathOf({ contig, start, reference, alternate }: Site): string {
  const query = new URLSearchParams({
    assemblyId: 'GRCh37',
    referenceName: contig,
    start: `${start}`,
    referenceBases: reference,
    alternateBases: alternate,
    includeDatasetResponses: 'ALL',
  });
  return `/apiv1.0/query?${query}`;
}

async function run(words: string[]): Promise<void> {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
}

async function answered(url: string): Promise<void> {
  const late = Date.now() + 20_000;
  for (;;) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    if (Date.now() > late) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}
