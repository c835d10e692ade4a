/**
 * Decides whether a read may use a streaming replica. A process must never see an older state than before, so the
 * replica is read only while it has replayed everything that this process has seen of the primary (PostgreSQL, "Hot
 * Standby" and pg_last_wal_replay_lsn); otherwise the primary is read.
 */
import type { StorageLog } from '../../core/storage.js';

/** Queries of positions in the write-ahead log, as PostgreSQL prints them: `0/16B3748`. */
export interface Watched {
  /** The current end of the primary's log. */
  position(): Promise<string>;
  /** Whether the replica has replayed everything up to the position. Rejects if it does not answer or is not a replica. */
  hasReplayed(position: string): Promise<boolean>;
}

export interface ReplicaOptions {
  watched: Watched;
  /** Milliseconds after which writes of other processes must be visible. */
  maxStaleness: number;
  /** Milliseconds for which a failed replica is not used. */
  rest: number;
  log: StorageLog;
  now(): number;
}

export class ReplicaWatch {
  readonly #options: ReplicaOptions;
  /** Whether the primary was used since its position was last read. */
  #touched = true;
  /** The last position that the replica had not replayed when it was checked. */
  #awaited: string | undefined;
  #compared = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  #failing = false;
  #comparison: Promise<void> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** To be called after every read or write on the primary. */
  touched(): void {
    this.#touched = true;
  }

  /** Whether a read that begins now may use the replica. */
  async mayServe(): Promise<boolean> {
    const { now, maxStaleness } = this.#options;
    if (now() < this.#restUntil) return false;
    if (!this.#serves() || now() - this.#compared >= maxStaleness) {
      this.#comparison ??= this.#compare().finally(() => {
        this.#comparison = undefined;
      });
      await this.#comparison;
    }
    return this.#serves() && now() >= this.#restUntil;
  }

  /** Whether the replica was up to date when last checked. */
  current(): boolean {
    return this.#awaited === undefined && !this.#failing && Number.isFinite(this.#compared);
  }

  /** Whether the replica could not be used when last checked. */
  failing(): boolean {
    return this.#failing;
  }

  /** The replica cannot be used at the moment. */
  failed(reason: string): void {
    this.#restUntil = this.#options.now() + this.#options.rest;
    if (!this.#failing) this.#options.log.warn({ reason }, 'the replica is not used; reads go to the primary');
    this.#failing = true;
  }

  #serves(): boolean {
    return !this.#touched && this.#awaited === undefined;
  }

  async #compare(): Promise<void> {
    const { watched, now, log } = this.#options;
    if (this.#touched || this.#awaited === undefined) {
      this.#touched = false;
      try {
        this.#awaited = await watched.position();
      } catch (error) {
        // The primary's position is unknown: the read goes to the primary, which reports itself if it does not answer.
        this.#touched = true;
        throw error;
      }
    }
    try {
      if (!(await watched.hasReplayed(this.#awaited))) return;
    } catch (error) {
      this.failed(error instanceof Error ? error.message : 'unknown reason');
      return;
    }
    this.#awaited = undefined;
    this.#compared = now();
    if (this.#failing) log.info({}, 'the replica is used again');
    this.#failing = false;
  }
}
