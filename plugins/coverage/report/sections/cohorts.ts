/**
 * Compares the registered samples of a report with their cohorts, and states the cohorts as cells of tables (for pages in a few
 * lines, for exports in one column for each number) and in words: which cohort each sample is compared with, and the
 * definitions.
 */
import { Comparison, type TargetGroup } from '../../cohorts/compare.js';
import type { Cohort } from '../../cohorts/members.js';
import { type CohortStatement, leastForPercentiles } from '../../cohorts/statistics.js';
import {
  type GapFinding,
  leastForZ,
  lowRatio,
  outlyingZ,
  type TargetComparison,
} from '../../cohorts/target-comparison.js';
import { percentOfShare } from '../../measure/measure.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import { isIncomplete, isLeftOut, type Measurement, type ReportData } from '../data.js';
import type { PageRequest } from '../form/request.js';
import { countCell, twoDecimals } from '../targets.js';
import { type Cell, type PageSection, type PageTable, type TableColumn, textCell } from '../view.js';

/** Which targets are compared: those of an export of gaps are compared gap by gap. */
type ComparedTargets = 'all' | 'incomplete' | 'none';

/** The overview shows the incomplete intervals alone, the other pages all. */
export function comparedTargetsOf(page: PageRequest['page'], compared: ComparedTargets): ComparedTargets {
  return compared === 'incomplete' && page !== 'overview' ? 'all' : compared;
}

/** Genes that are compared as wholes, with the distinct bases of each. */
type ComparedGenes = Iterable<{ group: string; length: number }>;

/** The name of the group of all targets; no gene has it. */
const wholePanel = '';
/** The same without what a sample without Y cannot have. */
const withoutY = ' without Y';

/** The group of the targets that the totals of a sample are of. */
export function panelGroup(one: Measurement | undefined): string {
  return one?.copies?.lacksY ? withoutY : wholePanel;
}

/**
 * Compares the registered samples; undefined if there is none, or if the targets are lines of a BED file, of which no values are
 * stored.
 */
export async function comparisonOfReport(
  services: Pick<MeasuringServices, 'cohorts' | 'members' | 'shared'>,
  data: ReportData,
  which: ComparedTargets,
  genes: ComparedGenes | undefined,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const { request, level } = data;
  const samples = data.samples.flatMap(({ sample: { name, registration }, depths, fingerprint }) => {
    if (registration === undefined) return [];
    const isSameFile = fingerprint === registration.fingerprint;
    return [{ name, id: registration.id, isSameFile, depths: depths.targets }];
  });
  if (samples.length === 0 || request.type === 'custom_intervals') return undefined;
  const places: number[] = [];
  for (let at = 0; at < data.targets.length && which !== 'none'; at++) {
    if (which === 'all' || isIncomplete(data, at)) places.push(at);
  }
  const question = {
    build: request.build,
    threshold: request.level,
    level,
    samples,
    members: await services.members(request.build, signal),
    shared: await services.shared(request.build, signal),
    isPooled: request.poolAssays,
    targets: data.targets,
    places,
    groups: which === 'all' && request.page === 'report' ? groupsOf(data, places, genes) : [],
  };
  return Comparison.of(services.cohorts, question, signal);
}

/** The genes of the report's table, and all targets together. */
function groupsOf(data: ReportData, places: readonly number[], genes: ComparedGenes | undefined): TargetGroup[] {
  const byGene = new Map<string, { places: number[]; length: number }>();
  for (const { group, length } of genes ?? []) byGene.set(group, { places: [], length });
  for (const at of places) byGene.get(data.targets.at(at)?.group ?? '')?.places.push(at);
  const all = { name: wholePanel, places, length: data.bases ?? data.samples[0]?.depths.pooled.length ?? 0 };
  const lacking = data.samples.find(({ copies }) => copies?.lacksY);
  const others = lacking && {
    name: withoutY,
    places: places.filter((at) => !isLeftOut(data, lacking, at)),
    length: lacking.depths.pooled.length,
  };
  return [...[...byGene].map(([name, gene]) => ({ name, ...gene })), all, ...(others ? [others] : [])];
}

// Cells of tables.

/** Values of a small cohort on one line. */
const valuesOnLine = 5;

type NumberFormat = (value: number) => string;

/** The columns beside a sample's own figures; none if no sample is compared. */
export function cohortColumns({ comparison, request }: ReportData, texts: Texts): TableColumn[] {
  if (comparison === undefined) return [];
  const depth = texts.depth(request.level);
  return [
    { key: 'cohort_depth', title: texts.cohort.depth, weight: 1.5 },
    { key: `cohort_completeness_${request.level}`, title: texts.cohort.completeness(depth), weight: 1.8 },
  ];
}

export function cohortCells({ comparison }: ReportData, found: TargetComparison | undefined, texts: Texts): Cell[] {
  return comparison === undefined ? [] : [depthCell(found, texts), completenessCell(found, texts)];
}

/** Both in one column, for tables with many others; empty if no sample is compared. */
export function cohortColumn({ comparison }: ReportData, texts: Texts): TableColumn[] {
  return comparison === undefined ? [] : [{ key: 'cohort', title: texts.cohort.title, weight: 2 }];
}

