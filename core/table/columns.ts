/** Columns of declared tables: their kinds, whose data they have, and the types of rows that have them. */

/**
 * `text`; `integer`, safe; `small`, 32 bits; `short`, 16 bits; `generated`, a number that the table gives, 32 bits; `double`, finite; `boolean`;
 * `time`, a Date with whole milliseconds; `bytes`, a Uint8Array; `json`, any value that JSON can represent.
 */
export type ColumnKind =
  | 'text'
  | 'integer'
  | 'small'
  | 'short'
  | 'generated'
  | 'double'
  | 'boolean'
  | 'time'
  | 'bytes'
  | 'json';

declare const valueType: unique symbol;

/** Whose data a column has; see `person` and `user`. */
export interface ColumnOwner {
  readonly is: 'person' | 'user';
  /** Why, or until when, it stays if the person is erased; undefined if it does not. */
  readonly stays?: string;
}

/** A column; absent is absent, never null. */
export interface Column<Value = unknown, Optional extends boolean = boolean, Kind extends ColumnKind = ColumnKind> {
  readonly kind: Kind;
  readonly optional: Optional;
  /** Undefined if it has no data of people. */
  readonly of?: ColumnOwner;
  /** Never present at run time; ties the column to the type of its values. */
  readonly [valueType]?: Value;
}

export type DeclaredColumns = Readonly<Record<string, Column>>;
type ValueOf<Declared> = Declared extends Column<infer Value> ? Value : never;
type NamesOf<C extends DeclaredColumns, Optional extends boolean> = {
  [Name in keyof C]: C[Name]['optional'] extends Optional ? Name : never;
}[keyof C];
type GeneratedOf<C extends DeclaredColumns> = {
  [Name in keyof C]: C[Name]['kind'] extends 'generated' ? Name : never;
}[keyof C];
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A row as it is read. */
export type RowOf<C extends DeclaredColumns> = Flat<
  { [Name in NamesOf<C, false>]: ValueOf<C[Name]> } & { [Name in NamesOf<C, true>]?: ValueOf<C[Name]> }
>;
/** A row as it is added: without the number that the table gives. A member that is undefined is absent. */
export type NewRowOf<C extends DeclaredColumns> = Flat<
  { [Name in Exclude<NamesOf<C, false>, GeneratedOf<C>>]: ValueOf<C[Name]> } & {
    [Name in NamesOf<C, true>]?: ValueOf<C[Name]> | undefined;
  }
>;

const kinds =
  <Value, Kind extends ColumnKind>(kind: Kind) =>
  (): Column<Value, false, Kind> => ({
    kind,
    optional: false,
  });

/** What a column is declared with: `text()`, `json<Facts>()`. */
export const text = kinds<string, 'text'>('text');
export const integer = kinds<number, 'integer'>('integer');
export const small = kinds<number, 'small'>('small');
export const short = kinds<number, 'short'>('short');
export const generated = kinds<number, 'generated'>('generated');
export const double = kinds<number, 'double'>('double');
export const boolean = kinds<boolean, 'boolean'>('boolean');
export const time = kinds<Date, 'time'>('time');
export const bytes = kinds<Uint8Array, 'bytes'>('bytes');
export const json = <Value>(): Column<Value, false, 'json'> => ({ kind: 'json', optional: false });

/** The column may be absent. */
export function optional<Value, Kind extends ColumnKind>(
  column: Column<Value, boolean, Kind>,
): Column<Value, true, Kind> {
  return { ...column, optional: true };
}

/**
 * The column names a sample, a case or a patient, or has data of one: an erasure takes it away, unless `stays` says why it does not.
 * The log never has its values.
 */
export function person<Of extends Column>(column: Of, stays?: string): Of {
  return { ...column, of: { is: 'person', ...(stays !== undefined && { stays }) } };
}

/**
 * The column names someone who uses this server or is responsible for its data: an owner, an actor, a contact. Erasures leave it;
 * `stays` says until when, or why it is kept.
 */
export function user<Of extends Column>(column: Of, stays: string): Of {
  return { ...column, of: { is: 'user', stays } };
}
