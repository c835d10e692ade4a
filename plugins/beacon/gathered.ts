/** An import as it is gathered before anything of it is written: a failure half way leaves nothing to undo. */
import { type Allele, alleleKey, statedOfCarriers, widened } from './domain/allele.js';
import { callsWithinBounds } from './domain/bounds.js';
import type { NamedCarrier } from './domain/tally.js';
import type { Import, Portion } from './repository.js';

/** An allele of an import. */
export interface GatheredAllele {
  /** Without ranges and length. */
  readonly allele: Allele;
  /** The widest of its ranges, and for each sample the first number of copies. */
  readonly portion: Portion;
  readonly uncalled: readonly string[];
}

/** Each allele once. */
export async function gathered({ alleles, samples, signal }: Import): Promise<GatheredAllele[]> {
  const all = new Map<string, { whole: Allele; copies: Map<number, number>; missed: Set<number> }>();
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    signal?.throwIfAborted();
    for (const record of batch) {
      const { carriers, uncalled = [], ...allele } = statedOfCarriers(record);
      const key = alleleKey(allele);
      const { whole, copies, missed } = all.get(key) ?? { whole: allele, copies: new Map(), missed: new Set() };
      for (const sample of uncalled) missed.add(sample);
      for (const [sample, count] of carriers) if (!copies.has(sample)) copies.set(sample, count);
      callsWithinBounds(allele, copies);
      all.set(key, { whole: structuredClone(widened(whole, allele)), copies, missed });
    }
  }
  signal?.throwIfAborted();
  const nameOf = (index: number): string => {
    const name = samples[index];
    if (name === undefined) throw new RangeError(`An allele names sample ${index} of ${samples.length}`);
    return name;
  };
  return [...all.values()].map(({ whole, copies, missed }) => {
    const { startRange, endRange, length, ...allele } = whole;
    const carriers = [...copies].map(([sample, count]): NamedCarrier => [nameOf(sample), count]);
    const stated = {
      ...(startRange && { startRange }),
      ...(endRange && { endRange }),
      ...(length !== undefined && { length }),
    };
    return { allele, portion: { ...stated, carriers }, uncalled: [...missed].map(nameOf) };
  });
}
