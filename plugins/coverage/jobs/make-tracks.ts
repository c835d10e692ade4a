/** The job that makes callable tracks as samples come, change and go. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import { makeTracks, type TrackTools } from '../tracks/make.js';

export const tracksJob = 'coverage.make-tracks';

const payload = z.strictObject({});

/** An attempt makes what one before it did not complete. */
export function makeTracksJob(tools: TrackTools): JobHandler<z.output<typeof payload>> {
  return {
    payload,
    async run(_, { signal, progress, giveWay, log }) {
      const made = await makeTracks(tools, { signal, progress, giveWay });
      log.info({ made }, 'the callable tracks are up to date');
      return { made };
    },
  };
}
