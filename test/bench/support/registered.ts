/** Registered samples of made-up coverage. */
import {
  type Build,
  type CheckOutcome,
  type Chromosome,
  chromosomes,
  type RunBlock,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { sizeIn } from '../../../plugins/coverage/d4/index.js';
import { RunWriter } from '../../../plugins/coverage/samples/covered-runs.js';
import { random } from './vcf.js';

/**
 * `scattered`: covered runs and gaps of random lengths, six parts of seven covered, as bad as it gets. `dense`: as a genome at
 * 30x, uncovered in 5 % together with all others, and in 0.4 % alone.
 */
export const shapes = ['scattered', 'dense'] as const;
export type Shape = (typeof shapes)[number];

export interface GenomeOptions {
  build: Build;
  shape: Shape;
  /** The chromosomes with depth. */
  used: readonly Chromosome[];
  /** Covered runs of a whole scattered genome. */
  runs: number;
}

interface Stretch {
  /** Bases, and whether they are covered. */
  length: number;
  depthClass: 0 | 1;
}

/** A genome, the same for the same seed. */
export function genome({ build, shape, used, runs }: GenomeOptions, seed: number): RunBlock[] {
  const sizeOf = (chromosome: Chromosome) => sizeIn(build, chromosome) ?? 0;
  const next = random(seed);
  const mean = chromosomes.reduce((sum, one) => sum + sizeOf(one), 0) / runs;
  return chromosomes.flatMap((chromosome) => {
    const writer = new RunWriter(chromosome, 1);
    const size = sizeOf(chromosome);
    let at = 0;
    if (used.includes(chromosome)) {
      for (const { length, depthClass } of shape === 'dense' ? dense(next, size) : scattered(next, mean)) {
        const within = Math.min(size - at, length);
        writer.add(within, depthClass);
        at += within;
        if (at >= size) break;
      }
    }
    writer.add(size - at, 0);
    return writer.blocks();
  });
}

function drawn(next: () => number, mean: number): number {
  return 1 + Math.floor(-Math.log(1 - next()) * mean);
}

/** Without end. */
function* scattered(next: () => number, mean: number): Generator<Stretch> {
  for (;;) {
    yield { length: drawn(next, mean / 7), depthClass: 0 };
    yield { length: drawn(next, (6 * mean) / 7), depthClass: 1 };
  }
}

/** Of a chromosome of this size, and perhaps more. */
function* dense(next: () => number, size: number): Generator<Stretch> {
  const gaps: [start: number, end: number][] = [];
  const common = random(99);
  for (let at = drawn(common, 20_000); at < size; at += drawn(common, 20_000)) {
    const end = at + drawn(common, 1000);
    gaps.push([at + Math.floor((next() - 0.5) * 60), end + Math.floor((next() - 0.5) * 60)]);
    at = end;
  }
  for (let at = drawn(next, 13_300); at < size; at += drawn(next, 13_300)) gaps.push([at, at + drawn(next, 55)]);
  let at = 0;
  for (const [start, end] of gaps.sort(([one], [other]) => one - other)) {
    if (start > at) yield { length: start - at, depthClass: 1 };
    if (end > Math.max(start, at)) yield { length: end - Math.max(start, at), depthClass: 0 };
    at = Math.max(at, end);
  }
  yield { length: Math.max(0, size - at), depthClass: 1 };
}

/** Registers samples, checked, each with its genome, with the threshold of 10 reads. */
export async function register(
  samples: SampleRepository,
  ids: readonly string[],
  genomeOf: (i: number) => RunBlock[],
  build: Build,
): Promise<void> {
  await samples.register(
    ids.map((id) => ({ id, build, sex: 'unknown', file: { path: `${id}.d4` }, labels: {} })),
    new Date(),
  );
  for (const [i, { id, revision }] of (await samples.find(ids)).entries()) {
    const runs = genomeOf(i);
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
