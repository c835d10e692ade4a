/** matchmaker-nodes@1: connected nodes, their state, and the queries they were sent. */
import { type Contract, defineContract, type ReadOptions } from '../../../core/storage.js';

/** The token we send to a node: stored encrypted, or in a file that is read each time it is used. */
export type KeptToken = { sealed: string } | { file: string };

export interface PeerNode {
  id: string;
  /** Name for people. */
  label: string;
  /** URL of its endpoint `/match`. */
  url: string;
  /** Media type of the queries we send. */
  contentType: string;
  /** Person responsible for it. */
  contact?: string;
  /** Names of quirks and kinds of server, as in `exchange/node.ts`; none if omitted. */
  quirks?: readonly string[];
  token: KeptToken;
  /** Only enabled nodes are queried, and shown to clients. */
  enabled: boolean;
  created: Date;
}

export interface PeerState {
  lastSuccess?: Date;
  lastFailure?: Date;
  /** The last failure, in one sentence. */
  failure?: string;
  /** Failures since the last success. */
  failures: number;
  /** The node asked not to be queried before; undefined after a success. */
  retryAt?: Date;
  /** Queries that failed and will be repeated. */
  owed: number;
  /** When the first of them may be repeated: the beginning of 1970 if at once; undefined if there is none. */
  due?: Date;
}

/** A query that a node did not respond to. */
export interface NodeFailure {
  /** In one sentence. */
  reason: string;
  at: Date;
  /** This one included, since the last success. */
  failures: number;
  /** If the node said when it may be queried again. */
  retryAt?: Date | undefined;
}

export type KnownNode = PeerNode & { state: PeerState };

/** A query with a patient, by its number in the store, as it was at a version. */
export interface Question {
  number: number;
  version: number;
}

export interface NodeRepository {
  /** Throws `conflict` if the id exists. */
  add(node: PeerNode): Promise<void>;
  /** Replaces the node with the same id; its state and its time of creation stay. Returns false if there is none. */
  replace(node: PeerNode): Promise<boolean>;
  /** Removes the node with its state and its queries. Returns false if there is none. */
  remove(id: string): Promise<boolean>;
  /** All nodes, by id. */
  nodes(options?: ReadOptions): Promise<KnownNode[]>;
  /** Whether any node is enabled. */
  connected(): Promise<boolean>;
  noteSuccess(id: string, at: Date): Promise<void>;
  noteFailure(id: string, failure: NodeFailure): Promise<void>;
  /**
   * Notes that a node answered a query. Returns true for the first answer to this version or a later one, so that one of
   * several callers records it. Settles what the node owes for this version or an earlier one.
   */
  answered(id: string, question: Question): Promise<boolean>;
  /**
   * Notes that the query is to be repeated by each of the nodes, unless this version or a later one was answered. Not before
   * `from`, if it is given; a later note replaces that time.
   */
  owe(ids: readonly string[], question: Question, from?: Date): Promise<void>;
  /** Queries that may be repeated now, those that were owed least often first, then by number. */
  owed(id: string, limit: number, now: Date): Promise<Question[]>;
  /** Drops the query: the patient was removed or changed. */
  settle(id: string, question: Question): Promise<void>;
  /** Deletes all queries with a patient. */
  forget(number: number): Promise<void>;
}

export const matchmakerNodes: Contract<NodeRepository> = defineContract<NodeRepository>('matchmaker-nodes@1', {
  add: 'needed',
  replace: 'needed',
  remove: 'needed',
  nodes: 'needed',
  connected: 'needed',
  noteSuccess: 'needed',
  noteFailure: 'needed',
  answered: 'needed',
  owe: 'needed',
  owed: 'needed',
  settle: 'needed',
  forget: 'needed',
});
