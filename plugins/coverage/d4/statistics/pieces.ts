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
  const byChromosome = new Map<number, number[]>();
  chromosome.forEach((ordinal, i) => {
    const own = byChromosome.get(ordinal);
    if (own) own.push(i);
    else byChromosome.set(ordinal, [i]);
  });
  const order = new Uint32Array(count);
  let filled = 0;
  for (const ordinal of [...byChromosome.keys()].sort((a, b) => a - b)) {
    // Sorting plain numbers, with the place in the low bits, is many times faster than comparing by a function.
    const own = byChromosome.get(ordinal) as number[];
    const keys = Float64Array.from(own, (i, k) => (begin[i] as number) * own.length + k).sort();
    for (const key of keys) order[filled++] = own[key % own.length] as number;
  }
  return order;
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
