/** Reads the registered samples that other tenants share: those that are linked to a shared dataset. */
import type { Candidate, Release, SharedDataset } from '../../../core/plugin.js';
import type { Build, RegisteredSample } from '../contract.js';
import type { Member } from './cohort.js';
import { type MemberSources, memberOf, samplesWithFacts } from './members.js';

/** Samples of a shared dataset, of which those count that `releasedFor` chooses. */
export interface SharedMembers extends Release {
  dataset: string;
  /** The first registered first. */
  members: readonly Member[];
  /** Those of some of the members, in their order, that count in the figures of a series. */
  counting(series: string, members: readonly Member[]): Promise<readonly Member[]>;
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
    const found: { member: Member; sample: RegisteredSample }[] = [];
    for await (const { sample, facts } of samplesWithFacts(from, build, signal)) {
      if (taken.has(sample.id) || !facts.datasets.includes(dataset)) continue;
      taken.add(sample.id);
      found.push({ member: memberOf(sample, facts), sample });
    }
    found.sort((one, other) => one.sample.registered.getTime() - other.sample.registered.getTime());
    const candidates = new Map(found.map(({ member, sample }) => [member, candidateOf(member, sample)]));
    shared.push({
      ...{ dataset, minimum, batch, members: found.map(({ member }) => member) },
      async counting(series, members) {
        const those = members.flatMap((member) => candidates.get(member) ?? []);
        const ids = await from.sampleFacts()?.countingTogether(dataset, `${build}, ${series}`, those, share);
        return members.filter((member) => ids?.has(candidates.get(member)?.id ?? ''));
      },
    });
  }
  return shared;
}

/** By what the figures of a sample in a cohort depend on. A file that is checked again and has not changed is the same. */
function candidateOf({ assay, sex }: Member, { id, registered, check }: RegisteredSample): Candidate {
  return { id: `${registered.getTime()} ${id}`, version: JSON.stringify([check?.fingerprint, assay, sex]) };
}

/** Figures of samples whatever their sex, or of one sex alone. */
export type FiguresOf = 'all' | Exclude<Member['sex'], 'unknown'>;

/**
 * Those of the shared samples that are compared with one, if they fulfil the condition: of each dataset those in whole batches, and
 * none of fewer than its minimum, of each assay apart. If assays are pooled, no other samples count than if they are not: callers could
 * compare the two.
 */
export async function releasedFor(
  shared: readonly SharedMembers[],
  figures: FiguresOf,
  isComparable: (member: Member) => boolean,
): Promise<{ dataset: string; members: readonly Member[] }[]> {
  const found: { dataset: string; members: readonly Member[] }[] = [];
  for (const { dataset, counting, ...one } of shared) {
    const members: Member[] = [];
    for (const [assay, those] of byAssay(one, isComparable)) {
      members.push(...(await counting(`${figures} of ${assay}`, those)));
    }
    if (members.length > 0) found.push({ dataset, members });
  }
  return found;
}

/** Those that fulfil the condition, by assay, of assays that have enough of them. */
export function byAssay(
  { members, minimum }: Pick<SharedMembers, 'members' | 'minimum'>,
  isComparable: (member: Member) => boolean,
): ReadonlyMap<string, readonly Member[]> {
  const found = new Map<string, Member[]>();
  for (const member of members.filter(isComparable)) {
    const { assay = '' } = member;
    const those = found.get(assay) ?? [];
    those.push(member);
    found.set(assay, those);
  }
  return new Map([...found].filter(([, those]) => those.length >= minimum));
}
