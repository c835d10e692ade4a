/** Erases people in all plugins, once they are on the list. */
import { randomUUID } from 'node:crypto';
import { step } from '../step.js';
import type { Erasers, PluginErased } from './erasers.js';
import type { Erasure } from './erasure.js';
import type { ErasureList } from './list.js';

export interface EraseTools {
  list: ErasureList;
  erasers: Erasers;
  now(): Date;
  /** See `confirmList`. Before anything is erased, added to the list or served. */
  confirm(): Promise<void>;
  /** The number of the last line of the list that the audit knows; 0 without an audit. */
  knownToAudit(): Promise<number>;
}

/** What was asked, and what was done. */
export interface ErasedAll {
  /** Also of its lines on the list. */
  receipt: string;
  at: Date;
  found: readonly PluginErased[];
}

/**
 * The list comes first: whatever is left if this fails, or is killed, is erased when the list is replayed. Throws an
 * `unavailable` fault if plugins fail; the others have erased then. `except` erases its own part itself.
 */
export async function eraseListed(
  { list, erasers, now, confirm }: EraseTools,
  erasures: readonly Erasure[],
  options: { except?: string } = {},
): Promise<ErasedAll> {
  await confirm();
  const [receipt, at] = [randomUUID(), now()];
  // What was stored earlier, the moment tells: only what a clock put after it needs a name.
  const stored = await erasers.revisions(erasures);
  const ahead = stored.flatMap((one) => (one.stored < at ? [] : [one.name]));
  const revisions = ahead.length === 0 ? {} : { revisions: [...new Set(ahead)] };
  await list.add(erasures.map((erasure, i) => ({ receipt, at, does: 'erase', erasure, ...(i === 0 && revisions) })));
  step('core.erase.listed');
  const found = await erasers.erase(erasures, options);
  step('core.erase.erased');
  return { receipt, at, found };
}
