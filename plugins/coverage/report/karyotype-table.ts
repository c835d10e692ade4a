/** Karyotypes as tables and data. What a caller may not see of aneuploidies looks like what is unclear. */
import type { Doses } from '../comparison/chromosome-dose.js';
import {
  isAneuploid,
  type KaryotypeFound,
  leastDepth,
  leastPlaces,
  sexOfKaryotype,
  tolerance,
} from '../domain/karyotype.js';
import { contradicts } from '../domain/sex.js';
import type { Texts } from '../texts/texts.js';
import { countCell, meanCell } from './cells.js';
import type { Measurement, ReportData } from './report-data.js';
import { type Cell, type Section, type Table, text } from './view.js';

/** What is shown of one sample. */
interface Shown extends Pick<KaryotypeFound, 'karyotype' | 'xCopies' | 'yCopies' | 'evidence'> {
  reason?: KaryotypeFound['reason'] | 'withheld';
  isMismatch: boolean;
}

type Known = Pick<ReportData, 'samples' | 'karyotypes'>;

/** In the order of the samples that have one. */
function* shownOf({ samples, karyotypes = [] }: Known, seesAneuploidy: boolean): Generator<[Measurement, Shown]> {
  for (const [i, one] of samples.entries()) {
    const found = karyotypes[i];
    if (found !== undefined) yield [one, shown(found, one, seesAneuploidy)];
  }
}

/** What rests on too little evidence is no secret: it tells nothing of the person. */
function shown(found: KaryotypeFound, { sample }: Measurement, seesAneuploidy: boolean): Shown {
  const isMismatch = sample.sex !== undefined && contradicts(sexOfKaryotype(found), sample.sex);
  return seesAneuploidy || !isSecret(found)
    ? { ...found, isMismatch }
    : { reason: 'withheld', evidence: found.evidence, isMismatch };
}

/** Whether it is told only to readers with the right to see aneuploidies. */
export function isSecret({ karyotype, reason }: KaryotypeFound): boolean {
  return karyotype === undefined ? reason === 'between' || reason === 'y-unknown' : isAneuploid(karyotype);
}

/** Whether the report says what only readers with the right to see aneuploidies may read. */
export function showsAneuploidy({
  karyotypes = [],
  doses = new Map(),
  seesAneuploidy = false,
  samples = [],
}: Pick<ReportData, 'karyotypes' | 'doses' | 'seesAneuploidy'> & Partial<Pick<ReportData, 'samples'>>): boolean {
  if (samples.some(({ copies }) => copies?.isSecret)) return true;
  return showsSecret({ karyotypes, seesAneuploidy }) || (seesAneuploidy && [...doses.values()].some(isFlagged));
}

function isFlagged({ chromosomes = [] }: Doses): boolean {
  return chromosomes.some((dose) => dose.isFlagged);
}

/** Whether the sex chromosomes differ between a screen and paper. */
function showsSecret({
  karyotypes = [],
  seesAneuploidy = false,
}: Pick<ReportData, 'karyotypes' | 'seesAneuploidy'>): boolean {
  return seesAneuploidy && karyotypes.some((found) => found !== undefined && isSecret(found));
}

/** By the sample's place: whether a reader must not see the depths of X and Y, by which an aneuploidy could be told. */
export function isWithheld({ karyotypes = [] }: Pick<ReportData, 'karyotypes'>, i: number, sees: boolean): boolean {
  const found = karyotypes[i];
  return !sees && found !== undefined && isSecret(found);
}

/** A table that may differ on paper, where aneuploidies are not printed unless that is asked for. */
export function asSeen(
  data: Pick<ReportData, 'karyotypes' | 'seesAneuploidy' | 'request'>,
  make: (sees: boolean) => Table,
): Section[] {
  const own = make(data.seesAneuploidy === true);
  if (data.request.printAneuploidy || !showsSecret(data)) return [{ kind: 'table', table: own }];
  return [
    { kind: 'table', table: own, media: 'screen' },
    { kind: 'table', table: { ...make(false), name: `${own.name}-printed` }, media: 'paper' },
  ];
}

export function karyotypeSections(data: ReportData, texts: Texts): Section[] {
  const { karyotypes = [] } = data;
  if (karyotypes.every((found) => found === undefined)) return [];
  return asSeen(data, (sees) => karyotypeTable(data, texts, sees));
}

