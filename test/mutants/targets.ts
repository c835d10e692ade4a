/** Which sources are changed for which contract, and on which storages its cases have to notice. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Store } from '../../core/storage.js';

export interface Target {
  /** The id of the contract, with which the titles of its cases begin. */
  readonly contract: string;
  /** A path from the root of the clone. */
  readonly source: string;
  /** Storages of the kit on which the source runs, by their names there. */
  readonly subjects: readonly string[];
}

const engines = ['SQLite', 'PostgreSQL'];
const strict = ['strict memory, seed 1', 'strict memory, seed 2', 'strict memory, seed 3'];

/** What declared tables in SQL are made of. */
const tables = ['tables.ts', 'rows.ts'].map(
  (file): Target => ({ contract: 'probe@1', source: join('adapters/knex', file), subjects: engines }),
);

/** What decides of an answer in every adapter: an adapter that decides by itself has to decide the same. */
const rules: readonly (readonly [contract: string, folder: string, files: readonly string[]])[] = [
  ['beacon@1', 'plugins/beacon/domain', ['matching.ts', 'similar.ts', 'hits.ts', 'observation.ts', 'sample.ts']],
  ['beacon@1', 'plugins/beacon', ['moment.ts', 'stored-alleles.ts']],
  ['beacon-protection@1', 'plugins/beacon/protection', ['spend.ts', 'contract.ts']],
  ['coverage@1', 'plugins/coverage/intervals', ['stored.ts', 'staging.ts']],
  ['coverage-sites@1', 'plugins/coverage/sites', ['staged-sets.ts']],
  ['matchmaker@1', 'plugins/matchmaker', ['changes.ts']],
  ['matchmaker-matches@1', 'plugins/matchmaker/matches', ['forms.ts', 'records.ts']],
];

/** Tables above rows in memory, which are what they promise. */
const memory = ['core/table/above-rows.ts', 'adapters/memory/tables.ts', 'adapters/memory/transaction.ts'].map(
  (source): Target => ({ contract: 'probe@1', source, subjects: ['memory', ...strict] }),
);

/** What a storage does beside its repositories, in memory: it opens, runs transactions and closes. */
const storage: Target = { contract: 'Storage', source: 'adapters/memory/storage.ts', subjects: ['memory'] };

/** Every source of a repository: bindings in SQL, stores above tables, and the tables. */
export async function targetsIn(root: string): Promise<Target[]> {
  const bindings = readdirSync(join(root, 'adapters/knex')).filter((name) =>
    existsSync(join(root, 'adapters/knex', name, 'binding.ts')),
  );
  // Of gene names in SQL there are only steps of the schema.
  const found = bindings
    .filter((name) => name !== 'beacon-genes')
    .sort()
    .flatMap((name) => {
      const files = readdirSync(join(root, 'adapters/knex', name)).filter((file) => file !== 'migrations.ts');
      return files.map(
        (file): Target => ({
          contract: `${name}@1`,
          source: join('adapters/knex', name, file),
          subjects: engines,
        }),
      );
    });
  for (const source of storesIn(root)) {
    const module = (await import(pathToFileURL(join(root, source)).href)) as { store?: Store };
    const contract = module.store?.contract.id;
    if (contract === undefined) throw new Error(`${source} exports no store`);
    // A binding in SQL may stand in for any verb of its store: there only memory shows what is changed in the store.
    const isBound = bindings.includes(contract.replace(/@\d+$/, ''));
    found.push({ contract, source, subjects: isBound ? strict : [...engines, ...strict] });
  }
  for (const [contract, folder, files] of rules) {
    found.push(...files.map((file) => ({ contract, source: join(folder, file), subjects: strict })));
  }
  return [...found, ...tables, ...memory, storage];
}

function storesIn(root: string): string[] {
  return ['core', 'plugins'].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(^|\/)store\.ts$/.test(file))
      .map((file) => join(part, file))
      .sort(),
  );
}
