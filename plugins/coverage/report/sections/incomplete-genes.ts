/** Genes with incomplete coverage: one row a gene, its percentage at the coverage threshold in each sample. */
import { byName } from '../../../../core/genome.js';
import { placeKinds } from '../../measure/copies.js';
import { completeness, type Depths, isComplete, type Measure, type Sample } from '../../measure/measure.js';
import { type List, lengthOfRegions, type Region, union } from '../../measure/region.js';
import type { Texts } from '../../texts/texts.js';
import type { Measurement, ReportData } from '../data.js';
import {
  exonicRegions,
  groupsOfTargets,
  isNonCoding,
  type ReportTarget,
  shareCell,
  type TargetGroups,
  withUnique,
} from '../targets.js';
import { type Cell, type LongTable, type PageTable, type TableColumn, textCell } from '../view.js';
import { completenessCell } from './cohorts.js';
import { halvedCell, markOfPlaces, notExpectedCell } from './expected-copies.js';

/** How many bases of a gene reach the coverage threshold: each base once, whichever intervals it is in. */
export interface GeneCoverage {
  /** As `ReportTarget.group`. */
  group: string;
  geneId?: string;
  /** Distinct bases. */
  length: number;
  /** Of each sample, the same without what it cannot have, unless it cannot have any. */
  lengths: readonly number[];
  /** Of each sample, which of them are at or above the threshold. */
  reached: readonly number[];
  /** In a report by coding and splice bases: the same of the coding bases alone, and of all exonic bases. */
  coding?: Pick<GeneCoverage, 'length' | 'lengths' | 'reached'>;
  exonic?: Pick<GeneCoverage, 'length' | 'lengths' | 'reached'>;
  /** If some sample has a file of unique reads: of each, how many of the bases reach the threshold by them. */
  unique?: readonly (number | undefined)[];
  /** Whether it is counted by its exons in a report by coding bases. */
  isNonCoding: boolean;
}

/** Genes in columns, for there may be as many as lines in a BED file: their names are read from the targets when needed. */
class GeneColumns implements List<GeneCoverage> {
  readonly length: number;
  /** As of `GeneCoverage`. */
  beside?: { coding: GeneColumns; exonic: GeneColumns };
  unique?: GeneColumns;
  readonly #data: ReportData;
  /** Of each gene, the place of its first target. */
  readonly #firsts: Uint32Array;
  readonly #lengths: Float64Array;
  /** Of genes of which some targets are on Y alone: the bases of the others. */
  readonly #withoutY = new Map<number, number>();
  /** Gene by gene, one count for each sample. */
  readonly #reached: Float64Array;
  /** If some target is on X or Y: the targets of each gene. */
  targets?: Pick<TargetGroups, 'ends' | 'places'>;

  constructor(data: ReportData, firsts: Uint32Array) {
    this.#data = data;
    this.#firsts = firsts;
    this.length = firsts.length;
    this.#lengths = new Float64Array(this.length);
    this.#reached = new Float64Array(this.length * data.samples.length);
  }

  at(gene: number): GeneCoverage | undefined {
    const target = this.#data.targets.at(this.#firsts[gene] ?? -1);
    if (target === undefined) return undefined;
    const { group, geneId } = target;
    const basesOf = (columns: GeneColumns) => ({
      length: columns.lengthOf(gene),
      lengths: this.#data.samples.map((one) => columns.lengthOf(gene, one)),
      reached: this.#data.samples.map((_, sample) => columns.reachedOf(gene, sample)),
    });
    return {
      group,
      ...(geneId === undefined ? {} : { geneId }),
      ...basesOf(this),
      ...(this.beside && { coding: basesOf(this.beside.coding), exonic: basesOf(this.beside.exonic) }),
      ...(this.unique && {
        unique: this.#data.samples.map((one, i) => one.unique && this.unique?.reachedOf(gene, i)),
      }),
      isNonCoding: isNonCoding(target),
    };
  }

  *[Symbol.iterator](): Generator<GeneCoverage> {
    for (let gene = 0; gene < this.length; gene++) yield this.at(gene) as GeneCoverage;
  }

  nameOf(gene: number): string {
    return this.#data.targets.at(this.#firsts[gene] ?? -1)?.group ?? '';
  }

  targetsOf(gene: number): Uint32Array {
    const { ends, places } = this.targets ?? {};
    return places?.subarray(ends?.[gene - 1] ?? 0, ends?.[gene]) ?? new Uint32Array();
  }

