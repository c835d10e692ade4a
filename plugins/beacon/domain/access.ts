/** Which datasets a caller may query and change. The decisions are the policy's; the errors are the beacon's. */
import { type Caller, Fault, type Policy, type Principal } from '../../../core/plugin.js';
import { type AccessType, type Assembly, accessTypes, type Dataset } from '../contract.js';
import { adminRight, casesRight, observeRight, readRight, writeRight } from '../rights.js';

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

/** The datasets that a request for observations covers, and those of them whose cases the caller may see. */
export interface Observable {
  datasets: readonly Dataset[];
  /** Ids of datasets. */
  withCases: ReadonlySet<string>;
}

/**
 * The datasets of the assembly that the caller may observe: those that are named, else all. Throws an `unprocessable` fault if
 * one of those named is of another assembly, does not exist, or may not be observed, which makes no difference.
 */
export async function observableBy(
  policy: Policy,
  caller: Caller,
  all: readonly Dataset[],
  assembly: Assembly,
  named: readonly string[],
): Promise<Observable> {
  const observed = await policy.among(caller, observeRight, all);
  for (const id of named) {
    const found = observed.find((dataset) => dataset.id === id);
    if (!found) throw new Fault('unprocessable', `There is no dataset "${id}" that this token may observe`);
    if (found.assembly !== assembly) {
      throw new Fault('unprocessable', `Dataset "${id}" uses ${found.assembly}, and the request ${assembly}`);
    }
  }
  const datasets = observed.filter(
    ({ id, ...one }) => one.assembly === assembly && (named.length === 0 || named.includes(id)),
  );
  const open = await policy.among(caller, casesRight, datasets);
  return { datasets, withCases: new Set(open.map(({ id }) => id)) };
}
