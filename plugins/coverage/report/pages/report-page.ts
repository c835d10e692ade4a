/** The report: coverage, sex check, fully covered targets, and the genes and regions with low coverage. */
import type { RunChart } from '../../cohorts/runs.js';
import { isComplete, type SampleDepths } from '../../measure/measure.js';
import { type List, lazyList, numberedMembers } from '../../measure/region.js';
import type { DepthCurve, Uniformity } from '../../measure/uniformity.js';
import type { Texts } from '../../texts/texts.js';
import { isIncomplete, isLeftOut, type ReportData } from '../data.js';
import { curveDrawing } from '../plots/curve.js';
import { cautionSections, cautionTables } from '../sections/caution.js';
import {
  cohortCells,
  cohortColumns,
  cohortSections,
  cohortTable,
  cohortTerms,
  panelGroup,
} from '../sections/cohorts.js';
import {
  doseSections,
  doseTables,
  doseTerms,
  mitochondriaTable,
  mitochondriaTables,
  mitochondriaTerms,
} from '../sections/doses.js';
import { asMarked, leftOutOf } from '../sections/expected-copies.js';
import { codingSections, codingTable, countedText } from '../sections/header.js';
import { allIncompleteGenes, type IncompleteGenes, incompleteGenesTable } from '../sections/incomplete-genes.js';
import { gapList, gapTable, intervalTable } from '../sections/interval-tables.js';
import {
  karyotypeSections,
  karyotypeTable,
  karyotypeTerms,
  sexSections,
  sexTable,
} from '../sections/karyotype-tables.js';
import { contentSections, limitationSections, samplingTerm } from '../sections/limitations.js';
import { nameSections, nameTables } from '../sections/line-names.js';
import { placeSections, placeTables } from '../sections/panel-places.js';
import { panelSections } from '../sections/panel-sections.js';
import { type RequirementCheck, requirementSection, requirementTables } from '../sections/requirement.js';
import { runSections } from '../sections/run-charts.js';
import { siteSections, siteTables, siteTerms } from '../sections/site-tables.js';
import type { TargetGaps } from '../sections/target-gaps.js';
import { hsMetricsSections, hsMetricsTables, uniformityTable, uniformityTerms } from '../sections/uniformity-tables.js';
import { uniqueTerms } from '../sections/unique.js';
import { besideUnique, depthCells, percentCell, thresholdColumns, withUnique } from '../targets.js';
import {
  type Cell,
  fileRows,
  type PageContent,
  type PageSection,
  type PageTable,
  type TableExtent,
  textCell,
} from '../view.js';

/** What is measured for the report alone, as far as the request needs it. */
export interface ReportParts {
  curves?: readonly (DepthCurve | undefined)[];
  /** In the order of the samples, like the curves. */
  uniformity?: readonly (Uniformity | undefined)[];
  genes?: IncompleteGenes;
  /** If the report's panel requires something. */
  requirement?: RequirementCheck;
  /** Of the runs of the compared samples. */
  charts?: readonly RunChart[];
  gaps?: {
    list: List<TargetGaps>;
    /** How many of them, from the first, a page shows. */
    shown: number;
    /** Incomplete targets that a page does not show. */
    further: number;
  };
  /** Of the panel's regions and repeats. */
  placeGaps?: List<TargetGaps>;
}

export interface SexRatios {
  male: number;
  female: number;
}

