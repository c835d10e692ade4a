/** What the tables of contracts hold, and what a change of the schema loses, found by comparing them before and after. */
import type { Knex } from 'knex';
import type { Loss } from '../../core/storage.js';
import type { Driver } from './driver.js';

/** By table: the number of rows, and for each column the number of rows with a value. */
export type Inventory = ReadonlyMap<string, { rows: number; values: ReadonlyMap<string, number> }>;

/** The name of a table begins with its contract's name and an underscore. */
function prefixOf(contract: string): string {
  return `${(contract.split('@', 1)[0] ?? '').replaceAll('-', '_')}_`;
}

/**
 * Those of the contracts that have a row in any of their tables. The tables of `others` are not theirs: `coverage_reports_pieces`
 * is a table of `coverage-reports`, not of `coverage`.
 */
export async function contractsWithRows(
  driver: Driver,
  on: Knex,
  contracts: readonly string[],
  others: readonly string[],
): Promise<string[]> {
  const owners = [...contracts, ...others].sort((one, two) => prefixOf(two).length - prefixOf(one).length);
  const tables = contracts.length === 0 ? [] : [...(await driver.tables(on)).keys()];
  const found = new Set<string>();
  for (const table of tables) {
    const owner = owners.find((contract) => table.startsWith(prefixOf(contract)));
    if (owner === undefined || found.has(owner) || !contracts.includes(owner)) continue;
    if ((await on.from(table).select(on.raw('1')).limit(1)).length > 0) found.add(owner);
  }
  return [...found];
}

/** Counts the rows of the contracts' tables. */
export async function takeInventory(driver: Driver, on: Knex, contracts: readonly string[]): Promise<Inventory> {
  const prefixes = contracts.map(prefixOf);
  const found = new Map<string, { rows: number; values: ReadonlyMap<string, number> }>();
  for (const [table, columns] of await driver.tables(on)) {
    if (!prefixes.some((prefix) => table.startsWith(prefix))) continue;
    const counts = columns.map((_, i) => `count(??) as c${i}`).join(', ');
    const [row] = await on
      .from(table)
      .select<Record<string, unknown>[]>(on.raw(`count(*) as n, ${counts}`, [...columns]));
    const values = columns.map((column, i): [string, number] => [column, Number(row?.[`c${i}`])]);
    found.set(table, { rows: Number(row?.n), values: new Map(values) });
  }
  return found;
}

/** Tables and columns that are gone, and rows missing from the tables that stay. */
export function lossesBetween(before: Inventory, after: Inventory): Loss[] {
  return [...before].flatMap(([table, { rows, values }]): Loss[] => {
    const left = after.get(table);
    if (left === undefined) return [{ table, rows }];
    const columns = [...values]
      .filter(([column]) => !left.values.has(column))
      .map(([column, held]) => ({ table, column, rows: held }));
    return left.rows < rows ? [...columns, { table, rows: rows - left.rows, kept: left.rows }] : columns;
  });
}
