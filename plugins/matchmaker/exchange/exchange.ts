/** Asks other nodes about stored patients, and writes down what they answered. */
import { randomUUID } from 'node:crypto';
import { isFault, type PluginContext } from '../../../core/plugin.js';
import {
  type KnownNode,
  type MatchedPatient,
  type MatchmakerRepository,
  matchmaker,
  matchmakerAudit,
  matchmakerMatches,
  matchmakerNodes,
  type NodeName,
  type NodeRepository,
  type PeerState,
  type StoredPatient,
} from '../contract.js';
import type { Notify } from '../mail/notices.js';
import type { Resources } from '../resources/contract.js';
import { ask } from './ask.js';
import { outgoing } from './outgoing.js';
import type { ExchangeSettings } from './settings.js';

/** What became of a question to one node. */
export interface Outcome {
  node: NodeName;
  /** Undefined where it did not answer. */
  patients?: MatchedPatient[];
  /** What went wrong, if only in part: a sentence that goes on after the node's name. */
  error?: string;
  /** Whether the question is to be asked again. */
  again: boolean;
}

export interface ExchangeOptions extends Pick<PluginContext<unknown>, 'transaction' | 'now' | 'log'> {
  settings: ExchangeSettings;
  statements: { disclaimer?: string; terms?: string };
  patients: MatchmakerRepository;
  nodes: NodeRepository;
  resources(): Resources;
  notify: Notify;
  /** Called when something may lie in the outbox. */
  wakeMail(): void;
}

export class Exchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** The nodes that are asked, by id. */
  async peers(): Promise<KnownNode[]> {
    return (await this.#options.nodes.nodes()).filter(({ enabled }) => enabled);
  }

  /** Whether a node that failed gets some time before it is asked again. */
  resting({ lastFailure, failures }: PeerState): boolean {
    if (failures === 0 || lastFailure === undefined) return false;
    const { retrySeconds, retryMaxSeconds } = this.#options.settings;
    const seconds = Math.min(retrySeconds * 2 ** Math.min(failures - 1, 30), retryMaxSeconds);
    return this.#options.now().getTime() < lastFailure.getTime() + seconds * 1000;
  }

  /**
   * Asks all of the nodes at once, each with a time of its own, and records what each says as soon as it does. `on
   * demand`: somebody waits for the answer, so that what was recorded of this version before is replaced.
   */
  async search(
    stored: StoredPatient,
    peers: readonly KnownNode[],
    { signal, onDemand }: { signal: AbortSignal; onDemand: boolean },
  ): Promise<Outcome[]> {
    const { transaction, now } = this.#options;
    if (peers.length === 0) return [];
    await transaction((scope) =>
      scope.repository(matchmakerAudit).add(
        peers.map(({ id }) => ({
          at: now(),
          actor: `node:${id}`,
          action: 'send' as const,
          patient: stored.patient.id,
        })),
      ),
    );
    const settled = await Promise.allSettled(peers.map((peer) => this.#askAndRecord(stored, peer, signal, onDemand)));
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  /** Puts the question to a node off. */
  async owe(stored: StoredPatient, { id }: NodeName): Promise<void> {
    await this.#options.nodes.owe(id, stored);
  }

  async #askAndRecord(
    stored: StoredPatient,
    peer: KnownNode,
    signal: AbortSignal,
    onDemand: boolean,
  ): Promise<Outcome> {
    const { settings, statements, resources, nodes, now, log } = this.#options;
    const node = { id: peer.id, label: peer.label };
    let outcome: Outcome;
    try {
      const patient = outgoing(stored.patient, resources().genes);
      const { patients, dropped } = await ask(peer, patient, { settings, statements, signal });
      outcome = { node, patients, again: false, ...(dropped === undefined ? {} : { error: dropped }) };
    } catch (error) {
      // The server stops, or nobody waits any more: that is nothing the node did.
      signal.throwIfAborted();
      if (!isFault(error)) throw error;
      outcome = { node, error: error.message, again: error.code !== 'unprocessable' };
    }
    await this.#record(stored, outcome, onDemand);
    if (outcome.again) {
      const reason = outcome.error ?? 'failed';
      log.warn({ node: peer.id, reason }, 'a node did not answer');
      await nodes.noteFailure(peer.id, reason, now(), peer.state.failures + 1);
    } else await nodes.noteSuccess(peer.id, now());
    return outcome;
  }

  /**
   * Once for each node and version of a patient, whoever asked and however often: `answered` is true for one alone, and
   * its note stands or falls with the record and the notification.
   */
  async #record(stored: StoredPatient, { node, patients = [], error, again }: Outcome, onDemand: boolean) {
    const { transaction, now, notify, wakeMail } = this.#options;
    const { number, version, patient, owner } = stored;
    const told = await transaction(async (scope) => {
      const nodes = scope.repository(matchmakerNodes);
      const current = await scope.repository(matchmaker).held(number);
      if (current?.version !== version) {
        // Gone, or another by now: that one has searches of its own.
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
      const received = { at: now(), actor: `node:${node.id}`, action: 'receive' as const, query: patient.id };
      const ids = [...new Set(patients.map((found) => found.patient.id))];
      await scope.repository(matchmakerAudit).add(ids.map((id) => ({ ...received, patient: id })));
      await notify(scope, { patient, matches: patients.map((found) => ({ node, found })) });
      return true;
    });
    if (told) wakeMail();
  }
}