export function reportContent(data: ReportData, parts: ReportParts, rule: SexRatios, texts: Texts): PageContent {
  return {
    sections: (extent) => reportSections(data, parts, rule, texts, extent),
    tables: [
      { name: 'metrics', make: () => metricsTable(data, texts) },
      ...(data.request.type === 'coding' ? [{ name: 'coding', make: () => codingTable(data, texts) }] : []),
      { name: 'fully_covered', make: () => fullTable(data, texts, true) },
      { name: 'incomplete_genes', make: () => allIncompleteGenes(data, measured(parts.genes), texts) },
      ...(parts.requirement === undefined ? [] : requirementTables(data, parts.requirement, texts)),
      { name: 'sex', make: () => sexTable(data, texts, data.seesAneuploidy === true) },
      { name: 'karyotype', make: () => karyotypeTable(data, texts, data.seesAneuploidy === true) },
      ...doseTables(data, texts),
      ...hsMetricsTables(data, parts.uniformity ?? [], texts),
      { name: 'mt_copies', make: () => mitochondriaTable(data, texts) },
      { name: 'curve', make: () => curveTable(data, measured(parts.curves), texts) },
      { name: 'uniformity', make: () => uniformityTable(data, measured(parts.uniformity), texts) },
      { name: 'gaps', make: () => gapList(data, measured(parts.gaps).list, texts) },
      { name: 'intervals', make: () => intervalTable(data, texts) },
      ...(data.names === undefined ? [] : nameTables(data, data.names, texts)),
      ...(data.panelPlaces?.measured.length ? placeTables(data, data.panelPlaces, parts.placeGaps, texts) : []),
      ...(data.caution === undefined ? [] : cautionTables(data.caution, texts)),
      ...(data.known === undefined ? [] : siteTables(data, data.known, texts)),
      ...(data.comparison === undefined ? [] : [{ name: 'cohorts', make: () => cohortTable(data, texts) }]),
    ],
  };
}

/** A case without genes: its samples and their sexes. */
export function samplesOnly(data: ReportData, texts: Texts): PageContent {
  if (data.request.page !== 'report') return { sections: () => [], tables: [] };
  return {
    sections: () => [
      ...sexSections(data, texts),
      ...karyotypeSections(data, texts),
      ...mitochondriaTables(data, texts).map((table) => ({ kind: 'table', table }) as const),
    ],
    tables: [
      { name: 'sex', make: () => sexTable(data, texts, data.seesAneuploidy === true) },
      { name: 'karyotype', make: () => karyotypeTable(data, texts, data.seesAneuploidy === true) },
      { name: 'mt_copies', make: () => mitochondriaTable(data, texts) },
    ],
  };
}

/** The part; a caller that shows it has requested it in `ReportNeeds`. */
function measured<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('The page shows a part of the report that was not measured');
  return part;
}

function reportSections(
  data: ReportData,
  parts: ReportParts,
  rule: SexRatios,
  texts: Texts,
  extent: TableExtent,
): PageSection[] {
  const { request, samples, thresholds } = data;
  const curves = measured(parts.curves);
  const { title, caption } = texts.curve;
  const drawing = curveDrawing(
    samples.flatMap(({ sample: { name } }, i) => (curves[i] === undefined ? [] : [{ name, curve: curves[i] }])),
    { thresholds, level: request.level, texts },
  );
  const explained = texts.explain;
  return [
    ...(data.comparison === undefined ? [] : cohortSections(data, texts)),
    { kind: 'table', table: metricsTable(data, texts) },
    ...codingSections(data, texts),
    ...(parts.requirement === undefined ? [] : [requirementSection(data, parts.requirement, texts)]),
    { kind: 'table', table: fullTable(data, texts) },
    ...genesSection(data, measured(parts.genes), texts, extent),
    { kind: 'drawing', drawing, id: 'curve', title, caption, table: curveTable(data, curves, texts) },
    { kind: 'table', table: uniformityTable(data, measured(parts.uniformity), texts) },
    ...hsMetricsSections(data, measured(parts.uniformity), texts),
    ...sexSections(data, texts),
    ...karyotypeSections(data, texts),
    ...doseSections(data, texts),
    ...mitochondriaTables(data, texts).map((table) => ({ kind: 'table', table }) as const),
    ...(parts.charts === undefined ? [] : runSections(data, parts.charts, texts)),
    ...(data.names === undefined ? [] : nameSections(data, data.names, texts, extent)),
    ...(data.caution === undefined ? [] : cautionSections(data, data.caution, texts, extent)),
    ...gapSections(data, measured(parts.gaps), texts, extent),
    ...(data.known === undefined ? [] : siteSections(data, data.known, texts, extent)),
    ...(data.panelPlaces?.measured.length
      ? placeSections(data, data.panelPlaces, measured(parts.placeGaps), texts, extent)
      : []),
    ...panelSections(data, texts),
    ...contentSections(data, texts, extent),
    ...limitationSections(data, texts),
    {
      kind: 'terms',
      title: explained.title,
      items: [
        ...explained.items,
        ...(samples.some(({ unique }) => unique !== undefined) ? uniqueTerms(data, texts) : []),
        ...uniformityTerms(texts),
        [explained.sex, explained.sexRule(rule.male, rule.female)],
        ...karyotypeTerms(data, texts),
        ...(data.placeKinds === undefined ? [] : [[texts.copies.title, texts.copies.term] as const]),
        ...doseTerms(data, texts),
        ...mitochondriaTerms(data, texts),
        ...(data.known === undefined ? [] : siteTerms(data, texts)),
        samplingTerm(data, texts),
        ...(data.comparison === undefined ? [] : cohortTerms(data, texts)),
        ...(parts.charts?.length ? [[texts.runs.rules, texts.runs.rulesText] as const] : []),
      ],
    },
  ];
}

