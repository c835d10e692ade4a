/**
 * Records which migrations of each contract have run, in one table for all contracts. Each migration runs in a transaction of
 * its own together with its record. A downgrade goes back to the schema of a release and says what is lost.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type Downgrade, Fault, isFault, type Loss, type Migration } from '../../core/storage.js';
import type { Binding, Database, SchemaStep } from './binding.js';
import type { RootDatabase } from './database.js';
import type { Driver } from './driver.js';

// Records which migrations of each contract have run, in one table for all contracts. Each migration runs in a
// transaction of its own together with its row, under the engine's lock, so that several processes may migrate at the
// same time and a failed migration leaves nothing behind. A step that stands for several of an earlier release
// (`SchemaStep.replaces`) is recorded by their names and its own: as that release recorded them, which can go on after a
// downgrade.

const table = 'trefoil_migrations';

interface LedgerStep extends Migration {
  run: SchemaStep;
}

export class Ledger {
  readonly #database: RootDatabase;
  readonly #driver: Driver;
  readonly #bindings: readonly Binding[];
  readonly #steps: readonly LedgerStep[];

  constructor(database: RootDatabase, driver: Driver, bindings: readonly Binding[]) {
    this.#database = database;
    this.#driver = driver;
    this.#bindings = bindings;
    this.#steps = bindings.flatMap(({ contract, migrations }) =>
      Object.entries(migrations)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, run]) => ({ contract: contract.id, name, run })),
    );
  }

  /** The pending migrations, in the order in which they will run. */
  async pending(): Promise<Migration[]> {
    return (await this.#missing()).map(withoutRun);
  }

  /** Runs the pending migrations and returns them, without those that another process ran meanwhile. */
  async migrate(): Promise<Migration[]> {
    const ran: Migration[] = [];
    for (const step of await this.#missing()) {
      if (await this.#up(step)) ran.push(withoutRun(step));
    }
    await this.#prepareLineage();
    return ran;
  }

  async #prepareLineage(): Promise<void> {
    const { prepareLineage } = this.#driver;
    if (prepareLineage === undefined) return;
    await this.#database.transaction(async ({ write }) => {
      await this.#driver.lockSchema(write);
      await prepareLineage(write);
    });
  }

  /** See `Storage.unclaimed`. */
  async unclaimed(): Promise<string[]> {
    return this.#database.run(async ({ read }) => {
      if (!(await read.schema.hasTable(table))) return [];
      const rows = await read<Migration>(table).distinct('contract');
      const all = rows.map(({ contract }) => contract);
      const own = new Set(this.#steps.map(({ contract }) => contract));
      const filled = await contractsWithRows(
        this.#driver,
        read,
        all.filter((contract) => !own.has(contract)),
        [...own],
      );
      return filled.sort();
    });
  }

  /** See `Storage.downgrade`. */
  async downgrade(to: string, { trial }: { trial: boolean }): Promise<Downgrade> {
    const later = this.#later(to);
    let outcome: Downgrade | undefined;
    try {
      await this.#database.transaction(async (database) => {
        const { write } = database;
        await this.#driver.lockSchema(write);
        const missing = new Set(await this.#missingOn(write));
        const steps = later.filter((step) => !missing.has(step)).reverse();
        const contracts = [...new Set(steps.map(({ contract }) => contract))];
        const before = await takeInventory(this.#driver, write, contracts);
        for (const step of steps) {
          await this.#down(step, database);
        }
        const after = await takeInventory(this.#driver, write, contracts);
        outcome = { undone: steps.map(withoutRun), lost: lossesBetween(before, after) };
        if (trial) throw new Fault('internal', 'A trial changes nothing');
      });
    } catch (error) {
      if (!trial || outcome === undefined) throw error;
    }
    if (outcome === undefined) throw new Fault('internal', 'The downgrade did not finish');
    return outcome;
  }

  /** The migrations after a version of Trefoil, or after a step within its contract. */
  #later(to: string): LedgerStep[] {
    const own = this.#steps.find((step) => label(step) === to);
    if (own) return this.#steps.filter(({ contract, name }) => contract === own.contract && name > own.name);
    const release = releases[to];
    if (release === undefined) {
      const steps = this.#steps.map(label).join(', ');
      const versions = Object.keys(releases).join(', ');
      throw new Fault('invalid', `There is no earlier version or step "${to}". Versions: ${versions}. Steps: ${steps}`);
    }
    // Third-party plugins are not part of our versions: their migrations stay.
    return this.#steps.filter(({ contract, name }) => contract in release && name > (release[contract] ?? ''));
  }

  /** Undoes all migrations, the newest first, and drops all data. For tests and for writing migrations. */
  async revert(): Promise<Migration[]> {
    const missing = new Set(await this.#missing());
    const ran = this.#steps.filter((step) => !missing.has(step)).reverse();
    for (const step of ran) {
      await this.#locked(step, async (database) => {
        await this.#down(step, database);
      });
    }
    return ran.map(withoutRun);
  }

  async #down(step: LedgerStep, database: Database): Promise<void> {
    const { write, engine } = database;
    try {
      await step.run.down(write, engine, database);
      await write(table).where({ contract: step.contract }).whereIn('name', namesOf(step)).delete();
    } catch (error) {
      const cause = engine.translate(error);
      const code = isFault(cause) ? cause.code : 'internal';
      throw new Fault(code, `The migration ${label(step)} could not be undone: ${cause.message}`, { cause });
    }
  }

  /**
   * Inserts a row and deletes it again in one transaction, to find out whether the engine accepts writes. Updating a row
   * to the same value would not do: SQLite writes no pages that do not change.
   */
  async tryWrite(): Promise<void> {
    const row = { contract: 'trefoil', name: `trial-${randomUUID()}` };
    await this.#database.transaction(async ({ write, engine }) => {
      await write(table).insert({ ...row, ran_at: engine.values.time(new Date()) });
      await write(table).where(row).delete();
    });
  }

  /** Refuses stored rows that this code cannot read, before any step changes the schema. */
  async #missing(): Promise<LedgerStep[]> {
    return this.#database.run(async (database) => {
      const missing = new Set(await this.#missingOn(database.read));
      for (const { contract, refusal } of this.#bindings) {
        const [first] = this.#steps.filter((step) => step.contract === contract.id);
        if (first === undefined || missing.has(first)) continue;
        const reason = await refusal?.(database);
        if (reason !== undefined) throw new Fault('unavailable', reason);
      }
      return [...missing];
    });
  }

  async #missingOn(on: Knex): Promise<LedgerStep[]> {
    const ran = (await on.schema.hasTable(table)) ? await on<Migration>(table).select('contract', 'name') : [];
    return this.#compare(ran);
  }

  /** The migrations without a row. Refuses a schema that is newer than this code, or older than its first steps. */
  #compare(ran: readonly Migration[]): LedgerStep[] {
    const contracts = new Set(this.#steps.map(({ contract }) => contract));
    const known = new Set(this.#steps.flatMap(labels));
    const newer = ran.filter((row) => contracts.has(row.contract) && !known.has(label(row)));
    if (newer.length > 0) {
      throw new Fault(
        'unavailable',
        `The database has a newer schema than this version of Trefoil knows: ${newer.map(label).sort().join(', ')}`,
      );
    }
    const done = new Set(ran.map(label));
    const older = this.#steps.filter((step) => {
      const there = labels(step).filter((one) => done.has(one)).length;
      return there > 0 && there < labels(step).length;
    });
    if (older.length > 0) {
      const lacking = older.map((step) => labels(step).find((one) => !done.has(one)));
      throw new Fault(
        'unavailable',
        `The database is of a release before 0.2, which this version cannot update (it lacks ${lacking.join(', ')}). ` +
          'Install Trefoil 0.2 first: run its "trefoil migrate" with the same plugins, and "beacon verify --mend" if ' +
          'there are datasets; then install this version again',
      );
    }
    return this.#steps.filter((step) => !done.has(label(step)));
  }

  /** Returns false if another process was faster. */
  #up(step: LedgerStep): Promise<boolean> {
    return this.#locked(step, async (database) => {
      const { write, engine } = database;
      if (!(await write.schema.hasTable(table))) {
        await write.schema.createTable(table, (columns) => {
          engine.columns.text(columns, 'contract').notNullable();
          engine.columns.text(columns, 'name').notNullable();
          engine.columns.time(columns, 'ran_at').notNullable();
          columns.primary(['contract', 'name']);
        });
      }
      // Checked again, now that no other process can change the schema.
      const ran = await write<Migration>(table).select('contract', 'name');
      if (!this.#compare(ran).includes(step)) return false;
      await step.run.up(write, engine, database);
      const ranAt = engine.values.time(new Date());
      await write(table).insert(namesOf(step).map((name) => ({ contract: step.contract, name, ran_at: ranAt })));
      return true;
    });
  }

  async #locked<Result>(step: LedgerStep, work: (database: Database) => Promise<Result>): Promise<Result> {
    try {
      return await this.#database.transaction(async (database) => {
        await this.#driver.lockSchema(database.write);
        return await work(database);
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(error.code, `The migration ${label(step)} failed: ${error.message}`, { cause: error.cause });
    }
  }
}

