/** Values read from a database equal the values written, on every engine and by every interface. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Database, Scalar } from '../../../adapters/knex/binding.js';
import { isFault } from '../../../core/storage.js';
import { type OpenedStorage, storages } from '../../support/storages.js';
import { probe, probeOptions } from './support/probe.js';

const columns = ['id', 'name', 'flag', 'ratio', 'at', 'doc'] as const;

interface Values {
  id: number;
  name: string | null;
  flag: boolean | null;
  ratio: number | null;
  at: Date | null;
  doc: unknown;
}

function rowOf({ engine: { values } }: Database, { id, name, flag, ratio, at, doc }: Values): Scalar[] {
  return [
    id,
    name,
    flag === null ? null : (values.boolean(flag) as Scalar),
    ratio,
    at === null ? null : (values.time(at) as Scalar),
    doc === undefined ? null : (values.json(doc) as Scalar),
  ];
}

function valuesOf({ engine: { values } }: Database, row: Record<(typeof columns)[number], unknown>): Values {
  return {
    id: values.parseBig(row.id),
    name: row.name as string | null,
    flag: row.flag === null ? null : values.parseBoolean(row.flag),
    ratio: row.ratio as number | null,
    at: row.at === null ? null : values.parseTime(row.at),
    doc: row.doc === null ? undefined : values.parseJson(row.doc),
  };
}

/** Two ways to write and two ways to read. */
const writers: Record<string, (database: Database, rows: Values[]) => Promise<void>> = {
  insert: async (database, rows) => {
    for (const row of rows) {
      const cells = rowOf(database, row);
      await database.run(({ write }) =>
        write('probe_values').insert(Object.fromEntries(columns.map((column, i) => [column, cells[i]]))),
      );
    }
  },
  later: (database, rows) =>
    database.transaction(async (inside) => {
      const sql = `insert into probe_values (${columns.join(', ')}) values (?, ?, ?, ?, ?, ?)`;
      for (const row of rows) await inside.later(sql, rowOf(database, row));
    }),
  append: (database, rows) =>
    database.run(({ write, engine }) =>
      engine.append(
        write,
        'probe_values',
        columns,
        rows.map((row) => rowOf(database, row)),
      ),
    ),
};

async function read(database: Database): Promise<Values[]> {
  const text = `select ${columns.join(', ')} from probe_values order by id`;
  const prepared = await database.query<Record<(typeof columns)[number], unknown>>(text, []);
  const built = await database.run(({ read: reader }) =>
    reader('probe_values')
      .select(...columns)
      .orderBy('id'),
  );
  expect(built).to.deep.equal(prepared);
  return prepared.map((row) => valuesOf(database, row));
}

const awkward = [
  '',
  ' ',
  'NULL',
  '\\N',
  '\\.',
  "O'Neill",
  '"quoted"',
  'back\\slash',
  '\\\\',
  'a\tb\nc\rd\b\f\v',
  '? ?? $1 :name %s',
  '{"json": [1]}',
  'Ærøskøbing 染色体 🧬 e\u0301 \u2028 \uffff',
  '\u0001\u001f\u007f\ufeff',
  'trailing\\',
  '2026-01-15T08:00:00.123Z',
  '0',
  'x'.repeat(100_000),
];

const times = [
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T12:34:56.001Z',
  '2026-10-25T01:30:00.010Z',
  '1883-11-18T12:03:58.999Z',
  '0001-01-01T00:00:00.001Z',
  '-000043-03-15T09:00:00.500Z',
  '9999-12-31T23:59:59.999Z',
  '+012345-06-07T08:09:10.111Z',
].map((text) => new Date(text));

const numbers = [0, 1, -1, 0.1 + 0.2, -1.5, 1e300, 5e-324, 1 / 3, 2 ** 53 - 1, -(2 ** 53 - 1), 1e21];

const docs = [
  null,
  true,
  0,
  1e300,
  5e-324,
  9007199254740991,
  '',
  'null',
  '"1"',
  'NUL \u0000, half a pair \ud83e, whole 🧬',
  [],
  {},
  { b: { c: [1, '1', null, { d: [] }] }, a: 'Å "\\\n', '': 0 },
];

const nothing = { name: null, flag: null, ratio: null, at: null, doc: undefined };

