/** Keeps consequences in step with the alleles of datasets: what nobody carries any more has none. */
import { isFault } from '../../../../core/plugin.js';
import { type Allele, alleleKey, type BeaconRepository, byAllele, movedBy } from '../../contract.js';
import type { FormOf } from '../../domain/dataset-forms.js';
import { withDepths } from '../depths/called.js';
import type { ConsequenceRepository } from './contract.js';

interface KeptBeside {
  depths: Parameters<typeof withDepths>[1];
  consequences: Parameters<typeof withConsequences>[1];
  /** No dataset is left-aligned if omitted. */
  formOf?: FormOf | undefined;
}

type Removals = Pick<BeaconRepository, 'removeSamples' | 'removeDataset' | 'eachAllele' | 'dataset'>;

/** The same repository; removals take along all that is kept beside alleles and samples. */
export function withAllKept<Repository extends Removals>(
  repository: Repository,
  { depths, consequences, formOf }: KeptBeside,
): Repository {
  return withConsequences(withDepths(repository, depths), consequences, formOf);
}

/** The same repository; what nobody carries any more after a removal has no consequences either, and no load that runs or was killed. */
function withConsequences<Repository extends Removals>(
  repository: Repository,
  consequences: Pick<ConsequenceRepository, 'mark' | 'prune' | 'unsettled' | 'remove' | 'forget'>,
  formOf: FormOf | undefined,
): Repository {
  return {
    ...repository,
    async removeSamples(dataset: string, samples: readonly string[], now: Date) {
      await consequences.forget(samples, dataset);
      await consequences.mark(dataset);
      const removed = await repository.removeSamples(dataset, samples, now);
      await pruneMarked({ repository, consequences, formOf }, dataset);
      return removed;
    },
    async removeDataset(id: string) {
      await consequences.remove(id);
      return repository.removeDataset(id);
    },
  };
}

export interface Pruning {
  repository: Pick<BeaconRepository, 'eachAllele' | 'dataset'>;
  consequences: Pick<ConsequenceRepository, 'prune' | 'unsettled'>;
  formOf?: FormOf | undefined;
}

/** Removes what nobody carries any more, if alleles of the dataset may be gone; what is carried in another form takes that form. */
export async function pruneMarked(pruning: Pruning, dataset: string): Promise<void> {
  const { consequences } = pruning;
  const marked = (await consequences.unsettled()).some((one) => one.dataset === dataset && one.isMarked);
  if (marked) await consequences.prune(dataset, (alleles) => absentOf(pruning, dataset, alleles));
}

/** By key, those of the alleles that a dataset does not have, with the form in which it has them. */
async function absentOf(
  { repository, formOf }: Pruning,
  dataset: string,
  alleles: readonly Allele[],
): Promise<ReadonlyMap<string, Allele | undefined>> {
  const there = await presentOf(repository, dataset, alleles);
  const absent = alleles.filter((allele) => !there.has(alleleKey(allele)));
  // After that: an allele that was looked for in a form of the dataset that it no longer has is then found in the new one.
  const { assembly, alignedTo } = (absent.length > 0 && (await repository.dataset(dataset))) || {};
  const form = assembly === undefined || alignedTo === undefined ? undefined : formOf?.(assembly);
  const moved = absent.map((allele) => form && movedBy(allele, form));
  const found = await presentOf(
    repository,
    dataset,
    moved.filter((allele) => allele !== undefined),
  );
  return new Map(
    absent.map((allele, i) => {
      const to = moved[i];
      return [alleleKey(allele), to && found.has(alleleKey(to)) ? to : undefined];
    }),
  );
}

/** The keys of those of the alleles that a dataset has. */
async function presentOf(
  repository: Pick<BeaconRepository, 'eachAllele'>,
  dataset: string,
  alleles: readonly Allele[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(alleles.map(alleleKey));
  const present = new Set<string>();
  const sorted = [...alleles].sort(byAllele);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return present;
  const { mate: _, ...place } = first;
  try {
    await repository.eachAllele(
      dataset,
      async (portion) => {
        for (const key of portion.map(alleleKey)) if (wanted.has(key)) present.add(key);
        const end = portion.at(-1);
        return end === undefined || byAllele(end, last) < 0;
      },
      // Before all alleles of this start and end.
      { after: { ...place, reference: '', alternate: '' } },
    );
  } catch (error) {
    if (!isFault(error) || error.code !== 'not-found') throw error;
  }
  return present;
}
