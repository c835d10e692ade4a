/** matchmaker-nodes@1 above tables. */
import {
  absent,
  boolean,
  defineStore,
  defineTable,
  Fault,
  integer,
  json,
  optional,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import { type KnownNode, matchmakerNodes, type NodeRepository, type PeerNode, type Question } from './contract.js';

const peers = defineTable({
  name: 'matchmaker_nodes_peers',
  columns: {
    ...{ id: text(), enabled: boolean(), created: time(), node: json<Omit<PeerNode, 'created'>>() },
    ...{ lastSuccess: optional(time()), lastFailure: optional(time()), failure: optional(text()) },
    ...{ failures: small(), retryAt: optional(time()) },
  },
  key: ['id'],
});

/** Of a node and a patient: the version that was answered, and the version whose answer is owed; at once without `due`. */
const questions = defineTable({
  name: 'matchmaker_nodes_questions',
  columns: {
    ...{ node: text(), number: integer(), answered: integer(), tries: integer() },
    ...{ owed: optional(integer()), due: optional(time()) },
  },
  key: ['node', 'number'],
  indexes: [['number'], ['owed']],
});

/** An empty list of quirks counts as absent. */
function columnsOf({ created: _, quirks, ...node }: PeerNode) {
  return { enabled: node.enabled, node: { ...node, ...(quirks?.length && { quirks }) } };
}

/** Holds what is known of a query until the end of the transaction. */
function holdQuestion(inside: Tables, node: string, number: number) {
  return inside.table(questions).put({ node, number, answered: 0, tries: 0 }, []);
}

export const store = defineStore<NodeRepository>({
  contract: matchmakerNodes,
  tables: [peers, questions],
  steps: { '001-nodes': { tables: [peers, questions] } },
  repository: (tables) => ({
    async add(node) {
      const { id, created } = node;
      if ((await tables.table(peers).add({ id, created, failures: 0, ...columnsOf(node) })) === undefined) {
        throw new Fault('conflict', `There is already a node with the id "${id}"`);
      }
    },

    replace: async (node) => (await tables.table(peers).change({ id: node.id }, columnsOf(node))) > 0,

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
          const rows = await moment.table(peers).find({ order: ['id'] });
          return rows.map(({ id, enabled: _, created, node, ...state }): KnownNode => {
            const times = owed.filter((one) => one.node === id).map(({ due }) => due?.getTime() ?? 0);
            const due = times.length > 0 && { due: new Date(Math.min(...times)) };
            return { ...node, created, state: { ...state, owed: times.length, ...due } };
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
