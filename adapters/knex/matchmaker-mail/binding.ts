/** matchmaker-mail@1 on SQL. */
import {
  type MailRepository,
  matchmakerMail,
  type NewNotice,
  type Notice,
  type NoticesOf,
  type ToldMatch,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { migrations, outbox, told } from './migrations.js';

interface NoticeRow {
  id: string;
  due: unknown;
  failures: number;
  document: unknown;
}

/** The part of a notice that is one JSON document. */
interface Document extends Pick<Notice, 'to' | 'patient' | 'matches'> {
  created: string;
}

function repository(database: Database): MailRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;

  return {
    add: (notice) => database.transaction((inside) => addNotice(inside, notice)),

    async due(now, limit) {
      const rows = await database.query<NoticeRow>(
        `select id, due, failures, document from ${outbox} where due <= ? order by due, number limit ?`,
        [time(now), limit],
      );
      return rows.map(({ id, due, failures, document }) => {
        const { created, ...rest } = values.parseJson(document) as Document;
        return { id, due: values.parseTime(due), failures, created: new Date(created), ...rest };
      });
    },

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
  };
}

async function addNotice({ write, engine }: Database, { id, created, due, to, patient, matches }: NewNotice) {
  const pairs = matches.map((match) => ({ patient: patient.id, node: match.node.id, other: match.patient.id }));
  // In one order, so that two of these cannot wait for each other.
  pairs.sort((a, b) => (a.node + a.other < b.node + b.other ? -1 : 1));
  const added = await write(told)
    .insert(pairs)
    .onConflict(['patient', 'node', 'other'])
    .ignore()
    .returning<{ node: string; other: string }[]>(['node', 'other']);
  const news = new Set(added.map(({ node, other }) => JSON.stringify([node, other])));
  const fresh = matches.filter((match) => news.delete(JSON.stringify([match.node.id, match.patient.id])));
  if (fresh.length === 0) return false;
  const document: Document = { created: created.toISOString(), to, patient, matches: fresh };
  await write(outbox).insert({
    id,
    due: engine.values.time(due),
    patient: patient.id,
    failures: 0,
    document: engine.values.json(document),
  });
  return true;
}

async function forget({ write, engine }: Database, patient: string, only?: NoticesOf): Promise<void> {
  const { own = true, nodes } = only ?? {};
  const isMeant = ({ node, patient: { id } }: ToldMatch) => id === patient && (nodes?.includes(node.id) ?? true);
  const asMatch = () => {
    const query = write(told).where({ other: patient });
    return nodes === undefined ? query : engine.whereIn(query, 'node', nodes);
  };
  const rows: { id: string; document: unknown }[] = await write(outbox)
    .select('id', 'document')
    .whereIn('patient', asMatch().select('patient'));
  for (const { id, document } of rows) {
    const whole = engine.values.parseJson(document) as Document;
    const matches = whole.matches.filter((match) => !isMeant(match));
    if (matches.length === whole.matches.length) continue;
    if (matches.length === 0) await write(outbox).where({ id }).delete();
    else
      await write(outbox)
        .where({ id })
        .update({ document: engine.values.json({ ...whole, matches }) });
  }
  await asMatch().delete();
  if (!own) return;
  await write(outbox).where({ patient }).delete();
  await write(told).where({ patient }).delete();
}

export default defineBinding({ contract: matchmakerMail, migrations, repository });
