/**
 * The jobs of the coverage plugin: they check the files of registered samples, load interval files, complete cohorts and make
 * callable tracks.
 */

import { basename } from 'node:path';
import { z } from 'zod';
import { storedFile, type Uploads } from '../../core/files.js';
import { type Announcing, Fault, isFault, type JobControl, type JobHandler, type Json } from '../../core/plugin.js';
import { type FillTools, fillCohorts } from './cohorts/keep.js';
import { builds, type IntervalRepository, intervalKinds, type SampleState } from './contract.js';
import { announceReplaced, loadIntervals } from './intervals/loading.js';
import { type IntervalInput, intervalsOfFile } from './intervals/reader.js';
import type { CoverageSources } from './measure/sources.js';
import type { SampleRegistry } from './samples/changes.js';
import { type CheckTools, checkSample } from './samples/check.js';
import { samplePages } from './samples/find.js';
import { findingWarnings } from './samples/findings.js';
import { makeTracks, type TrackTools } from './samples/tracks/make-tracks.js';

export const checkJob = 'coverage.check-sample';
export const recheckJob = 'coverage.check-samples';

/** States in which a check is due: an interrupted command or a stopped server leaves samples in them. */
export const uncheckedStates: readonly SampleState[] = ['pending', 'changed'];

const oneSample = z.strictObject({ id: z.string() });

/** A sample that is checked again gets the same check, so that an attempt may follow one that was interrupted at any moment. */
export function checkSampleJob(registry: SampleRegistry, tools: CheckTools): JobHandler<z.output<typeof oneSample>> {
  return {
    payload: oneSample,
    async run({ id }, { signal, progress, giveWay, log }) {
      const sample = await checkSample(registry, id, tools, { signal, progress, giveWay });
      if (sample === undefined) return { state: 'removed' };
      const { state, reason, check } = sample;
      log.info({ state, bytes: check?.bytes ?? 0 }, 'the coverage file of a sample was checked');
      const warnings = (await findingWarnings([id], registry.samples)).get(id) ?? [];
      const messages = warnings.map(({ message }) => message);
      return {
        state,
        ...(reason !== undefined && { reason }),
        ...(messages.length > 0 && { warnings: messages }),
      };
    },
  };
}

const manySamples = z.strictObject({ all: z.boolean() });

/** Samples that are read at once. */
const portion = 100;

/** A file that cannot be reached now is left for the next time. */
export function checkSamplesJob(registry: SampleRegistry, tools: CheckTools): JobHandler<z.output<typeof manySamples>> {
  return {
    payload: manySamples,
    async run({ all }, { signal, giveWay, log }) {
      const found: Record<string, number> = {};
      for await (const page of samplePages(registry.samples, all ? undefined : uncheckedStates, portion)) {
        for (const { id } of page) {
          signal.throwIfAborted();
          await giveWay();
          const outcome = await stateOfSample(id, registry, tools, { signal, giveWay });
          found[outcome] = (found[outcome] ?? 0) + 1;
        }
      }
      log.info(found, 'the coverage files of samples were checked');
      return found;
    },
  };
}

async function stateOfSample(
  id: string,
  registry: SampleRegistry,
  tools: CheckTools,
  control: { signal: AbortSignal; giveWay(): Promise<void> },
): Promise<string> {
  try {
    return (await checkSample(registry, id, tools, control))?.state ?? 'removed';
  } catch (error) {
    if (isFault(error) && error.code === 'unavailable') return 'unavailable';
    throw error;
  }
}

// The job that loads an interval file.

export const loadJob = 'coverage.load-intervals';

const loadPayload = z.strictObject({
  kind: z.enum(intervalKinds),
  build: z.enum(builds),
  /** A file of the server, as the request named it; absent for the upload that has the job's id. */
  path: z.string().optional(),
  release: z.string().optional(),
  force: z.boolean(),
});

export type LoadPayload = z.output<typeof loadPayload>;

interface LoadTools {
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

/** The same for every file that may not be loaded, so that it does not reveal which files exist. */
export const noSuchFile = 'The interval file was not found at the provided path';

async function openNamed(sources: LoadTools['sources'], path: string): Promise<IntervalInput> {
  const file = await sources.file(path);
  if (file === undefined) throw new Fault('unprocessable', noSuchFile);
  return intervalsOfFile(storedFile(file), basename(path));
}

/** Loading a file again leads to the same sets, so that an attempt may follow one that was interrupted at any moment. */
export function loadIntervalsJob(tools: LoadTools): JobHandler<LoadPayload> {
  const { repository, sources, maxShrink, uploads, onUsed, now } = tools;
  return {
    payload: loadPayload,
    async run({ kind, build, path, release, force }, { id, signal, progress, log }) {
      try {
        const source =
          path === undefined ? intervalsOfFile(await uploads.stored(id), 'upload') : await openNamed(sources, path);
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

// The job that keeps the values of cohorts complete: after interval sets were replaced, and when samples come and go.

export const fillJob = 'coverage.fill-cohorts';

export function fillCohortsJob(tools: FillTools): JobHandler<object> {
  return upkeepJob('added', 'the values of cohorts are up to date', (control) => fillCohorts(tools, control));
}

// The job that makes callable tracks as samples come, change and go.

export const tracksJob = 'coverage.make-tracks';

export function makeTracksJob(tools: TrackTools): JobHandler<object> {
  return upkeepJob('made', 'the callable tracks are up to date', (control) => makeTracks(tools, control));
}

/** An attempt continues where the previous one was interrupted. `work` returns how much it did, which is told as `what`. */
function upkeepJob(
  what: string,
  told: string,
  work: (control: Pick<JobControl, 'signal' | 'progress' | 'giveWay'>) => Promise<number>,
): JobHandler<object> {
  return {
    payload: z.strictObject({}),
    async run(_, { log, ...control }) {
      const done = { [what]: await work(control) };
      log.info(done, told);
      return done;
    },
  };
}
