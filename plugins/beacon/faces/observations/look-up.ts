/** Looks up one allele in the datasets that a caller may observe. */
import type { Caller } from '../../../../core/plugin.js';
import type { Assembly, ObservedQuestion } from '../../contract.js';
import { thresholdOf } from '../../domain/counting.js';
import type { Counted } from '../../observing/observing.js';
import type { BeaconServices } from '../../services.js';
import { type AlleleWords, assemblyOf, questionOf } from './words.js';

export interface LookedUp {
  assembly: Assembly;
  question: ObservedQuestion;
  /** One for each dataset, with details. */
  found: readonly Counted[];
}

/** Throws an `invalid` or `unprocessable` fault if a word or a dataset is not valid. */
export async function lookUp(
  { observing }: Pick<BeaconServices, 'observing'>,
  caller: Caller,
  asked: { assembly: string; datasets: readonly string[]; allele: AlleleWords; threshold?: string | undefined },
  signal: AbortSignal,
): Promise<LookedUp> {
  const assembly = assemblyOf(asked.assembly);
  const question = questionOf(asked.allele, assembly);
  const threshold = asked.threshold ? thresholdOf(asked.threshold) : undefined;
  const open = await observing.named(caller, assembly, asked.datasets);
  const [found = []] = await observing.count(open, assembly, [question], { threshold, detailed: true, signal });
  return { assembly, question, found };
}
