/** The datasets of which tenants share counts with the members of others. */
import type { Caller, Share, Tenants } from '../../../core/plugin.js';
import type { FindCallability } from '../callability/find.js';
import type { BeaconRepository, Dataset } from '../contract.js';
import { type ProtectionSettings, protectionOf } from '../protection/profiles.js';
import { sharedRight } from '../rights.js';

import { type BatchRepository, releasedSamples } from './batches.js';
import { SharedReads } from './shared-reads.js';

export interface SharedDataset {
  dataset: Dataset;
  /** Samples below which nothing is counted. */
  minimum: number;
  reads: SharedReads;
}

export interface SharingTools {
  tenants: Pick<Tenants, 'sharedWith'> | undefined;
  repository: BatchRepository & Pick<BeaconRepository, 'observe' | 'sampleFacts'>;
  callability: FindCallability;
  protection: ProtectionSettings;
}

/**
 * Those of the datasets that are shared with the caller and have enough samples, in their order. Not those with a protection:
 * of them others learn only what that lets them learn.
 */
export async function sharedDatasets(
  { tenants, repository, callability, protection }: SharingTools,
  caller: Caller,
  datasets: readonly Dataset[],
): Promise<SharedDataset[]> {
  const shares = (await tenants?.sharedWith(caller, sharedRight)) ?? [];
  const found: SharedDataset[] = [];
  for (const dataset of shares.length === 0 ? [] : datasets) {
    const release = strictest(shares.filter((share) => share.dataset === dataset.id));
    const isOpen = protectionOf(protection, dataset.id) === undefined;
    if (release === undefined || !isOpen || dataset.sampleCount < release.minimum) continue;
    const samples = await releasedSamples(repository, await callability(dataset), dataset, release);
    if (samples.length === 0) continue;
    found.push({ dataset, minimum: release.minimum, reads: new SharedReads(repository, dataset, samples) });
  }
  return found;
}

/** A dataset of several tenants may be shared by each of them. */
function strictest(shares: readonly Share[]): Pick<Share, 'minimum' | 'batch'> | undefined {
  if (shares.length === 0) return undefined;
  return {
    minimum: Math.max(...shares.map(({ minimum }) => minimum)),
    batch: Math.max(...shares.map(({ batch }) => batch)),
  };
}
