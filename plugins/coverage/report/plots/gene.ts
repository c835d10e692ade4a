/**
 * Plot of the depth along a transcript in one sample, above a drawing of its exons: to scale, all introns equally short, in
 * reading direction from left to right.
 */
import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import { codingParts, type Span, type TranscriptWithExons } from '../../contract.js';
import { firstFrom } from '../../intervals/gene-structures.js';
import type { Region } from '../../measure/region.js';
import type { DepthBin } from '../../measure/uniformity.js';
import type { Texts } from '../../texts/texts.js';
import { type Drawing, type Ink, inkOfSample, type Shape, textShape } from '../view.js';

export const genePlot = { width: 760, left: 46, right: 748 };
const [top, bottom, track, height] = [14, 132, 156, 184];

interface GenePlot {
  layout: GeneLayout;
  /** Bins of each piece of the layout. */
  bins: readonly (readonly DepthBin[])[];
  gaps: readonly Region[];
  /** Index of the sample, for its colour. */
  sample: number;
  /** Greatest depth of the axis: the same for all samples, so that plots can be compared. */
  deepest: number;
  thresholds: readonly number[];
  level: number;
  title: string;
  description: string;
  texts: Texts;
}

export function geneDrawing(plot: GenePlot): Drawing {
  const { layout, bins, deepest, sample, title, description } = plot;
  const y = scaleLinear([0, deepest], [bottom, top]).clamp(true);
  const shapes: Shape[] = [...axis(plot, y)];
  const ink = inkOfSample(sample);
  for (const [i, piece] of layout.pieces.entries()) shapes.push(...profile(layout, piece, bins[i] ?? [], ink, y));
  shapes.push({ kind: 'line', x1: genePlot.left, x2: genePlot.right, y1: bottom, y2: bottom, stroke: 'soft' });
  shapes.push(...gapMarks(plot), ...exonTrack(layout));
  return { width: genePlot.width, height, title, description, shapes };
}

type PlotScale = (depth: number) => number;

function axis({ deepest, thresholds, level, texts }: GenePlot, y: PlotScale): Shape[] {
  const { left, right } = genePlot;
  const shapes: Shape[] = [];
  const free: number[] = [];
  const label = (depth: number, fill: Ink, bold: boolean) => {
    // Labels closer than a line of text would overlap.
    if (free.some((at) => Math.abs(at - y(depth)) < 11)) return;
    free.push(y(depth));
    shapes.push(textShape([left - 6, y(depth) + 4], texts.depth(depth), 11, fill, { anchor: 'end', bold }));
  };
  label(level, 'bad', true);
  label(0, 'soft', false);
  for (const threshold of thresholds.filter((one) => one <= deepest).toReversed()) {
    const isLevel = threshold === level;
    shapes.push({
      kind: 'line',
      x1: left,
      x2: right,
      y1: y(threshold),
      y2: y(threshold),
      stroke: isLevel ? 'bad' : 'line',
      dash: isLevel ? [5, 3] : [2, 3],
    });
    label(threshold, 'soft', false);
  }
  return shapes;
}

function profile({ x }: GeneLayout, piece: DrawnSpan, bins: readonly DepthBin[], ink: Ink, y: PlotScale): Shape[] {
  const last = bins.at(-1);
  if (last === undefined) return [];
  // A step extends to the end of its bin.
  const steps = [...bins, { ...last, start: last.end }];
  const at = ({ start }: DepthBin) => x(piece, start);
  const shade = area<DepthBin>()
    .x(at)
    .y0(({ min }) => y(min))
    .y1(({ mean }) => y(mean))
    .curve(curveStepAfter)
    .digits(1);
  const outline = line<DepthBin>()
    .x(at)
    .y(({ mean }) => y(mean))
    .curve(curveStepAfter)
    .digits(1);
  if (piece.kind === 'intron') return [{ kind: 'path', d: outline(steps) ?? '', stroke: 'soft', width: 0.75 }];
  return [
    { kind: 'rect', ...box(piece, top, bottom - top), fill: ink, opacity: 0.06 },
    { kind: 'path', d: shade(steps) ?? '', fill: ink, opacity: 0.3 },
    { kind: 'path', d: outline(steps) ?? '', stroke: ink, width: 1.5 },
  ];
}

function box({ x0, x1 }: { x0: number; x1: number }, y: number, height: number) {
  return { x: Math.min(x0, x1), y, width: Math.abs(x1 - x0), height };
}

/** Least width of a mark, so that it is visible. */
const thinnest = 1.2;

function gapMarks({ layout, gaps }: GenePlot): Shape[] {
  const spans = new Spans(gaps);
  return layout.pieces.flatMap((piece) => {
    if (piece.kind === 'intron') return [];
    return spans.within(piece).map(({ start, end }): Shape => {
      const mark = box({ x0: layout.x(piece, start), x1: layout.x(piece, end) }, bottom + 3, 6);
      return { kind: 'rect', ...mark, width: Math.max(thinnest, mark.width), fill: 'bad' };
    });
  });
}

