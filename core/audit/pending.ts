/** Events that wait for the chain, as text that only the server's key reads. */
import type { EntryContent } from './chain.js';
import type { PendingEvent } from './contract.js';
import type { AuditKeys } from './keys.js';

export function sealedEvent(keys: AuditKeys, { content, settles }: { content: EntryContent; settles: string }): string {
  return keys.sealEvent(settles, JSON.stringify({ ...content, at: content.at.toISOString() }));
}

/** Undefined if it was encrypted with another key, or changed. */
export function parsedEvent(keys: AuditKeys, { id, sealed }: PendingEvent): EntryContent | undefined {
  const text = keys.eventIn(id, sealed);
  if (text === undefined) return undefined;
  const { at, ...content } = JSON.parse(text);
  return { ...content, at: new Date(at) };
}
