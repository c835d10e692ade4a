/** The intervals of a sweep, as columns: the order in which they are swept, and the shares of them that run concurrently. */
import type { Clock } from '../clock.js';
import { D4Error } from '../error.js';

/** Intervals as columns, clipped to their chromosomes. Positions are unsigned 32-bit integers, as in the file. */
export interface Pieces {
  /** Ordinals in the track's chromosome list. */
  chromosome: Uint32Array;
  begin: Uint32Array;
  end: Uint32Array;
}

/**
 * Memory that is shared with workers, so that nothing is copied. Not in pages, which have no workers here: what draws or decodes
 * there refuses results in shared memory. A page is what states whether it is isolated, on which it depends whether it has any.
 */
export function sharedMemory(bytes: number): ArrayBufferLike {
  try {
    return 'crossOriginIsolated' in globalThis ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
  } catch (cause) {
    throw new D4Error('invalid', 'The intervals or their results do not fit memory', `${bytes} bytes`, { cause });
  }
}

/** Empty columns in shared memory. */
export function emptyPieces(count: number): Pieces {
  const column = () => new Uint32Array(sharedMemory(count * Uint32Array.BYTES_PER_ELEMENT));
  return { chromosome: column(), begin: column(), end: column() };
}

/** Pieces that are processed between two checks of the clock. */
const piecesPerTick = 4096;

/**
 * The order in which pieces are swept, by chromosome and begin and without empty ones, as indexes. Undefined if the pieces are in
 * this order already.
 */
export async function sweepOrder({ chromosome, begin, end }: Pieces, clock: Clock): Promise<Uint32Array | undefined> {
  const count = begin.length;
  let asIs = true;
  let kept = 0;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const step = i === 0 ? 1 : (chromosome[i] as number) - (chromosome[i - 1] as number);
    if (step < 0 || (step === 0 && (begin[i] as number) < (begin[i - 1] as number))) asIs = false;
    if (isEmpty(i)) asIs = false;
    else kept++;
    last = Math.max(last, chromosome[i] as number);
  }
  if (asIs) return undefined;
  const starts = new Uint32Array(last + 2);
  for (let i = 0; i < count; i++) {
    if (isEmpty(i)) continue;
    const after = (chromosome[i] as number) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let c = 1; c < starts.length; c++) starts[c] = (starts[c] as number) + (starts[c - 1] as number);
  // Sorting numbers is many times faster than sorting with a function: begins in the high halves, indexes in the low ones.
  const halves = new Uint32Array(2 * kept);
  const filled = starts.slice();
  for (let i = 0; i < count; i++) {
    if (i % piecesPerTick === 0) await clock.tick();
    if (isEmpty(i)) continue;
    const ordinal = chromosome[i] as number;
    const at = filled[ordinal] as number;
    filled[ordinal] = at + 1;
    halves[2 * at] = i;
    halves[2 * at + 1] = begin[i] as number;
  }
  const order = new Uint32Array(kept);
  const keys = new BigUint64Array(halves.buffer);
  for (let c = 0; c <= last; c++) {
    const [from, to] = [starts[c] as number, starts[c + 1] as number];
    keys.subarray(from, to).sort();
    for (let at = from; at < to; at++) order[at] = halves[2 * at] as number;
    await clock.tick();
  }
  return order;

  function isEmpty(i: number): boolean {
    return (begin[i] as number) >= (end[i] as number);
  }
}

/** The pieces at these indexes, in this order. */
export async function pick(pieces: Pieces, order: ArrayLike<number>, clock: Clock): Promise<Pieces> {
  const picked = emptyPieces(order.length);
  for (let to = 0; to < order.length; to++) {
    if (to % piecesPerTick === 0) await clock.tick();
    const from = order[to] as number;
    picked.chromosome[to] = pieces.chromosome[from] as number;
    picked.begin[to] = pieces.begin[from] as number;
    picked.end[to] = pieces.end[from] as number;
  }
  return picked;
}

// Divides the pieces of a sweep into shares that run concurrently.

/** Pieces that are swept together, concurrently with other shares. */
export interface SweepShare {
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
export function divide(pieces: Pieces, shares: number, least: number): SweepShare[] {
  const size = Math.max(least, Math.ceil(weigh(pieces) / shares / 8) * 8);
  const found: SweepShare[] = [];
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

  function part(first: number, begin: number, end: number): SweepShare {
    const one = emptyPieces(1);
    one.chromosome[0] = pieces.chromosome[first] as number;
    one.begin[0] = begin;
    one.end[0] = end;
    return { pieces: one, first, partial: true };
  }
}
