/**
 * Admits requests to their handlers. Of each class so many run at a time, more while the event loop is on time; others
 * wait, and those that have waited too long, or find too many waiting, are refused. What waits is bounded by time
 * rather than by number: a short line moves slowly if requests are expensive, and clients that are kept waiting before
 * they are refused ask less often, which leaves more time for the requests that are handled.
 */
import { Fault } from '../../fault.js';
import type { StorageLog } from '../../storage.js';
import { type LimitedClass, limitedClasses, type RequestClass } from './classes.js';
import { createLateness, type Lateness } from './lateness.js';
import { Line, type Waiting } from './line.js';
import type { OverloadSettings } from './settings.js';

/** Why a request was refused: too many waited already, or it waited too long. */
export type Refusal = 'full' | 'late';

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
export interface Place {
  /**
   * Resolves when the request may be handled. Throws an `overloaded` fault if it is refused, and the signal's reason if
   * that is aborted while the request waits.
   */
  enter(): Promise<void>;
  /** Lets another request in; does nothing unless this one has entered. It may enter again. */
  leave(): void;
}

export interface Admission {
  place(of: RequestClass, signal: () => AbortSignal): Place;
  crowd(of: LimitedClass): Crowd;
  /** Resolves once no request waits and the event loop is on time for background work, or after so many milliseconds. */
  calm(limitMs: number): Promise<void>;
}

export interface AdmissionOptions {
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
const unlimited: Place = { enter: async () => undefined, leave: () => undefined };

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
      const one: Waiting = {
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
