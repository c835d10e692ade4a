/** Reads the registered samples that others are compared with. */
import type { Build, RegisteredSample, SampleRepository } from '../contract.js';
import { type FindSampleFacts, factsOfAll, type SampleFacts } from '../registry/facts.js';
import type { Member } from './cohort.js';

/** Samples that are read at once. */
const portion = 1000;

export interface MemberSources {
  samples: Pick<SampleRepository, 'list'>;
  sampleFacts: FindSampleFacts;
}

/** All registered samples of the build, by id, in any state: whether they have values is known to the cohorts alone. */
export async function membersOf(sources: MemberSources, build: Build, signal: AbortSignal): Promise<Member[]> {
  const members: Member[] = [];
  for await (const { sample, facts } of samplesWithFacts(sources, build, signal)) members.push(memberOf(sample, facts));
  return members;
}

/** The registered samples of the build, by id, with all that is known of them. */
export async function* samplesWithFacts(
  { samples, sampleFacts }: MemberSources,
  build: Build,
  signal: AbortSignal,
): AsyncGenerator<{ sample: RegisteredSample; facts: SampleFacts }> {
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await samples.list({ ...(after !== undefined && { after }), limit: portion });
    const own = page.filter((one) => one.build === build);
    const facts = await factsOfAll(own, sampleFacts);
    for (const [i, sample] of own.entries()) yield { sample, facts: facts[i] as SampleFacts };
    after = page.at(-1)?.id;
    if (page.length < portion) return;
  }
}

export function memberOf(
  { id, revision, analysed, registered }: RegisteredSample,
  { labels, sex }: Pick<SampleFacts, 'labels' | 'sex'>,
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
