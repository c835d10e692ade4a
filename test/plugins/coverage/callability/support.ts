/** Registered samples with depths that a test states, without coverage files. */
import {
  type Build,
  type CheckOutcome,
  type Chromosome,
  chromosomes,
  type SampleRepository,
} from '../../../../plugins/coverage/contract.js';
import { sizeIn } from '../../../../plugins/coverage/d4/index.js';
import { RunWriter } from '../../../../plugins/coverage/samples/covered-runs.js';

/** Depths of bases [start, start + depths.length); all other bases have 0. */
export interface Stretch {
  chromosome: Chromosome;
  start: number;
  depths: readonly number[];
}

export interface Person {
  id: string;
  build?: Build;
  /** By chromosome in order, then by start, without overlap. */
  stretches: readonly Stretch[];
  thresholds?: readonly number[];
  sex?: 'female' | 'male' | 'unknown';
  predicted?: 'female' | 'male' | 'unknown';
}

/** A successful check with these depths. */
export function checkOf({
  build = 'GRCh38',
  stretches,
  thresholds = [10],
  predicted = 'unknown',
}: Person): CheckOutcome {
  const runs = chromosomes.flatMap((chromosome) => {
    const writer = new RunWriter(chromosome, thresholds.length);
    let at = 0;
    for (const { start, depths } of stretches.filter((one) => one.chromosome === chromosome)) {
      writer.add(start - at, 0);
      for (const depth of depths) writer.add(1, thresholds.filter((threshold) => depth >= threshold).length);
      at = start + depths.length;
    }
    writer.add((sizeIn(build, chromosome) ?? 0) - at, 0);
    return writer.blocks();
  });
  const check = {
    at: new Date(0),
    fingerprint: '0123456789abcdef',
    build,
    sex: predicted,
    depths: { x: 1, y: 1, autosomes: 1 },
    warnings: [],
    thresholds,
    covered: thresholds.map(() => 0),
    bytes: 0,
  };
  return { state: 'ready', check, runs };
}

/** Registers people, or registers them again, and records their checks. */
export async function store(samples: SampleRepository, people: readonly Person[]): Promise<void> {
  await samples.register(
    people.map(({ id, build = 'GRCh38', sex = 'unknown' }) => ({
      id,
      build,
      sex,
      file: { path: `gone/${id}.d4` },
      labels: {},
    })),
    new Date(0),
  );
  for (const person of people) {
    const [sample] = await samples.find([person.id]);
    await samples.record(person.id, sample?.revision ?? '', checkOf(person));
  }
}

/** The depth of a base as stated. */
export function depthAt({ stretches }: Person, chromosome: Chromosome, base: number): number {
  for (const { chromosome: own, start, depths } of stretches) {
    if (own === chromosome && base >= start && base < start + depths.length) return depths[base - start] as number;
  }
  return 0;
}
