/**
 * Columns say whose data they have: a person is stored in every table, looked for in every column of texts, and erased. What
 * names the person must be declared so, and what is declared so must be gone, unless a reason says why it stays.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { columnName } from '../../../adapters/knex/rows.js';
import { openMemory } from '../../../adapters/memory/adapter.js';
import { eraseListed } from '../../../core/erasures/erase.js';
import { logTo } from '../../../core/log.js';
import { assemble } from '../../../core/start/assemble.js';
import {
  type Contract,
  jsonOf,
  type Storage,
  type Store,
  storeOf,
  type TableDeclaration,
  type Tables,
  type TypedTable,
} from '../../../core/storage.js';
import { beaconGenes } from '../../../plugins/beacon/contract.js';
import { coverage, coverageRegions, coverageSites } from '../../../plugins/coverage/contract.js';
import { matchmakerResources } from '../../../plugins/matchmaker/contract.js';
import { configured } from '../../support/configured.js';
import { blockFolder } from '../../support/folder.js';
import { declaredColumns, tablesWithPeople, textColumns } from '../../support/reference/columns.js';
import { selectRows } from '../../support/sql.js';
import { sqlite } from '../../support/storages.js';
import { stores } from '../../support/stores.js';
import { auditKey, contractsWithPeople, type StoredPerson, storePerson, storeSurroundings } from './stored-people.js';

/** Published data, and names of genes: no column of theirs has data of people. */
const impersonal: readonly Contract[] = [beaconGenes, coverage, coverageSites, coverageRegions, matchmakerResources];

const other: StoredPerson = { id: 'Other-person', word: 'otherword', user: 'otheruser', sex: 'male', place: 1 };
const person: StoredPerson = { id: 'Zq7-person', word: 'zq7word', user: 'zq7user', sex: 'female', place: 2 };

/** Columns that have no value here, and why. */
const empty: Readonly<Record<string, string>> = {
  'audit_entries.actor': 'the caller is the same',
  'audit_pending.sealed': 'what waits for its chain is chained at once',
};

/** The values of columns of texts and bytes, by `table.column`. */
type Cells = ReadonlyMap<string, ReadonlySet<string>>;

function cellsOf(rows: Iterable<readonly [column: string, values: readonly unknown[]]>): Cells {
  const shown = (value: unknown) =>
    value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : typeof value === 'string'
        ? value
        : jsonOf(value as object);
  const isThere = (value: unknown) => value !== null && value !== undefined;
  return new Map([...rows].map(([column, values]) => [column, new Set(values.filter(isThere).map(shown))]));
}

/** A storage whose rows can be read as they are stored. */
interface OpenTables {
  storage: Storage;
  section: Record<string, unknown>;
  /** Whether bindings lay columns that no store declares. */
  isSql: boolean;
  cells(): Promise<Cells>;
  close(): Promise<void>;
}

/** All that SQLite has, but the ledger of steps. */
async function inSqlite(contracts: readonly Contract[]): Promise<OpenTables> {
  const home = await sqlite.home(contracts);
  const storage = await home.open(contracts);
  return {
    storage,
    section: home.section,
    isSql: true,
    async cells() {
      const found: [string, unknown[]][] = [];
      for (const [table, columns] of await textColumns(home.section)) {
        const rows = await selectRows(home.section, `select * from ${table}`);
        for (const name of columns) found.push([`${table}.${name}`, rows.map((row) => row[name])]);
      }
      return cellsOf(found);
    },
    async close() {
      await storage.close();
      await home.discard();
    },
  };
}

/** The declared tables in memory, above which the stores run alone. */
async function inMemory(contracts: readonly Contract[]): Promise<OpenTables> {
  const opened: { tables: Tables; store: Store }[] = [];
  const known = new Set<Store>();
  const watched = async (store: Store): Promise<{ store: Store }> => ({
    store: {
      ...store,
      repository(tables) {
        if (known.size < known.add(store).size) opened.push({ tables, store });
        return store.repository(tables);
      },
    },
  });
  const loaders: [string, () => Promise<unknown>][] = [];
  for (const contract of contracts) {
    const store = await storeOf(contract, stores);
    if (store) loaders.push([contract.id, () => watched(store)]);
  }
  const storage = await openMemory({ contracts, stores: new Map(loaders) });
  return {
    storage,
    section: { adapter: 'memory' },
    isSql: false,
    async cells() {
      const found: [string, unknown[]][] = [];
      for (const { tables, store } of opened) {
        for (const declaration of store.tables) {
          const rows = (await tables.table(declaration as TypedTable<TableDeclaration['columns']>).find()) as Row[];
          for (const [name, { kind }] of Object.entries(declaration.columns)) {
            if (!['text', 'json', 'bytes'].includes(kind)) continue;
            found.push([`${declaration.name}.${columnName(name)}`, rows.map((row) => row[name])]);
          }
        }
      }
      return cellsOf(found);
    },
    close: () => storage.close(),
  };
}
type Row = Record<string, unknown>;

