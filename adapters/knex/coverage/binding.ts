/** coverage@1 on SQL: its store, with a statement of its own where it would read a whole set. */
import type { TableDeclaration } from '../../../core/storage.js';
import type { IntervalRepository } from '../../../plugins/coverage/contract.js';
import { exonsById, store } from '../../../plugins/coverage/intervals/store.js';
import { type Binding, type Database, defineBinding } from '../binding.js';
import { readRows, type SqlRow, storedTable } from '../rows.js';
import { bindingOf } from '../storage.js';
import { tablesOn } from '../tables.js';

/** The most ids that the engine searches for: with more, testing a row costs more than reading it. */
const fewIds = 4;

const binding: Binding<IntervalRepository> = bindingOf(store, (database) => {
  const { select } = store.repository(tablesOn(database));
  return {
    select(kind, build, filter, { signal } = {}) {
      const ids = kind === 'exons' && 'ids' in filter ? filter.ids.filter((id) => /^ENSE\d{11}$/.test(id)) : [];
      if (ids.length === 0 || ids.length > fewIds) return select(kind, build, filter, { signal });
      const found = database.until(signal).snapshot((moment) => {
        return exonsById(tablesOn(moment, true), build, ids, ({ atLeast, atMost }, exons) =>
          rowsHaving(moment, exons, [atLeast, atMost, ...ids.map((id) => `%${id}%`)]),
        );
      });
      return found as ReturnType<typeof select<typeof kind>>;
    },
  };
});

/** The rows that contain one of the ids, selected by the engine. */
async function* rowsHaving(moment: Database, exons: TableDeclaration, [first, last, ...patterns]: (string | number)[]) {
  const { rows } = storedTable(exons);
  const holds = patterns.map(() => 'exons like ?').join(' or ');
  const selection = `${rows.selection} where id between ? and ? and (${holds})`;
  yield readRows(moment, rows, await moment.query<SqlRow>(selection, [first as number, last as number, ...patterns]));
}

// Sets alone are searched for damage: of their rows there are millions, and readers find what is wrong with them.
export default defineBinding({
  ...binding,
  rows: binding.rows?.filter(({ table }) => table === 'coverage_sets') ?? [],
});
