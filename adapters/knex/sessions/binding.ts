/** sessions@1 on SQL. */
import { Fault, type Session, type SessionRepository, sessions } from '../../../core/storage.js';
import { type Database, defineBinding, type Engine, type SchemaStep } from '../binding.js';
import { readRow, readRows, type StoredRows } from '../rows.js';

const table = 'sessions_open';
const columns = ['id', 'hash', 'issuer', 'subject', 'name', 'created', 'last_seen', 'expires', 'sealed'];
const selection = `select ${columns.join(', ')} from ${table}`;

interface SessionRow {
  id: string;
  hash: string;
  issuer: string;
  subject: string;
  name: string | null;
  created: unknown;
  last_seen: unknown;
  expires: unknown;
  sealed: string;
}

const open: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(table, (columns) => {
      column.text(columns, 'id').primary();
      column.text(columns, 'hash').notNullable().unique();
      column.text(columns, 'issuer').notNullable();
      column.text(columns, 'subject').notNullable();
      column.text(columns, 'name');
      column.time(columns, 'created').notNullable();
      column.time(columns, 'last_seen').notNullable();
      column.time(columns, 'expires').notNullable();
      column.text(columns, 'sealed').notNullable();
    });
  },
  async down(schema) {
    await schema.schema.dropTable(table);
  },
};

function repository(database: Database): SessionRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;
  return {
    async add(session) {
      const added = await database.run(({ write }) =>
        write(table).insert(rowOf(session, values)).onConflict().ignore().returning('id'),
      );
      if (added.length === 0) throw new Fault('conflict', 'There is already a session with this id or hash');
    },

    async findByHash(hash) {
      const [row] = await database.query<SessionRow>(`${selection} where hash = ?`, [hash]);
      return row && readRow(database, sessionRows, row);
    },

    async list(person) {
      const rows =
        person === undefined
          ? await database.query<SessionRow>(`${selection} order by created, id`, [])
          : await database.query<SessionRow>(`${selection} where issuer = ? and subject = ? order by created, id`, [
              person.issuer,
              person.subject,
            ]);
      return readRows(database, sessionRows, rows);
    },

    async touch(id, now) {
      await database.run(({ write }) =>
        write(table)
          .where({ id })
          .andWhere('last_seen', '<', time(now))
          .update({ last_seen: time(now) }),
      );
    },

    async remove(id) {
      return (await database.run(({ write }) => write(table).where({ id }).delete())) > 0;
    },

    removeOf({ issuer, subject }) {
      return database.run(({ write }) => write(table).where({ issuer, subject }).delete());
    },

    sweep(now, idleSince) {
      return database.run(({ write }) =>
        write(table).where('expires', '<=', time(now)).orWhere('last_seen', '<=', time(idleSince)).delete(),
      );
    },
  };
}

function rowOf(session: Session, values: Engine['values']): SessionRow {
  return {
    id: session.id,
    hash: session.hash,
    issuer: session.issuer,
    subject: session.subject,
    name: session.name ?? null,
    created: values.time(session.created),
    last_seen: values.time(session.lastSeen),
    expires: values.time(session.expires),
    sealed: session.sealed,
  };
}

/** A damaged session is left out: it grants no access. */
const sessionRows: StoredRows<SessionRow, Session> = {
  table,
  key: 'id',
  columns,
  read: (values, row) => ({
    id: row.id,
    hash: row.hash,
    issuer: row.issuer,
    subject: row.subject,
    ...(row.name === null ? {} : { name: row.name }),
    created: values.parseTime(row.created),
    lastSeen: values.parseTime(row.last_seen),
    expires: values.parseTime(row.expires),
    sealed: row.sealed,
  }),
};

export default defineBinding({ contract: sessions, migrations: { '001-open': open }, rows: [sessionRows], repository });
