/** Keeps consequences in step with the alleles of datasets: what nobody carries any more has none. */
import { isFault } from '../../../../core/plugin.js';
import { type Allele, alleleKey, type BeaconRepository, byAllele } from '../../contract.js';
import { withDepths } from '../depths/called.js';
import type { ConsequenceRepository } from './contract.js';

interface KeptBeside {
  depths: Parameters<typeof withDepths>[1];
  consequences: Parameters<typeof withConsequences>[1];
}

/** The same repository; removals take along all that is kept beside alleles and samples. */
export function withAllKept<
  Repository extends Pick<BeaconRepository, 'removeSamples' | 'removeDataset' | 'eachAllele'>,
>(repository: Repository, { depths, consequences }: KeptBeside): Repository {
  return withConsequences(withDepths(repository, depths), consequences);
}

/** The same repository; what nobody carries any more after a removal has no consequences either. */
function withConsequences<Repository extends Pick<BeaconRepository, 'removeSamples' | 'removeDataset' | 'eachAllele'>>(
  repository: Repository,
  consequences: Pick<ConsequenceRepository, 'mark' | 'prune' | 'unsettled' | 'remove'>,
): Repository {
  return {
    ...repository,
    async removeSamples(dataset: string, samples: readonly string[], now: Date) {
      await consequences.mark(dataset);
      const removed = await repository.removeSamples(dataset, samples, now);
      await pruneMarked({ repository, consequences }, dataset);
      return removed;
    },
    async removeDataset(id: string) {
      await consequences.remove(id);
      return repository.removeDataset(id);
    },
  };
}

interface Pruning {
  repository: Pick<BeaconRepository, 'eachAllele'>;
  consequences: Pick<ConsequenceRepository, 'prune' | 'unsettled'>;
}

/** Removes what nobody carries any more, if alleles of the dataset may be gone. */
export async function pruneMarked({ repository, consequences }: Pruning, dataset: string): Promise<void> {
  const marked = (await consequences.unsettled()).some((one) => one.dataset === dataset && one.isMarked);
  if (marked) await consequences.prune(dataset, (alleles) => absentOf(repository, dataset, alleles));
}

/** The keys of those of the alleles that a dataset does not have. */
async function absentOf(
  repository: Pick<BeaconRepository, 'eachAllele'>,
  dataset: string,
  alleles: readonly Allele[],
): Promise<ReadonlySet<string>> {
  const absent = new Set(alleles.map(alleleKey));
  const sorted = [...alleles].sort(byAllele);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return absent;
  const { mate: _, ...place } = first;
  try {
    await repository.eachAllele(
      dataset,
      async (portion) => {
        for (const allele of portion) absent.delete(alleleKey(allele));
        const end = portion.at(-1);
        return end === undefined || byAllele(end, last) < 0;
      },
      // Before all alleles of this start and end.
      { after: { ...place, reference: '', alternate: '' } },
    );
  } catch (error) {
    if (!isFault(error) || error.code !== 'not-found') throw error;
  }
  return absent;
}