for (const engine of storages) {
  describe(`Values on ${engine.name}`, () => {
    let opened: OpenedStorage;
    let database: Database;

    before(async () => {
      opened = await engine.open([probe], probeOptions);
      database = opened.storage.repository(probe);
    });

    after(() => opened.close());

    afterEach(() => database.write('probe_values').delete());

    for (const [way, write] of Object.entries(writers)) {
      const roundTrip = async (rows: Values[]) => {
        await write(database, rows);
        expect(await read(database)).to.deep.equal(rows);
        await database.write('probe_values').delete();
      };

      it(`text, by ${way}`, () => roundTrip(awkward.map((name, id) => ({ ...nothing, id, name }))));

      it(`whole numbers up to 2^53, by ${way}`, () =>
        roundTrip(
          [-(2 ** 53 - 1), -(2 ** 32), -1, 0, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1].map((id) => ({ ...nothing, id })),
        ));

      it(`fractions, by ${way}`, () => roundTrip(numbers.map((ratio, id) => ({ ...nothing, id, ratio }))));

      it(`booleans and nulls, by ${way}`, () =>
        roundTrip([true, false, null].map((flag, id) => ({ ...nothing, id, flag }))));

      it(`times to the millisecond, by ${way}`, () => roundTrip(times.map((at, id) => ({ ...nothing, id, at }))));

      it(`JSON, by ${way}`, () => roundTrip(docs.map((doc, id) => ({ ...nothing, id, doc }))));

      it(`values that are the same in all rows, by ${way}`, async () => {
        for (const [i, name] of awkward.entries()) {
          const [ratio = null, at = null] = [numbers[i], times[i]];
          const same = { flag: i % 2 === 0, ratio, at, doc: docs[i] };
          await roundTrip([{ id: 1, name, ...same }]);
          // Names are unique.
          await roundTrip(['one', 'other'].map((name, id) => ({ id, name, ...same })));
        }
      });

      it(`all other values, by ${way}`, async () => {
        const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('\0'));
        const value = fc.record({
          name: text,
          flag: fc.boolean(),
          ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((ratio) => (ratio === 0 ? 0 : ratio)),
          at: fc.date({ noInvalidDate: true, min: new Date(-6e13), max: new Date(2.5e14) }),
          doc: fc.json().map((json) => JSON.parse(JSON.stringify(JSON.parse(json))) as unknown),
        });
        const rows = fc.uniqueArray(value, { maxLength: 12, selector: ({ name }) => name });
        await fc.assert(
          fc.asyncProperty(rows, (list) => roundTrip(list.map((each, id) => ({ ...each, id })))),
          { numRuns: 25, seed: 42 },
        );
      });

      it(`are refused if some engine would change them, by ${way}`, async () => {
        for (const name of ['NUL \0', '\ud83e', 'x\udd80']) {
          const fault = await write(database, [{ ...nothing, id: 1, name }]).catch((error: unknown) => error);
          expect(isFault(fault) && fault.code, JSON.stringify(name)).to.equal('invalid');
        }
        for (const ratio of [Number.NaN, Number.POSITIVE_INFINITY]) {
          const fault = await write(database, [{ ...nothing, id: 1, ratio }]).catch((error: unknown) => error);
          expect(isFault(fault) && fault.code).to.equal('internal');
        }
        expect(await read(database)).to.deep.equal([]);
      });
    }

    for (const count of [0, 1, 501, 33_000]) {
      it(`are appended in one statement of ${count} rows`, async () => {
        const rows = Array.from({ length: count }, (_, i) => [i, `name ${i}`, null]);
        await database.run(({ write, engine: { append } }) =>
          append(write, 'probe_values', ['id', 'name', 'doc'], rows),
        );
        const [found] = await database.query<{ rows: number; sum: unknown; names: number }>(
          'select count(*) as "rows", sum(id) as sum, count(distinct name) as names from probe_values',
          [],
        );
        expect(found?.rows).to.equal(count);
        expect(found?.names).to.equal(count);
        expect(Number(found?.sum ?? 0)).to.equal((count * (count - 1)) / 2);
      });
    }

    it('are appended all or not at all', async () => {
      const rows = [...Array.from({ length: 2000 }, (_, i) => [i]), [5]];
      const fault = await database
        .run(({ write, engine: { append } }) => append(write, 'probe_values', ['id'], rows))
        .catch((error: unknown) => error);
      expect(isFault(fault) && fault.code).to.equal('conflict');
      expect(await read(database)).to.deep.equal([]);
      await database.run(({ write, engine: { append } }) => append(write, 'probe_values', ['id'], [[1]]));
      expect(await read(database)).to.have.length(1);
    });

    it('are found in lists of any length', async () => {
      await writers.append?.(
        database,
        awkward.map((name, id) => ({ ...nothing, id, name })),
      );
      const find = (column: string, values: readonly (string | number)[]) =>
        database.run(async ({ read: reader, engine: { whereIn } }) => {
          const rows = await whereIn(reader('probe_values').select('id'), column, values).orderBy('id');
          return rows.map(({ id }: { id: number }) => id);
        });
      expect(await find('name', awkward)).to.deep.equal(awkward.map((_, id) => id));
      expect(await find('name', [])).to.deep.equal([]);
      expect(await find('id', [])).to.deep.equal([]);
      const many = Array.from({ length: 40_000 }, (_, i) => i + 3);
      expect(await find('id', many)).to.deep.equal(awkward.map((_, id) => id).slice(3));
      expect(
        await find(
          'name',
          many.map((i) => `no such name ${i}`),
        ),
      ).to.deep.equal([]);
    });

    it('of text are ordered by their bytes', async () => {
      const names = ['a', 'B', 'Z', 'z', 'ä', 'é', '_', '-', '10', '9', 'A b', 'Ab', 'A'];
      await writers.append?.(
        database,
        names.map((name, id) => ({ ...nothing, id, name })),
      );
      const rows = await database.query<{ name: string }>('select name from probe_values order by name', []);
      expect(rows.map(({ name }) => name)).to.deep.equal(
        names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    });

    it('can be read by more different statements than are kept prepared', async () => {
      for (const round of [1, 2]) {
        for (let i = 0; i < 250; i++) {
          expect(await database.query(`select ${i} + ${round} as sum, ? as given`, ['x'])).to.deep.equal([
            { sum: i + round, given: 'x' },
          ]);
        }
      }
    });
  });
}
