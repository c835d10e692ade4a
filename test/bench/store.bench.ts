/**
 * Queries of a large store in process, against `tabix` (if installed) on the same places in the same file,
 * and the deletion of one sample of several, against loading that sample. Options: `--alleles=1000000`,
 * `--samples=10`, `--engines=sqlite,postgres`.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openSource } from '../../core/files.js';
import { type AlleleQuery, type BeaconRepository, beacon, type Contig } from '../../plugins/beacon/contract.js';
import { loadVariants } from '../../plugins/beacon/loading/load.js';
import { permitAll } from '../../plugins/beacon/loading/permit.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped, has, seconds, withFolder } from './support/machine.js';
import { type Site, sampleNames, writeVcf } from './support/vcf.js';

const run = promisify(execFile);
const bracket = 40_000;

/** The three kinds of query at a site, each with the region for tabix: one-based, end included. */
const questions: Record<string, (site: Site) => { query: AlleleQuery; region: string }> = {
  point: ({ contig, start, reference, alternate }) => ({
    query: { ...place(contig), start: { min: start, max: start }, reference, alternate },
    region: `${contig}:${start + 1}-${start + 1}`,
  }),
  'bracket, 40 kb': ({ contig, start }) => ({
    query: { ...place(contig), start: { min: start, max: start + bracket } },
    region: `${contig}:${start + 1}-${start + bracket + 1}`,
  }),
  'N in both, 40 kb': ({ contig, start }) => ({
    query: { ...place(contig), start: { min: start, max: start + bracket }, reference: 'N', alternate: 'NN' },
    region: `${contig}:${start + 1}-${start + bracket + 1}`,
  }),
};

function place(contig: string): { assembly: 'GRCh37'; contig: Contig } {
  return { assembly: 'GRCh37', contig: contig as Contig };
}

export default async function store(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const alleles = Number(options.alleles ?? 1_000_000);
  const samples = Number(options.samples ?? 10);
  await withFolder(async (folder) => {
    const file = join(folder, 'store.vcf.gz');
    const sites = await writeVcf(file, { alleles, samples });
    print(`${grouped(alleles)} alleles, ${samples} samples; a query a site, ${sites.length} sites`);
    const yardstick = await tabixTimes(print, file, sites);
    await onEachEngine(options, [beacon], async (storage, name) => {
      await measure(print, name, storage.repository(beacon), { file, sites, samples, yardstick });
    });
  });
}

interface Measured {
  file: string;
  sites: readonly Site[];
  samples: number;
  /** Median of tabix by query, in ms; empty without it. */
  yardstick: ReadonlyMap<string, number>;
}

async function measure(print: Print, name: string, repository: BeaconRepository, measured: Measured): Promise<void> {
  const { file, sites, samples, yardstick } = measured;
  const now = new Date();
  await repository.addDataset({ id: 'bench', name: 'Bench', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
  const dataset = await repository.dataset('bench');
  if (!dataset) throw new Error('The dataset is gone');
  const names = sampleNames(samples);
  // One sample at a time, as an institute does.
  const loads: number[] = [];
  for (const sample of names) {
    const sources = [await openSource(file)] as const;
    loads.push(
      await seconds(() => loadVariants({ permit: permitAll, repository, dataset, sources, samples: [sample], now })),
    );
  }
  print(`${name}: samples loaded one by one in ${loads.map((load) => load.toFixed(1)).join(', ')} s`);
  for (const [what, question] of Object.entries(questions)) {
    const times: number[] = [];
    for (let round = 0; round < 6; round++) {
      for (const site of sites) {
        const { query } = question(site);
        const begin = performance.now();
        const found = await repository.search(query, ['bench']);
        if (round > 0) times.push(performance.now() - begin);
        if (what === 'point' && found.length === 0) throw new Error('A site that was loaded is not found');
      }
    }
    const [median, last] = percentiles(times);
    const tabix = yardstick.get(what);
    const ratio = tabix === undefined ? '' : `; tabix takes ${(tabix / median).toFixed(1)} times the median`;
    print(`  ${what.padEnd(17)} p50 ${median.toFixed(2)} ms, p99 ${last.toFixed(2)} ms${ratio}`);
  }
  const gone = names[Math.floor(samples / 2)] ?? '';
  let calls = 0;
  const deletion = await seconds(async () => {
    calls = (await repository.removeSamples('bench', [gone], now)).calls;
  });
  const load = loads[Math.floor(samples / 2)] ?? Number.NaN;
  print(
    `  deletion of one sample of ${samples}: ${deletion.toFixed(2)} s, ${((deletion / calls) * 1e6).toFixed(1)} µs a call, ` +
      `${(deletion / load).toFixed(2)} of loading it`,
  );
}

/** A process for each query, as for users who keep only files. */
async function tabixTimes(print: Print, file: string, sites: readonly Site[]): Promise<Map<string, number>> {
  const medians = new Map<string, number>();
  if (!has('tabix') || !has('bgzip')) {
    print('tabix or bgzip is not installed: no comparison');
    return medians;
  }
  await run('tabix', ['-f', '-p', 'vcf', file]);
  for (const [what, question] of Object.entries(questions)) {
    const times: number[] = [];
    for (const site of sites) {
      const begin = performance.now();
      const { stdout } = await run('tabix', [file, question(site).region], { maxBuffer: 1 << 28 });
      times.push(performance.now() - begin);
      if (what === 'point' && stdout === '') throw new Error('tabix does not find a site');
    }
    const [median, last] = percentiles(times);
    medians.set(what, median);
    print(`tabix, ${what.padEnd(17)} p50 ${median.toFixed(2)} ms, p99 ${last.toFixed(2)} ms`);
  }
  return medians;
}

function percentiles(times: number[]): [median: number, last: number] {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return [at(0.5), at(0.99)];
}
