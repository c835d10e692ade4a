/** What a contract needs so that this adapter can keep it: a binding of the `memory` family. */
import type { Contract } from '../../core/storage.js';

/**
 * Where a repository finds its state. A state is never changed in place: a write works on a draft that takes the state's
 * place once the write has gone through, so that readers and rolled-back transactions keep the state they know.
 */
export interface Cell<State> {
  /** The state as it is now; do not change it. */
  read(): Promise<State>;
  /** Runs `change` on a draft, alone. Where it throws, the state stays as it was. */
  write<Result>(change: (draft: State) => Result): Promise<Result>;
}

export interface Binding<Repository = unknown, State = unknown> {
  readonly contract: Contract<Repository>;
  /** The state of a new storage. */
  empty(): State;
  /** A draft: may be changed at its top level without being seen in the original. */
  copy(state: State): State;
  repository(cell: Cell<State>): Repository;
}

/** Keeps the types of a binding's repository and state. */
export function defineBinding<Repository, State>(binding: Binding<Repository, State>): Binding<Repository, State> {
  return binding;
}