function gapSections(
  data: ReportData,
  { list: all, shown, further }: Required<ReportParts>['gaps'],
  texts: Texts,
  extent: TableExtent,
): PageSection[] {
  const first = lazyList(shown, (place) => all.at(place) as TargetGaps);
  const list = [...first].filter(({ at }) => isIncomplete(data, at));
  if (list.length === 0) {
    const words = data.samples.some((one) => leftOutOf(data, one) > 0) ? texts.copies.allExpected : texts.full.all;
    return [
      { kind: 'heading', id: 'gaps', title: texts.gaps.title(texts.depth(data.request.level)) },
      { kind: 'note', text: words, tone: 'good' },
    ];
  }
  let regions = 0;
  for (const { at, gaps } of list) {
    for (const [i, one] of data.samples.entries()) if (!isLeftOut(data, one, at)) regions += gaps[i]?.length ?? 0;
  }
  return [
    {
      kind: 'table',
      table: gapTable(data, list, texts, extent),
      summary: texts.gaps.summary(list.length, regions),
      ...(further > 0 ? { note: texts.gaps.more(further) } : {}),
    },
  ];
}

/** One row for each requested sample; without numbers if it could not be measured. */
export function metricsTable(data: ReportData, texts: Texts): PageTable {
  const { samples, thresholds, level, targets, request, comparison } = data;
  const withCohorts = comparison !== undefined && request.page === 'report';
  const measured = new Map(samples.map((one) => [one.sample.name, one]));
  const nothing = Array.from({ length: 1 + thresholds.length }, (): Cell => ({ text: '–', value: '' }));
  const count = texts.header.targetCount(targets.length, texts.targets[request.type]);
  return {
    name: 'metrics',
    title: texts.metrics.title,
    caption: texts.metrics.caption(
      data.bases ?? samples[0]?.depths.pooled.length ?? 0,
      count,
      countedText(data, texts),
    ),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(data, texts),
      ...(withCohorts ? cohortColumns(data, texts) : []),
    ],
    rows: request.samples.map(({ name }) => {
      const one = measured.get(name);
      const beside = withCohorts ? cohortCells(data, comparison.ofGroup(name, panelGroup(one)), texts) : [];
      const pooled = one?.depths.pooled;
      const own = pooled?.length
        ? depthCells(pooled, thresholds.length, level, texts, one?.depths.unique?.pooled)
        : nothing;
      return [textCell(name), ...own, ...beside];
    }),
  };
}

