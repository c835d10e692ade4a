/**
 * The sex chromosomes of a report's samples: copies of X and Y, karyotypes and the sex check as tables and data. What a caller
 * may not see of aneuploidies looks like what is unclear.
 */
import type { Doses } from '../../cohorts/chromosome-dose.js';
import type { Build } from '../../contract.js';
import { isCapture } from '../../measure/copies.js';
import {
  type CopyEvidence,
  type CopyExons,
  isAneuploid,
  type KaryotypeEstimate,
  karyotypeOfCopies,
  leastDepth,
  leastPlaces,
  type MedianDepth,
  sexOfKaryotype,
  tolerance,
} from '../../measure/karyotype.js';
import { namesInFile } from '../../measure/measure.js';
import { intervalsIn, lengthOfRegions, medianOfValues } from '../../measure/region.js';
import { contradicts, type SexPrediction } from '../../measure/sex.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import type { Measurement, ReportData } from '../data.js';
import { countCell, meanCell } from '../targets.js';
import { type Cell, type PageSection, type PageTable, textCell } from '../view.js';

/** What is shown of one sample. */
interface SampleKaryotype extends Pick<KaryotypeEstimate, 'karyotype' | 'xCopies' | 'yCopies' | 'evidence'> {
  reason?: KaryotypeEstimate['reason'] | 'withheld';
  isMismatch: boolean;
}

type KaryotypeData = Pick<ReportData, 'samples' | 'karyotypes'>;

/** In the order of the samples that have one. */
function* karyotypesOfSamples(
  { samples, karyotypes = [] }: KaryotypeData,
  seesAneuploidy: boolean,
): Generator<[Measurement, SampleKaryotype]> {
  for (const [i, one] of samples.entries()) {
    const found = karyotypes[i];
    if (found !== undefined) yield [one, karyotypeOfSample(found, one, seesAneuploidy)];
  }
}

/** What rests on too little evidence is no secret: it reveals nothing about the person. */
function karyotypeOfSample(
  found: KaryotypeEstimate,
  { sample }: Measurement,
  seesAneuploidy: boolean,
): SampleKaryotype {
  const isMismatch = sample.sex !== undefined && contradicts(sexOfKaryotype(found), sample.sex);
  return seesAneuploidy || !isSecret(found)
    ? { ...found, isMismatch }
    : { reason: 'withheld', evidence: found.evidence, isMismatch };
}

/** Whether only readers with the right to see aneuploidies may see it. */
export function isSecret({ karyotype, reason }: KaryotypeEstimate): boolean {
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

/** By the sample's place: whether a reader must not see the depths of X and Y, which would reveal an aneuploidy. */
export function isWithheld({ karyotypes = [] }: Pick<ReportData, 'karyotypes'>, i: number, sees: boolean): boolean {
  const found = karyotypes[i];
  return !sees && found !== undefined && isSecret(found);
}

/** A table that may differ on paper, where aneuploidies are not printed unless requested. */
function asSeen(
  data: Pick<ReportData, 'karyotypes' | 'seesAneuploidy' | 'request'>,
  make: (sees: boolean) => PageTable,
): PageSection[] {
  const own = make(data.seesAneuploidy === true);
  if (data.request.printAneuploidy || !showsSecret(data)) return [{ kind: 'table', table: own }];
  return [
    { kind: 'table', table: own, media: 'screen' },
    { kind: 'table', table: { ...make(false), name: `${own.name}-printed` }, media: 'paper' },
  ];
}

export function karyotypeSections(data: ReportData, texts: Texts): PageSection[] {
  const { karyotypes = [] } = data;
  if (karyotypes.every((found) => found === undefined)) return [];
  return asSeen(data, (sees) => karyotypeTable(data, texts, sees));
}

export function karyotypeTable(data: KaryotypeData, texts: Texts, seesAneuploidy: boolean): PageTable {
  const { karyotype: words, header } = texts;
  const rows = [...karyotypesOfSamples(data, seesAneuploidy)];
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
      textCell(sample.name),
      karyotypeCell(one, texts),
      ...(declared ? [textCell(sample.sex === undefined ? '–' : texts.sexes[sample.sex])] : []),
      copiesCell(one.xCopies, texts),
      copiesCell(one.yCopies, texts),
      meanCell(one.evidence.autosomes.median, texts),
      placesCell(one, texts),
    ]),
  };
}

function karyotypeCell({ karyotype, reason, isMismatch }: SampleKaryotype, { karyotype: words }: Texts): Cell {
  const name = karyotype ?? words.reasons[reason ?? 'between'];
  const value = karyotype ?? (reason === 'withheld' ? 'not stated' : 'unclear');
  return isMismatch ? { text: words.mismatch(name), value, tone: 'bad' } : { text: name, value };
}

function copiesCell(copies: number | undefined, texts: Texts): Cell {
  return copies === undefined ? textCell('–') : { text: texts.decimal(copies), value: Math.round(copies * 100) / 100 };
}

