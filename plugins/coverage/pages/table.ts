/** A table of a page as markup. It scrolls by itself where the screen is narrow, and prints without cut rows. */
import { type Html, html } from '../../../core/plugin.js';
import type { Cell, Column, Table } from '../report/view.js';
import { carryForm } from './form.js';

/** `action` is the path of the gene page. A bare table has its title for those only who do not see it. */
export function tableMarkup(table: Table, action: string, bare = false): Html {
  const { name, title, caption, columns, rows, heading = 0 } = table;
  const label = `table-${name}`;
  return html`${!bare && html`<h2 id="${label}">${title}</h2>\n${caption !== '' && html`<p class="caption">${caption}</p>\n`}`}<div class="scroll" role="region" ${bare ? html`aria-label="${title}"` : html`aria-labelledby="${label}"`} tabindex="0">
<table${!bare && html` aria-labelledby="${label}"`}>
${bare && html`<caption class="unseen">${title}</caption>`}
<thead><tr>${columns.map(head)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell, i) => cellMarkup(cell, columns[i], i === heading, action))}</tr>\n`)}</tbody>
</table>
</div>`;
}

function head({ title, numeric }: Column): Html {
  return html`<th scope="col"${numeric && html` class="n"`}><bdi>${title}</bdi></th>`;
}

function cellMarkup(cell: Cell, column: Column | undefined, heading: boolean, action: string): Html {
  const classes = [column?.numeric && 'n', cell.tone, cell.again && 'again'].filter(Boolean).join(' ');
  const attribute = classes === '' ? undefined : html` class="${classes}"`;
  const content = contentOf(cell, action);
  return heading ? html`<th scope="row"${attribute}>${content}</th>` : html`<td${attribute}>${content}</td>`;
}

function contentOf({ text, list, badges = [], gene, tone }: Cell, action: string): Html {
  if (list !== undefined) return html`<ul class="ranges">${list.map((item) => html`<li>${item}</li>`)}</ul>`;
  const name = html`<bdi>${text}</bdi>`;
  const shown =
    gene === undefined
      ? name
      : html`<button class="link" form="${carryForm}" formaction="${action}" formtarget="_blank" name="hgnc_gene_id" value="${gene}">${name}</button>`;
  // Colour alone does not reach everybody.
  const sign = tone === 'bad' ? html`<span class="sign" aria-hidden="true">▾</span>` : undefined;
  return html`${sign}${shown}${badges.map((badge) => html` <span class="badge">${badge}</span>`)}`;
}
