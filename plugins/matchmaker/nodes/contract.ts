/** matchmaker-nodes@1: the nodes that we ask, how they fare, and what they were asked. */
import { type Contract, defineContract } from '../../../core/storage.js';

/** Where the token lies that a node knows us by: here, encrypted; or in a file, which is read when it is used. */
export type KeptToken = { sealed: string } | { file: string };

export interface PeerNode {
  id: string;
  /** What it is called, for people. */
  label: string;
  /** Of its endpoint `/match`. */
  url: string;
  /** Media type of what we send. */
  contentType: string;
  /** Who is responsible for it. */
  contact?: string;
  token: KeptToken;
  /** Only these are asked, and shown to clients. */
  enabled: boolean;
  created: Date;
}

export interface PeerState {
  lastSuccess?: Date;
  lastFailure?: Date;
  /** One sentence: what the last failure was. */
  failure?: string;
  /** Since the last success. */
  failures: number;
  /** Questions that it could not answer and will be asked again. */
  owed: number;
}

export type KnownNode = PeerNode & { state: PeerState };

/** Of a patient (its number in the store) as it was at a version. */
export interface Question {
  number: number;
  version: number;
}

export interface NodeRepository {
  /** A `conflict` fault where the id exists. */
  add(node: PeerNode): Promise<void>;
  /** Takes the place of the one of the same id; its state stays. False where there is none. */
  replace(node: PeerNode): Promise<boolean>;
  /** With its state and its questions. False where there is none. */
  remove(id: string): Promise<boolean>;
  /** All of them, by id. */
  nodes(): Promise<KnownNode[]>;
  /** Whether any is enabled. */
  connected(): Promise<boolean>;
  noteSuccess(id: string, at: Date): Promise<void>;
  /** `failures` is how many there are by now since the last success. */
  noteFailure(id: string, reason: string, at: Date, failures: number): Promise<void>;
  /**
   * Notes that a node answered a question: true where it is the first answer of this version or a later one, so that of
   * all who got one, one alone records it. What it owes of this version or an earlier one is settled.
   */
  answered(id: string, question: Question): Promise<boolean>;
  /** Notes that the question is to be asked again, unless this version or a later one was answered. */
  owe(id: string, question: Question): Promise<void>;
  /** Questions to be asked again, those that were owed least often first, then by number. */
  owed(id: string, limit: number): Promise<Question[]>;
  /** Drops the question: the patient is gone, or is another by now. */
  settle(id: string, question: Question): Promise<void>;
  /** Deletes all questions about a patient. */
  forget(number: number): Promise<void>;
}

export const matchmakerNodes: Contract<NodeRepository> = defineContract<NodeRepository>('matchmaker-nodes@1');
