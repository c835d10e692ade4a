/** The sections of a page as markup. */
import { type Html, html } from '../../../core/plugin.js';
import { sortKeys } from '../form/request.js';
import { svg } from '../plots/svg.js';
import type { BrowseView, Section } from '../report/view.js';
import type { Texts } from '../texts/texts.js';
import { carryForm } from './form.js';
import { type TablePaths, tableMarkup } from './table.js';

export interface SectionOptions extends TablePaths {
  texts: Texts;
}

export function sectionMarkup(section: Section, { texts, ...paths }: SectionOptions): Html {
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

type TableSection = Extract<Section, { kind: 'table' }>;

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

function names({ id, title, caption, summary, names, note }: Extract<Section, { kind: 'names' }>): Html {
  return html`<section class="block"><h2 id="${id}">${title}</h2>
<p class="soft">${caption}</p>
<details class="rows"${names.length <= shownNames && html` open`}><summary>${summary}</summary>
<ul class="names">${names.map((name) => html`<li><bdi>${name}</bdi></li>\n`)}</ul>
${note !== undefined && html`<p class="soft">${note}</p>`}</details></section>`;
}

type DrawingSection = Extract<Section, { kind: 'drawing' }>;

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

type Heading = Extract<Section, { kind: 'heading' }>;

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
