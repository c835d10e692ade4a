/** Whether the list of erasures is all that is known of it: before anything is served, or erased. */
import type { AuditEvent } from '../audit/audit.js';
import { contentOf } from '../audit/chain.js';
import type { AuditRepository } from '../audit/contract.js';
import { Fault } from '../fault.js';
import { erasures } from './contract.js';
import { type ErasureList, unreliable } from './list.js';
import { endOf } from './read.js';

/** What entries of the audit about the list are about. */
export const listName = 'list:erasures';

interface Parts {
  list: ErasureList;
  /** The entries of the audit, if it is configured. */
  entries: Pick<AuditRepository, 'entries'> | undefined;
  /** Contracts with data that the configuration does not use. */
  unclaimed(): Promise<readonly string[]>;
}

/** Throws an `unavailable` fault if the key file, the storage or the audit knows more lines than the list has. */
export async function checkList({ list, entries, unclaimed }: Parts): Promise<void> {
  if (list.file === undefined) {
    if (!(await unclaimed()).includes(erasures.id)) return;
    throw new Fault('unavailable', 'There were erasures, but no place of their list is configured: set erasures.file');
  }
  // First: the list may grow meanwhile.
  const known = entries === undefined ? 0 : await knownToAudit(entries);
  const { problem, end } = await list.look();
  if (problem !== undefined) throw unreliable(list.file, problem);
  if (end.number >= known) return;
  throw unreliable(list.file, `${endOf(end)}, but the audit knows of ${known}`);
}

/**
 * The same; completes what killed processes began to add, and takes a list of 0.2 over, whose lines are not numbered: the audit
 * has that.
 */
export async function confirmList(
  parts: Parts & { now(): Date; record(event: AuditEvent): Promise<void> },
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

/** The number of the last line of the list that an entry of the audit names. */
export async function knownToAudit(repository: Pick<AuditRepository, 'entries'>): Promise<number> {
  let known = 0;
  for (let after: Parameters<AuditRepository['entries']>[0]['after']; ; ) {
    const page = await repository.entries({ about: [listName], after, limit: pageSize });
    for (const { body } of page) known = Math.max(known, Number(contentOf(body)?.detail?.line ?? 0));
    after = page.at(-1);
    if (page.length < pageSize) return known;
  }
}

const pageSize = 500;
