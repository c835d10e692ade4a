/** jobs@1: durable background work. At least once: a job whose worker dies is taken up again when its lease ends. */
import { type Contract, defineContract } from '../contract.js';

export const jobStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

/** Plain JSON data. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Job {
  /** Unguessable: a random UUID. */
  id: string;
  /** `plugin.verb`, for example `beacon.add-variants`. */
  kind: string;
  payload: Json;
  /** Who started it: an API token's owner, or `cli`. */
  owner: string;
  state: JobState;
  /** How often it was claimed so far. */
  attempts: number;
  /**
   * How often its lease ended before its worker wrote down an end: the process was killed, or hung. Such an attempt says
   * nothing of the handler, so that it is not counted among its failures.
   */
  crashes: number;
  /** 0 to 1. */
  progress: number;
  /** One readable sentence: what the last attempt died of. */
  error?: string;
  /** What the handler answered, once done. */
  result?: Json;
  /** Somebody asked it to stop; a running handler sees its signal aborted at the next renewal. */
  cancelRequested: boolean;
  created: Date;
  updated: Date;
  /** Not to be claimed before. */
  runAfter: Date;
  /** While running: whose it is, and until when without a renewal. */
  worker?: string;
  leaseUntil?: Date;
  /**
   * Present if the stored job cannot be read, for example after damage to the file: `payload` is then null, and other
   * fields hold what could be read. Its worker fails it for good, and all other jobs go on.
   */
  damaged?: true;
}

export interface NewJob {
  id: string;
  kind: string;
  payload: Json;
  owner: string;
  created: Date;
  runAfter: Date;
  /** Where given: while a job with this key is queued or running, another is not added; that one is answered. */
  key?: string;
}

/** Which jobs to list; a field that is omitted selects all. */
export interface JobSelection {
  owner?: string;
  state?: JobState;
  /** At most so many. */
  limit: number;
}

export interface Claim {
  /** Only jobs of these kinds; an empty list claims nothing. */
  kinds: readonly string[];
  /** The claiming process, unique among those alive. */
  worker: string;
  now: Date;
  leaseUntil: Date;
}

/** Every verb that a worker calls names it; the answer is false once the lease has gone to another (then stop). */
export interface JobRepository {
  /** Adds a job in state queued, or answers the live one of the same key. */
  enqueue(job: NewJob): Promise<Job>;
  find(id: string): Promise<Job | undefined>;
  /** The jobs of an owner, in a state, or all, newest first, no more than the limit. */
  list(selection: JobSelection): Promise<Job[]>;
  /**
   * Takes the oldest job that is due: queued with runAfter not after now, or running with a lease that ended before now
   * (at `leaseUntil` itself it still lasts). Sets
   * running, worker and lease, adds one to attempts, and to crashes if a lease had ended. Two claimers never get the
   * same job.
   */
  claim(claim: Claim): Promise<Job | undefined>;
  /** Prolongs the lease and notes progress (0–1). Answers `lost` when it is no longer this worker's. */
  renew(id: string, worker: string, leaseUntil: Date, progress: number, now: Date): Promise<'held' | 'cancel' | 'lost'>;
  /** Running → done, with the handler's answer; progress becomes 1. */
  finish(id: string, worker: string, result: Json, now: Date): Promise<boolean>;
  /** Running → failed, or back to queued when `retryAt` is given. */
  fail(id: string, worker: string, error: string, now: Date, retryAt?: Date): Promise<boolean>;
  /** Running → queued at once, the attempt not counted as one nor as a crash: a worker that shuts down hands its lease back. */
  release(id: string, worker: string, now: Date): Promise<boolean>;
  /** Queued → cancelled; running → cancelRequested. False where it is neither. */
  cancel(id: string, now: Date): Promise<boolean>;
  /** Running → cancelled, by its worker once the handler has stopped. */
  cancelled(id: string, worker: string, now: Date): Promise<boolean>;
  /** Deletes done, failed and cancelled jobs last updated before the time; answers how many. */
  expire(before: Date): Promise<number>;
  /** How many jobs are in each state, for metrics; absent states count 0. */
  count(): Promise<Record<JobState, number>>;
}

export const jobs: Contract<JobRepository> = defineContract<JobRepository>('jobs@1');
