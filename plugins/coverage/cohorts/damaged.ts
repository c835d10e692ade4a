/** The fault of stored values that cannot be relied upon. */
import { Fault } from '../../../core/plugin.js';

export function damagedValues(): Fault {
  return new Fault(
    'unavailable',
    'Stored values of the cohort are damaged or missing: an operator has to run `trefoil coverage rebuild cohorts`',
  );
}
