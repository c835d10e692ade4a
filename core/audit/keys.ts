/** What is made with the secret of the audit: digests by which names are found, encrypted names, and seals of chains. */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type SealOptions, seal, unsealed } from '../seal.js';
import type { AuditChain, Link, Person, SealedLink } from './contract.js';

/** Characters of a person's key of 32 bytes, before the name that is encrypted with it. */
const keyLength = 43;

export type End = 'base' | 'head';

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
  sealed(chain: string, end: End, { sequence, hash }: Link): SealedLink {
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

  isSealed({ id }: Pick<AuditChain, 'id'>, end: End, link: SealedLink): boolean {
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
