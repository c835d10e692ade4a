/** What tables promise (core/table.ts). */
import assert from 'node:assert/strict';
import { absent, largestValue, type Tables } from '../../../core/storage.js';
import { type Case, cases } from './case.js';
import { atMost, faultOf, faults, gate, onlyOne, same } from './expect.js';
import { noted, numbered, probe, type Thing, thing, things } from './tables/probe.js';
import { queryCases } from './tables/queries.js';

const numbers = 'generated numbers ascend and are never reused; integers are safe ones; −0 becomes 0';
const taken = 'a taken unique value is a result, and leaves the transaction usable';

const thingsOf = (tables: Tables) => tables.table(things);
const sizes = async (table: ReturnType<typeof thingsOf>) =>
  (await table.find({ order: ['place'] })).map(({ size }) => size);
const labels = (rows: readonly Pick<Thing, 'label'>[]) => rows.map(({ label }) => label);

const rowCases: readonly Case<Tables>[] = [
  ...cases<Tables>({
    'a row is returned with every value that it was given, and absent members are undefined': {
      async 'a row of a table is returned as it was added'({ repository }) {
        const table = repository.table(things);
        const row: Thing = {
          shelf: ' Åse\u0301 🧬 "O\'Neill" \\ % _ \r\n\t',
          place: -(2 ** 31),
          label: '\u{10ffff}\ue000',
          size: Number.MAX_SAFE_INTEGER,
          weight: 0.1 + 0.2,
          isOpen: true,
          bought: new Date('1912-06-23T01:02:03.004Z'),
          note: { b: [1, null, 'x\u0000\ud800'], a: {} },
          content: Uint8Array.of(0, 255, 10),
        };
        same(await table.add(row), row);
        same(await table.one({ shelf: row.shelf, place: row.place }), row);
        await table.add(thing(2 ** 31 - 1, { size: Number.MIN_SAFE_INTEGER, isOpen: false }));
        same(await table.find({ where: { shelf: 'a' } }), [
          { shelf: 'a', place: 2 ** 31 - 1, size: Number.MIN_SAFE_INTEGER, isOpen: false },
        ]);
      },
    },
    'text has no U+0000 and no unpaired surrogate, and is kept to the last code unit; order is by code point': {
      async 'text that some engine would change is refused by tables'({ repository }) {
        const table = repository.table(things);
        for (const text of ['a\u0000b', 'a\ud800', '\udc00a']) {
          await faults('invalid', table.add(thing(1, { label: text })));
          await faults('invalid', table.find({ where: { label: text } }));
          await faults('invalid', table.put(thing(1, { label: text })));
        }
        same(await table.count(), 0);
      },
      async 'rows are ordered by code points'({ repository }) {
        const table = repository.table(things);
        // As UTF-16, U+10000 would come before U+E000.
        const shelves = '|B|a|aa|a\u{10ffff}|b|é|\ud7ff|\ue000|\uffff|\u{10000}|\u{10ffff}'.split('|');
        await table.addMany([...shelves].reverse().map((shelf) => thing(1, { shelf })));
        same.each(await table.find({ order: ['shelf'] }), ({ shelf }) => shelf, shelves);
        same.each(await table.find({ order: ['shelf'], descending: true }), ({ shelf }) => shelf, shelves.toReversed());
        same(await table.count({ shelf: { beginning: 'a' } }), 3);
        same(await table.count({ shelf: { beginning: '' } }), shelves.length);
        same(await table.count({ shelf: { above: '\uffff' } }), 2);
        same(await table.count({ shelf: { atLeast: 'a\u{10ffff}', atMost: '\uffff' } }), 6);
      },
    },
    'absent equals nothing, is found by absent only, and never conflicts': {
      async 'rows without a unique value do not conflict'({ repository }) {
        const table = repository.table(things);
        same((await table.addMany([thing(1), thing(2), thing(3, { label: 'x' })])).length, 3);
        same(await table.find({ where: { label: absent }, order: ['place'] }), [thing(1), thing(2)]);
        same(await table.change({ label: 'x' }, { label: absent }), 1);
        same(await table.add(thing(4, { label: 'x' })), thing(4, { label: 'x' }));
        same(await table.count({ label: { atLeast: '' } }), 1);
      },
    },
    [numbers]: {
      async 'numbers of a table ascend, and are not given again'({ repository }) {
        const table = repository.table(numbered);
        const first = await table.add({ name: 'a', state: '' });
        const second = await table.add({ name: 'b', state: '' });
        assert.ok(first && second && second.number > first.number);
        await table.remove({ number: second.number });
        const third = await table.add({ name: 'c', state: '' });
        assert.ok(third && third.number > second.number);
      },
      async 'numbers that a column cannot keep are refused'({ repository }) {
        const table = repository.table(things);
        for (const size of [2 ** 53, 0.5, Number.NaN]) await faults('internal', table.add(thing(1, { size })));
        for (const place of [2 ** 31, 0.5]) await faults('internal', table.add(thing(place)));
        for (const weight of [Number.POSITIVE_INFINITY, Number.NaN])
          await faults('internal', table.add(thing(1, { weight })));
        const journal = repository.table(noted);
        const note = { note: 'a', at: new Date(1) };
        for (const size of [2 ** 15, -(2 ** 15) - 1, 0.5]) await faults('internal', journal.add({ ...note, size }));
        for (const size of [2 ** 15 - 1, -(2 ** 15)]) same((await journal.add({ ...note, size }))?.size, size);
        const zero = await table.add(thing(-0, { size: -0, weight: -0 }));
        assert.ok(zero && Object.is(zero.place, 0) && Object.is(zero.size, 0) && Object.is(zero.weight, 0));
      },
    },
    'JSON is kept as text, a Date is refused, each result is a fresh parse; values above the limit are invalid': {
      async 'JSON of a table keeps what it was'({ repository }) {
        const table = repository.table(things);
        const note = JSON.parse('{"z":1,"a":[1.5,null,true,""],"__proto__":{"b":2},"2":0,"10":0}');
        await table.add(thing(1, { note: { ...note, gone: undefined } }));
        const [one, other] = [await table.one({ shelf: 'a', place: 1 }), await table.one({ shelf: 'a', place: 1 })];
        same(JSON.stringify(one?.note), JSON.stringify({ ...note }));
        assert.notEqual(one?.note, other?.note, 'each result is a parse of its own');
        await faults('internal', table.add(thing(2, { note: { at: [new Date()] } })));
        await faults('internal', table.add(thing(2, { note: () => {} })));
        await table.add(thing(3, { note: null }));
        same((await table.one({ shelf: 'a', place: 3 }))?.note, null);
      },
      async 'values above the limit are invalid'({ repository }) {
        const table = repository.table(things);
        const half = 'é'.repeat(largestValue / 2);
        await faults('invalid', table.add(thing(1, { note: `${half}` })));
        await faults('invalid', table.add(thing(1, { content: new Uint8Array(largestValue + 1) })));
        await table.add(thing(1, { content: new Uint8Array(largestValue).fill(7) }));
        same((await table.one({ shelf: 'a', place: 1 }))?.content?.length, largestValue);
      },
    },
    'values are copies: neither side sees the later changes of the other': {
      async 'changing what a table was given or returned does not change the table'({ repository }) {
        const table = repository.table(things);
        const row = thing(1, { note: [1], content: Uint8Array.of(1), bought: new Date(0) });
        const before = structuredClone(row);
        const added = await table.add(row);
        for (const each of [row, added as Thing, (await table.one({ shelf: 'a', place: 1 })) as Thing]) {
          (each.note as number[]).push(2);
          each.content?.fill(9);
          each.bought?.setTime(5);
        }
        same(await table.one({ shelf: 'a', place: 1 }), before);
      },
    },
  }),
  {
    name: 'numbers are not given again after closing and reopening a table',
    promise: numbers,
    needs: 'durable',
    async run({ storage, repository, again }) {
      const rows = await repository.table(numbered).addMany(['a', 'b', 'c'].map((name) => ({ name, state: '' })));
      const last = Math.max(...rows.map(({ number }) => number));
      await repository.table(numbered).remove({ number: last });
      await storage.close();
      const table = (await again()).repository(probe).table(numbered);
      same((await table.find({ order: ['number'] })).length, 2);
      const next = await table.add({ name: 'd', state: '' });
      assert.ok(next && next.number > last);
    },
  },
];

