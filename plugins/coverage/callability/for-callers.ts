/** Which registered samples are covered, as a caller may know it, for other plugins, which see these types only. */
import { isFault, type Principal } from '../../../core/plugin.js';
import { readSamplesRight } from '../rights.js';
import type { CoverageServices } from '../services.js';
import type { CoveredAnswer, CoveredQuestion } from './service.js';

/** The service `coverage/covered-samples@1`. */
export interface CoveredSamplesService {
  /**
   * The answer of `coverage/callability@1` as if only those samples were registered that the caller may see (`coverage:read`);
   * undefined if there can be none. It is recorded in the audit that the caller saw them. Faults as there.
   */
  covered(
    request: { principal: Principal; id: string },
    question: CoveredQuestion,
    signal: AbortSignal,
  ): Promise<CoveredAnswer | undefined>;
}

export function coveredSamples({
  forCaller,
  recording,
}: Pick<CoverageServices, 'forCaller' | 'recording'>): CoveredSamplesService {
  return {
    async covered(request, question, signal) {
      const reached = await forCaller(request.principal, readSamplesRight).catch((error: unknown) => {
        if (!isFault(error) || error.code !== 'forbidden') throw error;
        return undefined;
      });
      if (reached === undefined) return undefined;
      const answer = await reached.callability.covered(question, signal);
      const samples = async () => (await reached.samples.find(question.groups.flat())).map(({ id }) => id);
      await recording.shown(request, { action: 'callability', what: 'covered', samples, right: readSamplesRight });
      return answer;
    },
  };
}
