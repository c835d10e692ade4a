/** Layout of a transcript: exons to scale, all introns equally short, in reading direction from left to right. */
import { codingParts, type Span, type TranscriptWithExons } from '../contract.js';

export interface Piece extends Span {
  kind: 'exon' | 'intron';
  /** Exon number in the transcript. */
  rank?: number;
  /** Horizontal extent; on the reverse strand, `x0` is at its end. */
  x0: number;
  x1: number;
}

export interface GeneLayout {
  pieces: readonly Piece[];
  /** Coding parts, by start; undefined if unknown. */
  coding: readonly Span[] | undefined;
  reverse: boolean;
  /** Horizontal position of the boundary before a base. */
  x(piece: Piece, position: number): number;
}

/** Width of a bin at least, and bins of an intron at most. */
const [binWidth, intronBins] = [1.5, 4];

/** How many bins of depth the drawing of a piece can show. */
export function binsOf({ kind, start, end, x0, x1 }: Piece): number {
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
  const pieces: Piece[] = [];
  let at = left;
  const add = (piece: Omit<Piece, 'x0' | 'x1'>, width: number) => {
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
