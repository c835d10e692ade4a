/** The scopes of API tokens that may change data. */
import { Fault, grants, type Principal } from '../../../core/plugin.js';
import { type AccessType, accessTypes } from '../contract.js';

/** For every dataset; `beacon:write:<id>` for one. */
export const writeScope = 'beacon:write';

/** Beside the right to write: to let more people ask a dataset. */
export const adminScope = 'beacon:admin';

/** Throws a `forbidden` fault unless the token may change this dataset, whether or not there is one of this id. */
export function mustWrite(principal: Principal, dataset: string): void {
  if (grants(principal.scopes, `${writeScope}:${dataset}`)) return;
  throw new Fault('forbidden', 'The API token does not allow to change this dataset');
}

/** Throws a `forbidden` fault if the change lets more people ask the dataset, and the token may not decide that. */
export function mustKeepClosed(principal: Principal, before: AccessType, after: AccessType): void {
  if (accessTypes.indexOf(after) >= accessTypes.indexOf(before)) return;
  if (grants(principal.scopes, adminScope)) return;
  throw new Fault('forbidden', `To open a ${before.toLowerCase()} dataset the API token needs the scope ${adminScope}`);
}
