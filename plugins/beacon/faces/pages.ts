/**
 * What the beacon's pages share: form fields with labels and hints, alerts, style rules, and the link to the observations of an
 * allele.
 */
import { type FaultCode, type Html, html, isFault, raw } from '../../../core/plugin.js';
import type { Assembly, Dataset, ObservedQuestion } from '../contract.js';
import { writtenQuestion } from '../domain/written-question.js';

interface FormField {
  name: string;
  label: string;
  value: string;
  hint?: string;
}

export interface FormChoice {
  value: string;
  label?: string;
}

export function textField({ name, label, value, hint }: FormField, kind: 'position' | 'bases'): Html {
  const size = kind === 'position' ? html` inputmode="numeric"` : html` autocapitalize="characters"`;
  return html`<div class="field ${kind}">
<label for="${name}">${label}</label>
<input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${size}${describedByHint(name, hint)}>
${hintBelow(name, hint)}</div>`;
}

/** A value that is not among the choices is added to them: the client sent it, and the answer depends on it. */
export function selectField(
  { name, label, value, hint }: FormField,
  choices: readonly FormChoice[],
  required: boolean = false,
): Html {
  const all = choices.some((choice) => choice.value === value) ? choices : [...choices, { value }];
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${required && html` required`}${describedByHint(name, hint)}>
${all.map((choice) => html`<option value="${choice.value}"${choice.value === value && html` selected`}>${choice.label ?? choice.value}</option>\n`)}</select>
${hintBelow(name, hint)}</div>`;
}

export function checkField(
  type: 'checkbox' | 'radio',
  name: string,
  value: string,
  checked: boolean,
  label: Html | string,
): Html {
  return html`<label class="check"><input type="${type}" name="${name}" value="${value}"${checked && html` checked`}><span>${label}</span></label>\n`;
}

function describedByHint(name: string, hint: string | undefined): Html | undefined {
  return hint === undefined ? undefined : html` aria-describedby="${name}-hint"`;
}

function hintBelow(name: string, hint: string | undefined): Html | undefined {
  return hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>\n`;
}

export function alert(kind: 'success' | 'secondary' | 'danger' | 'warning', sentence: string): Html {
  return html`<p class="alert alert-${kind}">${sentence}</p>`;
}

