/** Out of how many samples a queried allele was seen, in the responses of datasets. */
import type { Caller } from '../../../../core/plugin.js';
import type { Judged } from '../../callability/judgement.js';
import type { AlleleQuery, Dataset, Observation } from '../../contract.js';
import { frequencyOf, upperBoundOf } from '../../domain/denominator.js';
import { denominatorWords, depthLimits } from '../../domain/denominator-words.js';
import { heldReadRight } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import type { datasetAnswer } from './answers.js';
import { questionIn } from './observed.js';

export type DenominatorServices = Pick<BeaconServices, 'repository' | 'policy' | 'denominators'>;

type Response = ReturnType<typeof datasetAnswer>;

/**
 * Adds them to the responses of datasets that the caller holds the right to read, public ones included: what every caller may
 * query does not tell every caller whom it covers. Responses stay as they are if the query is for more than one allele.
 */
export async function withDenominators(
  { repository, policy, denominators }: DenominatorServices,
  caller: Caller,
  { query, responses, datasets }: { query: AlleleQuery; responses: readonly Response[]; datasets: readonly Dataset[] },
  signal: AbortSignal,
): Promise<readonly Response[]> {
  const question = responses.length > 0 ? questionIn(query) : undefined;
  if (!question) return responses;
  const named = new Set(responses.map(({ datasetId }) => datasetId));
  const asked = datasets.filter(({ id, assembly }) => named.has(id) && assembly === query.assembly);
  const held = await policy.among(caller, heldReadRight, asked);
  if (held.length === 0) return responses;
  const ids = held.map(({ id }) => id);
  const [observations = []] = await repository.observe(query.assembly, [question], ids, { signal });
  const lists = new Map<string, KeyValue[]>();
  for (const observation of observations) {
    const dataset = held.find(({ id }) => id === observation.dataset) as Dataset;
    const [judged] = await (await denominators(dataset)).of([question], [observation], signal);
    if (judged) lists.set(dataset.id, listOf(judged, observation));
  }
  return responses.map((response) => {
    const denominator = lists.get(response.datasetId);
    return denominator ? { ...response, info: { ...response.info, denominator } } : response;
  });
}

interface KeyValue {
  key: string;
  value: string;
}

/** Without homozygotes, which the right to query does not include. */
function listOf(judged: Judged, { carriers }: Pick<Observation, 'carriers'>): KeyValue[] {
  const { threshold, total, covered, notCovered, unknown, unknownSex, alleles } = judged;
  const numbers = {
    threshold,
    total,
    covered,
    notCovered,
    unknown,
    unknownSex,
    carriers: alleles?.carriers,
    alleleCount: alleles?.alleleCount,
    alleleNumber: alleles?.alleleNumber,
    carriersBelowThreshold: alleles?.carriersBelowThreshold,
    carriersUnknown: alleles?.carriersUnknown,
    frequency: frequencyOf(judged),
    upperBound: upperBoundOf(judged, carriers),
  };
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return [
    { key: 'method', value: 'depth' },
    ...given.map(([key, value]) => ({ key, value: String(value) })),
    { key: 'words', value: denominatorWords(judged, carriers) },
    { key: 'limits', value: depthLimits },
  ];
}
