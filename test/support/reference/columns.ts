/** Whose data the columns of all tables have, as stores and bindings declare it. */
import { columnName } from '../../../adapters/knex/rows.js';
import { loadBindings } from '../../../adapters/knex/storage.js';
import { type ColumnOwner, type Contract, storeOf } from '../../../core/storage.js';
import { selectRows } from '../sql.js';
import { sqlite } from '../storages.js';
import { stores } from '../stores.js';

/** By `table.column`: undefined if the column has no one's data. Columns of bindings are in databases with SQL only. */
export async function declaredColumns(
  contracts: readonly Contract[],
  { isSql }: { isSql: boolean },
): Promise<Map<string, ColumnOwner | undefined>> {
  const declared = new Map<string, ColumnOwner | undefined>();
  const loaded = isSql ? await loadBindings({ contracts, bindings: new Map(), stores }) : [];
  for (const [i, contract] of contracts.entries()) {
    for (const { name, columns } of (await storeOf(contract, stores))?.tables ?? []) {
      for (const [column, { of }] of Object.entries(columns)) declared.set(`${name}.${columnName(column)}`, of);
    }
    const { person: people, staying = {}, others } = loaded[i]?.texts ?? { person: [], others: [] };
    for (const column of people) declared.set(column, { is: 'person' });
    for (const [column, stays] of Object.entries(staying)) declared.set(column, { is: 'person', stays });
    for (const column of others) declared.set(column, undefined);
  }
  return declared;
}

/** The columns of a SQLite database that hold texts or bytes, by table; without the ledger of steps. */
export async function textColumns(section: Record<string, unknown>): Promise<Map<string, string[]>> {
  const tables = await selectRows<{ name: string }>(
    section,
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> 'trefoil_migrations'",
  );
  const found = new Map<string, string[]>();
  for (const { name: table } of tables) {
    const columns = await selectRows<{ name: string; type: string }>(section, `pragma table_info(${table})`);
    found.set(
      table,
      columns.filter(({ type }) => /text|blob|json|char/i.test(type)).map(({ name }) => name),
    );
  }
  return found;
}

/** What the contracts declare of the columns that a new SQLite database has. */
export async function storedColumns(contracts: readonly Contract[]): Promise<Map<string, ColumnOwner | undefined>> {
  const declared = await declaredColumns(contracts, { isSql: true });
  const home = await sqlite.home(contracts);
  const storage = await home.open(contracts);
  try {
    const there = await textColumns(home.section);
    return new Map(
      [...declared].filter(([column]) => there.get(column.split('.')[0] ?? '')?.includes(column.split('.')[1] ?? '')),
    );
  } finally {
    await storage.close();
    await home.discard();
  }
}

/** For each table with data of people: its name, the columns that an erasure takes, and those that stay, with the reason. */
export function tablesWithPeople(declared: ReadonlyMap<string, ColumnOwner | undefined>): [string, string, string][] {
  const tables = [...new Set([...declared.keys()].map((column) => column.split('.')[0] ?? ''))].sort();
  return tables.flatMap((table) => rowOfTable(table, declared));
}

function rowOfTable(table: string, declared: ReadonlyMap<string, ColumnOwner | undefined>): [string, string, string][] {
  const gone: string[] = [];
  const staying = new Map<string, string[]>();
  for (const [column, owner] of declared) {
    const [of, name] = column.split('.');
    if (of !== table || owner === undefined) continue;
    if (owner.stays === undefined) gone.push(`\`${name}\``);
    else staying.set(owner.stays, [...(staying.get(owner.stays) ?? []), `\`${name}\``]);
  }
  if (gone.length + staying.size === 0) return [];
  const stays = [...staying].map(([reason, names]) => `${names.join(', ')}: ${reason}`);
  return [[`\`${table}\``, gone.join(', '), stays.join('; ')]];
}
