/** The frame of all coverage pages: settings, warnings, header, sections and links. */
import { type Html, html, page, raw, style } from '../../../../core/plugin.js';
import type { GeneIntervalType } from '../../measure/select.js';
import type { CoverageServices } from '../../services.js';
import { languages, type Texts } from '../../texts/texts.js';
import { type FieldError, type FormFields, reportPath, reportsPath } from '../form/fields.js';
import { type PageName, type PageRequest, pageNames } from '../form/request.js';
import { formatsOf } from '../formats/format.js';
import type { PageNotice, PageView } from '../view.js';
import { askForm, carryForm, defaultButton, type FormChoices, reasonId } from './form.js';
import { sectionMarkup, tableMarkup } from './markup.js';
import { script, sheet } from './style.js';

export interface PageSurroundings {
  texts: Texts;
  nonce: string;
  /** Path of the public address, before every link; empty if the server is at the root. */
  base: string;
  /** Path of the API documentation; undefined if it is off. */
  docs: string | undefined;
  levels: readonly number[];
  /** As in the settings. */
  defaultIntervals?: GeneIntervalType | undefined;
  /** Whether the server keeps gene panels. */
  hasPanels: boolean;
  /** Samples that a request may have at most. */
  mostSamples: number;
  /** If reports are kept: whether all are. */
  keeps?: { all: boolean } | undefined;
}

/** What all pages of a request share. */
export function surroundingsOf(
  { settings, base, docs, panels, kept }: Pick<CoverageServices, 'settings' | 'base' | 'docs' | 'panels' | 'kept'>,
  texts: Texts,
  nonce: string,
): PageSurroundings {
  const { levels, limits, defaultIntervals } = settings;
  return {
    ...{ texts, nonce, base, docs, levels, defaultIntervals },
    hasPanels: panels() !== undefined,
    mostSamples: limits.samples,
    keeps: kept,
  };
}

export interface ReportPage extends PageSurroundings {
  view: PageView;
  request: PageRequest;
  /** Form fields that repeat the request. */
  fields: FormFields;
  /** The id under which it is kept. */
  keptAs?: string | undefined;
}

const exported = ['pdf', 'csv', 'tsv', 'bed', 'json', 'multiqc', 'fhir'] as const;

export function viewPage({ view, request, fields, keptAs, ...around }: ReportPage): string {
  const { texts, base } = around;
  const options = {
    texts,
    action: `${base}/${view.page}`,
    geneAction: `${base}/gene_overview`,
    trackAction: `${base}/coverage/track`,
  };
  return framed(
    around,
    [view.title, view.subtitle].filter(Boolean).join(' · '),
    html`${defaultButton(view.page, texts, base)}<header class="top">
<div><h1>${view.title}</h1>
${view.subtitle !== '' && html`<p class="subtitle"><bdi>${view.subtitle}</bdi></p>`}</div>
${exportsMarkup(view.page, texts, base)}
</header>
<main id="content">
${keptAs !== undefined && html`<p class="note screen">${texts.kept.note} <a href="${base}${reportPath(keptAs)}">${texts.kept.open}</a></p>\n`}${askForm({ ...around, page: view.page, sent: fields, file: uploadOf(request), open: false })}
${levelBar(request, view.page, texts, base)}
${noticesMarkup(view, texts)}
<section class="about" aria-labelledby="about"><h2 id="about" class="unseen">${texts.header.about}</h2>
<dl class="facts">${view.facts.map(({ label, text, long }) => html`<div${long && html` class="whole"`}><dt>${label}</dt><dd>${text}</dd></div>\n`)}</dl>
${tableMarkup(view.sampleTable, options)}</section>
${view.sections.map((section) => sectionMarkup(section, options))}
</main>
${footer(view.page, around, true)}`,
  );
}

function uploadOf({ bed }: PageRequest): Buffer | undefined {
  return bed !== undefined && 'file' in bed ? bed.file : undefined;
}

export interface RefusedPage extends PageSurroundings {
  page: PageName;
  sent: FormFields;
  /** The uploaded BED file. */
  file: Buffer | undefined;
  reasons: readonly FieldError[];
  title: string;
  /** The files and samples to choose from; omitted if they may not be shown. */
  offers?: FormChoices | undefined;
}

