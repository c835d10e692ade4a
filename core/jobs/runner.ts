/**
 * Claims jobs from the storage and runs them, a few at a time, until stopped. Each attempt runs the handler, renews the lease
 * meanwhile, and records the outcome.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobSettings } from '../config/settings.js';
import { Fault, isFault } from '../fault.js';
import type { StorageLog } from '../storage.js';
import { inClass, traced } from '../work.js';
import type { Job, JobRepository, Json } from './contract.js';
import { type Handlers, payloadOfJob, type RegisteredHandler } from './service.js';

interface JobRunnerOptions {
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

// One attempt at a job.

interface AttemptTools {
  repository: JobRepository;
  worker: string;
  settings: JobSettings;
  now(): Date;
  log: StorageLog;
  /** See JobControl. */
  giveWay(): Promise<void>;
  /** Aborted when the process shuts down: the lease is then released. */
  stopping: AbortSignal;
}

interface Attempt {
  /** Resolves once the outcome is recorded; never rejects. */
  readonly done: Promise<void>;
  /** Stops renewing the lease of a handler that does not stop; records nothing more. */
  abandon(): void;
}

const attemptsByDefault = 5;
/**
 * Attempts while the storage or another server does not respond. That is no fault of the job, and an accepted job must
 * not be given up for a full disk or a failover: with the usual pauses these last for most of a day.
 */
const attemptsWithoutResponse = 100;
/**
 * After more crashes than this the job itself is taken to be their cause. Most crashes have another one (a power cut, a
 * forced update, another job that used all memory), and an accepted job must not be given up for those.
 */
const mostCrashes = 25;
/** Crashes after which a job waits longer each time, so that one that kills its processes leaves room to all others. */
const freeCrashes = 3;

/** Why a handler's signal was aborted. */
type StopCause = 'cancelled' | 'lost' | 'stopped' | 'abandoned';

const reasons: Record<StopCause, string> = {
  cancelled: 'The job was cancelled',
  lost: 'The lease on the job was lost',
  stopped: 'The server is stopping',
  abandoned: 'The server has stopped',
};

function attempt(job: Job, registered: RegisteredHandler, tools: AttemptTools): Attempt {
  const { repository, worker, settings, now, log, giveWay, stopping } = tools;
  const { handler } = registered;
  const most = handler.attempts ?? attemptsByDefault;
  const about = { job: job.id, kind: job.kind, attempt: job.attempts };
  const spanAttributes = {
    'trefoil.job.id': job.id,
    'trefoil.job.kind': job.kind,
    'trefoil.job.attempt': job.attempts,
  };
  const controller = new AbortController();
  let end: StopCause | undefined;
  let progress = 0;
  let heldUntil = job.leaseUntil ?? now();
  let renewing = false;

  const stop = (why: StopCause): void => {
    end ??= why;
    controller.abort(new Fault('unavailable', reasons[end]));
  };
  const onStopping = (): void => stop('stopped');

  async function renew(): Promise<void> {
    if (now() >= heldUntil) stop('lost');
    if (renewing) return;
    renewing = true;
    try {
      const until = new Date(leaseFrom(now(), settings).getTime() + pauseAfter(job.crashes, settings));
      const answer = await repository.renew(job.id, worker, until, progress, now());
      if (answer !== 'held') stop(answer === 'cancel' ? 'cancelled' : 'lost');
      if (answer !== 'lost') heldUntil = until;
    } catch (error) {
      log.warn({ ...about, reason: reasonOf(error) }, 'lease not renewed');
    } finally {
      renewing = false;
    }
  }

  async function run(): Promise<void> {
    if (job.cancelRequested) return write(() => repository.cancelled(job.id, worker, now()), 'job cancelled');
    if (end === 'stopped') return write(() => repository.release(job.id, worker, now()), 'job handed back');
    if (job.damaged) return giveUp('What is stored of this job cannot be read any more');
    if (job.crashes > mostCrashes) {
      return giveUp(`Given up: the process that ran it came to an end before the job did, ${job.crashes} times`);
    }
    // Extended before the handler runs: a process that is killed at once would not get to a renewal.
    if (pauseAfter(job.crashes, settings) > 0) await renew();
    let result: Json;
    try {
      const payload = await payloadOfJob(handler, job.payload);
      const span = { kind: 'consumer', job: job.id, attributes: spanAttributes } as const;
      const work = () =>
        handler.run(payload, {
          id: job.id,
          owner: job.owner,
          signal: controller.signal,
          progress: (fraction) => {
            if (fraction > progress) progress = Math.min(fraction, 1);
          },
          giveWay,
          log: registered.log,
        });
      const answer = await traced(`job ${job.kind}`, span, () => inClass('background', work));
      result = JSON.parse(JSON.stringify(answer ?? null)) as Json;
    } catch (error) {
      return failed(error);
    }
    await write(() => repository.finish(job.id, worker, result, now()), 'job done');
  }

  function giveUp(reason: string): Promise<void> {
    const change = () => repository.fail(job.id, worker, reason, now());
    return write(change, 'job failed', { level: 'error', reason });
  }

  async function failed(error: unknown): Promise<void> {
    if (end === 'lost' || end === 'abandoned') return;
    if (end === 'cancelled') return write(() => repository.cancelled(job.id, worker, now()), 'job cancelled');
    if (end === 'stopped') return write(() => repository.release(job.id, worker, now()), 'job handed back');
    if (!isFault(error)) log.error({ ...about, stack: stackOf(error) }, 'job attempt failed unexpectedly');
    const hopeless = isFault(error) && (error.code === 'invalid' || error.code === 'unprocessable');
    const passing = isFault(error) && error.code === 'unavailable';
    const failures = job.attempts - job.crashes;
    const again = !hopeless && failures < (passing ? Math.max(most, attemptsWithoutResponse) : most);
    const reason = reasonOf(error);
    const retryAt = again ? retryTime(now(), failures, settings) : undefined;
    await write(
      () => repository.fail(job.id, worker, reason, now(), retryAt),
      again ? 'job attempt failed and will be retried' : 'job failed',
      { level: again ? 'warn' : 'error', reason: loggedReason(reason) },
    );
  }

  /** Records the outcome. If the storage is unavailable it is tried again while the lease lasts. */
  async function write(
    change: () => Promise<boolean>,
    message: string,
    { level = 'info', ...details }: { level?: 'info' | 'warn' | 'error'; reason?: string } = {},
  ): Promise<void> {
    for (let tries = 0; end !== 'abandoned'; tries++) {
      try {
        if (await change()) log[level]({ ...about, ...details }, message);
        else log.warn(about, 'another worker holds the lease by now, and its outcome counts');
        return;
      } catch (error) {
        log.warn({ ...about, reason: reasonOf(error) }, "the job's outcome could not be written");
        if (now() >= heldUntil || stopping.aborted) return;
        await sleep(Math.min(200 * 2 ** tries, 5000));
      }
    }
  }

  const timer = setInterval(() => void renew(), settings.renewSeconds * 1000);
  stopping.addEventListener('abort', onStopping);
  if (stopping.aborted) onStopping();
  const done = run()
    .catch((error: unknown) => log.error({ ...about, stack: stackOf(error) }, 'job attempt broke down'))
    .finally(() => {
      clearInterval(timer);
      stopping.removeEventListener('abort', onStopping);
    });
  return {
    done,
    abandon() {
      clearInterval(timer);
      end = 'abandoned';
      controller.abort(new Fault('unavailable', reasons.abandoned));
    },
  };
}

