/** Autosomes of which a registered sample has more than its assay, for readers who may see aneuploidies. */
import { isFault } from '../../../core/plugin.js';
import { chromosomeDoses, type Doses, leastRatio, leastZ } from '../comparison/chromosome-dose.js';
import type { MeasuringServices } from '../services.js';
import type { Texts } from '../texts/texts.js';
import type { ReportData } from './report-data.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

/** By the name of the sample. Undefined if nothing is compared, or the reader may not see it. */
export async function dosesOf(
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

type Known = Pick<ReportData, 'doses' | 'request'>;

/** Printed only if that is asked for, as aneuploidies of the sex chromosomes. */
export function doseSections(data: Known, texts: Texts): Section[] {
  if (data.doses === undefined || data.doses.size === 0) return [];
  const table = doseTable(data, texts);
  return [{ kind: 'table', table, ...(data.request.printAneuploidy ? {} : { media: 'screen' as const }) }];
}

export function doseTables(data: Known, texts: Texts): LazyTable[] {
  return data.doses === undefined ? [] : [{ name: 'autosomes', make: () => doseTable(data, texts) }];
}

function doseTable({ doses = new Map() }: Known, texts: Texts): Table {
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
      text(name),
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
