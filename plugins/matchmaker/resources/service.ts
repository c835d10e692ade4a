/** Keeps the resources of a process up to date with the stored ones. */
import type { StorageLog } from '../../../core/plugin.js';
import type { PhenotypeService, PhenotypeTerm } from '../../services/matchmaker.js';
import { assemble } from './assemble.js';
import type { ResourceRepository } from './contract.js';
import type { Resources } from './resources.js';

export interface ResourceService {
  /** The resources in use: the same object until they are replaced. Throws before `begin` has resolved. */
  readonly current: Resources;
  /** Loads the stored resources and checks for changes from then on. Throws if they cannot be loaded. */
  begin(): Promise<void>;
  /**
   * Loads the stored resources if their revision is not the one in use, and returns whether it did. If it throws, the
   * resources in use stay. Concurrent calls share one check.
   */
  refresh(): Promise<boolean>;
  /** Calls the listener with the new resources after each replacement. Returns a function that removes the listener. */
  onChange(listener: (resources: Resources) => void): () => void;
  /** Stops checking, and waits for a check that is under way. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  log: StorageLog;
  /** Seconds between checks of the stored revision. */
  check: number;
}

export function resourceService(repository: ResourceRepository, { log, check }: ServiceOptions): ResourceService {
  let current: Resources | undefined;
  let checking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  const listeners = new Set<(resources: Resources) => void>();

  async function compare(): Promise<boolean> {
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
    checking ??= compare().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function tick(): Promise<void> {
    try {
      await refresh();
      failing = false;
    } catch (error) {
      // Logged once, not at every check.
      if (!failing) log.warn({ reason: (error as Error).message }, 'resources for matching could not be refreshed');
      failing = true;
    }
  }

  return {
    get current() {
      if (!current) throw new Error('The resources are used before they are loaded');
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
      await checking?.catch(() => {}); // its own callers get the error
    },
  };
}

/** The excerpt for the demo is not an ontology: of most terms it does not know the descendants. */
export function phenotypeService(resources: () => Resources): PhenotypeService {
  const loaded = () => resources().releases.find(({ kind, excerpt }) => kind === 'ontology' && !excerpt);
  return {
    async release() {
      const release = loaded();
      return release && { ...(release.version !== undefined && { version: release.version }) };
    },
    async terms(ids) {
      const found = new Map<string, PhenotypeTerm>();
      if (!loaded()) return found;
      const { ontology } = resources();
      for (const given of ids) {
        const term = ontology.resolve(given)?.term;
        if (term === undefined) continue;
        const [id, name] = [ontology.id(term), ontology.name(term)];
        const lineage = [...ontology.ancestors(term)].map((ancestor) => ontology.id(ancestor));
        found.set(given, { id, name, lineage: lineage.length > 0 ? lineage : [id] });
      }
      return found;
    },
  };
}
