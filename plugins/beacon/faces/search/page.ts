/** The search page: one field, and what was found. */
import { type Html, html, page, style } from '../../../../core/plugin.js';
import { assemblies } from '../../contract.js';
import { alert, selectField } from '../../pages/parts.js';
import { sheet } from '../../pages/sheet.js';
import { resultSections } from './result.js';
import { ownSheet } from './sheet.js';
import type { Texts } from './texts/texts.js';
import type { Asked, Outcome } from './view.js';

/** A search with a hit, to start from. */
export interface Example {
  text: string;
  assembly: string;
}

export interface SearchPage {
  texts: Texts;
  /** The name of the beacon. */
  beacon: string;
  asked: Asked;
  /** Omitted if nothing was asked. */
  outcome: Outcome | undefined;
  examples: readonly Example[];
  /** Address of the same search as JSON; undefined if there is none. */
  json: string | undefined;
  /** Whether the server has the form with single fields. */
  hasForm: boolean;
  /** The path of the public address, which precedes every link; empty if the server is at the root. */
  base: string;
  nonce: string;
}

export function searchPage(shown: SearchPage): string {
  const { texts, beacon, asked, outcome, json, hasForm, base, nonce } = shown;
  const headline = outcome && headlineOf(outcome, texts);
  return page({
    title: [headline, headline ? asked.text.slice(0, 60) : texts.title, beacon].filter(Boolean).join(' · '),
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, html`${sheet}${ownSheet}`),
    body: html`<body>
<a class="skip" href="#form">${texts.skip}</a>
<header>
<h1>${texts.title}</h1>
<p class="soft">${texts.intro(beacon)}</p>
</header>
<main>
${form(shown)}
${outcome && ('error' in outcome ? mistake(outcome.error, texts) : resultSections(outcome, { texts, json }))}
</main>
<footer>
<nav><ul class="links">
${hasForm && html`<li><a href="${base}/apiv1.0/query_form">${texts.links.form}</a></li>\n`}<li><a href="${base}/beacon/v2/info">${texts.links.info}</a></li>
<li><a href="${base}/">${texts.links.services}</a></li>
<li><a href="${otherLanguage(asked, texts)}" hreflang="${other(texts)}" lang="${other(texts)}">${texts.otherLanguage}</a></li>
</ul></nav>
</footer>
</body>`,
  });
}

/** A short result for the title of the page, which screen readers read first. */
function headlineOf(outcome: Outcome, texts: Texts): string {
  if ('error' in outcome) return texts.errorTitle;
  return outcome.datasets.some(({ exists }) => exists) ? texts.foundTitle : texts.missedTitle;
}

function form({ texts, asked, examples, outcome }: SearchPage): Html {
  const failed = outcome !== undefined && 'error' in outcome;
  return html`<form method="get" class="card" id="form" role="search">
<div class="search">
<div class="field">
<label for="q">${texts.field.label}</label>
<input type="text" id="q" name="q" value="${asked.text}" required autocomplete="off" spellcheck="false" autocapitalize="off" aria-describedby="q-hint${failed && html` mistake`}"${failed && html` aria-invalid="true"`}>
<p class="hint" id="q-hint">${texts.field.hint}</p>
</div>
${selectField({ name: 'assemblyId', label: texts.field.assembly, value: asked.assembly }, [
  { value: '', label: texts.field.choose },
  ...assemblies.map((value) => ({ value })),
])}
<p class="actions"><button type="submit">${texts.field.search}</button></p>
</div>
<input type="hidden" name="lang" value="${texts.language}">
${
  examples.length > 0 &&
  html`<p class="examples"><span class="soft">${texts.field.examples}</span>
${examples.map(({ text, assembly }) => html`<a href="?${String(new URLSearchParams({ q: text, assemblyId: assembly, lang: texts.language }))}">${text}</a>\n`)}</p>`
}
</form>`;
}

function mistake(sentence: string, texts: Texts): Html {
  return html`<section class="card" id="mistake" aria-label="${texts.errorTitle}">${alert('danger', sentence)}</section>`;
}

function other(texts: Texts): 'en' | 'sv' {
  return texts.language === 'sv' ? 'en' : 'sv';
}

function otherLanguage({ text, assembly }: Asked, texts: Texts): string {
  const fields = { ...(text !== '' && { q: text }), ...(assembly !== '' && { assemblyId: assembly }) };
  return `?${new URLSearchParams({ ...fields, lang: other(texts) })}`;
}
