/** The page that lists kept reports, with its search. */
import { type Html, html } from '../../../core/plugin.js';
import type { HoldingVersion } from '../../services/panels.js';
import { minute } from '../stored/opened.js';
import { reportPath, reportsPath } from '../stored/paths.js';
import type { FoundReports, Search } from '../stored/search.js';
import { text } from './fields.js';
import { footer, framed, type Surroundings } from './frame.js';

export interface KeptList extends Surroundings {
  asked: Search;
  found: FoundReports;
  /** Whether the loaded genes have the gene. */
  isKnown: boolean;
  /** Versions of panels that hold the gene, as far as the caller may read them; undefined if the server keeps no panels. */
  versions: readonly HoldingVersion[] | 'uncertain' | undefined;
}

export function keptListPage({ asked, found, isKnown, versions, ...around }: KeptList): string {
  const { texts, base } = around;
  const { list } = texts.kept;
  const { reports, next } = found;
  return framed(
    around,
    list.title,
    html`<header class="top"><div><h1>${list.title}</h1><p class="soft">${list.intro}</p></div></header>
<main id="content">
<section class="block screen"><form method="post" action="${base}${reportsPath}"><div class="fields">
<input type="hidden" name="lang" value="${texts.language}">
${text('gene', list.gene, asked.gene ?? '')}
${text('panel', list.panel, asked.panel ?? '')}
${text('sample', list.sample, asked.sample ?? '')}
</div><p class="actions"><button type="submit">${list.search}</button></p></form></section>
${asked.gene !== undefined && !isKnown && html`<p class="note"><bdi>${list.unknownGene(asked.gene)}</bdi></p>\n`}${reports.length === 0 ? html`<p class="note">${list.none}</p>` : tableOf(reports, asked, around)}
${
  next !== undefined &&
  html`<form class="screen" method="post" action="${base}${reportsPath}"><p>${(['gene', 'panel', 'sample'] as const).map((name) => html`<input type="hidden" name="${name}" value="${asked[name] ?? ''}">`)}<input type="hidden" name="lang" value="${texts.language}"><input type="hidden" name="after" value="${next}"><button class="plain">${list.next}</button></p></form>`
}
${asked.gene !== undefined && versions !== undefined && versionsOf(asked.gene, versions, around)}</main>
${footer(undefined, around, false)}`,
  );
}

function versionsOf(
  gene: string,
  versions: readonly HoldingVersion[] | 'uncertain',
  { texts, base }: Surroundings,
): Html {
  const { list } = texts.kept;
  const title = list.panelsOf(gene);
  if (versions === 'uncertain' || versions.length === 0) {
    const why = versions === 'uncertain' ? list.uncertain : list.noPanels;
    return html`<section class="block"><h2>${title}</h2><p class="note">${why}</p></section>\n`;
  }
  return html`<section class="block"><h2>${title}</h2><ul>
${versions.map(({ panel, version, name, state, entry, path }) => html`<li><a href="${base}${path}">${panel}@${version}</a> <bdi>${name}</bdi> (${texts.panels.states[state]})${entry !== undefined && html`: ${list.entry(entry)}`}</li>\n`)}</ul></section>\n`;
}

function tableOf(reports: FoundReports['reports'], { gene }: Search, { texts, base }: KeptList | Surroundings): Html {
  const { list } = texts.kept;
  const { columns } = list;
  const heads = [
    columns.made,
    columns.report,
    columns.samples,
    columns.panel,
    columns.genes,
    ...(gene === undefined ? [] : [columns.gene]),
    columns.by,
    columns.software,
  ];
  return html`<section class="block"><div class="scroll" role="region" aria-label="${list.title}" tabindex="0">
<table><caption class="unseen">${list.shown(reports.length)}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${reports.map(({ report: { id, made, facts }, held }) => {
  const { panel, panelName, caseName, samples, genes, missing } = facts;
  const names = samples.map(({ name, registration }) => registration ?? name).join(', ');
  const used = [panel && `${panel.panel}@${panel.version}`, panelName].filter(Boolean).join(' · ');
  return html`<tr><th scope="row">${minute(made)}</th><td><a href="${base}${reportPath(id)}">${pageTitle(facts.page, texts)}</a>${caseName !== undefined && html` <bdi>${caseName}</bdi>`}<br><span class="soft">${facts.build}, ${texts.depth(facts.level)}</span></td><td class="long"><bdi>${names}</bdi></td><td class="long"><bdi>${used || '–'}</bdi></td><td>${texts.number(genes)}${missing > 0 && html`<br><span class="soft">${list.missing(missing)}</span>`}</td>${gene !== undefined && html`<td>${held === undefined ? '–' : list.held[held]}</td>`}<td class="long"><bdi>${facts.by ?? '–'}</bdi></td><td>${facts.software}</td></tr>\n`;
})}</tbody></table></div></section>`;
}

/** Pages of a later version may have been kept. */
function pageTitle(page: string, { pages }: Surroundings['texts']): string {
  return (pages as Readonly<Record<string, string>>)[page] ?? page;
}
