/** Which datasets a caller may query and change. The decisions are the policy's; the errors are the beacon's. */
import { type Caller, Fault, type Policy, type Principal } from '../../../core/plugin.js';
import { type AccessType, accessTypes, type Dataset } from '../contract.js';
import { adminRight, readRight, writeRight } from '../rights.js';
import { quoted } from './quoted.js';

/** The datasets that the caller may query. */
export function openTo(policy: Policy, caller: Caller, datasets: readonly Dataset[]): Promise<Dataset[]> {
  return policy.among(caller, readRight, datasets);
}

/** For a request that names only datasets that the caller may not query. */
export function withoutRight(caller: Caller): Fault {
  if (caller.kind === 'anonymous') {
    return new Fault('unauthenticated', 'The requested datasets are not public: an access token is required', {
      headers: { 'WWW-Authenticate': 'Bearer realm="beacon"' },
    });
  }
  return new Fault('forbidden', 'The access token does not open the requested datasets', {
    headers: { 'WWW-Authenticate': 'Bearer realm="beacon", error="insufficient_scope"' },
  });
}

/**
 * Throws an `invalid` fault for datasets of `datasetIds` that are not among those the caller may know of, whether or not they
 * exist: without them the answer would be to another question.
 */
export function refuseUnknown(named: readonly string[], known: readonly { id: string }[]): void {
  const ids = new Set(known.map(({ id }) => id));
  const unknown = named.filter((id) => !ids.has(id));
  if (unknown.length === 0) return;
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  throw new Fault('invalid', `datasetIds: not known: ${unknown.slice(0, 5).map(quoted).join(', ')}${more}`);
}

/** Throws a `forbidden` fault unless the caller may change the dataset with this id, whether or not it exists. */
export async function mustWrite(policy: Policy, caller: Principal, id: string): Promise<void> {
  if (await policy.may(caller, writeRight, { id })) return;
  throw new Fault('forbidden', 'The API token does not allow changes to this dataset');
}

/** Throws a `forbidden` fault if the change lets more callers query a dataset and the caller may not decide that. */
export async function mustKeepClosed(
  policy: Policy,
  caller: Principal,
  before: AccessType,
  after: AccessType,
): Promise<void> {
  if (accessTypes.indexOf(after) >= accessTypes.indexOf(before)) return;
  if (await policy.may(caller, adminRight)) return;
  throw new Fault(
    'forbidden',
    `To open a ${before.toLowerCase()} dataset the API token needs the scope ${adminRight.scope}`,
  );
}
