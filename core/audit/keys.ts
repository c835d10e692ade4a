/** What is made with the secret of the audit: digests by which names are found, encrypted names, and seals of chains. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuditChain, Link, Person, SealedLink } from './contract.js';

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

export type End = 'base' | 'head';

export class AuditKeys {
  readonly #names: Buffer;
  readonly #lookups: Buffer;
  readonly #seals: Buffer;
  readonly #questions: Buffer;
  /** Identifies the secret without revealing it. */
  readonly fingerprint: string;

  constructor(secret: string) {
    const derived = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `trefoil audit ${use}`, 32));
    this.#names = derived('names');
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
    const key = randomBytes(32);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#names, nonce).setAAD(Buffer.from(lookup));
    const text = Buffer.concat([cipher.update(key), cipher.update(name, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    return { lookup, pseudonym: pseudonym(key, name), sealed };
  }

  /** The name of a person; undefined if it was encrypted with another secret, or changed. */
  nameOf({ lookup, sealed, pseudonym: known }: Person): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv(algorithm, this.#names, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(lookup))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      const name = text.subarray(32).toString('utf8');
      return pseudonym(text.subarray(0, 32), name) === known ? name : undefined;
    } catch {
      // Authenticated decryption fails in this way only.
      return undefined;
    }
  }

  /** The link with a seal that says: this is that end of that chain. */
  sealed(chain: string, end: End, { sequence, hash }: Link): SealedLink {
    return { sequence, hash, seal: this.sealOf(JSON.stringify([chain, end, sequence, hash])) };
  }

  /** A code over a text that only this secret makes. */
  sealOf(text: string): string {
    return digest(this.#seals, text);
  }

  isSealed({ id }: Pick<AuditChain, 'id'>, end: End, link: SealedLink): boolean {
    const [own, given] = [Buffer.from(this.sealed(id, end, link).seal), Buffer.from(link.seal)];
    return own.length === given.length && timingSafeEqual(own, given);
  }
}

function digest(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

function pseudonym(key: Buffer, name: string): string {
  return digest(key, name).slice(0, 32);
}