/** Erases the person from everything that is stored, as `trefoil erase` does. */
async function erase(id: string, { storage, section }: OpenTables): Promise<void> {
  const folder = blockFolder();
  const file = join(folder, 'trefoil.yaml');
  const settings = {
    ...{ http: { port: 0 }, migrate: 'manual', storage: section, audit: { key: auditKey } },
    erasures: { file: join(folder, 'erased') },
    plugins: {
      beacon: { protection: { datasets: { cardio: 'careful' } } },
      coverage: { reports: { days: 100 } },
      ...{ matchmaker: { triage: {} }, panels: {}, reviews: {} },
    },
  };
  await writeFile(file, JSON.stringify(settings));
  const { erasing } = await assemble({
    configuration: await configured({ file }),
    storage,
    log: logTo({ write: () => {} }, { level: 'warn' }),
    now: () => new Date(),
    readiness: async () => ({ ready: false, checks: {} }),
  });
  const ids = await erasing.erasers.samplesOf({ cases: [], samples: [id] });
  const erasures = ids.map((one) => ({ id: one, holder: 'own', scope: 'all' }) as const);
  await eraseListed(erasing, erasures);
}

for (const [place, open] of Object.entries({ SQLite: inSqlite, memory: inMemory })) {
  describe(`columns of persons in ${place}`, function () {
    this.timeout(120_000);
    let opened: OpenTables;
    let declared: Awaited<ReturnType<typeof declaredColumns>>;
    let cells: Record<'before' | 'during' | 'after', Cells>;

    /** Columns in which a value has one of these texts. */
    const having = (when: keyof typeof cells, ...texts: string[]) =>
      [...cells[when]].flatMap(([column, values]) =>
        [...values].some((value) => texts.some((text) => value.includes(text))) ? [column] : [],
      );
    /** Values of a column that came with the person. */
    const added = (column: string) =>
      [...(cells.during.get(column) ?? [])].filter((value) => cells.before.get(column)?.has(value) !== true);

    before(async () => {
      const contracts = [...contractsWithPeople, ...impersonal];
      opened = await open(contracts);
      declared = await declaredColumns(contracts, opened);
      await storeSurroundings(opened.storage);
      await storePerson(opened.storage, other);
      const before = await opened.cells();
      await storePerson(opened.storage, person);
      const during = await opened.cells();
      await erase(person.id, opened);
      cells = { before, during, after: await opened.cells() };
    });
    after(() => opened.close());

    it('say of every text that is stored whose data it is', () => {
      expect([...cells.during.keys()].filter((column) => !declared.has(column))).to.deep.equal([]);
      const tables = new Set([...cells.during.keys()].map((column) => column.split('.')[0]));
      const ofPeople = [...declared].filter(([, owner]) => owner !== undefined);
      expect(ofPeople.filter(([column]) => !tables.has(column.split('.')[0]))).to.deep.equal([]);
    });

    it('have values of a person here, so that nothing is found in vain', () => {
      const unfilled = [...declared].filter(
        ([column, owner]) => owner && cells.during.has(column) && added(column).length === 0,
      );
      expect(Object.fromEntries(unfilled.map(([column]) => [column, empty[column]]))).to.deep.equal(empty);
    });

    it('are all those in which a person, or who works with the data, can be found', () => {
      const people = having('during', person.id, person.word).filter((column) => declared.get(column)?.is !== 'person');
      expect(people).to.deep.equal([]);
      expect(having('during', person.user).filter((column) => declared.get(column) === undefined)).to.deep.equal([]);
    });

    it('have nothing of the person after an erasure, unless they say why', () => {
      const erased = [...declared].flatMap(([column, owner]) =>
        owner?.is === 'person' && owner.stays === undefined ? [column] : [],
      );
      const left = erased.filter((column) => added(column).some((value) => cells.after.get(column)?.has(value)));
      expect(left).to.deep.equal([]);
      const named = having('after', person.id, person.word);
      expect(named.filter((column) => declared.get(column)?.stays === undefined)).to.deep.equal([]);
      expect(having('after', other.id).length, 'the other person stays').to.be.above(20);
    });

    it('give a reason only if it is needed', () => {
      const kept = [...declared].flatMap(([column, owner]) => (owner?.is === 'person' && owner.stays ? [column] : []));
      const gone = kept.filter((column) => !added(column).some((value) => cells.after.get(column)?.has(value)));
      expect(gone.filter((column) => cells.during.has(column) && !(column in empty))).to.deep.equal([]);
    });

    if (place === 'SQLite')
      it('are listed for those who are responsible for the data', async () => {
        const page = await readFile(new URL('../../../config/reference/people.md', import.meta.url), 'utf8');
        const stored = new Map([...declared].filter(([column]) => cells.during.has(column)));
        const rows = tablesWithPeople(stored).map((cells) => `| ${cells.join(' | ')} |`);
        expect(page.match(/^\| `.*$/gm)).to.deep.equal(rows);
      });
  });
}
