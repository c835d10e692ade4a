/**
 * Autosomes of which a sample has more than its assay: from the stored values of registered samples, so that no file is read. A
 * flag for review, which is not a result.
 */
import { type Build, type Chromosome, chromosomes } from '../contract.js';
import type { Region } from '../measure/region.js';
import { type Member, membersFor } from './members.js';
import { leastForPercentiles, normalisedDepth, quantile, robustZ, spreadOfValues } from './statistics.js';
import type { Cohorts } from './values.js';

/** A chromosome with three copies instead of two has 1.5 times the depth; a mosaic has less. */
export const [leastRatio, leastZ] = [1.35, 6];

export interface ChromosomeDose {
  chromosome: Chromosome;
  /** The sample's median normalised depth of the chromosome's exons, divided by the median of the others. */
  ratio: number;
  /** Robust z of the same; undefined if more than half of the others have one value. */
  z?: number;
  isFlagged: boolean;
}

export interface Doses {
  /** Samples that the doses are compared with. */
  others: number;
  /** Undefined with fewer than 20 others. */
  chromosomes?: readonly ChromosomeDose[];
}

/** `own`: the figure of the sample; `others`: those of the other samples. */
function doseOf(chromosome: Chromosome, own: number, others: Float64Array): ChromosomeDose | undefined {
  const spread = spreadOfValues(others);
  if (!(spread.median > 0)) return undefined;
  const ratio = own / spread.median;
  const z = robustZ(own, spread);
  const isFlagged = ratio >= leastRatio && z !== undefined && z > leastZ;
  return { chromosome, ratio, ...(z !== undefined && { z }), isFlagged };
}

export interface DoseQuestion {
  build: Build;
  /** Ids of registered samples whose files are those that were checked. */
  samples: readonly string[];
  members: readonly Member[];
  isPooled: boolean;
}

/** By id. Samples without an assay, and those without values, have none. */
export async function chromosomeDoses(
  cohorts: Cohorts,
  { build, samples, members, isPooled }: DoseQuestion,
  signal: AbortSignal,
): Promise<Map<string, Doses>> {
  const chosen = samples.flatMap((id) => {
    const own = members.find((member) => member.id === id);
    const theirs = own === undefined ? undefined : membersFor(own, members, isPooled);
    return theirs === undefined ? [] : [{ id, others: theirs.map((member) => member.id) }];
  });
  const ids = [...new Set(chosen.flatMap(({ id, others }) => [id, ...others]))];
  const figures = ids.length === 0 ? new Map<string, Figures>() : await figuresOfExons(cohorts, build, ids, signal);
  const found = new Map<string, Doses>();
  for (const { id, others } of chosen) {
    const own = figures.get(id);
    if (own === undefined) continue;
    const theirs = others.flatMap((other) => figures.get(other) ?? []);
    found.set(id, dosesOf(own, theirs));
  }
  return found;
}

/** For each autosome, a sample's median normalised depth; NaN if it is unknown. */
type Figures = Float64Array;

function dosesOf(own: Figures, others: readonly Figures[]): Doses {
  if (others.length < leastForPercentiles) return { others: others.length };
  const all = [...own].flatMap((value, i): ChromosomeDose[] => {
    const theirs = Float64Array.from(others, (figures) => figures[i] as number).filter(
      (figure) => !Number.isNaN(figure),
    );
    if (Number.isNaN(value) || theirs.length < leastForPercentiles) return [];
    const dose = doseOf(chromosomes[i] as Chromosome, value, theirs);
    return dose === undefined ? [] : [dose];
  });
  return { others: others.length, chromosomes: all };
}

/** Exons of each chromosome that are read: runs of neighbours, which are stored together, spread over it. */
const [runs, runLength] = [16, 16];

async function figuresOfExons(
  cohorts: Cohorts,
  build: Build,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Figures>> {
  const exons = await cohorts.exons(build, signal);
  const figures = new Map<string, Figures>();
  for (const [i, chromosome] of chromosomes.slice(0, 22).entries()) {
    const own = exons.filter((exon) => exon.chromosome === chromosome);
    const targets = sampleOf(own).map((region) => ({ regions: [region] }));
    const values = await cohorts.values({ build, targets, thresholds: [], samples: ids }, signal);
    const depths = values.samples.map((): number[] => []);
    for (const target of values.targets) {
      if (target === undefined || !isCaptured(target.means)) continue;
      for (const [s, mean] of target.means.entries()) {
        const depth = normalisedDepth(mean, values.medians[s] as number);
        if (depth !== undefined) depths[s]?.push(depth);
      }
    }
    for (const [s, id] of values.samples.entries()) {
      const known = figures.get(id) ?? new Float64Array(22).fill(Number.NaN);
      figures.set(id, known);
      known[i] = quantile(Float64Array.from(depths[s] ?? []), 0.5);
    }
  }
  return figures;
}

function sampleOf(exons: readonly Region[]): Region[] {
  const step = Math.max(runLength, exons.length / runs);
  const found: Region[] = [];
  for (let from = 0; from < exons.length; from += step) {
    const first = Math.floor(from);
    found.push(...exons.slice(first, Math.min(first + runLength, Math.floor(from + step))));
  }
  return found;
}

/** Whether at least half of the samples have depth there. */
function isCaptured(means: Float64Array): boolean {
  let count = 0;
  for (const mean of means) if (mean > 0) count += 1;
  return 2 * count >= means.length;
}
