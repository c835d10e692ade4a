/** The job that repeats the queries that a node did not respond to. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import type { MatchmakerServices } from '../services.js';
import { type BackgroundSearch, storedVersion } from './search.js';

export const catchUpKind = 'matchmaker.catch-up';

const payload = z.strictObject({ node: z.string() });

/** Queries that a node gets at the same time once it responds again. */
const concurrent = 4;

/** Queues a job for each node with queries to repeat, unless it failed too recently. */
export async function queueCatchUps({ exchange, jobs }: Pick<MatchmakerServices, 'exchange' | 'jobs'>): Promise<void> {
  for (const { id, state } of await exchange.peers()) {
    if (state.owed === 0 || exchange.resting(state)) continue;
    await jobs.enqueue(catchUpKind, { node: id }, { owner: 'matchmaker', key: `${catchUpKind}:${id}` });
  }
}

export function catchUpJob({
  exchange,
  patients,
  nodes,
  mail,
}: Pick<MatchmakerServices, 'exchange' | 'patients' | 'nodes' | 'mail'>): JobHandler<z.output<typeof payload>> {
  /** Returns how many queries the node answered. */
  async function catchUp(node: string, how: BackgroundSearch): Promise<number> {
    let answered = 0;
    // The first query alone shows whether the node responds again.
    for (let most = 1; ; most = concurrent) {
      const peer = (await exchange.peers()).find(({ id }) => id === node);
      const owed = peer ? await nodes.owed(node, most) : [];
      if (!peer || owed.length === 0 || exchange.resting(peer.state)) return answered;
      const outcomes = await Promise.all(
        owed.map(async (question) => {
          await how.giveWay();
          const patient = await storedVersion(patients, question);
          if (patient) return exchange.search(patient, [peer], how);
          await nodes.settle(node, question);
          return [];
        }),
      );
      const all = outcomes.flat();
      answered += all.filter(({ again }) => !again).length;
      if (all.some(({ again }) => again)) return answered;
    }
  }

  return {
    payload,
    async run({ node }, { id, signal, giveWay }) {
      const answered = await catchUp(node, { name: id, signal, giveWay, onDemand: false });
      await mail.over(id);
      return { answered };
    },
  };
}
