/**
 * What pages measure: targets with the names under which they are shown, coding bases with what is counted apart beside them,
 * and their numbers as table cells. Numbers are rounded here and nowhere else.
 */
import type { BedLine } from '../../../core/files.js';
import type { TranscriptWithExons } from '../contract.js';
import {
  completeness,
  type Depths,
  isComplete,
  percentOfShare,
  type SampleDepths,
  type Target,
} from '../measure/measure.js';
import { difference, type List, mappedList, type Region, union } from '../measure/region.js';
import type { GeneTarget } from '../measure/select.js';
import { codingBases, placesIn, type TranscriptPlace } from '../measure/transcripts.js';
import type { Texts } from '../texts/texts.js';
import type { Cell, TableColumn } from './view.js';

export interface ReportTarget extends Target {
  /** The gene's symbol or id, or the name of a BED line. */
  group: string;
  /** HGNC or Ensembl id, for a link to the gene's page. */
  geneId?: string;
  /** Its Ensembl id, or the name of a BED line. */
  id: string;
  /** From its first base to its last. */
  place: Region;
  transcript?: string;
  /** RefSeq accessions, with versions if the source has them. */
  refseq: readonly string[];
  maneSelect: boolean;
  manePlusClinical: boolean;
  exon?: number;
  /** See `GeneTarget`. */
  coding?: readonly Region[];
  /** The transcript that it is, or is an exon of. */
  model?: TranscriptWithExons;
  /** Of a line of one of several BED files: the file's label. */
  file?: string | undefined;
}

export function ofGene(target: GeneTarget): ReportTarget {
  const { gene, transcript, exon, regions, coding } = target;
  const { ensembl, chromosome } = exon ?? transcript ?? gene;
  const references = transcript?.references;
  const refseq = [
    ...(references?.maneSelect ?? []),
    ...(references?.manePlusClinical ?? []),
    ...(references?.refseqMrna ?? []),
  ].filter((name) => /^[NX][MR]_/.test(name));
  const versioned = new Set(refseq.filter((name) => name.includes('.')).map((name) => name.split('.', 1)[0]));
  return {
    regions,
    group: gene.symbol ?? gene.ensembl,
    geneId: gene.hgnc === undefined ? gene.ensembl : String(gene.hgnc),
    id: ensembl,
    place: {
      chromosome,
      start: Math.min(...regions.map(({ start }) => start)),
      end: Math.max(...regions.map(({ end }) => end)),
    },
    transcript: transcript?.ensembl,
    model: transcript,
    refseq: [...new Set(refseq)].filter((name) => name.includes('.') || !versioned.has(name)),
    maneSelect: transcript?.isManeSelect ?? false,
    manePlusClinical: transcript?.isManePlusClinical ?? false,
    exon: exon?.rank,
    coding,
  };
}

export function ofLine({ chromosome, start, end, name }: BedLine): ReportTarget {
  const region = { chromosome, start, end };
  return ofPlace(name ?? placeText(region), region);
}

/** A stretch that is no gene. */
export function ofPlace(id: string, place: Region): ReportTarget {
  return { regions: [place], group: id, id, place, refseq: [], maneSelect: false, manePlusClinical: false };
}

/** `7:117479925-117668665`: 1-based, inclusive, as genome browsers write it. */
export function placeText({ chromosome, start, end }: Region): string {
  return `${chromosome}:${start + 1}-${end}`;
}

/** Names regions of the target by exon and coding position of its transcript; without one, both are empty. */
export function placeNames({ model }: ReportTarget): (place: Region) => TranscriptPlace {
  return model === undefined ? () => ({ exon: '' }) : placesIn(model);
}

/** The first entries of a long list, and how many follow. */
export function cutList(list: readonly string[], most: number, { warnings }: Texts): string[] {
  return list.length <= most ? [...list] : [...list.slice(0, most), warnings.more(list.length - most)];
}

/** Targets of one gene, or lines of a BED file with one name, together. */
export interface TargetGroups {
  /** Of each group, its first target, ascending. */
  firsts: Uint32Array;
  /** Where the targets of each group end in `places`. */
  ends: Uint32Array;
  /** Targets, group by group. */
  places: Uint32Array;
}

