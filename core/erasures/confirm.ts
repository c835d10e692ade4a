/** Whether the list of erasures is all that is known of it: before anything is served, or erased. */
import { erasures } from './contract.js';
import { type ErasureList, placeless, unreliable } from './list.js';
import { endOf } from './read.js';

/** What entries of the audit about the list are about. */
export const listName = 'list:erasures';

interface Parts {
  list: ErasureList;
  /** The number of the last line of the list that the audit knows; 0 without an audit. */
  knownToAudit(): Promise<number>;
  /** Contracts with data that the configuration does not use. */
  unclaimed(): Promise<readonly string[]>;
}

/** Throws an `unavailable` fault if the key file, the storage or the audit knows more lines than the list has. */
export async function checkList({ list, knownToAudit, unclaimed }: Parts): Promise<void> {
  if (list.file === undefined) {
    if (!(await unclaimed()).includes(erasures.id)) return;
    throw placeless();
  }
  // First: the list may grow meanwhile.
  const known = await knownToAudit();
  const { problem, end } = await list.look();
  if (problem !== undefined) throw unreliable(list.file, problem);
  if (end.number >= known) return;
  throw unreliable(list.file, `${endOf(end)}, but the audit knows of ${known}`);
}

/** An event of the audit: a list of 0.2 was taken over. */
interface Takeover {
  action: 'erasures.takeover';
  about: string[];
  because: undefined;
  outcome: 'done';
  detail: { lines: number };
}

/**
 * The same; completes what killed processes began to add, and takes a list of 0.2 over, whose lines are not numbered: the audit
 * has that.
 */
export async function confirmList(
  parts: Parts & { now(): Date; record(event: Takeover): Promise<void> },
): Promise<void> {
  const { list, now, record } = parts;
  await checkList(parts);
  const { end, isPlain } = await list.look();
  if (!isPlain) return list.settle();
  // First the audit: a process that is killed in between does it again.
  const detail = { lines: end.number };
  await record({ action: 'erasures.takeover', about: [listName], because: undefined, outcome: 'done', detail });
  await list.accept(now(), 0);
}
