/** Steps of stores: which of them a folder has had, and what they do to the rows that are there. */
import { keptValue, stepsAfter, tablesAbove } from 'trefoil/storage';
import { keyOf, startingWith } from './keys.js';
import { keeperOn, LevelRows } from './rows.js';
import { TableKeys } from './table-keys.js';

/** The names of the steps that a folder has had. */
const doneKey = keyOf('', 'steps');
/** What the entries of a table's rows begin with in this folder. */
const laidKey = ({ name }) => keyOf(name, 'laid');

/** The names of the steps that a folder has not had, or whose tables have other unique sets or indexes by now. */
export async function missingSteps(space, store) {
  const missing = new Map(stepsAfter((await space.get(doneKey)) ?? [], store));
  for (const [name, { tables = [] }] of Object.entries(store.steps)) {
    if ((await changedIn(space, tables)).length > 0) missing.set(name);
  }
  return [...missing.keys()].sort();
}

/** Runs what is missing. */
export async function runSteps(space, store, damaged) {
  const done = (await space.get(doneKey)) ?? [];
  for (const table of await changedIn(space, store.tables)) {
    const laid = await space.get(laidKey(table));
    if (laid !== undefined) await lay(space, table, laid, damaged);
  }
  for (const [name, { tables = [], adds = [], up }] of stepsAfter(done, store)) {
    await space.steps(async (inside) => {
      const own = tablesAbove(keeperOn(inside, damaged));
      for (const table of await changedIn(space, tables)) {
        if (table.first) await own.table(table).add(table.first);
        await lay(space, table, [], damaged);
      }
      for (const { table, columns } of adds) await fill(space, table, columns, damaged);
      await up?.(own);
    });
    done.push(name);
  }
  space.put(doneKey, done);
}

async function changedIn(space, tables) {
  const laid = await space.getMany(tables.map(laidKey));
  return tables.filter((table, i) => String(laid[i]) !== String(new TableKeys(table).prefixes));
}

/** Gives all rows the entries of the unique sets and indexes that the table has now, in place of those that were laid. */
async function lay(space, table, laid, damaged) {
  const rows = new LevelRows(space, table, damaged);
  for (const prefix of laid) for await (const [key] of space.bytesIn(startingWith(prefix))) space.remove(key);
  for (const row of await rows.all()) await rows.replace(undefined, row);
  space.put(laidKey(table), new TableKeys(table).prefixes);
}

/** Gives the rows that are there these values of columns that they lack. */
async function fill(space, table, columns, damaged) {
  const rows = new LevelRows(space, table, damaged);
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  const kept = given.map(([name, value]) => [name, keptValue(table.columns[name], value, `${table.name}.${name}`)]);
  for (const row of await rows.all()) await rows.replace(row, { ...Object.fromEntries(kept), ...row });
}
