/** A dataset as a sites-only VCF: the one form of the command and of the handover. */
import type { BeaconRepository, Dataset } from './contract.js';
import { siteLine, sitesHeader } from './vcf/sites.js';

/**
 * Passes the text of the VCF to `write` in portions, each after the one before was taken; returns the number of alleles. All of
 * it shows one state of the dataset. Throws a `not-found` fault if the dataset is gone, and the signal's reason.
 */
export async function exportSites(
  repository: Pick<BeaconRepository, 'eachAllele'>,
  dataset: Dataset,
  write: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  let alleles = 0;
  await write(sitesHeader(dataset));
  await repository.eachAllele(dataset.id, async (portion) => {
    signal.throwIfAborted();
    alleles += portion.length;
    await write(portion.map((allele) => siteLine(allele, dataset.sampleCount)).join(''));
  });
  return alleles;
}
