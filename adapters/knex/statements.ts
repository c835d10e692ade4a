/** Prepared statements, kept for each connection by their text. */
import type { Connection } from './driver.js';

/** Statements kept for one connection; the one unused for longest makes room. */
const kept = 200;

/** `Handle` is what the engine knows a prepared statement by. */
export class PreparedStatements<Link extends Connection, Handle> {
  readonly #known = new WeakMap<Link, Map<string, Handle>>();
  readonly #prepare: (connection: Link, sql: string) => Promise<Handle>;
  readonly #release: (connection: Link, handle: Handle) => Promise<void>;

  constructor(
    prepare: (connection: Link, sql: string) => Promise<Handle>,
    release: (connection: Link, handle: Handle) => Promise<void>,
  ) {
    this.#prepare = prepare;
    this.#release = release;
  }

  /** The statement for this text. Only who holds the connection may ask. */
  async get(connection: Link, sql: string): Promise<Handle> {
    let known = this.#known.get(connection);
    if (!known) {
      known = new Map();
      this.#known.set(connection, known);
    }
    const handle = known.get(sql) ?? (await this.#prepare(connection, sql));
    // The map's order is that of use.
    known.delete(sql);
    known.set(sql, handle);
    const [oldest] = known;
    if (known.size > kept && oldest) {
      known.delete(oldest[0]);
      await this.#release(connection, oldest[1]);
    }
    return handle;
  }

  /** Releases all of a connection's statements, before it is closed. */
  async clear(connection: Link): Promise<void> {
    const known = [...(this.#known.get(connection)?.values() ?? [])];
    this.#known.delete(connection);
    for (const handle of known) await this.#release(connection, handle);
  }
}
