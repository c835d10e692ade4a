/**
 * Records which migrations of each contract have run, in one table for all contracts. Each migration runs in a
 * transaction of its own together with its row, under the engine's lock, so that several processes may migrate at the
 * same time and a failed migration leaves nothing behind. A step that stands for several of an earlier release
 * (`SchemaStep.replaces`) is recorded by their names and its own: as that release recorded them, which can go on after a
 * downgrade.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type Downgrade, Fault, isFault, type Migration } from '../../core/storage.js';
import type { Binding, Database, SchemaStep } from './binding.js';
import type { RootDatabase } from './database.js';
import type { Driver } from './driver.js';
import { contractsWithRows, lossesBetween, takeInventory } from './losses.js';
import { releases } from './releases.js';

const table = 'trefoil_migrations';

interface Step extends Migration {
  run: SchemaStep;
}

export class Ledger {
  readonly #database: RootDatabase;
  readonly #driver: Driver;
  readonly #bindings: readonly Binding[];
  readonly #steps: readonly Step[];

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
    return (await this.#missing()).map(nameOf);
  }

  /** Runs the pending migrations and returns them, without those that another process ran meanwhile. */
  async migrate(): Promise<Migration[]> {
    const ran: Migration[] = [];
    for (const step of await this.#missing()) {
      if (await this.#up(step)) ran.push(nameOf(step));
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
        outcome = { undone: steps.map(nameOf), lost: lossesBetween(before, after) };
        if (trial) throw new Fault('internal', 'A trial changes nothing');
      });
    } catch (error) {
      if (!trial || outcome === undefined) throw error;
    }
    if (outcome === undefined) throw new Fault('internal', 'The downgrade did not finish');
    return outcome;
  }

  /** The migrations after a version of Trefoil, or after a step within its contract. */
  #later(to: string): Step[] {
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
    return ran.map(nameOf);
  }

  async #down(step: Step, database: Database): Promise<void> {
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
  async #missing(): Promise<Step[]> {
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

  async #missingOn(on: Knex): Promise<Step[]> {
    const ran = (await on.schema.hasTable(table)) ? await on<Migration>(table).select('contract', 'name') : [];
    return this.#compare(ran);
  }

  /** The migrations without a row. Refuses a schema that is newer than this code, or older than its first steps. */
  #compare(ran: readonly Migration[]): Step[] {
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
  #up(step: Step): Promise<boolean> {
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

  async #locked<Result>(step: Step, work: (database: Database) => Promise<Result>): Promise<Result> {
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

function nameOf({ contract, name }: Migration): Migration {
  return { contract, name };
}

function label({ contract, name }: Migration): string {
  return `${contract}/${name}`;
}

/** The names by which a step is recorded. */
function namesOf({ name, run }: Step): readonly string[] {
  return [...(run.replaces ?? []), name];
}

function labels(step: Step): string[] {
  return namesOf(step).map((name) => label({ contract: step.contract, name }));
}
