/**
 * The page of a kept report (the same numbers, both versions of the software, and what has changed since), and the page that
 * lists kept reports, with its search.
 */
import { type Html, html, type Principal } from '../../../../core/plugin.js';
import type { HoldingVersion } from '../../../services/panels.js';
import { groupedBy } from '../../measure/region.js';
import type { Texts } from '../../texts/texts.js';
import { type FormFields, reportPath, reportsPath } from '../form/fields.js';
import { askForm, textField } from '../html/form.js';
import {
  footer,
  framedPage,
  noticeList,
  noticesMarkup,
  type PageSurroundings,
  sectionMarkup,
  tableMarkup,
} from '../html/page.js';
import type { FindPanels } from '../panel.js';
import type { Cell, PageNotice, PageSection, PageTable, PageView } from '../view.js';
import type { KeptFacts, KeptReport } from './contract.js';
import type { ReportHits, ReportSearch } from './search.js';

interface KeptReportPage extends PageSurroundings {
  id: string;
  view: PageView;
  /** The form that asks for it again, with the data of today. */
  fields: FormFields;
  /** That its panel has a newer version. */
  newer: PageNotice | undefined;
}

export function keptPage({ id, view, fields, newer, ...around }: KeptReportPage): string {
  const { texts, base } = around;
  const { kept } = texts;
  const paths = {
    action: `${base}/${view.page}`,
    geneAction: `${base}/gene_overview`,
    trackAction: `${base}/coverage/track`,
  };
  const title = `${kept.title}: ${view.title}`;
  return framedPage(
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

// The page that lists kept reports, with its search.

interface KeptList extends PageSurroundings {
  asked: ReportSearch;
  found: ReportHits;
  /** Whether the loaded genes have the gene. */
  isKnown: boolean;
  /** Versions of panels that hold the gene, as far as the caller may read them; undefined if the server keeps no panels. */
  versions: readonly HoldingVersion[] | 'uncertain' | undefined;
}

export function keptListPage({ asked, found, isKnown, versions, ...around }: KeptList): string {
  const { texts, base } = around;
  const { list } = texts.kept;
  const { reports, next } = found;
  return framedPage(
    around,
    list.title,
    html`<header class="top"><div><h1>${list.title}</h1><p class="soft">${list.intro}</p></div></header>
<main id="content">
<section class="block screen"><form method="post" action="${base}${reportsPath}"><div class="fields">
<input type="hidden" name="lang" value="${texts.language}">
${textField('gene', list.gene, asked.gene ?? '')}
${textField('panel', list.panel, asked.panel ?? '')}
${textField('sample', list.sample, asked.sample ?? '')}
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
  { texts, base }: PageSurroundings,
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

function tableOf(
  reports: ReportHits['reports'],
  { gene }: ReportSearch,
  { texts, base }: KeptList | PageSurroundings,
): Html {
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
function pageTitle(page: string, { pages }: PageSurroundings['texts']): string {
  return (pages as Readonly<Record<string, string>>)[page] ?? page;
}

// A kept page as it is shown today: the same numbers, both versions of the software, and what has changed since.

type NewerPanel = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<FindPanels>>['newerThan']>>>;

/** The latest signed-off version of the report's panel, if it is newer and the caller may read it. */
export async function newerPanel(
  find: FindPanels,
  { panel }: Pick<KeptFacts, 'panel'>,
  caller: Principal | 'operator' | undefined,
): Promise<NewerPanel | undefined> {
  return panel && find()?.newerThan(panel.panel, panel.version, caller);
}

/** Genes that a notice names. */
const named = 200;

/** One line for each kind of change, with its genes. */
function differenceLines({ differences }: NewerPanel, { kept }: Texts): string[] {
  const changes = differences.flatMap(({ what, symbol, before }) =>
    what.map((kind) => {
      const isRenamed = kind === 'renamed' && before !== undefined;
      return { kind, name: isRenamed ? `${before.symbol} → ${symbol}` : symbol };
    }),
  );
  return [...groupedBy(changes, ({ kind }) => kind)].map(([kind, genes]) => {
    const shown = genes
      .slice(0, named)
      .map(({ name }) => name)
      .join(', ');
    const more = genes.length > named ? ` ${kept.more(genes.length - named)}` : '';
    return `${kept.changes[kind as keyof typeof kept.changes] ?? kind} (${genes.length}): ${shown}${more}`;
  });
}

export interface OpenedReport {
  report: KeptReport;
  newer: NewerPanel | undefined;
  /** The version of the software that shows it, and when. */
  version: string;
  now: Date;
}

/** That a newer version of the panel is signed off, and which genes differ. */
export function newerNotice({ report: { facts }, newer }: OpenedReport, texts: Texts): PageNotice | undefined {
  if (newer === undefined || facts.panel === undefined) return undefined;
  const { panel, version } = facts.panel;
  const sentence = texts.kept.newer(`${panel}@${version}`, `${panel}@${newer.version}`, newer.differences.length);
  return { text: sentence, list: differenceLines(newer, texts) };
}

/**
 * The view with what is true today before its own facts. Nothing of it measures anything again. A page has the notice about its
 * panel by itself.
 */
export function openedView(view: PageView, opening: OpenedReport, texts: Texts, part: 'page' | 'file'): PageView {
  const { report, version, now } = opening;
  const { kept, header } = texts;
  const opened = kept.opened(
    minute(report.made),
    header.version(report.facts.software),
    minute(now),
    header.version(version),
  );
  const newer = part === 'file' ? newerNotice(opening, texts) : undefined;
  const { text, list = [] } = newer ?? {};
  return {
    ...view,
    facts: [
      { label: kept.title, text: opened, long: true },
      ...(text === undefined ? [] : [{ label: kept.newerTitle, text: [text, ...list].join(' '), long: true }]),
      ...view.facts,
    ],
    sections: view.sections.flatMap(fixed),
    sampleTable: fixedTable(view.sampleTable),
  };
}

/** `2026-11-23 12:05 UTC` */
function minute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Without what leads to other numbers: buttons that measure again, and links to files as they are today. */
function fixed(section: PageSection): PageSection[] {
  switch (section.kind) {
    case 'browse':
      return [];
    case 'table':
      return [{ ...section, table: fixedTable(section.table) }];
    case 'drawing':
      return [{ ...section, ...(section.table && { table: fixedTable(section.table) }) }];
    case 'heading':
      return [{ ...section, ...(section.transcript && { transcript: { ...section.transcript, fixed: true } }) }];
    default:
      return [section];
  }
}

function fixedTable({ hint: _, ...table }: PageTable): PageTable {
  return {
    ...table,
    columns: table.columns.map(({ sort: _sort, ...column }) => column),
    rows: table.rows.map((row) => row.map(({ gene: _gene, tracks: _tracks, ...cell }): Cell => cell)),
  };
}
