/**
 * Decisions of another system on who may see what (access evaluations of the AuthZEN Authorization API 1.0): gathered into few
 * questions, kept for a short time, and never made up.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { jsonObject } from '../../../../core/openid.js';
import { configured, send } from '../../../../core/outgoing.js';
import { Fault, isFault, type StorageLog } from '../../../../core/plugin.js';
import { WorkQueue } from '../../measure/work-queue.js';
import type { AuthorizeSettings } from '../../settings.js';

/**
 * Whether the person may see it. Throws an `unavailable` fault if that cannot be found out: the same whatever the resource is, and
 * whether or not it exists.
 */
type Decide = (person: AuthorizedPerson, resource: Resource) => Promise<boolean>;

export interface DecisionOptions {
  ask: AskDecisions;
  /** Seconds. */
  timeout: number;
  /** Seconds for which a decision holds, counted from when the question was sent; 0 keeps none. */
  cache: number;
  log: Pick<StorageLog, 'warn'>;
  now(): Date;
  /** Called with the outcome of each decision that was asked for. */
  count?(outcome: 'allowed' | 'denied' | 'failed'): void;
}

/** Questions that are under way at the same time, and resources in one of them. */
const mostQuestions = 8;
const mostResources = 100;
/** Decisions that are kept. */
const mostKept = 50_000;

interface PendingQuestion {
  resource: Resource;
  /** Called when the question is sent. */
  sent(): void;
  resolve(allowed: boolean): void;
  reject(reason: unknown): void;
}

interface CachedDecision {
  /** Undefined until the question is sent. Milliseconds since 1970. */
  at?: number;
  decision: Promise<boolean>;
}

export function createDecisions({ ask, timeout, cache, log, now, count }: DecisionOptions): Decide {
  const kept = new Map<string, CachedDecision>();
  /** By person: what is asked about in one question, since it arrived in one turn of the event loop. */
  const gathering = new Map<string, PendingQuestion[]>();
  const turns = new WorkQueue({ light: mostQuestions });

  const holds = ({ at }: CachedDecision): boolean => {
    if (at === undefined) return cache > 0;
    const age = now().getTime() - at;
    return age >= 0 && age < cache * 1000;
  };

  function keep(key: string, one: CachedDecision): void {
    kept.delete(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= mostKept) kept.delete(oldest);
    kept.set(key, one);
    // A failure is not kept: the next request asks again.
    one.decision.catch(() => kept.get(key) === one && kept.delete(key));
  }

  function decided(person: AuthorizedPerson, resource: Resource, sent: () => void): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify([person.issuer, person.id]);
      const others = gathering.get(key);
      const one = { resource, sent, resolve, reject };
      if (others !== undefined) {
        others.push(one);
        return;
      }
      const all = [one];
      gathering.set(key, all);
      setImmediate(() => {
        gathering.delete(key);
        for (let at = 0; at < all.length; at += mostResources) void answer(person, all.slice(at, at + mostResources));
      });
    });
  }

  async function answer(person: AuthorizedPerson, waiting: readonly PendingQuestion[]): Promise<void> {
    const late = new AbortController();
    const refusal = new Fault('unavailable', 'has too many questions to answer');
    const timer = setTimeout(() => late.abort(refusal), timeout * 1000);
    try {
      const until = performance.now() + timeout * 1000;
      const question = () => {
        clearTimeout(timer);
        for (const { sent } of waiting) sent();
        const resources = waiting.map(({ resource }) => resource);
        return ask(person, resources, Math.max(1, Math.ceil(until - performance.now())));
      };
      const decisions = await turns.run(1, question, late.signal);
      for (const [i, { resolve }] of waiting.entries()) {
        const allowed = decisions[i] === true;
        count?.(allowed ? 'allowed' : 'denied');
        resolve(allowed);
      }
    } catch (error) {
      if (isFault(error)) log.warn({ reason: error.message }, 'the system that decides who may see samples failed');
      for (const { reject } of waiting) {
        count?.('failed');
        reject(isFault(error) ? undecided(error) : error);
      }
    }
  }

  return (person, resource) => {
    // Someone without a name cannot be asked about.
    if (person.id === '') return Promise.resolve(false);
    const isList = resource.type === 'registry';
    const key = keyOfQuestion(person, resource);
    const known = kept.get(key);
    if (known !== undefined && holds(known)) return known.decision;
    const one: { at?: number } = {};
    const decision = decided(person, resource, () => {
      one.at = now().getTime();
    });
    // A list always asks: an answer without samples, while nothing can be asked, would say that there are none.
    if (cache > 0 && !isList) keep(key, Object.assign(one, { decision }));
    return decision;
  };
}

/** Of one length, and without names. */
function keyOfQuestion({ issuer, id }: AuthorizedPerson, resource: Resource): string {
  const { type, id: name, ...properties } = resource;
  return createHash('sha256')
    .update(JSON.stringify([issuer, id, type, name, properties]))
    .digest('base64');
}

function undecided(cause: Fault): Fault {
  return new Fault(
    'unavailable',
    'The system that decides who may see which sample cannot be asked at the moment; try again later',
    { headers: { 'Retry-After': '5' }, cause },
  );
}

// Questions to the system that decides who may see which sample: access evaluations of the AuthZEN Authorization API 1.0.

/** Someone whom an identity provider vouches for. */
export interface AuthorizedPerson {
  /** The `sub` claim. */
  id: string;
  /** The `iss` claim. */
  issuer: string | undefined;
}

/** What a person asks for. */
export type Resource =
  /** A sample by the id that a request names. `case` and `file` as registered, if it is registered. */
  | { type: 'sample'; id: string; case?: string; file?: string }
  /** A file that a request names itself: its absolute path without links resolved, or its URL. */
  | { type: 'file'; id: string }
  /** The list of registered samples; each of them is asked about as well. */
  | { type: 'registry'; id: 'samples' };

/** One decision for each resource. Throws an `unavailable` fault, with the reason, if there is no sound answer. */
type AskDecisions = (person: AuthorizedPerson, resources: readonly Resource[], timeoutMs: number) => Promise<boolean[]>;

/** Bytes of an answer; a decision takes about 20, and may come with a reason. */
const mostBytes = 256 * 1024;

const answer = z.object({ evaluations: z.array(z.object({ decision: z.boolean() })) });

export function asker({ url: text, secret }: Pick<AuthorizeSettings, 'url' | 'secret'>): AskDecisions {
  const { url, reach } = configured(text);
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${secret}`,
    'Content-Type': 'application/json',
  };
  return async (person, resources, timeoutMs) => {
    const body = JSON.stringify(questionOf(person, resources));
    const response = await send({ method: 'POST', url, reach, headers, body, timeoutMs, maxBytes: mostBytes });
    if (response.status !== 200) throw new Fault('unavailable', `responded with the status ${response.status}`);
    const { data } = answer.safeParse(jsonObject(response.body));
    if (data?.evaluations.length !== resources.length) {
      throw new Fault('unavailable', 'did not respond with one decision (true or false) for each resource');
    }
    return data.evaluations.map(({ decision }) => decision);
  };
}

function questionOf({ id, issuer }: AuthorizedPerson, resources: readonly Resource[]): object {
  return {
    subject: { type: 'user', id, ...(issuer !== undefined && { properties: { issuer } }) },
    action: { name: 'read' },
    evaluations: resources.map(({ type, id: name, ...properties }) => ({
      resource: { type, id: name, ...(Object.keys(properties).length > 0 && { properties }) },
    })),
  };
}
