/** What is stated of cohorts, as cells of tables: for pages in a few lines, for exports in one column for each number. */
import type { GapFinding } from '../comparison/gap-finding.js';
import type { Statement } from '../comparison/statement.js';
import type { TargetComparison } from '../comparison/target-comparison.js';
import { percentOf } from '../domain/measure.js';
import type { Texts } from '../texts/texts.js';
import { twoDecimals } from './cells.js';
import type { ReportData } from './report-data.js';
import { type Cell, type Column, text } from './view.js';

/** Values of a small cohort on one line. */
const valuesOnLine = 5;

type Written = (value: number) => string;

/** The columns beside a sample's own figures; none if no sample is compared. */
export function cohortColumns({ comparison, request }: ReportData, texts: Texts): Column[] {
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
export function cohortColumn({ comparison }: ReportData, texts: Texts): Column[] {
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
  const written = (share: number) => texts.decimal(percentOf(share));
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

function ownText(value: string, statement: Statement, { cohort, ...texts }: Texts): string {
  if ('values' in statement || statement.percentile === undefined) return value;
  return `${value}, ${cohort.percentile(percentileText(statement.percentile, { cohort, ...texts }))}`;
}

function statementLines(statement: Statement, written: Written, unit: string, { cohort }: Texts): string[] {
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
export function cohortExportColumns({ comparison, request }: ReportData): Column[] {
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
    text(assays),
    numberCell(found?.n),
    ...[depth?.own, depth?.ratio, depth?.z].map(rounded),
    ...statementCells(depth?.statement, (value) => Math.round(value * 1e4) / 1e4),
    ...statementCells(completeness?.statement, percentOf),
  ];
}

function statementCells(statement: Statement | undefined, round: (value: number) => number): Cell[] {
  if (statement === undefined) return [undefined, undefined, undefined, undefined, undefined].map(numberCell);
  if ('values' in statement) {
    return [
      ...[undefined, undefined, undefined, undefined].map(numberCell),
      text(statement.values.map(round).join(' ')),
    ];
  }
  const { percentile, median, low, high } = statement;
  const own = percentile === undefined ? undefined : twoDecimals(percentile);
  return [numberCell(own), ...[median, low, high].map((value) => numberCell(round(value))), text('')];
}

function rounded(value: number | undefined): Cell {
  return numberCell(value === undefined ? undefined : Math.round(value * 1e4) / 1e4);
}

function numberCell(value: number | undefined): Cell {
  return value === undefined ? text('') : { text: String(value), value };
}
