/**
 * Declared tables: what a contract stores, said once, and the few operations that an adapter brings for them. The repository
 * of the contract is written once above them (`defineStore`), and then runs on every adapter. Only repositories see tables;
 * plugins, faces and pages speak domain verbs.
 *
 * What every implementation promises (each has cases in the conformance kit, `test/conformance/core/tables`):
 *
 *  1. Text has no U+0000 and no unpaired surrogate (`invalid`), and is kept to the last code unit. Order is by code point,
 *     which is the order of UTF-8 bytes. A repository that promises code units sorts whole lists, or has a column
 *     without characters above U+D7FF.
 *  2. Absent equals nothing, is found by `absent` only, and never conflicts. Optional columns are neither ordered by nor parts
 *     of a cursor.
 *  3. Generated numbers ascend with gaps and are never reused; a lower one may become visible later, so that a
 *     reader that must not skip any does not page by them. `small` and generated numbers have 32 bits; `integer` is a safe
 *     integer. −0 becomes 0.
 *  4. JSON is kept as text: the order of members and `__proto__` survive, `undefined` goes, a Date is refused; each result is a
 *     fresh parse. Values above `largestValue` are `invalid`; large content is stored in pieces.
 *  5. `snapshot` is read-only and of one moment. `transaction` is atomic, but its reads may see later commits of others. A row
 *     that was found is held by `lock`, an absent one only by `put`. Rows are locked in the order of their keys, tables in the
 *     order in which they are declared; a deadlock is `conflict`.
 *  6. A taken unique value is a result, and leaves the transaction usable; `change` sets a unique column only to absent.
 *  7. `take` changes the first row that no caller holds; it does not come back empty because another caller was first.
 *  8. Streams (`each`) read pages of at most 500 rows in a total order, and hold no cursor or connection between them; they show
 *     one moment only within a snapshot.
 *  9. Outside of transactions reads may lag behind other processes (replicas); with `latest` they do not.
 * 10. Damaged rows are left out and counted, so that a short page is not the end: pages return a cursor.
 * 11. Every operation takes a signal; aborting throws its reason and changes nothing. That of a snapshot holds for all that is
 *     read in it.
 * 12. Writes that may wait (`later`) are grouped, and durable when their promise resolves.
 */
import type { Contract } from './contract.js';
import type { DeclaredColumns, NewRowOf, RowOf } from './table/columns.js';

/** Bytes of the largest text, JSON text or content of a value; larger ones are `invalid`. */
export const largestValue: number = 2 ** 24;

/**
 * A declared table. Columns are named in camel case here and in snake case in SQL (`lastUsed`, `last_used`); the table's name is
 * the SQL name and begins with the contract's. Names that were released stay.
 */
export interface TableDeclaration {
  readonly name: string;
  readonly columns: DeclaredColumns;
  /** The primary key; never optional. A generated column is the whole key. */
  readonly key: readonly string[];
  /** Further sets of columns whose values are unique among the rows that have all of them. */
  readonly unique?: readonly (readonly string[])[];
  /** For adapters that have indexes. What is looked up by the beginning of a key or a unique set needs none. */
  readonly indexes?: readonly (readonly string[])[];
  /**
   * Whether a stored row is one that the repository could have written; others are damaged, also those for which it throws. A
   * column that a query leaves out is undefined here, and must not make a row damaged: damaged rows are found without it.
   */
  sound?(row: object): boolean;
  /** What only the search for damage asks of a sound row, since it takes too long for each reading. */
  isIntact?(row: object): boolean;
  /** The row that the table has when it is created. */
  readonly first?: object;
}

/** A table whose columns are known to the types. */
export interface TypedTable<C extends DeclaredColumns> extends TableDeclaration {
  readonly columns: C;
}

interface NewTable<C extends DeclaredColumns> {
  readonly name: string;
  readonly columns: C;
  readonly key: readonly (keyof C & string)[];
  readonly unique?: readonly (readonly (keyof C & string)[])[];
  readonly indexes?: readonly (readonly (keyof C & string)[])[];
  sound?(row: RowOf<C>): boolean;
  isIntact?(row: RowOf<C>): boolean;
  readonly first?: NewRowOf<C>;
}

