/** Which samples of a shared dataset count for others than its tenant, by the batches that are stored of it. */
import { hash } from 'node:crypto';
import { type Candidate, Fault, type Release, settled } from '../../../core/plugin.js';
import type { CallabilityService } from '../../services/coverage.js';
import type { BeaconRepository, Dataset, Sample, Searched } from '../contract.js';

export type BatchRepository = Pick<BeaconRepository, 'salt' | 'batches' | 'addBatches'>;

/** How often batches are formed again because another process did so meanwhile. */
const attempts = 10;

/**
 * Those of the candidates, oldest first, that count (`settled`), by their ids, of any form: stored are digests with the salt of the
 * dataset. What counts together for different figures belongs to different series. Empty if the dataset does not exist.
 */
export async function countingTogether(
  repository: BatchRepository,
  dataset: string,
  series: string,
  candidates: readonly Candidate[],
  release: Release,
): Promise<ReadonlyMap<string, { readonly late: boolean }>> {
  const salt = await repository.salt(dataset);
  if (salt === undefined) return new Map();
  const digest = (text: string, length: number) => hash('sha256', `${salt}\n${text}`, 'base64url').slice(0, length);
  const ids = new Map(candidates.map(({ id }) => [digest(id, 22), id]));
  const digests = candidates.map(({ id, version, late }) => ({
    id: digest(id, 22),
    version: digest(version, 12),
    late: late === undefined ? undefined : digest(late, 12),
  }));
  // Other batches than before are other groups.
  const name = `${series}, ${release.batch}`;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const batches = await repository.batches(dataset, name);
    const { counting, added } = settled(batches, digests, release);
    if (added.length === 0 || (await repository.addBatches(dataset, name, batches.length, added))) {
      return new Map([...counting].map(([id, how]) => [ids.get(id) as string, how]));
    }
  }
  throw new Fault('unavailable', 'The shared samples change at the moment');
}

/**
 * The samples of a shared dataset that count: those that were searched for small alleles and those that were searched for structural
 * ones, each apart, so that neither is below the minimum or changes by less than a batch. `searched` says for which of them an entry
 * counts; a sample has two entries if its coverage counts for one of them only. Empty if there are too few for either.
 */
export async function releasedSamples(
  repository: BatchRepository & Pick<BeaconRepository, 'sampleFacts'>,
  service: CallabilityService | undefined,
  { id }: Pick<Dataset, 'id'>,
  release: Release,
): Promise<readonly Sample[]> {
  const oldestFirst = (await repository.sampleFacts(id)).sort(byAge);
  const standings = await service?.standings?.(oldestFirst.map(({ coverageId }) => coverageId));
  const countingFor = (kind: keyof Searched) => {
    const candidates = oldestFirst.flatMap(({ name, added, sex, coverageId, later, searched, unsearched }, i) => {
      if (!searched[kind]) return [];
      const version = JSON.stringify([sex, coverageId, later?.[kind] ?? 0, ...(unsearched?.[kind] ?? [])]);
      return { id: `${added?.getTime() ?? ''} ${name}`, version, late: standings ? standings[i] : 'any' };
    });
    return countingTogether(repository, id, standings ? kind : `${kind}, any coverage`, candidates, release);
  };
  const [small, structural] = [await countingFor('small'), await countingFor('structural')];
  return oldestFirst.flatMap((sample) => {
    const key = `${sample.added?.getTime() ?? ''} ${sample.name}`;
    const [one, other] = [small.get(key), structural.get(key)];
    const entry = (searched: Searched, { late }: { late: boolean }): Sample => ({
      ...sample,
      searched,
      // No registered sample has such an id.
      coverageId: late ? sample.coverageId : `\u0001${sample.coverageId}`,
    });
    if (one && other && one.late === other.late) return [entry({ small: true, structural: true }, one)];
    return [
      ...(one ? [entry({ small: true, structural: false }, one)] : []),
      ...(other ? [entry({ small: false, structural: true }, other)] : []),
    ];
  });
}

/** Samples that an earlier release added without a date come first. */
function byAge(one: Sample, other: Sample): number {
  const ages = (one.added?.getTime() ?? 0) - (other.added?.getTime() ?? 0);
  return ages === 0 ? (one.name < other.name ? -1 : 1) : ages;
}
