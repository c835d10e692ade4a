/**
 * A dataset that grows by samples loaded one by one, with merging after each as a server does it in between, against one
 * load of the same samples in the same run. Each sample has `--alleles=2000`, 60 % of them among those of other samples.
 * Further options: `--samples=10,30,100,300,1000`, `--engines=sqlite,postgres`. Processor time is that of this process, without
 * that of PostgreSQL.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { isFault } from '../../core/storage.js';
import { type AlleleQuery, type BeaconRepository, beacon, type CalledAllele } from '../../plugins/beacon/contract.js';
import { runSql, selectNumber } from '../support/sql.js';
import type { Home } from '../support/storages.js';
import type { Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { grouped, processorSeconds, seconds } from './support/machine.js';
import { random } from './support/vcf.js';

const contigs = ['1', '2', '3', '4'] as const;
/** Bases with alleles, on each chromosome. */
const reach = 5_000_000;
/** The server's default of `queries.limit`. */
const limit = 100_000;
const now = new Date();
/** A look every second at what to vacuum: the loads of months come in minutes here. */
const autovacuum = ["alter system set autovacuum_naptime = '1s'", 'select pg_reload_conf()'];

type Contig = (typeof contigs)[number];

interface Site {
  contig: Contig;
  start: number;
  alternate: string;
}

export default async function grow(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const each = Number(options.alleles ?? 2000);
  const points = (options.samples ?? '10,30,100,300,1000').split(',').map(Number);
  const cohort = new Cohort(each);
  // The test server has autovacuum off, and no statement turns it on; a load would read all rows that merges have deleted.
  process.env.TEST_POSTGRES_FSYNC = 'on';
  for (const engine of chosenStorages(options)) {
    print(`${engine.name}: ${grouped(each)} alleles a sample, 60 % shared`);
    const home = await engine.home();
    try {
      if (engine.adapter === 'postgres') await runSql(home.section, autovacuum);
      const storage = await home.open([beacon]);
      await storage.migrate();
      await growing(print, { home, repository: storage.repository(beacon), points, cohort }, async (samples) => {
        const other = await engine.home();
        try {
          const storage = await other.open([beacon]);
          await storage.migrate();
          const loaded = await measureOneLoad(other, storage.repository(beacon), cohort, samples);
          await storage.close();
          return loaded;
        } finally {
          await other.discard();
        }
      });
      await storage.close();
    } finally {
      await home.discard();
    }
  }
}

interface Growing {
  home: Home;
  repository: BeaconRepository;
  points: readonly number[];
  cohort: Cohort;
}

async function growing(
  print: Print,
  { home, repository, points, cohort }: Growing,
  oneLoad: (samples: number) => Promise<Measured>,
): Promise<void> {
  await add(repository);
  const loads: number[] = [];
  const processor: number[] = [];
  let merging = 0;
  const meanwhile: number[] = [];
  for (let n = 0; n < (points.at(-1) ?? 0); n++) {
    const request = { dataset: 'ds', samples: [`s${n}`], alleles: batches(cohort.sample(n)) };
    processor.push(
      await processorSeconds(async () => {
        loads.push(await seconds(() => repository.importAlleles(request, now)));
      }),
    );
    let over = false;
    const asking = n % 8 === 7 ? askMeanwhile(repository, cohort, n, () => over, meanwhile) : undefined;
    merging += await seconds(async () => {
      while ((await repository.compact('ds', turn)) > 0);
    });
    over = true;
    await asking;
    if (!points.includes(n + 1)) continue;
    const grown = await measure(home, repository, cohort, n + 1);
    // One of those that were merged first, which comes back afterwards.
    const removal = await seconds(() => repository.removeSamples('ds', ['s0'], now));
    await repository.importAlleles({ dataset: 'ds', samples: ['s0'], alleles: batches(cohort.sample(0)) }, now);
    const once = await oneLoad(n + 1);
    const recent = (times: readonly number[]) => ms(median(times.slice(-Math.max(Math.floor(n / 4), 8))) * 1000);
    print(
      `${grouped(n + 1)} samples: load of one ${recent(loads)} (processor time ${recent(processor)}), removal of one ${ms(removal * 1000)}, merging so far ${perAllele(merging, loads, cohort)}`,
    );
    print(`  point query      ${ms(grown.point)}, one load ${ms(once.point)}`);
    print(
      `  10 kb, counted   ${ms(grown.range)}, one load ${ms(once.range)}: ${(grown.range / once.range).toFixed(2)} times`,
    );
    print(
      `  chromosome, N/N  miss ${ms(grown.miss)}, one load ${ms(once.miss)}; count ${grown.count}, one load ${once.count}`,
    );
    const rows = `${grouped(grown.rows)} rows in ${grown.segments} segments, one load ${grouped(once.rows)}`;
    print(`  space            ${megabytes(grown.bytes)}, one load ${megabytes(once.bytes)}; ${rows}`);
  }
  const all = meanwhile.sort((one, other) => one - other);
  const last = all[Math.floor(all.length * 0.99)] ?? Number.NaN;
  print(`  point queries during merges: p50 ${ms(median(all))}, p99 ${ms(last)} (${grouped(all.length)} asked)`);
}

