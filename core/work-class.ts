/** For whom work is done: what the storage should not let wait, and what it may. */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * `health`: checks and metrics; `query`: what answers soon; `report`: requests that take long; `background`: uploads and jobs.
 * The same as the classes of requests.
 */
export type WorkClass = 'health' | 'query' | 'report' | 'background';

/** One request or job, with all that it begins. */
export interface ClassedWork {
  readonly of: WorkClass;
  /** Connections to the database that it has at the moment; the adapter counts them. */
  connections: number;
}

const current = new AsyncLocalStorage<ClassedWork>();

/** Runs work, and all that it begins, in a class. */
export function inClass<Result>(of: WorkClass, work: () => Result): Result {
  return current.run({ of, connections: 0 }, work);
}

/** The running work; undefined for a command, and for what a server does by itself. */
export function classedWork(): ClassedWork | undefined {
  return current.getStore();
}
