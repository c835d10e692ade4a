/** The samples of a shared dataset that count for others than its tenant. */
import { type Release, released } from '../../../core/plugin.js';
import type { Sample } from '../contract.js';

/**
 * The oldest samples, in whole batches: those that were searched for small alleles and those that were searched for structural
 * ones, each apart, so that neither is below the minimum or grows by less than a batch. `searched` says for which of them a
 * sample counts. Empty if there are too few for either.
 */
export function releasedSamples(samples: readonly Sample[], release: Release): readonly Sample[] {
  const oldestFirst = samples.toSorted(byAge);
  const releasedFor = (kind: keyof Sample['searched']) =>
    new Set(
      released(
        oldestFirst.filter(({ searched }) => searched[kind]),
        release,
      ),
    );
  const [small, structural] = [releasedFor('small'), releasedFor('structural')];
  return samples.flatMap((sample) => {
    const searched = { small: small.has(sample), structural: structural.has(sample) };
    return searched.small || searched.structural ? [{ ...sample, searched }] : [];
  });
}

/** Samples that an earlier release added without a date come first. */
function byAge(one: Sample, other: Sample): number {
  const ages = (one.added?.getTime() ?? 0) - (other.added?.getTime() ?? 0);
  return ages === 0 ? (one.name < other.name ? -1 : 1) : ages;
}
