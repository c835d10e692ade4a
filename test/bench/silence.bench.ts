/**
 * Whether time tells what an answer does not, over HTTP, anonymously: a dataset that is hidden against one that does not exist, and of a
 * careful dataset a "no" because budgets are spent against one because nobody carries the allele. Pairs of requests, in turns, each first
 * as often as the other; their differences against those of pairs of equal requests. Then, as a member of a tenant, things of another
 * tenant against those that do not exist, by the processor time of the server: in how many pairs the first took more, and the same of two
 * that do not exist. Options: `--pairs=2000` for each line, `--alleles=100000`, `--samples=1000`, `--engines=sqlite,postgres`,
 * `--only=unseen` for the last part alone.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beacon } from '../../plugins/beacon/contract.js';
import type { BenchOptions, Print } from './run.js';
import { type Expected, timesOf } from './support/client.js';
import { carriersIn, loadCohort, mixed, type Place, placeOf } from './support/cohort.js';
import { onEachHome } from './support/engines.js';
import { grouped, withFolder } from './support/machine.js';
import { withServer } from './support/served.js';
import { addUnseen, processorTime, type Unseen, unseenContracts, unseenSettings } from './support/unseen.js';

const port = 5916;

/** Of a dataset that is hidden, and of one that does not exist. */
const ids = { hidden: 'known-1', absent: 'known-2' };

interface Face {
  name: string;
  /** Of a request that names only datasets that the caller may not query. */
  unknown: number;
  path(place: Place, dataset: string): string;
}

const faces: readonly Face[] = [
  { name: '/apiv1.0/query', unknown: 400, path: (place, id) => `/apiv1.0/query?${queryOf(place, { datasetIds: id })}` },
  {
    name: '/beacon/v1/query',
    unknown: 400,
    path: (place, id) => `/beacon/v1/query?${queryOf(place, { datasetIds: id })}`,
  },
  {
    name: '/beacon/v2 variants of a dataset',
    unknown: 404,
    path: (place, id) => `/beacon/v2/datasets/${id}/g_variants?${queryOf(place, { requestedGranularity: 'boolean' })}`,
  },
];

export default async function silence(print: Print, options: BenchOptions): Promise<void> {
  if (options.only !== 'unseen') await ofDatasets(print, options);
  const pairs = Number(options.pairs ?? 2000);
  await withFolder(async (folder) => {
    let unseen: Awaited<ReturnType<typeof addUnseen>>;
    for (const name of ['cardio', 'neuro']) await mkdir(join(folder, name));
    await onEachHome(
      options,
      unseenContracts,
      async (storage, name) => {
        unseen = await addUnseen(storage, folder);
        print(`${name}: as a member of another tenant, ${grouped(pairs)} pairs for each line`);
      },
      (storage) =>
        withServer({ port, storage, ...unseenSettings(folder) }, async (server) => {
          for (const face of unseen.faces) await compareUnseen(print, server, face, unseen.token, pairs);
        }),
    );
  });
}

async function compareUnseen(print: Print, server: number, face: Unseen, token: string, pairs: number): Promise<void> {
  const headers = { 'x-auth-token': token };
  const asked = (i: number, isTheirs: boolean) => ({ path: face.path(i, isTheirs), status: 404, headers });
  const numbers = Array.from({ length: pairs }, (_, i) => i);
  const theirs = numbers.map((i) => asked(i, true));
  const [absent, others] = [numbers.map((i) => asked(i, false)), numbers.map((i) => asked(i + 77, false))];
  await timesOf(port, [...theirs.slice(0, 300), ...absent.slice(0, 300)]);
  const clock = () => processorTime(server);
  const share = async (some: readonly Expected[]) => {
    const { all } = await differences(some, absent, clock);
    const more = all.filter((difference) => difference > 0).length + all.filter((one) => one === 0).length / 2;
    return `${((100 * more) / pairs).toFixed(1)} %`;
  };
  print(
    `${face.name.padEnd(20)} theirs took more than absent in ${await share(theirs)}; of two absent ones ${await share(others)}`,
  );
}

