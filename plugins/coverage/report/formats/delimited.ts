/**
 * Tables as CSV (RFC 4180) or TSV, safe to open in spreadsheet programs, low-coverage regions as BED, and what such files state
 * in each row because they have no header.
 */
import { separatedCell, withoutFormula } from '../../../../core/plugin.js';
import { sentenceOfFailure } from '../../measure/examine.js';
import type { DepthFiles } from '../../measure/measure.js';
import type { Region } from '../../measure/region.js';
import { Pace } from '../../measure/work-queue.js';
import { en, type Texts } from '../../texts/texts.js';
import { isLeftOut, type ReportData } from '../data.js';
import { fieldFault } from '../form/fields.js';
import { panelReference, type ReportPanel } from '../panel.js';
import { codingGenes, countedFact, countedKey } from '../sections/header.js';
import {
  compareGaps,
  gapDepths,
  gapPortions,
  intervalOfGap,
  type MeasuredGap,
  type TargetGaps,
} from '../sections/target-gaps.js';
import { placeNames, type ReportTarget } from '../targets.js';
import { type Cell, type LazyTable, type LongTable, textCell } from '../view.js';

/** The requested table, or the main one. */
export function tableNamed(tables: readonly LazyTable[], name: string | undefined, texts: Texts): LongTable {
  const found = name === undefined ? tables[0] : tables.find((table) => table.name === name);
  if (found !== undefined) return found.make();
  throw fieldFault('table', texts.form.oneOf(tables.map((table) => table.name)));
}

type Separator = ',' | '\t';

/** Least length of one piece, in characters. */
const pieceLength = 32_768;

/**
 * Yields the table in pieces, with pauses for other requests. The first line has the keys of the columns; lines end with
 * CRLF in CSV (RFC 4180) and LF in TSV.
 */
export async function* separatedLines({ columns, rows }: LongTable, separator: Separator): AsyncGenerator<string> {
  const end = separator === ',' ? '\r\n' : '\n';
  const line = (cells: readonly (string | number)[]) =>
    cells.map((cell) => separatedCell(cell, separator)).join(separator) + end;
  const pace = new Pace();
  let text = line(columns.map(({ key }) => key));
  for (const row of rows) {
    text += line(row.map(({ value }) => value));
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
    await pace.turn();
  }
  yield text;
}

/** With a further column after each whose cells may have a value by unique reads. */
export function withUniqueColumns(table: LongTable): LongTable {
  const { columns, rows } = table;
  if (!columns.some(({ unique }) => unique)) return table;
  return {
    ...table,
    columns: columns.flatMap((column) => {
      const key = `${column.key}_unique`;
      return column.unique ? [column, { key, title: key }] : [column];
    }),
    rows: {
      *[Symbol.iterator]() {
        for (const row of rows) {
          yield row.flatMap((cell, i) => {
            const { unique = '' } = cell;
            return columns[i]?.unique ? [cell, { text: String(unique), value: unique }] : [cell];
          });
        }
      },
    },
  };
}

// The low-coverage regions as BED (zero-based, half-open), with the chromosome names of each sample's file.

const columns = [
  ...['#chrom', 'start', 'end', 'name', 'score', 'strand'],
  ...['gene', 'transcript', 'exon', 'sample', 'mean_depth', 'min_depth', 'coding'],
];

/** After these if a sample is registered: see `cohorts/target-comparison.ts`. */
const compared = ['kind', 'depth_ratio', 'depth_z'];
/** After these if regions of caution are loaded: the names of their sets. */
const cautioned = ['caution'];

/** Six columns of BED, then those of `columns`; a dot stands for what is unknown. The first lines are comments. */
export async function* gapsBed(sources: DepthFiles, data: ReportData, signal: AbortSignal): AsyncGenerator<string> {
  const { samples, request, notIncluded, comparison, caution } = data;
  yield `# Bases below ${request.level}x on ${request.build}; score: mean depth, 1000 at most\n`;
  if (request.type === 'coding') yield `# Bases counted: ${countedFact(data, en)}\n`;
  if (data.panel !== undefined) yield `# Gene panel ${panelLine(data.panel)}\n`;
  for (const one of notIncluded) yield `# Not included: ${sentenceOfFailure(one).replace(/[\s\p{Cc}]+/gu, ' ')}\n`;
  const further = [...(comparison === undefined ? [] : compared), ...(caution === undefined ? [] : cautioned)];
  yield `${[...columns, ...further].join('\t')}\n`;
  const pace = new Pace();
  for await (const portion of gapPortions(sources, data, signal)) {
    await compareGaps(data, portion, signal);
    const measured: MeasuredGap[][] = [];
    for (const [i, measurement] of samples.entries()) {
      const gaps = portion.flatMap((one) => gapsOfSample(data, one, i));
      measured.push(gaps.length === 0 ? [] : await gapDepths(sources, measurement, gaps, signal));
    }
    const written = samples.map(() => 0);
    for (const of of portion) {
      const { target } = of;
      for (const [i, { sample }] of samples.entries()) {
        const own = gapsOfSample(data, of, i);
        if (own.length === 0) continue;
        const from = written[i] as number;
        written[i] = from + own.length;
        await pace.turn();
        yield gapLines(data, target, sample.name, own, measured[i]?.slice(from, from + own.length) ?? []);
      }
    }
  }
}

