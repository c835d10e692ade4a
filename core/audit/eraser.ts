/**
 * What leaves the audit: the name of an erased person, whose entries stay under a pseudonym, and old entries, from the
 * beginning of each chain, so that what is left can still be verified.
 */
import { createHash } from 'node:crypto';
import { listName } from '../erasures/configured.js';
import { concerns, type Eraser, type Erasure, eraserOf, type Revision, reaches } from '../erasures/erasure.js';
import { type AuditEvent, forgottenName, operator } from './audit.js';
import { type AuditKeys, contentOfBody } from './chain.js';
import type { AuditRepository, ChainLink, Person } from './contract.js';
import type { AuditRecorder } from './recorder.js';

interface AuditEraserOptions {
  repository: Pick<AuditRepository, 'people' | 'entries' | 'forget'>;
  keys: AuditKeys;
  record: AuditRecorder['record'];
  settle: AuditRecorder['settle'];
  /** The number of the last line of the list of erasures. */
  lastLine(): Promise<number>;
}

/** The number of the last line of the list of erasures that an entry of the audit names; 0 if none does. */
export async function knownToAudit(repository: Pick<AuditRepository, 'entries'>): Promise<number> {
  let known = 0;
  for (let after: Parameters<AuditRepository['entries']>[0]['after']; ; ) {
    const page = await repository.entries({ about: [listName], after, limit: entriesAtOnce });
    for (const { body } of page) known = Math.max(known, Number(contentOfBody(body)?.detail?.line ?? 0));
    after = page.at(-1);
    if (page.length < entriesAtOnce) return known;
  }
}

const entriesAtOnce = 500;

export function auditEraser({ repository, keys, record, settle, lastLine }: AuditEraserOptions): Eraser {
  /** An erasure from what is shared leaves the clinical record, and with it the audit. */
  async function people(erasures: readonly Erasure[]): Promise<Person[]> {
    const found = new Map<string, Person>();
    for (const erasure of erasures) {
      if (erasure.scope !== 'all') continue;
      const known = await repository.people(namesOf(erasure).map((name) => keys.lookup(name)));
      for (const person of known) if (await isMeant(person, erasure)) found.set(person.lookup, person);
    }
    return [...found.values()];
  }

  /** When an erasure is repeated, a name that came into the audit after it belongs to data that came after it. */
  async function isMeant(person: Person, erasure: Erasure): Promise<boolean> {
    if (erasure.before === undefined) return true;
    const revision = await revisionOf(person);
    return revision !== undefined && reaches(erasure, revision);
  }

  /** Named by what is destroyed with the person: it leads to the entries only while a storage has it. */
  async function revisionOf({ pseudonym, sealed }: Person): Promise<Revision | undefined> {
    const [first] = await repository.entries({ about: [pseudonym], limit: 1 });
    const name = `audit ${createHash('sha256').update(sealed).digest('hex').slice(0, 32)}`;
    return first && { name, stored: first.at };
  }

  const counted = (count: number) => [{ what: 'names in the audit, whose entries stay', count }];

  return eraserOf(async (erasures) => {
    const all = await people(erasures);
    const revisions = await Promise.all(all.map(revisionOf));
    const erase = async () => {
      // What waits for the chain has names: it would bring them back.
      await settle();
      const known = await people(erasures);
      const now = erasures.filter(({ before }) => before === undefined);
      const scope = now.some((one) => one.scope === 'all') ? 'all' : 'sharing';
      if (now.length > 0) {
        const detail = { ids: now.length, scope, line: await lastLine() };
        const event = { action: 'erase', because: 'command line', outcome: 'erased', detail };
        await recordForgotten(known, event, (one) => record(operator(), { ...one, about: [listName, ...one.about] }));
      } else if (known.length > 0) {
        const detail = { people: known.length };
        const event = { action: 'audit.forget', because: 'list of erasures', outcome: 'repeated', detail };
        await recordForgotten(known, event, (one) => record(operator(), one));
      }
      let forgotten = 0;
      for (const { lookup } of known) if (await repository.forget(lookup)) forgotten += 1;
      return counted(forgotten);
    };
    return { found: counted(all.length), revisions: revisions.filter((one) => one !== undefined), erase };
  });
}

/**
 * Records which names are about to be taken out of the audit, by what stands for them. It comes before their deletion, so that no
 * name is ever missing without an entry that says why.
 */
export function recordForgotten(
  people: readonly Pick<Person, 'pseudonym'>[],
  event: Omit<AuditEvent, 'about'>,
  record: (event: AuditEvent) => Promise<void>,
): Promise<void> {
  return record({ ...event, about: people.map(({ pseudonym }) => forgottenName(pseudonym)) });
}

function namesOf(erasure: Erasure): string[] {
  const kinds = [
    ...(concerns(erasure, 'sample') ? ['sample', 'case'] : []),
    ...(concerns(erasure, 'patient') ? ['patient'] : []),
  ];
  return kinds.map((kind) => `${kind}:${erasure.id}`);
}

// Deletes old entries, from the beginning of each chain.

const day = 24 * 60 * 60 * 1000;
const linksAtOnce = 1000;

export interface ExpiryOptions {
  repository: Pick<AuditRepository, 'chains' | 'links' | 'expire'>;
  keys: AuditKeys;
  now(): Date;
  /** 0 keeps all. */
  days: number;
}

/** Returns how many entries were deleted. An entry is kept as long as an earlier one of its chain is. */
export async function expireOld({ repository, keys, now, days }: ExpiryOptions): Promise<number> {
  if (days === 0) return 0;
  const limit = new Date(now().getTime() - days * day);
  let deleted = 0;
  for (const { id, base } of await repository.chains()) {
    const last = await lastBefore(repository, id, base, limit);
    if (last.sequence > base.sequence) deleted += await repository.expire(id, keys.sealed(id, 'base', last));
  }
  return deleted;
}

async function lastBefore(
  repository: Pick<AuditRepository, 'links'>,
  chain: string,
  base: ChainLink,
  limit: Date,
): Promise<ChainLink> {
  for (let last = base; ; ) {
    const page = await repository.links(chain, last.sequence, linksAtOnce);
    const kept = page.findIndex(({ at }) => at >= limit);
    const old = kept === -1 ? page : page.slice(0, kept);
    last = old.at(-1) ?? last;
    if (kept !== -1 || page.length < linksAtOnce) return last;
  }
}
