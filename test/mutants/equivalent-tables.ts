/** Mutants of declared tables, in SQL and in memory, that break no promise. */
const fewer = 'more rows are read, of which the same are used';
const damaged = 'it concerns damaged rows, which have tests of their own';
const portions = 'it is done in one portion, or in more';
const pinned = 'the same rows are found and changed, by another statement';
const inMemory = 'memory holds rows, and reads them in no order';
const cursor = 'a cursor has the values that it is kept with';
const anyOrder = 'rows without an order come in any';
const nothingElse = 'callers ask whether there is one';
const turns = 'it decides only whose turn it is';
const locks = 'changing rows holds them; their order shows in conflicts only';

/** Several kinds of one place, or all. */
function at(source: string, line: string, because: string, ...operators: string[]) {
  const place = { source, line, because };
  return operators.length === 0 ? [place] : operators.map((operator) => ({ ...place, operator }));
}
const [drops, bound, counts] = ['drops a condition', 'is off by one at a bound', 'counts wrongly'];
const [forgets, changes, limit] = ['forgets a field', 'changes a text', 'ignores a limit'];

export const tableEquivalents = [
  { ...{ source: 'knex/tables.ts', line: 'damaged: rows.length - found.length' }, because: damaged },
  ...at('knex/tables.ts', 'bytesAtOnce', portions, drops, bound, counts),
  ...at('knex/tables.ts', 'bytes += value.length', portions, drops),
  ...at('knex/tables.ts', 'if (isPlain)', portions, drops),
  ...at('knex/tables.ts', 'if (insertion)', portions, drops),
  ...at('knex/tables.ts', 'kept.length <= insertedAtOnce', portions, drops, bound),
  ...at('knex/tables.ts', 'this.#isPinned(tests', pinned, drops),
  ...at('knex/tables.ts', 'others.length > 0', pinned, drops, bound, counts),
  ...at('knex/tables.ts', "is === '=' && column === each", pinned, drops),
  ...at('knex/tables.ts', 'key.every(isEqual)', pinned, drops),
  ...at('knex/tables.ts', 'i > 0 && next === undefined', damaged, drops, bound, counts),
  ...at('knex/tables.ts', 'if (read === undefined)', damaged, drops),
  ...at('knex/tables.ts', 'const first = this.#matching(', 'more rows are held for a moment', limit),
  ...at(
    'knex/tables.ts',
    'const held = engine',
    'changing rows holds them; the order shows in conflicts',
    'holds no rows',
  ),
  {
    ...{ source: 'knex/tables.ts', operator: drops, line: 'query.order &&', becomes: 'totalOrder' },
    because: anyOrder,
  },
  {
    ...{ source: 'knex/tables.ts', operator: drops, line: 'query.after && keptCursor', becomes: 'query.after' },
    because: cursor,
  },
  ...at('knex/rows.ts', 'searched: {', damaged, forgets),
  ...at('knex/rows.ts', 'if (text === undefined)', 'tables refuse such values before', drops),
  ...at('knex/rows.ts', "if (kind === 'time')", 'SQLite keeps times as they are kept here', drops),
  ...at('knex/rows.ts', "if (kind === 'boolean') return values.boolean", 'drivers bind either', drops),
  ...at('knex/rows.ts', 'value instanceof Uint8Array) return', 'drivers bind either', drops),
  ...at('knex/rows.ts', "?.kind !== 'generated'", nothingElse, 'returns null for absent'),
  ...at('knex/rows.ts', 'if (kind === undefined)', nothingElse, 'returns null for absent'),
  ...at('knex/rows.ts', 'texts.length === 1', 'one condition may be in parentheses', counts),
  ...at('memory/transaction.ts', 'this.#seed === undefined', turns),
  ...at('memory/transaction.ts', 'this.#turn', turns),
  ...at('memory/transaction.ts', 'mixed', turns),
  ...at('memory/transaction.ts', 'turns > 0', turns),
  ...at('memory/transaction.ts', 'pause()', turns),
  ...at('memory/transaction.ts', 'once: true', 'a promise is resolved once', forgets),
  ...at('memory/tables.ts', 'data.pause()', turns),
  ...at('memory/tables.ts', 'this.#data.random() ?? 0', turns),
  ...at('memory/tables.ts', 'places.sort', turns),
  ...at('memory/tables.ts', 'numbers.get(name) ?? 0', 'numbers have gaps', counts),
  ...at('table/above-rows.ts', '    return undefined;', damaged, 'returns null for absent'),
  ...at('table/above-rows.ts', 'isOrdered', inMemory),
  ...at('table/above-rows.ts', 'isPart: false', 'writes in a snapshot are refused', forgets),
  ...at('table/above-rows.ts', 'row === undefined || read', 'what is not there is not read', drops),
  ...at('table/above-rows.ts', 'const isMissing', damaged, drops),
  ...at('table/above-rows.ts', 'after && keptCursor', cursor, drops),
  ...at('table/above-rows.ts', 'order && totalOrder', anyOrder, drops),
  ...at('table/above-rows.ts', 'rows.hold === undefined', inMemory, drops),
  ...at('table/above-rows.ts', 'rows.isFree?.(row)', 'engines with one writer wait for it, too', drops),
  ...at('table/above-rows.ts', 'query.order ?? [], limit: 1', fewer),
  ...at('table/above-rows.ts', 'signal: options.signal', 'it stops a little later', forgets),
  ...at('table/above-rows.ts', 'found.push(one) === limit', damaged, drops),
  ...at('memory/tables.ts', 'isOrdered: false', 'what is absent is false', forgets),
  ...at('table/above-rows.ts', 'this.#readable(row) === undefined', damaged, drops),
  ...at('table/above-rows.ts', 'some(isMissing)', damaged, drops),
  ...at(
    'table/above-rows.ts',
    'await firstOf(this.#select(rows, { where, signal })',
    'it stops a little later',
    forgets,
  ),
  ...at('table/above-rows.ts', 'found.sort(rowOrder', locks, 'swaps an order'),
  ...at('knex/rows.ts', "text: 'text'", 'SQLite binds texts as they are', forgets),
  ...at('knex/rows.ts', 'isPersonal:', damaged, forgets),
  ...at('memory/tables.ts', 'sets.length > 0', 'values are gathered once more, or in vain', drops, bound),
  ...at('memory/tables.ts', 'if (sets.length > 0) seen', 'values are gathered once more', counts),
  ...at('memory/transaction.ts', '#turn = 0', turns, counts),
  ...at('memory/transaction.ts', 'known?.committed', 'values are gathered once more', drops),
  ...at('memory/transaction.ts', 'const state = { committed }', 'values are gathered once more', forgets),
  ...at('knex/rows.ts', "'integer',", 'the same rows are added by another statement', forgets),
  ...at('knex/rows.ts', 'unique.length > 0', 'a row in the way ends the transaction, too', drops),
  ...at('knex/rows.ts', "?.kind !== 'generated'", 'the same rows are added by another statement', counts),
  ...at('knex/rows.ts', 'key: columnName(shown)', damaged, changes),
];
