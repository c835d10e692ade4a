/**
 * A chromosome on another PostgreSQL server, set up by the guide, against one on the main server with the same alleles, in turns in
 * the same run; both servers are on this machine. Options: `--alleles=1620000`, the share of chromosome 21 of 10⁸,
 * `--samples=1000` in one load, `--rounds=3`. Needs PostgreSQL's tools.
 */
import adapter from '../../adapters/postgres/adapter.js';
import { settings } from '../../adapters/postgres/settings.js';
import type { Storage } from '../../core/storage.js';
import { type BeaconRepository, beacon, type CalledAllele, type Contig } from '../../plugins/beacon/contract.js';
import { postgresTools } from '../support/cluster.js';
import { type Sharded, sharded } from '../support/sharded.js';
import { quiet } from '../support/storages.js';
import type { BenchOptions, Print } from './run.js';
import { carriersIn, mixed } from './support/cohort.js';
import { grouped, seconds } from './support/machine.js';

const assembly = 'GRCh38';
const bases = 46_709_983;
const places: Readonly<Record<string, Contig>> = { 'main server': '22', 'other server': '21' };
const requests = 300;
const batchSize = 5000;

export default async function shard(print: Print, options: BenchOptions): Promise<void> {
  if (postgresTools === undefined) return print('skipped: PostgreSQL is not installed with its tools');
  const alleles = Number(options.alleles ?? 1_620_000);
  const samples = Number(options.samples ?? 1000);
  const open = (url: string) =>
    adapter.open({
      settings: settings.parse({ url, statementTimeout: 0 }),
      contracts: [beacon],
      bindings: new Map(),
      log: quiet,
    });
  const migrate = async (url: string) => {
    const storage = await open(url);
    await storage.migrate();
    await storage.close();
  };
  const servers = await sharded({ shard_21: ['beacon_alleles_grch38_21'] }, migrate);
  let storage: Storage | undefined;
  try {
    storage = await open(servers.main.url);
    const repository = storage.repository(beacon);
    print(`${grouped(alleles)} alleles of ${grouped(samples)} samples on each of two chromosomes`);
    for (const [name, contig] of Object.entries(places)) {
      await repository.addDataset({ id: contig, name: contig, assembly, access: 'PUBLIC', version: 1 }, new Date());
      const names = Array.from({ length: samples }, (_, i) => `case-${i}`);
      const request = { dataset: contig, samples: names, alleles: batches(contig, { alleles, samples }) };
      const taken = await seconds(() => repository.importAlleles(request, new Date()));
      print(`${name}: loaded in ${taken.toFixed(1)} s, ${((taken / alleles) * 1e6).toFixed(1)} µs for each allele`);
    }
    print(`on the other server ${await sizes(servers)}`);
    for (let round = 0; round < Number(options.rounds ?? 3); round++) {
      for (const [name, contig] of Object.entries(places)) await queries(print, repository, name, contig, alleles);
    }
  } finally {
    await storage?.close();
    await servers.remove();
  }
}

async function* batches(
  contig: Contig,
  { alleles, samples }: { alleles: number; samples: number },
): AsyncGenerator<CalledAllele[]> {
  for (let from = 0; from < alleles; from += batchSize) {
    yield Array.from({ length: Math.min(batchSize, alleles - from) }, (_, i): CalledAllele => {
      const number = from + i;
      const start = startOf(number, alleles);
      const first = Math.floor(mixed(number + 0.5) * samples);
      const carriers = Array.from({ length: carriersIn(number, { samples }) }, (_, n): [number, number] => [
        (first + n * 7) % samples,
        n % 4 === 3 ? 2 : 1,
      ]);
      const what = { reference: 'A', alternate: 'C', kind: 'SNP', structural: false };
      return { contig, start, end: start + 1, ...what, carriers };
    });
  }
}

function startOf(number: number, alleles: number): number {
  return Math.floor(((number + 0.5) / alleles) * bases);
}

async function queries(
  print: Print,
  repository: BeaconRepository,
  name: string,
  contig: Contig,
  alleles: number,
): Promise<void> {
  const at = (i: number) => startOf(Math.floor(mixed(i) * alleles), alleles);
  const question = (start: number) => ({ type: 'sequence', contig, start, reference: 'A', alternate: 'C' }) as const;
  const range = (width: number) => async (i: number) => {
    const start = { min: at(i), max: at(i) + width };
    await repository.search({ assembly, contig, start, reference: 'N', alternate: 'N' }, [contig]);
  };
  const observations = (count: number) => async (i: number) => {
    const questions = Array.from({ length: count }, (_, n) => question(at(i * count + n)));
    await repository.observe(assembly, questions, [contig]);
  };
  const asked: Record<string, [times: number, ask: (i: number) => Promise<unknown>]> = {
    point: [
      requests,
      (i) =>
        repository.search({ assembly, contig, start: { min: at(i), max: at(i) }, reference: 'A', alternate: 'C' }, [
          contig,
        ]),
    ],
    '10 kb': [requests, range(10_000)],
    '1 Mb': [5, range(1_000_000)],
    '100 observations': [5, observations(100)],
    '1 000 observations': [3, observations(1000)],
    export: [1, () => repository.eachAllele(contig, async () => {})],
  };
  const told = [];
  for (const [what, [times, ask]] of Object.entries(asked)) {
    const taken = await seconds(async () => {
      for (let i = 0; i < times; i++) await ask(i);
    });
    told.push(`${what} ${((taken / times) * 1000).toFixed(2)} ms`);
  }
  print(`${name}: ${told.join(', ')}`);
}

async function sizes({ main, far, shards }: Sharded): Promise<string> {
  const [own] = await main.sql<{ size: string }>("select pg_total_relation_size('beacon_alleles_grch38_22') as size");
  const [other] = await far.sql<{ size: string }>(`select pg_database_size('${Object.keys(shards)[0]}') as size`);
  const text = (row: { size: string } | undefined) => `${grouped(Number(row?.size) / 1e6)} MB`;
  return `${text(other)} (the database), on the main one ${text(own)} (the table)`;
}
