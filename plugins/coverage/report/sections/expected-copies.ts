/**
 * What a report says of the copies that its samples are expected to have: what is left out of totals, and what is noted beside depths.
 * Readers without the right to see aneuploidies, and paper unless they are printed, get the text for unclear karyotypes.
 */
import { type CopyReading, copiesAt, placeKinds, readCopies } from '../../measure/copies.js';
import { type KaryotypeEstimate, lacksY, sexOfKaryotype } from '../../measure/karyotype.js';
import { type Depths, isComplete, type Measure, type SampleDepths } from '../../measure/measure.js';
import { type Quality, type QualityWarning, yOfFemale } from '../../measure/quality.js';
import { difference, lengthOfRegions, numberedMembers, type Region, union } from '../../measure/region.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData, type SampleCopies } from '../data.js';
import { cutList, depthCells, joinedDepths, type ReportTarget, shareCell, totalsBeside } from '../targets.js';
import type { Cell, PageSection } from '../view.js';
import { codingBelow } from './header.js';
import { estimatedKaryotypes, isSecret } from './karyotype-tables.js';

/** Genes that a sentence names. */
const named = 30;

/** With the copies of each sample if some target depends on them, and totals without what the sample cannot have. */
export async function withExpectedCopies(
  services: Pick<MeasuringServices, 'sources' | 'copyExons' | 'measure' | 'seesAneuploidy'>,
  data: ReportData,
  signal: AbortSignal,
): Promise<ReportData> {
  if (data.placeKinds === undefined) return data;
  const karyotypes = data.karyotypes ?? (await estimatedKaryotypes(services, data, signal));
  const bases = data.samples[0]?.depths.pooled.length ?? 0;
  const known = data.samples.map((one, i) => {
    return { ...one, copies: copiesOf(one, karyotypes[i], services.seesAneuploidy, data.request.printAneuploidy) };
  });
  const read: ReportData = { ...data, bases, samples: known };
  const samples = await Promise.all(known.map((one) => withoutLeftOut(services.measure, read, one, signal)));
  return { ...read, samples, quality: qualityOf(read) };
}

function copiesOf(
  { sample, sex }: Measurement,
  found: KaryotypeEstimate | undefined,
  sees: boolean,
  prints: boolean,
): SampleCopies {
  const evidence = { lacksY: found !== undefined && lacksY(found), predicted: sex?.sex, declared: sample.sex };
  const whole = readCopies({ ...evidence, karyotype: found?.karyotype });
  if (found === undefined || !isSecret(found)) {
    return { shown: whole, printed: whole, lacksY: whole.copies?.y === 0, isSecret: false };
  }
  const own = sexOfKaryotype(found);
  const open = readCopies({ ...evidence, ...(own === 'unknown' ? {} : { predicted: own }) });
  const [shown, printed] = [sees ? whole : open, sees && prints ? whole : open];
  // Totals are the same on a screen and on paper.
  const hasNoY = shown.copies?.y === 0 && printed.copies?.y === 0;
  return { shown, printed, lacksY: hasNoY, isSecret: sees && JSON.stringify(whole) !== JSON.stringify(open) };
}

async function withoutLeftOut(
  measure: Measure,
  data: ReportData,
  one: Measurement,
  signal: AbortSignal,
): Promise<Measurement> {
  const depths = await totalsWithoutLeftOut(measure, data, one, signal);
  const { unique } = one.depths;
  if (unique === undefined || one.unique === undefined) return { ...one, depths };
  const second = { ...one, source: one.unique.source, depths: unique };
  return { ...one, depths: { ...depths, unique: await totalsWithoutLeftOut(measure, data, second, signal) } };
}

