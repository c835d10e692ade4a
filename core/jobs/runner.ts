/** Claims jobs from the storage and runs them, a few at a time, until stopped. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFault } from '../fault.js';
import type { StorageLog } from '../storage.js';
import { type Attempt, attempt, leaseFrom } from './attempt.js';
import type { JobRepository } from './contract.js';
import type { Handlers } from './service.js';
import type { JobSettings } from './settings.js';

export interface JobRunnerOptions {
  repository: JobRepository;
  handlers: Handlers;
  settings: JobSettings;
  now(): Date;
  /** Resolves once no request is in flight, or after the given milliseconds. */
  quiet(limitMs: number): Promise<void>;
  log: StorageLog;
}

export interface JobRunner {
  start(): void;
  /** Looks for jobs now instead of at the next poll. */
  wake(): void;
  /** Stops claiming, aborts running handlers and releases their leases. May be called twice. */
  stop(): Promise<void>;
}

const longestPause = 30_000;
const expireEvery = 3_600_000;
/** The longest time, in milliseconds, that a job gives way to requests. */
const longestWay = 1000;

export function jobRunner({ repository, handlers, settings, now, quiet, log }: JobRunnerOptions): JobRunner {
  const here = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const stopping = new AbortController();
  const giveWay = () => quiet(longestWay);
  const active = new Set<{ id: string; worker: string; attempt: Attempt }>();
  let claims = 0;
  const pause = napper();
  let loop: Promise<void> | undefined;
  let expiry: NodeJS.Timeout | undefined;
  let stopped: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        await fillUp();
        failures = 0;
      } catch (error) {
        failures++;
        log.warn({ reason: isFault(error) ? error.message : 'unexpected error' }, 'no jobs could be claimed');
      }
      await pause.nap(Math.min(settings.pollSeconds * 1000 * 2 ** failures, longestPause));
    }
  }

  async function fillUp(): Promise<void> {
    while (active.size < settings.concurrency && !stopping.signal.aborted) {
      const at = now();
      const kinds = [...handlers.keys()];
      // A name for each claim: if our own lease ran out, a late handler cannot overwrite the next attempt.
      const worker = `${here}:${++claims}`;
      const job = await repository.claim({ kinds, worker, now: at, leaseUntil: leaseFrom(at, settings) });
      const registered = job && handlers.get(job.kind);
      if (!job || !registered) return;
      const tools = { repository, worker, settings, now, log, giveWay, stopping: stopping.signal };
      const started = { id: job.id, worker, attempt: attempt(job, registered, tools) };
      active.add(started);
      void started.attempt.done.then(() => {
        active.delete(started);
        pause.wake();
      });
    }
  }

  async function expire(): Promise<void> {
    try {
      const count = await repository.expire(new Date(now().getTime() - settings.keepDays * 86_400_000));
      if (count > 0) log.info({ count }, 'finished jobs deleted');
    } catch (error) {
      log.warn({ reason: isFault(error) ? error.message : 'unexpected error' }, 'finished jobs could not be deleted');
    }
  }

  async function halt(): Promise<void> {
    stopping.abort();
    clearInterval(expiry);
    pause.wake();
    await loop;
    const limit = new AbortController();
    const all = Promise.all([...active].map((one) => one.attempt.done));
    await Promise.race([all, sleep(settings.stopSeconds * 1000, undefined, { signal: limit.signal }).catch(() => {})]);
    limit.abort();
    for (const { id, worker, attempt: left } of active) {
      left.abandon();
      log.warn({ job: id }, 'a job did not stop in time; its lease is released');
      await repository.release(id, worker, now()).catch(() => log.warn({ job: id }, 'lease not released'));
    }
  }

  return {
    start() {
      if (loop || stopping.signal.aborted) return;
      void expire();
      expiry = setInterval(() => void expire(), expireEvery).unref();
      loop = settings.concurrency > 0 && handlers.size > 0 ? work() : Promise.resolve();
    },
    wake: pause.wake,
    stop: () => (stopped ??= halt()),
  };
}

/** A pause that can be cut short. A wake just before the nap is not lost. */
function napper(): { nap(ms: number): Promise<void>; wake(): void } {
  let woken = false;
  let end: (() => void) | undefined;
  return {
    async nap(ms) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        end = undefined;
      }
      woken = false;
    },
    wake() {
      woken = true;
      end?.();
    },
  };
}
