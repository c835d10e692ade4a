/** matchmaker-nodes@1 on SQL: its schema history and its repository. */
import { Fault } from '../../../core/storage.js';
import {
  type KeptToken,
  type KnownNode,
  matchmakerNodes,
  type NodeRepository,
  type PeerNode,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';

const peers = 'matchmaker_nodes_peers';
const questions = 'matchmaker_nodes_questions';

/** The tables as release 0.2 has them. */
const nodes: SchemaStep = {
  replaces: ['001-nodes'],
  async up(schema, { columns }) {
    await schema.schema.createTable(peers, (table) => {
      columns.text(table, 'id').primary();
      columns.text(table, 'label').notNullable();
      columns.text(table, 'url').notNullable();
      columns.text(table, 'content_type').notNullable();
      columns.text(table, 'contact');
      columns.json(table, 'token').notNullable();
      table.boolean('enabled').notNullable();
      columns.time(table, 'created').notNullable();
      columns.time(table, 'last_success');
      columns.time(table, 'last_failure');
      columns.text(table, 'failure');
      table.integer('failures').notNullable();
      columns.json(table, 'quirks');
      columns.time(table, 'retry_at');
    });
    // One row per node and patient: the last version that it answered, and the version whose answer it owes.
    await schema.schema.createTable(questions, (table) => {
      columns.text(table, 'node').notNullable();
      table.integer('number').notNullable().index();
      table.integer('answered').notNullable();
      table.integer('owed');
      table.integer('tries').notNullable();
      // Null: at once.
      columns.time(table, 'due');
      table.primary(['node', 'number']);
    });
    await schema.raw(`create index matchmaker_nodes_owed on ${questions} (node, number) where owed is not null`);
  },
  async down(schema) {
    for (const table of [questions, peers]) await schema.schema.dropTable(table);
  },
};

const migrations = { '002-quirks': nodes };

interface NodeRow {
  id: string;
  label: string;
  url: string;
  content_type: string;
  contact: string | null;
  quirks: unknown;
  token: unknown;
  enabled: unknown;
  created: unknown;
  last_success: unknown;
  last_failure: unknown;
  failure: string | null;
  failures: number;
  retry_at: unknown;
  owed: unknown;
  due: unknown;
}

/** Nodes that owe a query, in one statement. */
const owedTogether = 100;
/** When queries without a time may be repeated. */
const atOnce = new Date(0);

function repository(database: Database): NodeRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;
  const rowOf = ({ id, label, url, contentType, contact, quirks = [], token, enabled, created }: PeerNode) => ({
    id,
    label,
    url,
    content_type: contentType,
    contact: contact ?? null,
    quirks: quirks.length === 0 ? null : values.json(quirks),
    token: values.json(token),
    enabled: values.boolean(enabled),
    created: time(created),
  });

  return {
    async add(node) {
      const added = await database.run(({ write }) =>
        write(peers)
          .insert({ ...rowOf(node), failures: 0 })
          .onConflict('id')
          .ignore()
          .returning('id'),
      );
      if (added.length === 0) throw new Fault('conflict', `There is already a node with the id "${node.id}"`);
    },

    async replace(node) {
      const { created: _, ...row } = rowOf(node);
      return (await database.run(({ write }) => write(peers).where({ id: node.id }).update(row))) > 0;
    },

    remove: (id) =>
      database.transaction(async ({ write }) => {
        await write(questions).where({ node: id }).delete();
        return (await write(peers).where({ id }).delete()) > 0;
      }),

    async nodes({ signal } = {}) {
      const rows = await database
        .until(signal)
        .query<NodeRow>(
          `select ${nodeColumns.map((column) => `p.${column}`).join(', ')}, o.owed, o.due from ${peers} p left join ` +
            `(select node, count(*) as owed, min(coalesce(due, ?)) as due from ${questions} where owed is not null ` +
            'group by node) o on o.node = p.id order by p.id',
          [time(atOnce)],
        );
      return readRows(database, nodeRows, rows);
    },

    async connected() {
      const rows = await database.query(`select 1 as found from ${peers} where enabled limit 1`, []);
      return rows.length > 0;
    },

    noteSuccess: (id, at) =>
      database.run(async ({ write }) => {
        await write(peers)
          .where({ id })
          .update({ last_success: time(at), failures: 0, retry_at: null });
      }),

    noteFailure: (id, { reason, at, failures, retryAt }) =>
      database.run(async ({ write }) => {
        await write(peers)
          .where({ id })
          .update({
            last_failure: time(at),
            failure: reason,
            failures,
            retry_at: retryAt === undefined ? null : time(retryAt),
          });
      }),

    answered: (node, { number, version }) =>
      database.transaction(async ({ write }) => {
        const [first] = await write(questions)
          .insert({ node, number, answered: version, tries: 0 })
          .onConflict(['node', 'number'])
          .merge({ answered: version, tries: 0 })
          .where(`${questions}.answered`, '<', version)
          .returning('number');
        await write(questions).where({ node, number }).andWhere('owed', '<=', version).update({ owed: null });
        return first !== undefined;
      }),

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

    owed: (node, limit, now) =>
      database.query<{ number: number; version: number }>(
        `select number, owed as version from ${questions} where node = ? and owed is not null and (due is null or due <= ?) ` +
          'order by tries, number limit ?',
        [node, time(now), limit],
      ),

    settle: (node, { number, version }) =>
      database.run(async ({ write }) => {
        await write(questions).where({ node, number, owed: version }).update({ owed: null });
      }),

    forget: (number) =>
      database.run(async ({ write }) => {
        await write(questions).where({ number }).delete();
      }),
  };
}

const nodeColumns = [
  'id',
  'label',
  'url',
  'content_type',
  'contact',
  'quirks',
  'token',
  'enabled',
  'created',
  'last_success',
  'last_failure',
  'failure',
  'failures',
  'retry_at',
];

/** A damaged node is left out: it is not queried until it is added again. */
const nodeRows: StoredRows<NodeRow, KnownNode> = {
  table: peers,
  key: 'id',
  columns: nodeColumns,
  read(values, row) {
    const token = values.parseJson(row.token);
    intact(typeof token === 'object' && token !== null);
    const quirks = row.quirks === null ? undefined : values.parseJson(row.quirks);
    intact(quirks === undefined || isTexts(quirks));
    return {
      id: row.id,
      label: row.label,
      url: row.url,
      contentType: row.content_type,
      ...(row.contact === null ? {} : { contact: row.contact }),
      ...(isTexts(quirks) && { quirks }),
      token: token as KeptToken,
      enabled: values.parseBoolean(row.enabled),
      created: values.parseTime(row.created),
      state: {
        ...(row.last_success === null ? {} : { lastSuccess: values.parseTime(row.last_success) }),
        ...(row.last_failure === null ? {} : { lastFailure: values.parseTime(row.last_failure) }),
        ...(row.failure === null ? {} : { failure: row.failure }),
        failures: row.failures,
        ...(row.retry_at === null ? {} : { retryAt: values.parseTime(row.retry_at) }),
        owed: values.parseBig(row.owed ?? 0),
        // Read by `damaged` too, without what is owed.
        ...(row.due === null || row.due === undefined ? {} : { due: values.parseTime(row.due) }),
      },
    };
  },
};

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

export default defineBinding({ contract: matchmakerNodes, migrations, rows: [nodeRows], repository });