/** The totals are those of the other targets: only what is left out is read once more. */
async function totalsWithoutLeftOut(
  measure: Measure,
  data: ReportData,
  one: Measurement,
  signal: AbortSignal,
): Promise<SampleDepths> {
  const [left, kept]: [ReportTarget[], ReportTarget[]] = [[], []];
  let measured = 0;
  for (const [at, target] of numberedMembers(data.targets)) {
    if (isLeftOut(data, one, at)) {
      left.push(target);
      measured += one.depths.targets.at(at)?.measured ?? 0;
    } else if ((data.placeKinds?.[at] ?? 0) & placeKinds.y) kept.push(target);
  }
  if (left.length === 0) return one.depths;
  const thresholds = measuredThresholds(data);
  const beside = { ...one.depths.beside };
  for (const [name, bases] of Object.entries(totalsBeside)) {
    const own = beside[name];
    if (own !== undefined) beside[name] = { ...own, pooled: await less(own.pooled, bases) };
  }
  const pooled = await less(one.depths.pooled, (targets) => union(targets.flatMap(({ regions }) => regions)));
  return { ...one.depths, pooled, beside };

  /** Bases that are left may be counted otherwise: an exon of a non-coding gene, if the coding bases in it are left out. */
  async function less(all: Depths, bases: (targets: readonly ReportTarget[]) => readonly Region[]): Promise<Depths> {
    const [before, after] = [bases([...left, ...kept]), bases(kept)];
    const [removed, added] = [[...difference(before, after)], [...difference(after, before)]];
    const totals = removed.length === 0 ? all : joinedDepths(all, await depthsOf(removed), -1);
    return added.length === 0 ? totals : joinedDepths(totals, await depthsOf(added), 1);
  }

  async function depthsOf(regions: readonly Region[]): Promise<Omit<Depths, 'mean'>> {
    // What the file lacks cannot be measured.
    if (measured === 0) return { length: lengthOfRegions(regions), measured: 0, sum: 0, reached: [] };
    const { build } = data.request;
    const found = await measure({ samples: [one.source], targets: [{ regions }], thresholds, build, signal });
    const own = found.samples[0]?.pooled;
    if (own === undefined) throw new RangeError(`Nothing was measured of ${one.sample.name}`);
    return { ...own, reached: thresholds.map((depth) => own.reached[found.thresholds.indexOf(depth)] ?? 0) };
  }
}

/** In the order of `reached`. */
function measuredThresholds({ thresholds, half }: ReportData): number[] {
  return half === undefined || thresholds.includes(half.depth) ? [...thresholds] : [...thresholds, half.depth];
}

/** Without the warning that targets on Y count as incomplete, where they do not. */
function qualityOf(data: ReportData): Quality {
  const warnings = data.quality.warnings.flatMap((warning): QualityWarning[] => {
    if (warning.code !== 'female-y') return [warning];
    const left = data.samples.filter(({ sample, copies }) => copies?.lacksY && warning.samples.includes(sample.name));
    const others = warning.samples.filter((name) => !left.some(({ sample }) => sample.name === name));
    return [
      ...(others.length === 0 ? [] : [{ ...warning, samples: others }]),
      ...left.flatMap((one) => {
        const names = new Set<string>();
        for (const [at, { group }] of numberedMembers(data.targets)) {
          const isOnY = ((data.placeKinds?.[at] ?? 0) & placeKinds.y) !== 0;
          const own = one.depths.targets.at(at);
          if (isOnY && !isLeftOut(data, one, at) && own && !isComplete(own, data.level)) names.add(group);
        }
        return names.size === 0 ? [] : [yOfFemale(one.sample.name, [...names])];
      }),
    ];
  });
  return { ...data.quality, warnings };
}

/** Of all samples on paper. */
export function asPrinted(data: ReportData): ReportData {
  return {
    ...data,
    samples: data.samples.map((one) =>
      one.copies === undefined ? one : { ...one, copies: { ...one.copies, shown: one.copies.printed } },
    ),
  };
}

/** Sections whose marks may differ on paper, where aneuploidies are not printed unless requested. */
export function asMarked(data: ReportData, make: (data: ReportData) => PageSection[]): PageSection[] {
  const own = make(data);
  if (data.request.printAneuploidy || !data.samples.some(({ copies }) => copies?.isSecret)) return own;
  return [
    ...own.map((section) => (isMedial(section) ? { ...section, media: 'screen' as const } : section)),
    ...make(asPrinted(data))
      .filter(isMedial)
      .map((section): PageSection => {
        if (section.kind === 'note') return { ...section, media: 'paper' };
        return { ...section, table: { ...section.table, name: `${section.table.name}-printed` }, media: 'paper' };
      }),
  ];
}

