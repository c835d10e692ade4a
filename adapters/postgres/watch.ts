/**
 * Decides whether a read may use a streaming replica. A process must never see an older state than before, so a replica
 * is read only while it has replayed everything that this process has seen of the primary (PostgreSQL, "Hot Standby" and
 * pg_last_wal_replay_lsn); otherwise the primary is read.
 *
 * Behind the address of the replica there may be another server after a failover. A server is read from after it has
 * replayed a position of the primary that was asked for after all reads from the one before. If the primary is lost, a
 * position counts that the one before lacked while no read ran on it: nothing that they saw is beyond it.
 */
import type { StorageLog } from '../../core/storage.js';
import type { CommitPosition } from '../knex/driver.js';

/** A server behind the address of the replica, on the connection that a read is about to use. */
export interface ReplicaCandidate {
  /** Changes when the server is another one, or was started again. */
  server: string;
  /** Whether the connection is older than this time (as `now`). */
  openedBefore(time: number): boolean;
  /** Whether the replica has replayed everything up to the position. Rejects if it does not answer or is not a replica. */
  hasReplayed(position: string): Promise<boolean>;
}

export interface ReplicaOptions {
  /** The current end of the primary's write-ahead log, as PostgreSQL prints it: `0/16B3748`. */
  position(): Promise<string>;
  /** Milliseconds after which writes of other processes must be visible. */
  maxStaleness: number;
  /** Milliseconds for which a failed replica is not used. */
  rest: number;
  log: StorageLog;
  now(): number;
}

/**
 * `serve`: the read may use the connection. `primary`: it must use the primary. `close`: it must, and the connection leads
 * to a server that is not used any more.
 */
export type Verdict = 'serve' | 'primary' | 'close';

/** Milliseconds after which the position is queried again beside the reads, so that a lost primary is noticed late. */
const refreshAfter = 1000;

/** A position of the primary. */
export type Position = CommitPosition;

/** What happened before a position is in it: events are numbered. */
interface NumberedPosition extends Position {
  number: number;
}

export class ReplicaWatch {
  readonly #options: ReplicaOptions;
  #events = 0;
  /** The last event that reads have to see. */
  #needed = 0;
  #latest: NumberedPosition = { text: '', at: Number.NEGATIVE_INFINITY, number: -1 };
  /** The server that is read from, since when, and the last position that it had replayed. */
  #used: { server: string; since: number; replayed: NumberedPosition } | undefined;
  /** The number of the position that the server lacked that is read from, if it has served nothing since. */
  #lacked: number | undefined;
  /** Reads that run on the replica. */
  #running = 0;
  #primaryLost = false;
  #restUntil = Number.NEGATIVE_INFINITY;
  #failing = false;
  #behind = false;
  #asking: { number: number; answer: Promise<void> } | undefined;
  #askingSoon = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /**
   * To be called after every read or write on the primary that saw something; with a position that has all of it, if it is
   * known.
   */
  touched(position?: Position): void {
    this.#needed = ++this.#events;
    this.#primaryLost = false;
    if (position) this.#latest = { ...position, number: this.#needed };
    else this.#askSoon();
  }

  /** Whether the replica was not lost a moment ago. */
  mayTry(): boolean {
    return this.#options.now() >= this.#restUntil;
  }

  /** Whether the primary did not answer when it was last asked: then another replica is worth a try. */
  primaryLost(): boolean {
    return this.#primaryLost;
  }

  /** The primary could not be read. */
  lostPrimary(): void {
    this.#primaryLost = true;
  }

  /** To be called when a read is over that was allowed by `serve`. */
  ended(): void {
    this.#running--;
  }

