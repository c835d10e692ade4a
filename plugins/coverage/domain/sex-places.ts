/** What is read of a file to predict the sex and to count chromosomes: X, Y, the mitochondrion and blocks of the autosomes. */
import type { Build, Span } from '../contract.js';
import { chromosomeIndex } from '../d4/names.js';
import { binsOf, countedPlaces } from './copy-places.js';
import { withoutPars } from './pars.js';

export interface SexPiece extends Span {
  /** As the file writes it. */
  chromosome: string;
  part: 'X' | 'Y' | 'autosomes' | 'MT';
  /** Whether it is one of the places that copies are counted by. */
  isBin: boolean;
}

type Chromosomes = readonly { name: string; size: number }[];

/** Blocks on each autosome, evenly spread, which stand for all of it; and their bases. */
const blocks = 24;
const blockBases = 25_000;

/** Of the bins on X one of so many is enough for a median; each takes time. */
const everyBin = 10;

/** Each base once. Without a build there are no bins on X and Y. */
export function piecesOf(chromosomes: Chromosomes, build: Build | undefined): SexPiece[] {
  return [
    ...sexPieces(chromosomes, 'X', build),
    ...sexPieces(chromosomes, 'Y', build),
    ...autosomePieces(chromosomes),
    ...mitochondrialPieces(chromosomes),
  ];
}

function sexPieces(chromosomes: Chromosomes, part: 'X' | 'Y', build: Build | undefined): SexPiece[] {
  const own = chromosomes[chromosomeIndex(chromosomes, part, true)];
  if (own === undefined) return [];
  const each = part === 'X' ? everyBin : 1;
  const bins = build === undefined ? [] : countedPlaces(part, own.size, build).flatMap((place) => binsOf(place, each));
  return withoutPars(part, own.size, build).flatMap((region) => cut(region, bins, { chromosome: own.name, part }));
}

function autosomePieces(chromosomes: Chromosomes): SexPiece[] {
  return Array.from({ length: 22 }, (_, i) => String(i + 1)).flatMap((number) => {
    const own = chromosomes[chromosomeIndex(chromosomes, number, true)];
    if (own === undefined) return [];
    const length = Math.min(blockBases, Math.floor(own.size / blocks));
    if (length === 0) return [];
    return Array.from({ length: blocks }, (_, k) => {
      const start = Math.floor(((k + 0.5) * own.size) / blocks - length / 2);
      const block = { start, end: start + length };
      return cut(block, binsOf(block, 1), { chromosome: own.name, part: 'autosomes' });
    }).flat();
  });
}

function mitochondrialPieces(chromosomes: Chromosomes): SexPiece[] {
  const own = chromosomes[chromosomeIndex(chromosomes, 'MT', true)];
  return own === undefined ? [] : [{ chromosome: own.name, start: 0, end: own.size, part: 'MT', isBin: false }];
}

/** The bins within a region, and what is left between them. Bins come sorted. */
function cut({ start, end }: Span, bins: readonly Span[], of: Pick<SexPiece, 'chromosome' | 'part'>): SexPiece[] {
  const pieces: SexPiece[] = [];
  let at = start;
  for (const bin of bins) {
    if (bin.start < start || bin.end > end) continue;
    if (at < bin.start) pieces.push({ ...of, start: at, end: bin.start, isBin: false });
    pieces.push({ ...of, ...bin, isBin: true });
    at = bin.end;
  }
  if (at < end) pieces.push({ ...of, start: at, end, isBin: false });
  return pieces;
}
