/** matchmaker-mail@1 on SQL. */
import { type MailRepository, matchmakerMail, type Notice } from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { readRows, type StoredRows } from '../rows.js';
import { addNotices, documentIn } from './add.js';
import { forget } from './forget.js';
import { migrations, outbox } from './migrations.js';

interface NoticeRow {
  id: string;
  due: unknown;
  search: string;
  failures: number;
  document: unknown;
}

/** A damaged notice is left out: it is not sent. */
const noticeRows: StoredRows<NoticeRow, Notice> = {
  table: outbox,
  key: 'id',
  columns: ['id', 'due', 'search', 'failures', 'document'],
  read(values, { id, due, search, failures, document }) {
    const { created, matches, to, patient } = documentIn(values, document);
    // Notices of older versions have no terms.
    const complete = matches.map((match) => ({ ...match, terms: match.terms ?? [] }));
    return {
      id,
      due: values.parseTime(due),
      search,
      failures,
      created: new Date(created),
      to,
      patient,
      matches: complete,
    };
  },
};

function repository(database: Database): MailRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;

  return {
    add: (notices) => database.transaction((inside) => addNotices(inside, notices)),

    async due(now, limit) {
      const due: Notice[] = [];
      for (let offset = 0; ; offset += limit) {
        const rows = await database.query<NoticeRow>(
          `select ${noticeRows.columns.join(', ')} from ${outbox} where due <= ? order by due, number limit ? offset ?`,
          [time(now), limit, offset],
        );
        due.push(...readRows(database, noticeRows, rows));
        // Damaged notices stay in the outbox, and must not hold up those behind them.
        if (due.length > 0 || rows.length < limit) return due;
      }
    },

    release: (search, due) =>
      database.run(async ({ write }) => {
        await write(outbox)
          .where({ search })
          .where('due', '>', time(due))
          .update({ due: time(due) });
      }),

    sent: (ids) =>
      database.run(async ({ write, engine }) => {
        await engine.whereIn(write(outbox), 'id', ids).delete();
      }),

    failed: (ids, reason, retryAt) =>
      database.run(async ({ write, engine }) => {
        await engine
          .whereIn(write(outbox), 'id', ids)
          .update({ failure: reason, due: time(retryAt), failures: write.raw('failures + 1') });
      }),

    async waiting() {
      const [row] = await database.query<{ waiting: unknown; failing: unknown }>(
        `select count(*) as waiting, count(case when failures > 0 then 1 end) as failing from ${outbox}`,
        [],
      );
      return { waiting: values.parseBig(row?.waiting ?? 0), failing: values.parseBig(row?.failing ?? 0) };
    },

    forget: (patient, only) => database.transaction((inside) => forget(inside, patient, only)),
    erase: (patient, only) => database.transaction((inside) => forget(inside, patient, only, 'pairs too')),
  };
}

export default defineBinding({ contract: matchmakerMail, migrations, rows: [noticeRows], repository });
