/**
 * The seam of the `knex` family: what a contract's binding is, and what an engine lends to it. Bindings hold SQL that
 * runs on every engine of the family; what only one engine does stays behind `Engine`, in that engine's own folder.
 */
import type { Knex } from 'knex';
import type { Contract, StorageLog } from '../../core/storage.js';

/** What only an engine knows how to do. */
export interface Engine {
  /** For column types and statements that differ: asked for by name of the thing, never by name of the engine. */
  readonly columns: {
    /** JSON, kept as it came. Values go in through `json()` and come out through `parseJson()`. */
    json(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** A point in time with millisecond precision. */
    time(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** A whole number up to 2^53. */
    big(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** Text compared and ordered by its bytes in UTF-8 on every engine. */
    text(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
  };
  readonly values: {
    json(value: unknown): unknown;
    parseJson(value: unknown): unknown;
    time(value: Date): unknown;
    parseTime(value: unknown): Date;
    parseBig(value: unknown): number;
    parseBoolean(value: unknown): boolean;
    boolean(value: boolean): unknown;
  };
  /** Locks the rows that a query selects until the end of the transaction, passing over those already locked. */
  skipLocked<Query extends Knex.QueryBuilder>(query: Query): Query;
  /** Locks the rows that a query selects until the end of the transaction, waiting for others. */
  forUpdate<Query extends Knex.QueryBuilder>(query: Query): Query;
  /**
   * Appends rows in the fastest way of the engine, in one statement. Columns fix the order of the values; a value is a
   * string, number, boolean or null. No limit on the number of rows.
   */
  append(on: Knex, table: string, columns: readonly string[], rows: readonly (readonly Scalar[])[]): Promise<void>;
  /** Rows `where column in (values)` for any number of values: one bound list, not one parameter a value. */
  whereIn(query: Knex.QueryBuilder, column: string, values: readonly (string | number)[]): Knex.QueryBuilder;
  /**
   * SQL that answers the columns of a select, each as the list of its values in the order of the rows: one row, whose
   * `lists` goes through `parseJson()`. For many rows: drivers take longer to make rows than engines to find them.
   */
  lists(select: string, columns: readonly string[]): string;
  /**
   * Keeps the rows of a table apart by the values of a column, each in a part of its own, where the engine can: a
   * statement that bounds the column then reads no other part. Rows, columns, names and indexes stay as they are;
   * `parts` names every value that the column may have, and `key` is the primary key, which must hold the column. For
   * schema steps.
   */
  partition(schema: Knex, table: string, by: Partitions): Promise<void>;
  /** Makes one table of the parts again, with this primary key. */
  unpartition(schema: Knex, table: string, key: readonly string[]): Promise<void>;
  /**
   * The column of a partitioned table, as a condition names it that is there only to leave parts out: no index is to be
   * chosen because of it.
   */
  partitionColumn(column: string): string;
  /** Turns a driver's error into a fault whose message holds no bound value. */
  translate(error: unknown): Error;
}

/** The parts of a table `t`, called `t_<part>`, by the whole number that the column has in them. */
export interface Partitions {
  column: string;
  parts: Readonly<Record<string, number>>;
  key: readonly string[];
}

export type Scalar = string | number | boolean | null;

/** A database as a repository sees it. In a transaction, read and write are the same. */
export interface Database {
  /** May see a state a moment old where the engine keeps readers apart; never waits for a writer. */
  readonly read: Knex;
  readonly write: Knex;
  readonly engine: Engine;
  readonly log: StorageLog;
  /**
   * Runs one fixed SELECT on a reader (inside a transaction or snapshot: on its connection) by the engine's cheapest
   * way, a prepared statement kept by its text. Placeholders are `?` on every engine. Errors come out translated.
   */
  query<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]>;
  /**
   * The same database for work that may be given up: once the signal is aborted, `query` and `snapshot` throw its
   * reason, and a statement of theirs that is running is stopped in the engine. Writes are not touched.
   */
  until(signal: AbortSignal | undefined): Database;
  /** Runs reads that all see one state of the database, however many statements they are. Takes no lock. */
  snapshot<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Runs work in a transaction of its own, or in the one that is open. Errors come out translated. */
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Runs one or more statements outside a transaction of its own, errors translated. */
  run<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
}

/** How rows of one table are read. */
export interface StoredRows<Row = unknown, Value = unknown> {
  readonly table: string;
  /** The column by which operators are told of a row; unique. */
  readonly key: string;
  /** All that `read` needs, the key among them. */
  readonly columns: readonly string[];
  /** Throws if the row is damaged. */
  read(values: Engine['values'], row: Row): Value;
}

/** One step of a schema's history. Steps are named in code, so that source and build agree. */
export interface SchemaStep {
  up(schema: Knex, engine: Engine): Promise<void>;
  down(schema: Knex, engine: Engine): Promise<void>;
}

export interface Binding<Repository = unknown> {
  readonly contract: Contract<Repository>;
  /** In order of their names: `001-alleles`, `002-…`. Tables are prefixed with the contract's name. */
  readonly migrations: Readonly<Record<string, SchemaStep>>;
  /** How rows are read that may turn out to be damaged; see `rows.ts`. */
  readonly rows?: readonly StoredRows[];
  repository(database: Database): Repository;
}

/** Keeps the type of a binding's repository. */
export function defineBinding<Repository>(binding: Binding<Repository>): Binding<Repository> {
  return binding;
}