/** Keeps the types of the columns while a table is written as a plain object. Throws a TypeError if it contradicts itself. */
export function defineTable<const C extends DeclaredColumns>(declaration: NewTable<C>): TypedTable<C> {
  const { name, columns, key, unique = [], indexes = [] } = declaration;
  const refuse = (what: string) => {
    throw new TypeError(`The table ${name} ${what}`);
  };
  if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse('needs a name of lower-case letters, digits and underscores');
  if (key.length === 0) refuse('has no key');
  for (const each of [key, ...unique, ...indexes].flat()) if (!columns[each]) refuse(`has no column ${each}`);
  for (const each of key) if (columns[each]?.optional) refuse(`has an optional column in its key: ${each}`);
  for (const [each, column] of Object.entries(columns)) {
    if (!/^[a-z][A-Za-z0-9]*$/.test(each)) refuse(`has a column with an unusable name: ${each}`);
    if (column.kind === 'generated' && (key.length > 1 || key[0] !== each || column.optional)) {
      refuse(`has a generated column that is not its key: ${each}`);
    }
  }
  for (const each of [...key, ...unique.flat(), ...indexes.flat()]) {
    if (['json', 'bytes', 'double'].includes(columns[each]?.kind ?? '')) refuse(`cannot be looked up by ${each}`);
  }
  return Object.freeze(declaration) as TypedTable<C>;
}

/** The condition that a column is absent. */
export const absent: unique symbol = Symbol('absent');

/**
 * A condition on one column: it equals a value, is among some, lies within bounds (in the order of promise 1), begins with a text,
 * or is absent. `json` and `bytes` can only be absent. A value that is undefined is a mistake (`internal`): it would select
 * everything.
 */
export type Condition<Value> =
  | Value
  | typeof absent
  | { readonly among: readonly Value[] }
  | { readonly beginning: string }
  | { readonly below?: Value; readonly atMost?: Value; readonly above?: Value; readonly atLeast?: Value };

/** Conditions that all hold; an empty object is true of every row. */
export type Conditions<Row> = { readonly [Name in keyof Row]?: Condition<NonNullable<Row[Name]>> };
/** Conditions, or a list of alternatives of which at least one holds; an empty list is true of no row. */
export type Where<Row> = Conditions<Row> | readonly Conditions<Row>[];

export interface Reading {
  readonly signal?: AbortSignal | undefined;
  /** Everything that any process committed before the call is seen; inside transactions always. */
  readonly latest?: boolean;
}

export interface Query<Row> extends Reading {
  readonly where?: Where<Row>;
  /**
   * Columns by which rows are ordered. Unless they contain the key or a unique set, the key follows, so that the order is total.
   * Without this option rows come in any order.
   */
  readonly order?: readonly (keyof Row & string)[];
  /** All columns of the order descend. */
  readonly descending?: boolean;
  readonly limit?: number;
  /** Large columns that are not needed: they are neither read nor members of the rows. */
  readonly without?: readonly (keyof Row & string)[];
}

/** The place after a row: its values of the columns of the order, the key that follows them included. */
export type Cursor<Row> = { readonly [Name in keyof Row]?: Row[Name] };

export interface PageQuery<Row> extends Query<Row> {
  readonly order: readonly (keyof Row & string)[];
  readonly limit: number;
  readonly after?: Cursor<Row> | undefined;
}

export interface Page<Row> {
  rows: Row[];
  /** Rows of the page that were left out because they are damaged. */
  damaged: number;
  /** The end of this page; undefined if nothing follows. */
  next: Cursor<Row> | undefined;
}

/** In `change`: adds to a number. */
export interface Plus {
  readonly plus: number;
}
/** New values of columns other than the key; `absent` empties an optional one. */
export type Changes<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> | typeof absent | Plus };

/** What can be done with the rows of a table. Values are copies: neither side sees the other's later changes. */
export interface Table<Row, New> {
  /** Adds a row, and returns it with its number; undefined if its key or a unique value is taken. */
  add(row: New, options?: Pick<Reading, 'signal'>): Promise<Row | undefined>;
  /** Adds those rows whose key and unique values are free, in the order of their keys; returns them, in any order. */
  addMany(rows: readonly New[], options?: Pick<Reading, 'signal'>): Promise<Row[]>;
  /** Adds any number of rows by the fastest means, or throws `conflict` if one is taken: a transaction around it is over then. */
  append(rows: readonly New[], options?: Pick<Reading, 'signal'>): Promise<void>;
  /**
   * Adds a row, or gives the row with its key these columns (all if omitted; none of them only holds the row). Throws `conflict`
   * if another unique value is taken. For tables without generated numbers. Returns the row as it is now.
   */
  put(row: New, columns?: readonly (keyof Row & string)[], options?: Pick<Reading, 'signal'>): Promise<Row>;
  find(query?: Query<Row>): Promise<Row[]>;
  /** The first row, or undefined. */
  one(where: Where<Row>, options?: Omit<Query<Row>, 'where' | 'limit'>): Promise<Row | undefined>;
  page(query: PageQuery<Row>): Promise<Page<Row>>;
  /** All rows in the order of the query, or of the key; see promise 8. */
  each(query?: Omit<Query<Row>, 'limit'>): AsyncIterable<Row>;
  count(where?: Where<Row>, options?: Reading): Promise<number>;
  /** Finds rows in the order of their keys and holds them until the end of the transaction. Throws `internal` outside of one. */
  lock(where: Where<Row>, options?: Pick<Query<Row>, 'without' | 'signal'>): Promise<Row[]>;
  /**
   * Changes the first row of the order that fulfils the conditions and that no other caller holds; returns it as it is afterwards,
   * or undefined if none fulfils them. Waits if others hold all.
   */
  take(
    query: Pick<Query<Row>, 'where' | 'order' | 'descending' | 'signal'>,
    change: (row: Row) => Changes<Row>,
  ): Promise<Row | undefined>;
  /** Returns how many rows were changed. */
  change(where: Where<Row>, changes: Changes<Row>, options?: Pick<Reading, 'signal'>): Promise<number>;
  /** Returns how many rows were removed. */
  remove(where: Where<Row>, options?: Pick<Reading, 'signal'>): Promise<number>;
}

