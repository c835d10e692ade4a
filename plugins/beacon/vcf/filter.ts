/** Which records are read, by their FILTER column (VCF 4.3 §1.6.1). */
import { Fault } from '../../../core/plugin.js';

/** True for a FILTER column that is accepted. */
export type Filter = (column: string) => boolean;

/**
 * The policy that a list of names means: `all` accepts any record (undefined). Otherwise a record is accepted where
 * everything in its FILTER is in the list: `PASS` (in any case) those that passed all filters, `.` those that no filter
 * was applied to, `LowQual` those that failed nothing else. Throws an `invalid` fault for `all` beside other names.
 */
export function filterOf(names: readonly string[]): Filter | undefined {
  const accepted = new Set(names.map((name) => (/^pass$/i.test(name) ? 'PASS' : name)));
  const all = names.some((name) => /^all$/i.test(name));
  if (all && accepted.size > 1) throw new Fault('invalid', 'A FILTER policy is all, or a list of names without all');
  if (all) return undefined;
  return (column) => accepted.has(column) || column.split(';').every((name) => accepted.has(name));
}
