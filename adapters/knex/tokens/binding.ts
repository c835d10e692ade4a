/** tokens@1 on SQL. */
import { type ApiToken, type TokenRepository, tokens } from '../../../core/auth/contract.js';
import { Fault } from '../../../core/storage.js';
import { type Database, defineBinding, type Engine, type SchemaStep } from '../binding.js';
import { intact, readRow, readRows, type StoredRows } from '../rows.js';

const table = 'tokens_issued';
const columns = ['id', 'hash', 'owner', 'scopes', 'created', 'expires', 'last_used', 'revoked'];
const selection = `select ${columns.join(', ')} from ${table}`;

interface TokenRow {
  id: string;
  hash: string;
  owner: string;
  scopes: unknown;
  created: unknown;
  expires: unknown;
  last_used: unknown;
  revoked: unknown;
}

const issued: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(table, (columns) => {
      column.text(columns, 'id').primary();
      column.text(columns, 'hash').notNullable().unique();
      column.text(columns, 'owner').notNullable();
      column.json(columns, 'scopes').notNullable();
      column.time(columns, 'created').notNullable();
      column.time(columns, 'expires');
      column.time(columns, 'last_used');
      column.time(columns, 'revoked');
    });
  },
  async down(schema) {
    await schema.schema.dropTable(table);
  },
};

function repository(database: Database): TokenRepository {
  const { values } = database.engine;
  return {
    async add(token) {
      const added = await database.run(({ write }) =>
        write(table).insert(rowOf(token, values)).onConflict().ignore().returning('id'),
      );
      if (added.length === 0) throw new Fault('conflict', 'There is already a token with this id or hash');
    },

    async findByHash(hash) {
      const [row] = await database.query<TokenRow>(`${selection} where hash = ?`, [hash]);
      return row && readRow(database, tokenRows, row);
    },

    async list(owner) {
      const rows =
        owner === undefined
          ? await database.query<TokenRow>(`${selection} order by created, id`, [])
          : await database.query<TokenRow>(`${selection} where owner = ? order by created, id`, [owner]);
      return readRows(database, tokenRows, rows);
    },

    async revoke(id, now) {
      const found = await database.run(({ write }) =>
        write(table)
          .where({ id })
          .update({ revoked: write.raw('coalesce(revoked, ?)', [values.time(now) as string | number]) }),
      );
      return found > 0;
    },

    async touch(id, now) {
      const time = values.time(now) as string | number;
      await database.run(({ write }) =>
        write(table)
          .where({ id })
          .andWhere((or) => or.whereNull('last_used').orWhere('last_used', '<', time))
          .update({ last_used: time }),
      );
    },
  };
}

function rowOf(token: ApiToken, values: Engine['values']): TokenRow {
  const time = (date: Date | undefined) => (date === undefined ? null : values.time(date));
  return {
    id: token.id,
    hash: token.hash,
    owner: token.owner,
    scopes: values.json(token.scopes),
    created: values.time(token.created),
    expires: time(token.expires),
    last_used: time(token.lastUsed),
    revoked: time(token.revoked),
  };
}

/** A damaged token is left out: it grants no access. */
const tokenRows: StoredRows<TokenRow, ApiToken> = {
  table,
  key: 'id',
  columns,
  read(values, row) {
    const scopes = values.parseJson(row.scopes);
    intact(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'));
    const token: ApiToken = {
      id: row.id,
      hash: row.hash,
      owner: row.owner,
      scopes,
      created: values.parseTime(row.created),
    };
    if (row.expires !== null) token.expires = values.parseTime(row.expires);
    if (row.last_used !== null) token.lastUsed = values.parseTime(row.last_used);
    if (row.revoked !== null) token.revoked = values.parseTime(row.revoked);
    return token;
  },
};

export default defineBinding({ contract: tokens, migrations: { '001-issued': issued }, rows: [tokenRows], repository });