function perAllele(merging: number, loads: readonly number[], { each }: Cohort): string {
  const share = merging / loads.reduce((sum, load) => sum + load, 0);
  return `${((merging * 1e6) / (loads.length * each)).toFixed(1)} µs for each allele loaded, ${share.toFixed(2)} of loading it`;
}

/** Samples of the same places, made of numbers alone: sample n is the same every time. */
class Cohort {
  readonly each: number;
  readonly #shared: readonly Site[];

  constructor(each: number) {
    this.each = each;
    const next = random(7);
    // Twice as many as a sample has: each has half of them.
    this.#shared = Array.from({ length: each * 1.2 }, () => site(next, 'T'));
  }

  sites(n: number): Site[] {
    const next = random(1000 + n);
    const shared = this.#shared.filter(() => next() < 0.5);
    const own = Array.from({ length: this.each * 0.4 }, () => site(next, 'G'));
    return [...shared, ...own];
  }

  sample(n: number): CalledAllele[] {
    return called(new Map(this.sites(n).map((site) => [keyOf(site), { site, carriers: [0] }])));
  }

  /** Of the first samples together. */
  all(samples: number): CalledAllele[] {
    const found = new Map<string, { site: Site; carriers: number[] }>();
    for (let n = 0; n < samples; n++) {
      for (const site of this.sites(n)) {
        const known = found.get(keyOf(site)) ?? { site, carriers: [] };
        found.set(keyOf(site), known);
        if (known.carriers.at(-1) !== n) known.carriers.push(n);
      }
    }
    return called(found);
  }
}

function site(next: () => number, alternate: string): Site {
  const contig = contigs[Math.floor(next() * contigs.length)] ?? '1';
  return { contig, start: Math.floor(next() * reach), alternate };
}

function keyOf({ contig, start, alternate }: Site): string {
  return `${contig} ${start} ${alternate}`;
}

/** As a sorted file has them. */
function called(sites: ReadonlyMap<string, { site: Site; carriers: readonly number[] }>): CalledAllele[] {
  return [...sites.values()]
    .map(({ site: { contig, start, alternate }, carriers }) => ({
      ...{ contig, start, end: start + 1, reference: 'A', alternate, kind: 'SNP', structural: false },
      carriers: carriers.map((n) => [n, 1 + ((start + n) % 2)] as const),
    }))
    .sort((one, other) => Number(one.contig) - Number(other.contig) || one.start - other.start);
}

async function* batches(alleles: readonly CalledAllele[]): AsyncGenerator<readonly CalledAllele[]> {
  for (let i = 0; i < alleles.length; i += 1000) yield alleles.slice(i, i + 1000);
}

