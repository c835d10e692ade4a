/** The registered samples that others may count and be compared with: without those of people who object to sharing. */
import type { Erasures } from '../../../core/plugin.js';
import type { SampleRepository } from '../contract.js';

/** The same repository, in which samples of people who object are not registered. Their reports read the other one. */
export function sharedSamples(
  samples: Pick<SampleRepository, 'find' | 'revisions' | 'runsFrom'>,
  erasures: Pick<Erasures, 'objecting'>,
): Pick<SampleRepository, 'find' | 'revisions' | 'runsFrom'> {
  const shared = async (ids: readonly string[]): Promise<readonly string[]> => {
    const objecting = await erasures.objecting('sample');
    return objecting.size === 0 ? ids : ids.filter((id) => !objecting.has(id));
  };
  return {
    find: async (ids, begins) => samples.find(await shared(ids), begins),
    revisions: async (ids) => samples.revisions(await shared(ids)),
    runsFrom: async (ids, chromosome, span) => samples.runsFrom(await shared(ids), chromosome, span),
  };
}
