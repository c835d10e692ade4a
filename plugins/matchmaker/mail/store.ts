/** matchmaker-mail@1 above tables. */
import {
  absent,
  type Conditions,
  defineStore,
  defineTable,
  firstRows,
  generated,
  json,
  optional,
  person,
  type RowOf,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import { hasId, isRecord } from '../patients/patient.js';
import { type MailRepository, matchmakerMail, type NewNotice, type Notice, type ReportedMatch } from './contract.js';

/** The part of a notice that is stored as one JSON document. */
interface NoticeDocument extends Pick<Notice, 'to' | 'patient'> {
  created: string;
  /** Those of older versions have no terms. */
  matches: (Omit<ReportedMatch, 'terms'> & { terms?: string[] })[];
}

const named = person(text());

/** The ids under which each submitter was notified of a match. */
const told = defineTable({
  name: 'matchmaker_mail_told',
  columns: { patient: named, node: text(), other: named },
  key: ['patient', 'node', 'other'],
  indexes: [['other']],
});

/** Pairs of patients by their digest, with the ids under which each was reported, absent once a patient is forgotten. */
const pairs = defineTable({
  name: 'matchmaker_mail_pairs',
  columns: { pair: named, patient: optional(named), node: optional(text()), other: optional(named) },
  key: ['pair'],
  indexes: [['patient'], ['other']],
});

const outbox = defineTable({
  name: 'matchmaker_mail_outbox',
  columns: {
    number: generated(),
    id: text(),
    due: time(),
    patient: named,
    failures: small(),
    failure: optional(text()),
    document: person(json<NoticeDocument>()),
    search: optional(text()),
  },
  key: ['number'],
  unique: [['id']],
  indexes: [['due'], ['patient'], ['search']],
  // A damaged notice is left out: it is not sent.
  sound: ({ document }) => document === undefined || isDocument(document),
});

function isDocument(document: unknown): boolean {
  if (!isRecord(document)) return false;
  const { to, patient, created, matches } = document;
  if (!Array.isArray(to) || !hasId(patient) || typeof created !== 'string' || !Array.isArray(matches)) return false;
  return matches.every((match) => isRecord(match) && hasId(match.node) && hasId(match.patient));
}

function noticeOf({ id, due, search = '', failures, document }: RowOf<typeof outbox.columns>): Notice {
  const { created, matches, to, patient } = document;
  const complete = matches.map((match) => ({ ...match, terms: match.terms ?? [] }));
  return { id, due, search, failures, created: new Date(created), to, patient, matches: complete };
}

async function add(tables: Tables, notices: readonly NewNotice[]): Promise<boolean> {
  const claims = notices.flatMap(({ patient, matches }) =>
    matches.map(({ node, patient: { id: other }, pair }) => ({ patient: patient.id, node: node.id, other, pair })),
  );
  // Always by ids first and then by pairs, so that two calls cannot deadlock. Of equal claims the first is added.
  const byIds = await tables.table(told).addMany(claims.map(({ pair: _, ...ids }) => ids));
  const byPair = await tables.table(pairs).addMany(claims);
  const idsOf = (...ids: string[]) => JSON.stringify(ids);
  const freshIds = new Set(byIds.map(({ patient, node, other }) => idsOf(patient, node, other)));
  const freshPairs = new Set(byPair.map(({ pair }) => pair));
  const rows = notices.flatMap(({ created, to, patient, matches, ...rest }) => {
    const fresh = matches.flatMap(({ pair, ...match }) => {
      const isNew = freshIds.delete(idsOf(patient.id, match.node.id, match.patient.id));
      return freshPairs.delete(pair) && isNew ? [match] : [];
    });
    const document: NoticeDocument = { created: created.toISOString(), to, patient, matches: fresh };
    return fresh.length === 0 ? [] : [{ ...rest, patient: patient.id, failures: 0, document }];
  });
  await tables.table(outbox).append(rows);
  return rows.length > 0;
}

/** Deletes a patient's notices, its part of other notices, and its ids. */
async function forget(
  tables: Tables,
  patient: string,
  { own, nodes }: { own: boolean; nodes?: readonly string[] } = { own: true },
  also?: 'pairs too',
): Promise<void> {
  const asMatch = { other: patient, ...(nodes !== undefined && { node: { among: nodes } }) };
  const all: Conditions<{ patient: string; node: string; other: string }>[] = own ? [asMatch, { patient }] : [asMatch];
  const submitters = (await tables.table(told).find({ where: asMatch })).map((row) => row.patient);
  // First: two patients that share pairs share these rows, and one of them waits here.
  await tables.table(told).remove(all);
  if (also) await tables.table(pairs).remove(all);
  else {
    await tables.table(pairs).change(asMatch, { node: absent, other: absent });
    if (own) await tables.table(pairs).change({ patient }, { patient: absent });
  }
  await takeOut(tables, submitters, patient, nodes);
  if (own) await tables.table(outbox).remove({ patient });
}

/** Removes the patient from waiting notices to other submitters. */
async function takeOut(
  tables: Tables,
  submitters: readonly string[],
  patient: string,
  nodes: readonly string[] | undefined,
): Promise<void> {
  const isMeant = ({ node, patient: { id } }: NoticeDocument['matches'][number]) =>
    id === patient && (nodes?.includes(node.id) ?? true);
  const table = tables.table(outbox);
  const where = { patient: { among: [...submitters] } };
  // Read by their numbers alone, so that damaged ones are held as well.
  const without = ['id', 'due', 'failures', 'failure', 'document', 'search'] as const;
  const held = await table.lock(where, { without });
  const whole = new Map((await table.find({ where })).map((row) => [row.number, row.document]));
  for (const { number } of held) {
    const document = whole.get(number);
    const matches = document?.matches.filter((match) => !isMeant(match)) ?? [];
    // A damaged notice cannot be sent, and may name the patient.
    if (matches.length === 0) await table.remove({ number });
    else await table.change({ number }, { document: { ...(document as NoticeDocument), matches } });
  }
}

export const store = defineStore<MailRepository>({
  contract: matchmakerMail,
  // Claims by ids, claims by pairs and notices, in the order in which all verbs change them.
  tables: [told, pairs, outbox],
  steps: { '002-search': { replaces: ['001-mail'], tables: [outbox, told, pairs] } },
  repository(tables) {
    const table = tables.table(outbox);
    return {
      add: (notices) => tables.transaction((inside) => add(inside, notices)),

      async due(now, limit) {
        // Damaged notices stay in the outbox, and must not hold up those behind them.
        const rows = await firstRows(table, { where: { due: { atMost: now } }, order: ['due'], limit });
        return rows.map(noticeOf);
      },

      release: async (search, due) => void (await table.change({ search, due: { above: due } }, { due })),
      sent: async (ids) => void (await table.remove({ id: { among: ids } })),
      failed: async (ids, failure, due) =>
        void (await table.change({ id: { among: ids } }, { failure, due, failures: { plus: 1 } })),

      waiting: () =>
        tables.snapshot(async (moment) => ({
          waiting: await moment.table(outbox).count(),
          failing: await moment.table(outbox).count({ failures: { above: 0 } }),
        })),

      forget: (patient, only) => tables.transaction((inside) => forget(inside, patient, only)),
      erase: (patient, only) => tables.transaction((inside) => forget(inside, patient, only, 'pairs too')),
    };
  },
});
