/**
 * Admits requests to their handlers. Of each class so many run at a time, more while the event loop is on time; others wait,
 * and those that have waited too long are refused, as are the requests of an address that sends too many.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Fault } from '../fault.js';
import type { StorageLog } from '../storage.js';
import type { HttpMiddleware } from './exchange.js';
import { type LimitedClass, limitedClasses, type RequestClass } from './route.js';
import type { HttpSettings, OverloadSettings } from './settings.js';

// Admits requests to their handlers. Of each class so many run at a time, more while the event loop is on time; others
// wait, and those that have waited too long, or find too many waiting, are refused. What waits is bounded by time
// rather than by number: a short line moves slowly if requests are expensive, and clients that are kept waiting before
// they are refused ask less often, which leaves more time for the requests that are handled.

/** Why a request was refused: too many waited already, or it waited too long. */
type Refusal = 'full' | 'late';

export interface AdmissionMeters {
  /** A request is handled, after waiting for so many seconds. */
  admitted(of: LimitedClass, seconds: number): void;
  refused(of: LimitedClass, why: Refusal): void;
}

/** What one class has at the moment. */
export interface Crowd {
  handled: number;
  waiting: number;
}

/** Of one request among those that are handled. */
export interface AdmissionPlace {
  /**
   * Resolves when the request may be handled. Throws an `overloaded` fault if it is refused, and the signal's reason if
   * that is aborted while the request waits.
   */
  enter(): Promise<void>;
  /** Lets another request in; does nothing unless this one has entered. It may enter again. */
  leave(): void;
}

export interface Admission {
  place(of: RequestClass, signal: () => AbortSignal): AdmissionPlace;
  crowd(of: LimitedClass): Crowd;
  /** Resolves once no request waits and the event loop is on time for background work, or after so many milliseconds. */
  calm(limitMs: number): Promise<void>;
}

interface AdmissionOptions {
  settings: OverloadSettings;
  /** Milliseconds, for tests; `performance.now` if omitted. */
  now?: () => number;
  log: StorageLog;
  meters?: AdmissionMeters;
  /** For tests; that of the event loop if omitted. */
  lateness?: (wanted: () => boolean, onTurn: () => void) => Lateness;
}

interface Gate {
  name: LimitedClass;
  limits: OverloadSettings[LimitedClass];
  /** The lateness, in milliseconds, from which no more than `always` are handled. */
  lateFrom: number;
  /** How many may be handled at a time while the event loop is on time: from `always` to `most`. */
  room: number;
  handled: number;
  waiting: Line;
}

/** The part of `lateMs` from which a class waits: what counts less gives way earlier. */
const shares: Record<LimitedClass, number> = { query: 1, report: 0.5, background: 0.2 };

/** Of the room for each measurement of lateness: what it loses if that is too high, and gains in parts of `always` if not. */
const shrink = 0.7;
const growth = 0.25;

/** The part of the longest wait from which the newest request is next instead of the oldest. */
const long = 0.2;

const logEveryMs = 60_000;
const calmEveryMs = 20;
const unlimited: AdmissionPlace = { enter: async () => undefined, leave: () => undefined };

export function createAdmission({
  settings,
  log,
  meters,
  lateness: measure,
  now = () => performance.now(),
}: AdmissionOptions): Admission {
  const gates = limitedClasses.map(
    (name): Gate => ({
      name,
      limits: settings[name],
      lateFrom: settings.lateMs * shares[name],
      room: settings[name].always,
      handled: 0,
      waiting: new Line(settings[name].seconds * 1000 * long),
    }),
  );
  const gateOf = (name: LimitedClass) => gates[limitedClasses.indexOf(name)] as Gate;
  const wanted = () => gates.some(({ handled, waiting }) => handled + waiting.size > 0);
  const lateness = (measure ?? createLateness)(wanted, () => {
    for (const gate of gates) adapt(gate);
    admitMore();
  });
  const refusals = { since: Number.NEGATIVE_INFINITY, counts: new Map<LimitedClass, number>() };

  const hasRoom = ({ handled, limits, room, lateFrom }: Gate) =>
    handled < limits.always || (handled < room && lateness.now() < lateFrom);

  /** Grows while all room is used and the event loop is on time, in steps, so that no crowd is let in at once. */
  function adapt(gate: Gate): void {
    const { always, most } = gate.limits;
    if (lateness.now() >= gate.lateFrom) gate.room = Math.max(always, Math.floor(gate.room * shrink));
    else if (gate.handled >= gate.room) gate.room = Math.min(most, gate.room + Math.ceil(always * growth));
    else if (gate.handled === 0) gate.room = always;
  }

  function admitMore(): void {
    for (const gate of gates) {
      while (gate.waiting.size > 0 && hasRoom(gate)) gate.waiting.next(now())?.begin();
    }
  }

  function take(gate: Gate, waitedMs: number): void {
    gate.handled += 1;
    lateness.watch();
    meters?.admitted(gate.name, waitedMs / 1000);
  }

  function refuse(gate: Gate, why: Refusal): Fault {
    meters?.refused(gate.name, why);
    const { counts } = refusals;
    counts.set(gate.name, (counts.get(gate.name) ?? 0) + 1);
    const at = now();
    if (at - refusals.since >= logEveryMs) {
      log.warn({ refused: Object.fromEntries(counts) }, 'overloaded: requests are refused with status 503');
      counts.clear();
      refusals.since = at;
    }
    // Spread out, so that those who were refused together do not return together.
    const again = Math.ceil(gate.limits.seconds * (1 + 2 * Math.random()));
    return new Fault('overloaded', `The server has too many requests at the moment; try again in ${again} s`, {
      headers: { 'Retry-After': String(again) },
    });
  }

  async function turn(gate: Gate, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        gate.waiting.remove(one);
        signal.removeEventListener('abort', giveUp);
      };
      const one: WaitingRequest = {
        since: now(),
        begin() {
          end();
          take(gate, now() - one.since);
          resolve();
        },
      };
      const giveUp = () => {
        end();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        end();
        reject(refuse(gate, 'late'));
      }, gate.limits.seconds * 1000).unref();
      gate.waiting.add(one);
      signal.addEventListener('abort', giveUp);
      lateness.watch();
    });
  }

  return {
    place(of, signalOf) {
      if (of === 'health' || !settings.enabled) return unlimited;
      const gate = gateOf(of);
      let isIn = false;
      return {
        async enter() {
          if (gate.waiting.size === 0 && hasRoom(gate)) take(gate, 0);
          else if (gate.waiting.size >= gate.limits.waiting) throw refuse(gate, 'full');
          else await turn(gate, signalOf());
          isIn = true;
        },
        leave() {
          if (!isIn) return;
          isIn = false;
          gate.handled -= 1;
          admitMore();
        },
      };
    },

    crowd(of) {
      const { handled, waiting } = gateOf(of);
      return { handled, waiting: waiting.size };
    },

    async calm(limitMs) {
      const end = performance.now() + limitMs;
      const isCalm = () =>
        gates.every(({ waiting }) => waiting.size === 0) && lateness.now() < gateOf('background').lateFrom;
      while (!isCalm() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, calmEveryMs));
    },
  };
}

