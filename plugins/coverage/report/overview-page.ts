/** The overview: what is not covered completely, sorted, filtered and in parts where it is long. */
import { completeness, isComplete } from '../domain/measure.js';
import type { TableView } from '../form/request.js';
import type { Texts } from '../texts/texts.js';
import { countCell, shareCell } from './cells.js';
import type { Gathered } from './gather.js';
import { intervalTable, targetCell } from './report-page.js';
import { placeText, type ReportTarget } from './target.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

/** Rows of one part. */
const partSize = 200;

interface Row {
  target: ReportTarget;
  /** Its place in the targets. */
  at: number;
  /** Of the sample that has least. */
  least: number;
}

export function overviewSections(gathered: Gathered, texts: Texts): { sections: Section[]; tables: LazyTable[] } {
  const { request, targets, samples, level } = gathered;
  const depth = texts.depth(request.level);
  const all = targets.flatMap((target, at): Row[] => {
    const own = samples.flatMap(({ depths }) => depths.targets[at] ?? []);
    if (own.every((depths) => isComplete(depths, level))) return [];
    return [{ target, at, least: Math.min(...own.map((depths) => completeness(depths, level))) }];
  });
  const chosen = arranged(all, request.view);
  const { shown, part, parts } = partOf(chosen, request.view.part);
  const from = (part - 1) * partSize;
  const range = texts.overview.range(Math.min(from + 1, chosen.length), from + shown.length);
  const sections: Section[] = [];
  if (all.length === 0) {
    sections.push({ kind: 'heading', id: 'intervals', title: texts.overview.title(depth) });
    sections.push({ kind: 'note', text: texts.overview.none(depth), tone: 'good' });
  } else {
    const table = rowsTable(gathered, shown, texts.overview.caption(range, chosen.length), texts);
    sections.push({ kind: 'browse', view: { ...request.view, part, parts } });
    sections.push(chosen.length === 0 ? { kind: 'note', text: texts.overview.noMatch } : { kind: 'table', table });
  }
  return {
    sections,
    tables: [
      { name: 'incomplete', make: () => rowsTable(gathered, chosen, '', texts) },
      { name: 'intervals', make: () => intervalTable(gathered, texts) },
    ],
  };
}

function arranged(rows: readonly Row[], { sort, filter }: TableView): Row[] {
  const wanted = filter.toLowerCase();
  const names = ({ target }: Row) => [
    target.group,
    target.id,
    target.transcript ?? '',
    ...target.refseq,
    placeText(target.place),
  ];
  const kept =
    wanted === '' ? [...rows] : rows.filter((row) => names(row).some((name) => name.toLowerCase().includes(wanted)));
  if (sort === 'completeness') return kept.sort((a, b) => a.least - b.least || a.at - b.at);
  const byGene = new Intl.Collator('en', { numeric: true }).compare;
  if (sort === 'gene') return kept.sort((a, b) => byGene(a.target.group, b.target.group) || a.at - b.at);
  return kept.sort(
    ({ target: { place: a } }, { target: { place: b } }) =>
      byGene(a.chromosome, b.chromosome) || a.start - b.start || a.end - b.end,
  );
}

/** The part that was asked for, or the last one. */
export function partOf<One>(all: readonly One[], wanted: number): { shown: One[]; part: number; parts: number } {
  const parts = Math.max(1, Math.ceil(all.length / partSize));
  const part = Math.min(Math.max(1, wanted), parts);
  return { shown: all.slice((part - 1) * partSize, part * partSize), part, parts };
}

function rowsTable({ samples, level, request }: Gathered, rows: readonly Row[], caption: string, texts: Texts): Table {
  return {
    name: 'incomplete',
    title: texts.overview.title(texts.depth(request.level)),
    caption,
    columns: [
      { key: 'gene', title: texts.overview.gene },
      { key: 'interval', title: texts.overview.interval, weight: 2 },
      { key: 'place', title: texts.overview.place, weight: 1.8 },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.7 },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, numeric: true, weight: 1.1 })),
    ],
    rows: rows.map(({ target, at }): Cell[] => [
      text(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
      targetCell(target, texts),
      text(placeText(target.place)),
      countCell(samples[0]?.depths.targets[at]?.length ?? 0, texts),
      ...samples.map(({ depths }) => {
        const own = depths.targets[at];
        return own === undefined ? text('') : shareCell(own, level, texts, true);
      }),
    ]),
  };
}
