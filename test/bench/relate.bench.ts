/**
 * Comparing new samples with all stored ones: which sites to compare at, the genotypes of all samples there, and the
 * comparison itself. Options: `--samples=10000`, `--sites=6000` common ones in the dataset, `--per=100` samples in each
 * load, `--engines=sqlite,postgres`. The yardstick is the same dataset with the first hundred samples alone. Processor time
 * is that of this process, without that of PostgreSQL.
 */
import {
  type BeaconRepository,
  beacon,
  type CalledAllele,
  type Contig,
  contigs,
  Genotypes,
  type Site,
  siteOf,
} from '../../plugins/beacon/contract.js';
import { comparedSites, wantedSites } from '../../plugins/beacon/loading/comparison.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped, processorSeconds, seconds } from './support/machine.js';

const rounds = 5;

/** The same for the same numbers: at least 0, below 1. */
function mixed(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

/** Alternate alleles of an unrelated person at a site, by Hardy-Weinberg. */
function copies(site: number, person: number, sites: number): number {
  const frequency = 0.05 + (0.9 * site) / sites;
  return Number(mixed(2 * site, person) < frequency) + Number(mixed(2 * site + 1, person) < frequency);
}

function siteAt(n: number): Site {
  return {
    contig: contigs[n % 22] as Contig,
    start: 10_000 + 997 * Math.floor(n / 22),
    reference: 'A',
    alternate: 'G',
  };
}

function* alleles(from: number, to: number, sites: number): Generator<CalledAllele> {
  for (let n = 0; n < sites; n++) {
    const carriers: [number, number][] = [];
    for (let person = from; person < to; person++) {
      const count = copies(n, person, sites);
      if (count > 0) carriers.push([person - from, count]);
    }
    const site = siteAt(n);
    if (carriers.length > 0) yield { ...site, end: site.start + 1, kind: 'SNP', structural: false, carriers };
  }
}

export default async function relate(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const samples = Number(options.samples ?? 10_000);
  const sites = Number(options.sites ?? 6000);
  const per = Number(options.per ?? 100);
  await onEachEngine(options, [beacon], async (storage, name) => {
    await measure(print, name, storage.repository(beacon), { samples, sites, per });
  });
}

async function measure(
  print: Print,
  name: string,
  repository: BeaconRepository,
  { samples, sites, per }: { samples: number; sites: number; per: number },
): Promise<void> {
  const now = new Date();
  for (const [id, all] of Object.entries({ few: 100, bench: samples })) {
    await repository.addDataset({ id, name: id, assembly: 'GRCh38', access: 'CONTROLLED', version: 1 }, now);
    for (let from = 0; from < all; from += per) {
      const names = Array.from({ length: Math.min(per, all - from) }, (_, i) => `sample-${from + i}`);
      const batches = (async function* () {
        yield [...alleles(from, from + names.length, sites)];
      })();
      await repository.importAlleles({ dataset: id, samples: names, alleles: batches }, now);
    }
  }
  // Sites over the whole range of frequencies.
  const asked = Array.from({ length: sites }, (_, n) => n)
    .filter((n) => mixed(n, -1) < 0.5 && copies(n, samples, sites) > 0)
    .slice(0, comparedSites);
  const request = asked.map(siteAt).map(siteOf);
  for (const id of ['few', 'bench']) {
    const times = { common: [] as number[], genotypes: [] as number[], compare: [] as number[] };
    const processor: number[] = [];
    let compared = 0;
    const round = async () => {
      times.common.push(await seconds(() => repository.commonSites(id, wantedSites)));
      let stored: Awaited<ReturnType<BeaconRepository['genotypes']>>;
      times.genotypes.push(
        await seconds(async () => {
          stored = await repository.genotypes(id, request);
        }),
      );
      times.compare.push(
        await seconds(async () => {
          if (!stored) throw new Error('the dataset exists');
          const own = new Genotypes(1, request.length);
          for (const [place, n] of asked.entries()) own.set(0, place, copies(n, samples, sites));
          compared = 0;
          for (let i = 0; i < stored.samples.length; i++) compared += own.likeness(0, stored.genotypes, i).sites;
        }),
      );
    };
    for (let i = 0; i < rounds; i++) processor.push(await processorSeconds(round));
    const first = Object.values(times).reduce((sum, [time = 0]) => sum + time, 0);
    const least = (list: number[]) => `${(Math.min(...list) * 1000).toFixed(0)} ms`;
    const medianOf = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    const median = Object.values(times).reduce((sum, list) => sum + medianOf(list), 0);
    print(
      `${name}, ${grouped(id === 'few' ? 100 : samples)} samples, ${grouped(request.length)} sites of a file: common sites ` +
        `${least(times.common)}, genotypes ${least(times.genotypes)}, comparison ` +
        `${least(times.compare)} (${grouped(compared)} pairs of genotypes); all three: first ${first.toFixed(2)} s, ` +
        `median ${median.toFixed(2)} s, processor time ${medianOf(processor).toFixed(2)} s`,
    );
  }
}