/** A label with its value, in a list of them. */
export function fact(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

export function day(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`;
}

/** The assembly of all datasets; empty if there are several, as positions differ and the user must choose one. */
export function onlyAssembly(datasets: readonly Pick<Dataset, 'assembly'>[]): string {
  const [first, ...others] = new Set(datasets.map(({ assembly }) => assembly));
  return first === undefined || others.length > 0 ? '' : first;
}

/** A fault with one of these codes is an outcome, which the page shows; any other failure is thrown. */
export async function outcomeOf<Outcome>(
  codes: readonly FaultCode[],
  work: () => Promise<Outcome>,
): Promise<Outcome | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (isFault(error) && codes.includes(error.code)) return { error: error.message };
    throw error;
  }
}

// The address of the page with the observations of an allele.

export const observationsPath = '/observations';

/** `base` is the path of the public address; empty if the server is at the root. */
export function observationLink(base: string, assembly: Assembly, question: ObservedQuestion): string {
  const search = new URLSearchParams();
  for (const [name, word] of Object.entries({ assembly, ...writtenQuestion(question) }))
    search.append(name, String(word));
  return `${base}${observationsPath}?${search}`;
}

// Style rules of the beacon's pages, in addition to those of all pages.

export const sheet = raw(`
:root { --field: #ffffff; --edge: #7b8d92; --good: #0b5d3b; --good-paper: #dcf3e6; --bad: #8c1d18; --bad-paper: #fce4e2;
  --calm-paper: #e8edee; --warn: #6b4500; --warn-paper: #fdf0d2; --on-accent: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --field: #131c1f; --edge: #6f858a; --good: #8ce3b6; --good-paper: #123526; --bad: #ffb4ab; --bad-paper: #42191a;
    --calm-paper: #26343a; --warn: #f5cf7f; --warn-paper: #3a2c0d; --on-accent: #06302b; }
}
main, header, footer { max-width: 56rem; }
header { padding-top: 2rem; }
main > * { margin: 1.25rem 0; }
main > section:not(.card) > h2 { margin-top: 2.25rem; }
h2 { margin-bottom: .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; }
li.card h3 { margin-top: 0; }
h1, h2, h3, p, dd, th, td, code, .check { overflow-wrap: anywhere; }
a.skip { position: absolute; left: -100rem; }
a.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; }
fieldset { border: 0; margin: 1.25rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--line); min-width: 0; }
legend { float: left; width: 100%; padding: 0; font-weight: 650; margin-bottom: .35rem; }
legend + * { clear: both; }
.fields { display: grid; gap: .9rem 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
.field { display: flex; flex-direction: column; gap: .25rem; min-width: 0; }
.field label { font-weight: 550; }
.hint { color: var(--soft); font-size: .875rem; line-height: 1.4; margin: 0; }
input[type=text], select { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: .45rem;
  padding: .5rem .65rem; width: 100%; min-height: 2.75rem; }
.bases input, .position input, code, .given dd { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
input:focus-visible, select:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
p.examples { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; align-items: baseline; }
details { margin-top: .9rem; }
details .fields { margin-top: .75rem; }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content; border-radius: .2rem; }
.checks { display: grid; gap: .15rem; margin-top: .35rem; }
.checks.inline { display: flex; flex-wrap: wrap; gap: .15rem 1.4rem; }
.check { display: flex; gap: .6rem; align-items: baseline; padding: .3rem 0; }
.check input { accent-color: var(--accent); width: 1.1rem; height: 1.1rem; flex: none; align-self: start; margin: .22rem 0 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; margin: 1.25rem 0 0; }
button { font: inherit; font-weight: 650; border: 0; border-radius: .5rem; padding: .65rem 1.3rem; min-height: 2.75rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); overflow-wrap: anywhere; }
.alert { border-radius: .45rem; padding: .6rem .85rem; font-weight: 600; }
.alert-success { background: var(--good-paper); color: var(--good); }
.alert-secondary { background: var(--calm-paper); color: var(--ink); }
.alert-danger { background: var(--bad-paper); color: var(--bad); }
.alert-warning { background: var(--warn-paper); color: var(--warn); }
td .alert { display: inline-block; white-space: nowrap; padding: .15rem .6rem; font-size: .875rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .5rem; }
th, td { text-align: left; vertical-align: baseline; padding: .5rem .6rem; border-bottom: 1px solid var(--line); }
thead th { font-size: .875rem; overflow-wrap: break-word; }
thead code { display: block; font-weight: 400; color: var(--soft); font-size: .75rem; overflow-wrap: normal; }
.count { text-align: right; font-variant-numeric: tabular-nums; }
thead th:nth-child(n + 4) { text-align: right; }
dl { margin: 0; }
dd { margin: 0; }
dt { color: var(--soft); font-size: .8125rem; }
.given, .facts { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
.given div, .facts div { min-width: 0; }
pre { margin: 0; padding: .75rem .9rem; background: var(--calm-paper); border-radius: .45rem; white-space: pre-wrap; font-size: .875rem; }
@media (max-width: 40rem) {
  header { padding-top: 1.25rem; }
  main, header, footer { padding-left: .9rem; padding-right: .9rem; }
  .card { padding: .9rem; }
  table, caption, tbody, tr, th, td { display: block; width: 100%; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  tbody tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { padding: .2rem 0; border: 0; text-align: left; }
  td { display: flex; justify-content: space-between; gap: 1rem; align-items: baseline; }
  td::before { content: attr(data-label); color: var(--soft); font-size: .875rem; overflow-wrap: break-word; }
}
@media print { form.card, footer, .skip { display: none; } main, header { max-width: none; } .card { border: 0; padding: 0; } }
`);
