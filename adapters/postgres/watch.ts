/**
 * Decides whether a read may use a streaming replica. A process must never see an older state than before, so a replica
 * is read only while it has replayed everything that this process has seen of the primary (PostgreSQL, "Hot Standby" and
 * pg_last_wal_replay_lsn); otherwise the primary is read.
 *
 * Behind the address of the replica there may be another server after a failover. A server is read from after it has
 * replayed a position of the primary that was asked for after all reads from the one before.
 */
import type { StorageLog } from '../../core/storage.js';

/** A server behind the address of the replica, on the connection that a read is about to use. */
export interface Candidate {
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

/** Milliseconds after which the position is asked for again beside the reads, so that a lost primary is noticed late. */
const refreshAfter = 1000;

interface Position {
  text: string;
  /** When it was asked for. */
  at: number;
}

export class ReplicaWatch {
  readonly #options: ReplicaOptions;
  /** Whether the primary was used since its position was last asked for. */
  #touched = true;
  #latest: Position | undefined;
  /** When the position was asked for that reads have to see. */
  #needed = Number.NEGATIVE_INFINITY;
  /** The server that is read from, since when, and the time of the last position that it had replayed. */
  #used: { server: string; since: number; replayed: number } | undefined;
  #restUntil = Number.NEGATIVE_INFINITY;
  #failing = false;
  #behind = false;
  #asking: Promise<void> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** To be called after every read or write on the primary that saw something. */
  touched(): void {
    this.#touched = true;
  }

  /** Whether the replica was not lost a moment ago. */
  mayTry(): boolean {
    return this.#options.now() >= this.#restUntil;
  }

  /** Rejects if the primary's position must be known and the primary does not answer. */
  async judge(candidate: Candidate): Promise<Verdict> {
    const { now, maxStaleness } = this.#options;
    const { server } = candidate;
    const began = now();
    const used = this.#used;
    const isOther = used?.server !== server;
    // Connections to the server of before are left; it may not have what the other has shown since.
    if (used && isOther && candidate.openedBefore(used.since)) return 'close';
    const asked = this.#latest?.at ?? Number.NEGATIVE_INFINITY;
    const age = began - asked;
    if (this.#touched || isOther || this.#needed > asked || age >= maxStaleness) await this.#ask(isOther);
    else if (age >= Math.min(refreshAfter, maxStaleness / 2)) this.#ask(false).catch(() => undefined);
    const latest = this.#latest;
    if (latest && (isOther || this.#used === undefined || this.#used.replayed < latest.at)) {
      try {
        if (await candidate.hasReplayed(latest.text)) this.#replayed(server, latest.at);
      } catch (error) {
        this.failed(error instanceof Error ? error.message : 'unknown reason');
        return 'close';
      }
    }
    const serves = this.#serves(server, began);
    this.#behind = !serves;
    return serves ? 'serve' : 'primary';
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
    if (this.#touched || used?.server !== server || !this.mayTry()) return false;
    return used.replayed >= this.#needed && began - used.replayed <= this.#options.maxStaleness;
  }

  #replayed(server: string, at: number): void {
    const { now, log } = this.#options;
    const before = this.#used;
    if (before?.server === server) before.replayed = Math.max(before.replayed, at);
    else this.#used = { server, since: now(), replayed: at };
    if (this.#failing) log.info({}, 'the replica is used again');
    this.#failing = false;
  }

  /** Asks for the primary's position; reads that arrive meanwhile wait for the same answer, unless they need a later one. */
  async #ask(anew: boolean): Promise<void> {
    if (anew || this.#touched) await this.#asking?.catch(() => undefined);
    if (anew || this.#touched || this.#asking === undefined) {
      this.#asking ??= this.#position().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
  }

  async #position(): Promise<void> {
    const { position, now } = this.#options;
    const at = now();
    if (this.#touched) this.#needed = at;
    this.#touched = false;
    // If the primary does not answer, what is needed stays unknown, and reads ask again.
    this.#latest = { text: await position(), at };
  }
}
