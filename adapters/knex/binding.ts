/**
 * The interface between the `knex` family and its engines: what a contract's binding is, and what an engine offers it.
 * Bindings hold SQL that runs on every engine of the family; what is specific to an engine is behind `Engine`, in its folder.
 */
import type { Knex } from 'knex';
import type { Contract, StorageLog } from '../../core/storage.js';
import type { Partitioning, SplitIndexes } from './beacon/partitions.js';

/** What differs between engines. */
export interface Engine {
  /** Column types and statements that differ, by what they are for, never by the name of the engine. */
  readonly columns: {
    /** JSON text, stored unchanged. Values are written with `json()` and read with `parseJson()`. */
    json(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** A point in time with millisecond precision. */
    time(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** A whole number up to 2^53. */
    big(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** Text, compared and ordered by its UTF-8 bytes on every engine. */
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
  /** Whether writers lock single rows. If not, one writer has the whole database, and the next two change nothing. */
  readonly locksRows: boolean;
  /** Locks the rows that a query selects until the end of the transaction, skipping rows that are locked already. */
  skipLocked<Query extends Knex.QueryBuilder>(query: Query): Query;
  /** Locks the rows that a query selects until the end of the transaction, waiting for other locks. */
  forUpdate<Query extends Knex.QueryBuilder>(query: Query): Query;
  /**
   * Appends rows by the engine's fastest means, in one statement. The columns give the order of the values; a value is a
   * string, number, boolean or null. The number of rows is not limited.
   */
  append(on: Knex, table: string, columns: readonly string[], rows: readonly (readonly Scalar[])[]): Promise<void>;
  /** A condition: whether a column, or an expression, is among any number of values, bound as one list. */
  among(column: string, values: readonly Scalar[]): Statement;
  /** Rows `where column in (values)` for any number of values, bound as one list instead of one parameter for each. */
  whereIn(query: Knex.QueryBuilder, column: string, values: readonly (string | number)[]): Knex.QueryBuilder;
  /**
   * SQL that returns the columns of a select as one row, each column as the list of its values in row order; read its
   * `lists` with `parseJson()`. For many rows: drivers take longer to build rows than engines to find them. `limit` is the
   * number of rows at most.
   */
  lists(select: string, columns: readonly string[], limit?: number): string;
  /** SQL of one member of the object in a JSON column, as JSON text; null if there is none, or if the text is damaged. */
  member(column: string, name: string): string;
  /**
   * SQL of a table with these columns whose rows are one bound value, `json()` of a list of lists: for many questions, or
   * new rows, in one statement. A `time` is given as `time()` writes it, and `json` as the text of `json()`.
   */
  bound(columns: Readonly<Record<string, 'integer' | 'text' | 'time' | 'json'>>): string;
  /**
   * The `from` and `where` that look up rows `a` of a table for each row `q` of a `bound` one. A planner without statistics
   * would rather read the table as a whole: this always takes the index that the conditions on `q` allow.
   */
  lookUp(bound: string, table: string, where: string): string;
  /** Tables in partitions, also on other servers; omitted if the engine has none. */
  readonly partitioning?: Partitioning;
  /** Indexes in two parts; omitted if the engine gains nothing by them. */
  readonly splitIndexes?: SplitIndexes;
  /** Turns a driver's error into a fault whose message contains no bound value. */
  translate(error: unknown): Error;
}

export type Scalar = string | number | boolean | null;

/** A statement with the values of its placeholders, `?` on every engine. */
export interface Statement {
  sql: string;
  bindings: readonly Scalar[];
}

/** A database as a repository sees it. In a transaction, read and write are the same. */
export interface Database {
  /** May see a slightly older state if the engine separates readers; never waits for a writer. */
  readonly read: Knex;
  readonly write: Knex;
  readonly engine: Engine;
  readonly log: StorageLog;
  /**
   * Runs a fixed SELECT on a reader (inside a transaction or snapshot: on its connection) as a prepared statement that is
   * cached by its text; inside a transaction also a statement that writes. Placeholders are `?` on every engine. Errors are
   * translated.
   */
  query<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]>;
  /** The same for a SELECT that sees everything that any process committed before the call, which a reader need not. */
  queryLatest<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]>;
  /**
   * Runs a fixed statement that writes, and returns no rows. Inside a transaction it may wait until the next statement or
   * the commit, which then fails in its place: some engines do several at once in little more time than one.
   */
  later(sql: string, bindings: readonly Scalar[]): Promise<void>;
  /** Inside a transaction: calls this once it is committed, and never if it is not, or if that is unknown. */
  onCommit(done: () => void): void;
  /**
   * The same database for work that can be aborted: once the signal is aborted, `query` and `snapshot` throw its reason,
   * and their running statement is stopped in the engine. Writes are not affected.
   */
  until(signal: AbortSignal | undefined): Database;
  /** Runs reads that all see one state of the database, in any number of statements. Takes no lock. */
  snapshot<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Runs work in a new transaction, or in the open one. Errors are translated. */
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Runs statements without a transaction of their own. Errors are translated. */
  run<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
}

/** How rows of one table are read. */
export interface StoredRows<Row = unknown, Value = unknown> {
  readonly table: string;
  /** The column that identifies a row to operators; unique. */
  readonly key: string;
  /** Whether that column names people: the log has the table alone. */
  readonly isPersonal?: boolean;
  /** All columns that `read` needs, the key included. */
  readonly columns: readonly string[];
  /** Throws if the row is damaged. */
  read(values: Engine['values'], row: Row): Value;
}

/** One migration. Migrations are named in code, so that source and build agree. */
export interface SchemaStep {
  /**
   * Names of earlier steps that were put together into this one, in their order: a database in which all of them and this one
   * have run is up to date, one in which only some have is refused, and one in which none has gets this step alone. For steps
   * up to release 0.2, which the refusal names.
   */
  readonly replaces?: readonly string[];
  /** `schema` is that of the database, whose transaction the step is part of. */
  up(schema: Knex, engine: Engine, database: Database): Promise<void>;
  down(schema: Knex, engine: Engine, database: Database): Promise<void>;
}

/** Columns of texts and bytes that a binding lays itself, as `table.column`: those with data of people (see `person`), and the others. */
export interface StatedTexts {
  readonly person: readonly string[];
  /** Those that stay after an erasure, each with the reason. */
  readonly staying?: Readonly<Record<string, string>>;
  readonly others: readonly string[];
}

export interface Binding<Repository = unknown> {
  readonly contract: Contract<Repository>;
  /** In order of their names: `001-alleles`, `002-…`. Table names begin with the contract's name. */
  readonly migrations: Readonly<Record<string, SchemaStep>>;
  /** What the tables have besides the columns that a store declares for tables of the same names; nothing if omitted. */
  readonly texts?: StatedTexts;
  /** How to read rows that may be damaged; see `rows.ts`. */
  readonly rows?: readonly StoredRows[];
  /**
   * Why this code cannot serve the stored rows, in a sentence that says what to do; asked before steps run, and at every
   * start, once the first step of the contract has run.
   */
  refusal?(database: Database): Promise<string | undefined>;
  repository(database: Database): Repository;
}

/** Keeps the type of a binding's repository. */
export function defineBinding<Repository>(binding: Binding<Repository>): Binding<Repository> {
  return binding;
}