function isMedial(section: PageSection): section is Extract<PageSection, { kind: 'table' | 'note' }> {
  return section.kind === 'table' || section.kind === 'note';
}

/** What is said beside the depth of such places in a sample, and by which threshold its value is marked. */
export function markOfPlaces(
  { half }: Pick<ReportData, 'half'>,
  { copies }: Measurement,
  kinds: number,
  texts: Texts,
): { badges: string[]; isExpected: boolean; isHalved: boolean } {
  if (copies?.lacksY && kinds === placeKinds.y) {
    return { badges: [texts.copies.notExpected], isExpected: false, isHalved: false };
  }
  const badge = half === undefined ? texts.copies.one : texts.copies.oneAt(texts.depth(half.depth));
  const badges = hasOneCopy({ copies }, kinds) ? [badge] : [];
  return { badges, isExpected: true, isHalved: isHalved({ half }, { copies }, kinds) };
}

function hasOneCopy({ copies }: Pick<Measurement, 'copies'>, kinds: number): boolean {
  return copies !== undefined && copiesAt(kinds, copies.shown) === 1;
}

/** Whether values of such places are marked by half of the coverage threshold: one copy of them is expected. */
export function isHalved(
  { half }: Pick<ReportData, 'half'>,
  { copies }: Pick<Measurement, 'copies'>,
  kinds: number,
): boolean {
  return half !== undefined && hasOneCopy({ copies }, kinds);
}

/** Mean depth and percentages of a sample at a target. */
export function targetCells(data: ReportData, one: Measurement, at: number, texts: Texts): Cell[] {
  const own = one.depths.targets.at(at);
  if (own === undefined) return [];
  const unique = one.depths.unique?.targets.at(at);
  const [mean, ...shares] = depthCells(own, data.thresholds.length, data.level, texts, unique);
  const { badges, isExpected } = markOfPlaces(data, one, data.placeKinds?.[at] ?? 0, texts);
  const none = { ...notExpectedCell(texts), text: '–' };
  return [
    ...(mean === undefined ? [] : [{ ...mean, badges }]),
    ...shares.map((cell, i) => {
      if (!isExpected) return none;
      if (i !== data.level) return cell;
      const marked = markedShare(data, one, at, texts, cell);
      return { ...marked, below: [...(marked.below ?? []), ...codingBelow(data, one, at, texts)] };
    }),
  ];
}

/** The percentage of a target at the coverage threshold. */
export function levelCell(data: ReportData, one: Measurement, at: number, texts: Texts): Cell {
  const own = one.depths.targets.at(at);
  if (own === undefined) return { text: '', value: '' };
  const { badges, isExpected } = markOfPlaces(data, one, data.placeKinds?.[at] ?? 0, texts);
  if (!isExpected) return notExpectedCell(texts);
  const cell = shareCell(own, data.level, texts, true, one.depths.unique?.targets.at(at));
  return { ...markedShare(data, one, at, texts, cell), badges };
}

export function notExpectedCell({ copies }: Texts): Cell {
  return { text: copies.notExpected, value: 'not expected' };
}

function markedShare(data: ReportData, one: Measurement, at: number, texts: Texts, cell: Cell): Cell {
  const own = one.depths.targets.at(at);
  const { isHalved } = markOfPlaces(data, one, data.placeKinds?.[at] ?? 0, texts);
  return isHalved && own !== undefined ? halvedCell(data, [own], own.length, texts, cell) : cell;
}

/**
 * The percentage of targets of which one copy is expected, marked by half of the coverage threshold, above the percentage of
 * their bases that reach half of it. `length` are their distinct bases: of targets that share some, these are not counted by half.
 */