export function cohortCell(data: ReportData, found: TargetComparison | undefined, texts: Texts): Cell[] {
  const [depth, completeness] = cohortCells(data, found, texts);
  if (depth === undefined || completeness === undefined) return [];
  const { list: depths = [] } = depth;
  const { list: shares = [] } = completeness;
  const level = texts.metrics.completeness(texts.depth(data.request.level));
  // Both end with the number of samples.
  const isSame = depths.at(-1) === shares.at(-1);
  const parts = [
    { name: texts.cohort.depth, lines: isSame ? depths.slice(0, -1) : depths },
    { name: level, lines: shares },
  ].filter(({ lines }) => lines.length > 0);
  if (parts.length === 0) return [nothing];
  const inOne = parts.map(({ name, lines }) => `${name}: ${inOneLine(lines)}`).join('; ');
  return [
    linesCell(
      parts.flatMap(({ name, lines }) => [name, ...lines]),
      inOne,
    ),
  ];
}

function depthCell(found: TargetComparison | undefined, texts: Texts): Cell {
  if (found?.depth === undefined) return nothing;
  const { own, statement } = found.depth;
  return linesCell([
    ownText(texts.decimal(own), statement, texts),
    ...statementLines(statement, texts.decimal, '', texts),
  ]);
}

export function completenessCell(found: TargetComparison | undefined, texts: Texts): Cell {
  if (found?.completeness === undefined) return nothing;
  const { statement } = found.completeness;
  const percentile = 'percentile' in statement && statement.percentile !== undefined;
  const own = percentile ? [texts.cohort.percentile(percentileText(statement.percentile ?? 0, texts))] : [];
  const written = (share: number) => texts.decimal(percentOfShare(share));
  return linesCell([...own, ...statementLines(statement, written, '\u00A0%', texts)]);
}

const nothing: Cell = { text: '–', value: '' };

/** Lines on pages, and one line elsewhere. */
function linesCell(lines: readonly string[], all = inOneLine(lines)): Cell {
  return { text: all, value: all, list: lines };
}

/** What ends with a colon says what follows. */
function inOneLine(lines: readonly string[]): string {
  return lines.reduce((all, line) => `${all}${all.endsWith(':') ? ' ' : '; '}${line}`);
}

function ownText(value: string, statement: CohortStatement, { cohort, ...texts }: Texts): string {
  if ('values' in statement || statement.percentile === undefined) return value;
  return `${value}, ${cohort.percentile(percentileText(statement.percentile, { cohort, ...texts }))}`;
}

function statementLines(statement: CohortStatement, written: NumberFormat, unit: string, { cohort }: Texts): string[] {
  if (!('values' in statement)) {
    const { n, median, low, high } = statement;
    return [`${written(median)}${unit} (${written(low)}–${written(high)})`, cohort.count(n)];
  }
  const { n, values } = statement;
  const lines: string[] = [];
  for (let from = 0; from < n; from += valuesOnLine) {
    lines.push(
      values
        .slice(from, from + valuesOnLine)
        .map(written)
        .join('; '),
    );
  }
  return [cohort.values(n), ...lines];
}

/** 0 and 100 only if the sample is below or above all others. */
function percentileText(percentile: number, texts: Texts): string {
  if (percentile === 0 || percentile === 100) return texts.number(percentile);
  return texts.number(Math.min(99.9, Math.max(0.1, Math.round(percentile * 10) / 10)));
}

/** The kind of a gap in words, and what it rests on. */
export function findingText(finding: GapFinding | undefined, isFile: boolean, texts: Texts): string | undefined {
  if (finding === undefined) return undefined;
  const { kind, isUsual, depth } = finding;
  const { kinds, deletionInFile, alsoUsual, evidence } = texts.cohort;
  const words = kind === 'possible-deletion' && isFile ? deletionInFile : kinds[kind];
  const also = isUsual && kind !== 'assay' ? `; ${alsoUsual}` : '';
  // What hints at a copy number is for the screen of those who look further, not for a printed report.
  if (isFile || depth?.z === undefined || kind === 'usual' || kind === 'unknown') return `${words}${also}`;
  return `${words}${also}\n${evidence(texts.decimal(depth.ratio), texts.decimal(depth.z))}`;
}

/** One column for each number of a cohort, for exports; none if no sample is compared. */
export function cohortExportColumns({ comparison, request }: ReportData): TableColumn[] {
  if (comparison === undefined) return [];
  const share = `cohort_completeness_${request.level}`;
  return [
    ...['cohort_assays', 'cohort_samples', 'normalised_depth', 'depth_ratio', 'depth_z', 'depth_percentile'],
    ...['cohort_depth_median', 'cohort_depth_p5', 'cohort_depth_p95', 'cohort_depth_values'],
    ...['completeness_percentile', `${share}_median_percent`, `${share}_p5_percent`, `${share}_p95_percent`],
    `${share}_values_percent`,
  ].map((key) => ({ key, title: key }));
}

