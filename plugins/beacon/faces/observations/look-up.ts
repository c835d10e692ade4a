/** Looks up one allele in the datasets that a caller may observe. */
import type { Caller } from '../../../../core/plugin.js';
import { type Assembly, type Dataset, farthest, type Observation, type ObservedQuestion } from '../../contract.js';
import { observableBy } from '../../domain/access.js';
import type { BeaconServices } from '../../services.js';
import { type AlleleWords, assemblyOf, questionOf } from './words.js';

export type LookUpServices = Pick<BeaconServices, 'repository' | 'datasets' | 'policy'>;

export interface Found {
  observation: Observation;
  dataset: Dataset;
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
  { repository, datasets, policy }: LookUpServices,
  caller: Caller,
  asked: { assembly: string; datasets: readonly string[]; allele: AlleleWords },
  signal: AbortSignal,
): Promise<LookedUp> {
  const assembly = assemblyOf(asked.assembly);
  const question = questionOf(asked.allele, assembly);
  const open = await observableBy(policy, caller, await datasets.current(), assembly, asked.datasets);
  const ids = open.datasets.map(({ id }) => id);
  // All cases: those that are homozygous may be older than a page of carriers.
  const cases = open.withCases.size > 0 ? farthest : 0;
  const [observations = []] = await repository.observe(assembly, [question], ids, { cases, signal });
  const found = observations.flatMap((observation) => {
    const dataset = open.datasets.find(({ id }) => id === observation.dataset);
    return dataset ? [{ observation, dataset, withCases: open.withCases.has(dataset.id) }] : [];
  });
  return { assembly, question, found };
}
