/** Tables of every kind of column, for the cases of tables: the repository is the tables themselves. */
import {
  boolean,
  bytes,
  type Contract,
  defineContract,
  defineStore,
  defineTable,
  double,
  generated,
  integer,
  json,
  optional,
  type RowOf,
  short,
  small,
  type Tables,
  text,
  time,
} from '../../../../core/storage.js';

export const probe: Contract<Tables> = defineContract<Tables>('probe@1');

/** A key of two columns, a unique optional column, and one of each kind. */
export const things = defineTable({
  name: 'probe_things',
  columns: {
    shelf: text(),
    place: small(),
    label: optional(text()),
    size: integer(),
    weight: optional(double()),
    isOpen: boolean(),
    bought: optional(time()),
    note: optional(json<unknown>()),
    content: optional(bytes()),
  },
  key: ['shelf', 'place'],
  unique: [['label']],
  indexes: [['size']],
});

export const numbered = defineTable({
  name: 'probe_numbered',
  columns: { number: generated(), name: text(), state: text() },
  key: ['number'],
  unique: [['name']],
  indexes: [['state']],
});

/** Nothing but its number is unique, so that rows are appended in another way. */
export const noted = defineTable({
  name: 'probe_noted',
  columns: {
    number: generated(),
    note: text(),
    at: time(),
    size: optional(short()),
    more: optional(json<unknown>()),
    isOld: optional(boolean()),
  },
  key: ['number'],
});

export type Thing = RowOf<typeof things.columns>;

export const probeStore = defineStore<Tables>({
  contract: probe,
  tables: [things, numbered, noted],
  steps: { '001-probe': { tables: [things, numbered, noted] } },
  repository: (tables) => tables,
});

/** A thing with little in it. */
export function thing(place: number, fields: Partial<Thing> = {}): Thing {
  return { shelf: 'a', place, size: 1, isOpen: false, ...fields };
}
