/** Which registered samples are covered, as a caller may know it, for other plugins. */
import { isFault } from '../../../core/plugin.js';
import type { CoveredSamplesService } from '../../services/coverage.js';
import { readSamplesRight } from '../rights.js';
import type { CoverageServices } from '../services.js';

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
