/** Writes entries: gathers those that arrive together, puts pseudonyms for names, and appends them to this process's chain. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Fault, isFault } from '../fault.js';
import { gather } from '../gather.js';
import { step } from '../step.js';
import { type Actor, type Audit, type AuditEvent, actorName, checkName, isPersonal, operator } from './audit.js';
import {
  type AuditKeys,
  bodyOfEntry,
  type EntryContent,
  hashOfEntry,
  originOfChain,
  parsedEvent,
  sealedEvent,
} from './chain.js';
import { type AuditChain, type AuditRepository, audit, type ChainedEntry, type ChainLink } from './contract.js';

/** Entries of one commit at most. */
const most = 500;
/** Pending events that are settled at once: more wait only after a long outage, and for the next time. */
const mostSettled = 10_000;

/** How often a chain is begun that another process was faster to number. */
const mostTries = 100;

/** The entry with which a process continues in another chain: in `detail` it names the last entry of which it is certain. */
export const resumption = 'audit.resume';

/** What a process knows of its chain whatever the storage says; it outlives a storage that is replaced. */
export interface ChainStanding {
  /** The last entry that it wrote. */
  last?: ChainLink & { chain: string };
}

interface RecorderOptions {
  repository: AuditRepository;
  keys: AuditKeys;
  now(): Date;
  standing?: ChainStanding;
}

export interface AuditRecorder extends Pick<Audit, 'record' | 'within'> {
  /**
   * Chains the pending events that happened before the time, or all: those of processes that were killed, or failed, between
   * the change and the chain. Returns how many cannot be read.
   */
  settle(before?: Date): Promise<number>;
  /** Throws an `unprocessable` fault if the storage was audited with another secret. */
  checkKey(): Promise<void>;
}

/** To be chained, in place of the pending event of this id if there is one. */
interface RecorderItem {
  content: EntryContent;
  settles?: string;
}

