/**
 * Erases people in all plugins once they are on the list: one eraser after the other, again on a database that was restored
 * from an older backup, and with a receipt of what was erased.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Fault } from '../fault.js';
import { version } from '../package.js';
import { eachPlugin } from '../plugin-context.js';
import { step } from '../step.js';
import type { Erased, Eraser, Erasure, Revision } from './erasure.js';
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
export interface ErasureResult {
  /** Also of its lines on the list. */
  receipt: string;
  at: Date;
  found: readonly PluginErasure[];
}

/**
 * The list comes first: whatever is left if this fails, or is killed, is erased when the list is replayed. Throws an
 * `unavailable` fault if plugins fail; the others have erased then. `except` erases its own part itself. `further` are on the list
 * already: see `leftByEarlier`.
 */
export async function eraseListed(
  { list, erasers, now, confirm }: EraseTools,
  erasures: readonly Erasure[],
  { further = [], ...options }: { except?: string; further?: readonly Erasure[] } = {},
): Promise<ErasureResult> {
  await confirm();
  const [receipt, at] = [randomUUID(), now()];
  // What was stored earlier is recognized by its moment: only what a clock put after it needs a name.
  const stored = await erasers.revisions(erasures);
  const ahead = stored.flatMap((one) => (one.stored < at ? [] : [one.name]));
  const revisions = ahead.length === 0 ? {} : { revisions: [...new Set(ahead)] };
  await list.add(erasures.map((erasure, i) => ({ receipt, at, does: 'erase', erasure, ...(i === 0 && revisions) })));
  step('core.erase.listed');
  const found = await erasers.erase([...erasures, ...further], options);
  step('core.erase.erased');
  return { receipt, at, found };
}

// The erasers of the enabled plugins, in the order of the configuration.

/** What one plugin has, or had. */
export interface PluginErasure extends Erased {
  readonly plugin: string;
}

interface Erasers {
  /** Throws an `internal` fault after registration. */
  add(plugin: string, eraser: Eraser): void;
  /** Closes registration. */
  seal(): void;
  /** All ids of these samples, and of those of the cases, that any plugin knows; the given ones first. */
  samplesOf(of: { cases: readonly string[]; samples: readonly string[] }): Promise<string[]>;
  find(erasures: readonly Erasure[]): Promise<PluginErasure[]>;
  /** What is stored of the people, of all plugins. */
  revisions(erasures: readonly Erasure[]): Promise<Revision[]>;
  /**
   * Calls every plugin but `except`, which erases its own part itself. If some fail, the others still erase; then an
   * `unavailable` fault names those that failed.
   */
  erase(erasures: readonly Erasure[], options?: { except?: string }): Promise<PluginErasure[]>;
}

const what = 'the erasure of a person';

export function createErasers(): Erasers {
  const all: { plugin: string; eraser: Eraser }[] = [];
  let open = true;

  const reported = async (
    erasers: typeof all,
    call: (eraser: Eraser) => Promise<readonly Erased[]>,
  ): Promise<PluginErasure[]> => {
    if (open) throw new Fault('internal', `${what} is announced during registration; announce it when it happens`);
    const found: PluginErasure[] = [];
    await eachPlugin(erasers, what, async ({ plugin, eraser }) => {
      for (const one of await call(eraser)) if (one.count > 0) found.push({ plugin, ...one });
    });
    return found;
  };

  return {
    add(plugin, eraser) {
      if (!open) throw new Fault('internal', 'A plugin begins to listen while it registers, not later');
      if (typeof eraser?.find !== 'function' || typeof eraser.erase !== 'function') {
        throw new Fault('invalid', 'onErase takes an object with the functions find and erase');
      }
      all.push({ plugin, eraser });
    },
    seal() {
      open = false;
    },
    async samplesOf({ cases, samples }) {
      const known = new Set(samples);
      // An id that was found may be known to another plugin under yet another one.
      for (let asked = { cases, samples }; asked.cases.length + asked.samples.length > 0; ) {
        const more: string[] = [];
        await eachPlugin(all, what, async ({ eraser }) => {
          for (const id of (await eraser.related?.(asked)) ?? []) {
            if (known.has(id)) continue;
            known.add(id);
            more.push(id);
          }
        });
        asked = { cases: [], samples: more };
      }
      return [...known];
    },
    async revisions(erasures) {
      const found: Revision[] = [];
      await eachPlugin(all, what, async ({ eraser }) => {
        found.push(...((await eraser.revisions?.(erasures)) ?? []));
      });
      return found;
    },
    find: (erasures) => reported(all, (eraser) => eraser.find(erasures)),
    erase: (erasures, { except } = {}) =>
      reported(
        all.filter(({ plugin }) => plugin !== except),
        (eraser) => eraser.erase(erasures),
      ),
  };
}

