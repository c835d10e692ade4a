/**
 * jobs@1: a job by its id, with entries that index it: live ones by age, finished ones by the time of their last
 * change, all by age and by owner, and live ones by their key.
 */
import { keyOf, under } from '../keys.js';

const jobKey = (id) => keyOf('job', id);
const liveKey = (key) => keyOf('key', key);
const none = { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
const isLive = ({ state }) => state === 'queued' || state === 'running';
const handedBack = { worker: undefined, leaseUntil: undefined };
/** Fields of every job that has ended. */
const ended = { payload: null };

/** The index entries of a job. Equal ones are ordered by `number`: as they were added. */
function entriesOf({ job, key, number }) {
  const age = [job.created.getTime(), number];
  const entries = [keyOf('all', ...age), keyOf('of', JSON.stringify(job.owner), ...age)];
  if (!isLive(job)) return [...entries, keyOf('over', job.updated.getTime(), number)];
  entries.push(keyOf('live', job.created.getTime(), number));
  return key === undefined ? entries : [...entries, liveKey(key)];
}

/** Replaces a job, its entries and the counts of states; deletes it without `after`. */
async function put(space, before, after) {
  const counts = (await space.get('counts')) ?? { ...none };
  if (before) {
    for (const entry of entriesOf(before)) space.remove(entry);
    counts[before.job.state] -= 1;
  }
  if (after) {
    for (const entry of entriesOf(after)) space.put(entry, after.job.id);
    counts[after.job.state] += 1;
    space.put(jobKey(after.job.id), after);
  } else space.remove(jobKey(before.job.id));
  space.put('counts', counts);
}

/** Changes some fields of the job; undefined removes a field. */
async function change(space, stored, fields) {
  const job = Object.fromEntries(
    Object.entries({ ...stored.job, ...fields }).filter(([, value]) => value !== undefined),
  );
  await put(space, stored, { ...stored, job, key: isLive(job) ? stored.key : undefined });
  return structuredClone(job);
}

/** The job, if this worker runs it. */
async function heldBy(space, id, worker) {
  const stored = await space.get(jobKey(id));
  return stored?.job.state === 'running' && stored.job.worker === worker ? stored : undefined;
}

function isDue({ state, runAfter, leaseUntil }, now) {
  return state === 'queued' ? runAfter <= now : state === 'running' && leaseUntil < now;
}

export default ({ read, write }) => {
  /** Changes a job that the worker holds and releases it; returns false if the worker does not hold it. */
  const handBack = (id, worker, now, fields) =>
    write(async (space) => {
      const stored = await heldBy(space, id, worker);
      if (!stored) return false;
      await change(space, stored, { ...handedBack, updated: now, ...fields(stored.job) });
      return true;
    });

  return {
    enqueue: ({ key, ...given }) =>
      write(async (space) => {
        const twin = key === undefined ? undefined : await space.get(liveKey(key));
        if (twin !== undefined) return (await space.get(jobKey(twin))).job;
        const counters = { attempts: 0, crashes: 0, progress: 0 };
        const fresh = { state: 'queued', ...counters, cancelRequested: false, updated: given.created };
        const number = await space.fresh();
        await put(space, undefined, { job: { ...given, ...fresh }, key, number });
        return (await space.get(jobKey(given.id))).job;
      }),

    find: (id, owner) =>
      read(async (space) => {
        const job = (await space.get(jobKey(id)))?.job;
        return owner === undefined || job?.owner === owner ? job : undefined;
      }),

    list: ({ owner, state, limit }) =>
      read(async (space) => {
        const range = owner === undefined ? under('all') : under('of', JSON.stringify(owner));
        const found = [];
        for await (const [, id] of space.range(range, { reverse: true })) {
          if (found.length >= limit) break;
          const { job } = await space.get(jobKey(id));
          if (state === undefined || job.state === state) found.push(job);
        }
        return found;
      }),

    claim: ({ kinds, worker, now, leaseUntil }) =>
      write(async (space) => {
        const wanted = new Set(kinds);
        for await (const [, id] of space.range(under('live'))) {
          const stored = await space.get(jobKey(id));
          if (!wanted.has(stored.job.kind) || !isDue(stored.job, now)) continue;
          const attempts = stored.job.attempts + 1;
          const crashes = stored.job.crashes + (stored.job.state === 'running' ? 1 : 0);
          return change(space, stored, { state: 'running', worker, leaseUntil, attempts, crashes, updated: now });
        }
        return undefined;
      }),

    renew: (id, worker, leaseUntil, progress, now) =>
      write(async (space) => {
        const stored = await heldBy(space, id, worker);
        if (!stored) return 'lost';
        await change(space, stored, { leaseUntil, progress, updated: now });
        return stored.job.cancelRequested ? 'cancel' : 'held';
      }),

    finish: (id, worker, result, now) =>
      handBack(id, worker, now, () => ({ state: 'done', result, progress: 1, ...ended })),

    fail: (id, worker, error, now, retryAt) =>
      handBack(id, worker, now, () =>
        retryAt ? { state: 'queued', error, runAfter: retryAt } : { state: 'failed', error, ...ended },
      ),

    release: (id, worker, now) =>
      handBack(id, worker, now, ({ attempts }) => ({ state: 'queued', attempts: attempts - 1 })),

    cancel: (id, now) =>
      write(async (space) => {
        const stored = await space.get(jobKey(id));
        if (!stored || !isLive(stored.job)) return false;
        const queued = stored.job.state === 'queued';
        const fields = queued ? { state: 'cancelled', ...ended } : { cancelRequested: true };
        await change(space, stored, { updated: now, ...fields });
        return true;
      }),

    cancelled: (id, worker, now) => handBack(id, worker, now, () => ({ state: 'cancelled', ...ended })),

    expire: (before) =>
      write(async (space) => {
        const over = under('over');
        let expired = 0;
        for await (const [, id] of space.range({ from: over.from, before: keyOf('over', before.getTime()) })) {
          await put(space, await space.get(jobKey(id)), undefined);
          expired += 1;
        }
        return expired;
      }),

    remove: (ids) =>
      write(async (space) => {
        let removed = 0;
        for (const id of ids) {
          const stored = await space.get(jobKey(id));
          if (!stored || isLive(stored.job)) continue;
          await put(space, stored, undefined);
          removed += 1;
        }
        return removed;
      }),

    count: () => read(async (space) => (await space.get('counts')) ?? { ...none }),
  };
};