export function refusedPage({ page, sent, file, reasons, title, offers, ...around }: RefusedPage): string {
  const { texts } = around;
  const wrong = new Set(reasons.flatMap(({ field }) => field ?? []));
  return framed(
    around,
    title,
    html`<header class="top"><div><h1>${title}</h1></div></header>
<main id="content">
<section class="notices bad" role="alert" aria-labelledby="reasons"><h2 id="reasons">${texts.pages[page]}</h2>
<ul>${reasons.map(reasonMarkup)}</ul></section>
<p class="soft">${texts.form.intro}</p>
${askForm({ ...around, page, sent, file, offers, wrong, open: true })}
</main>
${footer(page, around, false)}`,
  );
}

function reasonMarkup({ label, message, field }: FieldError): Html {
  const named = field === undefined ? label : html`<a href="#${field}">${label}</a>`;
  return html`<li${field !== undefined && html` id="${reasonId(field)}"`}>${label !== '' && html`<strong>${named}</strong> `}<bdi>${message}</bdi></li>
`;
}

/** Any page of the plugin. */
export function framed({ texts, nonce }: PageSurroundings, title: string, body: Html): string {
  return page({
    title,
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<a class="skip" href="#content">${texts.links.skip}</a>
${body}
<script nonce="${nonce}">${raw(script)}</script>
</body>`,
  });
}

function exportsMarkup(name: PageName, texts: Texts, base: string): Html {
  const { exports } = texts;
  return html`<div class="exports screen" role="group" aria-label="${exports.title}">
${exported.filter((format) => formatsOf(name).includes(format)).map((format) => html`<button class="plain" form="${carryForm}" formaction="${base}/${name}" name="format" value="${format}">${exports[format]}</button> `)}
<button class="plain script-only" type="button" id="print" hidden>${exports.print}</button></div>`;
}

function levelBar({ thresholds, level }: PageRequest, name: PageName, texts: Texts, base: string): Html {
  return html`<div class="levels screen" role="group" aria-label="${texts.overview.levels}"><span class="soft">${texts.overview.levels}</span>
${thresholds.map((threshold) => html`<button class="plain" form="${carryForm}" formaction="${base}/${name}" name="default_level" value="${threshold}"${threshold === level && html` aria-current="true"`}>${texts.depth(threshold)}</button> `)}</div>`;
}

export function noticesMarkup({ warnings, unchecked }: PageView, texts: Texts): Html {
  const notes = unchecked.map((sentence) => html`<p class="note"><bdi>${sentence}</bdi></p>\n`);
  if (warnings.length > 0) return html`${noticeList(warnings, texts.warnings.title, 'notices')}\n${notes}`;
  return unchecked.length > 0 ? html`${notes}` : html`<p class="note good">${texts.warnings.none}</p>`;
}

export function noticeList(notices: readonly PageNotice[], title: string, id: string): Html {
  return html`<section class="notices" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<ul>${notices.map(({ text, list = [] }) => html`<li><bdi>${text}</bdi>${list.length > 0 && html`<ul>${list.map((item) => html`<li><bdi>${item}</bdi></li>`)}</ul>`}</li>\n`)}</ul></section>`;
}

export function footer(
  name: PageName | undefined,
  { texts, base, docs, keeps }: Pick<PageSurroundings, 'texts' | 'base' | 'docs' | 'keeps'>,
  asked: boolean,
): Html {
  const { links } = texts;
  const others = pageNames.filter((one) => one !== name && one !== 'gene_overview') as Exclude<
    PageName,
    'gene_overview'
  >[];
  return html`<footer class="screen">
${
  asked &&
  html`<div class="others" role="group" aria-label="${links.title}"><span class="soft">${links.title}</span>
${others.map((one) => html`<button class="plain" form="${carryForm}" formaction="${base}/${one}">${links[one]}</button> `)}
${languages
  .filter(({ language }) => language !== texts.language)
  .map(
    ({ language, languageName }) =>
      html`<button class="plain" form="${carryForm}" formaction="${base}/${name}" name="lang" value="${language}" lang="${language}">${languageName}</button> `,
  )}</div>`
}
<nav aria-label="${links.landing}"><ul class="links"><li><a href="${base}/coverage">${links.landing}</a></li>${keeps !== undefined && html`<li><a href="${base}${reportsPath}">${texts.kept.list.link}</a></li>`}${docs !== undefined && html`<li><a href="${docs}">${links.docs}</a></li>`}<li><a href="${base}/">${links.server}</a></li></ul></nav>
</footer>`;
}
