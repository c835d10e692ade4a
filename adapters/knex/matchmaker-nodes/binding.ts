/** matchmaker-nodes@1 on SQL. */
import { Fault } from '../../../core/storage.js';
import {
  type KeptToken,
  type KnownNode,
  matchmakerNodes,
  type NodeRepository,
  type PeerNode,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';
import { migrations, peers, questions } from './migrations.js';

interface NodeRow {
  id: string;
  label: string;
  url: string;
  content_type: string;
  contact: string | null;
  token: unknown;
  enabled: unknown;
  created: unknown;
  last_success: unknown;
  last_failure: unknown;
  failure: string | null;
  failures: number;
  owed: unknown;
}

function repository(database: Database): NodeRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;
  const rowOf = ({ id, label, url, contentType, contact, token, enabled, created }: PeerNode) => ({
    id,
    label,
    url,
    content_type: contentType,
    contact: contact ?? null,
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
          `select ${columns.map((column) => `p.${column}`).join(', ')}, (select count(*) from ${questions} q where q.node = p.id and ` +
            `q.owed is not null) as owed from ${peers} p order by p.id`,
          [],
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
          .update({ last_success: time(at), failures: 0 });
      }),

    noteFailure: (id, reason, at, failures) =>
      database.run(async ({ write }) => {
        await write(peers)
          .where({ id })
          .update({ last_failure: time(at), failure: reason, failures });
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

    owe: (node, { number, version }) =>
      database.run(async ({ write }) => {
        await write(questions)
          .insert({ node, number, answered: 0, owed: version, tries: 1 })
          .onConflict(['node', 'number'])
          .merge({ owed: version, tries: write.raw(`${questions}.tries + 1`) })
          .where(`${questions}.answered`, '<', version)
          .andWhereRaw(`coalesce(${questions}.owed, 0) <= ?`, [version]);
      }),

    owed: (node, limit) =>
      database.query<{ number: number; version: number }>(
        `select number, owed as version from ${questions} where node = ? and owed is not null order by tries, number limit ?`,
        [node, limit],
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

const columns = [
  'id',
  'label',
  'url',
  'content_type',
  'contact',
  'token',
  'enabled',
  'created',
  'last_success',
  'last_failure',
  'failure',
  'failures',
];

/** A damaged node is left out: it is not queried until it is added again. */
const nodeRows: StoredRows<NodeRow, KnownNode> = {
  table: peers,
  key: 'id',
  columns,
  read(values, row) {
    const token = values.parseJson(row.token);
    intact(typeof token === 'object' && token !== null);
    return {
      id: row.id,
      label: row.label,
      url: row.url,
      contentType: row.content_type,
      ...(row.contact === null ? {} : { contact: row.contact }),
      token: token as KeptToken,
      enabled: values.parseBoolean(row.enabled),
      created: values.parseTime(row.created),
      state: {
        ...(row.last_success === null ? {} : { lastSuccess: values.parseTime(row.last_success) }),
        ...(row.last_failure === null ? {} : { lastFailure: values.parseTime(row.last_failure) }),
        ...(row.failure === null ? {} : { failure: row.failure }),
        failures: row.failures,
        owed: values.parseBig(row.owed ?? 0),
      },
    };
  },
};

export default defineBinding({ contract: matchmakerNodes, migrations, rows: [nodeRows], repository });