/** Targets by their group, of the groups with a target of which this is so. */
export function groupsOfTargets(targets: List<ReportTarget>, isSo: (at: number) => boolean): TargetGroups {
  const numbers = new Map<string, number>();
  for (let at = 0; at < targets.length; at++) {
    if (isSo(at)) numbers.set(targets.at(at)?.group ?? '', -1);
  }
  /** Of each target, the number of its group from 1; 0 if that is left out. */
  const groupOf = new Uint32Array(targets.length);
  const firsts = new Uint32Array(numbers.size);
  const ends = new Uint32Array(numbers.size);
  let groups = 0;
  for (let at = 0; at < targets.length; at++) {
    const name = targets.at(at)?.group ?? '';
    let number = numbers.get(name);
    if (number === undefined) continue;
    if (number < 0) {
      number = groups++;
      numbers.set(name, number);
      firsts[number] = at;
    }
    groupOf[at] = number + 1;
    ends[number] = (ends[number] as number) + 1;
  }
  for (let i = 1; i < ends.length; i++) ends[i] = (ends[i] as number) + (ends[i - 1] as number);
  const places = new Uint32Array(ends.at(-1) ?? 0);
  const next = ends.map((_, i) => ends[i - 1] ?? 0);
  for (let at = 0; at < targets.length; at++) {
    const group = (groupOf[at] as number) - 1;
    if (group < 0) continue;
    const place = next[group] as number;
    places[place] = at;
    next[group] = place + 1;
  }
  return { firsts, ends, places };
}

// Numbers and names of targets as table cells. Numbers are rounded here and nowhere else.

export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

export function meanCell(mean: number, texts: Texts): Cell {
  return { text: texts.measuredDepth(mean), value: twoDecimals(mean) };
}

export function countCell(value: number, texts: Texts): Cell {
  return { text: texts.number(value), value };
}

/** The percentage of bases at or above the threshold with this index; its tone is decided by counts. */
export function shareCell(
  depths: Pick<Depths, 'length' | 'reached'>,
  threshold: number,
  texts: Texts,
  judged = false,
  unique?: Pick<Depths, 'length' | 'reached'>,
): Cell {
  const value = percentOfShare(completeness(depths, threshold));
  const tone = isComplete(depths, threshold) ? 'good' : 'bad';
  const cell: Cell = { text: `${texts.decimal(value)} %`, value, ...(judged ? { tone } : {}) };
  return unique === undefined ? cell : besideUnique(cell, completeness(unique, threshold), texts);
}

/** With the share by unique reads: in small print on pages, in a column of its own in exports. */
export function besideUnique(cell: Cell, share: number, texts: Texts): Cell {
  const { text, value } = percentCell(share, texts);
  return { ...cell, unique: value, below: [texts.unique.share(text)] };
}

type UniqueDepths = Pick<SampleDepths, 'unique'>;

/** Marks the columns whose cells have a value by unique reads, if some sample has a file of these. */
export function withUnique(columns: TableColumn[], samples: readonly { depths: UniqueDepths }[]): TableColumn[] {
  return samples.every(({ depths }) => depths.unique === undefined)
    ? columns
    : columns.map((column) => ({ ...column, unique: true }));
}

export function percentCell(share: number, texts: Texts): Cell {
  const value = percentOfShare(share);
  return { text: `${texts.decimal(value)} %`, value };
}

/** One column for each threshold. */
export function thresholdColumns(
  { thresholds, samples }: { thresholds: readonly number[]; samples: readonly { depths: UniqueDepths }[] },
  texts: Texts,
): TableColumn[] {
  const columns = thresholds.map((threshold) => ({
    key: `completeness_${threshold}_percent`,
    title: texts.metrics.completeness(texts.depth(threshold)),
    numeric: true,
  }));
  return withUnique(columns, samples);
}

/** Mean depth, and the percentage at or above each threshold; the one at `level` has a tone. */
export function depthCells(depths: Depths, count: number, level: number, texts: Texts, unique?: Depths): Cell[] {
  const shares = Array.from({ length: count }, (_, i) => shareCell(depths, i, texts, i === level, unique));
  return [meanCell(depths.mean, texts), ...shares];
}

