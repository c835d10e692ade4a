/** jobs@1: durable background work, run at least once: if its worker dies, a job is claimed again when its lease ends. */
import { type Contract, defineContract } from '../contract.js';

export const jobStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
/** Those that a job does not leave. */
export const endedStates = ['done', 'failed', 'cancelled'] as const satisfies readonly JobState[];

/** Plain JSON data. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Job {
  /** Unguessable: a random UUID. */
  id: string;
  /** `plugin.verb`, for example `beacon.add-variants`. */
  kind: string;
  /** Null once the job has ended: it may hold data of people, and nothing needs it any more. */
  payload: Json;
  /** Who started it: an API token's owner, or `cli`. */
  owner: string;
  state: JobState;
  /** How often it was claimed. */
  attempts: number;
  /**
   * How often its lease ended before its worker recorded an outcome: the process was killed, or hung. Such an attempt
   * says nothing about the handler and is not counted as one of its failures.
   */
  crashes: number;
  /** 0 to 1. */
  progress: number;
  /** Why the last attempt failed, in one readable sentence. */
  error?: string;
  /** What the handler returned, once done. */
  result?: Json;
  /** A cancellation was requested; a running handler sees its signal aborted at the next renewal. */
  cancelRequested: boolean;
  created: Date;
  updated: Date;
  /** Not claimed before this time. */
  runAfter: Date;
  /** While running: the worker, and when its lease ends unless it is renewed. */
  worker?: string;
  leaseUntil?: Date;
  /**
   * Present if the stored job cannot be read, for example because the file is damaged: `payload` is then null, and the
   * other fields hold what could be read. The worker that claims it fails it for good; other jobs are not affected.
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
  /** If set: while a job with this key is queued or running, no other is added, and that job is returned. */
  key?: string;
}

/** Which jobs to list; a field that is omitted selects all. */
export interface JobSelection {
  owner?: string;
  state?: JobState;
  /** The most jobs to return. */
  limit: number;
}

export interface Claim {
  /** Only jobs of these kinds; an empty list claims nothing. */
  kinds: readonly string[];
  /** The claiming process; unique among running processes. */
  worker: string;
  now: Date;
  leaseUntil: Date;
}

/** Verbs of a worker take its name and return false (then the worker stops) once another worker holds the lease. */
export interface JobRepository {
  /** Adds a job in state queued, or returns the queued or running job of the same key. Throws `conflict` if the id exists. */
  enqueue(job: NewJob): Promise<Job>;
  /**
   * With `owner` only a job of this owner, decided where it is stored: one of another owner takes no longer than one that does not
   * exist.
   */
  find(id: string, owner?: string): Promise<Job | undefined>;
  /** Jobs of an owner, in a state, or all; newest first, up to the limit. Of the same time, the one that was added later comes first. */
  list(selection: JobSelection): Promise<Job[]>;
  /**
   * Claims the oldest job that is due: queued with runAfter not after now, or running with a lease that ended before now
   * (at `leaseUntil` itself it still holds). Sets running, worker and lease, and adds one to attempts, and to crashes if
   * a lease had ended. Of the same time, the one that was added earlier is the older. Two claims never return the same job.
   */
  claim(claim: Claim): Promise<Job | undefined>;
  /** Extends the lease and records progress (0–1). Returns `lost` if the job is no longer this worker's. */
  renew(id: string, worker: string, leaseUntil: Date, progress: number, now: Date): Promise<'held' | 'cancel' | 'lost'>;
  /** Running → done, with the handler's result; progress becomes 1. */
  finish(id: string, worker: string, result: Json, now: Date): Promise<boolean>;
  /** Running → failed, or back to queued if `retryAt` is given: progress and the request to cancel it stay. */
  fail(id: string, worker: string, error: string, now: Date, retryAt?: Date): Promise<boolean>;
  /**
   * Running → queued at once, counted neither as an attempt nor as a crash: for a worker that shuts down. Progress and the request
   * to cancel it stay, so that the next worker learns of it.
   */
  release(id: string, worker: string, now: Date): Promise<boolean>;
  /** Queued → cancelled; running → cancelRequested. Returns false for a job in any other state. */
  cancel(id: string, now: Date): Promise<boolean>;
  /** Running → cancelled, called by its worker once the handler has stopped. */
  cancelled(id: string, worker: string, now: Date): Promise<boolean>;
  /** Deletes done, failed and cancelled jobs last updated before the time; returns how many. */
  expire(before: Date): Promise<number>;
  /** Deletes those of these jobs that are done, failed or cancelled; returns how many. */
  remove(ids: readonly string[]): Promise<number>;
  /** The number of jobs in each state, for metrics; 0 for a state without jobs. */
  count(): Promise<Record<JobState, number>>;
}

export const jobs: Contract<JobRepository> = defineContract<JobRepository>('jobs@1', {
  enqueue: 'needed',
  find: 'needed',
  list: 'needed',
  claim: 'needed',
  renew: 'needed',
  finish: 'needed',
  fail: 'needed',
  release: 'needed',
  cancel: 'needed',
  cancelled: 'needed',
  expire: 'needed',
  remove: 'needed',
  count: 'needed',
});
