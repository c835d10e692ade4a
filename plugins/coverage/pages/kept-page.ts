/** The page of a kept report. */
import { html } from '../../../core/plugin.js';
import type { Sent } from '../form/fields.js';
import type { Notice, PageView } from '../report/view.js';
import { reportPath } from '../stored/paths.js';
import { askForm } from './form.js';
import { footer, framed, noticeList, noticesMarkup, type Surroundings } from './frame.js';
import { sectionMarkup } from './sections.js';
import { tableMarkup } from './table.js';

export interface ShownKept extends Surroundings {
  id: string;
  view: PageView;
  /** The form that asks for it again, with the data of today. */
  fields: Sent;
  /** That its panel has a newer version. */
  newer: Notice | undefined;
}

export function keptPage({ id, view, fields, newer, ...around }: ShownKept): string {
  const { texts, base } = around;
  const { kept } = texts;
  const paths = {
    action: `${base}/${view.page}`,
    geneAction: `${base}/gene_overview`,
    trackAction: `${base}/coverage/track`,
  };
  const title = `${kept.title}: ${view.title}`;
  return framed(
    around,
    [title, view.subtitle].filter(Boolean).join(' · '),
    html`<header class="top">
<div><h1>${title}</h1>
${view.subtitle !== '' && html`<p class="subtitle"><bdi>${view.subtitle}</bdi></p>`}</div>
<div class="exports screen"><ul class="links">${(['pdf', 'json'] as const).map((format) => html`<li><a href="${base}${reportPath(id)}?format=${format}">${kept.formats[format]}</a></li> `)}</ul></div>
</header>
<main id="content">
${askForm({ ...around, page: view.page, sent: fields, open: false })}
${newer !== undefined && noticeList([newer], kept.newerTitle, 'newer')}
${noticesMarkup(view, texts)}
<section class="about" aria-labelledby="about"><h2 id="about" class="unseen">${texts.header.about}</h2>
<dl class="facts">${view.facts.map(({ label, text, long }) => html`<div${long && html` class="whole"`}><dt>${label}</dt><dd><bdi>${text}</bdi></dd></div>\n`)}</dl>
${tableMarkup(view.sampleTable, paths)}</section>
${view.sections.map((section) => sectionMarkup(section, { texts, ...paths }))}
</main>
${footer(undefined, around, false)}`,
  );
}
