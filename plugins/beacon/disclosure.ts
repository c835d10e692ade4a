/** What a caller may learn of each dataset: the one policy below the faces at /beacon. */
import type { Caller, Policy } from '../../core/plugin.js';
import type { Dataset } from './contract.js';
import type { Guard, SeenDataset } from './protection/guard.js';
import { casesRight, heldReadRight } from './rights.js';

/** From the least to the most: whether there is an allele, how many there are, and which (Beacon v2.1, `granularity`). */
export const granularities = ['boolean', 'count', 'record'] as const;
export type Granularity = (typeof granularities)[number];

/** The lesser of several. */
export function least(...of: readonly [Granularity, ...Granularity[]]): Granularity {
  return of.reduce((one, other) => (granularities.indexOf(other) < granularities.indexOf(one) ? other : one));
}

/** The larger of several. */
export function most(...of: readonly [Granularity, ...Granularity[]]): Granularity {
  return of.reduce((one, other) => (granularities.indexOf(other) > granularities.indexOf(one) ? other : one));
}

/** A dataset that the caller may query, and what of it. */
export interface DisclosedDataset {
  dataset: SeenDataset;
  granularity: Granularity;
  /** Whether the caller may know out of how many samples alleles were seen: not even a public dataset is open for that. */
  frequencies: boolean;
  /** Whether the caller may know who carries an allele. */
  cases: boolean;
}

export interface DisclosureSettings {
  granularity: Granularity;
  datasets: Readonly<Record<string, Granularity>>;
}

/** Those of the datasets that the caller may query, in their order. Any other is for the caller as if it did not exist. */
export async function disclosedDatasets(
  { policy, guard, settings }: { policy: Policy; guard: Guard; settings: { disclosure: DisclosureSettings } },
  caller: Caller,
  datasets: readonly Dataset[],
): Promise<DisclosedDataset[]> {
  const open = await guard.open(caller, datasets);
  const held = new Set(await policy.among(caller, heldReadRight, open));
  const named = new Set(await policy.among(caller, casesRight, open));
  const { granularity, datasets: single } = settings.disclosure;
  return open.map((dataset) => {
    const known = Object.hasOwn(single, dataset.id) ? single[dataset.id] : undefined;
    // Of a guarded dataset callers learn only whether alleles are present.
    const level = dataset.guarded ? 'boolean' : (known ?? granularity);
    return {
      dataset,
      granularity: level,
      frequencies: level !== 'boolean' && held.has(dataset),
      cases: level === 'record' && named.has(dataset),
    };
  });
}
