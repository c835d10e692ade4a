/** Queries other nodes with stored patients, and records their responses. */
import { randomUUID } from 'node:crypto';
import { ByteBudget } from '../../../core/outgoing.js';
import { type Fault, gather, isFault, type PluginContext, step } from '../../../core/plugin.js';
import type { ActingParty, TracedScope, Trail } from '../audit/trail.js';
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
  type Sighting,
  type StoredPatient,
} from '../contract.js';
import { queueNotices, type WriteNotices } from '../mail/notices.js';
import { purposeOfPatient, withoutSample } from '../patients/patient.js';
import type { Resources } from '../resources/resources.js';
import type { ExchangeSettings } from '../settings.js';
import { ask, PostponedQuery, timeoutOfNode } from './ask.js';
import { type Dialect, dialectOfNode } from './dialect.js';
import { type ResponseTimes, refusesUntil, restsUntil, Stopwatch, type Waiter, WaitingQueries } from './health.js';
import type { Statements } from './protocol.js';
import { noteSightings, type Sightings } from './searches.js';

export interface PatientSearch {
  /** The caller ends the search of this name by `Outbox.over`; until then its mails wait. */
  name: string;
  signal: AbortSignal;
  /** Whether a client waits for the result, which then replaces the record of an earlier search with this version. */
  onDemand: boolean;
  /** For background work: awaited before a result is recorded, so that requests go first. */
  giveWay?(): Promise<void>;
}

/** The outcome of a query to one node. */
export interface NodeOutcome {
  node: NodeName;
  /** Undefined if it did not respond. */
  patients?: MatchedPatient[];
  /** What failed, even if only in part: continues a sentence that begins with the name of the node. */
  error?: string;
  /** Whether the query is to be repeated. */
  again: boolean;
}

/** A search whose client waits for a limited time; the queries that were sent continue after it. */
export interface ClientSearch extends Waiter {
  name: string;
  /** Whether the client named the node: then it is queried although it failed a moment ago. */
  named: boolean;
}

/** What came while the client waited. */
export interface ClientSearchOutcome {
  outcomes: NodeOutcome[];
  /** Nodes whose responses are recorded later. */
  pending: NodeName[];
}

/** A query that can be sent, or the reason why it cannot. */
interface PreparedQuery {
  peer: KnownNode;
  query?: { dialect: Dialect; body: object; purpose: string | undefined };
  fault?: Fault;
}

interface NodeRecording {
  stored: StoredPatient;
  outcome: NodeOutcome;
  notices: readonly NewNotice[];
  sightings: readonly Sighting[];
  onDemand: boolean;
}

/** Outcomes recorded in one transaction. */
const recordedTogether = 4;
/** Concurrent transactions, for any number of nodes: requests need connections to the database, too. */
const recordings = 2;
/** Milliseconds for which a node's success is not noted again. */
const noted = 1000;
/** Responses of the greatest size that may arrive at the same time. */
const largeTogether = 4;
/** Queries of clients that one node gets at the same time. */
const clientQueries = 8;

export interface NodeExchangeOptions extends Pick<PluginContext<unknown>, 'now' | 'log'> {
  settings: ExchangeSettings;
  statements: Statements;
  patients: MatchmakerRepository;
  nodes: NodeRepository;
  trail: Trail;
  resources(): Resources;
  notices: WriteNotices;
  /** Counts queries by node and outcome. */
  count(labels: { node: string; outcome: 'answered' | 'refused' | 'failed' }): void;
  /** Undefined if people do not work with matches on this server. */
  sightings: Sightings | undefined;
}

export class Exchange {
  readonly #options: NodeExchangeOptions;
  readonly #record: (recording: NodeRecording) => Promise<undefined>;
  readonly #memory: ByteBudget;
  readonly #stopwatch = new Stopwatch();
  readonly #waiting: WaitingQueries<NodeOutcome>;

