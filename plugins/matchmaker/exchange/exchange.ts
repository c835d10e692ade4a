/** Queries other nodes with stored patients, and records their responses. */
import { randomUUID } from 'node:crypto';
import { gather, isFault, type PluginContext, step } from '../../../core/plugin.js';
import type { Acting, TracedScope, Trail } from '../audit/trail.js';
import {
  type KnownNode,
  type MatchedPatient,
  type MatchmakerRepository,
  matchmaker,
  matchmakerMatches,
  matchmakerNodes,
  type NewNotice,
  type NodeName,
  type NodeRepository,
  type PeerState,
  type StoredPatient,
} from '../contract.js';
import { queueNotices, type WriteNotices } from '../mail/notices.js';
import type { Resources } from '../resources/resources.js';
import { ask } from './ask.js';
import { outgoing } from './outgoing.js';
import type { ExchangeSettings } from './settings.js';

export interface Search {
  /** The caller ends the search of this name by `Outbox.over`; until then its mails wait. */
  name: string;
  signal: AbortSignal;
  /** Whether a client waits for the result, which then replaces the record of an earlier search with this version. */
  onDemand: boolean;
  /** For background work: awaited before a result is recorded, so that requests go first. */
  giveWay?(): Promise<void>;
}

/** The outcome of a query to one node. */
export interface Outcome {
  node: NodeName;
  /** Undefined if it did not respond. */
  patients?: MatchedPatient[];
  /** What failed, even if only in part: continues a sentence that begins with the name of the node. */
  error?: string;
  /** Whether the query is to be repeated. */
  again: boolean;
}

interface Recording {
  stored: StoredPatient;
  outcome: Outcome;
  notices: readonly NewNotice[];
  onDemand: boolean;
}

/** Outcomes recorded in one transaction. */
const recordedTogether = 4;
/** Concurrent transactions, for any number of nodes: requests need connections to the database, too. */
const recordings = 2;
/** Milliseconds for which a node's success is not noted again. */
const noted = 1000;

export interface ExchangeOptions extends Pick<PluginContext<unknown>, 'now' | 'log'> {
  settings: ExchangeSettings;
  statements: { disclaimer?: string; terms?: string };
  patients: MatchmakerRepository;
  nodes: NodeRepository;
  trail: Trail;
  resources(): Resources;
  notices: WriteNotices;
}

