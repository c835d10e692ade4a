/** What tables promise of queries, compared with a loop over plain rows. */
import assert from 'node:assert/strict';
import { absent, type PageQuery, type Tables, type Where } from '../../../../core/storage.js';
import { cases } from '../case.js';
import { faults, same } from '../expect.js';
import { property, Random } from '../random.js';
import { type Thing, thing, things } from './probe.js';

/** Close to each other where orders and beginnings differ. */
const words =
  '|a|A|ab|abc|a\u{10000}|a\u{10ffff}|b|\ud7ff|\ud7ffa|\ue000|\uffff|\u{10000}|\u{10ffff}|\u{10ffff}a|\u{10ffff}b'.split(
    '|',
  );
const numbers = [-2, -1, 0, 1, 2];

/** One condition: the question, and the same in a loop. */
interface Asked {
  column: 'shelf' | 'place' | 'label' | 'size' | 'weight' | 'isOpen' | 'bought';
  condition: unknown;
  isTrue(value: unknown): boolean;
}

/** A text as its code points, a number each, so that plain comparison has the order of the promise. */
const points = (text: string) =>
  [...text].map((one) => String.fromCharCode(...inPlanes(one.codePointAt(0) as number))).join('');
const inPlanes = (point: number) => [point >>> 16, point & 0xffff];
const comparable = (value: unknown): string | number =>
  typeof value === 'string' ? points(value) : value instanceof Date ? value.getTime() : Number(value);

function asked(random: Random): Asked {
  const column = random.pick(['shelf', 'shelf', 'place', 'label', 'size', 'weight', 'isOpen', 'bought'] as const);
  const value = (): unknown => {
    if (column === 'shelf' || column === 'label') return random.pick(words);
    if (column === 'isOpen') return random.chance(0.5);
    return column === 'bought' ? new Date(random.pick(numbers)) : random.pick(numbers);
  };
  const given = (test: (one: string | number) => boolean) => (one: unknown) =>
    one !== undefined && test(comparable(one));
  const kind = random.int(0, 5);
  if (kind === 0 && (column === 'label' || column === 'weight' || column === 'bought')) {
    return { column, condition: absent, isTrue: (one) => one === undefined };
  }
  if (kind === 1) {
    const values = random.list(0, 4, value);
    return {
      column,
      condition: { among: values },
      isTrue: given((one) => values.some((each) => comparable(each) === one)),
    };
  }
  if (kind === 2 && (column === 'shelf' || column === 'label')) {
    const begin = random.pick(words);
    return {
      column,
      condition: { beginning: begin },
      isTrue: (one) => typeof one === 'string' && one.startsWith(begin),
    };
  }
  if (kind <= 4) {
    const [low, high] = [value(), value()];
    const from = random.pick(['above', 'atLeast'] as const);
    const to = random.pick(['below', 'atMost'] as const);
    const isWithin = (one: string | number) =>
      (from === 'above' ? one > comparable(low) : one >= comparable(low)) &&
      (to === 'below' ? one < comparable(high) : one <= comparable(high));
    return { column, condition: { [from]: low, [to]: high }, isTrue: given(isWithin) };
  }
  const equal = value();
  return { column, condition: equal, isTrue: given((one) => one === comparable(equal)) };
}

/** Alternatives of conditions on columns of their own. */
type Question = Asked[][];

const whereOf = (question: Question) =>
  question.map((all) => Object.fromEntries(all.map(({ column, condition }) => [column, condition]))) as Where<Thing>;
const isTrueOf = (question: Question) => (row: Thing) =>
  question.some((all) => all.every(({ column, isTrue }) => isTrue(row[column])));

/** Often a single alternative of one or two conditions, which keys and indexes can answer. */
function question(random: Random): Question {
  const isPlain = random.chance(0.6);
  const conditions = () => (isPlain ? random.list(1, 2, () => asked(random)) : random.list(0, 3, () => asked(random)));
  return random.list(isPlain ? 1 : 0, isPlain ? 1 : 3, () => [
    ...new Map(conditions().map((one) => [one.column, one])).values(),
  ]);
}

function row(random: Random, place: number): Thing {
  return thing(place, {
    shelf: random.pick(words),
    size: random.pick(numbers),
    isOpen: random.chance(0.5),
    ...(random.chance(0.6) && { weight: random.pick(numbers) }),
    ...(random.chance(0.6) && { bought: new Date(random.pick(numbers)) }),
    ...(random.chance(0.3) && { label: `${random.pick(words)}${place}` }),
  });
}