function leaseFrom(now: Date, settings: JobSettings): Date {
  return new Date(now.getTime() + settings.leaseSeconds * 1000);
}

/**
 * Milliseconds added to the lease of a job after this many crashes: if its process is killed again, the job is not
 * claimed for that long. Grows as the delay after failures does.
 */
function pauseAfter(crashes: number, { retrySeconds, retryMaxSeconds }: JobSettings): number {
  if (crashes < freeCrashes) return 0;
  return Math.min(retrySeconds * 2 ** (crashes - freeCrashes), retryMaxSeconds) * 1000;
}

/** The delay doubles with each failure up to a limit; half of it is random, so that retries do not coincide. */
export function retryTime(now: Date, failures: number, settings: JobSettings, random = Math.random): Date {
  const seconds = Math.min(settings.retrySeconds * 2 ** (failures - 1), settings.retryMaxSeconds);
  return new Date(now.getTime() + seconds * 1000 * (0.5 + random() / 2));
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : 'a value that is not an Error was thrown';
}

// Why an attempt failed, in one line: as stored for the owner, and as written to the log.

/** One readable line. Only the messages of faults are known to hold no secret. */
function reasonOf(error: unknown): string {
  if (!isFault(error)) return "An unexpected error ended the attempt; the server's log says more";
  return error.message.replace(/\s+/g, ' ').slice(0, 500);
}

const quotedText = /"[^"]*"?|(?<!\w)'[^']*'(?!\w)/g;
/** Up to what follows the file name in a message; file names may contain spaces. */
const path = /(?<![\w<])\/[^:"']*?(?=: |, (?:line|column) |$)/g;
const fileName = /[^\s:"']+\.(?:vcf|d4|bed|gtf|gff3?|tsv|txt|json|csv)(?:\.b?gz)?\b/gi;
const mail = /[^\s<>"']+@[^\s<>"']+/g;

/** The reason without anything that may identify a patient: quoted input, file names and e-mail addresses. */
export function loggedReason(reason: string): string {
  return [quotedText, path, fileName, mail].reduce((text, pattern) => text.replace(pattern, '…'), reason);
}
