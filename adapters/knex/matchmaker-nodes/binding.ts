/** matchmaker-nodes@1 on SQL: its store, with statements for what concerns many patients or nodes at once. */
import { nodesIn, store } from '../../../plugins/matchmaker/exchange/store.js';
import { bindingOf } from '../storage.js';
import { tablesOn } from '../tables.js';

const questions = 'matchmaker_nodes_questions';

/** Nodes that owe a query, in one statement. */
const owedTogether = 100;

export default bindingOf(store, (database) => {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;
  return {
    // A node that does not respond owes a query for each patient: they are counted where they are.
    async nodes({ signal } = {}) {
      const on = database.until(signal);
      const rows = await on.query<{ node: string; owed: unknown; due: unknown }>(
        `select node, count(*) as owed, min(coalesce(due, ?)) as due from ${questions} where owed is not null group by node`,
        [time(new Date(0))],
      );
      const owed = new Map(
        rows.map((row) => [row.node, { owed: values.parseBig(row.owed), due: values.parseTime(row.due) }]),
      );
      return nodesIn(tablesOn(on), (id) => owed.get(id) ?? { owed: 0 });
    },

    owe: (ids, { number, version }, from) =>
      database.transaction(async ({ write }) => {
        const due = from === undefined ? null : time(from);
        // In one order, so that concurrent calls do not deadlock.
        const nodes = [...ids].sort();
        for (let i = 0; i < nodes.length; i += owedTogether) {
          const rows = nodes
            .slice(i, i + owedTogether)
            .map((node) => ({ node, number, answered: 0, owed: version, tries: 1, due }));
          await write(questions)
            .insert(rows)
            .onConflict(['node', 'number'])
            .merge({ owed: version, tries: write.raw(`${questions}.tries + 1`), due })
            .where(`${questions}.answered`, '<', version)
            .andWhereRaw(`coalesce(${questions}.owed, 0) <= ?`, [version]);
        }
      }),
  };
});
