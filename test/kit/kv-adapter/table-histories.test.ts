/** Tables on ordered keys have the rows that tables in memory have, after any history. */
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import type * as Door from '../../../core/storage.js';
import type { Table, TableDeclaration, Tables } from '../../../core/storage.js';
import { installWithLevel, loadLevel, openTables } from './installed.js';

type AnyTable = Table<Record<string, unknown>, Record<string, unknown>>;
type Conditions = Readonly<Record<string, unknown>>;

/** Stands for the condition of absence: the installed package has its own. */
const isAbsent = { absent: true };

const texts = [
  '',
  'a',
  'a\u0001',
  'a\u{10000}',
  'ab',
  'b',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  '\u{10ffff}a',
];
const integers = [Number.MIN_SAFE_INTEGER, -2, -1, 0, 1, 10, Number.MAX_SAFE_INTEGER];
/** Some are frequent, so that rows are alike. */
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('a', 'b') },
    { weight: 1, arbitrary: fc.constantFrom(...texts) },
  ),
  integer: fc.oneof(fc.constantFrom(0, 1), fc.constantFrom(...integers)),
  generated: fc.integer({ min: 1, max: 8 }),
  boolean: fc.boolean(),
  time: fc.constantFrom(...[-8.64e15, -1, 0, 1].map((at) => new Date(at))),
};

/** Keys, unique sets and indexes of several columns, with absent values in them. */
function declared({ defineTable, text, integer, generated, boolean, time, optional }: typeof Door) {
  return [
    defineTable({
      name: 'fuzz_placed',
      columns: {
        shelf: text(),
        place: integer(),
        label: optional(text()),
        size: optional(integer()),
        isOpen: boolean(),
        bought: optional(time()),
      },
      key: ['shelf', 'place'],
      unique: [['label', 'size']],
      indexes: [['size', 'shelf'], ['isOpen', 'bought'], ['isOpen'], ['place']],
    }),
    defineTable({
      name: 'fuzz_numbered',
      columns: { number: generated(), group: text(), name: text(), until: optional(time()) },
      key: ['number'],
      unique: [['group', 'name'], ['until']],
      indexes: [['name']],
    }),
  ] as readonly TableDeclaration[];
}

type Fields = Readonly<Record<string, unknown>>;
type Query = { where: readonly Conditions[]; order?: string[]; descending: boolean; limit?: number };
type Step =
  | { do: 'add' | 'put'; row: Fields; columns?: string[] }
  | { do: 'addMany' | 'append'; rows: Fields[] }
  | { do: 'change'; where: readonly Conditions[]; changes: Fields }
  | { do: 'remove' | 'count'; where: readonly Conditions[] }
  | { do: 'take'; query: Query; changes: Fields }
  | { do: 'find' | 'pages'; query: Query }
  | { do: 'transaction'; steps: Step[]; isGivenUp: boolean };

/** Some rows, and then anything. */
function historyOf({ columns, key, unique = [] }: TableDeclaration): fc.Arbitrary<Step[]> {
  const names = Object.keys(columns);
  const anyOf = (name: string) => values[columns[name]?.kind ?? ''] as fc.Arbitrary<unknown>;
  const isOptional = (name: string) => columns[name]?.optional === true;
  const isGenerated = (name: string) => columns[name]?.kind === 'generated';
  const given = names.filter((name) => !isGenerated(name));
  const row = fc.record(Object.fromEntries(given.map((name) => [name, anyOf(name)])), {
    requiredKeys: given.filter((name) => !isOptional(name)),
  });
  const condition = (name: string): fc.Arbitrary<unknown> => {
    const bound = (...kinds: string[]) => fc.tuple(fc.constantFrom(...kinds), anyOf(name));
    const bounds = fc.tuple(bound('above', 'atLeast'), bound('below', 'atMost'));
    return fc.oneof(
      { weight: 4, arbitrary: anyOf(name) },
      fc.array(anyOf(name), { maxLength: 3 }).map((among) => ({ among })),
      bounds.map((both) => Object.fromEntries(both)),
      bound('above', 'atLeast', 'below', 'atMost').map((one) => Object.fromEntries([one])),
      ...(columns[name]?.kind === 'text' ? [anyOf(name).map((beginning) => ({ beginning }))] : []),
      ...(isOptional(name) ? [fc.constant(isAbsent)] : []),
    );
  };
  const conditions = fc.record(Object.fromEntries(names.map((name) => [name, condition(name)])), { requiredKeys: [] });
  const few = conditions.map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)));
  const where = fc.oneof({ weight: 3, arbitrary: few.map((one) => [one]) }, fc.array(few, { maxLength: 3 }));
  const order = fc.shuffledSubarray(names.filter((name) => !isOptional(name)));
  const query: fc.Arbitrary<Query> = fc.record(
    { where, order, descending: fc.boolean(), limit: fc.integer({ min: 1, max: 4 }) },
    { requiredKeys: ['where', 'descending'] },
  );
  const changed = names.filter((name) => !key.includes(name) && (!unique.flat().includes(name) || isOptional(name)));
  const change = (name: string) => (unique.flat().includes(name) ? fc.constant(isAbsent) : anyOf(name));
  const changes = fc.record(Object.fromEntries(changed.map((name) => [name, change(name)])), { requiredKeys: [] });
  const some = fc.array(row, { maxLength: 5 });
  const one: fc.Arbitrary<Step>[] = [
    row.map((each) => ({ do: 'add', row: each })),
    some.map((rows) => ({ do: 'addMany', rows })),
    fc.record({ where, changes }).map((each) => ({ do: 'change', ...each })),
    where.map((each) => ({ do: 'remove', where: each })),
    where.map((each) => ({ do: 'count', where: each })),
    fc.record({ query, changes }).map((each) => ({ do: 'take', ...each })),
    query.map((each) => ({ do: 'find', query: each })),
    query.map((each) => ({ do: 'pages', query: each })),
    query.map((each) => ({ do: 'pages', query: each })),
    query.map((each) => ({ do: 'pages', query: each })),
  ];
  // The number of a row that was given up may be given again.
  const isNumbered = key.some(isGenerated);
  if (!isNumbered) {
    one.push(some.map((rows) => ({ do: 'append', rows })));
    const put = fc.record({ row, columns: fc.subarray(given) }, { requiredKeys: ['row'] });
    one.push(put.map((each) => ({ do: 'put', ...each })));
  }
  const steps = fc.array(fc.oneof(...one), { maxLength: 4 });
  const isGivenUp = isNumbered ? fc.constant(false) : fc.boolean();
  const together = fc.record({ steps, isGivenUp }).map((each): Step => ({ do: 'transaction', ...each }));
  const rows = fc.array(row, { maxLength: 15 });
  const any = fc.oneof({ weight: 6, arbitrary: fc.oneof(...one) }, { weight: 1, arbitrary: together });
  const begin = rows.map((each): Step => ({ do: 'addMany', rows: each }));
  return fc.tuple(begin, fc.array(any, { maxLength: 30 })).map(([first, others]) => [first, ...others]);
}

