/** The job that loads an interval file. */
import { z } from 'zod';
import { Fault, fileUnder, type JobHandler, type Json, type UploadFolder } from '../../../core/plugin.js';
import { builds, type IntervalRepository, intervalKinds } from '../contract.js';
import { loadIntervals } from '../intervals/loading.js';
import { openIntervals } from '../intervals/source.js';

export const loadJob = 'coverage.load-intervals';

const payload = z.strictObject({
  kind: z.enum(intervalKinds),
  build: z.enum(builds),
  /** A file of the server as it was asked for; absent for the upload that bears the job's id. */
  path: z.string().optional(),
  release: z.string().optional(),
  force: z.boolean(),
});

export type LoadPayload = z.output<typeof payload>;

export interface LoadTools {
  repository: IntervalRepository;
  roots: readonly string[];
  maxShrink: number;
  uploads: UploadFolder;
  /** Told when an attempt on an upload has ended. */
  onUsed(): void;
  now(): Date;
}

/** What those who may not know which files the server has are told about one that is not theirs to load. */
export const noSuchFile = 'The interval file was not found at the provided path';

/** Loading the same again leads to the same sets, so that an attempt may follow one that was cut off at any moment. */
export function loadIntervalsJob(tools: LoadTools): JobHandler<LoadPayload> {
  const { repository, roots, maxShrink, uploads, onUsed, now } = tools;
  return {
    payload,
    async run({ kind, build, path, release, force }, { id, signal, progress, log }) {
      try {
        const file = path === undefined ? uploads.path(id) : await fileUnder(roots, path);
        if (file === undefined) throw new Fault('unprocessable', noSuchFile);
        const source = await openIntervals(file, path === undefined ? 'upload' : undefined);
        const report = await loadIntervals({
          repository,
          kind,
          build,
          source,
          release,
          force,
          maxShrink,
          now: now(),
          signal,
          onProgress: progress,
        });
        const rows = report.sets.reduce((sum, set) => sum + set.rows, 0);
        log.info({ kind, build, rows, skipped: report.skipped }, 'intervals loaded');
        return JSON.parse(JSON.stringify(report)) as Json;
      } finally {
        if (path === undefined) onUsed();
      }
    },
  };
}
