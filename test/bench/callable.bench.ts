/**
 * How many of many registered samples are covered: at one position, in a batch of 10,000 places, and at the sites of a large
 * VCF in the order of the genome. Options: `--samples=412`, `--runs=1000000` covered runs of a genome, `--chromosomes=25`
 * (the first ones; the others have no depth), `--sites=5000000`, `--engines=sqlite,postgres`. The yardstick of one position is
 * the reading of two bytes from each of as many files, opened and closed; that of the others is one site on its own. Processor
 * time is that of this process, without that of PostgreSQL.
 */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chromosome, chromosomes, coverageSamples, type RunBlock } from '../../plugins/coverage/contract.js';
import { sizeIn } from '../../plugins/coverage/d4/index.js';
import { WorkQueue } from '../../plugins/coverage/measure/work-queue.js';
import { createCallability } from '../../plugins/coverage/samples/callability/callability.js';
import type { CallabilityService, CoveredPlace } from '../../plugins/services/coverage.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped, processorSeconds, seconds, withFolder } from './support/machine.js';
import { genomes, register } from './support/registered.js';

const batch = 10_000;
/** As the default of `samples.memory`. */
const memory = 64 * 2 ** 20;
const build = 'GRCh38';
const sizeOf = (chromosome: Chromosome) => sizeIn(build, chromosome) ?? 0;
const { signal } = new AbortController();

/** Places spread evenly over the chromosomes: one in ten is an indel of ten bases. */
function* sitesOver(used: readonly Chromosome[], count: number): Generator<CoveredPlace> {
  const bases = used.reduce((sum, chromosome) => sum + sizeOf(chromosome), 0);
  const step = bases / count;
  let made = 0;
  for (const chromosome of used) {
    for (let at = step / 2; at < sizeOf(chromosome) - 20; at += step) {
      const start = Math.floor(at);
      yield { chromosome, intervals: [{ start, end: start + (made++ % 10 === 0 ? 10 : 1) }] };
    }
  }
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
}

/** Milliseconds for two bytes of each of that many files. */
async function twoBytes(count: number): Promise<number> {
  return withFolder(async (folder) => {
    const paths = Array.from({ length: count }, (_, i) => join(folder, `${i}`));
    for (const path of paths) writeFileSync(path, Buffer.alloc(1e5));
    const two = Buffer.alloc(2);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const read = async () => {
        for (const path of paths) {
          const file = openSync(path, 'r');
          readSync(file, two, 0, 2, 50_000);
          closeSync(file);
        }
      };
      times.push(1000 * (await seconds(read)));
    }
    return median(times);
  });
}

export default async function callable(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const count = Number(options.samples ?? 412);
  const runs = Number(options.runs ?? 1_000_000);
  const sites = Number(options.sites ?? 5_000_000);
  const used = chromosomes.slice(0, Number(options.chromosomes ?? chromosomes.length));
  const ids = Array.from({ length: count }, (_, i) => `sample ${i}`);
  const made = genomes(build, runs, used);
  const bytes = (made[0] as RunBlock[]).reduce((sum, { content }) => sum + content.length, 0);
  print(`${grouped(count)} samples of ${(bytes / 1e6).toFixed(2)} MB each, on ${used.length} chromosomes`);
  print(`yardstick: two bytes of each of ${grouped(count)} files ${(await twoBytes(count)).toFixed(1)} ms`);

  await onEachEngine(options, [coverageSamples], async (storage, name) => {
    const samples = storage.repository(coverageSamples);
    await register(samples, ids, (i) => made[i % made.length] as RunBlock[], build);
    const fresh = () =>
      createCallability({ samples, erasures: { objecting: async () => new Set() }, queue: new WorkQueue(), memory });
    const ask = (service: CallabilityService, places: readonly CoveredPlace[]) =>
      service.covered({ build, threshold: 10, groups: [ids], places }, signal);
    const at = (i: number): CoveredPlace => {
      // Each in a window of stored runs of its own.
      const start = 2_200_000 * i;
      return {
        chromosome: used[0] as Chromosome,
        intervals: [{ start, end: start + 1 }],
      };
    };
    const service = fresh();
    await ask(service, [at(0)]);
    const rounds = 100;
    /** Wall clock (median) and processor time (mean) of one round, in milliseconds. */
    const timed = async (work: (i: number) => Promise<unknown>): Promise<string> => {
      const times: number[] = [];
      const cpu = await processorSeconds(async () => {
        for (let i = 0; i < rounds; i++) times.push(1000 * (await seconds(() => work(i))));
      });
      return `${median(times).toFixed(1)} ms (processor ${((1000 * cpu) / rounds).toFixed(1)})`;
    };
    print(`${name}: one position, cold ${await timed((i) => ask(service, [at(i + 1)]))}`);
    print(`${name}: one position, warm ${await timed(() => ask(service, [at(0)]))}`);
    print(`${name}: of which reading the revisions ${await timed(() => samples.revisions(ids))}`);
    const all = [...sitesOver(used, sites)];
    const wall = await seconds(() => ask(fresh(), all.slice(0, batch)));
    print(`${name}: ${grouped(batch)} places in the order of the genome ${(1000 * wall).toFixed(0)} ms`);
    const whole = fresh();
    let covered = 0;
    let elapsed = 0;
    const cpu = await processorSeconds(async () => {
      elapsed = await seconds(async () => {
        for (let from = 0; from < all.length; from += batch) {
          const { places } = await ask(whole, all.slice(from, from + batch));
          for (const place of places) covered += place.covered[0] as number;
        }
      });
    });
    print(
      `${name}: ${grouped(all.length)} sites ${elapsed.toFixed(1)} s, processor ${cpu.toFixed(1)} s ` +
        `(${(covered / all.length).toFixed(1)} of ${count} covered; ${grouped(process.memoryUsage.rss() / 1e6)} MB in use)`,
    );
  });
}
