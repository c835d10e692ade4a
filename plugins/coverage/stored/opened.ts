/** A kept page as it is shown today: the same numbers, both versions of the software, and what has changed since. */
import type { Principal } from '../../../core/plugin.js';
import type { FindPanels } from '../panels/service.js';
import type { Cell, Notice, PageView, Section, Table } from '../report/view.js';
import type { Texts } from '../texts/texts.js';
import type { KeptFacts, KeptReport } from './contract.js';

type Newer = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<FindPanels>>['newerThan']>>>;

/** The latest signed-off version of the report's panel, if it is newer and the caller may read it. */
export async function newerPanel(
  find: FindPanels,
  { panel }: Pick<KeptFacts, 'panel'>,
  caller: Principal | 'operator' | undefined,
): Promise<Newer | undefined> {
  return panel && find()?.newerThan(panel.panel, panel.version, caller);
}

/** Genes that a notice names. */
const named = 200;

/** One line for each kind of change, with its genes. */
function differenceLines({ differences }: Newer, { kept }: Texts): string[] {
  const byKind = new Map<string, string[]>();
  for (const { what, symbol, before } of differences) {
    for (const kind of what) {
      const name = kind === 'renamed' && before !== undefined ? `${before.symbol} → ${symbol}` : symbol;
      const names = byKind.get(kind);
      if (names === undefined) byKind.set(kind, [name]);
      else names.push(name);
    }
  }
  return [...byKind].map(([kind, genes]) => {
    const shown = genes.slice(0, named).join(', ');
    const more = genes.length > named ? ` ${kept.more(genes.length - named)}` : '';
    return `${kept.changes[kind as keyof typeof kept.changes] ?? kind} (${genes.length}): ${shown}${more}`;
  });
}

export interface Opening {
  report: KeptReport;
  newer: Newer | undefined;
  /** The version of the software that shows it, and when. */
  version: string;
  now: Date;
}

/** That a newer version of the panel is signed off, and which genes differ. */
export function newerNotice({ report: { facts }, newer }: Opening, texts: Texts): Notice | undefined {
  if (newer === undefined || facts.panel === undefined) return undefined;
  const { panel, version } = facts.panel;
  const sentence = texts.kept.newer(`${panel}@${version}`, `${panel}@${newer.version}`, newer.differences.length);
  return { text: sentence, list: differenceLines(newer, texts) };
}

/**
 * The view with what is true today before its own facts. Nothing of it measures anything again. A page has the notice about its
 * panel by itself.
 */
export function openedView(view: PageView, opening: Opening, texts: Texts, part: 'page' | 'file'): PageView {
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
export function minute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Without what leads to other numbers: buttons that measure again, and links to files as they are today. */
function fixed(section: Section): Section[] {
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

function fixedTable({ hint: _, ...table }: Table): Table {
  return {
    ...table,
    columns: table.columns.map(({ sort: _sort, ...column }) => column),
    rows: table.rows.map((row) => row.map(({ gene: _gene, tracks: _tracks, ...cell }): Cell => cell)),
  };
}