/** None of a target that the sample cannot have. */
function gapsOfSample(data: ReportData, { at, gaps }: TargetGaps, i: number): readonly Region[] {
  const one = data.samples[i];
  return one === undefined || isLeftOut(data, one, at) ? [] : (gaps[i] ?? []);
}

/** `measured` are the gaps as the sample's file has them, in the order of `gaps`. */
function gapLines(
  { comparison, caution }: ReportData,
  target: ReportTarget,
  sample: string,
  gaps: readonly Region[],
  measured: readonly MeasuredGap[],
): string {
  const [gene, id, name, transcript] = [target.group, target.id, sample, target.transcript ?? ''].map(bedWord);
  const namesOf = placeNames(target);
  return measured
    .map(({ chromosome, start, end, mean, min }, i) => {
      const { exon = '', coding = '' } = namesOf(gaps[i] as Region);
      const score = Math.min(1000, Math.round(mean));
      const bed = [bedWord(chromosome), start, end, `${gene}|${id}|${name}`, score, '.'];
      const depth = [Math.round(mean * 100) / 100, min];
      const finding = comparison?.ofGap(sample, intervalOfGap(target, gaps[i] as Region));
      const kind =
        comparison === undefined ? [] : [finding?.kind, rounded(finding?.depth?.ratio), rounded(finding?.depth?.z)];
      const own = [gene, transcript, bedWord(exon), name, ...depth, bedWord(coding), ...kind.map((one) => one ?? '.')];
      if (caution !== undefined) own.push(bedWord(caution.namesAt(gaps[i] as Region).join(';')));
      return `${[...bed, ...own].join('\t')}\n`;
    })
    .join('');
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 1e4) / 1e4;
}

/** Text as one column: readers split lines at tabs, some also at spaces. */
function bedWord(text: string): string {
  return withoutFormula(text.replace(/[\s\p{Cc}]+/gu, '_')) || '.';
}

// What exports without a header state in each row: which bases were counted, and the version of the panel.

/** The tables that count bases of the intervals, and do not say themselves which. */
const ofBases = new Set([
  ...['metrics', 'coding', 'fully_covered', 'incomplete_genes', 'curve', 'uniformity', 'gaps', 'intervals'],
  ...['incomplete', 'transcripts', 'caution', 'names'],
]);

const panelColumns = ['panel', 'panel_state', 'panel_sha256', 'panel_gene_names'];

/** The table with these columns at its end: the same in each row, but for the bases of genes without coding ones. */
export function withHeaderColumns(
  table: LongTable,
  data: Pick<ReportData, 'panel' | 'request' | 'targets'>,
): LongTable {
  const { panel } = data;
  const isOfBases = ofBases.has(table.name);
  const keys = [...(isOfBases ? ['bases_counted'] : []), ...(panel === undefined ? [] : panelColumns)];
  const ofPanel = panel === undefined ? [] : [panelReference(panel), panel.state, panel.sha256, panel.names ?? ''];
  const cells = ofPanel.map((one) => textCell(one));
  const counted = textCell(countedKey(data));
  const nonCoding = new Set<unknown>(table.columns[0]?.key === 'gene' ? codingGenes(data).nonCoding : []);
  const countedOf = ([gene]: readonly Cell[]) => (nonCoding.has(gene?.value) ? textCell('non-coding exons') : counted);
  return {
    ...table,
    columns: [...table.columns, ...keys.map((key) => ({ key, title: key }))],
    rows: { [Symbol.iterator]: () => rowsWith(table.rows, isOfBases ? countedOf : undefined, cells) },
  };
}

function* rowsWith(
  rows: LongTable['rows'],
  countedOf: ((row: readonly Cell[]) => Cell) | undefined,
  cells: readonly Cell[],
): Iterator<readonly Cell[]> {
  for (const row of rows) yield [...row, ...(countedOf === undefined ? [] : [countedOf(row)]), ...cells];
}

/** `kidney@1.10 (signed off), sha256:…, gene names 2026-11-01`: one line, whatever the release is called. */
export function panelLine(panel: ReportPanel): string {
  const names =
    panel.names === undefined
      ? 'release of gene names unknown'
      : `gene names ${panel.names.replace(/[\s\p{Cc}]+/gu, ' ')}`;
  return `${panelReference(panel)} (${panel.state}), sha256:${panel.sha256}, ${names}`;
}