// The limit of requests per client address, before any of these.

const exempt = new Set(['/-/live', '/-/ready']);

/** Returns the limit per client address; undefined if it is off. */
export function rateLimit({ rateLimit: { enabled, requests, perSeconds } }: HttpSettings): HttpMiddleware | undefined {
  if (!enabled) return undefined;
  const limiter = new RateLimiterMemory({ points: requests, duration: perSeconds });
  return async (ctx, next) => {
    if (!exempt.has(ctx.path)) {
      try {
        await limiter.consume(ctx.ip);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const wait = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
        throw new Fault('too-many-requests', `Too many requests; try again in ${wait} s`, {
          headers: { 'Retry-After': String(wait) },
        });
      }
    }
    return next();
  };
}

// Requests that wait: the first that came goes first, unless it has waited long; then the last that came does.

interface WaitingRequest {
  /** When it came, in milliseconds. */
  readonly since: number;
  begin(): void;
}

/** Entries that were removed from the middle stay in the list until they reach an end. */
class Line {
  readonly #longMs: number;
  readonly #members = new Set<WaitingRequest>();
  #order: WaitingRequest[] = [];
  #first = 0;

  /** A request that waits longer than so many milliseconds lets newer ones pass. */
  constructor(longMs: number) {
    this.#longMs = longMs;
  }

  get size(): number {
    return this.#members.size;
  }

  add(one: WaitingRequest): void {
    this.#members.add(one);
    this.#order.push(one);
  }

  remove(one: WaitingRequest): void {
    this.#members.delete(one);
    this.#tidy();
  }

  /**
   * The next request; undefined if none waits. If the line does not get shorter, those at its head have waited in vain for
   * almost all of their time: serving the newest answers most clients soon instead of all of them late.
   */
  next(now: number): WaitingRequest | undefined {
    this.#tidy();
    const first = this.#order[this.#first];
    return first !== undefined && now - first.since > this.#longMs ? this.#order.at(-1) : first;
  }

  #tidy(): void {
    const order = this.#order;
    const isGone = (one: WaitingRequest | undefined) => one !== undefined && !this.#members.has(one);
    while (isGone(order.at(-1))) order.pop();
    while (isGone(order[this.#first])) this.#first += 1;
    if (this.#members.size === 0 || this.#first > 1000) {
      this.#order = order.slice(this.#first);
      this.#first = 0;
    }
  }
}

// How late the event loop is: the time from when a timer is due until it runs, which every callback before it adds to.

interface Lateness {
  /** Milliseconds: of the last turn of the loop, or of the present one if that is longer. 0 while nothing is watched. */
  now(): number;
  /** Begins to measure, until it is no longer needed. */
  watch(): void;
}

const periodMs = 10;

/**
 * It measures only while `wanted` says so, so that an idle process sleeps. `onTurn` is called after each measurement.
 */
function createLateness(wanted: () => boolean, onTurn: () => void): Lateness {
  let last = 0;
  let due: number | undefined;

  const begin = () => {
    due = performance.now() + periodMs;
    setTimeout(tick, periodMs).unref();
  };
  const tick = () => {
    last = Math.max(0, performance.now() - (due ?? 0));
    due = undefined;
    onTurn();
    if (due !== undefined) return;
    if (wanted()) begin();
    else last = 0;
  };
  return {
    now: () => (due === undefined ? last : Math.max(last, performance.now() - due)),
    watch() {
      if (due === undefined) begin();
    },
  };
}
