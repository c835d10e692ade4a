/** A dataset of many samples that share alleles, spread over the autosomes as far as these reach. */
import { lengthOf } from '../../../core/genome.js';
import {
  type BeaconRepository,
  type CalledAllele,
  type Carrier,
  type Contig,
  contigs,
} from '../../../plugins/beacon/contract.js';

const assembly = 'GRCh38';
const autosomes = contigs.slice(0, 22);
const genome = autosomes.reduce((sum, contig) => sum + lengthOf(assembly, contig), 0);
const batchSize = 5000;

export interface Cohort {
  alleles: number;
  samples: number;
  /** Samples in each load. */
  per: number;
}

export interface Place {
  contig: Contig;
  /** Zero-based. */
  start: number;
}

/** The place of an allele among so many. */
export function placeOf(number: number, alleles: number): Place {
  let start = Math.floor(((number + 0.5) / alleles) * genome);
  for (const contig of autosomes) {
    const length = lengthOf(assembly, contig);
    if (start < length) return { contig, start };
    start -= length;
  }
  throw new RangeError(`There are ${alleles} alleles, without one of the number ${number}`);
}

/** At least 0, below 1; the same for the same number. */
export function mixed(number: number): number {
  let h = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f);
  h ^= h >>> 13;
  return (h >>> 0) / 2 ** 32;
}

/** How many samples carry an allele. Most alleles are rare: of 1,000 samples 1 to 500 carry one, 26 in the mean. */
export function carriersIn(number: number, { samples }: Pick<Cohort, 'samples'>): number {
  return Math.max(1, Math.round((mixed(number) ** 19 / 2) * samples));
}

function* carriersOf(number: number, { samples, per }: Cohort, load: number): Generator<Carrier> {
  const count = carriersIn(number, { samples });
  const first = Math.floor(mixed(number + 0.5) * samples);
  for (let i = 0; i < count; i++) {
    const sample = (first + i * 7) % samples;
    if (Math.floor(sample / per) === load) yield [sample % per, i % 4 === 3 ? 2 : 1];
  }
}

/** Loads the cohort into a new public dataset. `samples` must not be a multiple of 7. */
export async function loadCohort(repository: BeaconRepository, id: string, cohort: Cohort): Promise<void> {
  const now = new Date();
  await repository.addDataset({ id, name: id, assembly, access: 'PUBLIC', version: 1 }, now);
  for (let load = 0; load * cohort.per < cohort.samples; load++) {
    const from = load * cohort.per;
    const samples = Array.from({ length: Math.min(cohort.per, cohort.samples - from) }, (_, i) => `case-${from + i}`);
    await repository.importAlleles({ dataset: id, samples, alleles: batches(cohort, load) }, now);
  }
}

async function* batches(cohort: Cohort, load: number): AsyncGenerator<CalledAllele[]> {
  let batch: CalledAllele[] = [];
  for (let number = 0; number < cohort.alleles; number++) {
    const carriers = [...carriersOf(number, cohort, load)];
    if (carriers.length === 0) continue;
    const { contig, start } = placeOf(number, cohort.alleles);
    const bases = { reference: 'A', alternate: 'C', kind: 'SNP', structural: false };
    batch.push({ contig, start, end: start + 1, ...bases, carriers });
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