  /** Kinds of places of all its targets; 0 if none is on X or Y. */
  kindsOf(gene: number): number {
    return this.targetsOf(gene).reduce((kinds, at) => kinds | (this.#data.placeKinds?.[at] ?? 0), 0);
  }

  lengthOf(gene: number, sample?: Measurement): number {
    const length = this.#lengths[gene] as number;
    return sample?.copies?.lacksY ? (this.#withoutY.get(gene) ?? length) : length;
  }

  setLength(gene: number, bases: number, isWithoutY: boolean): void {
    if (isWithoutY) this.#withoutY.set(gene, bases);
    else this.#lengths[gene] = bases;
  }

  reachedOf(gene: number, sample: number): number {
    return this.#reached[gene * this.#data.samples.length + sample] as number;
  }

  setReached(gene: number, sample: number, bases: number): void {
    this.#reached[gene * this.#data.samples.length + sample] = bases;
  }
}

export type IncompleteGenes = GeneColumns;

/** Above every completeness. */
export const unrankedShare = 2;
/** Regions of overlapping intervals that are measured at once. */
const regionsAtOnce = 20_000;

/** Which bases of the targets are counted. */
interface CountedBases {
  /** The file that is read once more. */
  sourceOf?(sample: Measurement): Sample;
  regionsOf(target: ReportTarget): readonly Region[];
  depthsOf(sample: Measurement | undefined, at: number): Depths | undefined;
}

const measuredBases: CountedBases = {
  regionsOf: ({ regions }) => regions,
  depthsOf: (sample, at) => sample?.depths.targets.at(at),
};

const codingOnly: CountedBases = {
  regionsOf: ({ coding = [] }) => coding,
  depthsOf: (sample, at) => sample?.depths.beside.coding?.targets.at(at),
};

const exonicBases: CountedBases = {
  regionsOf: exonicRegions,
  depthsOf: (sample, at) => sample?.depths.beside.exonic?.targets.at(at),
};

const uniqueBases: CountedBases = {
  sourceOf: ({ unique, source }) => unique?.source ?? source,
  regionsOf: ({ regions }) => regions,
  depthsOf: (sample, at) => sample?.depths.unique?.targets.at(at),
};

/** In the order of the targets. Genes whose intervals overlap are measured once more, as the union of them. */
export async function incompleteGenes(
  measure: Measure,
  data: ReportData,
  signal: AbortSignal,
): Promise<IncompleteGenes> {
  const groups = groupsOfTargets(data.targets, (at) => isLow(data, at));
  const genes = await geneColumns(measure, data, groups, measuredBases, signal);
  if (data.samples.some(({ unique }) => unique !== undefined)) {
    genes.unique = await geneColumns(measure, data, groups, uniqueBases, signal);
  }
  if (data.request.type !== 'coding') return genes;
  const coding = await geneColumns(measure, data, groups, codingOnly, signal);
  genes.beside = { coding, exonic: await geneColumns(measure, data, groups, exonicBases, signal) };
  return genes;
}

async function geneColumns(
  measure: Measure,
  data: ReportData,
  { firsts, ends, places }: TargetGroups,
  { sourceOf = ({ source }) => source, regionsOf, depthsOf }: CountedBases,
  signal: AbortSignal,
): Promise<GeneColumns> {
  const { targets, samples, level } = data;
  const genes = new GeneColumns(data, firsts);
  if (data.placeKinds !== undefined) genes.targets = { ends, places };
  const sumOf = (own: Uint32Array, sample: Measurement | undefined, count: (depths: Depths) => number) => {
    let sum = 0;
    for (const at of own) {
      const depths = depthsOf(sample, at);
      if (depths !== undefined) sum += count(depths);
    }
    return sum;
  };
  let overlapping: Overlap[] = [];
  let regions = 0;
  for (let gene = 0; gene < genes.length; gene++) {
    const own = places.subarray(ends[gene - 1] ?? 0, ends[gene]);
    const kept = own.filter((at) => data.placeKinds?.[at] !== placeKinds.y);
    const isPartOnY = kept.length > 0 && kept.length < own.length;
    count(gene, own, (one) => !(isPartOnY && one.copies?.lacksY), false);
    if (isPartOnY) count(gene, kept, (one) => one.copies?.lacksY === true, true);
    if (regions < regionsAtOnce) continue;
    await measureOverlapping(measure, data, genes, overlapping, sourceOf, signal);
    [overlapping, regions] = [[], 0];
  }
  if (overlapping.length > 0) await measureOverlapping(measure, data, genes, overlapping, sourceOf, signal);
  return genes;

  /** Of some samples. */
  function count(gene: number, own: Uint32Array, isOf: (one: Measurement) => boolean, isWithoutY: boolean): void {
    const length = sumOf(own, samples[0], (depths) => depths.length);
    genes.setLength(gene, length, isWithoutY);
    for (const [i, sample] of samples.entries()) {
      if (!isOf(sample)) continue;
      genes.setReached(
        gene,
        i,
        sumOf(own, sample, ({ reached }) => reached[level] ?? 0),
      );
    }
    if (own.length === 1) return;
    const regionsOfGene = union(
      Array.from(own).flatMap((at) => {
        const target = targets.at(at);
        return target === undefined ? [] : [...regionsOf(target)];
      }),
    );
    const distinct = lengthOfRegions(regionsOfGene);
    if (distinct === length) return;
    genes.setLength(gene, distinct, isWithoutY);
    const isIn = samples.map((sample) => isOf(sample) && sumOf(own, sample, ({ measured }) => measured) > 0);
    overlapping.push({ gene, isIn, regions: regionsOfGene });
    regions += regionsOfGene.length;
  }
}

interface Overlap {
  gene: number;
  /** Of each sample, whether it is one to measure, and its file has any base of the gene. */
  isIn: readonly boolean[];
  regions: Region[];
}

async function measureOverlapping(
  measure: Measure,
  { samples, request: { build, level } }: ReportData,
  genes: GeneColumns,
  overlapping: readonly Overlap[],
  sourceOf: (sample: Measurement) => Sample,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    samples.map(async (sample, i) => {
      // Of a file without any of its bases a gene reaches nothing, and it cannot be measured.
      const asked = overlapping.filter(({ isIn }) => isIn[i]);
      if (asked.length === 0) return;
      const found = await measure({ samples: [sourceOf(sample)], targets: asked, thresholds: [level], build, signal });
      for (const [k, { gene }] of asked.entries()) {
        genes.setReached(gene, i, found.samples[0]?.targets[k]?.reached[0] ?? 0);
      }
    }),
  );
}

/** Also in a sample that cannot have the target: the gene's row says so. */
function isLow({ samples, level }: ReportData, at: number): boolean {
  return samples.some(({ depths }) => {
    const own = depths.targets.at(at);
    return own !== undefined && !isComplete(own, level);
  });
}

/** The first genes in the order that the request asks for, and how many are left out. */
export function incompleteGenesTable(
  data: ReportData,
  genes: IncompleteGenes,
  texts: Texts,
  most: number,
): { table: PageTable; further: number } {
  const shown = sorted(genes, data, most);
  const rows = [...rowsOfGenes(data, genes, shown, texts, false)];
  const table = { ...genesTable(data, texts, false), rows, of: genes.length };
  return { table, further: genes.length - shown.length };
}

/** Whether the sample cannot have any target of the gene. */
export function isNotExpected(genes: IncompleteGenes, gene: number, sample: Measurement | undefined): boolean {
  return sample?.copies?.lacksY === true && genes.kindsOf(gene) === placeKinds.y;
}

/** All genes, for exports. */
export function allIncompleteGenes(data: ReportData, genes: IncompleteGenes, texts: Texts): LongTable {
  const rows = { [Symbol.iterator]: () => rowsOfGenes(data, genes, sorted(genes, data, genes.length), texts, true) };
  return { ...genesTable(data, texts, true), rows };
}

/** `apart` gives percentages of coding and of exonic bases a column each, as exports need them. */
function genesTable(
  { samples, request, comparison }: ReportData,
  texts: Texts,
  apart: boolean,
): Omit<PageTable, 'rows'> {
  const depth = texts.depth(request.level);
  const column = (key: string, title: string, order: string, more: Partial<TableColumn> = {}): TableColumn => ({
    key,
    title,
    sort: { field: 'order', value: order, current: request.order === order },
    ...more,
  });
  // The lowest percentage of a single sample is its own.
  const withLowest = samples.length > 1;
  const isOfCoding = request.type === 'coding';
  const caption = texts.incomplete.caption(depth);
  return {
    name: 'incomplete_genes',
    title: texts.incomplete.title(depth),
    caption: isOfCoding ? `${caption} ${texts.counted.below}` : caption,
    hint: texts.incomplete.hint,
    columns: [
      column('gene', texts.incomplete.gene, 'gene', { weight: isOfCoding ? 1 : 1.3 }),
      ...(withLowest ? [column('lowest', texts.incomplete.lowest, 'completeness', { numeric: true })] : []),
      ...samples.flatMap(({ sample: { name } }, i): TableColumn[] => [
        ...withUnique(
          [
            column(name, name, withLowest ? `sample-${i + 1}` : 'completeness', {
              numeric: true,
              ...(isOfCoding && { weight: 2 }),
            }),
          ],
          samples,
        ),
        ...(isOfCoding && apart ? ['coding', 'exonic'] : []).map((part) => {
          const key = `${name}_${part}`;
          return { key, title: key, numeric: true };
        }),
        ...(comparison?.cohorts.has(name)
          ? [{ key: `${name}_cohort`, title: texts.cohort.cellOf(name, depth), weight: 1.8 }]
          : []),
      ]),
    ],
  };
}

function* rowsOfGenes(
  data: ReportData,
  genes: GeneColumns,
  shown: Uint32Array,
  texts: Texts,
  apart: boolean,
): Generator<Cell[]> {
  const { samples, comparison } = data;
  for (const place of shown) {
    const gene = genes.at(place) as GeneCoverage;
    const { group, geneId, length, lengths, reached, unique, coding, exonic, isNonCoding: isOfExons } = gene;
    const [kinds, targets] = [genes.kindsOf(place), genes.targetsOf(place)];
    const cells = reached.map((bases, i): Cell => {
      const one = samples[i] as Measurement;
      const { badges, isExpected, isHalved } = markOfPlaces(data, one, kinds, texts);
      if (!isExpected) return notExpectedCell(texts);
      const own = lengths[i] ?? length;
      const partly = own < length ? [texts.copies.withoutY] : [];
      const byUnique = unique?.[i] === undefined ? undefined : { length: own, reached: [unique[i]] };
      const share = shareCell({ length: own, reached: [bases] }, 0, texts, true, byUnique);
      const cell = { ...share, badges: [...partly, ...badges] };
      if (!isHalved) return cell;
      const depths = Array.from(targets).flatMap((at) => one.depths.targets.at(at) ?? []);
      return halvedCell(data, depths, own, texts, cell);
    });
    const expected = cells.filter(({ value }) => typeof value === 'number');
    const first = expected[0] ?? cells[0] ?? textCell('');
    const lowest = expected.reduce((least, cell) => (cell.value < least.value ? cell : least), first);
    const badges = isOfExons ? { badges: [texts.counted.nonCoding] } : {};
    const name = textCell(group, { ...badges, ...(geneId === undefined ? {} : { gene: geneId }) });
    const beside = cells.flatMap((cell, i) => {
      const own = samples[i]?.sample.name ?? '';
      const isCounted = typeof cell.value === 'number';
      const parts = (['coding', 'exonic'] as const).flatMap((kind) => {
        const part = kind === 'coding' ? coding : exonic;
        if (part === undefined) return [];
        const bases = part.lengths[i] ?? part.length;
        if (bases === 0 || !isCounted) return [{ kind, cell: { text: '–', value: '' } }];
        return [{ kind, cell: shareCell({ length: bases, reached: [part.reached[i] ?? 0] }, 0, texts) }];
      });
      const ofCohort = comparison?.cohorts.has(own) ? [completenessCell(comparison.ofGroup(own, group), texts)] : [];
      if (apart) return [cell, ...parts.map((part) => part.cell), ...ofCohort];
      const shown = isCounted ? parts.filter((part) => part.cell.value !== '') : [];
      const below = shown.map((part) => texts.counted.share[part.kind](part.cell.text));
      return [{ ...cell, below: [...(cell.below ?? []), ...below] }, ...ofCohort];
    });
    yield [name, ...(samples.length > 1 ? [lowest] : []), ...beside];
  }
}

/**
 * The first genes by the lowest percentage of all samples, that of one sample, or the name. Genes of equal rank are sorted
 * by their names, which are read for these alone.
 */
function sorted(genes: GeneColumns, { samples, request: { order } }: ReportData, most: number): Uint32Array {
  const sample = Number(/^sample-(\d+)$/.exec(order)?.[1] ?? 0) - 1;
  const share = (gene: number, i: number) =>
    isNotExpected(genes, gene, samples[i])
      ? unrankedShare
      : completeness({ length: genes.lengthOf(gene, samples[i]), reached: [genes.reachedOf(gene, i)] }, 0);
  const rankOf = (gene: number): number => {
    if (order === 'gene') return 0;
    return sample >= 0 ? share(gene, sample) : Math.min(...samples.map((_, i) => share(gene, i)));
  };
  const ranks = Float64Array.from({ length: genes.length }, (_, gene) => rankOf(gene));
  const places = Uint32Array.from({ length: genes.length }, (_, gene) => gene);
  const rank = (i: number) => ranks[places[i] as number] as number;
  places.sort((a, b) => (ranks[a] as number) - (ranks[b] as number) || a - b);
  for (let from = 0, to = 0; from < Math.min(most, places.length); from = to) {
    while (to < places.length && rank(to) === rank(from)) to++;
    const equal = places.subarray(from, to);
    if (equal.length === 1) continue;
    const names = Array.from(equal, (gene) => genes.nameOf(gene));
    const given = equal.slice();
    const order = Uint32Array.from(given.keys()).sort((a, b) => byName(names[a] ?? '', names[b] ?? '') || a - b);
    for (const [i, place] of order.entries()) equal[i] = given[place] as number;
  }
  return places.subarray(0, most);
}