function withoutRun({ contract, name }: Migration): Migration {
  return { contract, name };
}

function label({ contract, name }: Migration): string {
  return `${contract}/${name}`;
}

/** The names by which a step is recorded. */
function namesOf({ name, run }: LedgerStep): readonly string[] {
  return [...(run.replaces ?? []), name];
}

function labels(step: LedgerStep): string[] {
  return namesOf(step).map((name) => label({ contract: step.contract, name }));
}

// What the tables of contracts hold, and what a change of the schema loses, found by comparing them before and after.

/** By table: the number of rows, and for each column the number of rows with a value. */
type Inventory = ReadonlyMap<string, { rows: number; values: ReadonlyMap<string, number> }>;

/** The name of a table begins with its contract's name and an underscore. */
function prefixOf(contract: string): string {
  return `${(contract.split('@', 1)[0] ?? '').replaceAll('-', '_')}_`;
}

/**
 * Those of the contracts that have a row in any of their tables. The tables of `others` are not theirs: `coverage_reports_pieces`
 * is a table of `coverage-reports`, not of `coverage`.
 */
async function contractsWithRows(
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
async function takeInventory(driver: Driver, on: Knex, contracts: readonly string[]): Promise<Inventory> {
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
function lossesBetween(before: Inventory, after: Inventory): Loss[] {
  return [...before].flatMap(([table, { rows, values }]): Loss[] => {
    const left = after.get(table);
    if (left === undefined) return [{ table, rows }];
    const columns = [...values]
      .filter(([column]) => !left.values.has(column))
      .map(([column, held]) => ({ table, column, rows: held }));
    return left.rows < rows ? [...columns, { table, rows: rows - left.rows, kept: left.rows }] : columns;
  });
}

// The schema of each earlier release: how far back `trefoil migrate --down-to VERSION` can go.

/** The last step of each contract in a release; null if the release did not have the contract. */
export const releases: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  '0.2.0': {
    'jobs@1': '002-crashes',
    'tokens@1': '001-issued',
    'sessions@1': '001-open',
    'audit@1': '002-pending-events',
    'erasures@1': null,
    'beacon@1': '009-fresh-rows',
    'beacon-genes@1': '002-symbols',
    'beacon-depths@1': null,
    'beacon-consequences@1': null,
    'beacon-protection@1': '002-consulted-people',
    'coverage@1': '001-sets-of-intervals',
    'coverage-samples@1': '002-windows-of-runs',
    'coverage-tracks@1': '001-tracks-and-blocks',
    'coverage-cohorts@1': '001-layouts-and-blocks',
    'coverage-sites@1': '001-sets-and-places',
    'coverage-regions@1': null,
    'coverage-reports@1': '001-kept-reports',
    'matchmaker@1': '002-clients',
    'matchmaker-matches@1': '003-shared-patients',
    'matchmaker-resources@1': '001-resources',
    'matchmaker-nodes@1': '002-quirks',
    'matchmaker-mail@1': '002-search',
    'matchmaker-audit@1': '002-purposes',
    'matchmaker-triage@1': '001-triage',
    'panels@1': '001-versions-and-names',
    'reviews@1': null,
  },
};