export function halvedCell(
  { half }: Pick<ReportData, 'half'>,
  targets: readonly Depths[],
  length: number,
  texts: Texts,
  cell: Cell,
): Cell {
  if (half === undefined) return cell;
  const tone = targets.every((depths) => isComplete(depths, half.at)) ? 'good' : 'bad';
  const sumOf = (count: (depths: Depths) => number) => targets.reduce((sum, depths) => sum + count(depths), 0);
  if (sumOf((depths) => depths.length) !== length) return { ...cell, tone };
  const share = shareCell({ length, reached: [sumOf(({ reached }) => reached[half.at] ?? 0)] }, 0, texts);
  const below = `${texts.metrics.completeness(texts.depth(half.depth))}: ${share.text}`;
  return { ...cell, tone, below: [...(cell.below ?? []), below] };
}

/** Before the numbers of a page. */
export function copiesSections(data: ReportData, texts: Texts): PageSection[] {
  return asMarked(data, (seen) => copiesLines(seen, texts).map((text) => ({ kind: 'note', text })));
}

/** What is left out, where one copy is expected, and which samples contradict their declared sex; each in one sentence. */
export function copiesLines(data: ReportData, texts: Texts): string[] {
  const { samples, half, request } = data;
  const { copies: words } = texts;
  const without = samples.filter((one) => leftOutOf(data, one) > 0);
  const lines: string[] = [];
  if (without.length > 0) {
    const names = cutList(leftOutGenes(data, without[0] as Measurement), named, texts);
    const bases = (data.bases ?? 0) - (without[0]?.depths.pooled.length ?? 0);
    const list = without.map(({ sample, copies }) => words.of(sample.name, reasonOf(copies?.shown, texts)));
    lines.push(words.leftOut(list.join(', '), names.join(', '), bases));
  }
  const single = samples.flatMap(({ sample, copies }) => {
    const where = (['x', 'y'] as const).filter(
      (name) => copies?.shown.copies?.[name] === 1 && data.placeKinds?.some((kinds) => kinds & placeKinds[name]),
    );
    if (where.length === 0) return [];
    const chromosomes = where.map((name) => name.toUpperCase()).join(words.and);
    return [words.of(sample.name, `${chromosomes}; ${reasonOf(copies?.shown, texts)}`)];
  });
  if (single.length > 0) {
    const marked = half === undefined ? [] : [words.half(texts.depth(request.level), texts.depth(half.depth))];
    lines.push([words.single(single.join(', ')), ...marked].join(' '));
  }
  for (const { sample, copies } of samples) {
    if (copies?.shown.by !== 'contradiction') continue;
    const { declared, found } = copies.shown;
    const name = found === 'female' || found === 'male' ? texts.sexes[found] : found;
    lines.push(words.contradiction(sample.name, texts.sexes[declared], name));
  }
  return lines;
}

function reasonOf(reading: CopyReading | undefined, { copies, sexes }: Texts): string {
  if (reading?.by === 'karyotype') return copies.byKaryotype(reading.karyotype);
  return reading?.by === 'declared' ? copies.byDeclared(sexes[reading.sex]) : copies.byDepth;
}

/** Targets that are left out of the totals of a sample. */
export function leftOutOf(data: ReportData, one: Measurement): number {
  if (!one.copies?.lacksY) return 0;
  return data.placeKinds?.reduce((count, kinds) => (kinds === placeKinds.y ? count + 1 : count), 0) ?? 0;
}

export function leftOutGenes(data: ReportData, one: Measurement): string[] {
  const names = new Set<string>();
  for (const [at, { group }] of numberedMembers(data.targets)) if (isLeftOut(data, one, at)) names.add(group);
  return [...names];
}

/** Of one sample, in JSON; nothing if no target depends on it. */
export function copiesData(data: ReportData, one: Measurement) {
  const { copies, depths } = one;
  if (copies === undefined) return {};
  const { by, copies: expected } = copies.shown;
  const genes = leftOutGenes(data, one);
  return {
    expected_copies: { by, x: expected?.x ?? null, y: expected?.y ?? null },
    ...(genes.length > 0 && {
      not_expected: { intervals: leftOutOf(data, one), bases: (data.bases ?? 0) - depths.pooled.length, genes },
    }),
  };
}
