/** The error for an entry that is not there. */
import { Fault } from '../../../../../core/plugin.js';

/** The same for an entry that does not exist and for one that the caller may not see. */
export function absent(type: string): Fault {
  return new Fault('not-found', `There is no such ${type}`);
}
