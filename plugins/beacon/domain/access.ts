/** Who may hear of which dataset. */
import { Fault, type RequestHead } from '../../../core/plugin.js';
import type { Dataset } from '../contract.js';

/** True where answers about alleles may depend on the dataset. */
export type Rights = (dataset: Dataset) => boolean;

/** What everybody may ask. */
export const anonymousRights: Rights = (dataset) => dataset.access === 'PUBLIC';

/** From a request's credentials to the datasets that they open. */
export type RightsOf = (request: RequestHead) => Promise<Rights>;

/** No credential opens a protected dataset so far. */
export const rightsOf: RightsOf = async () => anonymousRights;

/** For a request that names protected datasets only. */
export function unauthenticated(): Fault {
  return new Fault('unauthenticated', 'The requested datasets are not public: an access token is required', {
    headers: { 'WWW-Authenticate': 'Bearer realm="beacon"' },
  });
}
