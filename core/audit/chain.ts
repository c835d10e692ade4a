/** Chains of entries: what is hashed, and how. Anybody can verify it; only seals need the server's secret. */
import { createHash } from 'node:crypto';
import type { AuditChain, ChainedEntry, Link } from './contract.js';

/** What an entry says, with pseudonyms in place of names. */
export interface EntryContent {
  at: Date;
  actor: string;
  action: string;
  about: readonly string[];
  because?: string | undefined;
  outcome: string;
  detail?: Readonly<Record<string, string | number | boolean>> | undefined;
  request?: string | undefined;
}

/** The content as text: the same content always gives the same text, since keys come in one order. */
export function bodyOf(chain: string, sequence: number, content: EntryContent): string {
  const { at, actor, action, about, because, outcome, detail = {}, request } = content;
  const sorted = Object.fromEntries(Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1)));
  const order = { v: 1, chain, sequence, at: at.toISOString(), actor, action, about, because, outcome };
  return JSON.stringify({ ...order, ...(Object.keys(sorted).length > 0 && { detail: sorted }), request });
}

/** The content of a body that `bodyOf` wrote; undefined for any other text. */
export function contentOf(body: string): (EntryContent & Pick<ChainedEntry, 'chain' | 'sequence'>) | undefined {
  try {
    const { v, at, ...content } = JSON.parse(body);
    return v === 1 && isContent({ at, ...content }) ? { ...content, at: new Date(at) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever writes to the storage may have put any document in its place. */
function isContent({ at, actor, action, about, outcome, detail }: Record<string, unknown>): boolean {
  return (
    [actor, action, outcome].every((one) => typeof one === 'string') &&
    Array.isArray(about) &&
    about.every((one) => typeof one === 'string') &&
    (detail === undefined || (typeof detail === 'object' && detail !== null)) &&
    typeof at === 'string' &&
    !Number.isNaN(Date.parse(at))
  );
}

/** The hash at the beginning of a chain. */
export function originOf(chain: Pick<AuditChain, 'id' | 'started' | 'previous' | 'number'>): Link {
  const { id, started, previous, number } = chain;
  const before = previous ? [previous.chain, previous.sequence, previous.hash] : null;
  const said = ['trefoil audit', id, started.toISOString(), before, ...(number === undefined ? [] : [number])];
  return { sequence: 0, hash: sha256(JSON.stringify(said)) };
}

/** The hash of an entry: of its predecessor's hash, a line break, and its body. */
export function hashOf(predecessor: string, body: string): string {
  return sha256(`${predecessor}\n${body}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