export function cohortExportCells(
  { comparison }: ReportData,
  sample: string,
  found: TargetComparison | undefined,
): Cell[] {
  if (comparison === undefined) return [];
  const { depth, completeness } = found ?? {};
  const assays = found === undefined ? '' : (comparison.cohorts.get(sample)?.assays.join(' ') ?? '');
  return [
    textCell(assays),
    numberCell(found?.n),
    ...[depth?.own, depth?.ratio, depth?.z].map(rounded),
    ...statementCells(depth?.statement, (value) => Math.round(value * 1e4) / 1e4),
    ...statementCells(completeness?.statement, percentOfShare),
  ];
}

function statementCells(statement: CohortStatement | undefined, round: (value: number) => number): Cell[] {
  if (statement === undefined) return [undefined, undefined, undefined, undefined, undefined].map(numberCell);
  if ('values' in statement) {
    return [
      ...[undefined, undefined, undefined, undefined].map(numberCell),
      textCell(statement.values.map(round).join(' ')),
    ];
  }
  const { percentile, median, low, high } = statement;
  const own = percentile === undefined ? undefined : twoDecimals(percentile);
  return [numberCell(own), ...[median, low, high].map((value) => numberCell(round(value))), textCell('')];
}

function rounded(value: number | undefined): Cell {
  return numberCell(value === undefined ? undefined : Math.round(value * 1e4) / 1e4);
}

function numberCell(value: number | undefined): Cell {
  return value === undefined ? textCell('') : { text: String(value), value };
}

// Which cohort each sample is compared with, in words, and the definitions of what is stated.

/** One row for each registered sample. */
export function cohortTable({ comparison, samples, request }: ReportData, texts: Texts): PageTable {
  const { cohort, header } = texts;
  return {
    name: 'cohorts',
    title: cohort.title,
    caption: request.type === 'coding' ? `${cohort.caption} ${texts.counted.cohort}` : cohort.caption,
    columns: [
      { key: 'sample', title: header.sample, weight: 1.3 },
      { key: 'cohort', title: cohort.which, weight: 3 },
      { key: 'cohort_samples', title: cohort.samples, numeric: true },
      { key: 'cohort_samples_of_one_sex', title: cohort.sameSex, numeric: true },
      { key: 'cohort_checksum', title: cohort.checksum, weight: 1.4 },
    ],
    rows: samples.flatMap(({ sample: { name } }): Cell[][] => {
      const found = comparison?.cohorts.get(name);
      if (found === undefined) return [];
      const { n, sameSex, sex, checksum } = found;
      const shortened = (checksum ?? '').replace(/^(\w+:\w{12})\w*$/, '$1');
      return [
        [
          textCell(name),
          textCell(whichCohort(found, texts)),
          countCell(n, texts),
          sex === 'unknown' ? { text: '–', value: '' } : countCell(sameSex, texts),
          { text: shortened === '' ? '–' : shortened, value: checksum ?? '' },
        ],
      ];
    }),
  };
}

function whichCohort({ state, assays, isPooled, sex, n, sameSex, shared }: Cohort, texts: Texts): string {
  const { cohort } = texts;
  if (state === 'no-assay' || state === 'unavailable' || state === 'too-many') return cohort.states[state];
  const own = isPooled ? cohort.pooled(assays.join(', ')) : cohort.ofAssay(assays.join(', '));
  const others =
    shared &&
    cohort.shared(n - shared.n, shared.n, sex === 'unknown' ? undefined : [sameSex - shared.sameSex, shared.sameSex]);
  const sexes = sex === 'unknown' ? cohort.unknownSex : undefined;
  const stateText = state === 'compared' ? undefined : cohort.states[state];
  return [state === 'alone' ? undefined : own, others, stateText, sexes].filter((one) => one !== undefined).join(' ');
}

/** Before the numbers of a page; nothing if no sample is registered. */
export function cohortSections(data: ReportData, texts: Texts): PageSection[] {
  return data.comparison === undefined ? [] : [{ kind: 'table', table: cohortTable(data, texts) }];
}

/** The definitions, as items of the explanations. */
export function cohortTerms({ comparison }: ReportData, texts: Texts): (readonly [string, string])[] {
  if (comparison === undefined) return [];
  const { terms, kinds, defined } = texts.cohort;
  return [
    [terms.cohort, terms.cohortText(leastForPercentiles)],
    [terms.percentile, terms.percentileText],
    [terms.depth, terms.depthText],
    [kinds.assay, defined.assay(leastForPercentiles)],
    [kinds.sample, defined.sample],
    [kinds['possible-deletion'], defined.deletion(texts.decimal(lowRatio), -outlyingZ, leastForZ)],
    [kinds.usual, defined.usual],
    [kinds.unknown, defined.unknown(leastForPercentiles)],
  ];
}

/** The definitions as a section of their own, for pages without other explanations. */
export function cohortExplanations(data: ReportData, texts: Texts): PageSection[] {
  const items = cohortTerms(data, texts);
  return items.length === 0 ? [] : [{ kind: 'terms', title: texts.explain.title, items }];
}