export function karyotypeTable(data: Known, texts: Texts, seesAneuploidy: boolean): Table {
  const { karyotype: words, header } = texts;
  const rows = [...shownOf(data, seesAneuploidy)];
  const declared = rows.some(([{ sample }]) => sample.sex !== undefined);
  return {
    name: 'karyotype',
    title: words.title,
    caption: words.caption,
    columns: [
      { key: 'sample', title: header.sample, weight: 1.6 },
      { key: 'karyotype', title: words.column, weight: 1.8 },
      ...(declared ? [{ key: 'declared_sex', title: header.declared }] : []),
      { key: 'x_copies', title: words.xCopies, numeric: true },
      { key: 'y_copies', title: words.yCopies, numeric: true },
      { key: 'autosomal_median', title: words.median, numeric: true, weight: 1.4 },
      { key: 'places', title: words.places, weight: 2 },
    ],
    rows: rows.map(([{ sample }, one]): Cell[] => [
      text(sample.name),
      karyotypeCell(one, texts),
      ...(declared ? [text(sample.sex === undefined ? '–' : texts.sexes[sample.sex])] : []),
      copiesCell(one.xCopies, texts),
      copiesCell(one.yCopies, texts),
      meanCell(one.evidence.autosomes.median, texts),
      placesCell(one, texts),
    ]),
  };
}

function karyotypeCell({ karyotype, reason, isMismatch }: Shown, { karyotype: words }: Texts): Cell {
  const name = karyotype ?? words.reasons[reason ?? 'between'];
  const value = karyotype ?? (reason === 'withheld' ? 'not stated' : 'unclear');
  return isMismatch ? { text: words.mismatch(name), value, tone: 'bad' } : { text: name, value };
}

function copiesCell(copies: number | undefined, texts: Texts): Cell {
  return copies === undefined ? text('–') : { text: texts.decimal(copies), value: Math.round(copies * 100) / 100 };
}

function placesCell({ evidence: { unit, autosomes, x, y } }: Shown, texts: Texts): Cell {
  const counts = [autosomes, x, y].map(({ count }) => countCell(count, texts).text) as [string, string, string];
  return text(texts.karyotype.counts[unit](...counts));
}

export function karyotypeTerms(
  { karyotypes = [] }: Pick<ReportData, 'karyotypes'>,
  texts: Texts,
): (readonly [string, string])[] {
  if (karyotypes.every((found) => found === undefined)) return [];
  const { title, term } = texts.karyotype;
  return [[title, term(texts.decimal(tolerance), leastPlaces, leastDepth)]];
}

/** By the sample's place; nothing if there is no karyotype. */
export function karyotypeData({ samples, karyotypes = [], seesAneuploidy = false }: ReportData, i: number) {
  const [found, one] = [karyotypes[i], samples[i]];
  if (found === undefined || one === undefined) return {};
  const { karyotype, reason, xCopies, yCopies, evidence, isMismatch } = shown(found, one, seesAneuploidy);
  return {
    karyotype: {
      karyotype: karyotype ?? null,
      reason: reason ?? null,
      x_copies: xCopies ?? null,
      y_copies: yCopies ?? null,
      declared_sex_mismatch: isMismatch,
      autosomal_median: evidence.autosomes.median,
      counted_by: evidence.unit === 'bins' ? '10 kb bins' : 'coding exons',
      places: { autosomes: evidence.autosomes.count, x: evidence.x.count, y: evidence.y.count },
    },
  };
}

/** For MultiQC, whose reports go to many readers: as printed. */
export function karyotypeFigures(data: ReportData, i: number): Record<string, string | number> {
  const [found, one] = [data.karyotypes?.[i], data.samples[i]];
  if (found === undefined || one === undefined) return {};
  const { karyotype, reason, xCopies, yCopies } = shown(found, one, isPrinted(data));
  const two = (value: number) => Math.round(value * 100) / 100;
  return {
    karyotype: karyotype ?? (reason === 'withheld' ? 'not stated' : 'unclear'),
    ...(xCopies !== undefined && { x_copies: two(xCopies) }),
    ...(yCopies !== undefined && { y_copies: two(yCopies) }),
  };
}

function isPrinted({ seesAneuploidy = false, request }: ReportData): boolean {
  return seesAneuploidy && request.printAneuploidy;
}
