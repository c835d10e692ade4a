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
  /** Queries that failed and will be repeated. */
  owed: number;
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
  /** Replaces the node with the same id; its state stays. Returns false if there is none. */
  replace(node: PeerNode): Promise<boolean>;
  /** Removes the node with its state and its queries. Returns false if there is none. */
  remove(id: string): Promise<boolean>;
  /** All nodes, by id. */
  nodes(options?: ReadOptions): Promise<KnownNode[]>;
  /** Whether any node is enabled. */
  connected(): Promise<boolean>;
  noteSuccess(id: string, at: Date): Promise<void>;
  /** `failures` includes this one, since the last success. */
  noteFailure(id: string, reason: string, at: Date, failures: number): Promise<void>;
  /**
   * Notes that a node answered a query. Returns true for the first answer to this version or a later one, so that one of
   * several callers records it. Settles what the node owes for this version or an earlier one.
   */
  answered(id: string, question: Question): Promise<boolean>;
  /** Notes that the query is to be repeated, unless this version or a later one was answered. */
  owe(id: string, question: Question): Promise<void>;
  /** Queries to repeat, those that were owed least often first, then by number. */
  owed(id: string, limit: number): Promise<Question[]>;
  /** Drops the query: the patient was removed or changed. */
  settle(id: string, question: Question): Promise<void>;
  /** Deletes all queries with a patient. */
  forget(number: number): Promise<void>;
}

export const matchmakerNodes: Contract<NodeRepository> = defineContract<NodeRepository>('matchmaker-nodes@1');