async function add(repository: BeaconRepository): Promise<void> {
  await repository.addDataset({ id: 'ds', name: 'ds', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
}

interface Measured {
  /** Medians, in ms. */
  point: number;
  range: number;
  miss: number;
  /** The time, or that it is refused. */
  count: string;
  rows: number;
  segments: number;
  bytes: number;
}

async function measureOneLoad(home: Home, repository: BeaconRepository, cohort: Cohort, samples: number) {
  await add(repository);
  const names = Array.from({ length: samples }, (_, n) => `s${n}`);
  await repository.importAlleles({ dataset: 'ds', samples: names, alleles: batches(cohort.all(samples)) }, now);
  return measure(home, repository, cohort, samples);
}

async function measure(home: Home, repository: BeaconRepository, cohort: Cohort, samples: number): Promise<Measured> {
  if (home.section.adapter === 'postgres') await runSql(home.section, ['vacuum analyze']);
  const next = random(samples);
  const sites = cohort.sites(Math.floor(samples / 2));
  const some = Array.from({ length: 200 }, () => sites[Math.floor(next() * sites.length)] as Site);
  const point = await medianOf(some, async ({ contig, start, alternate }) => {
    const found = await repository.search({ ...place(contig, start), reference: 'A', alternate }, ['ds']);
    if (found[0]?.alleles !== 1) throw new Error('An allele that was loaded is not found');
  });
  const range = await medianOf(some.slice(0, 60), ({ contig, start }) =>
    repository.search(place(contig, start, start + 10_000), ['ds'], { limit }),
  );
  const wide = contigs.map((contig): AlleleQuery => ({ assembly: 'GRCh37', contig, reference: 'N' }));
  const miss = await medianOf(wide, async (query) => {
    if ((await repository.present({ ...query, alternate: 'NNN' }, ['ds'])).length > 0) throw new Error('There is none');
  });
  let refused = false;
  const count = await medianOf(wide, async (query) => {
    await repository.search({ ...query, alternate: 'N' }, ['ds'], { limit }).catch((error: unknown) => {
      if (!isFault(error) || error.code !== 'invalid') throw error;
      refused = true;
    });
  });
  const number = (statement: string) => selectNumber(home.section, statement);
  return {
    ...{ point, range, miss, count: `${ms(count)}${refused ? ' (refused)' : ''}` },
    rows: await number('select count(*) as number from beacon_alleles'),
    segments: await number("select count(*) as number from beacon_segments where state = 'published'"),
    bytes: await number(bytesIn[home.section.adapter] ?? 'select null as number'),
  };
}

/** What is in use, without pages that are free for the next load. */
const bytesIn: Readonly<Record<string, string>> = {
  sqlite:
    'select (p.page_count - f.freelist_count) * s.page_size as number ' +
    'from pragma_page_count p, pragma_freelist_count f, pragma_page_size s',
  postgres:
    "select sum(pg_total_relation_size(oid)) as number from pg_class where relname like 'beacon%' and relkind = 'r'",
};

function place(contig: Contig, min: number, max = min): AlleleQuery {
  return { assembly: 'GRCh37', contig, start: { min, max } };
}

async function askMeanwhile(
  repository: BeaconRepository,
  cohort: Cohort,
  sample: number,
  isOver: () => boolean,
  times: number[],
): Promise<void> {
  const sites = cohort.sites(sample);
  for (let i = 0; !isOver(); i++) {
    const { contig, start, alternate } = sites[(i * 7919) % sites.length] as Site;
    times.push(
      1000 * (await seconds(() => repository.search({ ...place(contig, start), reference: 'A', alternate }, ['ds']))),
    );
    await turn();
  }
}

/** The median of how long work on each takes, in ms, once it has been done before. */
async function medianOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (const round of [0, 1, 2]) {
    for (const item of items) {
      const time = await seconds(() => work(item));
      if (round > 0) times.push(time * 1000);
    }
  }
  return median(times);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
