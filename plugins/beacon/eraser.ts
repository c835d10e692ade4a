/** The erasure of people from the datasets. */
import { type ErasedPeople, type Eraser, eraserOf, peopleOf, type Revision } from '../../core/plugin.js';
import type { BeaconRepository, ConsequenceRepository, DepthRepository, Sample } from './contract.js';
import type { Generations } from './protection/generations.js';

export interface BeaconEraserTools {
  repository: BeaconRepository;
  generations: Pick<Generations, 'begin' | 'forget'>;
  depths: Pick<DepthRepository, 'remove'>;
  consequences: Pick<ConsequenceRepository, 'forget'>;
  now(): Date;
}

/** A dataset only shares its samples: both scopes remove them. */
export function beaconEraser({ repository, generations, depths, consequences, now }: BeaconEraserTools): Eraser {
  return eraserOf(
    async (erasures) => {
      const people = peopleOf(erasures, 'sample');
      const all = await samplesOf(repository, people);
      return {
        found: all.map(({ dataset, samples }) => ({ what: `samples of dataset ${dataset}`, count: samples.length })),
        revisions: all.flatMap(({ revisions }) => revisions),
        async erase() {
          if (people.ids.length === 0) return [];
          // A first publication that runs must not outlast the erasure: it fails if the dataset has one.
          await generations.begin();
          const gone = new Set<string>();
          const erased = [];
          for (const { dataset, samples } of all) {
            await generations.forget(samples);
            const removed = await repository.removeSamples(dataset, samples, now());
            for (const one of samples) gone.add(one);
            erased.push(
              { what: `samples of dataset ${dataset}`, count: removed.samples },
              { what: `calls of alternate alleles in dataset ${dataset}`, count: removed.calls },
              { what: `alleles that no other sample of dataset ${dataset} has`, count: removed.alleles },
            );
          }
          // Again: a publication may have read their names in between. Also of samples that were deleted before, of which
          // budgets are kept; a sample that was added again since a dated erasure is spared.
          const spared = new Set<string>();
          for (const { id } of await repository.datasets()) {
            for (const name of await repository.samples(id)) if (!gone.has(name)) spared.add(name);
          }
          const left = people.ids.filter((id) => !spared.has(id));
          await generations.forget(left);
          // A load that was killed may have left calls, consequences and depths of samples that the dataset does not have.
          await repository.sweep(new Date(0), left);
          await consequences.forget(left);
          for (const { id } of await repository.datasets()) await depths.remove(id, left);
          return erased;
        },
      };
    },
    async (asked) => {
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
  );
}

/** The samples of each dataset that are to be removed, if there are any. */
async function samplesOf(
  repository: BeaconRepository,
  people: ErasedPeople,
): Promise<{ dataset: string; samples: string[]; revisions: Revision[] }[]> {
  const found: Awaited<ReturnType<typeof samplesOf>> = [];
  for (const { id: dataset } of people.ids.length === 0 ? [] : await repository.datasets()) {
    // Looks through the dataset, not the erasures, which grow for years.
    const named = (await repository.samples(dataset)).filter((name) => people.of(name).length > 0);
    const facts = named.length === 0 ? [] : await repository.sampleFacts(dataset);
    const revisions = new Map(facts.map((sample) => [sample.name, revisionOf(dataset, sample)]));
    const samples = named.filter((name) => people.reach(name, revisions.get(name)));
    if (samples.length === 0) continue;
    found.push({ dataset, samples, revisions: samples.flatMap((name) => revisions.get(name) ?? []) });
  }
  return found;
}

/** By the moment of its import. Undefined if an earlier release imported it, which did not keep when. */
function revisionOf(dataset: string, { name, added }: Pick<Sample, 'name' | 'added'>): Revision | undefined {
  return added && { name: `beacon ${JSON.stringify([dataset, name])} ${added.toISOString()}`, stored: added };
}
