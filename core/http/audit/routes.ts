/**
 * `/-/audit`: the audit as a page without a script, for callers with the right `server:audit`: a form, and the entries that it
 * selects.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Audit, callerNames } from '../../audit/audit.js';
import type { AuditKeys } from '../../audit/chain.js';
import type { AuditRepository } from '../../audit/contract.js';
import { csvHeading, csvLine, type EntryQuery, type ReadEntry, readEntries, unknownNames } from '../../audit/read.js';
import { dayOf } from '../../command-text.js';
import { Fault, isFault } from '../../fault.js';
import type { Access } from '../../policy/policy.js';
import { auditRight } from '../../rights.js';
import { type Html, html, page, raw, style } from '../pages.js';
import { type RouteDeclaration, route } from '../route.js';
import { type AuditTexts, textsFor } from './texts.js';

// The page at `/-/audit`.

/** `person`: an id that samples, cases or patients of any plugin have. */
const kinds = ['person', 'sample', 'case', 'patient', 'dataset'] as const;

/** What was sent, to be shown in the form again. */
interface AuditForm {
  kind: (typeof kinds)[number];
  names: string;
  caller: string;
  from: string;
  to: string;
}

interface AuditResults {
  entries: readonly ReadEntry[];
  /** Whether there are more. */
  isCut: boolean;
  asked: readonly string[];
  /** Ids that were asked for and that no entry names. */
  unknown: readonly string[];
}

interface AuditView {
  texts: AuditTexts;
  sent: AuditForm;
  /** Undefined if nothing was asked; `wrong` if the dates are not valid. */
  shown: AuditResults | 'wrong' | undefined;
  base: string;
  nonce: string;
}

function auditPage({ texts, sent, shown, base, nonce }: AuditView): string {
  return page({
    title: texts.title,
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<header>
<h1>${texts.title}</h1>
<p class="soft">${texts.intro}</p>
</header>
<main>
${form(texts, sent, base)}
${shown === 'wrong' ? html`<p role="alert">${texts.wrong}</p>` : shown && results(texts, shown)}
</main>
<footer><a href="${base}/">${texts.home}</a></footer>
</body>`,
  });
}

function form(texts: AuditTexts, sent: AuditForm, base: string): Html {
  const option = (kind: AuditForm['kind']) =>
    html`<option value="${kind}"${kind === sent.kind && raw(' selected')}>${texts.kinds[kind]}</option>`;
  return html`<form class="card" method="post" action="${base}/-/audit">
<input type="hidden" name="lang" value="${texts.language}">
<p><label for="kind">${texts.kind}</label> <select id="kind" name="kind">${kinds.map(option)}</select></p>
<p><label for="names">${texts.names}</label>
<textarea id="names" name="names" rows="6" spellcheck="false" aria-describedby="names-hint">${sent.names}</textarea>
<span class="soft" id="names-hint">${texts.namesHint}</span></p>
<p><label for="caller">${texts.caller}</label>
<input id="caller" name="caller" value="${sent.caller}" aria-describedby="caller-hint" autocomplete="off">
<span class="soft" id="caller-hint">${texts.callerHint}</span></p>
<p class="days"><label>${texts.from} <input type="date" name="from" value="${sent.from}"></label>
<label>${texts.to} <input type="date" name="to" value="${sent.to}"></label></p>
<p class="buttons"><button>${texts.search}</button> <button name="format" value="csv">${texts.download}</button></p>
</form>`;
}

function results(texts: AuditTexts, { entries, isCut, asked, unknown }: AuditResults): Html {
  const wanted = new Set(asked);
  const { columns } = texts;
  const count = html`<h2>${entries.length === 0 ? texts.none : texts.found(entries.length)}</h2>`;
  return html`<section aria-live="polite">
${isCut ? html`<h2>${texts.first(entries.length)}</h2>` : count}
${unknown.length > 0 && html`<p class="soft">${texts.unknown(unknown.join(', '))}</p>`}
${
  entries.length > 0 &&
  html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">${columns.time}<th scope="col">${columns.caller}<th scope="col">${columns.action}<th scope="col">${columns.about}<th scope="col">${columns.because}<th scope="col">${columns.outcome}</thead>
<tbody>
${entries.map((entry) => row(texts, entry, wanted))}
</tbody></table></div>`
}
</section>`;
}

const shownNames = 4;

function row(texts: AuditTexts, entry: ReadEntry, asked: ReadonlySet<string>): Html {
  const { at, actor, action, about, because, outcome } = entry;
  const wanted = about.filter((name) => asked.has(name));
  const all = [...wanted, ...about.filter((name) => !asked.has(name))];
  const most = Math.max(shownNames, wanted.length);
  const more = all.length - most;
  return html`<tr><td><time datetime="${at.toISOString()}">${at.toISOString().slice(0, 19).replace('T', ' ')}</time><td><bdi>${actor}</bdi><td>${action}<td>${all.slice(0, most).join(', ')}${more > 0 && html` <span class="soft">${texts.more(more)}</span>`}<td>${because ?? '–'}<td>${outcome}
`;
}

const sheet = raw(`
main, header, footer { max-width: 72rem; }
main > * { margin: 1.5rem 0; }
form label { display: block; font-weight: 600; }
.days label { display: inline-block; margin-right: 1.5rem; }
input, select, textarea, button { font: inherit; color: inherit; }
input, select, textarea { background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; }
textarea, #caller { width: 100%; max-width: 36rem; display: block; font-family: ui-monospace, monospace; font-size: .95rem; }
button { background: var(--card); border: 1px solid var(--accent); color: var(--accent); border-radius: .4rem; padding: .45rem 1rem; cursor: pointer; }
.buttons button:first-child { background: var(--accent); color: var(--card); }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, .scroll:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
[role=alert] { color: #b91c1c; }
@media (prefers-color-scheme: dark) { [role=alert] { color: #fca5a5; } }
@media print { form, footer { display: none; } }
`);

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

interface AuditRoutesOptions {
  repository: AuditRepository;
  keys: AuditKeys;
  audit: Audit;
  access: Access;
  /** Path of the public address, before every link. */
  base: string;
}

export function auditRoutes({ repository, keys, audit, access, base }: AuditRoutesOptions): RouteDeclaration[] {
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
        return { type: pageType, headers, body: auditPage({ texts, sent: emptyForm, shown: undefined, base, nonce }) };
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
        const shown: AuditResults = {
          ...(await firstOf(readEntries(source, sought))),
          asked,
          unknown: unknownIds(asked, absent),
        };
        return { type: pageType, headers, body: auditPage({ ...view, shown }) };
      },
    }),
  ];
}

const emptyForm: AuditForm = { kind: 'person', names: '', caller: '', from: '', to: '' };

/** Ids of which no entry has any of the names that they may stand for. */
function unknownIds(asked: readonly string[], absent: ReadonlySet<string>): string[] {
  const idOf = (name: string) => name.slice(name.indexOf(':') + 1);
  const known = new Set(asked.filter((name) => !absent.has(name)).map(idOf));
  return [...new Set(asked.map(idOf))].filter((id) => !known.has(id));
}

/** Undefined if a day does not exist, or the first is after the second. Throws an `invalid` fault for too many names. */
function soughtBy({ kind, names, caller, from, to }: AuditForm): EntryQuery | undefined {
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

async function firstOf(pages: AsyncIterable<ReadEntry[]>): Promise<Pick<AuditResults, 'entries' | 'isCut'>> {
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
