/** How much an answer tells, if its datasets allow different amounts. */
import { type Granularity, least, most } from '../../../disclosure.js';

/** A queried dataset: what may be told of it for this request, and how many matches it has. */
export interface Queried {
  id: string;
  level: Granularity;
  count: number;
}

/**
 * The granularity of an answer. Clients of version 2.2 and later accept result sets that tell less than others: they get the most
 * that any dataset with a match allows. For others every result set tells the same: the least that one of these allows.
 */
export function answerLevel(requested: Granularity, queried: readonly Queried[], perDataset: boolean): Granularity {
  const hits = queried.filter(({ count }) => count > 0).map(({ level }) => level);
  const [first, ...more] = hits;
  if (first !== undefined) return perDataset ? most(first, ...more) : least(first, ...more);
  const [one, ...others] = queried.map(({ level }) => level);
  return one === undefined ? requested : most(one, ...others);
}

/** Whether a client of that version accepts result sets without counts or records: from 2.2 on. */
export function takesPartialSets(apiVersion: string): boolean {
  const [, major = '0', minor = '0'] = /^v?(\d{1,4})\.(\d{1,4})/.exec(apiVersion) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 2);
}
