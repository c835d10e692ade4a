/**
 * audit@1: who asked for whose data, in chains of hashes. Every entry names its predecessor, so that an entry that was
 * changed, removed or moved breaks its chain. Each process writes a chain of its own.
 */
import { type Contract, defineContract } from '../contract.js';

/** A place in a chain: after the entry of this number. 0 is the beginning. */
export interface ChainLink {
  readonly sequence: number;
  /** Of that entry; at the beginning, of the chain itself. Lower-case hexadecimal. */
  readonly hash: string;
}

/** A link with a code over it that only holders of the server's key can make. */
export interface SealedLink extends ChainLink {
  readonly seal: string;
}

export interface AuditChain {
  readonly id: string;
  readonly started: Date;
  /** From 1, in the order in which chains began, without gaps; absent in chains that were written before they had numbers. */
  readonly number?: number;
  /** Where the chain that began last before this one stood, if there was one. */
  readonly previous?: ChainLink & { readonly chain: string };
  /** The last entry that was deleted because its time was over; the beginning if none was. */
  readonly base: SealedLink;
  /** The last entry. */
  readonly head: SealedLink;
}

/** An entry as stored. All that it says is in `body`; the fields before it repeat what entries are selected by. */
export interface ChainedEntry {
  readonly chain: string;
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly at: Date;
  /** Pseudonym of the caller, or the word for one who has no name. */
  readonly actor: string;
  /** Whom it is about: pseudonyms of people, and ids of data such as `dataset:cardio`. No two are the same. */
  readonly about: readonly string[];
  /** JSON text, returned as it was stored. */
  readonly body: string;
  /** Over the predecessor's hash and the body, lower-case hexadecimal. */
  readonly hash: string;
}

/** An entry of a chain, with what the index says of it. */
export interface LinkedEntry extends ChainedEntry {
  /**
   * What `entries` finds it by, in no order: `about`, unless the index was damaged or changed; an empty text if it finds it at
   * another time than its own.
   */
  readonly indexed: readonly string[];
}

/** The chain that began last, and the text that was kept with it. */
export interface Latest {
  readonly chain: AuditChain | undefined;
  readonly register: string | undefined;
}

/** A name and its pseudonym. Both digests and the seal can be made and read with the server's key only. */
export interface Person {
  /** Digest by which the name is found; unique. */
  readonly lookup: string;
  /** What stands for the name in entries; unique. */
  readonly pseudonym: string;
  /** The name and its own key, encrypted. */
  readonly sealed: string;
}

/** An event that was stored together with the change that it is about, and is in no chain yet. */
export interface PendingEvent {
  /** A random UUID. */
  readonly id: string;
  /** What will be an entry, encrypted. */
  readonly sealed: string;
}

/** A place in the list of entries. */
export interface AuditCursor {
  readonly at: Date;
  readonly chain: string;
  readonly sequence: number;
}

export interface AuditSelection {
  /** Entries about at least one of these; all if omitted, none if empty. */
  about?: readonly string[] | undefined;
  /** Entries of one of these callers; all if omitted, none if empty. */
  actors?: readonly string[] | undefined;
  /** From this time on. */
  from?: Date | undefined;
  /** Until before this time. */
  before?: Date | undefined;
  /** Only entries after this one. */
  after?: AuditCursor | undefined;
  limit: number;
}

export interface AuditRepository {
  /**
   * Stores a text for ever if none is stored, and returns what is stored. Of callers that meet, all get the text of the one
   * that was first.
   */
  claim(fingerprint: string): Promise<string>;

  /**
   * Adds a chain without entries, and keeps the text in place of the one before, beside the fingerprint, which must have been
   * claimed; all or nothing. Throws a `conflict` fault if its id or its number exists.
   */
  begin(chain: AuditChain, register: string): Promise<void>;
  /** Returns all chains, in the order in which they started. */
  chains(): Promise<AuditChain[]>;
  /** Returns the chain that began last and the text that is kept, each undefined if there is none. */
  latest(): Promise<Latest>;
  /**
   * Adds entries at the end of a chain and moves its head, and deletes the pending events of these ids, all or nothing. Throws
   * a `conflict` fault if the chain does not end after the entry of the number `after`, and a `not-found` fault if one of the
   * events is not pending, since it is in a chain already. Durable once it resolves, if the storage is.
   */
  append(
    chain: string,
    after: number,
    entries: readonly ChainedEntry[],
    head: SealedLink,
    settled?: readonly string[],
  ): Promise<void>;
  /** Adds pending events. Inside a transaction they exist only if the rest does. */
  submit(events: readonly PendingEvent[]): Promise<void>;
  /** Returns the pending events that were submitted first, in the order of submission, `limit` at most. */
  pending(limit: number): Promise<PendingEvent[]>;
  /** Returns the entries of a chain after that number, in order, `limit` at most. */
  links(chain: string, after: number, limit: number): Promise<LinkedEntry[]>;
  /**
   * Returns the places of entries that are in no chain, before the beginning of theirs or after its end, ordered by chain and
   * number, `limit` at most. `append` and `expire` leave none.
   */
  strays(limit: number): Promise<Pick<ChainedEntry, 'chain' | 'sequence'>[]>;
  /** Returns the entries selected, ordered by time, then chain and number, `limit` at most. */
  entries(selection: AuditSelection): Promise<ChainedEntry[]>;
  /**
   * Deletes the entries of a chain up to and including the number of the link, which becomes its base; returns how many. A link
   * at or before the present base changes nothing.
   */
  expire(chain: string, base: SealedLink): Promise<number>;

  /** Adds people, of different lookups, except those whose lookup is stored; returns what is then stored under them, in no order. */
  enrol(people: readonly Person[]): Promise<Person[]>;
  /** Returns the people with these lookups, in no order. */
  people(lookups: readonly string[]): Promise<Person[]>;
  /** Returns the people with these pseudonyms, in no order. */
  named(pseudonyms: readonly string[]): Promise<Person[]>;
  /** Deletes a person: entries keep the pseudonym. Returns false if the lookup is unknown. */
  forget(lookup: string): Promise<boolean>;
}

export const audit: Contract<AuditRepository> = defineContract<AuditRepository>('audit@1', {
  claim: 'needed',
  begin: 'needed',
  chains: 'needed',
  latest: 'needed',
  append: 'needed',
  submit: 'needed',
  pending: 'needed',
  links: 'needed',
  strays: 'needed',
  entries: 'needed',
  expire: 'needed',
  enrol: 'needed',
  people: 'needed',
  named: 'needed',
  forget: 'needed',
});
