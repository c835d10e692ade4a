/** Searches that nobody waits for: after a patient was saved, and when a node is back. */
import { z } from 'zod';
import { type PluginContext, recurring } from '../../../core/plugin.js';
import { type MatchmakerRepository, matchmakerMatches, matchmakerNodes, type NodeRepository } from '../contract.js';
import type { SearchMail } from '../mail/outbox.js';
import type { AfterSave } from '../patient/saving.js';
import type { Exchange, Search } from './exchange.js';
import type { Indirect } from './indirect.js';

const searchKind = 'matchmaker.search';
const catchUpKind = 'matchmaker.catch-up';
const lookEveryMs = 1000;
/** Patients that a job searches for at the same time, and questions that a node which is back gets at once. */
const atOnce = 4;
/** Patients that one job searches for: what is to be done again after a crash stays little. */
const searchedTogether = 50;

/** Numbers only: what a job is about goes when its patient goes. */
const question = z.strictObject({ number: z.int(), version: z.int() });
type Question = z.output<typeof question>;

/** Nobody waits for these searches. */
type Polite = Search & Required<Pick<Search, 'giveWay'>>;

export interface ExchangeJobsOptions {
  exchange: Exchange;
  indirect: Indirect | undefined;
  patients: MatchmakerRepository;
  nodes: NodeRepository;
  mail: Pick<SearchMail, 'over'>;
}

/** Registers the jobs; answers what queues a search in the transaction that saves a patient. */
export function exchangeJobs(
  context: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'onReady' | 'onClose'>,
  { exchange, indirect, patients, nodes, mail }: ExchangeJobsOptions,
): AfterSave {
  const { jobs } = context;
  const stored = async ({ number, version }: Question) => {
    const [found] = await patients.patientsByNumber([number]);
    return found?.version === version ? found : undefined;
  };

  jobs.handle(searchKind, {
    payload: z.strictObject({ patients: z.array(question) }),
    async run({ patients: asked }, { id, signal, progress, giveWay }) {
      // By the job's name, so that an attempt that follows a crash ends the search of the one before.
      const how = { name: id, signal, giveWay, onDemand: false };
      const result = { searched: 0, answered: 0 };
      let broken: PromiseRejectedResult | undefined;
      for (let i = 0; i < asked.length && !signal.aborted; i += atOnce) {
        const ends = await Promise.allSettled(asked.slice(i, i + atOnce).map((one) => search(one, how)));
        for (const end of ends) {
          if (end.status === 'rejected') broken ??= end;
          else if (end.value !== undefined) {
            result.searched += 1;
            result.answered += end.value;
          }
        }
        progress((i + atOnce) / asked.length);
      }
      // One that breaks down keeps none of the others from being searched for.
      if (broken) throw broken.reason;
      signal.throwIfAborted();
      await mail.over(id);
      return result;
    },
  });

  /** How many nodes answered; undefined where the patient is gone or has changed, which then has a search of its own. */
  async function search(asked: Question, how: Polite): Promise<number | undefined> {
    await how.giveWay();
    const patient = await stored(asked);
    if (!patient) return undefined;
    const peers = await exchange.peers();
    const resting = peers.filter(({ state }) => exchange.resting(state));
    for (const peer of resting) await exchange.owe(patient, peer);
    const awake = peers.filter((peer) => !resting.includes(peer));
    const [outcomes] = await Promise.all([exchange.search(patient, awake, how), indirect?.search(patient, how.name)]);
    return outcomes.filter(({ again }) => !again).length;
  }

  jobs.handle(catchUpKind, {
    payload: z.strictObject({ node: z.string() }),
    async run({ node }, { id, signal, giveWay }) {
      const answered = await catchUp(node, { name: id, signal, giveWay, onDemand: false });
      await mail.over(id);
      return { answered };
    },
  });

  /** How many questions the node answered. */
  async function catchUp(node: string, how: Polite): Promise<number> {
    let answered = 0;
    // The first alone shows whether the node is back.
    for (let most = 1; ; most = atOnce) {
      const peer = (await exchange.peers()).find(({ id }) => id === node);
      const owed = peer ? await nodes.owed(node, most) : [];
      if (!peer || owed.length === 0 || exchange.resting(peer.state)) return answered;
      const outcomes = await Promise.all(
        owed.map(async (asked) => {
          await how.giveWay();
          const patient = await stored(asked);
          if (patient) return exchange.search(patient, [peer], how);
          await nodes.settle(node, asked);
          return [];
        }),
      );
      const all = outcomes.flat();
      answered += all.filter(({ again }) => !again).length;
      if (all.some(({ again }) => again)) return answered;
    }
  }

  recurring(context, {
    what: 'looking for nodes that are back',
    everyMs: lookEveryMs,
    async work() {
      for (const { id, state } of await exchange.peers()) {
        if (state.owed === 0 || exchange.resting(state)) continue;
        await jobs.enqueue(catchUpKind, { node: id }, { owner: 'matchmaker', key: `${catchUpKind}:${id}` });
      }
    },
  });

  return async (saved, scope) => {
    const wanted =
      (await scope.repository(matchmakerNodes).connected()) ||
      (indirect !== undefined && (await scope.repository(matchmakerMatches).asked()));
    if (!wanted) return;
    for (const owner of new Set(saved.map(({ stored }) => stored.owner))) {
      const questions = saved.flatMap(({ stored }) =>
        stored.owner === owner ? [{ number: stored.number, version: stored.version }] : [],
      );
      for (let i = 0; i < questions.length; i += searchedTogether) {
        await jobs.enqueue(searchKind, { patients: questions.slice(i, i + searchedTogether) }, { owner, scope });
      }
    }
  };
}

/** For who has no jobs: notes that every node is to be asked about the patients, which servers then do. */
export const askLater: AfterSave = async (saved, scope) => {
  const nodes = scope.repository(matchmakerNodes);
  for (const { id, enabled } of await nodes.nodes()) {
    if (enabled) for (const { stored } of saved) await nodes.owe(id, stored);
  }
};
