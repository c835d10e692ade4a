/** Background work as a plugin sees it: handlers by kind, and a queue. */
import { randomUUID } from 'node:crypto';
import { Fault } from '../fault.js';
import type { JobHandler, Jobs } from '../plugin.js';
import type { Storage, StorageLog, StorageScope } from '../storage.js';
import { currentRecorder } from '../work.js';
import { type JobRepository, type Json, jobs } from './contract.js';

export interface RegisteredHandler {
  handler: JobHandler<unknown>;
  log: StorageLog;
}

/** The handlers of this process by kind. */
export type Handlers = Map<string, RegisteredHandler>;

export interface JobServiceOptions {
  /** Called at first use. */
  repository(): JobRepository;
  storage: Pick<Storage, 'transaction'>;
  handlers: Handlers;
  now(): Date;
  /** Called when a job was queued and can be claimed. */
  wake(): void;
}

export interface JobService {
  /** The service of one plugin; its job kinds begin with the plugin's name. */
  for(plugin: string, log: StorageLog): Jobs;
  /** A transaction of the storage; jobs queued inside are claimed once it is committed. */
  transaction: Storage['transaction'];
}

export function jobService({ repository, storage, handlers, now, wake }: JobServiceOptions): JobService {
  /** Jobs that were queued inside transactions so far, committed or not. */
  let inside = 0;
  return {
    for: (plugin, log) => ({
      handle(kind, handler) {
        if (!kind.startsWith(`${plugin}.`)) throw new TypeError(`A job kind must be ${plugin}.verb; got "${kind}"`);
        if (handlers.has(kind)) throw new TypeError(`The job kind "${kind}" already has a handler`);
        handlers.set(kind, { handler: handler as JobHandler<unknown>, log });
      },
      async enqueue(kind, payload, { owner, key, scope, id = randomUUID() }) {
        const registered = handlers.get(kind);
        if (!registered) throw new Fault('internal', `No handler is registered for jobs of kind ${kind}`);
        await payloadOfJob(registered.handler, payload);
        const created = now();
        const job = { id, kind, payload, owner, created, runAfter: created };
        const queued = await into(scope).enqueue(key === undefined ? job : { ...job, key });
        currentRecorder()?.current()?.link(queued.id);
        if (scope) inside += 1;
        else wake();
        return queued;
      },
      async find(id) {
        const job = await repository().find(id);
        return job?.kind.startsWith(`${plugin}.`) ? job : undefined;
      },
      href: (job) => `/-/jobs/${job.id}`,
    }),
    async transaction(work) {
      const before = inside;
      const result = await storage.transaction(work);
      // Perhaps by another transaction that ran meanwhile: then it is one look too many.
      if (inside !== before) wake();
      return result;
    },
  };

  function into(scope: StorageScope | undefined): JobRepository {
    return scope ? scope.repository(jobs) : repository();
  }
}

/** Parses a payload with the handler's schema; throws an `invalid` fault that names every invalid field. */
export async function payloadOfJob(handler: JobHandler<unknown>, payload: Json): Promise<unknown> {
  const result = await handler.payload['~standard'].validate(payload);
  if (!result.issues) return result.value;
  const fields = result.issues.map((issue) => ({
    path: (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
    message: issue.message,
  }));
  const listed = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw new Fault('invalid', `The job's payload is not valid: ${listed}`, { fields });
}