export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #record: (recording: Recording) => Promise<undefined>;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#record = gather<Recording, undefined>({
      together: (all) => this.#recordAll(all),
      most: recordedTogether,
      groups: recordings,
    });
  }

  /** The enabled nodes, by id. */
  async peers(signal?: AbortSignal): Promise<KnownNode[]> {
    return (await this.#options.nodes.nodes({ signal })).filter(({ enabled }) => enabled);
  }

  /** Whether a node failed too recently to be queried again. */
  resting({ lastFailure, failures }: PeerState): boolean {
    if (failures === 0 || lastFailure === undefined) return false;
    const { retrySeconds, retryMaxSeconds } = this.#options.settings;
    const seconds = Math.min(retrySeconds * 2 ** Math.min(failures - 1, 30), retryMaxSeconds);
    return this.#options.now().getTime() < lastFailure.getTime() + seconds * 1000;
  }

  /** Queries all of the nodes concurrently, each with its own timeout, and records each response as it arrives. */
  async search(stored: StoredPatient, peers: readonly KnownNode[], search: Search): Promise<Outcome[]> {
    if (peers.length === 0) return [];
    const patients = [stored.patient.id];
    await this.#options.trail.add(peers.map((peer) => ({ by: actingNode(peer), action: 'send', patients })));
    step('matchmaker.exchange.audited');
    const settled = await Promise.allSettled(peers.map((peer) => this.#askAndRecord(stored, peer, search)));
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  /** Notes that a node is to be queried later. */
  async owe(stored: StoredPatient, { id }: NodeName): Promise<void> {
    await this.#options.nodes.owe(id, stored);
  }

  async #askAndRecord(
    stored: StoredPatient,
    peer: KnownNode,
    { name, signal, onDemand, giveWay }: Search,
  ): Promise<Outcome> {
    const { settings, statements, resources, nodes, now, log } = this.#options;
    const node = { id: peer.id, label: peer.label };
    let outcome: Outcome;
    try {
      const patient = outgoing(stored.patient, resources().genes);
      const { patients, dropped } = await ask(peer, patient, { settings, statements, signal });
      outcome = { node, patients, error: dropped, again: false };
    } catch (error) {
      // The server stops or the client is gone: not a failure of the node.
      signal.throwIfAborted();
      if (!isFault(error)) throw error;
      outcome = { node, error: error.message, again: error.code !== 'unprocessable' };
    }
    await giveWay?.();
    step('matchmaker.exchange.answered');
    const matches = (outcome.patients ?? []).map((found) => ({ node, found }));
    const notices = await this.#options.notices([{ patient: stored.patient, matches }], name);
    await this.#record({ stored, outcome, notices, onDemand });
    if (outcome.again) {
      const reason = outcome.error ?? 'failed';
      log.warn({ node: peer.id, reason }, 'a node did not respond');
      await nodes.noteFailure(peer.id, reason, now(), peer.state.failures + 1);
    } else if (!isFresh(peer.state, now())) await nodes.noteSuccess(peer.id, now());
    return outcome;
  }

  async #recordAll(all: readonly Recording[]): Promise<undefined[]> {
    // In the order in which patients are saved, so that the two cannot deadlock.
    const inOrder = [...all].sort((a, b) => (a.stored.patient.id < b.stored.patient.id ? -1 : 1));
    await this.#options.trail.transaction(async (scope) => {
      const notices: NewNotice[] = [];
      for (const one of inOrder) if (await this.#recordOne(one, scope)) notices.push(...one.notices);
      step('matchmaker.exchange.recorded');
      await queueNotices(scope, notices);
      step('matchmaker.exchange.posted');
    });
    step('matchmaker.exchange.committed');
    return all.map(() => undefined);
  }

  /**
   * Records a result once for each node and version of a patient, however many searches got it: `answered` is true for one of
   * them, in the same transaction as the record and its notices. Returns whether the notices are to be queued.
   */
  async #recordOne({ stored, outcome, onDemand }: Recording, scope: TracedScope): Promise<boolean> {
    const { now } = this.#options;
    const { node, patients = [], error, again } = outcome;
    const { number, version, patient, owner } = stored;
    const nodes = scope.repository(matchmakerNodes);
    const current = await scope.repository(matchmaker).held(number);
    if (current?.version !== version) {
      // Deleted, or changed: the new version has searches of its own.
      await nodes.settle(node.id, stored);
      return false;
    }
    if (again) await nodes.owe(node.id, stored);
    else if (!(await nodes.answered(node.id, stored)) && !onDemand) return false;
    await scope.repository(matchmakerMatches).add({
      id: randomUUID(),
      created: now(),
      type: 'external',
      direction: 'outgoing',
      asker: owner,
      number,
      patient,
      results: patients.length === 0 ? [] : [{ node, patients }],
      errors: error === undefined ? [] : [{ node, error }],
      matchedGenes: [],
      key: `${node.id}:${number}.${version}`,
    });
    if (patients.length === 0) return false;
    const ids = [...new Set(patients.map((found) => found.patient.id))];
    const query = { id: patient.id, isStored: true };
    await scope.trace([{ by: actingNode(node), action: 'receive', patients: ids, query }]);
    return true;
  }
}

function actingNode({ id }: Pick<NodeName, 'id'>): Acting {
  return { owner: `node:${id}`, because: 'connected node' };
}

/** Whether a success of the node was noted a moment ago. */
function isFresh({ failures, lastSuccess }: PeerState, now: Date): boolean {
  return failures === 0 && lastSuccess !== undefined && now.getTime() - lastSuccess.getTime() < noted;
}