  constructor(options: NodeExchangeOptions) {
    this.#options = options;
    this.#record = gather<NodeRecording, undefined>({
      together: (all) => this.#recordAll(all),
      most: recordedTogether,
      groups: recordings,
    });
    this.#memory = new ByteBudget(largeTogether * options.settings.maxBytes);
    this.#waiting = new WaitingQueries({ most: clientQueries, log: options.log });
  }

  /** Ends the queries that no client waits for; those without a record are repeated later. */
  close(): Promise<void> {
    return this.#waiting.close();
  }

  /** The enabled nodes, by id. */
  async peers(signal?: AbortSignal): Promise<KnownNode[]> {
    return (await this.#options.nodes.nodes({ signal })).filter(({ enabled }) => enabled);
  }

  /** Until when a node that failed is not queried; undefined if it may be. */
  restsUntil(state: PeerState): Date | undefined {
    return restsUntil(state, this.#options.settings, this.#options.now());
  }

  /** Whether a node responded to the last query, and does so within seconds: others would delay a search. */
  isPrompt({ state, contentType, quirks }: KnownNode): boolean {
    return state.failures === 0 && !this.isSlow({ contentType, quirks });
  }

  isSlow(node: Parameters<typeof dialectOfNode>[0]): boolean {
    try {
      return dialectOfNode(node).slow;
    } catch (error) {
      if (!isFault(error)) throw error;
      return false;
    }
  }

  /** Of a node's last responses to this process. */
  responseTimes(node: string): ResponseTimes | undefined {
    return this.#stopwatch.times(node);
  }

  /** Queries all of the nodes concurrently, each with its own timeout, and records each response as it arrives. */
  async search(stored: StoredPatient, peers: readonly KnownNode[], search: PatientSearch): Promise<NodeOutcome[]> {
    if (peers.length === 0) return [];
    const prepared = await this.#prepare(stored, peers);
    const settled = await Promise.allSettled(prepared.map((one) => this.#askAndRecord(stored, one, search)));
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  /**
   * The same for a client, which waits for a limited time: what comes later is recorded, and what does not come, or if this
   * process is killed, is queried again. Nodes that rest are left out, unless the client named them.
   */
  async searchFor(
    stored: StoredPatient,
    peers: readonly KnownNode[],
    client: ClientSearch,
  ): Promise<ClientSearchOutcome> {
    const { nodes, now, settings } = this.#options;
    const { number, version } = stored;
    const keyOf = ({ id }: NodeName) => `${id} ${number}.${version}`;
    const left: NodeOutcome[] = [];
    const asked: KnownNode[] = [];
    for (const peer of peers) {
      const until = client.named ? refusesUntil(peer.state, now()) : this.restsUntil(peer.state);
      const reason = until ? resting(peer.state, until) : this.#waiting.enter(peer.id, keyOf(peer));
      if (reason === undefined) asked.push(peer);
      else left.push({ node: { id: peer.id, label: peer.label }, error: reason, again: true });
    }
    const fresh = asked.filter((peer) => !this.#waiting.has(keyOf(peer)));
    const begin = async (): Promise<PreparedQuery[]> => {
      await nodes.owe(
        left.map(({ node }) => node.id),
        stored,
      );
      // By then they have responded or failed, and that is recorded.
      for (const slow of [false, true]) {
        const ids = fresh.filter((peer) => this.isSlow(peer) === slow).map(({ id }) => id);
        await nodes.owe(ids, stored, new Date(now().getTime() + 2 * timeoutOfNode({ slow }, settings)));
      }
      return this.#prepare(stored, fresh);
    };
    const search = { name: client.name, signal: this.#waiting.signal, onDemand: true };
    const prepared = begin();
    // Its error reaches the client by the queries, or below.
    prepared.catch(() => undefined);
    const tasks = asked.map((peer) =>
      this.#waiting.run(peer.id, keyOf(peer), async () => {
        const one = (await prepared).find((each) => each.peer === peer);
        if (one === undefined) throw new Error('a query that is run is prepared');
        return this.#askAndRecord(stored, one, search);
      }),
    );
    const came = await this.#waiting.within(tasks, client);
    await prepared;
    const pending = asked.flatMap(({ id, label }, i) => (came[i] === undefined ? [{ id, label }] : []));
    const late = pending.map((node): NodeOutcome => ({ node, error: lateness(client.waitMs), again: true }));
    const outcomes = [...came.filter((one) => one !== undefined), ...left, ...late];
    const order = new Map(peers.map(({ id }, i) => [id, i]));
    const rank = ({ node }: NodeOutcome) => order.get(node.id) ?? 0;
    return { outcomes: outcomes.sort((a, b) => rank(a) - rank(b)), pending };
  }

  /** Notes that nodes are to be queried later. */
  async owe(stored: StoredPatient, peers: readonly NodeName[]): Promise<void> {
    await this.#options.nodes.owe(
      peers.map(({ id }) => id),
      stored,
    );
  }

  /** The queries in the dialects of the nodes; those that will be sent are on record. */
  async #prepare(stored: StoredPatient, peers: readonly KnownNode[]): Promise<PreparedQuery[]> {
    const { settings, statements, resources, trail } = this.#options;
    const isUnstated = stored.patient._purpose === undefined;
    const patient = isUnstated ? { ...stored.patient, _purpose: settings.purpose } : stored.patient;
    const purpose = purposeOfPatient(patient);
    const prepared = peers.map((peer): PreparedQuery => {
      try {
        const dialect = dialectOfNode(peer);
        return { peer, query: { dialect, body: dialect.body(patient, resources(), statements), purpose } };
      } catch (error) {
        if (!isFault(error)) throw error;
        return { peer, fault: error };
      }
    });
    const patients = [stored.patient.id];
    const sent = prepared.filter(({ query }) => query !== undefined);
    await trail.add(sent.map(({ peer }) => ({ by: actingNode(peer), action: 'send', patients, purpose })));
    step('matchmaker.exchange.audited');
    return prepared;
  }

  async #askAndRecord(
    stored: StoredPatient,
    { peer, query, fault }: PreparedQuery,
    { name, signal, onDemand, giveWay }: PatientSearch,
  ): Promise<NodeOutcome> {
    const { settings, nodes, now, log, count } = this.#options;
    const node = { id: peer.id, label: peer.label };
    let outcome: NodeOutcome;
    let retryAt: Date | undefined;
    try {
      if (query === undefined) throw fault;
      const begun = performance.now();
      const { dialect, body } = query;
      const { patients, dropped } = await ask(peer, body, { settings, dialect, signal, now, memory: this.#memory });
      this.#stopwatch.note(peer.id, (performance.now() - begun) / 1000);
      outcome = { node, patients, error: dropped, again: false };
      count({ node: peer.id, outcome: 'answered' });
    } catch (error) {
      // The server stops or the client is gone: not a failure of the node.
      signal.throwIfAborted();
      if (!isFault(error)) throw error;
      if (error instanceof PostponedQuery) retryAt = error.until;
      const again = error.code !== 'unprocessable';
      outcome = { node, error: error.message, again };
      count({ node: peer.id, outcome: again ? 'failed' : 'refused' });
    }
    await giveWay?.();
    step('matchmaker.exchange.answered');
    const matches = (outcome.patients ?? []).map((found) => ({ node, found }));
    const notices = await this.#options.notices([{ patient: stored.patient, matches }], name);
    const sightings = (await this.#options.sightings?.of(stored, node, outcome.patients ?? [])) ?? [];
    await this.#record({ stored, outcome, notices, sightings, onDemand });
    if (outcome.again) {
      const reason = outcome.error ?? 'failed';
      log.warn({ node: peer.id, reason }, 'a node did not respond');
      await nodes.noteFailure(peer.id, { reason, at: now(), failures: peer.state.failures + 1, retryAt });
    } else if (query !== undefined && !isFresh(peer.state, now())) await nodes.noteSuccess(peer.id, now());
    return outcome;
  }

  async #recordAll(all: readonly NodeRecording[]): Promise<undefined[]> {
    // In the order in which patients are saved, so that the two cannot deadlock.
    const inOrder = [...all].sort((a, b) => a.stored.number - b.stored.number);
    await this.#options.trail.transaction(async (scope) => {
      const recorded: NodeRecording[] = [];
      for (const one of inOrder) if (await this.#recordOne(one, scope)) recorded.push(one);
      step('matchmaker.exchange.recorded');
      const notices = recorded.flatMap((one) => one.notices);
      await queueNotices(scope, notices);
      step('matchmaker.exchange.posted');
      const sightings = recorded.flatMap((one) => one.sightings);
      await noteSightings(scope, sightings);
    });
    step('matchmaker.exchange.committed');
    return all.map(() => undefined);
  }

  /**
   * Records a result once for each node and version of a patient, however many searches got it: `answered` is true for one of
   * them, in the same transaction as the record and its notices. Returns whether it found patients,
   * about which the submitter gets a notice.
   */
  async #recordOne({ stored, outcome, onDemand }: NodeRecording, scope: TracedScope): Promise<boolean> {
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
    if (again) await nodes.owe([node.id], stored);
    else if (!(await nodes.answered(node.id, stored)) && !onDemand) return false;
    await scope.repository(matchmakerMatches).add({
      id: randomUUID(),
      created: now(),
      type: 'external',
      direction: 'outgoing',
      asker: owner,
      number,
      patient: withoutSample(patient),
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

function actingNode({ id }: Pick<NodeName, 'id'>): ActingParty {
  return { owner: `node:${id}`, because: 'connected node' };
}

/** Why a node is left out of a client's search. */
function resting({ failures, failure = 'failed' }: PeerState, until: Date): string {
  const times = failures === 1 ? 'once' : `${failures} times`;
  return `was not queried, since it failed ${times} and rests until ${until.toISOString()}; last, it ${failure}`;
}

function lateness(waitMs: number): string {
  return `has not responded after ${waitMs / 1000} s; a later response is recorded`;
}

/** Whether a success of the node was noted a moment ago. */
function isFresh({ failures, lastSuccess }: PeerState, now: Date): boolean {
  return failures === 0 && lastSuccess !== undefined && now.getTime() - lastSuccess.getTime() < noted;
}
