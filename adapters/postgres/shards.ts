/**
 * Partitions on other PostgreSQL servers, reached by postgres_fdw (`config/sharding.md`). Each server has a state of its own:
 * a reader sees there what was committed when it first came, and not when its snapshot here began.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';

/** Milliseconds in which a server must answer, and after which it is no longer asked. */
const patience = 1000;
const limit = 3000;
/** Milliseconds between looks at the readers, and how many looks. */
const pause = 50;
const looks = 40;

interface Rows<Row> {
  rows: Row[];
}

/** The values of the partition column that lie on other servers. */
export async function farParts(on: Knex, table: string): Promise<number[]> {
  const { rows } = await on.raw<Rows<{ part: number }>>(
    "select substring(pg_get_expr(c.relpartbound, c.oid) from '[0-9]+')::integer as part from pg_inherits i " +
      "join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(?) and c.relkind = 'f' order by 1",
    [table],
  );
  return rows.map(({ part }) => part);
}

/** Whether every snapshot is newer than this call: waits a little for older ones to end. */
export async function olderReadersGone(on: Knex): Promise<boolean> {
  const { rows } = await on.raw<Rows<{ now: string }>>('select clock_timestamp()::text as now');
  for (let look = 0; look < looks; look++) {
    const older = await on.raw<Rows<unknown>>(
      'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() ' +
        'and backend_xmin is not null and xact_start <= ?::timestamptz limit 1',
      [rows[0]?.now ?? ''],
    );
    if (older.rows.length === 0) return true;
    await sleep(pause);
  }
  return false;
}

/** Whether the servers answer, asking each one at a time: one that hangs takes no further connection. */
export class Shards {
  readonly #on: Knex;
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(on: Knex) {
    this.#on = on;
  }

  async answering(): Promise<Map<string, boolean>> {
    const { rows } = await this.#on.raw<Rows<{ server: string; table: string }>>(
      'select s.srvname as server, min(t.ftrelid::regclass::text) as "table" from pg_foreign_table t ' +
        'join pg_foreign_server s on s.oid = t.ftserver group by 1 order by 1',
    );
    const answers = rows.map(async ({ server, table }): Promise<[string, boolean]> => {
      const asked = this.#asked.get(server) ?? this.#ask(table).finally(() => this.#asked.delete(server));
      this.#asked.set(server, asked);
      return [server, await Promise.race([asked, sleep(patience, false, { ref: false })])];
    });
    return new Map(await Promise.all(answers));
  }

  async #ask(table: string): Promise<boolean> {
    try {
      await this.#on.transaction(async (inside) => {
        await inside.raw(`set local statement_timeout = ${limit}`);
        await inside.raw(`select 1 from ${table} limit 1`);
      });
      return true;
    } catch {
      return false;
    }
  }
}
