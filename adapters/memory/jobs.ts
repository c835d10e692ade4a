/** jobs@1 in memory. A claim reads and decides within one write, so that two claims cannot conflict. */
import { type Job, type JobRepository, type JobState, jobs } from '../../core/jobs/contract.js';
import { defineBinding } from './binding.js';

interface StoredJob {
  readonly job: Readonly<Job>;
  readonly key: string | undefined;
}

/** By id, in the order in which they were added. */
type Jobs = Map<string, StoredJob>;

const live = (state: JobState) => state === 'queued' || state === 'running';

/** Replaces a job by a changed copy. A field given as undefined is removed. */
function put(draft: Jobs, stored: StoredJob, fields: Partial<Job>): Job {
  const job = Object.fromEntries(
    Object.entries({ ...stored.job, ...structuredClone(fields) }).filter(([, value]) => value !== undefined),
  ) as unknown as Job;
  draft.set(job.id, { job, key: stored.key });
  return structuredClone(job);
}

/** The job if it is running and this worker holds it. */
function heldBy(draft: Jobs, id: string, worker: string): StoredJob | undefined {
  const stored = draft.get(id);
  return stored?.job.state === 'running' && stored.job.worker === worker ? stored : undefined;
}

const handedBack = { worker: undefined, leaseUntil: undefined };
/** Fields of every job that has ended. */
const ended = { payload: null };

export default defineBinding<JobRepository, Jobs>({
  contract: jobs,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => {
    /** Changes a job that the worker holds; returns false if it does not hold it. */
    const whileHeld = (id: string, worker: string, now: Date, fields: (job: Job) => Partial<Job>) =>
      write((draft) => {
        const stored = heldBy(draft, id, worker);
        if (!stored) return false;
        put(draft, stored, { ...handedBack, updated: now, ...fields(stored.job) });
        return true;
      });

    return {
      enqueue: ({ key, ...job }) =>
        write((draft) => {
          const twin = [...draft.values()].find(
            (other) => key !== undefined && other.key === key && live(other.job.state),
          );
          if (twin) return structuredClone(twin.job);
          const added: Job = {
            ...job,
            state: 'queued',
            attempts: 0,
            crashes: 0,
            progress: 0,
            cancelRequested: false,
            updated: job.created,
          };
          return put(draft, { job: added, key }, { ...added });
        }),

      async find(id, owner) {
        const job = (await read()).get(id)?.job;
        return (owner ?? job?.owner) === job?.owner ? structuredClone(job) : undefined;
      },

      list: async ({ owner, state, limit }) =>
        [...(await read()).values()]
          .map(({ job }) => job)
          .filter((job) => (owner ?? job.owner) === job.owner && (state ?? job.state) === job.state)
          .sort((a, b) => b.created.getTime() - a.created.getTime())
          .slice(0, limit)
          .map((job) => structuredClone(job)),

      claim: ({ kinds, worker, now, leaseUntil }) =>
        write((draft) => {
          const wanted = new Set(kinds);
          const due = [...draft.values()].filter(({ job }) => {
            if (!wanted.has(job.kind)) return false;
            if (job.state === 'queued') return job.runAfter <= now;
            return job.state === 'running' && job.leaseUntil !== undefined && job.leaseUntil < now;
          });
          const [oldest] = due.sort((a, b) => a.job.created.getTime() - b.job.created.getTime());
          if (!oldest) return undefined;
          const attempts = oldest.job.attempts + 1;
          const crashes = oldest.job.crashes + (oldest.job.state === 'running' ? 1 : 0);
          return put(draft, oldest, { state: 'running', worker, leaseUntil, attempts, crashes, updated: now });
        }),

      renew: (id, worker, leaseUntil, progress, now) =>
        write((draft) => {
          const stored = heldBy(draft, id, worker);
          if (!stored) return 'lost';
          put(draft, stored, { leaseUntil, progress, updated: now });
          return stored.job.cancelRequested ? 'cancel' : 'held';
        }),

      finish: (id, worker, result, now) =>
        whileHeld(id, worker, now, () => ({ state: 'done', result, progress: 1, ...ended })),

      fail: (id, worker, error, now, retryAt) =>
        whileHeld(id, worker, now, () =>
          retryAt ? { state: 'queued', error, runAfter: retryAt } : { state: 'failed', error, ...ended },
        ),

      release: (id, worker, now) =>
        whileHeld(id, worker, now, ({ attempts }) => ({ state: 'queued', attempts: attempts - 1 })),

      cancel: (id, now) =>
        write((draft) => {
          const stored = draft.get(id);
          if (!stored || !live(stored.job.state)) return false;
          const queued = stored.job.state === 'queued';
          put(draft, stored, {
            updated: now,
            ...(queued ? { state: 'cancelled', ...ended } : { cancelRequested: true }),
          });
          return true;
        }),

      cancelled: (id, worker, now) => whileHeld(id, worker, now, () => ({ state: 'cancelled', ...ended })),

      expire: (before) =>
        write((draft) => {
          const over = [...draft.values()].filter(({ job }) => !live(job.state) && job.updated < before);
          for (const { job } of over) draft.delete(job.id);
          return over.length;
        }),

      remove: (ids) =>
        write((draft) => {
          const over = ids.filter((id) => {
            const stored = draft.get(id);
            return stored !== undefined && !live(stored.job.state);
          });
          return over.filter((id) => draft.delete(id)).length;
        }),

      count: async () => {
        const counts: Record<JobState, number> = { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
        for (const { job } of (await read()).values()) counts[job.state] += 1;
        return counts;
      },
    };
  },
});
