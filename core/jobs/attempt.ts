/** One attempt at a job: runs the handler, renews the lease meanwhile, and records the outcome. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, isFault } from '../fault.js';
import type { StorageLog } from '../storage.js';
import { traced } from '../tracing/traced.js';
import { inClass } from '../work-class.js';
import type { Job, JobRepository, Json } from './contract.js';
import { loggedReason, reasonOf } from './reason.js';
import { payloadOf, type Registered } from './service.js';
import type { JobSettings } from './settings.js';

export interface AttemptTools {
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

export interface Attempt {
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

/** Why a handler was told to stop. */
type End = 'cancelled' | 'lost' | 'stopped' | 'abandoned';

const reasons: Record<End, string> = {
  cancelled: 'The job was cancelled',
  lost: 'The lease on the job was lost',
  stopped: 'The server is stopping',
  abandoned: 'The server has stopped',
};

export function attempt(job: Job, registered: Registered, tools: AttemptTools): Attempt {
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
  let end: End | undefined;
  let progress = 0;
  let heldUntil = job.leaseUntil ?? now();
  let renewing = false;

  const stop = (why: End): void => {
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
      const payload = await payloadOf(handler, job.payload);
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

export function leaseFrom(now: Date, settings: JobSettings): Date {
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
