/** Repeats the erasures of the list on a database that was restored from an older backup. */
import { step } from '../step.js';
import type { EraseTools } from './erase.js';
import type { PluginErased } from './erasers.js';
import type { Erasure } from './erasure.js';

export interface Replayed {
  /** Erasures on the list that are not taken back. */
  listed: number;
  /** What was erased; empty if the database agrees with the list. */
  found: readonly PluginErased[];
  /** What there is of the same people, and was stored after they were erased. */
  later: readonly PluginErased[];
}

/**
 * Erases what is on the list. Data that was stored after an erasure stays, except that of people who object to sharing: it is
 * not shared, whenever it was stored. Throws an `unavailable` fault if the list cannot be read, or plugins fail.
 */
export async function replayErasures({ list, erasers }: Pick<EraseTools, 'list' | 'erasers'>): Promise<Replayed> {
  const erasures = await toReplay(list);
  const listed = erasures.length;
  if (listed === 0) return { listed, found: [], later: [] };
  const left = erasable(await erasers.find(erasures));
  let found: PluginErased[] = [];
  if (left.length > 0) {
    step('core.replay.found');
    found = erasable(await erasers.erase(erasures));
    step('core.replay.erased');
  }
  const later = erasable(await erasers.find(erasures.map(({ before: _, revisions: __, ...erasure }) => erasure)));
  return { listed, found, later };
}

function erasable(found: readonly PluginErased[]): PluginErased[] {
  return found.filter(({ stays }) => stays === undefined);
}

/** The erasure of each id that reaches furthest, by whatever clock, and each objection that stands. */
async function toReplay(list: EraseTools['list']): Promise<Erasure[]> {
  const last = new Map<string, Erasure>();
  const records = await list.records();
  const revisions = new Set(records.flatMap((one) => one.revisions ?? []));
  for (const { at, does, erasure } of records) {
    const { id, names, holder, scope } = erasure;
    const key = JSON.stringify([id, names ?? null, holder, scope]);
    const earlier = last.get(key)?.before;
    const before = earlier !== undefined && earlier > at ? earlier : at;
    if (does === 'erase') last.set(key, scope === 'all' ? { ...erasure, before, revisions } : erasure);
  }
  const objecting = { sample: await list.objecting('sample'), patient: await list.objecting('patient') };
  return [...last.values()].flatMap((erasure): Erasure[] => {
    if (erasure.scope === 'all') return [erasure];
    const { names: _, ...rest } = erasure;
    const kinds = erasure.names === undefined ? (['sample', 'patient'] as const) : [erasure.names];
    return kinds.filter((names) => objecting[names].has(erasure.id.trim())).map((names) => ({ ...rest, names }));
  });
}
