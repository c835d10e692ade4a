/**
 * Point queries over HTTP against a route of bare Koa that returns a constant, both in separate processes, queried by
 * the same client in turns: latency of one request at a time, and requests per second of several connections
 * without a pause. Options: `--alleles=200000`, `--requests=5000`, `--seconds=5`, `--connections=10`.
 */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Print } from './run.js';
import { type Latency, latencyOf, median } from './support/client.js';
import { grouped, withFolder } from './support/machine.js';
import { answered, run, stop } from './support/processes.js';
import { type Site, sampleNames, writeVcf } from './support/vcf.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const trefoil = join(root, 'core/bin/trefoil.mjs');
const beacon = join(root, 'plugins/beacon/bin/beacon.mjs');

export default async function query(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const alleles = Number(options.alleles ?? 200_000);
  const requests = Number(options.requests ?? 5000);
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

      print(`${grouped(alleles)} alleles on SQLite`);
      const latencies: Record<keyof typeof ports, Latency[]> = { bare: [], trefoil: [] };
      for (let round = 0; round < 5; round++) {
        latencies.bare.push(await latencyOf(ports.bare, ['/'], requests));
        latencies.trefoil.push(await latencyOf(ports.trefoil, paths, requests));
      }
      const [plain, ours] = [median(latencies.bare), median(latencies.trefoil)];
      for (const [name, { p50, p99, mean }] of Object.entries({ 'bare Koa route': plain, 'point query': ours })) {
        print(`${name.padEnd(15)} p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, mean ${mean.toFixed(3)} ms`);
      }
      const ratio = (key: keyof Latency) => (ours[key] / plain[key]).toFixed(2);
      print(`latency of one at a time, ratios: p50 ${ratio('p50')}, p99 ${ratio('p99')}, mean ${ratio('mean')}`);

      const shoot = async (port: number, asked: string[]) => {
        const result = await autocannon({
          url: `http://127.0.0.1:${port}`,
          connections,
          duration: seconds,
          requests: asked.map((path) => ({ path })),
        });
        if (result.non2xx > 0) throw new Error(`${result.non2xx} requests were refused`);
        return result.requests.average;
      };
      const [most, many] = [await shoot(ports.bare, ['/']), await shoot(ports.trefoil, paths)];
      print(
        `${connections} connections: bare ${grouped(most)} requests/s, point query ${grouped(many)} requests/s, ` +
          `ratio ${(many / most).toFixed(2)}`,
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
