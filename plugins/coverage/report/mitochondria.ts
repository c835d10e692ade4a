/** Copies of the mitochondrial genome in a report's samples. */
import { chromosomeIndex } from '../d4/names.js';
import { isUsual, type MtCopies, mtCopiesOf, usualCopies } from '../domain/mt-copies.js';
import type { MeasuringServices } from '../services.js';
import type { Texts } from '../texts/texts.js';
import { meanCell } from './cells.js';
import type { Measurement, ReportData } from './report-data.js';
import { type Cell, type Table, text } from './view.js';

/** Of each sample, in order; undefined if its sex was not predicted. */
export function mitochondriaOf(
  { sources }: Pick<MeasuringServices, 'sources'>,
  { samples, request: { mtMethod } }: Pick<ReportData, 'samples' | 'request'>,
  signal: AbortSignal,
): Promise<(MtCopies | undefined)[]> {
  return Promise.all(
    samples.map(async ({ sex, source }) => {
      if (sex === undefined) return undefined;
      const mean = mtMethod === 'scout14' ? await chromosome14(sources, source, signal) : undefined;
      return mtCopiesOf(sex.mitochondrion, sex.bins, mtMethod, mean);
    }),
  );
}

/** Its mean depth; undefined if the file lacks it. Reads all of it. */
function chromosome14(
  sources: MeasuringServices['sources'],
  { location }: Measurement['source'],
  signal: AbortSignal,
): Promise<number | undefined> {
  return sources.use(location, async (file) => {
    const { chromosomes } = file.track();
    const own = chromosomes[chromosomeIndex(chromosomes, '14', true)];
    if (own === undefined) return undefined;
    const { means } = await file.columns({ intervals: [{ chromosome: own.name, begin: 0, end: own.size }], signal });
    return means[0];
  });
}

type Known = Pick<ReportData, 'samples' | 'mitochondria'>;

function hasAny({ mitochondria = [] }: Known): boolean {
  return mitochondria.some((found) => found !== undefined);
}

/** None if no sex was predicted. */
export function mitochondriaTables(data: Known, texts: Texts): Table[] {
  return hasAny(data) ? [mitochondriaTable(data, texts)] : [];
}

export function mitochondriaTable({ samples, mitochondria = [] }: Known, texts: Texts): Table {
  const { mitochondria: words, header } = texts;
  const method = mitochondria.find((found) => found !== undefined)?.method ?? 'median';
  return {
    name: 'mt_copies',
    title: words.title,
    caption: words.formulas[method],
    columns: [
      { key: 'sample', title: header.sample, weight: 1.6 },
      { key: 'mt_copies', title: words.copies, numeric: true },
      { key: 'mt_mean_coverage', title: words.numerator, numeric: true, weight: 1.2 },
      { key: 'nuclear_coverage', title: words.denominators[method], numeric: true, weight: 1.2 },
      { key: 'note', title: words.note, weight: 4 },
    ],
    rows: samples.flatMap(({ sample }, i): Cell[][] => {
      const found = mitochondria[i];
      if (found === undefined) return [];
      const { copies, numerator, denominator } = found;
      return [
        [
          text(sample.name),
          copies === undefined ? { text: '–', value: '' } : { text: texts.decimal(copies), value: rounded(copies) },
          numerator === undefined ? { text: '–', value: '' } : meanCell(numerator, texts),
          denominator === undefined ? { text: '–', value: '' } : meanCell(denominator, texts),
          text(noteOf(found, texts)),
        ],
      ];
    }),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function noteOf({ copies, refusal }: MtCopies, { mitochondria: { refusals, unusual } }: Texts): string {
  if (refusal !== undefined) return refusals[refusal];
  return copies === undefined || isUsual(copies) ? '' : unusual(usualCopies.least, usualCopies.most);
}

export function mitochondriaTerms(data: Known, { mitochondria }: Texts): (readonly [string, string])[] {
  return hasAny(data) ? [[mitochondria.title, mitochondria.term]] : [];
}

/** By the sample's place; nothing if its sex was not predicted. */
export function mitochondriaData({ mitochondria = [] }: Known, i: number) {
  const found = mitochondria[i];
  if (found === undefined) return {};
  const { method, numerator, denominator, copies, refusal } = found;
  return {
    mt_copies: {
      copies: copies ?? null,
      refused: refusal ?? null,
      method,
      formula:
        method === 'median'
          ? '2 × mean depth of MT / median depth of the 10 kb bins of the autosomes'
          : '2 × mean depth of MT / mean depth of chromosome 14',
      numerator: numerator ?? null,
      denominator: denominator ?? null,
      usual: copies === undefined ? null : isUsual(copies),
    },
  };
}

/** For MultiQC. */
export function mitochondriaFigures({ mitochondria = [] }: Known, i: number): Record<string, number> {
  const copies = mitochondria[i]?.copies;
  return copies === undefined ? {} : { mt_copies: rounded(copies) };
}
