/** Autosomes of which a registered sample has more than its assay, and copies of the mitochondrial genome. */
import { isFault } from '../../../../core/plugin.js';
import { chromosomeDoses, type Doses, leastRatio, leastZ } from '../../cohorts/chromosome-dose.js';
import { chromosomeIndex } from '../../d4/index.js';
import { isUsual, type MtCopies, mtCopiesOf, usualCopies } from '../../measure/copies.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import type { Measurement, ReportData } from '../data.js';
import { meanCell } from '../targets.js';
import { type Cell, type LazyTable, type PageSection, type PageTable, textCell } from '../view.js';

/** By the name of the sample. Undefined if nothing is compared, or the reader may not see it. */
export async function dosesOfSamples(
  { cohorts, seesAneuploidy }: Pick<MeasuringServices, 'cohorts' | 'seesAneuploidy'>,
  { comparison, samples, request: { build, poolAssays } }: ReportData,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Doses> | undefined> {
  if (comparison === undefined || !seesAneuploidy) return undefined;
  const compared = samples.flatMap(({ sample: { name, registration } }) => {
    const state = comparison.cohorts.get(name)?.state;
    return registration !== undefined && state === 'compared' ? [{ name, id: registration.id }] : [];
  });
  const question = { build, samples: compared.map(({ id }) => id), members: comparison.members, isPooled: poolAssays };
  try {
    const found = await chromosomeDoses(cohorts, question, signal);
    return new Map(compared.flatMap(({ name, id }) => [found.get(id)].flatMap((own) => (own ? [[name, own]] : []))));
  } catch (error) {
    // As the comparison of targets: without values, nothing is compared.
    if (isFault(error) && error.code === 'unavailable') return undefined;
    throw error;
  }
}

type DoseData = Pick<ReportData, 'doses' | 'request'>;

/** Printed only if requested, as aneuploidies of the sex chromosomes. */
export function doseSections(data: DoseData, texts: Texts): PageSection[] {
  if (data.doses === undefined || data.doses.size === 0) return [];
  const table = doseTable(data, texts);
  return [{ kind: 'table', table, ...(data.request.printAneuploidy ? {} : { media: 'screen' as const }) }];
}

export function doseTables(data: DoseData, texts: Texts): LazyTable[] {
  return data.doses === undefined ? [] : [{ name: 'autosomes', make: () => doseTable(data, texts) }];
}

function doseTable({ doses = new Map() }: DoseData, texts: Texts): PageTable {
  const { doses: words } = texts;
  return {
    name: 'autosomes',
    title: words.title,
    caption: words.caption,
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'autosomes', title: words.column, weight: 3 },
      { key: 'others', title: words.others, numeric: true },
    ],
    rows: [...doses].map(([name, own]): Cell[] => [
      textCell(name),
      doseCell(own, texts),
      { text: texts.number(own.others), value: own.others },
    ]),
  };
}

function doseCell({ chromosomes }: Doses, { doses: words, decimal }: Texts): Cell {
  if (chromosomes === undefined) return { text: words.few, value: '' };
  const flagged = chromosomes.filter(({ isFlagged }) => isFlagged);
  if (flagged.length === 0) return { text: words.none, value: '' };
  const list = flagged.map(({ chromosome, ratio, z = 0 }) => words.flag(chromosome, decimal(ratio), decimal(z)));
  return { text: list.join('; '), value: flagged.map(({ chromosome }) => chromosome).join(' '), tone: 'bad' };
}

export function doseTerms({ doses }: Pick<ReportData, 'doses'>, texts: Texts): (readonly [string, string])[] {
  if (doses === undefined || doses.size === 0) return [];
  return [[texts.doses.title, texts.doses.term(texts.decimal(leastRatio), texts.number(leastZ))]];
}

/** Nothing rounded; nothing for samples that are not compared, and for readers who may not see it. */
export function doseData(doses: Doses | undefined) {
  if (doses === undefined) return {};
  return {
    autosomes: {
      others: doses.others,
      flagged: doses.chromosomes?.filter(({ isFlagged }) => isFlagged).map(({ chromosome }) => chromosome) ?? null,
      chromosomes: doses.chromosomes?.map(({ chromosome, ratio, z }) => ({ chromosome, ratio, z: z ?? null })) ?? null,
    },
  };
}

// Copies of the mitochondrial genome in a report's samples.

/** Of each sample, in order; undefined if its sex was not predicted. */
export function mitochondriaOfSamples(
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

type MitochondriaData = Pick<ReportData, 'samples' | 'mitochondria'>;

function hasAny({ mitochondria = [] }: MitochondriaData): boolean {
  return mitochondria.some((found) => found !== undefined);
}

/** None if no sex was predicted. */
export function mitochondriaTables(data: MitochondriaData, texts: Texts): PageTable[] {
  return hasAny(data) ? [mitochondriaTable(data, texts)] : [];
}

export function mitochondriaTable({ samples, mitochondria = [] }: MitochondriaData, texts: Texts): PageTable {
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
          textCell(sample.name),
          copies === undefined ? { text: '–', value: '' } : { text: texts.decimal(copies), value: rounded(copies) },
          numerator === undefined ? { text: '–', value: '' } : meanCell(numerator, texts),
          denominator === undefined ? { text: '–', value: '' } : meanCell(denominator, texts),
          textCell(noteOf(found, texts)),
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

export function mitochondriaTerms(data: MitochondriaData, { mitochondria }: Texts): (readonly [string, string])[] {
  return hasAny(data) ? [[mitochondria.title, mitochondria.term]] : [];
}

/** By the sample's place; nothing if its sex was not predicted. */
export function mitochondriaData({ mitochondria = [] }: MitochondriaData, i: number) {
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
export function mitochondriaFigures({ mitochondria = [] }: MitochondriaData, i: number): Record<string, number> {
  const copies = mitochondria[i]?.copies;
  return copies === undefined ? {} : { mt_copies: rounded(copies) };
}
