/** The layout of a build, locked or not, and its columns. */
import type { Build, CohortMember, CohortState } from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { columns, layouts } from './migrations.js';
import { type ColumnFacts, type ColumnRow, columnRows, type LayoutRow, layoutRows } from './rows.js';

type By = { build: Build } | { id: string };

export async function layoutRow({ read }: Database, by: By): Promise<LayoutRow | undefined> {
  const [row]: LayoutRow[] = await read(layouts).select(layoutRows.columns).where(by);
  return row;
}

/** Locked until the end of the transaction: whoever changes members or blocks of a build waits here for others. */
export async function lockedLayout({ write, engine }: Database, by: By): Promise<LayoutRow | undefined> {
  const [row]: LayoutRow[] = await engine.forUpdate(write(layouts).select(layoutRows.columns).where(by));
  return row;
}

/** All, always in one order, against deadlocks. */
export async function lockedLayouts({ write, engine }: Database): Promise<LayoutRow[]> {
  return engine.forUpdate(write(layouts).select(layoutRows.columns).orderBy('number'));
}

export async function stateIn({ read, engine }: Database, row: LayoutRow): Promise<CohortState> {
  const { values } = engine;
  const found: ColumnRow[] = await read(columns)
    .select(columnRows.columns)
    .where({ layout: row.number })
    .orderBy('place');
  const members: CohortMember[] = [];
  const suspended: number[] = [];
  const left: number[] = [];
  for (const one of found) {
    const { sample, source, place, counts } = one;
    if (sample === null || source === null) left.push(place);
    else if (!values.parseBoolean(counts)) suspended.push(place);
    else members.push({ sample, source, ...(columnRows.read(values, one) as ColumnFacts), column: place });
  }
  return {
    layout: layoutRows.read(values, row),
    version: values.parseBig(row.version),
    columns: row.columns,
    members,
    suspended,
    left,
  };
}

/** Counts the change that the transaction makes. */
export async function changed({ write, engine }: Database, row: LayoutRow): Promise<void> {
  await write(layouts)
    .where({ number: row.number })
    .update({ version: engine.values.parseBig(row.version) + 1 });
}
