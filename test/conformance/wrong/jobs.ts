/** Job repositories that break one promise. */
import type { Job, JobRepository } from '../../../core/jobs/contract.js';
import { jobs } from '../core.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<JobRepository>): Wrong =>
  wrongRepository(jobs, does, fails, damage);

export const wrongJobs: readonly Wrong[] = [
  wrong('finds a job for everybody', 'a job is found for its owner alone, if an owner is named', () => (right) => ({
    find: (id) => right.find(id),
  })),
  wrong('claims a job twice', 'concurrent claims never return the same job', () => {
    let underWay: Promise<Job | undefined> | undefined;
    return (right) => ({
      claim: async (claim) => {
        underWay ??= right.claim(claim).finally(() => {
          underWay = undefined;
        });
        const job = await underWay;
        return job && { ...job, worker: claim.worker };
      },
    });
  }),
  wrong('never takes over a job', 'a job whose lease ended is claimed again', () => (right) => ({
    claim: (claim) => right.claim({ ...claim, leaseUntil: new Date(8.64e15) }),
  })),
  wrong('treats a lease as over at its last moment', 'a lease still holds at leaseUntil itself', () => (right) => ({
    claim: (claim) => right.claim({ ...claim, now: new Date(claim.now.getTime() + 1) }),
  })),
  wrong('ignores leases', 'a running job is not claimed while its lease holds', () => (right) => ({
    claim: (claim) => right.claim({ ...claim, leaseUntil: new Date(0) }),
  })),
  wrong('counts every further claim as a crash', 'only a lease that ended counts as a crash', () => (right) => ({
    claim: async (claim) => {
      const job = await right.claim(claim);
      return job && { ...job, crashes: job.attempts - 1 };
    },
  })),
  wrong('never counts a crash', 'only a lease that ended counts as a crash', () => (right) => ({
    claim: async (claim) => {
      const job = await right.claim(claim);
      return job && { ...job, crashes: 0 };
    },
  })),
  wrong(
    'lets a worker without the lease finish a job',
    'a worker that lost the lease cannot change the job',
    () => (right) => ({
      finish: async (id, _worker, result, now) => right.finish(id, (await right.find(id))?.worker ?? '', result, now),
    }),
  ),
  wrong(
    'tells a worker that lost its lease nothing',
    'a worker that lost the lease cannot change the job',
    () => (right) => ({
      renew: async (...asked) => {
        const answer = await right.renew(...asked);
        return answer === 'lost' ? 'held' : answer;
      },
    }),
  ),
  wrong('does not prolong the lease', 'a renewal extends the lease and records progress', () => (right) => ({
    renew: async (id, worker, leaseUntil, progress, now) =>
      right.renew(id, worker, (await right.find(id))?.leaseUntil ?? leaseUntil, progress, now),
  })),
  wrong('rounds progress to hundredths', 'a renewal extends the lease and records progress', () => (right) => ({
    renew: (id, worker, leaseUntil, progress, now) =>
      right.renew(id, worker, leaseUntil, Math.round(progress * 100) / 100, now),
  })),
  wrong('ignores keys', 'a key is unique among queued and running jobs', () => (right) => ({
    enqueue: ({ key: _, ...job }) => right.enqueue(job),
  })),
  wrong('never frees a key', 'a key is free again once its job is over', () => {
    const known = new Map<string, string>();
    return (right) => ({
      enqueue: async (job) => {
        const twin = job.key === undefined ? undefined : known.get(job.key);
        if (job.key !== undefined && !twin) known.set(job.key, job.id);
        return (twin && (await right.find(twin))) || right.enqueue(job);
      },
    });
  }),
  wrong('checks keys before it waits', 'concurrent additions of one key all return the same job', () => {
    const known = new Map<string, Job>();
    return (right) => ({
      enqueue: async ({ key, ...job }) => {
        const twin = key === undefined ? undefined : known.get(key);
        if (twin) return twin;
        await new Promise((resolve) => setImmediate(resolve));
        const added = await right.enqueue(job);
        if (key !== undefined) known.set(key, added);
        return added;
      },
    });
  }),
  wrong('claims in the order of adding', 'the oldest due job is claimed first', () => {
    let added = 0;
    return (right) => ({ enqueue: (job) => right.enqueue({ ...job, created: new Date(added++) }) });
  }),
  wrong('claims a job before its time', 'a job is not claimed before its time', () => (right) => ({
    claim: (claim) => right.claim({ ...claim, now: new Date(claim.now.getTime() + 1000) }),
  })),
  wrong('claims any job if no kind is given', 'only jobs of the given kinds are claimed', () => (right) => ({
    claim: (claim) => right.claim(claim.kinds.length > 0 ? claim : { ...claim, kinds: ['test.a', 'test.b'] }),
  })),
  wrong('reads only the first 32 766 kinds', 'only jobs of the given kinds are claimed', () => (right) => ({
    claim: (claim) => right.claim({ ...claim, kinds: claim.kinds.slice(0, 32_766) }),
  })),
  wrong('retries at once', 'a job that failed is retried at retryAt', () => (right) => ({
    fail: (id, worker, error, now, retryAt) => right.fail(id, worker, error, now, retryAt && now),
  })),
  wrong(
    'counts a released attempt',
    'a released job is queued at once and its attempt is not counted',
    () => (right) => ({
      release: async (id, worker, now) => right.fail(id, worker, 'released', now, now),
    }),
  ),
  wrong(
    'forgets that a job shall stop',
    'a running job is told at the next renewal that it was cancelled',
    () => (right) => ({
      renew: async (...asked) => {
        const answer = await right.renew(...asked);
        return answer === 'cancel' ? 'held' : answer;
      },
    }),
  ),
  wrong('cancels jobs that have ended', 'a job that is over cannot be cancelled', () => (right) => ({
    cancel: async (id, now) => (await right.cancel(id, now)) || (await right.find(id)) !== undefined,
  })),
  wrong('keeps times of jobs to the second', 'times of jobs are kept to the millisecond', () => (right) => ({
    enqueue: (job) => right.enqueue(toSeconds(job)),
    claim: (claim) => right.claim(toSeconds(claim)),
  })),
  wrong('returns payloads as text', 'payloads keep their types', () => (right) => ({
    find: async (id) => {
      const job = await right.find(id);
      return job && { ...job, payload: JSON.stringify(job.payload) };
    },
  })),
  wrong('treats a result of null as no result', 'results keep their types', () => (right) => ({
    find: async (id) => {
      const job = await right.find(id);
      if (job?.result === null) delete job.result;
      return job;
    },
  })),
  wrong('lists a thousand jobs at most', 'more than a thousand jobs are listed', () => (right) => ({
    list: ({ limit, ...rest }) => right.list({ ...rest, limit: Math.min(limit, 1000) }),
  })),
  wrong(
    'looks at the state of those listed only',
    'jobs are listed by state, with and without an owner',
    () => (right) => ({
      list: async ({ state, ...rest }) =>
        (await right.list(rest)).filter((job) => state === undefined || job.state === state),
    }),
  ),
  wrong('lists jobs oldest first', "an owner's jobs are listed newest first", () => (right) => ({
    list: async ({ limit, ...rest }) =>
      (await right.list({ ...rest, limit: Number.MAX_SAFE_INTEGER })).reverse().slice(0, limit),
  })),
  wrong('deletes jobs that ended exactly at the given time', 'jobs that are over expire', () => (right) => ({
    expire: (before) => right.expire(new Date(before.getTime() + 1)),
  })),
  wrong('deletes whatever is over', 'jobs that are over are deleted by their ids', () => (right) => ({
    remove: () => right.expire(new Date(8.64e15)),
  })),
  wrong('keeps what was asked', 'a job that has ended has no payload any more', () => {
    const payloads = new Map<string, Job['payload']>();
    return (right) => ({
      enqueue: async (job) => {
        payloads.set(job.id, job.payload);
        return right.enqueue(job);
      },
      find: async (id) => {
        const job = await right.find(id);
        return job && { ...job, payload: payloads.get(id) ?? null };
      },
    });
  }),
  wrong('counts only the states that occur', 'jobs are counted by state', () => (right) => ({
    count: async () => {
      const counts = Object.entries(await right.count()).filter(([, count]) => count > 0);
      return Object.fromEntries(counts) as Awaited<ReturnType<JobRepository['count']>>;
    },
  })),
  wrong('returns its own objects', 'changing a returned job does not change the storage', () => {
    const kept = new Map<string, Job>();
    return (right) => ({
      find: async (id) => {
        const job = kept.get(id) ?? (await right.find(id));
        if (job) kept.set(id, job);
        return job;
      },
    });
  }),
];
