/** The resources that a process uses, and their exchange when the stored ones change. */
import type { StorageLog } from '../../../core/plugin.js';
import { assemble } from './assemble.js';
import type { ResourceRepository } from './contract.js';
import type { Resources } from './resources.js';

export interface ResourceService {
  /** What is in use: the same object until it is exchanged whole. Throws before `begin` has ended. */
  readonly current: Resources;
  /** Loads what is stored and looks for changes from then on. Throws where it cannot be loaded. */
  begin(): Promise<void>;
  /**
   * Loads what is stored if its revision is not the one in use, and answers whether it was. At any failure it throws,
   * and what was in use stays in use. Calls at one time share one look.
   */
  refresh(): Promise<boolean>;
  /** Called after each exchange, with the new resources; the answer takes the listener away. */
  onChange(listener: (resources: Resources) => void): () => void;
  /** Ends the looking and waits for a look that is under way. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  log: StorageLog;
  /** Seconds between two looks at the stored revision. */
  check: number;
}

export function resourceService(repository: ResourceRepository, { log, check }: ServiceOptions): ResourceService {
  let current: Resources | undefined;
  let looking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  const listeners = new Set<(resources: Resources) => void>();

  async function look(): Promise<boolean> {
    if (current && (await repository.revision()) === current.revision) return false;
    const { revision, resources } = await repository.load();
    if (current?.revision === revision) return false;
    const next = await assemble(revision, resources);
    current = next;
    const used = next.releases.map(({ kind, version }) => `${kind} ${version ?? 'of unknown version'}`);
    log.info({ revision, used, excerpt: next.excerpt }, 'resources for matching loaded');
    for (const listener of listeners) listener(next);
    return true;
  }

  function refresh(): Promise<boolean> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function tick(): Promise<void> {
    try {
      await refresh();
      failing = false;
    } catch (error) {
      // Said once, not at every look; what is in use stays in use.
      if (!failing) log.warn({ reason: (error as Error).message }, 'resources for matching could not be refreshed');
      failing = true;
    }
  }

  return {
    get current() {
      if (!current) throw new Error('The resources are asked for before they were loaded');
      return current;
    },
    async begin() {
      await refresh();
      timer ??= setInterval(() => void tick(), check * 1000);
      timer.unref();
    },
    refresh,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      await looking?.catch(() => {}); // its own caller hears of a failure
    },
  };
}
