/** The erasure of people from the datasets. */
import {
  concerns,
  type Erased,
  type Eraser,
  type Erasure,
  erasuresById,
  type Revision,
  reaches,
} from '../../core/plugin.js';
import type { BeaconRepository, Sample } from './contract.js';
import type { Generations } from './protection/generations.js';

export interface BeaconEraserTools {
  repository: BeaconRepository;
  generations: Pick<Generations, 'begin' | 'forget'>;
  now(): Date;
}

/** A dataset only shares its samples: both scopes remove them. */
export function beaconEraser({ repository, generations, now }: BeaconEraserTools): Eraser {
  return {
    async related(asked) {
      const ids: string[] = [];
      const trimmed = (names: readonly string[]) => new Set(names.map((name) => name.trim()));
      const [cases, samples] = [trimmed(asked.cases), trimmed(asked.samples)];
      for (const { id: dataset } of await repository.datasets()) {
        for (const { name, case: family, coverageId } of await repository.sampleFacts(dataset)) {
          // Stored by an earlier release, a name may have blanks around it.
          const isMeant = [name, coverageId].some((id) => samples.has(id.trim())) || cases.has(family.trim());
          if (isMeant) ids.push(name, coverageId);
        }
      }
      return ids;
    },

    find: (erasures) =>
      inEachDataset(repository, erasures, async (dataset, samples) => [
        { what: `samples of dataset ${dataset}`, count: samples.length },
      ]),

    async revisions(erasures) {
      const found: Revision[] = [];
      await inEachDataset(repository, erasures, async (dataset, samples) => {
        const own = new Set(samples);
        for (const sample of await repository.sampleFacts(dataset)) {
          const revision = own.has(sample.name) ? revisionOf(dataset, sample) : undefined;
          if (revision) found.push(revision);
        }
        return [];
      });
      return found;
    },

    async erase(erasures) {
      const ids = new Set(erasures.filter((one) => concerns(one, 'sample')).map(({ id }) => id));
      if (ids.size === 0) return [];
      // A first publication that runs must not outlast the erasure: it fails if the dataset has one.
      await generations.begin();
      const gone = new Set<string>();
      const erased = await inEachDataset(repository, erasures, async (dataset, samples) => {
        await generations.forget(samples);
        const removed = await repository.removeSamples(dataset, samples, now());
        for (const one of samples) gone.add(one);
        return [
          { what: `samples of dataset ${dataset}`, count: removed.samples },
          { what: `calls of alternate alleles in dataset ${dataset}`, count: removed.calls },
          { what: `alleles that no other sample of dataset ${dataset} has`, count: removed.alleles },
        ];
      });
      // Again: a publication may have read their names in between. Also of samples that were deleted before, of which budgets
      // are kept; a sample that was added again since a dated erasure is spared.
      const spared = new Set<string>();
      for (const { id } of await repository.datasets()) {
        for (const name of await repository.samples(id)) if (!gone.has(name)) spared.add(name);
      }
      await generations.forget([...ids].filter((id) => !spared.has(id)));
      return erased;
    },
  };
}

async function inEachDataset(
  repository: BeaconRepository,
  erasures: readonly Erasure[],
  work: (dataset: string, samples: readonly string[]) => Promise<Erased[]>,
): Promise<Erased[]> {
  const own = erasures.filter((one) => concerns(one, 'sample'));
  if (own.length === 0) return [];
  const byId = erasuresById(own);
  const all: Erased[] = [];
  for (const { id: dataset } of await repository.datasets()) {
    const samples = await meant(repository, dataset, byId);
    if (samples.length > 0) all.push(...(await work(dataset, samples)));
  }
  return all;
}

/** The samples of the dataset that are to be removed. Looks through the dataset, not the erasures, which grow for years. */
async function meant(
  repository: Pick<BeaconRepository, 'samples' | 'sampleFacts'>,
  dataset: string,
  erasures: ReadonlyMap<string, readonly Erasure[]>,
): Promise<string[]> {
  const there = (await repository.samples(dataset)).filter((name) => erasures.has(name));
  const isDated = (name: string) => erasures.get(name)?.every(({ before }) => before !== undefined) === true;
  if (!there.some(isDated)) return there;
  const revisions = new Map(
    (await repository.sampleFacts(dataset)).map((sample) => [sample.name, revisionOf(dataset, sample)]),
  );
  return there.filter((name) => {
    const revision = revisions.get(name);
    return revision === undefined || erasures.get(name)?.some((one) => reaches(one, revision)) === true;
  });
}

/** By the moment of its import. Undefined if an earlier release imported it, which did not keep when. */
function revisionOf(dataset: string, { name, added }: Pick<Sample, 'name' | 'added'>): Revision | undefined {
  return added && { name: `beacon ${JSON.stringify([dataset, name])} ${added.toISOString()}`, stored: added };
}
