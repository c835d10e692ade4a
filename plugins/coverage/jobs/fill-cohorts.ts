/** The job that keeps the values of cohorts complete: after interval sets were replaced, and when samples come and go. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import { type FillTools, fillCohorts } from '../cohorts/keep.js';

export const fillJob = 'coverage.fill-cohorts';

const payload = z.strictObject({});

/** An attempt goes on where one before it was interrupted. */
export function fillCohortsJob(tools: FillTools): JobHandler<z.output<typeof payload>> {
  return {
    payload,
    async run(_, { signal, progress, giveWay, log }) {
      const added = await fillCohorts(tools, { signal, progress, giveWay });
      log.info({ added }, 'the values of cohorts are up to date');
      return { added };
    },
  };
}
