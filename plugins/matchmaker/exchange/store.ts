/** matchmaker-nodes@1 above tables. */
import {
  absent,
  boolean,
  defineStore,
  defineTable,
  Fault,
  json,
  optional,
  small,
  type Tables,
  text,
  time,
  user,
} from '../../../core/storage.js';
import { isRecord } from '../patients/patient.js';
import {
  type KeptToken,
  type KnownNode,
  matchmakerNodes,
  type NodeRepository,
  type PeerNode,
  type PeerState,
  type Question,
} from './contract.js';

const peers = defineTable({
  name: 'matchmaker_nodes_peers',
  columns: {
    ...{ id: text(), label: text(), url: text(), contentType: text() },
    ...{ contact: user(optional(text()), 'until the node is removed') },
    ...{ token: json<KeptToken>(), enabled: boolean(), created: time() },
    ...{ lastSuccess: optional(time()), lastFailure: optional(time()), failure: optional(text()) },
    ...{ failures: small(), quirks: optional(json<readonly string[]>()), retryAt: optional(time()) },
  },
  key: ['id'],
  // A damaged node is left out: it is not queried until it is added again.
  sound: ({ token, quirks = [] }) =>
    isRecord(token) && Array.isArray(quirks) && quirks.every((name) => typeof name === 'string'),
});

/** Of a node and a patient: the version that was answered, and the version whose answer is owed; at once without `due`. */
const questions = defineTable({
  name: 'matchmaker_nodes_questions',
  columns: {
    ...{ node: text(), number: small(), answered: small(), owed: optional(small()) },
    ...{ tries: small(), due: optional(time()) },
  },
  key: ['node', 'number'],
  indexes: [['number'], ['owed']],
});

/** An empty list of quirks counts as absent. */
function columnsOf({ label, url, contentType, contact, token, enabled, quirks = [] }: PeerNode) {
  return { label, url, contentType, contact, token, enabled, quirks: quirks.length === 0 ? undefined : quirks };
}

type OwedQueries = Pick<PeerState, 'owed' | 'due'>;

/** All nodes, each with what it owes. */
export async function nodesIn(moment: Tables, owedBy: (node: string) => OwedQueries): Promise<KnownNode[]> {
  const rows = await moment.table(peers).find({ order: ['id'] });
  return rows.map(({ lastSuccess, lastFailure, failure, failures, retryAt, ...node }) => {
    const times = {
      ...(lastSuccess && { lastSuccess }),
      ...(lastFailure && { lastFailure }),
      ...(retryAt && { retryAt }),
    };
    const state = { ...times, ...(failure !== undefined && { failure }), failures, ...owedBy(node.id) };
    return { ...node, state };
  });
}

/** Holds what is known of a query until the end of the transaction. */
function holdQuestion(inside: Tables, node: string, number: number) {
  return inside.table(questions).put({ node, number, answered: 0, tries: 0 }, []);
}

export const store = defineStore<NodeRepository>({
  contract: matchmakerNodes,
  tables: [peers, questions],
  steps: {
    '002-quirks': {
      replaces: ['001-nodes'],
      tables: [peers, questions],
      sql: {
        up: ['create index matchmaker_nodes_owed on matchmaker_nodes_questions (node, number) where owed is not null'],
        down: [],
        lays: [['owed']],
      },
    },
  },
  repository: (tables) => ({
    async add(node) {
      const { id, created } = node;
      if ((await tables.table(peers).add({ id, created, failures: 0, ...columnsOf(node) })) === undefined) {
        throw new Fault('conflict', `There is already a node with the id "${id}"`);
      }
    },

    async replace(node) {
      const { contact = absent, quirks = absent, ...columns } = columnsOf(node);
      return (await tables.table(peers).change({ id: node.id }, { ...columns, contact, quirks })) > 0;
    },

    remove: (id) =>
      tables.transaction(async (inside) => {
        const removed = await inside.table(peers).remove({ id });
        await inside.table(questions).remove({ node: id });
        return removed > 0;
      }),

    nodes: ({ signal } = {}) =>
      tables.snapshot(
        async (moment) => {
          const owed = await moment.table(questions).find({ where: { owed: { above: 0 } } });
          return nodesIn(moment, (id) => {
            const times = owed.filter(({ node }) => node === id).map(({ due }) => due?.getTime() ?? 0);
            return { owed: times.length, ...(times.length > 0 && { due: new Date(Math.min(...times)) }) };
          });
        },
        { signal },
      ),

    connected: async () => (await tables.table(peers).one({ enabled: true })) !== undefined,

    noteSuccess: async (id, at) =>
      void (await tables.table(peers).change({ id }, { lastSuccess: at, failures: 0, retryAt: absent })),

    noteFailure: async (id, { reason, at, failures, retryAt }) => {
      const table = tables.table(peers);
      await table.change({ id }, { lastFailure: at, failure: reason, failures, retryAt: retryAt ?? absent });
    },

    answered: (node, { number, version }) =>
      tables.transaction(async (inside) => {
        const { answered } = await holdQuestion(inside, node, number);
        const table = inside.table(questions);
        if (answered < version) await table.change({ node, number }, { answered: version, tries: 0 });
        await table.change({ node, number, owed: { atMost: version } }, { owed: absent });
        return answered < version;
      }),

    owe: (ids, { number, version }, from) =>
      tables.transaction(async (inside) => {
        // In one order, so that concurrent calls do not wait for each other.
        for (const node of [...ids].sort()) {
          const { answered, owed = version } = await holdQuestion(inside, node, number);
          if (answered >= version || owed > version) continue;
          const table = inside.table(questions);
          await table.change({ node, number }, { owed: version, due: from ?? absent, tries: { plus: 1 } });
        }
      }),

    async owed(node, limit, now) {
      const owed = { node, owed: { above: 0 } };
      const rows = await tables.table(questions).find({
        where: ([absent, { atMost: now }] as const).map((due) => ({ ...owed, due })),
        order: ['tries', 'number'],
        limit,
      });
      return rows.map(({ number, owed: version }): Question => ({ number, version: version as number }));
    },

    settle: async (node, { number, version }) =>
      void (await tables.table(questions).change({ node, number, owed: version }, { owed: absent })),

    forget: async (number) => void (await tables.table(questions).remove({ number })),
  }),
});
