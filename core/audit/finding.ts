/** What a verification finds, and how an operator accepts it. */
import type { AuditKeys } from './keys.js';

/** Something that is wrong, as a sentence without names. */
export interface Finding {
  /** Undefined if it is about all of them. */
  chain?: string;
  /** The first entry that is concerned; undefined if it is about the chain. */
  sequence?: number;
  message: string;
}

/** The entry by which an operator accepts what a verification found, so that later ones report only what is new. */
export const acceptance = 'audit.accept';

/** What an acceptance is about: only holders of the key can name a finding. */
export function findingName({ chain, sequence, message }: Finding, keys: AuditKeys): string {
  return `finding:${keys.questionDigest(JSON.stringify([chain ?? null, sequence ?? null, message]))}`;
}
