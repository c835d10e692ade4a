/** The jobs that search for saved patients: at once, again on nodes that did not respond, and for commands. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import { type KnownNode, type MatchmakerRepository, type Question, type StoredPatient, thisNode } from '../contract.js';
import { type SearchPayload, searchPayload } from '../patients/saving.js';
import type { MatchmakerServices } from '../services.js';
import type { PatientSearch } from './exchange.js';

/** Patients that a job searches for at the same time. */
const searchedAtOnce = 4;

/** A search that no client waits for. */
export type BackgroundSearch = PatientSearch & Required<Pick<PatientSearch, 'giveWay'>>;

/** The patient if it is still of the version; undefined if it was changed or deleted. */
async function storedVersion(
  patients: Pick<MatchmakerRepository, 'patientsByNumber'>,
  { number, version }: Question,
): Promise<StoredPatient | undefined> {
  const [found] = await patients.patientsByNumber([number]);
  return found?.version === version ? found : undefined;
}

export function searchJob({
  exchange,
  indirect,
  within,
  patients,
  mail,
}: Pick<MatchmakerServices, 'exchange' | 'indirect' | 'within' | 'patients' | 'mail'>): JobHandler<SearchPayload> {
  /** Returns how many nodes responded; undefined if the patient was deleted, or changed, which has a search of its own. */
  async function search(question: Question, how: BackgroundSearch): Promise<number | undefined> {
    await how.giveWay();
    const patient = await storedVersion(patients, question);
    if (!patient) return undefined;
    const peers = await exchange.peers();
    const prompt = peers.filter((peer) => exchange.isPrompt(peer));
    // The others have a job of their own, so that they delay no search.
    await exchange.owe(
      patient,
      peers.filter((peer) => !prompt.includes(peer)),
    );
    const here = async () => {
      // One after the other, since both may find the same pair.
      await indirect?.search(patient, how.name);
      await within?.search(patient, how);
    };
    const [outcomes] = await Promise.all([exchange.search(patient, prompt, how), here()]);
    return outcomes.filter(({ again }) => !again).length;
  }

  return {
    payload: searchPayload,
    async run({ patients: questions }, { id, signal, progress, giveWay }) {
      // By the job's name, so that an attempt that follows a crash ends the search of the one before.
      const how = { name: id, signal, giveWay, onDemand: false };
      const result = { searched: 0, answered: 0 };
      let broken: PromiseRejectedResult | undefined;
      for (let i = 0; i < questions.length && !signal.aborted; i += searchedAtOnce) {
        const batch = questions.slice(i, i + searchedAtOnce);
        const ends = await Promise.allSettled(batch.map((question) => search(question, how)));
        for (const end of ends) {
          if (end.status === 'rejected') broken ??= end;
          else if (end.value !== undefined) {
            result.searched += 1;
            result.answered += end.value;
          }
        }
        progress((i + searchedAtOnce) / questions.length);
      }
      // One search that fails does not keep the others from running.
      if (broken) throw broken.reason;
      signal.throwIfAborted();
      await mail.over(id);
      return result;
    },
  };
}

export const catchUpKind = 'matchmaker.catch-up';

/** Nodes that may take long are queried by one job for all of them, which occupies one worker. */
const lanes = ['failing', 'slow'] as const;
type Lane = (typeof lanes)[number];

const payload = z.union([z.strictObject({ node: z.string() }), z.strictObject({ lane: z.enum(lanes) })]);
type Payload = z.output<typeof payload>;

/** Queries that a node gets at the same time once it responds again. */
const repeatedAtOnce = 4;

type CatchUpServices = Pick<MatchmakerServices, 'exchange' | 'within' | 'nodes' | 'jobs' | 'now'>;