async function ofDatasets(print: Print, options: BenchOptions): Promise<void> {
  const samples = Number(options.samples ?? 1000);
  const cohort = { alleles: Number(options.alleles ?? 100_000), samples, per: samples };
  const pairs = Number(options.pairs ?? 2000);
  // Alleles of one carrier, for which no anonymous caller gets a yes.
  const single = Array.from({ length: cohort.alleles }, (_, i) => i).filter((i) => carriersIn(i, cohort) === 1);
  const places = Array.from({ length: pairs }, (_, i) => {
    return placeOf(single[Math.floor(mixed(i) * single.length)] ?? 0, cohort.alleles);
  });
  await onEachHome(
    options,
    [beacon],
    async (storage, name) => {
      const repository = storage.repository(beacon);
      for (const id of [ids.hidden, 'careful']) await loadCohort(repository, id, cohort);
      const hidden = await repository.dataset(ids.hidden);
      if (hidden) await repository.updateDataset({ ...hidden, access: 'CONTROLLED' }, new Date());
      print(
        `${name}: ${grouped(cohort.alleles)} alleles of ${grouped(samples)} samples, ${grouped(pairs)} pairs for each line`,
      );
    },
    (storage) => {
      const settings = { listProtected: false, protection: { datasets: { careful: 'careful' } } };
      return withServer({ port, storage, plugins: { beacon: settings } }, () => measure(print, places));
    },
  );
}

async function measure(print: Print, places: readonly Place[]): Promise<void> {
  const between = places.map(({ contig, start }) => ({ contig, start: start + 1 }));
  for (const { name, unknown: status, path } of faces) {
    const hidden = places.map((place) => ({ path: path(place, ids.hidden), status }));
    const absent = places.map((place) => ({ path: path(place, ids.absent), status }));
    await compare(print, `${name}, hidden and absent`, hidden, absent);
  }
  for (const { name, path } of faces) {
    const carried = places.map((place) => ({ path: path(place, 'careful'), status: 200 }));
    const nobody = between.map((place) => ({ path: path(place, 'careful'), status: 200 }));
    await compare(print, `${name}, careful: carried and not`, carried, nobody);
  }
}

async function compare(
  print: Print,
  name: string,
  some: readonly Expected[],
  others: readonly Expected[],
): Promise<void> {
  await timesOf(port, [...some.slice(0, 200), ...others.slice(0, 200)]);
  const different = await differences(some, others);
  const equal = await differences(others, others);
  const [one, two] = [intervalOf(different.all), intervalOf(equal.all)];
  print(
    `${name.padEnd(48)} ${text(one)} µs, of equal requests ${text(two)} µs; one request takes ${different.usual.toFixed(0)} µs: ` +
      `the difference is ${((Math.abs(one.median) / different.usual) * 100).toFixed(1)} % of it`,
  );
}

/** In microseconds. */
interface Differences {
  /** Of each pair, the time of the first less that of the second; either is asked first in every other pair. */
  all: readonly number[];
  /** The median of single requests. */
  usual: number;
}

async function differences(
  some: readonly Expected[],
  others: readonly Expected[],
  clock?: () => number,
): Promise<Differences> {
  const inTurn = some.flatMap((one, i) => {
    const other = others[i] as Expected;
    return i % 2 === 0 ? [one, other] : [other, one];
  });
  const times = (await timesOf(port, inTurn, clock)).map((milliseconds) => milliseconds * 1000);
  const all = some.map((_, i) => ((times[2 * i] ?? 0) - (times[2 * i + 1] ?? 0)) * (i % 2 === 0 ? 1 : -1));
  return { all, usual: sorted(times)[times.length >> 1] ?? 0 };
}

interface Interval {
  median: number;
  low: number;
  high: number;
}

/** The median and its 95 % interval, by the order of the values (binomial). */
function intervalOf(values: readonly number[]): Interval {
  const ordered = sorted(values);
  const reach = 0.98 * Math.sqrt(ordered.length);
  const at = (index: number) => ordered[Math.max(0, Math.min(ordered.length - 1, Math.round(index)))] ?? 0;
  const middle = (ordered.length - 1) / 2;
  return { median: at(middle), low: at(middle - reach), high: at(middle + reach) };
}

function text({ median, low, high }: Interval): string {
  return `${median.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function queryOf({ contig, start }: Place, more: Record<string, string>): string {
  const bases = { referenceBases: 'A', alternateBases: 'C' };
  return String(
    new URLSearchParams({ assemblyId: 'GRCh38', referenceName: contig, start: `${start}`, ...bases, ...more }),
  );
}
