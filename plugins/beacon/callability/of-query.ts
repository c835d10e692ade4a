/** Out of how many samples of each dataset a queried allele was seen. */
import type { AlleleQuery, BeaconRepository, Dataset, Observation } from '../contract.js';
import { frequencyOf, upperBoundOf } from '../domain/denominator.js';
import { denominatorWords, depthLimits } from '../domain/denominator-words.js';
import { questionIn } from '../query/observed-question.js';
import type { BeaconServices } from '../services.js';
import type { Judged } from './judged.js';

export interface CountedOutOf {
  judged: Judged;
  observation: Pick<Observation, 'carriers'>;
}

/** By dataset, for those of the query's assembly; empty if the query is for more than one allele. */
export async function denominatorsOf(
  {
    repository,
    denominators,
  }: Pick<BeaconServices, 'denominators'> & { repository: Pick<BeaconRepository, 'observe'> },
  query: AlleleQuery,
  datasets: readonly Dataset[],
  signal: AbortSignal,
): Promise<Map<string, CountedOutOf>> {
  const counted = new Map<string, CountedOutOf>();
  const asked = new Map(
    datasets.filter(({ assembly }) => assembly === query.assembly).map((dataset) => [dataset.id, dataset]),
  );
  const question = asked.size > 0 ? questionIn(query) : undefined;
  if (!question) return counted;
  const [observations = []] = await repository.observe(query.assembly, [question], [...asked.keys()], { signal });
  for (const observation of observations) {
    const dataset = asked.get(observation.dataset) as Dataset;
    const [judged] = await (await denominators(dataset)).of([question], [observation], signal);
    if (judged) counted.set(dataset.id, { judged, observation });
  }
  return counted;
}

/** What is told of a denominator, by name. Without homozygotes, which the right to query does not include. */
export function denominatorValues({ judged, observation }: CountedOutOf): Record<string, string | number> {
  const { carriers } = observation;
  const { threshold, total, covered, notCovered, unknown, unknownSex, notCalled, alleles } = judged;
  const numbers = {
    threshold,
    total,
    covered,
    notCovered,
    unknown,
    unknownSex,
    notCalled,
    carriers: alleles?.carriers,
    alleleCount: alleles?.alleleCount,
    alleleNumber: alleles?.alleleNumber,
    carriersBelowThreshold: alleles?.carriersBelowThreshold,
    carriersUnknown: alleles?.carriersUnknown,
    frequency: frequencyOf(judged),
    upperBound: upperBoundOf(judged, carriers),
  };
  const given = Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return {
    method: 'depth',
    ...Object.fromEntries(given),
    words: denominatorWords(judged, carriers),
    limits: depthLimits,
  };
}
