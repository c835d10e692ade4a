/** Reads the registered samples that others are compared with. */
import type { Build, SampleRepository } from '../contract.js';
import { type FindSampleFacts, factsOfAll } from '../registry/facts.js';
import type { Member } from './cohort.js';

/** Samples that are read at once. */
const portion = 1000;

export interface MemberSources {
  samples: Pick<SampleRepository, 'list'>;
  sampleFacts: FindSampleFacts;
}

/** All registered samples of the build, by id, in any state: whether they have values is known to the cohorts alone. */
export async function membersOf(
  { samples, sampleFacts }: MemberSources,
  build: Build,
  signal: AbortSignal,
): Promise<Member[]> {
  const members: Member[] = [];
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await samples.list({ ...(after !== undefined && { after }), limit: portion });
    const own = page.filter((one) => one.build === build);
    const facts = await factsOfAll(own, sampleFacts);
    for (const [i, { id, revision, analysed, registered }] of own.entries()) {
      const { labels, sex } = facts[i] as (typeof facts)[number];
      members.push({
        id,
        revision,
        ...(labels.assay !== undefined && { assay: labels.assay }),
        ...(labels.run !== undefined && { run: labels.run }),
        day: analysed ?? registered.toISOString().slice(0, 10),
        sex,
      });
    }
    after = page.at(-1)?.id;
    if (page.length < portion) return members;
  }
}