function inOrder(order: readonly (keyof Thing)[], descending: boolean) {
  return (one: Thing, other: Thing): number => {
    for (const column of order) {
      const [left, right] = [comparable(one[column]), comparable(other[column])];
      if (left !== right) return (left < right ? -1 : 1) * (descending ? -1 : 1);
    }
    return 0;
  };
}

const placed = (rows: readonly Thing[]) => rows.map(({ shelf, place }) => [shelf, place]);

async function compare(tables: Tables, rows: readonly Thing[], random: Random): Promise<void> {
  const table = tables.table(things);
  const wanted = question(random);
  const where = whereOf(wanted);
  const order = random.pick([['size'], ['shelf', 'place'], ['isOpen', 'shelf'], ['place']] as const);
  const descending = random.chance(0.5);
  const expected = rows.filter(isTrueOf(wanted)).sort(inOrder([...order, 'shelf', 'place'], descending));
  same(await table.find({ where, order, descending }), expected);
  same(await table.count(where), expected.length);
  const limit = random.int(1, 7);
  same(await table.find({ where, order, descending, limit }), expected.slice(0, limit));
  same((await table.find({ where })).length, expected.length);
  const paged: Thing[] = [];
  let after: PageQuery<Thing>['after'];
  do {
    const page = await table.page({ where, order, descending, limit, after });
    assert.ok(page.rows.length === limit || (page.rows.length < limit && page.next === undefined));
    paged.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  same(placed(paged), placed(expected));
  const [first] = await table.find({ where, order, descending, limit: 1 });
  same(await table.one(where, { order, descending }), first);
}

export const queryCases = cases<Tables>({
  'find selects the rows that fulfil the conditions, in the order that is asked for': {
    async 'any conditions, orders, limits and pages find what a loop finds'(context) {
      await property(context, {
        runs: 4,
        generate: (random) => Array.from({ length: 25 }, () => random.int(0, 2 ** 31)),
        async check(seeds) {
          const { repository } = context;
          const table = repository.table(things);
          const random = new Random(seeds.length);
          const rows = Array.from({ length: 40 }, (_, place) => row(random, place));
          await table.remove({});
          await table.append(rows);
          for (const seed of seeds) await compare(repository, rows, new Random(seed));
        },
      });
    },
  },
  'streams read pages of at most 500 rows in a total order; they show one moment only within a snapshot': {
    async 'rows are streamed in pages, whatever their number'({ repository }) {
      const table = repository.table(things);
      const rows = Array.from({ length: 1101 }, (_, place) => thing(place, { size: place % 3 }));
      await table.append(rows);
      const read: number[] = [];
      for await (const { size, place } of table.each({ order: ['size'] })) read.push(size * 10_000 + place);
      const expected = read.toSorted((one, other) => one - other);
      same(read, expected);
      same(read.length, rows.length);
      await repository.snapshot(async (moment) => {
        let seen = 0;
        for await (const _ of moment.table(things).each()) {
          if (seen++ === 0) await table.remove({ place: { above: 600 } });
        }
        same(seen, rows.length);
      });
      same(await table.count(), 601);
    },
  },
  'without names large columns that are not needed': {
    async 'columns that are left out are neither read nor members'({ repository }) {
      const table = repository.table(things);
      await table.add(thing(1, { content: Uint8Array.of(1), note: [1] }));
      for (const without of [['content', 'note'], ['content']] as const) {
        const rows = [thing(1, without.length === 1 ? { note: [1] } : {})];
        same(await table.find({ without }), rows);
        same((await table.page({ order: ['place'], limit: 1, without })).rows, rows);
        same(await repository.transaction((inside) => inside.table(things).lock({}, { without })), rows);
      }
    },
  },
  'a condition whose value is undefined is a mistake: it would select everything': {
    async 'conditions that say nothing are refused'({ repository }) {
      const table = repository.table(things);
      for (const where of [{ shelf: undefined }, { shelf: {} }, { none: 1 }, { note: [1] }, { place: 'a' }]) {
        const refused = Promise.resolve().then(() => table.find({ where: where as never }));
        await faults('internal', refused);
      }
      for (const order of [['label'], ['content'], ['none']]) {
        await faults(
          'internal',
          Promise.resolve().then(() => table.find({ order: order as never })),
        );
      }
    },
  },
});
