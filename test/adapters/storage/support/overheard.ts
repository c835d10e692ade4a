/** Records the statements of a repository, to look at their plans. */
import type { Knex } from 'knex';
import type { Database } from '../../../../adapters/knex/binding.js';

export interface Statement {
  sql: string;
  bindings: readonly unknown[];
  /** Rows of its result; of queries, once they have ended. */
  rows?: number;
}

/** The database, with every statement on it recorded. */
export function overheard(database: Database, heard: Statement[]): Database {
  const listening = new Set<Knex>();
  const listen = (knex: Knex) => {
    if (!listening.has(knex)) knex.on('query', ({ sql, bindings }: Statement) => heard.push({ sql, bindings }));
    listening.add(knex);
  };
  const listened = async <Row>(statement: Statement, run: () => Promise<Row[]>): Promise<Row[]> => {
    heard.push(statement);
    const rows = await run();
    statement.rows = rows.length;
    return rows;
  };
  const wrapped = (inner: Database): Database => {
    listen(inner.write);
    return {
      read: inner.read,
      write: inner.write,
      engine: inner.engine,
      log: inner.log,
      query: (sql, bindings) => listened({ sql, bindings }, () => inner.query(sql, bindings)),
      queryLatest: (sql, bindings) => listened({ sql, bindings }, () => inner.queryLatest(sql, bindings)),
      later: async (sql, bindings) =>
        void (await listened({ sql, bindings }, async () => [await inner.later(sql, bindings)])),
      onCommit: (done) => inner.onCommit(done),
      until: (signal) => wrapped(inner.until(signal)),
      snapshot: (work) => inner.snapshot((scoped) => work(wrapped(scoped))),
      transaction: (work) => inner.transaction((scoped) => work(wrapped(scoped))),
      run: (work) => inner.run((scoped) => work(wrapped(scoped))),
    };
  };
  return wrapped(database);
}
