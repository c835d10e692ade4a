/** matchmaker@1 on SQL: its store, with statements of its own for what every search asks, and what would read all patients. */
import {
  changesIn,
  type LookAtChanges,
  patients,
  type StoredPatientRow,
  store,
  storedOf,
} from '../../../plugins/matchmaker/store.js';
import { readRow, type SqlRow, storedTable } from '../rows.js';
import { bindingOf } from '../storage.js';
import { tablesOn } from '../tables.js';

const whole = storedTable(patients).rowsWithout(['facts']);

export default bindingOf(store, (database) => {
  const { values } = database.engine;

  /** In one statement. */
  const look: LookAtChanges = async () => {
    const [row] = await database.queryLatest<{ revision: unknown; pending: unknown }>(
      'select revision, (select id from matchmaker_pending limit 1) as pending from matchmaker_totals where id = 1',
      [],
    );
    return { isPending: row?.pending !== null, revision: values.parseBig(row?.revision) };
  };

  return {
    async patient(id, owners) {
      // Comparisons alone: a list would be made only if there is a patient, which takes time.
      const own = owners ? ` and (${['1 = 0', ...owners.map(() => 'owner = ?')].join(' or ')})` : '';
      const bound = [id, ...(owners ?? [])];
      const [row] = await database.query<SqlRow>(`${whole.selection} where id = ?${own}`, bound);
      const read = row && readRow(database, whole, row);
      return read && storedOf(read as StoredPatientRow);
    },

    changesSince: (revision) => changesIn(tablesOn(database), revision, look),

    async contacts() {
      const rows = await database.query<{ href: string; patients: unknown }>(
        `select href, count(*) as patients from ${patients.name} group by href order by href`,
        [],
      );
      return rows.map(({ href, patients }) => ({ href, patients: values.parseBig(patients) }));
    },
  };
});
