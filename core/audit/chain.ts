/**
 * Chains of entries: what is hashed, and what is made with the secret of the audit: digests by which names are found, encrypted
 * names and pending events, and seals. Hashes can be verified by anyone; seals need the secret.
 */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type SealOptions, seal, unsealed } from '../seal.js';
import type { AuditChain, ChainedEntry, ChainLink, PendingEvent, Person, SealedLink } from './contract.js';

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
export function bodyOfEntry(chain: string, sequence: number, content: EntryContent): string {
  const { at, actor, action, about, because, outcome, detail = {}, request } = content;
  const sorted = Object.fromEntries(Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1)));
  const order = { v: 1, chain, sequence, at: at.toISOString(), actor, action, about, because, outcome };
  return JSON.stringify({ ...order, ...(Object.keys(sorted).length > 0 && { detail: sorted }), request });
}

/** The content of a body that `bodyOfEntry` wrote; undefined for any other text. */
export function contentOfBody(body: string): (EntryContent & Pick<ChainedEntry, 'chain' | 'sequence'>) | undefined {
  try {
    const { v, at, ...content } = JSON.parse(body);
    return v === 1 && isContent({ at, ...content }) ? { ...content, at: new Date(at) } : undefined;
  } catch {
    return undefined;
  }
}

/** Anyone with access to the storage may have put any document in its place. */
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
export function originOfChain(chain: Pick<AuditChain, 'id' | 'started' | 'previous' | 'number'>): ChainLink {
  const { id, started, previous, number } = chain;
  const before = previous ? [previous.chain, previous.sequence, previous.hash] : null;
  const said = ['trefoil audit', id, started.toISOString(), before, ...(number === undefined ? [] : [number])];
  return { sequence: 0, hash: sha256(JSON.stringify(said)) };
}

/** The hash of an entry: of its predecessor's hash, a line break, and its body. */
export function hashOfEntry(predecessor: string, body: string): string {
  return sha256(`${predecessor}\n${body}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

// What is made with the secret of the audit.

/** Characters of a person's key of 32 bytes, before the name that is encrypted with it. */
const keyLength = 43;

export type ChainEnd = 'base' | 'head';

export class AuditKeys {
  readonly #secret: string;
  readonly #lookups: Buffer;
  readonly #seals: Buffer;
  readonly #questions: Buffer;
  /** Identifies the secret without revealing it. */
  readonly fingerprint: string;

  constructor(secret: string) {
    const derived = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `trefoil audit ${use}`, 32));
    this.#secret = secret;
    this.#lookups = derived('lookups');
    this.#seals = derived('seals');
    this.#questions = derived('questions');
    this.fingerprint = derived('fingerprint').toString('hex');
  }

  /** Stands for a question: few questions are possible about one place, so that a digest without a key would reveal them. */
  questionDigest(text: string): string {
    return digest(this.#questions, text).slice(0, 32);
  }

  /** By which a name is found. */
  lookup(name: string): string {
    return digest(this.#lookups, name);
  }

  /**
   * A person under a new pseudonym: a digest of the name with a random key of its own. Once the key is deleted, neither the
   * name nor this server's secret leads to the pseudonym.
   */
  enrol(name: string): Person {
    const lookup = this.lookup(name);
    const key = randomBytes(32).toString('base64url');
    const sealed = seal(key + name, this.#sealing(lookup));
    return { lookup, pseudonym: pseudonym(key, name), sealed };
  }

  /** The name of a person; undefined if it was encrypted with another secret, or changed. */
  nameOf({ lookup, sealed, pseudonym: known }: Person): string | undefined {
    const text = unsealed(sealed, this.#sealing(lookup));
    if (text === undefined) return undefined;
    const name = text.slice(keyLength);
    return pseudonym(text.slice(0, keyLength), name) === known ? name : undefined;
  }

  /** An event, encrypted until it is in a chain. */
  sealEvent(id: string, text: string): string {
    return seal(text, this.#sealingEvents(id));
  }

  /** Undefined if it was encrypted with another secret, or changed. */
  eventIn(id: string, sealed: string): string | undefined {
    return unsealed(sealed, this.#sealingEvents(id));
  }

  #sealingEvents(id: string): SealOptions {
    return { secret: this.#secret, purpose: 'trefoil audit events', about: id };
  }

  /** Bound to the digest by which the name is found. */
  #sealing(lookup: string): SealOptions {
    return { secret: this.#secret, purpose: 'trefoil audit names', about: lookup };
  }

  /** The link with a seal that says: this is that end of that chain. */
  sealed(chain: string, end: ChainEnd, { sequence, hash }: ChainLink): SealedLink {
    return { sequence, hash, seal: this.sealOf(JSON.stringify([chain, end, sequence, hash])) };
  }

  /** What is kept with the chains: that this one, of this number, began last. */
  register(number: number, chain: string): string {
    return `${number} ${chain} ${this.sealOf(JSON.stringify(['register', number, chain]))}`;
  }

  /** The number of the chain that a register names; undefined if this secret did not make it. */
  registered(register: string): number | undefined {
    const [number = '', chain = ''] = register.split(' ');
    return isEqual(this.register(Number(number), chain), register) ? Number(number) : undefined;
  }

  /** A code over a text that only this secret makes. */
  sealOf(text: string): string {
    return digest(this.#seals, text);
  }

  isSealed({ id }: Pick<AuditChain, 'id'>, end: ChainEnd, link: SealedLink): boolean {
    return isEqual(this.sealed(id, end, link).seal, link.seal);
  }
}

function isEqual(one: string, other: string): boolean {
  const [own, given] = [Buffer.from(one), Buffer.from(other)];
  return own.length === given.length && timingSafeEqual(own, given);
}

function digest(key: Buffer | string, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

function pseudonym(key: string, name: string): string {
  return digest(key, name).slice(0, 32);
}

// Events that wait for the chain, as text that only the server's key reads.

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
