/**
 * When statements are asked again: after each change that other plugins announce, and all of them once a night. An event says which
 * statements it touches; one that may touch any case has all asked again. What an event missed, the night makes good.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  isFault,
  type Job,
  type Json,
  type PluginContext,
  recurring,
  type StorageScope,
} from '../../../core/plugin.js';
import type { CaseKey } from '../contract.js';
import { type RunTools, run } from './run.js';

export const runJob = 'reviews.run';

const owner = 'reviews';
const ids = z.array(z.string());

const scopeFields = z.strictObject({
  touched: z.strictObject({ samples: ids.optional(), panels: ids.optional(), patients: ids.optional() }).optional(),
  case: z.strictObject({ owner: z.string().optional(), case: z.string() }).optional(),
  changed: z.literal(true).optional(),
  genes: z.literal(true).optional(),
});
type JobScope = z.infer<typeof scopeFields>;

export type ScheduleContext = Pick<
  PluginContext<{ nightly: number }>,
  'jobs' | 'on' | 'now' | 'onReady' | 'onClose' | 'log' | 'settings'
>;

export interface Schedule {
  /** Has one case asked again, or all of them, once the transaction of the scope is done. */
  ask(key?: CaseKey, scope?: StorageScope): Promise<Job>;
}

/** What is announced, and what is asked again; nothing stated: all of any case. */
const events: Readonly<Record<string, (event: { [name: string]: Json }) => JobScope>> = {
  'panels/signed@1': ({ panel }) => ({ touched: { panels: [String(panel)] } }),
  'panels/names-replaced@1': () => ({ genes: true }),
  'coverage/sites-replaced@1': () => ({}),
  'coverage/intervals-replaced@1': () => ({}),
  'coverage/samples-changed@1': ({ samples }) => ({ touched: { samples: (samples as string[]) ?? [] } }),
  // Carriers elsewhere count for every case with the same alleles: the run finds out which they are.
  'beacon/calls-changed@1': () => ({ changed: true }),
  'matchmaker/matched@1': ({ patients }) => ({ touched: { patients: (patients as string[]) ?? [] } }),
};

export function scheduleRuns(context: ScheduleContext, tools: RunTools): Schedule {
  const { jobs, on, now, settings } = context;
  jobs.handle<JobScope>(runJob, {
    payload: scopeFields,
    async run(scope, { signal, progress, giveWay, log }) {
      const result = await run(tools, scope as Parameters<typeof run>[1], { signal, progress, giveWay });
      const { cases, opened, gone, held, unlooked } = result;
      log.info({ cases, opened, gone, held: held.length, unlooked }, 'statements were asked again');
      return { ...result };
    },
  });

  /** A job that runs already may have read what changed since: then another one follows it. */
  async function queue(asked: JobScope, scope?: StorageScope): Promise<Job> {
    const how = { owner, ...(scope && { scope }) };
    const key = JSON.stringify([runJob, asked]);
    const first = await jobs.enqueue(runJob, asked as Json, { ...how, key });
    if (first.state === 'queued') return first;
    const next = await jobs.enqueue(runJob, asked as Json, { ...how, key: `${key} next` });
    return next.state === 'queued' ? next : jobs.enqueue(runJob, asked as Json, how);
  }

  for (const [name, touches] of Object.entries(events))
    on(name, async (event: { [name: string]: Json }) => void (await queue(touches(event))));

  recurring(context, {
    what: 'asking all statements again',
    everyMs: 10 * 60 * 1000,
    async work() {
      // One for all servers: the first that comes queues the night's job, later if none ran at that hour.
      await enqueueOnce(jobs, runJob, {}, lastHour(now(), settings.nightly).toISOString().slice(0, 10));
    },
  });
  return {
    ask: (key, scope) =>
      queue(key === undefined ? {} : { case: { case: key.case, ...(key.owner && { owner: key.owner }) } }, scope),
  };
}

/** The last time at which it was this hour, in UTC. */
export function lastHour(now: Date, hour: number): Date {
  const last = new Date(now);
  last.setUTCHours(hour, 0, 0, 0);
  if (last > now) last.setUTCDate(last.getUTCDate() - 1);
  return last;
}

/** Queues a job of this kind and name unless it was queued before. Its id, in the form of a UUID, is made of both. */
export async function enqueueOnce(
  jobs: ScheduleContext['jobs'],
  kind: string,
  payload: Json,
  name: string = JSON.stringify(payload),
): Promise<void> {
  const hex = createHash('sha256').update(`${kind} ${name}`).digest('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  await jobs.enqueue(kind, payload, { owner, id }).catch((error: unknown) => {
    if (!isFault(error) || error.code !== 'conflict') throw error;
  });
}
