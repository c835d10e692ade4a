/** `/-/audit`: the audit as a page, for callers with the right `server:audit`. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Audit } from '../../audit/audit.js';
import type { AuditRepository } from '../../audit/contract.js';
import type { AuditKeys } from '../../audit/keys.js';
import { callerNames } from '../../audit/names.js';
import { type ReadEntry, readEntries, type Sought, unknownNames } from '../../audit/read.js';
import { auditRight } from '../../audit/right.js';
import { csvHeading, csvLine } from '../../audit/write.js';
import type { Access } from '../../auth/guard.js';
import { dayOf } from '../../command-input.js';
import { Fault, isFault } from '../../fault.js';
import { type RouteDeclaration, route } from '../route.js';
import { textsFor } from './texts.js';
import { auditPage, kinds, type Sent, type Shown } from './view.js';

const pageType = 'text/html';
const csvType = 'text/csv';
const formType = 'application/x-www-form-urlencoded';
const path = '/-/audit';

/** Entries that the page shows. */
const most = 1000;
const mostNames = 5000;
const day = 24 * 60 * 60 * 1000;

const language = z.enum(['en', 'sv']).optional().catch(undefined).describe('Language of the page.');
const text = (limit: number) => z.string().max(limit).default('');

const fields = z.object({
  lang: language,
  kind: z.enum(kinds).default('sample').describe('What the names are.'),
  names: text(200_000).describe('One on each line; all entries if empty.'),
  caller: text(500).describe('The owner of a token, or a name as the list shows it.'),
  from: text(10).describe('From this day on, such as 2026-03-01 (UTC).'),
  to: text(10).describe('Until this day, included.'),
  format: z.enum(['csv', '']).default('').describe('csv for a file with all entries.'),
});

interface Options {
  repository: AuditRepository;
  keys: AuditKeys;
  audit: Audit;
  access: Access;
  /** Path of the public address, before every link. */
  base: string;
}

export function auditRoutes({ repository, keys, audit, access, base }: Options): RouteDeclaration[] {
  const source = { repository, keys };
  const headers = { Vary: 'Accept-Language', 'Cache-Control': 'no-store' };
  return [
    route({
      method: 'GET',
      path,
      operation: 'auditPage',
      summary: 'The form by which the audit is searched',
      access,
      query: z.object({ lang: language }),
      answers: { 200: { description: 'The page.', content: { [pageType]: z.string() } } },
      handle({ input, headers: sent, nonce }) {
        const texts = textsFor(input.lang, sent);
        return { type: pageType, headers, body: auditPage({ texts, sent: nothing, shown: undefined, base, nonce }) };
      },
    }),
    route({
      method: 'POST',
      path,
      operation: 'searchAudit',
      summary: 'Who asked for whose data',
      description: 'By POST, so that no name is in an address. The search is itself recorded, before it is answered.',
      access,
      body: { types: [formType], schema: fields },
      answers: {
        200: {
          description: 'The page, or all entries as CSV.',
          content: { [pageType]: z.string(), [csvType]: z.string() },
        },
      },
      async handle({ body, headers: sent, nonce, principal, id }) {
        // A browser sends a password to requests of other sites, too.
        if (sent['sec-fetch-site'] === 'cross-site') throw new Fault('forbidden', 'The form was sent by another site');
        const texts = textsFor(body.lang, sent);
        const view = { texts, sent: body, base, nonce };
        const sought = soughtBy(body);
        if (sought === undefined) return { type: pageType, headers, body: auditPage({ ...view, shown: 'wrong' }) };
        const asked = sought.about ?? [];
        const absent = new Set(await unknownNames(source, asked));
        await audit.record(principal, {
          action: body.format === 'csv' ? 'audit.export' : 'audit.list',
          about: asked.filter((name) => !absent.has(name)),
          because: auditRight.scope,
          outcome: 'answered',
          detail: { names: asked.length },
          request: id,
        });
        if (body.format === 'csv') {
          const disposition = { 'Content-Disposition': 'attachment; filename="audit.csv"' };
          return {
            type: csvType,
            headers: { ...headers, ...disposition },
            body: Readable.from(csvOf(readEntries(source, sought))),
          };
        }
        const shown: Shown = {
          ...(await firstOf(readEntries(source, sought))),
          asked,
          unknown: unknownIds(asked, absent),
        };
        return { type: pageType, headers, body: auditPage({ ...view, shown }) };
      },
    }),
  ];
}

const nothing: Sent = { kind: 'person', names: '', caller: '', from: '', to: '' };

/** Ids of which no entry has any of the names that they may stand for. */
function unknownIds(asked: readonly string[], absent: ReadonlySet<string>): string[] {
  const idOf = (name: string) => name.slice(name.indexOf(':') + 1);
  const known = new Set(asked.filter((name) => !absent.has(name)).map(idOf));
  return [...new Set(asked.map(idOf))].filter((id) => !known.has(id));
}

/** Undefined if a day does not exist, or the first is after the second. Throws an `invalid` fault for too many names. */
function soughtBy({ kind, names, caller, from, to }: Sent): Sought | undefined {
  const ids = [...new Set(names.split(/[\r\n,;\t]+/).flatMap((line) => line.trim() || []))];
  const meant = kind === 'person' ? ['sample', 'case', 'patient'] : [kind];
  const about = ids.flatMap((id) => meant.map((one) => `${one}:${id}`));
  if (ids.length > mostNames) throw new Fault('invalid', `names: must have no more than ${mostNames} lines`);
  const first = dayIn(from);
  const last = dayIn(to);
  if (first === 'wrong' || last === 'wrong') return undefined;
  const before = last && new Date(last.getTime() + day);
  if (first && before && before <= first) return undefined;
  return {
    about: about.length > 0 ? about : undefined,
    actors: caller.trim() === '' ? undefined : callerNames(caller.trim()),
    from: first,
    before,
  };
}

function dayIn(text: string): Date | undefined | 'wrong' {
  if (text.trim() === '') return undefined;
  try {
    return dayOf(text.trim());
  } catch (error) {
    if (isFault(error)) return 'wrong';
    throw error;
  }
}

async function firstOf(pages: AsyncIterable<ReadEntry[]>): Promise<Pick<Shown, 'entries' | 'isCut'>> {
  const entries: ReadEntry[] = [];
  for await (const page of pages) {
    entries.push(...page);
    if (entries.length > most) break;
  }
  return { entries: entries.slice(0, most), isCut: entries.length > most };
}

async function* csvOf(pages: AsyncIterable<ReadEntry[]>): AsyncGenerator<string> {
  yield csvHeading;
  for await (const page of pages) yield page.map(csvLine).join('');
}
