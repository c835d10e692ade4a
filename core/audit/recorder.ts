/** Writes entries: gathers those that arrive together, puts pseudonyms for names, and appends them to this process's chain. */
import { randomBytes } from 'node:crypto';
import { Fault, isFault } from '../fault.js';
import { gather } from '../gather.js';
import { step } from '../step.js';
import type { Actor, AuditEvent } from './audit.js';
import { bodyOf, type EntryContent, hashOf, originOf } from './chain.js';
import type { AuditRepository, ChainedEntry, Link } from './contract.js';
import type { AuditKeys } from './keys.js';
import { actorName, checkName, isPersonal } from './names.js';

/** Entries of one commit at most. */
const most = 500;

interface Options {
  repository: AuditRepository;
  keys: AuditKeys;
  now(): Date;
}

export interface Recorder {
  /** As `Audit.record`, for every actor. */
  record(actor: Actor, event: AuditEvent): Promise<void>;
  /** Throws an `unprocessable` fault if the storage was audited with another secret. */
  checkKey(): Promise<void>;
}

export function createRecorder({ repository, keys, now }: Options): Recorder {
  let known: Promise<void> | undefined;
  /** Where the chain of this process ends; undefined before it begins, and after a failure that leaves it unknown. */
  let end: (Link & { chain: string }) | undefined;

  const checkKey = (): Promise<void> => {
    known ??= checkFingerprint(repository, keys).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };

  async function together(all: readonly EntryContent[]): Promise<undefined[]> {
    await checkKey();
    const pseudonyms = await pseudonymsOf(all);
    const named = (name: string) => pseudonyms.get(name) ?? name;
    const from = end ?? (await begin());
    end = undefined;
    let { sequence, hash } = from;
    const entries = all.map((one): ChainedEntry => {
      const { at } = one;
      const actor = named(one.actor);
      const about = [...new Set(one.about.map(named))];
      sequence += 1;
      const body = bodyOf(from.chain, sequence, { ...one, actor, about });
      hash = hashOf(hash, body);
      return { chain: from.chain, sequence, at, actor, about, body, hash };
    });
    const head = { sequence, hash };
    step('audit.record.chained');
    await repository.append(from.chain, from.sequence, entries, keys.sealed(from.chain, 'head', head));
    end = { ...head, chain: from.chain };
    step('audit.record.committed');
    return all.map(() => undefined);
  }

  /** Begins a chain that names where the one before it stood. */
  async function begin(): Promise<Link & { chain: string }> {
    const latest = await repository.latest();
    const previous = latest && { chain: latest.id, sequence: latest.head.sequence, hash: latest.head.hash };
    const id = randomBytes(8).toString('hex');
    const chain = { id, started: now(), ...(previous && { previous }) };
    const origin = originOf(chain);
    const [base, head] = [keys.sealed(id, 'base', origin), keys.sealed(id, 'head', origin)];
    await repository.begin({ ...chain, base, head });
    step('audit.record.begun');
    return { ...origin, chain: id };
  }

  async function pseudonymsOf(all: readonly EntryContent[]): Promise<Map<string, string>> {
    const names = [...new Set(all.flatMap(({ actor, about }) => [actor, ...about]))].filter(isPersonal);
    const lookups = new Map(names.map((name) => [keys.lookup(name), name]));
    const found = await repository.people([...lookups.keys()]);
    const stored = new Set(found.map(({ lookup }) => lookup));
    const fresh = [...lookups].flatMap(([lookup, name]) => (stored.has(lookup) ? [] : [keys.enrol(name)]));
    if (fresh.length > 0) found.push(...(await repository.enrol(fresh)));
    return new Map(found.map(({ lookup, pseudonym }) => [lookups.get(lookup) ?? '', pseudonym]));
  }

  const add = gather<EntryContent, undefined>({ together, most, groups: 1 });

  return {
    checkKey,
    async record(actor, { about, at = now(), action, because, outcome, detail, request }) {
      for (const name of about) checkName(name);
      try {
        await add({ at, actor: actorName(actor), action, about, because, outcome, detail, request });
      } catch (error) {
        const reason = isFault(error) ? error.message : 'an unexpected error';
        throw new Fault('unavailable', `The audit cannot be written: ${reason}`, {
          public: 'The request cannot be recorded at the moment, and is therefore not answered',
          headers: { 'Retry-After': '30' },
          cause: error,
        });
      }
    },
  };
}

/** Throws an `unprocessable` fault if the storage was audited with another secret. */
export async function checkFingerprint(repository: AuditRepository, { fingerprint }: AuditKeys): Promise<void> {
  if ((await repository.claim(fingerprint)) === fingerprint) return;
  throw new Fault(
    'unprocessable',
    'The audit of this storage was written with another key: set audit.key to that one, as names and seals depend on it',
  );
}
