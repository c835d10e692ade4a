/** Reads the registered samples that other tenants share: those that are linked to a shared dataset. */
import { type Release, released, type SharedDataset } from '../../../core/plugin.js';
import type { Build } from '../contract.js';
import type { Member } from './cohort.js';
import { type MemberSources, memberOf, samplesWithFacts } from './members.js';

/** Samples of a shared dataset, of which those count that `releasedFor` chooses. */
export interface SharedMembers extends Release {
  dataset: string;
  /** The first registered first. */
  members: readonly Member[];
}

/** A shared dataset, with the samples and facts of its tenant alone: a link to a sample of another tenant opens nothing. */
export interface SharedSource extends MemberSources {
  share: Pick<SharedDataset, 'dataset' | 'minimum' | 'batch'>;
}

/** A sample of several shared datasets is of the first. Without samples of people who object to sharing. */
export async function sharedMembersOf(
  sources: readonly SharedSource[],
  objecting: () => Promise<ReadonlySet<string>>,
  build: Build,
  signal: AbortSignal,
): Promise<SharedMembers[]> {
  if (sources.length === 0) return [];
  const taken = new Set(await objecting());
  const shared: SharedMembers[] = [];
  for (const { share, ...from } of sources) {
    const { dataset, minimum, batch } = share;
    const found: { member: Member; registered: Date }[] = [];
    for await (const { sample, facts } of samplesWithFacts(from, build, signal)) {
      if (taken.has(sample.id) || !facts.datasets.includes(dataset)) continue;
      taken.add(sample.id);
      found.push({ member: memberOf(sample, facts), registered: sample.registered });
    }
    found.sort((one, other) => one.registered.getTime() - other.registered.getTime());
    shared.push({ dataset, minimum, batch, members: found.map(({ member }) => member) });
  }
  return shared;
}

/**
 * Those of the shared samples that are compared with one, if they fulfil the condition: of each dataset the first registered, in
 * whole batches, and none of a dataset with fewer than its minimum.
 */
export function releasedFor(
  shared: readonly SharedMembers[],
  isComparable: (member: Member) => boolean,
): { dataset: string; members: readonly Member[] }[] {
  return shared.flatMap(({ dataset, members, ...release }) => {
    const some = released(members.filter(isComparable), release);
    return some.length === 0 ? [] : [{ dataset, members: some }];
  });
}
