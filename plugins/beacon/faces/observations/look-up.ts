/** Looks up one allele in the datasets that a caller may observe. */
import type { Caller } from '../../../../core/plugin.js';
import type { Judged } from '../../callability/judgement.js';
import { type Assembly, type Dataset, farthest, type Observation, type ObservedQuestion } from '../../contract.js';
import { observableBy } from '../../domain/access.js';
import { thresholdOf } from '../../domain/counting.js';
import type { BeaconServices } from '../../services.js';
import { type AlleleWords, assemblyOf, questionOf } from './words.js';

export type LookUpServices = Pick<BeaconServices, 'repository' | 'datasets' | 'policy' | 'denominators'>;

export interface Found {
  observation: Observation;
  dataset: Dataset;
  denominator: Judged;
  withCases: boolean;
}

export interface LookedUp {
  assembly: Assembly;
  question: ObservedQuestion;
  /** One for each dataset, with details. */
  found: readonly Found[];
}

/** Throws an `invalid` or `unprocessable` fault if a word or a dataset is not valid. */
export async function lookUp(
  { repository, datasets, policy, denominators }: LookUpServices,
  caller: Caller,
  asked: { assembly: string; datasets: readonly string[]; allele: AlleleWords; threshold?: string | undefined },
  signal: AbortSignal,
): Promise<LookedUp> {
  const assembly = assemblyOf(asked.assembly);
  const question = questionOf(asked.allele, assembly);
  const threshold = asked.threshold ? thresholdOf(asked.threshold) : undefined;
  const open = await observableBy(policy, caller, await datasets.current(), assembly, asked.datasets);
  const ids = open.datasets.map(({ id }) => id);
  // All cases: those that are homozygous may be older than a page of carriers.
  const cases = open.withCases.size > 0 ? farthest : 0;
  const [observations = []] = await repository.observe(assembly, [question], ids, { cases, signal });
  const found: Found[] = [];
  for (const observation of observations) {
    const dataset = open.datasets.find(({ id }) => id === observation.dataset);
    if (!dataset) continue;
    const [denominator] = await (await denominators(dataset, threshold)).of([question], [observation], signal);
    if (denominator) found.push({ observation, dataset, denominator, withCases: open.withCases.has(dataset.id) });
  }
  return { assembly, question, found };
}
