/** How many of the samples that a tenant shares count for others. */

/** When samples count for others than their own tenant. */
export interface Release {
  /** Samples below which none counts. */
  readonly minimum: number;
  /** New samples that begin to count together: what changes between two days is never of one new sample alone. */
  readonly batch: number;
}

/** Those of the samples, oldest first, that count for others: whole batches of them, or none below the minimum. */
export function released<Sample>(oldestFirst: readonly Sample[], { minimum, batch }: Release): readonly Sample[] {
  const count = oldestFirst.length - (oldestFirst.length % batch);
  return count < minimum ? [] : oldestFirst.slice(0, count);
}
