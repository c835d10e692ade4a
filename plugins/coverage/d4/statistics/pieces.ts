/** Intervals in columns, so that they can be handed to a worker: clipped to their chromosomes and never empty. */
export interface Pieces {
  /** Ordinals in the track's chromosome list. */
  chromosome: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
}

export function emptyPieces(count: number): Pieces {
  return { chromosome: new Uint32Array(count), begin: new Float64Array(count), end: new Float64Array(count) };
}

/** The order by chromosome and begin in which pieces are swept, as positions; nothing when they are in it already. */
export function sweepOrder({ chromosome, begin }: Pieces): Uint32Array | undefined {
  const count = begin.length;
  let sorted = true;
  for (let i = 1; i < count && sorted; i++) {
    const step = (chromosome[i] as number) - (chromosome[i - 1] as number);
    sorted = step > 0 || (step === 0 && (begin[i] as number) >= (begin[i - 1] as number));
  }
  if (sorted) return undefined;
  const starts = new Uint32Array(chromosome.reduce((most, ordinal) => Math.max(most, ordinal), 0) + 2);
  for (const ordinal of chromosome) starts[ordinal + 1] = (starts[ordinal + 1] as number) + 1;
  for (let c = 1; c < starts.length; c++) starts[c] = (starts[c] as number) + (starts[c - 1] as number);
  // Sorting plain numbers, with the piece in the low digits, is many times faster than comparing by a function.
  const keys = new Float64Array(count);
  const filled = starts.slice();
  for (let i = 0; i < count; i++) {
    const ordinal = chromosome[i] as number;
    const at = filled[ordinal] as number;
    filled[ordinal] = at + 1;
    keys[at] = (begin[i] as number) * count + i;
  }
  for (let c = 1; c < starts.length; c++) keys.subarray(starts[c - 1], starts[c]).sort();
  return Uint32Array.from(keys, (key) => key % count);
}

/** The pieces at some positions, in that order. */
export function pick(pieces: Pieces, order: Uint32Array): Pieces {
  const picked = emptyPieces(order.length);
  order.forEach((from, to) => {
    picked.chromosome[to] = pieces.chromosome[from] as number;
    picked.begin[to] = pieces.begin[from] as number;
    picked.end[to] = pieces.end[from] as number;
  });
  return picked;
}