  /** Rejects if the primary's position must be known and the primary does not answer. */
  async judge(candidate: ReplicaCandidate): Promise<Verdict> {
    const { now, maxStaleness } = this.#options;
    const { server } = candidate;
    const began = now();
    const before = this.#used?.server;
    const isOther = before !== server;
    // Connections to the server of before are left; it may not have what the other has shown since.
    if (this.#used && isOther && candidate.openedBefore(this.#used.since)) return 'close';
    const lacked = this.#running === 0 && this.#latest.number >= this.#needed ? this.#lacked : undefined;
    const isCovered = lacked !== undefined && lacked === this.#latest.number;
    // Another server would have to wait for the primary.
    if (this.#used && isOther && !isCovered && this.#primaryLost) return 'close';
    const needed = isOther && !isCovered ? ++this.#events : this.#needed;
    const age = began - this.#latest.at;
    if (this.#latest.number < needed || age >= maxStaleness) await this.#ask(needed);
    else if (age >= Math.min(refreshAfter, maxStaleness / 2)) this.#ask(needed).catch(() => undefined);
    const latest = this.#latest;
    if (isOther || this.#used === undefined || this.#used.replayed.number < latest.number) {
      try {
        const has = await candidate.hasReplayed(latest.text);
        const isStill = this.#used?.server === before || this.#used?.server === server;
        const mayFollow = isStill && (!isCovered || latest.number !== lacked || this.#lacked === lacked);
        if (has && mayFollow) this.#replayed(server, latest);
        if (!has && !isOther && this.#running === 0) this.#lacked = latest.number;
      } catch (error) {
        this.failed(error instanceof Error ? error.message : 'unknown reason');
        return 'close';
      }
    }
    const serves = this.#serves(server, began);
    this.#behind = !serves;
    if (!serves) return 'primary';
    this.#lacked = undefined;
    this.#running++;
    return 'serve';
  }

  /** Whether the replica could be read from when last judged. */
  current(): boolean {
    return this.#used !== undefined && !this.#behind && !this.#failing;
  }

  /** Whether the replica could not be used when last judged. */
  failing(): boolean {
    return this.#failing;
  }

  /** The replica cannot be used at the moment. */
  failed(reason: string): void {
    this.#restUntil = this.#options.now() + this.#options.rest;
    if (!this.#failing) this.#options.log.warn({ reason }, 'the replica is not used; reads go to the primary');
    this.#failing = true;
  }

  #serves(server: string, began: number): boolean {
    const used = this.#used;
    if (used?.server !== server || !this.mayTry()) return false;
    return used.replayed.number >= this.#needed && began - used.replayed.at <= this.#options.maxStaleness;
  }

  #replayed(server: string, position: NumberedPosition): void {
    const { now, log } = this.#options;
    if (this.#used?.server !== server) this.#used = { server, since: now(), replayed: position };
    else if (this.#used.replayed.number < position.number) this.#used.replayed = position;
    if (this.#failing) log.info({}, 'the replica is used again');
    this.#failing = false;
  }

  /** Soon after the primary was used, before it may be lost: then it would be unknown what a read has to see. */
  #askSoon(): void {
    if (this.#askingSoon) return;
    this.#askingSoon = true;
    setImmediate(() => {
      this.#askingSoon = false;
      // Until then no read uses the replica.
      if (this.#used && this.#latest.number < this.#needed) this.#ask(this.#needed).catch(() => undefined);
    });
  }

  /** Asks for a position with all events up to a number; callers share an answer that has them. */
  async #ask(needed: number): Promise<void> {
    while (this.#asking && this.#asking.number < needed) await this.#asking.answer.catch(() => undefined);
    this.#asking ??= this.#position();
    await this.#asking.answer;
  }

  #position(): { number: number; answer: Promise<void> } {
    const { position, now } = this.#options;
    const at = now();
    const number = ++this.#events;
    const answer = position()
      .then((text) => {
        this.#primaryLost = false;
        if (this.#latest.number < number) this.#latest = { text, at, number };
      })
      .catch((error: unknown) => {
        this.#primaryLost = true;
        throw error;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return { number, answer };
  }
}