export function createRecorder({ repository, keys, now, standing = {} }: RecorderOptions): AuditRecorder {
  let known: Promise<void> | undefined;
  /** Where the chain of this process ends; undefined before it begins, and after a failure that leaves it unknown. */
  let end: (ChainLink & { chain: string }) | undefined;
  let isTaken = false;

  const checkKey = (): Promise<void> => {
    known ??= checkFingerprint(repository, keys).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };

  async function together(items: readonly RecorderItem[]): Promise<undefined[]> {
    await checkKey();
    const all = [...(end === undefined ? resumed() : []), ...items.map(({ content }) => content)];
    const settled = items.flatMap(({ settles }) => settles ?? []);
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
      const body = bodyOfEntry(from.chain, sequence, { ...one, actor, about });
      hash = hashOfEntry(hash, body);
      return { chain: from.chain, sequence, at, actor, about, body, hash };
    });
    const head = { sequence, hash };
    step('audit.record.chained');
    const sealed = keys.sealed(from.chain, 'head', head);
    await repository.append(from.chain, from.sequence, entries, sealed, settled).catch((error: unknown) => {
      // Another process has chained one of the events: nothing was written, and the chain ends where it did.
      if (isFault(error) && error.code === 'not-found') end = from;
      isTaken = isFault(error) && error.code === 'conflict';
      throw error;
    });
    end = { ...head, chain: from.chain };
    standing.last = end;
    step('audit.record.committed');
    return items.map(() => undefined);
  }

  /**
   * Before the first entry of another chain: where this process stood, which the storage may deny. No other process writes its
   * chain, so that a conflict means that it was changed from outside.
   */
  function resumed(): EntryContent[] {
    if (standing.last === undefined) return [];
    const because = isTaken ? 'the chain no longer ends where this process left it' : 'its last write failed';
    const outcome = isTaken ? 'conflict' : 'unknown';
    const actor = actorName(operator());
    return [{ at: now(), actor, action: resumption, about: [], because, outcome, detail: { ...standing.last } }];
  }

  /** Begins a chain that names where the one before it stood. */
  async function begin(tries = mostTries): Promise<ChainLink & { chain: string }> {
    const { chain: latest, register } = await repository.latest();
    const own = latest !== undefined && latest.id === standing.last?.chain ? standing.last : undefined;
    const previous = own ?? (latest && { chain: latest.id, sequence: latest.head.sequence, hash: latest.head.hash });
    const id = randomBytes(8).toString('hex');
    const number = Math.max(await lastNumber(latest), (register && keys.registered(register)) || 0) + 1;
    const chain = { id, started: now(), number, ...(previous && { previous }) };
    const origin = originOfChain(chain);
    const [base, head] = [keys.sealed(id, 'base', origin), keys.sealed(id, 'head', origin)];
    try {
      await repository.begin({ ...chain, base, head }, keys.register(number, id));
    } catch (error) {
      if (tries > 1 && isFault(error) && error.code === 'conflict') return begin(tries - 1);
      throw error;
    }
    step('audit.record.begun');
    return { ...origin, chain: id };
  }

  /** Chains that have no number yet count, too. */
  async function lastNumber(latest: AuditChain | undefined): Promise<number> {
    if (latest === undefined) return 0;
    if (latest.number !== undefined) return latest.number;
    const chains = await repository.chains();
    return chains.reduce((most, { number = 0 }) => Math.max(most, number), chains.length);
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

  const add = gather<RecorderItem, undefined>({ together, most, groups: 1 });

  /** What an event will be as an entry. */
  function contentOf(actor: Actor, { about, at = now(), ...event }: AuditEvent): EntryContent {
    for (const name of about) checkName(name);
    const { action, because, outcome, detail, request } = event;
    return { at, actor: actorName(actor), action, about, because, outcome, detail, request };
  }

  /** Puts an event into the chain, unless another process has done so. */
  async function settleOne(item: Required<RecorderItem>): Promise<void> {
    await add(item).catch((error: unknown) => {
      if (!isFault(error) || error.code !== 'not-found') throw error;
    });
  }

  return {
    checkKey,

    async record(actor, event) {
      const content = contentOf(actor, event);
      await add({ content }).catch(withheld);
    },

    async within(transaction, work) {
      await checkKey();
      let submitted: Required<RecorderItem>[] = [];
      const result = await transaction((scope) => {
        submitted = [];
        return work(scope, async (actor, event) => {
          const item = { content: contentOf(actor, event), settles: randomUUID() };
          await scope.repository(audit).submit([{ id: item.settles, sealed: sealedEvent(keys, item) }]);
          submitted.push(item);
        });
      });
      if (submitted.length > 0) step('audit.within.committed');
      await Promise.all(submitted.map(settleOne)).catch(withheld);
      return result;
    },

    async settle(before) {
      await checkKey();
      const events = await repository.pending(mostSettled);
      const items = events.flatMap((event) => {
        const content = parsedEvent(keys, event);
        return content === undefined ? [] : [{ content, settles: event.id }];
      });
      const due = items.filter(({ content }) => before === undefined || content.at < before);
      await Promise.all(due.map(settleOne));
      return events.length - items.length;
    },
  };
}

/** Ends a request whose record could not be written. */
function withheld(error: unknown): never {
  const reason = isFault(error) ? error.message : 'an unexpected error';
  throw new Fault('unavailable', `The audit cannot be written: ${reason}`, {
    public: 'The request cannot be recorded at the moment, and is therefore not answered',
    headers: { 'Retry-After': '30' },
    cause: error,
  });
}

/** Throws an `unprocessable` fault if the storage was audited with another secret. */
async function checkFingerprint(repository: AuditRepository, { fingerprint }: AuditKeys): Promise<void> {
  if ((await repository.claim(fingerprint)) === fingerprint) return;
  throw new Fault(
    'unprocessable',
    'The audit of this storage was written with another key: set audit.key to that one, as names and seals depend on it',
  );
}
