/** Divides the pieces of a sweep into shares that run concurrently. */
import { emptyPieces, type Pieces } from './pieces.js';

/** Pieces that are swept together, concurrently with other shares. */
export interface Share {
  /** The pieces of the whole from `first` on, in the same memory; or, if `partial`, one part of piece `first`. */
  pieces: Pieces;
  first: number;
  partial: boolean;
}

/** Cost of one more piece, in bases swept. */
const basesPerPiece = 2_000;

/** Cost of pieces, in bases swept. */
export function weigh({ begin, end }: Pieces): number {
  let bases = begin.length * basesPerPiece;
  for (let i = 0; i < begin.length; i++) bases += (end[i] as number) - (begin[i] as number);
  return bases;
}

/**
 * Divides pieces in sweep order into shares of about equal cost, at least `least` bases each. Long pieces are cut at codes that
 * begin on a whole byte.
 */
export function divide(pieces: Pieces, shares: number, least: number): Share[] {
  const size = Math.max(least, Math.ceil(weigh(pieces) / shares / 8) * 8);
  const found: Share[] = [];
  let from = 0;
  let weight = 0;
  const count = pieces.begin.length;
  for (let i = 0; i < count; i++) {
    const begin = pieces.begin[i] as number;
    const end = pieces.end[i] as number;
    if (end - begin > size) {
      take(i);
      from = i + 1;
      for (let at = begin; at < end; ) {
        const stop = Math.min(end, at - (at % 8) + size);
        found.push(part(i, at, stop));
        at = stop;
      }
      continue;
    }
    weight += end - begin + basesPerPiece;
    if (weight >= size) take(i + 1);
  }
  take(count);
  return found;

  function take(to: number): void {
    if (to > from) {
      found.push({
        pieces: {
          chromosome: pieces.chromosome.subarray(from, to),
          begin: pieces.begin.subarray(from, to),
          end: pieces.end.subarray(from, to),
        },
        first: from,
        partial: false,
      });
    }
    from = to;
    weight = 0;
  }

  function part(first: number, begin: number, end: number): Share {
    const one = emptyPieces(1);
    one.chromosome[0] = pieces.chromosome[first] as number;
    one.begin[0] = begin;
    one.end[0] = end;
    return { pieces: one, first, partial: true };
  }
}