const writeCases = cases<Tables>({
  [taken]: {
    async 'a taken key or unique value is a result'({ repository }) {
      await repository.transaction(async (inside) => {
        const table = inside.table(things);
        await table.add(thing(1, { label: 'x' }));
        same(await table.add(thing(1, { label: 'y' })), undefined);
        same(await table.add(thing(2, { label: 'x' })), undefined);
        const rows = [thing(3, { label: 'x' }), thing(4, { label: 'z' }), thing(1)];
        same(labels(await table.addMany(rows)), ['z']);
        const alike = [thing(5, { label: 'u' }), thing(6, { label: 'u' }), thing(5)];
        same(await table.addMany(alike), [thing(5, { label: 'u' })]);
        same(await table.remove({ label: 'u' }), 1);
        same(await table.count(), 2, 'the transaction is usable');
      });
      const table = repository.table(things);
      same(labels(await table.find({ order: ['place'] })), ['x', 'z']);
      await faults('internal', table.change({ place: 1 }, { label: 'y' }));
      for (const place of [4, 5]) await faults('conflict', table.put(thing(place, { label: 'x' })));
      await faults('conflict', table.append([thing(7), thing(4)]));
      await faults('conflict', table.append([thing(7), thing(7)]));
      await faults('conflict', repository.table(numbered).append(['a', 'a'].map((name) => ({ name, state: '' }))));
      await faults('conflict', table.append([thing(7, { label: 'u' }), thing(8, { label: 'u' })]));
      same(await table.count(), 2);
    },
    async 'of several additions of one value at once, one succeeds'({ repository }) {
      const table = repository.table(things);
      const added = await Promise.all([1, 2, 3, 4, 5].map((place) => table.add(thing(place, { label: 'x' }))));
      same(added.filter((row) => row !== undefined).length, 1);
      const expected = added.filter((row) => row !== undefined);
      same(await table.find({ where: { label: 'x' } }), expected);
      const keyed = await Promise.all([1, 2, 3].map((size) => table.add(thing(9, { size }))));
      const wanted = keyed.filter((row) => row !== undefined);
      same(await table.find({ where: { place: 9 } }), wanted);
      onlyOne(
        'conflict',
        await Promise.allSettled([10, 11, 12].map((place) => table.put(thing(place, { label: 'z' })))),
      );
      const inside = await repository.transaction((tables) =>
        Promise.all([6, 7].map((place) => tables.table(things).add(thing(place, { label: 'y' })))),
      );
      same(inside.filter((row) => row !== undefined).length, 1, 'also within a transaction');
      const late = await repository.transaction(async (tables) => {
        await tables.table(things).remove({ label: 'x' });
        const again = table.add(thing(13, { label: 'x' }));
        await atMost(100, again);
        return { again };
      });
      same((await late.again)?.label, 'x', 'a value that is being removed is waited for');
    },
  },
  'append adds any number of rows': {
    async 'many rows are appended, with absent values'({ repository }) {
      const table = repository.table(things);
      const rows = Array.from({ length: 1100 }, (_, i) =>
        thing(i, i % 3 === 0 ? { label: `l${i}`, weight: i / 8 } : {}),
      );
      await table.append(rows.toReversed());
      same(await table.find({ order: ['place'] }), rows);
      await table.append([]);
      same(await table.addMany([]), []);
      const more = Array.from({ length: 250 }, (_, i) =>
        thing(i, {
          shelf: 'b',
          ...(i % 3 === 0 && { content: Uint8Array.of(1, i).subarray(i % 2), bought: new Date(i) }),
        }),
      );
      await table.append(more);
      same(await table.find({ where: { shelf: 'b' }, order: ['place'] }), more);
      same((await table.addMany(more.map((row) => ({ ...row, shelf: 'c' })))).length, 250);
      same(await table.count(), rows.length + 500);
      const notes = [
        { note: 'a\n', at: new Date(1), size: 7, more: { b: [1] } },
        { note: 'A', at: new Date(2) },
        { note: ' ', at: new Date(3), isOld: false, more: null },
      ];
      const journal = repository.table(noted);
      for (const some of [[], notes.slice(0, 2), notes.slice(2)]) await journal.append(some);
      same.each(await journal.find({ order: ['number'] }), ({ number: _, ...note }) => note, notes);
    },
  },
  'put adds a row, or gives the row with its key these columns': {
    async 'put adds a row, or changes the columns that it names'({ repository }) {
      const table = repository.table(things);
      same(await table.put(thing(1, { label: 'x', size: 5 })), thing(1, { label: 'x', size: 5 }));
      same(await table.put(thing(1, { size: 6 }), ['size']), thing(1, { label: 'x', size: 6 }));
      same(await table.put(thing(1, { size: 7 }), []), thing(1, { label: 'x', size: 6 }));
      same(await table.put(thing(1, { weight: 2 })), thing(1, { weight: 2 }));
      same(await table.find(), [thing(1, { weight: 2 })]);
      await faults('internal', repository.table(numbered).put({ name: 'a', state: '' }));
    },
  },
  'change and remove return how many rows they concerned': {
    async 'rows are changed and removed by any condition, and counted'({ repository }) {
      const table = repository.table(things);
      await table.addMany([1, 2, 3, 4].map((place) => thing(place, { size: place })));
      same(await table.change({ size: { above: 1, atMost: 3 } }, { size: { plus: 10 }, weight: 0.5 }), 2);
      same(await sizes(table), [1, 12, 13, 4]);
      same(
        [await table.count({ size: 12 }), await table.count({ size: 2 }), await table.count({ weight: 0.5 })],
        [1, 0, 2],
      );
      same(await table.change([{ place: 1 }, { weight: 0.5 }], { weight: absent, isOpen: true }), 3);
      same(await table.count({ weight: { atLeast: 0 } }), 0);
      same(await table.remove([{ size: 12 }, { isOpen: false }]), 2);
      same([await table.remove([]), await table.one([])], [0, undefined]);
      same(await table.remove({}), 2);
      await faults('internal', table.change({}, { place: 3 }));
      await faults('internal', table.change({}, { size: absent }));
      await faults('internal', table.remove({ label: undefined } as never));
    },
  },
  'snapshot is read-only and of one moment; transaction is atomic': {
    async 'a transaction that throws leaves its tables as they were'({ repository }) {
      const table = repository.table(things);
      await table.add(thing(1));
      const reason = new Error('on purpose');
      const work = repository.transaction(async (inside) => {
        await inside.table(things).change({}, { size: 9 });
        await inside.table(things).append([thing(2)]);
        await inside.transaction((deeper) => deeper.table(numbered).add({ name: 'a', state: '' }));
        throw reason;
      });
      assert.equal(await work.catch((error: unknown) => error), reason);
      same(await table.find(), [thing(1)]);
      same(await repository.table(numbered).count(), 0);
      let escaped: Tables | undefined;
      await repository.transaction(async (inside) => {
        escaped = inside;
      });
      await faults('internal', (escaped as Tables).table(things).count());
    },
    async 'a snapshot of tables shows one moment, and takes no changes'({ repository }) {
      const table = repository.table(things);
      await table.add(thing(1));
      await repository.snapshot(async (moment) => {
        same(await moment.table(things).count(), 1);
        await table.add(thing(2));
        await repository.table(numbered).add({ name: 'a', state: '' });
        same(await moment.table(things).find(), [thing(1)]);
        same(await moment.table(numbered).count(), 0);
        const refused = moment.transaction(async () => {});
        await faults('internal', refused);
      });
      await assert.rejects(repository.snapshot((moment) => moment.table(things).add(thing(3))));
      same([await table.count(), await table.find({ limit: 0 })], [2, []]);
    },
  },
});

