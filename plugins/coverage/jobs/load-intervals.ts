/** The job that loads an interval file. */
import { basename } from 'node:path';
import { z } from 'zod';
import { storedFile, type Uploads } from '../../../core/files.js';
import { type Announcing, Fault, type JobHandler, type Json } from '../../../core/plugin.js';
import { builds, type IntervalRepository, intervalKinds } from '../contract.js';
import { loadIntervals } from '../intervals/loading.js';
import { type IntervalSource, intervalsOf } from '../intervals/source.js';
import { announceReplaced } from '../intervals-replaced.js';
import type { CoverageSources } from '../sources/sources.js';

export const loadJob = 'coverage.load-intervals';

const payload = z.strictObject({
  kind: z.enum(intervalKinds),
  build: z.enum(builds),
  /** A file of the server, as the request named it; absent for the upload that has the job's id. */
  path: z.string().optional(),
  release: z.string().optional(),
  force: z.boolean(),
});

export type LoadPayload = z.output<typeof payload>;

export interface LoadTools {
  repository: IntervalRepository;
  /** Of the whole server, as the right to load intervals is. */
  sources: Pick<CoverageSources, 'file'>;
  maxShrink: number;
  uploads: Uploads;
  /** Called when an attempt on an upload has ended. */
  onUsed(): void;
  now(): Date;
  announce: Announcing['announce'];
}

/** The same for every file that may not be loaded, so that it does not tell which files exist. */
export const noSuchFile = 'The interval file was not found at the provided path';

async function openNamed(sources: LoadTools['sources'], path: string): Promise<IntervalSource> {
  const file = await sources.file(path);
  if (file === undefined) throw new Fault('unprocessable', noSuchFile);
  return intervalsOf(storedFile(file), basename(path));
}

/** Loading a file again leads to the same sets, so that an attempt may follow one that was interrupted at any moment. */
export function loadIntervalsJob(tools: LoadTools): JobHandler<LoadPayload> {
  const { repository, sources, maxShrink, uploads, onUsed, now } = tools;
  return {
    payload,
    async run({ kind, build, path, release, force }, { id, signal, progress, log }) {
      try {
        const source =
          path === undefined ? intervalsOf(await uploads.stored(id), 'upload') : await openNamed(sources, path);
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
        await announceReplaced(tools, report.sets);
        const rows = report.sets.reduce((sum, set) => sum + set.rows, 0);
        log.info({ kind, build, rows, skipped: report.skipped }, 'intervals loaded');
        return JSON.parse(JSON.stringify(report)) as Json;
      } finally {
        if (path === undefined) onUsed();
      }
    },
  };
}