/** The groups (genes) with at least one target that the sample does not cover fully, sorted. */
export function incompleteGroups(data: ReportData, sample: number): string[] {
  const groups = new Set<string>();
  for (const at of incompleteOf(data, sample)) groups.add(data.targets.at(at)?.group ?? '');
  return [...groups].sort();
}

/** How many targets the sample does not cover fully, by its depths or those of unique reads. */
export function incompleteCount(data: ReportData, sample: number, depths?: Pick<SampleDepths, 'targets'>): number {
  let count = 0;
  for (const _ of incompleteOf(data, sample, depths)) count += 1;
  return count;
}

function* incompleteOf(
  data: ReportData,
  sample: number,
  own: Pick<SampleDepths, 'targets'> | undefined = data.samples[sample]?.depths,
): Generator<number> {
  const one = data.samples[sample];
  if (one === undefined || own === undefined) return;
  for (const [at, depths] of numberedMembers(own.targets)) {
    if (!isComplete(depths, data.level) && !isLeftOut(data, one, at)) yield at;
  }
}

/** Whether the sample cannot have any of the targets: nothing of it can be stated. */
export function hasNothing(data: ReportData, sample: number): boolean {
  return data.targets.length > 0 && countedTargets(data, sample) === 0;
}

/** How many targets the sample can have. */
export function countedTargets(data: ReportData, sample: number): number {
  const one = data.samples[sample];
  return data.targets.length - (one === undefined ? 0 : leftOutOf(data, one));
}

/** Genes that a page lists. */
const pageGenes = 1000;

function genesSection(data: ReportData, genes: IncompleteGenes, texts: Texts, extent: TableExtent): PageSection[] {
  if (genes.length === 0) return [];
  const most = extent === 'page' ? pageGenes : fileRows;
  return asMarked(data, (seen) => {
    const { table, further } = incompleteGenesTable(seen, genes, texts, most);
    // A PDF file says itself how many rows it leaves out.
    const note = extent === 'page' && further > 0 ? { note: texts.incomplete.more(further) } : {};
    return [{ kind: 'table', table, ...note }];
  });
}

/** `named` adds the genes with incomplete coverage of each sample, for exports: pages have a table of them. */
function fullTable(data: ReportData, texts: Texts, named = false): PageTable {
  const { samples, request } = data;
  return {
    name: 'fully_covered',
    title: texts.full.title(texts.targets[request.type][1], texts.depth(request.level)),
    caption: texts.full.caption,
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      ...withUnique([{ key: 'fully_covered_percent', title: texts.full.share, numeric: true }], samples),
      { key: 'incompletely_covered', title: texts.full.incomplete, numeric: true },
      ...(named ? [{ key: 'incompletely_covered_genes', title: texts.full.genes }] : []),
    ],
    rows: samples.map(({ sample, depths: { unique } }, i): Cell[] => {
      const [incomplete, all] = [incompleteCount(data, i), countedTargets(data, i)];
      const byUnique = (cell: Cell) =>
        unique === undefined ? cell : besideUnique(cell, (all - incompleteCount(data, i, unique)) / all, texts);
      const share: Cell =
        all === 0
          ? { text: '–', value: '' }
          : byUnique({ ...percentCell((all - incomplete) / all, texts), tone: incomplete === 0 ? 'good' : 'bad' });
      return [
        textCell(sample.name),
        share,
        { text: texts.full.of(incomplete, all), value: incomplete },
        ...(named ? [textCell(incompleteGroups(data, i).join(' '))] : []),
      ];
    }),
  };
}

function curveTable({ samples }: ReportData, curves: readonly (DepthCurve | undefined)[], texts: Texts): PageTable {
  const depths = curves.find((curve) => curve !== undefined)?.depths ?? [];
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
      ...samples.map((_, s): Cell => {
        const share = curves[s]?.shares[i];
        return share === undefined ? { text: '–', value: '' } : percentCell(share, texts);
      }),
    ]),
  };
}
