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
  { list, erasers, now }: EraseTools,
  erasures: readonly Erasure[],
  options: { except?: string } = {},
): Promise<ErasedAll> {
  const [receipt, at] = [randomUUID(), now()];
  await list.add(erasures.map((erasure) => ({ receipt, at, does: 'erase', erasure })));
  step('core.erase.listed');
  const found = await erasers.erase(erasures, options);
  step('core.erase.erased');
  return { receipt, at, found };
}
