/**
 * The driver of the embedded engine, `sqlite3`, against `node:sqlite`, which Node.js has from 22.13 on: points, rows and
 * inserts, and how late the event loop is during a long statement. Options: `--rows=200000`. Run it with another Node.js by
 * `PATH_TO/node --import=tsx/esm test/bench/run.ts driver`.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import sqlite3 from 'sqlite3';
import { execute, finalize, prepare } from '../../adapters/sqlite/engine.js';
import type { Print } from './run.js';
import { grouped, withFolder } from './support/machine.js';

interface Driver {
  exec(sql: string): Promise<void>;
  /** Runs a statement once for each list of values; returns all rows. */
  each(sql: string, values: readonly (readonly number[])[]): Promise<number>;
  close(): Promise<void>;
}

/** The part of `node:sqlite` that is used here. */
interface SyncDatabase {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: readonly number[]): unknown[] };
  close(): void;
}

async function archived(file: string): Promise<Driver> {
  const connection = await new Promise<sqlite3.Database>((resolve, reject) => {
    const made: sqlite3.Database = new sqlite3.Database(file, (error) => (error ? reject(error) : resolve(made)));
  });
  return {
    exec: (sql) => execute(connection, sql),
    async each(sql, values) {
      const statement = await prepare(connection, sql);
      let rows = 0;
      for (const one of values) {
        rows += await new Promise<number>((resolve, reject) => {
          statement.all(one, (error, found) => (error ? reject(error) : resolve(found.length)));
        });
      }
      await finalize(statement);
      return rows;
    },
    close: () =>
      new Promise((resolve, reject) => {
        connection.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** Undefined if this Node.js has no `node:sqlite`. */
async function builtIn(file: string): Promise<Driver | undefined> {
  const name = 'node:sqlite';
  const library = await import(name).catch(() => undefined);
  if (library === undefined) return undefined;
  const database: SyncDatabase = new library.DatabaseSync(file);
  return {
    exec: async (sql) => database.exec(sql),
    async each(sql, values) {
      const statement = database.prepare(sql);
      return values.reduce((rows, one) => rows + statement.all(...one).length, 0);
    },
    close: async () => database.close(),
  };
}

/** Milliseconds of the work, and by how much a timer was late meanwhile at most. */
async function timed(work: () => Promise<unknown>): Promise<{ ms: number; late: number }> {
  let [last, late] = [performance.now(), 0];
  const note = () => {
    late = Math.max(late, performance.now() - last - 5);
    last = performance.now();
  };
  const timer = setInterval(note, 5);
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  await new Promise((resolve) => setTimeout(resolve, 10));
  clearInterval(timer);
  return { ms, late };
}

const points = 20_000;

export default async function driver(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const rows = Number(options.rows ?? 200_000);
  await withFolder(async (folder) => {
    const opened = { sqlite3: await archived(join(folder, 'a')), 'node:sqlite': await builtIn(join(folder, 'b')) };
    print(`Node.js ${process.versions.node}, ${grouped(rows)} rows, ${grouped(points)} points`);
    const base = new Map<string, number>();
    for (const [name, one] of Object.entries(opened)) {
      if (one === undefined) {
        print(`${name}: not in this Node.js`);
        continue;
      }
      await one.exec('pragma journal_mode = wal; create table t (id integer primary key, a integer, b integer)');
      const numbers = Array.from({ length: rows }, (_, i) => [i, (i * 7919) % rows, i % 97]);
      const picked = Array.from({ length: points }, (_, i) => [(i * 104_729) % rows]);
      const works: Record<string, () => Promise<unknown>> = {
        async insert() {
          await one.exec('begin');
          await one.each('insert into t values (?, ?, ?)', numbers);
          await one.exec('commit');
        },
        points: () => one.each('select a, b from t where id = ?', picked),
        'all rows': () => one.each('select id, a, b from t', [[]]),
        'long statement': () => one.each('select count(*) from t x, t y where x.b = 3 and y.b = 5 and x.a < y.a', [[]]),
      };
      for (const [what, work] of Object.entries(works)) {
        const { ms, late } = await timed(work);
        const ratio = ms / (base.get(what) ?? ms);
        base.set(what, base.get(what) ?? ms);
        print(
          `${name}, ${what}: ${ratio.toFixed(2)} of sqlite3 (${ms.toFixed(0)} ms); loop late by ${late.toFixed(0)} ms`,
        );
      }
      await one.close();
    }
  });
}
