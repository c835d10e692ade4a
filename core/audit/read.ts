/**
 * Reads entries with the names of people, as far as those are still known, and writes them as CSV for people and as JSON lines
 * for other programs.
 */
import { separatedCell } from '../text.js';
import { isPersonal } from './audit.js';
import { type AuditKeys, contentOfBody, type EntryContent } from './chain.js';
import type { AuditChain, AuditCursor, AuditRepository, ChainedEntry } from './contract.js';

const pageSize = 500;

/** What entries are wanted; a list that is omitted excludes none. */
export interface EntryQuery {
  /** Names such as `sample:ADM1059A1`: entries about at least one of them. */
  about?: readonly string[] | undefined;
  /** Names of callers, such as `token:Lab A`. */
  actors?: readonly string[] | undefined;
  /** Actions, such as `beacon.query`, or the plugin alone, such as `beacon`. */
  actions?: readonly string[] | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
}

/** An entry for people. A name whose key was destroyed reads `(forgotten 0f3a…)`. */
export interface ReadEntry extends EntryContent {
  chain: string;
  sequence: number;
  hash: string;
  body: string;
  /** The names by their pseudonyms, as far as they are known. */
  names: ReadonlyMap<string, string>;
}

interface EntrySource {
  repository: Pick<AuditRepository, 'entries' | 'people' | 'named'>;
  keys: AuditKeys;
}

/** Pages of entries, oldest first. Each says what its body says: what the storage repeats of it is only an index. */
export async function* readEntries(source: EntrySource, sought: EntryQuery): AsyncGenerator<ReadEntry[]> {
  const { repository } = source;
  const { actions, from, before } = sought;
  const [about, actors] = await Promise.all([storedNames(source, sought.about), storedNames(source, sought.actors)]);
  for (let after: AuditCursor | undefined; ; ) {
    const page: ChainedEntry[] = await repository.entries({ about, actors, from, before, after, limit: pageSize });
    const read = await withNames(source, page);
    yield actions === undefined ? read : read.filter(({ action }) => actions.some((one) => isOf(action, one)));
    after = page.at(-1);
    if (after === undefined || page.length < pageSize) return;
  }
}

function isOf(action: string, wanted: string): boolean {
  return action === wanted || action.startsWith(`${wanted}.`);
}

/** What stands in entries for the names; those of people who are in no entry are left out. */
async function storedNames(
  { repository, keys }: EntrySource,
  names: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (names === undefined) return undefined;
  const people = await repository.people(names.filter(isPersonal).map((name) => keys.lookup(name)));
  return [...names.filter((name) => !isPersonal(name)), ...people.map(({ pseudonym }) => pseudonym)];
}

/** Those of the names that stand in no entry, or were forgotten. */
export async function unknownNames({ repository, keys }: EntrySource, names: readonly string[]): Promise<string[]> {
  const people = await repository.people(names.filter(isPersonal).map((name) => keys.lookup(name)));
  const known = new Set(people.map(({ lookup }) => lookup));
  return names.filter((name) => isPersonal(name) && !known.has(keys.lookup(name)));
}

async function withNames({ repository, keys }: EntrySource, page: readonly ChainedEntry[]): Promise<ReadEntry[]> {
  const contents = page.map(({ body }) => contentOfBody(body));
  const pseudonyms = new Set(contents.flatMap((one) => (one ? [one.actor, ...one.about] : [])));
  const people = await repository.named([...pseudonyms].filter((one) => /^[0-9a-f]{32}$/.test(one)));
  const known = new Map(
    people.flatMap((person) => {
      const name = keys.nameOf(person);
      return name === undefined ? [] : [[person.pseudonym, name] as const];
    }),
  );
  const named = (text: string) =>
    known.get(text) ?? (/^[0-9a-f]{32}$/.test(text) ? `(forgotten ${text.slice(0, 8)})` : text);
  return page.map(({ chain, sequence, hash, body, at }, i): ReadEntry => {
    const content = contents[i] ?? { at, actor: '?', action: 'changed', about: [], outcome: '?' };
    const used = [content.actor, ...content.about].flatMap((one) => {
      const name = known.get(one);
      return name === undefined ? [] : [[one, name] as const];
    });
    const names = new Map(used);
    return {
      ...content,
      actor: named(content.actor),
      about: content.about.map(named),
      chain,
      sequence,
      hash,
      body,
      names,
    };
  });
}

// The audit as text: CSV for people, JSON lines for other programs and for those who verify it elsewhere.

const columns = ['time', 'caller', 'action', 'about', 'because', 'outcome', 'detail', 'request', 'chain', 'number'];

/** The heading of the CSV. Lines end with CRLF (RFC 4180). */
export const csvHeading = `${columns.join(',')}\r\n`;

export function csvLine(entry: ReadEntry): string {
  const { at, actor, action, about, because = '', outcome, request = '', chain, sequence } = entry;
  const cells = [at.toISOString(), actor, action, about.join(' '), because, outcome, detailText(entry), request, chain];
  return `${[...cells, sequence].map((cell) => separatedCell(cell, ',')).join(',')}\r\n`;
}

/** The further facts of an entry: `face=v2 found=true`. */
function detailText({ detail = {} }: Pick<ReadEntry, 'detail'>): string {
  return Object.entries(detail)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** A chain in the export: before the entries, since their first hash follows from it. */
export function chainLine({ id, started, ...chain }: AuditChain): string {
  return `${JSON.stringify({ chain: id, started: started.toISOString(), ...chain })}\n`;
}

/** An entry in the export: its hash is over its predecessor's hash and `body` as it stands here. */
export function entryLine({ chain, sequence, hash, body, names }: ReadEntry, withNames: boolean): string {
  const named = withNames && names.size > 0 ? { names: Object.fromEntries(names) } : {};
  return `${JSON.stringify({ chain, sequence, hash, body, ...named })}\n`;
}