/** What a step results in: rows without an order as a set, faults as their code. */
async function outcomeOf(tables: Tables, declaration: TableDeclaration, absent: symbol, step: Step): Promise<unknown> {
  const table = tables.table(declaration as never) as unknown as AnyTable;
  const own = (fields: Fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === isAbsent ? absent : value]));
  const ownWhere = (where: readonly Conditions[]) => where.map(own) as never;
  const set = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
  switch (step.do) {
    case 'add':
      return table.add(step.row);
    case 'put':
      return table.put(step.row, step.columns);
    case 'addMany':
      return set(await table.addMany(step.rows));
    case 'append':
      return table.append(step.rows);
    case 'change':
      return table.change(ownWhere(step.where), own(step.changes) as never);
    case 'remove':
      return table.remove(ownWhere(step.where));
    case 'count':
      return table.count(ownWhere(step.where));
    case 'take': {
      const { where, order = [], descending } = step.query;
      return table.take({ where: ownWhere(where), order, descending }, () => own(step.changes) as never);
    }
    case 'find': {
      const found = await table.find({ ...step.query, where: ownWhere(step.query.where) });
      if (step.query.order !== undefined) return found;
      return step.query.limit === undefined ? set(found) : found.length;
    }
    case 'pages': {
      const { where, order = [], descending, limit = 2 } = step.query;
      const pages: unknown[] = [];
      let after: never | undefined;
      do {
        const page = await table.page({ where: ownWhere(where), order, descending, limit, after });
        pages.push(page);
        after = page.next as never;
      } while (after !== undefined);
      return pages;
    }
    case 'transaction': {
      const outcomes: unknown[] = [];
      const work = tables.transaction(async (inside) => {
        for (const each of step.steps) outcomes.push(await outcomeOf(inside, declaration, absent, each));
        if (step.isGivenUp) throw new Error('given up');
      });
      return [await settled(work), outcomes];
    }
  }
}

async function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: { code?: unknown; message: string }) => String(error.code ?? error.message));
}

describe('histories of tables on ordered keys', function () {
  this.timeout(240_000);
  let installed: ReturnType<typeof installWithLevel>;
  let loaded: Awaited<ReturnType<typeof loadLevel>>;
  before(async () => {
    installed = installWithLevel();
    loaded = await loadLevel(installed);
  });
  after(() => installed.remove());

  for (const i of [0, 1]) {
    it(`have the rows that tables in memory have after any history (${['a key of two columns', 'numbers'][i]})`, async () => {
      const { door, level, memory, folderOf } = loaded;
      const all = declared(door);
      const declaration = all[i] as TableDeclaration;
      await fc.assert(
        fc.asyncProperty(historyOf(declaration), async (steps) => {
          const folder = await folderOf();
          const [kept, reference] = [
            await openTables(door, level, { folder }, all),
            await openTables(door, memory, {}, all),
          ];
          try {
            for (const step of [
              ...steps,
              { do: 'find', query: { where: [{}], order: [], descending: false } } as Step,
            ]) {
              const [mine, other] = [kept, reference].map(({ tables }) =>
                settled(outcomeOf(tables, declaration, door.absent, step)),
              );
              expect(await mine, JSON.stringify(step)).to.deep.equal(await other);
            }
          } finally {
            await kept.storage.close();
            rmSync(folder, { recursive: true });
          }
        }),
        { numRuns: Number(process.env.TEST_RUNS ?? 150) },
      );
    });
  }
});