/** Gaps or coding parts, of which a piece is drawn with its own: a poor sample has a gap at every few bases of all exons. */
class Spans {
  readonly #spans: readonly Span[];
  /** The greatest end up to each, which ascends even if some overlap. */
  readonly #reach: number[] = [];

  constructor(spans: readonly Span[]) {
    this.#spans = spans.toSorted((one, other) => one.start - other.start);
    for (const { end } of this.#spans) this.#reach.push(Math.max(end, this.#reach.at(-1) ?? 0));
  }

  /** What they have in common with the piece, by start. */
  within(piece: Span): Span[] {
    const found: Span[] = [];
    for (let i = firstFrom(this.#reach, piece.start + 1); i < this.#spans.length; i++) {
      const span = this.#spans[i] as Span;
      const [start, end] = [Math.max(span.start, piece.start), Math.min(span.end, piece.end)];
      if (span.start >= piece.end) break;
      if (start < end) found.push({ start, end });
    }
    return found;
  }
}

/** Thick boxes for coding parts, thin ones for untranslated exon parts, lines for introns. */
function exonTrack({ pieces, coding, x }: GeneLayout): Shape[] {
  const shapes: Shape[] = [];
  const parts = new Spans(coding ?? []);
  let free = Number.NEGATIVE_INFINITY;
  const drawn = pieces.toSorted((a, b) => Math.min(a.x0, a.x1) - Math.min(b.x0, b.x1));
  for (const piece of drawn) {
    if (piece.kind === 'intron') {
      shapes.push({ kind: 'line', x1: piece.x0, x2: piece.x1, y1: track, y2: track, stroke: 'gene' });
      continue;
    }
    shapes.push({ kind: 'rect', ...box(piece, track - 4, 8), fill: coding === undefined ? 'gene' : 'utr' });
    for (const { start, end } of parts.within(piece)) {
      shapes.push({ kind: 'rect', ...box({ x0: x(piece, start), x1: x(piece, end) }, track - 8, 16), fill: 'gene' });
    }
    const middle = (piece.x0 + piece.x1) / 2;
    if (piece.rank === undefined || middle - free < 16) continue;
    free = middle;
    shapes.push(textShape([middle, track + 22], String(piece.rank), 10, 'soft', { anchor: 'middle' }));
  }
  return shapes;
}

// Layout of a transcript.

interface DrawnSpan extends Span {
  kind: 'exon' | 'intron';
  /** Exon number in the transcript. */
  rank?: number;
  /** Horizontal extent; on the reverse strand, `x0` is at its end. */
  x0: number;
  x1: number;
}

export interface GeneLayout {
  pieces: readonly DrawnSpan[];
  /** Coding parts, by start; undefined if unknown. */
  coding: readonly Span[] | undefined;
  reverse: boolean;
  /** Horizontal position of the boundary before a base. */
  x(piece: DrawnSpan, position: number): number;
}

/** Width of a bin at least, and bins of an intron at most. */
const [binWidth, intronBins] = [1.5, 4];

/** How many bins of depth the drawing of a piece can show. */
export function binsOfSpan({ kind, start, end, x0, x1 }: DrawnSpan): number {
  const most = kind === 'intron' ? intronBins : Math.max(1, Math.round(Math.abs(x1 - x0) / binWidth));
  return Math.min(most, end - start);
}

const widestIntron = 16;
/** Most of the width that all introns take together. */
const intronShare = 0.3;

export function geneLayout(transcript: TranscriptWithExons, left: number, right: number): GeneLayout {
  const reverse = transcript.strand === -1;
  const exons = transcript.exons.toSorted((a, b) => a.start - b.start);
  const bases = exons.reduce((sum, { start, end }) => sum + end - start, 0);
  const introns = Math.max(0, exons.length - 1);
  const room = right - left;
  const intronWidth = introns === 0 ? 0 : Math.min(widestIntron, (intronShare * room) / introns);
  const perBase = (room - introns * intronWidth) / bases;
  const pieces: DrawnSpan[] = [];
  let at = left;
  const add = (piece: Omit<DrawnSpan, 'x0' | 'x1'>, width: number) => {
    const [x0, x1] = [at, at + width];
    pieces.push({ ...piece, ...(reverse ? { x0: left + right - x0, x1: left + right - x1 } : { x0, x1 }) });
    at += width;
  };
  for (const [i, { start, end, rank }] of exons.entries()) {
    const before = exons[i - 1];
    if (before !== undefined) add({ kind: 'intron', start: before.end, end: start }, intronWidth);
    add({ kind: 'exon', start, end, rank }, (end - start) * perBase);
  }
  return {
    pieces,
    coding: codingParts(transcript),
    reverse,
    x: ({ start, end, x0, x1 }, position) => x0 + ((position - start) / (end - start)) * (x1 - x0),
  };
}
