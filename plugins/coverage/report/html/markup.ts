/**
 * The sections of a page and their tables as HTML. A table scrolls by itself on a narrow screen, and prints without cut rows or
 * columns.
 */
import { type Html, html } from '../../../../core/plugin.js';
import type { Texts } from '../../texts/texts.js';
import { sortKeys } from '../form/request.js';
import { svg } from '../plots/shapes.js';
import type { BrowseView, Cell, PageSection, PageTable, TableColumn, TrackLink } from '../view.js';
import { carryForm } from './form.js';

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

// A table as HTML. It scrolls by itself on a narrow screen, and prints without cut rows or columns.

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
