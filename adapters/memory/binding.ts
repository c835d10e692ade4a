/** What this adapter needs to keep a contract: a binding of the `memory` family. */
import type { Contract } from '../../core/storage.js';

/**
 * How a repository reads and writes its state. A state is never changed in place: a write works on a draft that replaces
 * the state once the write has succeeded, so that readers and rolled-back transactions keep the state they have.
 */
export interface Cell<State> {
  /** The current state; do not change it. */
  read(): Promise<State>;
  /** Runs `change` on a draft, one at a time. If it throws, the state stays as it was. */
  write<Result>(change: (draft: State) => Result): Promise<Result>;
}

export interface Binding<Repository = unknown, State = unknown> {
  readonly contract: Contract<Repository>;
  /** The state of a new storage. */
  empty(): State;
  /** A draft: its top level can be changed without changing the original. */
  copy(state: State): State;
  repository(cell: Cell<State>): Repository;
}

/** Keeps the types of a binding's repository and state. */
export function defineBinding<Repository, State>(binding: Binding<Repository, State>): Binding<Repository, State> {
  return binding;
}