// Repeats the erasures of the list on a database that was restored from an older backup.

interface ReplayResult {
  /** Erasures on the list that are not taken back. */
  listed: number;
  /** What was erased; empty if the database agrees with the list. */
  found: readonly PluginErasure[];
  /** What there is of the same people, and was stored after they were erased. */
  later: readonly PluginErasure[];
}

/**
 * Erases what is on the list. Data that was stored after an erasure stays, except that of people who object to sharing: it is
 * not shared, whenever it was stored. Throws an `unavailable` fault if the list cannot be read, or plugins fail.
 */
export async function replayErasures({ list, erasers }: Pick<EraseTools, 'list' | 'erasers'>): Promise<ReplayResult> {
  const erasures = await toReplay(list);
  const listed = erasures.length;
  if (listed === 0) return { listed, found: [], later: [] };
  const left = erasable(await erasers.find(erasures));
  let found: PluginErasure[] = [];
  if (left.length > 0) {
    step('core.replay.found');
    found = erasable(await erasers.erase(erasures));
    step('core.replay.erased');
  }
  const later = erasable(await erasers.find(erasures.map(({ before: _, revisions: __, ...erasure }) => erasure)));
  return { listed, found, later };
}

/**
 * What earlier erasures in this scope of these ids erased under further ids, by the list. If one was killed, what said that the ids
 * belong together may be gone, and what they name may be there. As in a replay, what was stored later stays.
 */
export async function leftByEarlier(
  list: EraseTools['list'],
  ids: readonly string[],
  scope: Erasure['scope'],
): Promise<Erasure[]> {
  const records = (await list.records()).filter(
    ({ does, erasure }) => does === 'erase' && erasure.holder === 'own' && erasure.scope === scope,
  );
  const asked = new Set(ids);
  const receipts = new Set(records.flatMap(({ receipt, erasure }) => (asked.has(erasure.id) ? receipt : [])));
  const known = new Set(records.flatMap(({ receipt, erasure }) => (receipts.has(receipt) ? erasure.id : [])));
  const all = await toReplay(list);
  return all.filter(({ id, holder, scope: own }) => {
    return holder === 'own' && own === scope && known.has(id) && !asked.has(id);
  });
}

function erasable(found: readonly PluginErasure[]): PluginErasure[] {
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

// The receipt of an erasure: what was erased, how much, when and by whom. It has no genotypes.

interface Receipt {
  receipt: string;
  at: string;
  /** The account of the operating system that ran the command. */
  by: string;
  version: string;
  scope: Erasure['scope'];
  /** The ids that were erased. */
  ids: { id: string; names: 'sample' | 'patient' | 'person' }[];
  erased: { plugin: string; what: string; count: number }[];
  stays: { plugin: string; what: string; count: number; why: string }[];
  /** Whether the files of the storage were rewritten without the erased data. */
  purged: boolean;
  /** The list of erasures that has it. */
  list: string;
  /** SHA-256 of the JSON of all members above, in this order, without blanks. */
  hash: string;
}

interface ReceiptSubject extends Pick<Receipt, 'by' | 'scope' | 'purged' | 'list'> {
  erasures: readonly Erasure[];
}

export function receiptOfErasure(
  { receipt, at, found }: ErasureResult,
  { by, erasures, scope, purged, list }: ReceiptSubject,
): Receipt {
  const content = {
    receipt,
    at: at.toISOString(),
    by,
    version,
    scope,
    ids: erasures.map(({ id, names }) => ({ id, names: names ?? ('person' as const) })),
    erased: found.flatMap(({ plugin, what, count, stays }) => (stays === undefined ? [{ plugin, what, count }] : [])),
    stays: found.flatMap(({ plugin, what, count, stays }) =>
      stays === undefined ? [] : [{ plugin, what, count, why: stays }],
    ),
    purged,
    list,
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return { ...content, hash: `sha256:${hash}` };
}
