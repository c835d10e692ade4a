/**
 * The faces of one store, over HTTP: Beacon v2 against `/apiv1.0` for the same point query, a range of 10 Mb with counts, and
 * pages of records, one request at a time on one connection. Options: `--alleles=1000000`, `--samples=1000`, `--per=1000`
 * samples in each load, `--requests=2000` point queries in each of five rounds, `--ranges=200`, `--engines=sqlite,postgres`.
 */
import { beacon } from '../../plugins/beacon/contract.js';
import type { BenchOptions, Print } from './run.js';
import { type Latency, latencyOf, median } from './support/client.js';
import { type Cohort, loadCohort, mixed, type Place, placeOf } from './support/cohort.js';
import { onEachHome } from './support/engines.js';
import { grouped, seconds } from './support/machine.js';
import { withServer } from './support/served.js';

const port = 5913;
const rounds = 5;

export default async function faces(print: Print, options: BenchOptions): Promise<void> {
  const samples = Number(options.samples ?? 1000);
  const cohort = { alleles: Number(options.alleles ?? 1_000_000), samples, per: Number(options.per ?? samples) };
  const requests = Number(options.requests ?? 2000);
  const ranges = Number(options.ranges ?? 200);
  await onEachHome(
    options,
    [beacon],
    async (storage, name) => {
      const taken = await seconds(() => loadCohort(storage.repository(beacon), 'bench', cohort));
      print(
        `${name}: ${grouped(cohort.alleles)} alleles of ${grouped(samples)} samples, loaded in ${grouped(taken)} s`,
      );
    },
    (storage) =>
      withServer({ port, storage, plugins: { beacon: {} } }, () => measure(print, cohort, { requests, ranges })),
  );
}

async function measure(
  print: Print,
  { alleles }: Cohort,
  { requests, ranges }: { requests: number; ranges: number },
): Promise<void> {
  const places = Array.from({ length: 1000 }, (_, i) => placeOf(Math.floor(mixed(i) * alleles), alleles));
  const point = (place: Place) => ({
    ...where(place),
    start: `${place.start}`,
    referenceBases: 'A',
    alternateBases: 'C',
  });
  const v1 = places.map((place) => `/apiv1.0/query?${new URLSearchParams({ ...point(place) })}`);
  const v2 = places.map((place) => variants({ ...point(place), requestedGranularity: 'boolean' }));
  const width = 10_000_000;
  const wide = places.map((place) => variants({ ...range(place, width), requestedGranularity: 'count' }));
  const page = (limit: number, bases: number) =>
    places.map((place) => variants({ ...range(place, bases), requestedGranularity: 'record', limit: `${limit}` }));
  const all = (limit: number, skip: number) => [
    variants({ assemblyId: 'GRCh38', requestedGranularity: 'record', limit: `${limit}`, skip: `${skip}` }),
  ];
  for (const path of [v1[0], v2[0], wide[0]]) await mustExist(path ?? '');

  const asked: Record<string, { paths: readonly string[]; count: number }> = {
    'point query, /apiv1.0': { paths: v1, count: requests },
    'point query, v2 boolean': { paths: v2, count: requests },
    '10 Mb, v2 count': { paths: wide, count: ranges },
    '100 kb, v2 page of 10': { paths: page(10, 100_000), count: ranges },
    '10 Mb, v2 page of 10': { paths: page(10, width), count: ranges },
    '10 Mb, v2 page of 100': { paths: page(100, width), count: ranges },
    'all, v2 first page of 10': { paths: all(10, 0), count: ranges },
    'all, v2 page 100 of 10': { paths: all(10, 100), count: ranges },
  };
  const latencies = new Map<string, Latency[]>();
  // In turns, so that other work on the machine slows down all alike.
  for (let round = 0; round < rounds; round++) {
    for (const [name, { paths, count }] of Object.entries(asked)) {
      latencies.set(name, [...(latencies.get(name) ?? []), await latencyOf(port, paths, count)]);
    }
  }
  const first = median(latencies.get('point query, /apiv1.0') ?? []);
  for (const [name, measured] of latencies) {
    const { p50, p95, mean } = median(measured);
    print(
      `${name.padEnd(26)} p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, mean ${mean.toFixed(2)} ms; ` +
        `times the first: p50 ${(p50 / first.p50).toFixed(2)}, p95 ${(p95 / first.p95).toFixed(2)}`,
    );
  }
}

function where({ contig }: Place) {
  return { assemblyId: 'GRCh38', referenceName: contig };
}

/** The range that ends at an allele, or as wide a one at the start of the chromosome. */
function range(place: Place, width: number) {
  const start = Math.max(0, place.start + 1 - width);
  return { ...where(place), start: `${start}`, end: `${start + width}` };
}

function variants(query: Record<string, string>): string {
  return `/beacon/v2/g_variants?${new URLSearchParams(query)}`;
}

async function mustExist(path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await response.text();
  if (!text.includes('"exists":true'))
    throw new Error(`${path} is answered with ${response.status} ${text.slice(0, 500)}`);
}
