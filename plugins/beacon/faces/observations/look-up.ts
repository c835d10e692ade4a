/** Looks up one allele in the datasets that a caller may observe. */
import { type Caller, Fault } from '../../../../core/plugin.js';
import type { Assembly, ObservedQuestion } from '../../contract.js';
import { thresholdOf } from '../../domain/counting.js';
import { type Counted, notObservable } from '../../observing/observing.js';
import type { BeaconServices } from '../../services.js';
import { type AlleleWords, assemblyOf, questionOf } from './words.js';

export interface LookedUp {
  assembly: Assembly;
  question: ObservedQuestion;
  /** One for each dataset, with details. */
  found: readonly Counted[];
}

/**
 * The assembly of a request; if it names none, that of the datasets that it names. Throws an `invalid` fault if these have several,
 * and an `unprocessable` one for a dataset that the caller may not observe.
 */
export async function assemblyAsked(
  { observing }: Pick<BeaconServices, 'observing'>,
  caller: Caller,
  { assembly = '', datasets }: { assembly?: string | undefined; datasets: readonly string[] },
): Promise<Assembly> {
  if (assembly !== '' || datasets.length === 0) return assemblyOf(assembly);
  const byId = new Map((await observing.all(caller)).map(({ dataset }) => [dataset.id, dataset]));
  const named = new Set<Assembly>();
  for (const id of datasets) {
    const dataset = byId.get(id);
    if (!dataset) throw notObservable(id);
    named.add(dataset.assembly);
  }
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  throw new Fault('invalid', `assembly is missing: the datasets are of ${[...named].sort().join(' and ')}`);
}

/** Throws an `invalid` or `unprocessable` fault if a word or a dataset is not valid. */
export async function lookUp(
  services: Pick<BeaconServices, 'observing'>,
  caller: Caller,
  asked: {
    assembly?: string | undefined;
    datasets: readonly string[];
    allele: AlleleWords;
    threshold?: string | undefined;
  },
  signal: AbortSignal,
): Promise<LookedUp> {
  const { observing } = services;
  const assembly = await assemblyAsked(services, caller, asked);
  const question = questionOf(asked.allele, assembly);
  const threshold = asked.threshold ? thresholdOf(asked.threshold) : undefined;
  const open = await observing.named(caller, assembly, asked.datasets);
  const [found = []] = await observing.count(open, assembly, [question], { threshold, detailed: true, signal });
  return { assembly, question, found };
}
