/**
 * Columns say whose data they have: a person is stored in every table, looked for in every column of texts, and erased. What
 * names the person must be declared so, and what is declared so must be gone, unless a reason says why it stays.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { columnName } from '../../../adapters/knex/rows.js';
import { loadBindings } from '../../../adapters/knex/storage.js';
import type { ColumnOwner, Contract, Storage } from '../../../core/storage.js';
import { storeOf } from '../../../core/storage.js';
import { beaconGenes } from '../../../plugins/beacon/contract.js';
import { coverage, coverageSites } from '../../../plugins/coverage/contract.js';
import { matchmakerResources } from '../../../plugins/matchmaker/contract.js';
import { command } from '../../support/command.js';
import { blockFolder } from '../../support/folder.js';
import { selectRows } from '../../support/sql.js';
import { type Home, sqlite } from '../../support/storages.js';
import { stores } from '../../support/stores.js';
import { auditKey, contractsWithPeople, type StoredPerson, storePerson, storeSurroundings } from './stored-people.js';

/** Published data, and names of genes: no column of theirs has data of people. */
const impersonal: readonly Contract[] = [beaconGenes, coverage, coverageSites, matchmakerResources];

const other: StoredPerson = { id: 'Other-person', word: 'otherword', user: 'otheruser', sex: 'male', place: 1 };
const person: StoredPerson = { id: 'Zq7-person', word: 'zq7word', user: 'zq7user', sex: 'female', place: 2 };

/** Tables of bindings that state nothing yet. */
const unstated = /^coverage_(sets|genes|transcripts|exons|names)$/;

/** Columns that have no value here, and why. */
const empty: Readonly<Record<string, string>> = {
  'audit_entries.actor': 'the caller is the same',
  'audit_pending.sealed': 'what waits for its chain is chained at once',
};

/** Whose data each column of texts or bytes has, by `table.column`: undefined if no one's. */
async function declaredColumns(contracts: readonly Contract[]): Promise<Map<string, ColumnOwner | undefined>> {
  const declared = new Map<string, ColumnOwner | undefined>();
  const loaded = await loadBindings({ contracts, bindings: new Map(), stores });
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

const none: Cells = new Map();
type Cells = ReadonlyMap<string, ReadonlySet<string>>;

/** The values of all columns of texts and bytes, by `table.column`, without those of the ledger of steps. */
async function cellsIn(section: Home['section']): Promise<Cells> {
  const cells = new Map<string, Set<string>>();
  const tables = await selectRows<{ name: string }>(section, "select name from sqlite_master where type = 'table'");
  for (const { name: table } of tables) {
    if (table.startsWith('sqlite_') || table === 'trefoil_migrations' || unstated.test(table)) continue;
    const columns = await selectRows<{ name: string; type: string }>(section, `pragma table_info(${table})`);
    const rows = await selectRows(section, `select * from ${table}`);
    for (const { name, type } of columns) {
      if (!/text|blob|json|char/i.test(type)) continue;
      const values = rows.map((row) => row[name]).filter((value) => value !== null) as (string | Uint8Array)[];
      const texts = values.map((value) => (typeof value === 'string' ? value : Buffer.from(value).toString('hex')));
      cells.set(`${table}.${name}`, new Set(texts));
    }
  }
  return cells;
}

describe('columns of persons', function () {
  this.timeout(120_000);
  const folder = blockFolder();
  let home: Home;
  let storage: Storage;
  let declared: Awaited<ReturnType<typeof declaredColumns>>;
  const cells = { before: none, during: none, after: none };

  /** Columns in which a value has one of these texts. */
  const having = (when: keyof typeof cells, ...texts: string[]) =>
    [...cells[when]].flatMap(([column, values]) =>
      [...values].some((value) => texts.some((text) => value.includes(text))) ? [column] : [],
    );
  /** Values of a column that came with the person. */
  const added = (column: string) =>
    [...(cells.during.get(column) ?? [])].filter((value) => cells.before.get(column)?.has(value) !== true);

  before(async () => {
    home = await sqlite.home([...contractsWithPeople, ...impersonal]);
    storage = await home.open([...contractsWithPeople, ...impersonal]);
    declared = await declaredColumns([...contractsWithPeople, ...impersonal]);
    await storeSurroundings(storage);
    await storePerson(storage, other);
    cells.before = await cellsIn(home.section);
    await storePerson(storage, person);
    cells.during = await cellsIn(home.section);
    const configuration = {
      ...{ http: { port: 0 }, migrate: 'manual', storage: home.section, audit: { key: auditKey } },
      erasures: { file: join(folder, 'erased') },
      plugins: {
        beacon: { protection: { datasets: { cardio: 'careful' } } },
        coverage: { reports: { days: 100 } },
        ...{ matchmaker: { triage: {} }, panels: {} },
      },
    };
    await writeFile(join(folder, 'trefoil.yaml'), JSON.stringify(configuration));
    const words = ['erase', '--sample', person.id, '--yes', '--config', 'trefoil.yaml'];
    const erased = await command(words, { cwd: folder });
    expect(erased.code, erased.stderr).to.equal(0);
    cells.after = await cellsIn(home.section);
  });
  after(async () => {
    await storage.close();
    await home.discard();
  });

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

  it('are listed for those who are responsible for the data', async () => {
    const page = await readFile(new URL('../../../config/erasure.md', import.meta.url), 'utf8');
    const list = page.slice(page.indexOf('## Where people are in the database'));
    const stored = new Map([...declared].filter(([column]) => cells.during.has(column)));
    const tables = [...new Set([...stored.keys()].map((column) => column.split('.')[0] ?? ''))].sort();
    expect(list.match(/^\| `.*$/gm)).to.deep.equal(tables.flatMap((table) => rowOfTable(table, stored)));
  });
});

/** `| table | columns that an erasure takes | columns that stay, with the reason |`; none for a table without people. */
function rowOfTable(table: string, declared: ReadonlyMap<string, ColumnOwner | undefined>): string[] {
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
  return [`| \`${table}\` | ${gone.join(', ')} | ${stays.join('; ')} |`];
}
