/** Decisions on who may see what: gathered into few questions, kept for a short time, and never made up. */
import { createHash } from 'node:crypto';
import { Fault, isFault, type StorageLog } from '../../../core/plugin.js';
import type { Ask, Person, Resource } from './ask.js';
import { Turns } from './turns.js';

/**
 * Whether the person may see it. Throws an `unavailable` fault if that cannot be found out: the same whatever the resource is, and
 * whether or not it exists.
 */
export type Decide = (person: Person, resource: Resource) => Promise<boolean>;

export interface DecisionOptions {
  ask: Ask;
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

interface Waiting {
  resource: Resource;
  /** Called when the question is sent. */
  sent(): void;
  resolve(allowed: boolean): void;
  reject(reason: unknown): void;
}

interface Kept {
  /** Undefined until the question is sent. Milliseconds since 1970. */
  at?: number;
  decision: Promise<boolean>;
}

export function createDecisions({ ask, timeout, cache, log, now, count }: DecisionOptions): Decide {
  const kept = new Map<string, Kept>();
  /** By person: what is asked about in one question, since it arrived in one turn of the event loop. */
  const gathering = new Map<string, Waiting[]>();
  const turns = new Turns(mostQuestions);

  const holds = ({ at }: Kept): boolean => {
    if (at === undefined) return cache > 0;
    const age = now().getTime() - at;
    return age >= 0 && age < cache * 1000;
  };

  function keep(key: string, one: Kept): void {
    kept.delete(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= mostKept) kept.delete(oldest);
    kept.set(key, one);
    // A failure is nobody's answer: the next request asks again.
    one.decision.catch(() => kept.get(key) === one && kept.delete(key));
  }

  function decided(person: Person, resource: Resource, sent: () => void): Promise<boolean> {
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

  async function answer(person: Person, waiting: readonly Waiting[]): Promise<void> {
    try {
      const until = performance.now() + timeout * 1000;
      const decisions = await turns.run(timeout * 1000, () => {
        for (const { sent } of waiting) sent();
        const resources = waiting.map(({ resource }) => resource);
        return ask(person, resources, Math.max(1, Math.ceil(until - performance.now())));
      });
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
    const key = keyOf(person, resource);
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
function keyOf({ issuer, id }: Person, resource: Resource): string {
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
