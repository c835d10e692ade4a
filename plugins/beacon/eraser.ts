/** The erasure of people from the datasets. */
import { concerns, type Erased, type Eraser, type Erasure } from '../../core/plugin.js';
import type { BeaconRepository } from './contract.js';
import type { Generations } from './protection/generations.js';

export interface EraserTools {
  repository: BeaconRepository;
  generations: Pick<Generations, 'forget'>;
  now(): Date;
}

/** A dataset only shares its samples: both scopes remove them. */
export function beaconEraser({ repository, generations, now }: EraserTools): Eraser {
  return {
    async related({ cases, samples }) {
      const ids: string[] = [];
      for (const { id: dataset } of await repository.datasets()) {
        for (const { name, case: family, coverageId } of await repository.sampleFacts(dataset)) {
          const isOne = samples.includes(name) || samples.includes(coverageId);
          if (isOne || cases.includes(family)) ids.push(name, coverageId);
        }
      }
      return ids;
    },

    find: (erasures) =>
      inEachDataset(repository, erasures, async (dataset, samples) => [
        { what: `samples of dataset ${dataset}`, count: samples.length },
      ]),

    async erase(erasures) {
      // Also of samples that were deleted before budgets are kept. A dated erasure spares a sample that was added again.
      const gone = erasures.filter((one) => concerns(one, 'sample') && one.before === undefined).map(({ id }) => id);
      if (gone.length > 0) await generations.forget(gone);
      return inEachDataset(repository, erasures, async (dataset, samples) => {
        await generations.forget(samples);
        const removed = await repository.removeSamples(dataset, samples, now());
        return [
          { what: `samples of dataset ${dataset}`, count: removed.samples },
          { what: `calls of alternate alleles in dataset ${dataset}`, count: removed.calls },
          { what: `alleles that no other sample of dataset ${dataset} has`, count: removed.alleles },
        ];
      });
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
  const all: Erased[] = [];
  for (const { id: dataset } of await repository.datasets()) {
    const samples = await meant(repository, dataset, own);
    if (samples.length > 0) all.push(...(await work(dataset, samples)));
  }
  return all;
}

/** The samples of the dataset that are to be removed. */
async function meant(
  repository: Pick<BeaconRepository, 'samples' | 'sampleFacts'>,
  dataset: string,
  erasures: readonly Erasure[],
): Promise<string[]> {
  const wanted = new Set(erasures.map(({ id }) => id));
  const there = (await repository.samples(dataset)).filter((name) => wanted.has(name));
  if (there.length === 0 || erasures.every(({ before }) => before === undefined)) return there;
  const added = new Map((await repository.sampleFacts(dataset)).map((sample) => [sample.name, sample.added]));
  return there.filter((name) =>
    erasures.some(({ id, before }) => {
      // An earlier release did not keep when a sample was added.
      const since = added.get(name);
      return id === name && (before === undefined || since === undefined || since < before);
    }),
  );
}