const callerCases = cases<Tables>({
  'a row that was found is held by lock, an absent one by put; a deadlock is conflict': {
    async 'rows that are held are changed by one caller after the other'({ repository }) {
      await repository.table(things).addMany([thing(1, { size: 0 }), thing(2, { size: 0 })]);
      await Promise.all(
        Array.from({ length: 8 }, () =>
          repository.transaction(async (inside) => {
            const table = inside.table(things);
            for (const { place, size } of await table.lock({ shelf: 'a' })) {
              await table.change({ shelf: 'a', place }, { size: size + 1 });
            }
          }),
        ),
      );
      same(await sizes(repository.table(things)), [8, 8]);
      await faults('internal', repository.table(things).lock({}));
    },
    async 'a row that is put is held, also if it was absent'({ repository }) {
      await Promise.all(
        Array.from({ length: 6 }, () =>
          repository.transaction(async (inside) => {
            const table = inside.table(things);
            const { size } = await table.put(thing(1, { size: 0 }), []);
            await table.change({ shelf: 'a', place: 1 }, { size: size + 1 });
          }),
        ),
      );
      same((await repository.table(things).one({ shelf: 'a', place: 1 }))?.size, 6);
    },
    async 'callers that hold rows in opposite orders both end'({ repository }) {
      await repository.table(things).addMany([thing(1, { size: 0 }), thing(2, { size: 0 })]);
      const reached = gate();
      let callers = 0;
      const both = async (places: readonly number[]) =>
        repository.transaction(async (inside) => {
          for (const place of places) {
            await inside.table(things).change({ shelf: 'a', place }, { size: { plus: 1 } });
            callers += 1;
            // Whoever can be the only one goes on: some engines let one write at a time.
            if (callers === 2) reached.open();
            await atMost(50, reached.passed);
          }
        });
      const outcomes = await Promise.allSettled([both([1, 2]), both([2, 1])]);
      const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
      for (const outcome of outcomes) if (outcome.status === 'rejected') faultOf('conflict', outcome);
      assert.ok(done >= 1, 'one of them succeeds');
      same(await sizes(repository.table(things)), [done, done]);
    },
  },
  'of several changes of one row at once, each sees what the one before it left': {
    async 'a row is not changed by a condition that it no longer fulfils'({ repository }) {
      const table = repository.table(things);
      await table.add(thing(1, { size: 1 }));
      const changed = await Promise.all(
        Array.from({ length: 5 }, () => table.change({ shelf: 'a', place: 1, size: 1 }, { size: 2 })),
      );
      same(changed.sort(), [0, 0, 0, 0, 1]);
      same(await sizes(table), [2]);
      const late = await repository.transaction(async (inside) => {
        await inside.table(things).remove({});
        const changed = Promise.all([table.change({}, { size: 3 }), table.remove({})]);
        await atMost(100, changed);
        return { changed };
      });
      same([await late.changed, await table.count()], [[0, 0], 0], 'nor is one that is gone');
    },
  },
  'take changes the first row that no caller holds, and is not empty because another caller was first': {
    async 'each of several takers takes another row, the first ones first'({ repository }) {
      const table = repository.table(numbered);
      for (let i = 0; i < 6; i++) await table.add({ name: `n${i}`, state: 'new' });
      const query = { where: { state: 'new' }, order: ['number'] } as const;
      const rows = await Promise.all(Array.from({ length: 4 }, () => table.take(query, () => ({ state: 'taken' }))));
      same(rows.map((row) => row?.name).sort(), ['n0', 'n1', 'n2', 'n3']);
      same.each(rows, (row) => row?.state, ['taken', 'taken', 'taken', 'taken']);
      same((await table.take({ ...query, descending: true }, () => ({ state: 'taken' })))?.name, 'n5');
      same((await table.take(query, ({ name }) => ({ state: name })))?.state, 'n4');
      same(await table.take(query, () => ({ state: 'taken' })), undefined);
      await repository.table(things).add(thing(1, { bought: new Date(5) }));
      const row = await repository.table(things).take({ order: ['place'] }, () => ({ isOpen: true }));
      same(row, thing(1, { bought: new Date(5), isOpen: true }));
    },
    async 'whoever takes while all rows are held waits, and takes what is left'({ repository }) {
      const table = repository.table(numbered);
      await table.add({ name: 'only', state: 'new' });
      const query = { where: { state: 'new' }, order: ['number'] } as const;
      const reason = new Error('on purpose');
      for (const end of ['rolled back', 'taken', 'removed'] as const) {
        let second: ReturnType<typeof table.take> | undefined;
        const first = repository.transaction(async (inside) => {
          await inside.table(numbered).take(query, () => ({ state: 'taken' }));
          second = table.take(query, () => ({ state: 'second' }));
          await atMost(200, second);
          if (end === 'removed') await inside.table(numbered).remove({});
          if (end === 'rolled back') throw reason;
        });
        assert.equal(await first.catch((error: unknown) => error), end === 'rolled back' ? reason : undefined);
        same((await second)?.state, end === 'rolled back' ? 'second' : undefined, end);
        await table.change({}, { state: 'new' });
      }
    },
  },
  'aborting throws the reason of the signal, and changes nothing': {
    async 'an aborted operation on a table throws the reason, and changes nothing'({ repository }) {
      const table = repository.table(things);
      await table.add(thing(1));
      const reason = new Error('no longer wanted');
      const signal = AbortSignal.abort(reason);
      const operations: Record<string, () => Promise<unknown>> = {
        add: () => table.add(thing(2), { signal }),
        addMany: () => table.addMany([thing(2)], { signal }),
        append: () => table.append([thing(2)], { signal }),
        put: () => table.put(thing(1, { size: 2 }), undefined, { signal }),
        find: () => table.find({ signal }),
        one: () => table.one({ shelf: 'a', place: 1 }, { signal }),
        page: () => table.page({ order: ['place'], limit: 5, signal }),
        each: async () => {
          for await (const row of table.each({ signal })) assert.fail(`${row.place} was read`);
        },
        count: () => table.count({}, { signal }),
        lock: () => repository.transaction((inside) => inside.table(things).lock({}, { signal })),
        take: () => table.take({ signal }, () => ({ size: 2 })),
        change: () => table.change({}, { size: 2 }, { signal }),
        remove: () => table.remove({}, { signal }),
        snapshot: () => repository.snapshot((moment) => moment.table(things).count(), { signal }),
      };
      for (const [name, operation] of Object.entries(operations)) {
        assert.equal(await operation().catch((error: unknown) => error), reason, name);
      }
      same(await table.find(), [thing(1)]);
    },
  },
  'writes that may wait are grouped, and durable when their promise resolves': {
    async 'writes that may wait are kept, and fail alone'({ repository }) {
      const reason = new Error('on purpose');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, place) =>
          repository.later(async (inside) => {
            await inside.table(things).add(thing(place));
            if (place % 7 === 3) throw reason;
            return place;
          }),
        ),
      );
      const failed = outcomes.flatMap(({ status }, place) => (status === 'rejected' ? [place] : []));
      same(failed, [3, 10, 17]);
      const kept = (await repository.table(things).find({ order: ['place'] })).map(({ place }) => place);
      const expected = Array.from({ length: 20 }, (_, place) => place).filter((place) => place % 7 !== 3);
      same(kept, expected);
    },
  },
});

export const tableCases: readonly Case<Tables>[] = [...rowCases, ...writeCases, ...callerCases, ...queryCases];
