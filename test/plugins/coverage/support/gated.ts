/** A store on strict memory, whose every operation on a table first asks a gate: forces others in between. */

import { openMemory } from '../../../../adapters/memory/adapter.js';
import type { Store, Table, TableDeclaration, Tables } from '../../../../core/storage.js';

/** Called before an operation, such as `find coverage_genes`. */
type Gate = (operation: string) => Promise<void>;

export interface Gated<Repository> {
  repository: Repository;
  /** Runs `work` once, before the operation that begins so happens for the `nth` time from now on. */
  before(operation: string, work: () => Promise<unknown>, nth?: number): void;
  close(): Promise<void>;
}

export async function openGated<Repository>(store: Store<Repository>): Promise<Gated<Repository>> {
  let left = 0;
  let awaited: { operation: string; work: () => Promise<unknown> } | undefined;
  const gate: Gate = async (operation) => {
    if (awaited?.operation !== operation || --left > 0) return;
    const { work } = awaited;
    awaited = undefined;
    await work();
  };
  const gated = { ...store, repository: (tables: Tables) => store.repository(gatedTables(tables, gate)) };
  const { contract } = store;
  const stores = new Map([[contract.id, async () => gated]]);
  const storage = await openMemory({ contracts: [contract], stores }, 1);
  return {
    repository: storage.repository(contract),
    before(operation, work, nth = 1) {
      awaited = { operation, work };
      left = nth;
    },
    close: () => storage.close(),
  };
}

function gatedTables(tables: Tables, gate: Gate): Tables {
  return {
    table: ((declaration: TableDeclaration) => {
      const table = tables.table(declaration as never) as unknown as Table<object, object>;
      return new Proxy(table, {
        get: (target, verb: keyof typeof table) => {
          const does = target[verb].bind(target) as (...given: unknown[]) => unknown;
          if (verb === 'each') return does;
          return async (...given: unknown[]) => {
            await gate(`${verb} ${declaration.name}`);
            return does(...given);
          };
        },
      });
    }) as unknown as Tables['table'],
    snapshot: (work, options) => tables.snapshot((moment) => work(gatedTables(moment, gate)), options),
    transaction: (work) => tables.transaction((inside) => work(gatedTables(inside, gate))),
    later: (work) => tables.later((inside) => work(gatedTables(inside, gate))),
  };
}

/** Lets others go on for so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
