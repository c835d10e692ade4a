/** A storage in memory: states are replaced, never changed; one writer at a time; readers never wait. */
import { type Capabilities, type Contract, Fault, type Storage, type StorageScope } from '../../core/storage.js';
import type { Binding, Cell } from './binding.js';

/** The state of every contract, by its id. */
type States = Map<string, unknown>;

export class MemoryStorage implements Storage {
  readonly capabilities: Capabilities;
  readonly #bindings: ReadonlyMap<string, Binding>;
  #states: States;
  /** Settles when the last queued write is over. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(capabilities: Capabilities, bindings: readonly Binding[]) {
    this.capabilities = capabilities;
    this.#bindings = new Map(bindings.map((binding) => [binding.contract.id, binding]));
    this.#states = new Map(bindings.map((binding) => [binding.contract.id, binding.empty()]));
  }

  repository<Repository>(contract: Contract<Repository>): Repository {
    const binding = this.#binding(contract);
    return binding.repository({
      read: async () => {
        this.#assertOpen();
        return this.#states.get(contract.id);
      },
      write: (change) => this.#alone(async () => writeTo(this.#states, binding, change)),
    });
  }

  /**
   * A transaction works on a map of its own. Since states are replaced and never changed, it begins by copying that small
   * map, commits by putting the copy in place, and rolls back by dropping it.
   */
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result> {
    return this.#alone(async () => {
      const draft: States = new Map(this.#states);
      let over = false;
      const cell = (binding: Binding): Cell<unknown> => {
        const inside = () => {
          if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
          return draft;
        };
        return {
          read: async () => inside().get(binding.contract.id),
          write: async (change) => writeTo(inside(), binding, change),
        };
      };
      const scope: StorageScope = {
        repository: (contract) => {
          const binding = this.#binding(contract);
          return binding.repository(cell(binding));
        },
      };
      try {
        const result = await work(scope);
        this.#states = draft;
        return result;
      } finally {
        over = true;
      }
    });
  }

  /** There is no schema, so there is nothing to migrate. */
  async pending(): Promise<[]> {
    return [];
  }

  async migrate(): Promise<[]> {
    return [];
  }

  async ping(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lastTurn;
  }

  #binding<Repository>(contract: Contract<Repository>): Binding<Repository> {
    const binding = this.#bindings.get(contract.id);
    if (!binding) throw new Fault('internal', `The contract ${contract.id} was not named when the storage was opened`);
    return binding as Binding<Repository>;
  }

  /** Runs writes one after another, in the order of the calls. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#assertOpen();
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  #assertOpen(): void {
    if (this.#closed) throw new Fault('unavailable', 'The storage is closed');
  }
}

/** Replaces a state by its changed draft; if `change` throws, the state stays. */
function writeTo<State, Result>(states: States, binding: Binding, change: (draft: State) => Result): Result {
  const { id } = binding.contract;
  const draft = binding.copy(states.get(id)) as State;
  const result = change(draft);
  states.set(id, draft);
  return result;
}
