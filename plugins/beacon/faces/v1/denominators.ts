/** Out of how many samples a queried allele was seen, in the responses of datasets. */
import type { Caller } from '../../../../core/plugin.js';
import { type CountedOutOf, denominatorsOf, denominatorValues } from '../../callability/of-query.js';
import type { AlleleQuery, Dataset } from '../../contract.js';
import { heldReadRight } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import type { datasetAnswer } from './answers.js';

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
  const named = new Set(responses.map(({ datasetId }) => datasetId));
  const held = await policy.among(
    caller,
    heldReadRight,
    datasets.filter(({ id }) => named.has(id)),
  );
  const counted = await denominatorsOf({ repository, denominators }, query, held, signal);
  return responses.map((response) => {
    const found = counted.get(response.datasetId);
    return found ? { ...response, info: { ...response.info, denominator: listOf(found) } } : response;
  });
}

interface KeyValue {
  key: string;
  value: string;
}

function listOf(counted: CountedOutOf): KeyValue[] {
  return Object.entries(denominatorValues(counted)).map(([key, value]) => ({ key, value: String(value) }));
}
