/** Which records are read, by their FILTER column (VCF 4.3 §1.6.1). */
import { Fault } from '../../../core/plugin.js';

/** Returns whether the value of a FILTER column is accepted. */
export type Filter = (column: string) => boolean;

/**
 * The policy of a list of names: `all` accepts any record (undefined). Otherwise a record is accepted if every value of its
 * FILTER is in the list: `PASS` (in any case) for records that passed all filters, `.` for records without filters applied,
 * `LowQual` for records that failed only that one. Throws an `invalid` fault for `all` with other names.
 */
export function filterOf(names: readonly string[]): Filter | undefined {
  const accepted = new Set(names.map((name) => (/^pass$/i.test(name) ? 'PASS' : name)));
  const all = names.some((name) => /^all$/i.test(name));
  if (all && accepted.size > 1)
    throw new Fault('invalid', 'The FILTER policy must be all, or a list of names without all');
  if (all) return undefined;
  return (column) => accepted.has(column) || column.split(';').every((name) => accepted.has(name));
}
