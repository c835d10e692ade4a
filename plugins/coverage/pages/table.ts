/** A table as HTML. It scrolls by itself on a narrow screen, and prints without cut rows or columns. */
import { type Html, html } from '../../../core/plugin.js';
import type { Cell, Column, Table, TrackLink } from '../report/view.js';
import { carryForm } from './form.js';

/** Sum of weights up to which a table fits on A4 paper; numeric columns need less than their weight. */
const [widest, numbers] = [11.5, 0.8];
/** Columns up to which a table has the size of other text on a screen. */
const roomy = 9;

export interface TablePaths {
  /** Paths of this page and of the gene page. */
  action: string;
  geneAction: string;
  /** Path of the depths along a region. */
  trackAction: string;
}

/** The title of a bare table is for screen readers only. */
export function tableMarkup(table: Table, paths: TablePaths, bare = false): Html {
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
function head({ title, numeric, sort }: Column, action: string): Html {
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

function cellMarkup(cell: Cell, column: Column | undefined, { heading, wide, paths }: CellOptions): Html {
  const long = cell.list === undefined && longWord.test(cell.text);
  const classes = [column?.numeric && 'n', cell.tone, cell.again && 'again', long && 'long'].filter(Boolean).join(' ');
  const attribute = html`${classes !== '' && html` class="${classes}"`}${wide && html` data-title="${column?.title}"`}`;
  const content = contentOf(cell, paths);
  return heading ? html`<th scope="row"${attribute}>${content}</th>` : html`<td${attribute}>${content}</td>`;
}

function contentOf(
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
