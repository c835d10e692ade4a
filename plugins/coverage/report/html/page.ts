/**
 * A page of the coverage plugin as HTML: the frame of all pages (head, warnings, header, form, links), the page of a report,
 * its sections and their tables. A table scrolls by itself on a narrow screen, and prints without cut rows or columns.
 */
import { type Html, html, page, raw, style } from '../../../../core/plugin.js';
import type { GeneIntervalType } from '../../measure/select.js';
import type { CoverageServices } from '../../services.js';
import { languages, type Texts } from '../../texts/texts.js';
import { type FieldError, type FormFields, reportPath, reportsPath } from '../form/fields.js';
import { type PageName, type PageRequest, pageNames, sortKeys } from '../form/request.js';
import { formatsOfPage } from '../formats/format.js';
import {
  type BrowseView,
  type Cell,
  type PageNotice,
  type PageSection,
  type PageTable,
  type PageView,
  svg,
  type TableColumn,
  type TrackLink,
} from '../view.js';
import { askForm, carryForm, defaultButton, type FormChoices, reasonId } from './form.js';
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
export function surroundingsOfRequest(
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

interface ReportPage extends PageSurroundings {
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
  return framedPage(
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

function uploadOf({ beds }: PageRequest): Buffer | undefined {
  return beds.flatMap((bed) => ('file' in bed ? bed.file : []))[0];
}

interface RefusedPage extends PageSurroundings {
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
  return framedPage(
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
export function framedPage({ texts, nonce }: PageSurroundings, title: string, body: Html): string {
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
${exported.filter((format) => formatsOfPage(name).includes(format)).map((format) => html`<button class="plain" form="${carryForm}" formaction="${base}/${name}" name="format" value="${format}">${exports[format]}</button> `)}
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

// The sections of a page.

interface SectionOptions extends TablePaths {
  texts: Texts;
}

export function sectionMarkup(section: PageSection, { texts, ...paths }: SectionOptions): Html {
  const { action } = paths;
  switch (section.kind) {
    case 'heading':
      return heading(section, action, texts);
    case 'table':
      return tableSection(section, paths);
    case 'drawing':
      return drawingSection(section, paths);
    case 'note':
      return html`<p class="note${section.tone === 'good' && html` good`}${section.media && ` ${section.media}`}">${section.text}</p>`;
    case 'names':
      return names(section);
    case 'browse':
      return browse(section.view, action, texts);
    case 'terms':
      return html`<section class="block terms"><h2>${section.title}</h2>
<dl>${section.items.map(([term, text]) => html`<div><dt>${term}</dt><dd>${text}</dd></div>\n`)}</dl></section>`;
  }
}

type TableSection = Extract<PageSection, { kind: 'table' }>;

function tableSection(
  { table, summary, open = false, note, bare = false, media }: TableSection,
  paths: TablePaths,
): Html {
  const markup = html`${tableMarkup(table, paths, bare || summary !== undefined)}${note !== undefined && html`<p class="soft">${note}</p>`}`;
  const classes = media === undefined ? 'block' : `block ${media}`;
  if (summary === undefined) return html`<section class="${classes}">${markup}</section>`;
  return html`<section class="${classes}">${!bare && html`<h2>${table.title}</h2>\n<p class="soft">${table.caption}</p>\n`}<details class="rows"${open && html` open`}><summary>${summary}</summary>${markup}</details></section>`;
}

/** Names that are shown without being asked for. */
const shownNames = 24;

function names({ id, title, caption, summary, names, note }: Extract<PageSection, { kind: 'names' }>): Html {
  return html`<section class="block"><h2 id="${id}">${title}</h2>
<p class="soft">${caption}</p>
<details class="rows"${names.length <= shownNames && html` open`}><summary>${summary}</summary>
<ul class="names">${names.map((name) => html`<li><bdi>${name}</bdi></li>\n`)}</ul>
${note !== undefined && html`<p class="soft">${note}</p>`}</details></section>`;
}

type DrawingSection = Extract<PageSection, { kind: 'drawing' }>;

function drawingSection({ drawing, id, title, caption, table }: DrawingSection, paths: TablePaths): Html {
  // A drawing with a caption is a section of its own; others belong to the heading before them.
  const heading = caption === undefined ? html`<h3><bdi>${title}</bdi></h3>` : html`<h2>${title}</h2>`;
  return html`<section class="block drawing">
${title !== undefined && heading}
<figure>${caption !== undefined && html`<figcaption class="soft">${caption}</figcaption>`}
<div class="scroll" role="region" aria-label="${drawing.title}" tabindex="0">${svg(drawing, id)}</div></figure>
${table !== undefined && html`<details class="rows screen"><summary>${table.title}</summary>${tableMarkup(table, paths, true)}</details>`}
</section>`;
}

type Heading = Extract<PageSection, { kind: 'heading' }>;

function heading(
  { title, id, badges = [], text, links = [], transcript }: Heading,
  action: string,
  texts: Texts,
): Html {
  const small = transcript !== undefined;
  const content = html`<bdi>${title}</bdi>${badges.map((badge) => html` <span class="badge">${badge}</span>`)}`;
  return html`<div class="heading">${small ? html`<h3 id="${id}">${content}</h3>` : html`<h2 id="${id}">${content}</h2>`}
${text !== undefined && html`<p class="soft">${text}</p>`}
${
  links.length + (small ? 1 : 0) > 0 &&
  html`<p class="links screen">${small && !transcript.drawn && !transcript.fixed && html`<button class="link" form="${carryForm}" formaction="${action}" name="transcript" value="${transcript.id}">${texts.gene.draw}</button> `}${small && transcript.drawn && html`<span class="soft">${texts.gene.drawn}</span> `}${links.map(({ text, href }) => html`<a href="${href}" rel="noopener noreferrer" target="_blank">${text}</a> `)}</p>`
}</div>`;
}

function browse({ sort, filter, part, parts }: BrowseView, action: string, texts: Texts): Html {
  const { overview } = texts;
  const step = (to: number, label: string) =>
    to >= 1 &&
    to <= parts &&
    html`<button class="plain" form="${carryForm}" formaction="${action}" name="part" value="${to}">${label}</button>`;
  return html`<div class="browse screen">
<p class="field"><label for="filter">${overview.filter}</label><input type="search" id="filter" name="filter" form="${carryForm}" value="${filter}" autocomplete="off" spellcheck="false"></p>
<p class="field"><label for="sort">${overview.sort}</label><select id="sort" name="sort" form="${carryForm}">${sortKeys.map((key) => html`<option value="${key}"${key === sort && html` selected`}>${overview.sorts[key]}</option>`)}</select></p>
<p><button class="plain" form="${carryForm}" formaction="${action}">${overview.apply}</button></p>
${parts > 1 && html`<p class="parts">${step(part - 1, overview.previous)} <span>${overview.part(part, parts)}</span> ${step(part + 1, overview.next)}</p>`}
</div>`;
}

// Tables.

/** Sum of weights up to which a table fits on A4 paper; numeric columns need less than their weight. */
const [widest, numbers] = [11.5, 0.8];
/** Columns up to which a table has the size of other text on a screen. */
const roomy = 9;

interface TablePaths {
  /** Paths of this page and of the gene page. */
  action: string;
  geneAction: string;
  /** Path of the depths along a region. */
  trackAction: string;
}

/** The title of a bare table is for screen readers only. */
export function tableMarkup(table: PageTable, paths: TablePaths, bare = false): Html {
  const { name, title, caption, hint, columns, rows, heading = 0 } = table;
  const label = `table-${name}`;
  const weight = columns.reduce((sum, { weight = 1, numeric }) => sum + weight * (numeric ? numbers : 1), 0);
  const isWide = weight > widest;
  const classes = [isWide && 'wide', columns.length > roomy && 'dense'].filter(Boolean).join(' ');
  return html`${!bare && html`<h2 id="${label}">${title}</h2>\n${caption !== '' && html`<p class="caption">${caption}${hint !== undefined && html`<span class="screen"> ${hint}</span>`}</p>\n`}`}<div class="scroll" role="region" ${bare ? html`aria-label="${title}"` : html`aria-labelledby="${label}"`} tabindex="0">
<table${classes !== '' && html` class="${classes}"`}${!bare && html` aria-labelledby="${label}"`}>
${bare && html`<caption class="unseen">${title}</caption>`}
<thead><tr>${columns.map((column) => head(column, `${paths.action}#${label}`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell, i) => cellMarkup(cell, columns[i], { heading: i === heading, wide: isWide, paths }))}</tr>\n`)}</tbody>
</table>
</div>`;
}

/** A word that may be wider than its column on paper. */
const longWord = /\S{25}/;

/** `action` is the URL of the page, scrolled to this table. */
function head({ title, numeric, sort }: TableColumn, action: string): Html {
  const classes = [numeric && 'n', longWord.test(title) && 'long'].filter(Boolean).join(' ');
  const name = html`<bdi>${title}</bdi>`;
  const content =
    sort === undefined
      ? name
      : html`<button class="link" form="${carryForm}" formaction="${action}" name="${sort.field}" value="${sort.value}">${name}</button>`;
  return html`<th scope="col"${classes !== '' && html` class="${classes}"`}${sort?.current && html` aria-sort="ascending"`}>${content}</th>`;
}

interface CellOptions {
  heading: boolean;
  /** On paper the row is a paragraph in which each cell names its column. */
  wide: boolean;
  paths: TablePaths;
}

function cellMarkup(cell: Cell, column: TableColumn | undefined, { heading, wide, paths }: CellOptions): Html {
  const long = cell.list === undefined && longWord.test(cell.text);
  const classes = [column?.numeric && 'n', cell.tone, cell.again && 'again', long && 'long'].filter(Boolean).join(' ');
  const attribute = html`${classes !== '' && html` class="${classes}"`}${wide && html` data-title="${column?.title}"`}`;
  const content = contentOfCell(cell, paths);
  return heading ? html`<th scope="row"${attribute}>${content}</th>` : html`<td${attribute}>${content}</td>`;
}

function contentOfCell(
  { text, list, wraps, tracks = [], badges = [], below = [], gene, tone }: Cell,
  paths: TablePaths,
): Html {
  if (list !== undefined) {
    return html`<ul class="ranges${wraps && html` wraps`}">${list.map((item, i) => html`<li>${item}${trackMarkup(tracks[i], paths)}</li>`)}</ul>`;
  }
  const name = html`<bdi>${text}</bdi>`;
  const shown =
    gene === undefined
      ? name
      : html`<button class="link" form="${carryForm}" formaction="${paths.geneAction}" formtarget="_blank" name="hgnc_gene_id" value="${gene}">${name}</button>`;
  // Not only by colour (WCAG 1.4.1).
  const sign = tone === 'bad' ? html`<span class="sign" aria-hidden="true">▾</span>` : undefined;
  const marks = badges.map((badge) => html` <span class="badge">${badge}</span>`);
  const further = below.map((part, i) => html`${i > 0 && ' · '}<span>${part}</span>`);
  return html`${sign}${shown}${marks}${below.length > 0 && html` <span class="below">${further}</span>`}`;
}

function trackMarkup(track: TrackLink | undefined, { trackAction }: TablePaths): Html | undefined {
  if (track === undefined) return undefined;
  const { text, sample, region } = track;
  return html` <a class="screen" href="${trackAction}?${String(new URLSearchParams({ sample, region }))}">${text}</a>`;
}