/** Queues jobs for the nodes with queries to repeat, unless they failed too recently, and for this one. */
export async function queueCatchUps({ exchange, within, nodes, jobs, now }: CatchUpServices): Promise<void> {
  const waiting = (await exchange.peers()).filter((peer) => mayCatchUp(peer, exchange, now()));
  const payloads = new Map<string, Payload>();
  const isWaitingHere = within !== undefined && (await nodes.owed(thisNode.id, 1, now())).length > 0;
  if (isWaitingHere) payloads.set(thisNode.id, { node: thisNode.id });
  for (const peer of waiting) {
    const lane = laneOf(peer, exchange);
    payloads.set(lane ?? peer.id, lane === undefined ? { node: peer.id } : { lane });
  }
  for (const [name, payload] of payloads) {
    const key = `${catchUpKind}:${'lane' in payload ? 'lane:' : ''}${name}`;
    await jobs.enqueue(catchUpKind, payload, { owner: 'matchmaker', key });
  }
}

function mayCatchUp({ state }: KnownNode, exchange: CatchUpServices['exchange'], now: Date): boolean {
  return state.owed > 0 && (state.due === undefined || state.due <= now) && exchange.restsUntil(state) === undefined;
}

function laneOf(peer: KnownNode, exchange: CatchUpServices['exchange']): Lane | undefined {
  if (exchange.isSlow(peer)) return 'slow';
  return peer.state.failures > 0 ? 'failing' : undefined;
}

export function catchUpJob({
  exchange,
  within,
  patients,
  nodes,
  mail,
  now,
}: Pick<MatchmakerServices, 'exchange' | 'within' | 'patients' | 'nodes' | 'mail' | 'now'>): JobHandler<Payload> {
  /** Repeats a few queries to a node; returns how many it answered, and whether there may be more that it answers. */
  async function repeat(
    node: string,
    most: number,
    how: BackgroundSearch,
  ): Promise<{ answered: number; more: boolean }> {
    const peer = (await exchange.peers()).find(({ id }) => id === node);
    const owed = peer ? await nodes.owed(node, most, now()) : [];
    if (!peer || owed.length === 0 || exchange.restsUntil(peer.state)) return { answered: 0, more: false };
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
    const answered = all.filter(({ again }) => !again).length;
    return { answered, more: answered === all.length };
  }

  /** Repeats all queries to a node. The first alone shows whether it responds again. */
  async function catchUp(node: string, how: BackgroundSearch): Promise<number> {
    let answered = 0;
    for (let most = 1; ; most = repeatedAtOnce) {
      const round = await repeat(node, most, how);
      answered += round.answered;
      if (!round.more) return answered;
    }
  }

  /** Compares the patients with those that are stored here. */
  async function catchUpHere(how: BackgroundSearch): Promise<number> {
    for (let compared = 0; ; compared++) {
      const [question] = await nodes.owed(thisNode.id, 1, now());
      if (question === undefined) return compared;
      await how.giveWay();
      const patient = await storedVersion(patients, question);
      if (patient) await within?.search(patient, how);
      await nodes.settle(thisNode.id, question);
    }
  }

  /** One query to each failing node, a few to each slow one: those that respond at once get a job of their own. */
  async function catchUpLane(lane: Lane, how: BackgroundSearch): Promise<number> {
    const peers = (await exchange.peers()).filter((peer) => laneOf(peer, exchange) === lane);
    const rounds = await Promise.all(
      peers.map(({ id, state }) => repeat(id, state.failures > 0 ? 1 : repeatedAtOnce, how)),
    );
    return rounds.reduce((sum, { answered }) => sum + answered, 0);
  }

  return {
    payload,
    async run(what, { id, signal, giveWay }) {
      const how = { name: id, signal, giveWay, onDemand: false };
      const catchUpNode = (node: string) => (node === thisNode.id ? catchUpHere(how) : catchUp(node, how));
      const answered = 'lane' in what ? await catchUpLane(what.lane, how) : await catchUpNode(what.node);
      await mail.over(id);
      return { answered };
    },
  };
}
