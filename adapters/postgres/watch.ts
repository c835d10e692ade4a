/**
 * Reads from a streaming replica, as long as nobody can tell. What this process has once seen of the primary it must
 * go on seeing, so the replica is asked only while it has replayed all of that (PostgreSQL, "Hot Standby" and
 * pg_last_wal_replay_lsn); otherwise the primary is.
 */
import type { StorageLog } from '../../core/storage.js';

/** Positions in the write-ahead log, as PostgreSQL prints them: `0/16B3748`. */
export interface Watched {
  /** Where the primary's log ends now. */
  position(): Promise<string>;
  /** Whether the replica has replayed everything up to the position. Rejects where it does not answer, or is none. */
  hasReplayed(position: string): Promise<boolean>;
}

export interface ReplicaOptions {
  watched: Watched;
  /** Milliseconds after which what other processes wrote must be there. */
  maxStaleness: number;
  /** Milliseconds for which a replica that failed is left alone. */
  rest: number;
  log: StorageLog;
  now(): number;
}

export class ReplicaWatch {
  readonly #options: ReplicaOptions;
  /** Something was seen of the primary since its position was last asked. */
  #touched = true;
  /** The position that the replica was last found not to have replayed. */
  #awaited: string | undefined;
  #compared = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  #failing = false;
  #comparison: Promise<void> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** To be called when anything was read or written on the primary, once that is over. */
  touched(): void {
    this.#touched = true;
  }

  /** Whether a read that begins now may go to the replica. */
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

  /** Whether it served when it was last asked about: it has what was seen of the primary until then. */
  current(): boolean {
    return this.#awaited === undefined && !this.#failing && Number.isFinite(this.#compared);
  }

  /** Whether it could not be used when it was last asked. */
  failing(): boolean {
    return this.#failing;
  }

  /** The replica cannot be used at the moment. */
  failed(reason: string): void {
    this.#restUntil = this.#options.now() + this.#options.rest;
    if (!this.#failing) this.#options.log.warn({ reason }, 'the replica is not used; the primary answers');
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
        // Nobody knows what the primary has; it has the say, and tells the reader itself that it does not answer.
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
