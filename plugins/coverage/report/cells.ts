/** Numbers and names of targets as table cells. Numbers are rounded here and nowhere else. */
import { completeness, type Depths, isComplete, percentOf } from '../domain/measure.js';
import type { Texts } from '../texts/texts.js';
import { placeText, type ReportTarget } from './target.js';
import type { Cell, Column } from './view.js';

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
): Cell {
  const value = percentOf(completeness(depths, threshold));
  const tone = isComplete(depths, threshold) ? 'good' : 'bad';
  return { text: `${texts.decimal(value)} %`, value, ...(judged ? { tone } : {}) };
}

export function percentCell(share: number, texts: Texts): Cell {
  const value = percentOf(share);
  return { text: `${texts.decimal(value)} %`, value };
}

/** One column for each threshold. */
export function thresholdColumns(thresholds: readonly number[], texts: Texts): Column[] {
  return thresholds.map((threshold) => ({
    key: `completeness_${threshold}_percent`,
    title: texts.metrics.completeness(texts.depth(threshold)),
    numeric: true,
  }));
}

/** Mean depth, and the percentage at or above each threshold; the one at `level` has a tone. */
export function depthCells(depths: Depths, count: number, level: number, texts: Texts): Cell[] {
  const shares = Array.from({ length: count }, (_, i) => shareCell(depths, i, texts, i === level));
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
