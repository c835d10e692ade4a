/**
 * What protection costs, over HTTP, one request at a time on one connection: point queries, and ranges of 1 Mb, of anonymous callers to two servers of
 * one storage, with and without protected datasets. Both have the same two datasets; one of them is `careful` on the second
 * server. Options: `--alleles=200000`, `--samples=1000`, `--requests=1000` in each of five rounds, `--engines=sqlite,postgres`.
 */
import { beacon } from '../../plugins/beacon/contract.js';
import type { BenchOptions, Print } from './run.js';
import { type Latency, latencyOf, median } from './support/client.js';
import { type Cohort, loadCohort, mixed, type Place, placeOf } from './support/cohort.js';
import { onEachHome } from './support/engines.js';
import { grouped } from './support/machine.js';
import { withServer } from './support/served.js';

const ports = { plain: 5914, protecting: 5915 };
const rounds = 5;

export default async function protection(print: Print, options: BenchOptions): Promise<void> {
  const samples = Number(options.samples ?? 1000);
  const cohort = { alleles: Number(options.alleles ?? 200_000), samples, per: samples };
  const requests = Number(options.requests ?? 1000);
  await onEachHome(
    options,
    [beacon],
    async (storage, name) => {
      for (const id of ['open', 'careful']) await loadCohort(storage.repository(beacon), id, cohort);
      print(`${name}: two datasets of ${grouped(cohort.alleles)} alleles of ${grouped(samples)} samples each`);
    },
    (storage) => {
      const plain = { port: ports.plain, storage, plugins: { beacon: {} } };
      const settings = { protection: { datasets: { careful: 'careful' } } };
      const protecting = { port: ports.protecting, storage, plugins: { beacon: settings } };
      return withServer(plain, () => withServer(protecting, () => measure(print, cohort, requests)));
    },
  );
}

async function measure(print: Print, { alleles }: Cohort, requests: number): Promise<void> {
  const known = Array.from({ length: 1000 }, (_, i) => placeOf(Math.floor(mixed(i) * alleles), alleles));
  const unknown = known.map(({ contig, start }) => ({ contig, start: start + 1 }));
  const asked = [
    { what: 'open dataset', dataset: 'open', places: known },
    { what: 'protected, alleles that it has', dataset: 'careful', places: known },
    { what: 'protected, alleles that it lacks', dataset: 'careful', places: unknown },
  ].flatMap(({ what, dataset, places }) => [
    { what: `${what}, /apiv1.0`, paths: places.map((place) => v1(place, dataset)) },
    { what: `${what}, v2`, paths: places.map((place) => v2(place, dataset)) },
    { what: `${what}, 1 Mb`, paths: places.map((place) => range(place, dataset)) },
  ]);
  const latencies = asked.map(() => ({ plain: [] as Latency[], protecting: [] as Latency[] }));
  // In turns, so that other work on the machine slows down all alike.
  for (let round = 0; round < rounds; round++) {
    for (const [i, { paths }] of asked.entries()) {
      for (const server of ['plain', 'protecting'] as const) {
        latencies[i]?.[server].push(await latencyOf(ports[server], paths, requests));
      }
    }
  }
  for (const [i, { what }] of asked.entries()) {
    const before = median(latencies[i]?.plain ?? []);
    const after = median(latencies[i]?.protecting ?? []);
    print(
      `${what.padEnd(42)} p50 ${after.p50.toFixed(2)} ms (${(after.p50 / before.p50).toFixed(2)} times), ` +
        `p95 ${after.p95.toFixed(2)} ms (${(after.p95 / before.p95).toFixed(2)}), mean ${(after.mean / before.mean).toFixed(2)}`,
    );
  }
}

function fields({ contig, start }: Place, dataset: string): Record<string, string> {
  const bases = { referenceBases: 'A', alternateBases: 'C' };
  return { assemblyId: 'GRCh38', referenceName: contig, start: `${start}`, ...bases, datasetIds: dataset };
}

function v1(place: Place, dataset: string): string {
  return `/apiv1.0/query?${new URLSearchParams(fields(place, dataset))}`;
}

function range({ contig, start }: Place, datasets: string): string {
  const from = Math.max(0, start - 500_000);
  const place = { assemblyId: 'GRCh38', referenceName: contig, start: `${from}`, end: `${from + 1_000_000}` };
  return `/beacon/v2/g_variants?${new URLSearchParams({ ...place, datasets, requestedGranularity: 'boolean' })}`;
}

function v2(place: Place, dataset: string): string {
  const { datasetIds = '', ...others } = fields(place, dataset);
  return `/beacon/v2/g_variants?${new URLSearchParams({ ...others, datasets: datasetIds, requestedGranularity: 'boolean' })}`;
}
