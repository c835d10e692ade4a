/** The report: coverage, sex check, what is fully covered, and the genes and regions that are not. */

import type { DepthCurve } from '../domain/depth-curve.js';
import { type List, numbered } from '../domain/list.js';
import { isComplete } from '../domain/measure.js';
import { curveDrawing } from '../plots/curve.js';
import type { Texts } from '../texts/texts.js';
import { depthCells, percentCell, thresholdColumns } from './cells.js';
import { gapList, gapTable } from './gap-tables.js';
import type { TargetGaps } from './gaps.js';
import { type GeneCoverage, incompleteGenesTable } from './incomplete-genes.js';
import { intervalTable } from './interval-table.js';
import type { ReportData } from './report-data.js';
import { sexTable } from './sex-table.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

export interface ReportParts {
  curves: readonly DepthCurve[];
  /** Genes that some sample does not cover fully. */
  genes: readonly GeneCoverage[];
  gaps: List<TargetGaps>;
  /** Incomplete targets that `gaps` does not have. */
  further: number;
}

export interface SexRatios {
  male: number;
  female: number;
}

export function reportSections(
  data: ReportData,
  parts: ReportParts,
  rule: SexRatios,
  texts: Texts,
  whole: boolean,
): { sections: Section[]; tables: LazyTable[] } {
  const { request, samples, thresholds } = data;
  const level = texts.depth(request.level);
  const metrics = metricsTable(data, texts);
  const curve = curveTable(data, parts.curves, texts);
  const drawing = curveDrawing(
    samples.flatMap(({ sample }, i) =>
      parts.curves[i] === undefined ? [] : [{ name: sample.name, curve: parts.curves[i] }],
    ),
    { thresholds, level: request.level, texts },
  );
  const sections: Section[] = [
    { kind: 'table', table: metrics },
    { kind: 'table', table: fullTable(data, texts) },
    ...genesSection(data, parts.genes, texts, whole),
    { kind: 'drawing', drawing, id: 'curve', title: texts.curve.title, caption: texts.curve.caption, table: curve },
    { kind: 'table', table: sexTable(data, texts) },
  ];
  if (parts.gaps.length > 0) {
    let regions = 0;
    for (const { gaps } of parts.gaps) for (const own of gaps) regions += own.length;
    sections.push({
      kind: 'table',
      table: gapTable(data, parts.gaps, texts),
      summary: texts.gaps.summary(parts.gaps.length, regions),
      ...(parts.further > 0 ? { note: texts.gaps.more(parts.further) } : {}),
    });
  } else {
    sections.push({ kind: 'heading', id: 'gaps', title: texts.gaps.title(level) });
    sections.push({ kind: 'note', text: texts.full.all, tone: 'good' });
  }
  const { title, items, sex, sexRule } = texts.explain;
  sections.push({ kind: 'terms', title, items: [...items, [sex, sexRule(rule.male, rule.female)]] });
  const tables: LazyTable[] = [
    { name: 'metrics', make: () => metrics },
    { name: 'fully_covered', make: () => fullTable(data, texts, true) },
    { name: 'incomplete_genes', make: () => incompleteGenesTable(data, parts.genes, texts, true).table },
    { name: 'sex', make: () => sexTable(data, texts) },
    { name: 'curve', make: () => curve },
    { name: 'gaps', make: () => gapList(data, parts.gaps, texts) },
    { name: 'intervals', make: () => intervalTable(data, texts) },
  ];
  return { sections, tables };
}

/** One row for each sample, in the order asked; without numbers where it could not be measured. */
export function metricsTable({ samples, thresholds, level, targets, request }: ReportData, texts: Texts): Table {
  const measured = new Map(samples.map(({ sample, depths }) => [sample.name, depths.pooled]));
  const nothing = Array.from({ length: 1 + thresholds.length }, (): Cell => ({ text: '–', value: '' }));
  const count = texts.header.targetCount(targets.length, texts.targets[request.type]);
  return {
    name: 'metrics',
    title: texts.metrics.title,
    caption: texts.metrics.caption(samples[0]?.depths.pooled.length ?? 0, count),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(thresholds, texts),
    ],
    rows: request.samples.map(({ name }) => {
      const pooled = measured.get(name);
      return [text(name), ...(pooled === undefined ? nothing : depthCells(pooled, thresholds.length, level, texts))];
    }),
  };
}

/** The groups (genes) with at least one target of the sample that is not complete. */
export function incompleteGroups({ targets, samples, level }: ReportData, sample: number): string[] {
  const groups = new Set<string>();
  const all = samples[sample]?.depths.targets ?? [];
  for (const [i, depths] of numbered(all)) if (!isComplete(depths, level)) groups.add(targets.at(i)?.group ?? '');
  return [...groups].sort();
}

/** How many targets of the sample are not complete. */
export function incompleteCount({ samples, level }: ReportData, sample: number): number {
  let count = 0;
  for (const depths of samples[sample]?.depths.targets ?? []) if (!isComplete(depths, level)) count += 1;
  return count;
}

function genesSection(data: ReportData, genes: readonly GeneCoverage[], texts: Texts, whole: boolean): Section[] {
  if (genes.length === 0) return [];
  const { table, further } = incompleteGenesTable(data, genes, texts, whole);
  return [{ kind: 'table', table, ...(further > 0 ? { note: texts.incomplete.more(further) } : {}) }];
}

/** `named` lists the incomplete genes of each sample, for exports: pages have a table of them. */
function fullTable(data: ReportData, texts: Texts, named = false): Table {
  const { samples, targets, request } = data;
  const all = targets.length;
  return {
    name: 'fully_covered',
    title: texts.full.title(texts.targets[request.type][1], texts.depth(request.level)),
    caption: texts.full.caption,
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'fully_covered_percent', title: texts.full.share, numeric: true },
      { key: 'incompletely_covered', title: texts.full.incomplete, numeric: true },
      ...(named ? [{ key: 'incompletely_covered_genes', title: texts.full.genes }] : []),
    ],
    rows: samples.map(({ sample }, i): Cell[] => {
      const incomplete = incompleteCount(data, i);
      return [
        text(sample.name),
        { ...percentCell((all - incomplete) / all, texts), tone: incomplete === 0 ? 'good' : 'bad' },
        { text: texts.full.of(incomplete, all), value: incomplete },
        ...(named ? [text(incompleteGroups(data, i).join(' '))] : []),
      ];
    }),
  };
}

function curveTable({ samples }: ReportData, curves: readonly DepthCurve[], texts: Texts): Table {
  const depths = curves[0]?.depths ?? [];
  return {
    name: 'curve',
    title: texts.curve.table,
    caption: texts.curve.caption,
    columns: [
      { key: 'depth', title: texts.curve.axis, numeric: true },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, numeric: true })),
    ],
    rows: depths.map((depth, i) => [
      { text: texts.depth(depth), value: depth },
      ...samples.map((_, s) => percentCell(curves[s]?.shares[i] ?? 0, texts)),
    ]),
  };
}
