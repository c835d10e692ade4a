/** Prepared statements, cached for each connection by their text. */
import type { Connection } from './driver.js';

/** Statements cached for one connection; the least recently used one is dropped. */
const kept = 200;

/** `Handle` is the engine's handle of a prepared statement. */
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

  /** The statement for this text. Only the holder of the connection may call this. */
  async get(connection: Link, sql: string): Promise<Handle> {
    let known = this.#known.get(connection);
    if (!known) {
      known = new Map();
      this.#known.set(connection, known);
    }
    const handle = known.get(sql) ?? (await this.#prepare(connection, sql));
    // The map is in order of use.
    known.delete(sql);
    known.set(sql, handle);
    if (known.size <= kept) return handle;
    const [oldest] = known;
    if (oldest) {
      known.delete(oldest[0]);
      await this.#release(connection, oldest[1]);
    }
    return handle;
  }

  /** Releases all statements of a connection before it is closed. */
  async clear(connection: Link): Promise<void> {
    const known = [...(this.#known.get(connection)?.values() ?? [])];
    this.#known.delete(connection);
    for (const handle of known) await this.#release(connection, handle);
  }
}