function placesCell({ evidence: { unit, autosomes, x, y } }: SampleKaryotype, texts: Texts): Cell {
  const counts = [autosomes, x, y].map(({ count }) => countCell(count, texts).text) as [string, string, string];
  return textCell(texts.karyotype.counts[unit](...counts));
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
  const { karyotype, reason, xCopies, yCopies, evidence, isMismatch } = karyotypeOfSample(found, one, seesAneuploidy);
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
  const { karyotype, reason, xCopies, yCopies } = karyotypeOfSample(found, one, isPrinted(data));
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

// The chromosomes of a report's samples: how many copies of X, Y and the mitochondrion.

type KaryotypeTools = Pick<MeasuringServices, 'sources' | 'copyExons'>;

/** Of each sample, in order; undefined if its sex was not predicted. */
export async function estimatedKaryotypes(
  { sources, copyExons }: KaryotypeTools,
  { samples, request: { build } }: { samples: readonly Measurement[]; request: { build: Build } },
  signal: AbortSignal,
): Promise<(KaryotypeEstimate | undefined)[]> {
  const hasCapture = samples.some(({ sex }) => sex !== undefined && isCapture(sex.bins));
  const exons = hasCapture ? await copyExons(build, signal) : undefined;
  return Promise.all(
    samples.map(async ({ sex, source }) => {
      if (sex === undefined) return undefined;
      return karyotypeOfCopies(await evidenceOf(sex, source));
    }),
  );

  async function evidenceOf({ bins }: SexPrediction, { location }: Measurement['source']): Promise<CopyEvidence> {
    if (exons === undefined || !isCapture(bins)) return bins;
    return sources.use(location, (file) => exonDepths(file, exons, signal));
  }
}

export async function withKaryotypes(
  services: MeasuringServices,
  data: ReportData,
  signal: AbortSignal,
): Promise<ReportData> {
  const karyotypes = await estimatedKaryotypes(services, data, signal);
  return { ...data, karyotypes, seesAneuploidy: services.seesAneuploidy };
}

type DepthFile = Parameters<Parameters<KaryotypeTools['sources']['use']>[1]>[0];

/** Exons of the autosomes and of X without depth are not captured. */
async function exonDepths(file: DepthFile, exons: CopyExons, signal: AbortSignal): Promise<CopyEvidence> {
  const track = file.track();
  const all = [...exons.autosomes, ...exons.x, ...exons.y];
  const names = namesInFile(track.chromosomes, [...new Set(all.map(({ chromosome }) => chromosome))]);
  const { intervals, places } = intervalsIn(all, names);
  const { sums } = await file.columns({ intervals, signal });
  const means = new Float64Array(all.length);
  for (const [i, place] of places.entries()) {
    const region = all[place];
    if (region !== undefined) means[place] = (sums[i] as number) / track.denominator / lengthOfRegions([region]);
  }
  const ends = [exons.autosomes.length, exons.autosomes.length + exons.x.length] as const;
  const covered = (depths: Float64Array) => [...depths].filter((depth) => depth > 0);
  return {
    unit: 'exons',
    autosomes: medianDepth(covered(means.subarray(0, ends[0]))),
    x: medianDepth(covered(means.subarray(...ends))),
    y: medianDepth([...means.subarray(ends[1])]),
  };
}

function medianDepth(depths: readonly number[]): MedianDepth {
  return { median: medianOfValues(depths) ?? 0, count: depths.length };
}

// The sex check: the sex predicted from X and Y, and the declared one.

export function sexSections(data: ReportData, texts: Texts): PageSection[] {
  return asSeen(data, (sees) => sexTable(data, texts, sees));
}

/** Without the depths of X and Y that a reader who does not see aneuploidies must not know. */
export function sexTable(data: Pick<ReportData, 'samples' | 'karyotypes'>, texts: Texts, sees: boolean): PageTable {
  const { samples } = data;
  const build = samples.find(({ sex }) => sex?.build !== undefined)?.sex?.build;
  const declared = samples.some(({ sample }) => sample.sex !== undefined);
  const ratio = (value: number | undefined): Cell =>
    value === undefined
      ? { text: texts.sex.none, value: '' }
      : { text: texts.decimal(value), value: Math.round(value * 10_000) / 10_000 };
  return {
    name: 'sex',
    title: texts.sex.title,
    caption: build === undefined ? '' : texts.warnings.pars(build),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'predicted_sex', title: texts.sex.predicted, ...(declared ? { weight: 1.8 } : {}) },
      ...(declared ? [{ key: 'declared_sex', title: texts.sex.declared }] : []),
      { key: 'x_coverage', title: texts.sex.x, numeric: true },
      { key: 'y_coverage', title: texts.sex.y, numeric: true },
      { key: 'autosome_coverage', title: texts.sex.autosomes, numeric: true },
      { key: 'x_ratio', title: texts.sex.xRatio, numeric: true },
      { key: 'y_ratio', title: texts.sex.yRatio, numeric: true },
    ],
    rows: samples.flatMap(({ sample, sex }, i): Cell[][] => {
      if (sex === undefined) return [];
      const { sex: found, xCoverage, yCoverage, autosomeCoverage, xRatio, yRatio } = sex;
      const isHidden = isWithheld(data, i, sees);
      const unlessHidden = (cell: Cell): Cell => (isHidden ? { text: texts.sex.none, value: '' } : cell);
      return [
        [
          textCell(sample.name),
          predictedCell(found, sample.sex, texts),
          ...(declared ? [declaredCell(sample.sex, texts)] : []),
          unlessHidden(meanCell(xCoverage, texts)),
          unlessHidden(meanCell(yCoverage, texts)),
          meanCell(autosomeCoverage, texts),
          unlessHidden(ratio(xRatio)),
          unlessHidden(ratio(yRatio)),
        ],
      ];
    }),
  };
}

type SexName = keyof Texts['sexes'];

function predictedCell(found: SexName, declared: SexName | undefined, texts: Texts): Cell {
  const name = texts.sexes[found];
  if (declared !== undefined && contradicts(found, declared)) {
    return { text: texts.sex.mismatch(name), value: found, tone: 'bad' };
  }
  return found === declared && found !== 'unknown'
    ? { text: texts.sex.matches(name), value: found, tone: 'good' }
    : { text: name, value: found };
}

function declaredCell(declared: SexName | undefined, texts: Texts): Cell {
  return declared === undefined
    ? { text: texts.sex.none, value: '' }
    : { text: texts.sexes[declared], value: declared };
}
