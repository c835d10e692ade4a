/** Steps of stores: which of them a folder has had, and what they do to the rows that are there. */
import { keptValue } from 'trefoil/storage';
import { keyOf } from './keys.js';
import { TableKeys, under } from './table-keys.js';
import { decoded, tablesOn } from './tables.js';

const stepKey = (name) => keyOf('step', name);
/** What the entries of a table's rows begin with in this folder. */
const laidKey = ({ name }) => keyOf(name, 'laid');

/** The names of the steps that a folder has not had, or whose tables have other unique sets or indexes by now. */
export async function missingSteps(space, { steps }) {
  const missing = [];
  for (const [name, step] of inOrder(steps)) {
    if (!(await isDone(space, name, step)) || (await changedIn(space, step.tables ?? [])).length > 0)
      missing.push(name);
  }
  return missing;
}

/** Runs what is missing. */
export async function runSteps(space, { tables, steps }, damage) {
  for (const table of await changedIn(space, tables)) {
    const laid = await space.get(laidKey(table));
    if (laid !== undefined) await renew(space, table, laid);
  }
  for (const [name, step] of inOrder(steps)) {
    if (await isDone(space, name, step)) continue;
    await space.steps(async (inside) => {
      const own = tablesOn(inside, damage);
      for (const table of await changedIn(space, step.tables ?? [])) {
        if (table.first) await own.table(table).add(table.first);
        space.put(laidKey(table), new TableKeys(table).prefixes);
      }
      for (const { table, columns } of step.adds ?? []) await fill(space, table, columns);
      await step.up?.(own);
    });
    space.put(stepKey(name), true);
  }
}

const inOrder = (steps) => Object.entries(steps).sort(([one], [other]) => (one < other ? -1 : 1));

/** A step is done as well if all those are that it was put together of. */
async function isDone(space, name, { replaces = [] }) {
  const [own, ...others] = await space.getMany([name, ...replaces].map(stepKey));
  return own !== undefined || (others.length > 0 && !others.includes(undefined));
}

async function changedIn(space, tables) {
  const laid = await space.getMany(tables.map(laidKey));
  return tables.filter((table, i) => String(laid[i]) !== String(new TableKeys(table).prefixes));
}

/** Gives all rows the entries of the unique sets and indexes that the table has now. */
async function renew(space, table, laid) {
  const keys = new TableKeys(table);
  for (const prefix of laid) for await (const [key] of space.bytesIn(under(prefix))) space.remove(key);
  for await (const [key, row] of rowsIn(space, keys)) for (const entry of keys.entriesOf(row)) space.put(entry, key);
  space.put(laidKey(table), keys.prefixes);
}

/** Gives the rows that are there these values of columns that they lack. */
async function fill(space, table, columns) {
  const keys = new TableKeys(table);
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  const kept = given.map(([name, value]) => [name, keptValue(table.columns[name], value, `${table.name}.${name}`)]);
  if (kept.length === 0) return;
  for await (const [key, before] of rowsIn(space, keys)) {
    const row = { ...Object.fromEntries(kept), ...before };
    for (const entry of keys.entriesOf(before)) space.remove(entry);
    for (const entry of keys.entriesOf(row)) space.put(entry, key);
    space.put(key, row);
  }
}

/** The rows that can be read. */
async function* rowsIn(space, keys) {
  for await (const [key, bytes] of space.bytesIn(keys.rows)) {
    const row = decoded(bytes);
    if (row !== undefined) yield [key, row];
  }
}
