/** Makes wrong adapters: a right one, the memory adapter where no other is named, with one promise broken. */
import type { Contract, Storage, StorageScope } from '../../../core/storage.js';
import { memorySubject } from '../../kit/memory.js';
import type { Subject } from '../core.js';

/** An adapter that breaks one promise, and the case that must notice. */
export interface Wrong {
  /** What it does, as the end of the sentence "an adapter that …". */
  does: string;
  /** The case's name. */
  fails: string;
  subject: Subject;
}

/** One of which the verbs of one contract go wrong. */
export interface WrongRepository extends Wrong {
  readonly contract: Contract;
}

/** A wrong repository, inside transactions too. `damage` makes the verbs that go wrong from the right ones. */
export function wrongRepository<Repository extends object>(
  contract: Contract<Repository>,
  does: string,
  fails: string,
  damage: (right: Repository) => Partial<Repository>,
  base: Subject = memorySubject,
): WrongRepository {
  const within = (scope: StorageScope): StorageScope['repository'] =>
    function repository<Asked>(asked: Contract<Asked>): Asked {
      const right = scope.repository(asked);
      if (asked.id !== contract.id) return right;
      return { ...right, ...damage(right as unknown as Repository) };
    };
  const wrong = (storage: Storage): Partial<Storage> => ({
    repository: within(storage),
    transaction: (work) => storage.transaction((scope) => work({ repository: within(scope) })),
  });
  return { ...wrongStorage(does, fails, wrong, base), contract };
}

/** A wrong storage: some of its own verbs changed. */
export function wrongStorage(
  does: string,
  fails: string,
  damage: (storage: Storage) => Partial<Storage>,
  base: Subject = memorySubject,
): Wrong {
  const open: Subject['open'] = async (contracts) => {
    const opened = await base.open(contracts);
    return { ...opened, storage: { ...delegate(opened.storage), ...damage(opened.storage) } };
  };
  const { capabilities } = base;
  return { does, fails, subject: { capabilities, name: `An adapter that ${does}`, open } };
}

/** The storage's verbs as properties of a plain object. */
export function delegate(storage: Storage): Storage {
  return {
    capabilities: storage.capabilities,
    repository: (contract) => storage.repository(contract),
    transaction: (work) => storage.transaction(work),
    pending: () => storage.pending(),
    migrate: () => storage.migrate(),
    ping: () => storage.ping(),
    close: () => storage.close(),
  };
}