/** The name of a target; an exon is named by its transcript and number. */
export function targetCell(
  { id, transcript, exon, maneSelect, manePlusClinical, refseq, place, group, coding }: ReportTarget,
  texts: Texts,
): Cell {
  const name =
    exon !== undefined && transcript !== undefined ? `${transcript} ${texts.gene.exon(exon).toLowerCase()}` : id;
  const badges = [
    ...(maneSelect ? [texts.mane.select] : []),
    ...(manePlusClinical ? [texts.mane.plusClinical] : []),
    ...refseq.slice(0, 3),
    ...(coding?.length === 0 ? [texts.counted.nonCoding] : []),
  ];
  return { text: name === group ? placeText(place) : name, value: id, badges };
}

// A report by coding bases: what is measured beside them, so that coding, splice and exonic bases are counted apart.

/** Exonic bases of the target's transcript; its own regions if it has none. */
export function exonicRegions({ model, regions }: ReportTarget): readonly Region[] {
  return model === undefined ? regions : model.exons;
}

/** Exonic and coding bases of each target, and what is counted of genes without coding bases alone. */
export function besideCoding(targets: List<ReportTarget>): Record<string, List<Target>> {
  return {
    exonic: mappedList(targets, (target) => ({ regions: exonicRegions(target) })),
    coding: mappedList(targets, ({ coding = [] }) => ({ regions: coding })),
    nonCoding: [{ regions: totalsBeside.nonCoding([...targets]) }],
  };
}

/** Coding bases of each transcript that a page measures by its exons, and these with splice bases. */
export function besideTranscripts(targets: List<ReportTarget>, splice: number): Record<string, List<Target>> {
  const basesOf = ({ model, exon }: ReportTarget) =>
    model === undefined || exon !== undefined ? undefined : codingBases(model, splice);
  return {
    codingOfTranscript: mappedList(targets, (target) => ({ regions: basesOf(target)?.coding ?? [] })),
    withSplice: mappedList(targets, (target) => ({ regions: basesOf(target)?.counted ?? [] })),
  };
}

/** Which bases of some targets the totals of `besideCoding` count. */
export const totalsBeside = {
  coding: (targets: readonly ReportTarget[]): readonly Region[] => union(targets.flatMap(({ coding = [] }) => coding)),
  nonCoding(targets: readonly ReportTarget[]): readonly Region[] {
    const others = targets.filter((target) => !isCoding(target));
    if (others.length === 0) return [];
    const regionsOf = (some: readonly ReportTarget[]) => union(some.flatMap(({ regions }) => regions));
    return [...difference(regionsOf(others), regionsOf(targets.filter(isCoding)))];
  },
};

/** Whether it is measured by coding bases: genes without any are measured by their exons. */
export function isCoding({ coding }: Pick<ReportTarget, 'coding'>): boolean {
  return coding !== undefined && coding.length > 0;
}

export function isNonCoding({ coding }: Pick<ReportTarget, 'coding'>): boolean {
  return coding?.length === 0;
}

/** Every distinct base in one of them: coding bases, the splice bases that are not coding, exons of genes without coding bases. */
export function countedApart({
  pooled,
  beside,
}: Pick<SampleDepths, 'pooled' | 'beside'>): Record<'coding' | 'splice' | 'nonCoding', Depths> {
  const [coding, nonCoding] = [beside.coding?.pooled, beside.nonCoding?.pooled];
  if (coding === undefined || nonCoding === undefined) throw new Error('Coding bases were not measured apart');
  return { coding, splice: joinedDepths(joinedDepths(pooled, nonCoding, -1), coding, -1), nonCoding };
}

/** The depths of distinct bases together, or (`sign` −1) of all bases without some of them. */
export function joinedDepths(all: Depths, some: Omit<Depths, 'mean'>, sign: 1 | -1): Depths {
  const [length, sum] = [all.length + sign * some.length, all.sum + sign * some.sum];
  return {
    length,
    measured: all.measured + sign * some.measured,
    sum,
    mean: length === 0 ? 0 : sum / length,
    reached: all.reached.map((bases, i) => bases + sign * (some.reached[i] ?? 0)),
  };
}