/** The tables of one contract in one storage, transaction or snapshot. */
export interface Tables {
  table<C extends DeclaredColumns>(declaration: TypedTable<C>): Table<RowOf<C>, NewRowOf<C>>;
  /** Runs reads of one moment. Inside a transaction they are its own. */
  snapshot<Result>(work: (tables: Tables) => Promise<Result>, options?: Pick<Reading, 'signal'>): Promise<Result>;
  /** Runs work that is written together or not at all; inside a transaction it is part of that one. */
  transaction<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result>;
  /**
   * `transaction` for work that may wait a moment: works that arrive while one is written share the next transaction. If that
   * fails, each is tried alone.
   */
  later<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result>;
}

/** Columns that a later step adds to a table. */
export interface AddedColumns {
  readonly table: TableDeclaration;
  /** The value of each column in the rows that are there; undefined for an optional one, which is absent in them. */
  readonly columns: Readonly<Record<string, unknown>>;
}

/** One step of a store's history. Steps are named in code, and run in the order of their names, each in one transaction. */
export interface StoreStep {
  /** Earlier steps that were put together into this one. */
  readonly replaces?: readonly string[];
  /** Tables that the step creates, without the columns that later steps add. */
  readonly tables?: readonly TableDeclaration[];
  readonly adds?: readonly AddedColumns[];
  /**
   * For adapters of SQL: statements for what a release laid and declarations cannot express, such as an index on an expression.
   * They run once tables and columns are there, or before these are taken away.
   */
  readonly sql?: {
    readonly up: readonly string[];
    readonly down: readonly string[];
    /** Sets of columns, declared as unique or indexed, whose index the statements lay in place of a table's own. */
    readonly lays?: readonly (readonly string[])[];
  };
  /** Changes the rows that are there, at last; columns of later steps are not there yet (`Query.without`). */
  up?(tables: Tables): Promise<void>;
  /** Takes back what `up` did, at first. */
  down?(tables: Tables): Promise<void>;
}

/** A contract above tables. */
export interface Store<Repository = unknown> {
  readonly contract: Contract<Repository>;
  /** In the order in which transactions lock their rows. */
  readonly tables: readonly TableDeclaration[];
  readonly steps: Readonly<Record<string, StoreStep>>;
  repository(tables: Tables): Repository;
}

/** Keeps the type of the repository. Throws a TypeError if a table is created by no step, or named for another contract. */
export function defineStore<Repository>(store: Store<Repository>): Store<Repository> {
  const { contract, tables, steps } = store;
  const prefix = `${contract.id.split('@', 1)[0]?.replaceAll('-', '_')}_`;
  const created = Object.values(steps).flatMap((each) => each.tables ?? []);
  for (const table of tables) {
    if (!table.name.startsWith(prefix))
      throw new TypeError(`The name of the table ${table.name} must begin with ${prefix}`);
    if (created.filter((each) => each === table).length !== 1) {
      throw new TypeError(`The table ${table.name} needs one step of ${contract.id} that creates it`);
    }
  }
  const added = Object.values(steps).flatMap(({ adds = [] }) => adds);
  for (const table of [...created, ...added.map((each) => each.table)]) {
    if (!tables.includes(table)) throw new TypeError(`The table ${table.name} is not among those of ${contract.id}`);
  }
  for (const { table, columns } of added) {
    for (const [name, value] of Object.entries(columns)) {
      const column = table.columns[name];
      if (column === undefined || column.optional !== (value === undefined) || table.key.includes(name)) {
        throw new TypeError(`The column ${name} cannot be added to ${table.name} so`);
      }
    }
  }
  return Object.freeze(store);
}
