/** The samples that one is compared with: its cohort among the registered samples, and those that other tenants share. */
import { createHash } from 'node:crypto';
import type { Candidate, Release, SharedDataset } from '../../../core/plugin.js';
import type { Build, RegisteredSample, SampleRepository, SampleSex } from '../contract.js';
import { type FindSampleFacts, factsOfAll, type KnownFacts, samplePages } from '../samples/find.js';
import { leastForPercentiles } from './statistics.js';

/** A registered sample of the build of a report. */
export interface Member {
  id: string;
  /** Changes when its file is checked anew; see `RegisteredSample`. */
  revision: string;
  assay?: string;
  run?: string;
  /** Day of the analysis, else of the registration: `2026-04-23`. */
  day: string;
  /** Declared, else predicted; unknown if statements contradict each other. */
  sex: SampleSex;
}

/**
 * - `compared`: there are samples to compare with;
 * - `no-assay`: no assay is stated for the sample, so that it is unknown what it compares with;
 * - `alone`: no other sample of its assay has values;
 * - `changed`: the file of the report is not the one that the stored values are of;
 * - `no-values`: the values of the sample itself are not stored, so that its depth cannot be compared;
 * - `too-many`: the report has too many intervals to compare all;
 * - `unavailable`: the stored values cannot be read now.
 */
const cohortStates = ['compared', 'no-assay', 'alone', 'changed', 'no-values', 'too-many', 'unavailable'] as const;
export type ComparisonState = (typeof cohortStates)[number];

/** The cohort of one sample of a report. */
export interface Cohort {
  state: ComparisonState;
  /** Of the sample itself, if it is stated. */
  assay?: string;
  /** Sorted; several only if pooling was asked for. */
  assays: readonly string[];
  isPooled: boolean;
  sex: SampleSex;
  /** Samples with values, without the sample itself. */
  n: number;
  /** Those with the same sex chromosomes, for X and Y; 0 if the sex of the sample is unknown. */
  sameSex: number;
  /** How many of both are samples that other tenants share; omitted if there are none. */
  shared?: { n: number; sameSex: number };
  /** Of the samples, so that the same cohort can be recognised; omitted if it is small enough to guess them. */
  checksum?: string;
}

/**
 * The other samples that one is compared with: those of its assay, or of all assays if asked to pool. Relatives of the sample are
 * among them. Undefined if the sample has no assay and pooling was not asked for.
 */
export function membersFor(own: Member, all: readonly Member[], isPooled: boolean): Member[] | undefined {
  if (!isPooled && own.assay === undefined) return undefined;
  return all.filter(({ id, assay }) => id !== own.id && (isPooled ? assay !== undefined : assay === own.assay));
}

/** Samples of others come in by their revisions, which are random: a checksum must not confirm guesses of ids. */
export function checksumOfMembers(
  own: readonly Pick<Member, 'id'>[],
  shared: readonly Pick<Member, 'revision'>[] = [],
): string | undefined {
  const names = [...own.map(({ id }) => id), ...shared.map(({ revision }) => revision)];
  if (names.length < leastForPercentiles) return undefined;
  const lines = names.sort().join('\n');
  return `sha256:${createHash('sha256').update(lines).digest('hex')}`;
}

// Reads the registered samples that others are compared with.

/** Samples that are read at once. */
interface MemberSources {
  samples: Pick<SampleRepository, 'list'>;
  sampleFacts: FindSampleFacts;
}

/** All registered samples of the build, by id, in any state: whether they have values is known to the cohorts alone. */
export async function membersOfBuild(sources: MemberSources, build: Build, signal: AbortSignal): Promise<Member[]> {
  const members: Member[] = [];
  for await (const { sample, facts } of samplesWithFacts(sources, build, signal)) members.push(memberOf(sample, facts));
  return members;
}

/** The registered samples of the build, by id, with all that is known of them. */
async function* samplesWithFacts(
  { samples, sampleFacts }: MemberSources,
  build: Build,
  signal: AbortSignal,
): AsyncGenerator<{ sample: RegisteredSample; facts: KnownFacts }> {
  for await (const page of samplePages(samples)) {
    signal.throwIfAborted();
    const own = page.filter((one) => one.build === build);
    const facts = await factsOfAll(own, sampleFacts);
    for (const [i, sample] of own.entries()) yield { sample, facts: facts[i] as KnownFacts };
  }
}

function memberOf(
  { id, revision, analysed, registered }: RegisteredSample,
  { labels, sex }: Pick<KnownFacts, 'labels' | 'sex'>,
): Member {
  return {
    id,
    revision,
    ...(labels.assay !== undefined && { assay: labels.assay }),
    ...(labels.run !== undefined && { run: labels.run }),
    day: analysed ?? registered.toISOString().slice(0, 10),
    sex,
  };
}

// Reads the registered samples that other tenants share: those that are linked to a shared dataset.

/** Samples of a shared dataset, of which those count that `releasedFor` chooses. */
export interface SharedMembers extends Release {
  dataset: string;
  /** The first registered first. */
  members: readonly Member[];
  /** Those of some of the members, in their order, that count in the figures of a series. */
  counting(series: string, members: readonly Member[]): Promise<readonly Member[]>;
}

/** A shared dataset, with the samples and facts of its tenant alone: a link to a sample of another tenant opens nothing. */
interface SharedSource extends MemberSources {
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
type FiguresOf = 'all' | Exclude<Member['sex'], 'unknown'>;

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
