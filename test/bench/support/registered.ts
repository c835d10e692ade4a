/** Registered samples of made-up coverage. */
import {
  type Build,
  type CheckOutcome,
  type Chromosome,
  chromosomes,
  type RunBlock,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { sizeIn } from '../../../plugins/coverage/d4/verify/contigs.js';
import { RunWriter } from '../../../plugins/coverage/registry/covered-runs.js';
import { random } from './vcf.js';

/** Covered runs and gaps of random lengths, six parts of seven covered. */
function genome(build: Build, seed: number, runs: number, used: readonly Chromosome[]): RunBlock[] {
  const sizeOf = (chromosome: Chromosome) => sizeIn(build, chromosome) ?? 0;
  const next = random(seed);
  const mean = chromosomes.reduce((sum, one) => sum + sizeOf(one), 0) / runs;
  return chromosomes.flatMap((chromosome) => {
    const writer = new RunWriter(chromosome, 1);
    const size = sizeOf(chromosome);
    let at = 0;
    while (at < size && used.includes(chromosome)) {
      for (const [share, depthClass] of [
        [1 / 7, 0],
        [6 / 7, 1],
      ] as const) {
        const length = Math.min(size - at, 1 + Math.floor(-Math.log(1 - next()) * mean * share));
        writer.add(length, depthClass);
        at += length;
      }
    }
    writer.add(size - at, 0);
    return writer.blocks();
  });
}

/** Eight genomes with so many covered runs each, on some chromosomes. */
export function genomes(build: Build, runs: number, used: readonly Chromosome[]): RunBlock[][] {
  return Array.from({ length: 8 }, (_, i) => genome(build, i + 1, runs, used));
}

/** Registers samples, checked, that have these genomes in turn, with the threshold of 10 reads. */
export async function register(
  samples: SampleRepository,
  ids: readonly string[],
  made: readonly RunBlock[][],
  build: Build,
): Promise<void> {
  await samples.register(
    ids.map((id) => ({ id, build, sex: 'unknown', file: { path: `${id}.d4` }, labels: {} })),
    new Date(),
  );
  for (const [i, { id, revision }] of (await samples.find(ids)).entries()) {
    const runs = made[i % made.length] as RunBlock[];
    const check = {
      at: new Date(),
      fingerprint: '0',
      build,
      sex: 'unknown',
      depths: { x: 0, y: 0, autosomes: 30 },
      warnings: [],
      thresholds: [10],
      covered: [0],
      bytes: 0,
    } as const;
    await samples.record(id, revision, { state: 'ready', check, runs } satisfies CheckOutcome);
  }
}
