/** Makes callable tracks of the stored runs of registered samples, and replaces those whose samples changed. */

import { randomUUID } from 'node:crypto';
import {
  type Build,
  builds,
  chromosomes,
  coverageTracks,
  mostMembers,
  type PublishedTrack,
  type RegisteredSample,
  type SampleRepository,
  type TrackBlock,
  type TrackMember,
  type TrackRepository,
  trackChecksum,
} from '../../contract.js';
import { sizeIn } from '../../d4/index.js';
import type { CheckControl, SampleFollower } from '../changes.js';
import { coveredIn, runWindow } from '../covered-runs.js';
import { samplePages } from '../find.js';
import { mergedRuns } from './merged-runs.js';

export interface TrackTools {
  samples: Pick<SampleRepository, 'list' | 'runsFrom'>;
  tracks: TrackRepository;
  /** Depths for which tracks are made; none if tracks are off. */
  thresholds: readonly number[];
  now(): Date;
}

/** Samples without a track that are left to be counted one by one: a track of fewer would not be worth its place. */
const leastMembers = 8;
/** Bytes of the stored runs of all samples of a track. */
const mostRunBytes = 256 * 2 ** 20;
/** Samples that are read at once. */
const portion = 500;
/** Windows that are read and stored at once. */
const windowsAtOnce = 16;
/** A track that was begun so long ago belongs to a process that was killed. */
const longestMs = 6 * 3_600_000;

/** A ready sample, as far as tracks need it. */
interface TrackCandidate extends TrackMember {
  assay: string;
  /** Of its stored runs. */
  bytes: number;
  /** The number of thresholds of its runs. */
  thresholds: number;
  /** The class from which on bases count as covered. */
  least: number;
}

/** A track to make. */
interface PlannedTrack {
  build: Build;
  threshold: number;
  members: readonly TrackCandidate[];
  /** Tracks whose samples it has. */
  replaces: readonly string[];
}

interface TrackPlan {
  made: readonly PlannedTrack[];
  /** Tracks of samples that changed, too few of which are left for another one. */
  dropped: readonly string[];
}

/** Removes tracks together with their samples: what blocks still have of them is freed by the sweep. */
export const trackFollower: SampleFollower = {
  removed: (scope, ids) => scope.repository(coverageTracks).remove(ids),
};

/** Whether `makeTracks` would do anything. */
export async function areTracksMade(tools: TrackTools): Promise<boolean> {
  const { made, dropped } = await trackPlanOf(tools);
  return made.length === 0 && dropped.length === 0;
}

/**
 * Makes the tracks that are due, each visible once it is complete, and frees the place of those that are gone. A sample that is
 * changed or removed meanwhile is left for the next time. Returns the number of tracks that were made.
 */
export async function makeTracks(tools: TrackTools, control: CheckControl): Promise<number> {
  const { tracks } = tools;
  const { made, dropped } = await trackPlanOf(tools);
  await tracks.drop(dropped);
  let count = 0;
  for (const [i, planned] of made.entries()) {
    const progress = (done: number) => control.progress?.((i + done) / made.length);
    if (await make(tools, planned, { ...control, progress })) count++;
  }
  await sweepTracks(tools);
  return count;
}

/** Frees the place of tracks that are gone, or that a killed process began. */
export async function sweepTracks({ tracks, now }: Pick<TrackTools, 'tracks' | 'now'>): Promise<void> {
  await tracks.sweep(new Date(now().getTime() - longestMs));
}

async function trackPlanOf(tools: TrackTools): Promise<TrackPlan> {
  const { tracks, thresholds } = tools;
  const keys = await tracks.published();
  const made: PlannedTrack[] = [];
  const off = keys.filter(({ threshold }) => !thresholds.includes(threshold)).map(({ id }) => id);
  const dropped = [...off];
  if (thresholds.length === 0) return { made, dropped };
  for (const build of builds) {
    const ready = await readySamples(tools, build);
    for (const threshold of thresholds) {
      const candidates = ready.flatMap((sample) => candidateOf(sample, threshold) ?? []);
      const ids = keys.filter((key) => key.build === build && key.threshold === threshold).map(({ id }) => id);
      const plan = planned(candidates, await tracks.find(ids));
      for (const one of plan.made) made.push({ build, threshold, ...one });
      dropped.push(...plan.dropped);
    }
  }
  return { made, dropped };
}

/** Of one build and threshold. Tracks keep their samples as long as all are as they were, and are full. */
function planned(
  candidates: readonly TrackCandidate[],
  tracks: readonly PublishedTrack[],
): { made: Omit<PlannedTrack, 'build' | 'threshold'>[]; dropped: string[] } {
  const current = new Map(candidates.map((one) => [one.sample, one]));
  const assays = new Map<string, { loose: TrackCandidate[]; open: PublishedTrack[] }>();
  const ofAssay = (assay: string) => {
    const known = assays.get(assay) ?? { loose: [], open: [] };
    assays.set(assay, known);
    return known;
  };
  const taken = new Set<string>();
  const broken: string[] = [];
  for (const track of tracks) {
    const own = track.members.map(({ sample, revision }) => {
      const now = current.get(sample);
      return now?.revision === revision && !taken.has(sample) ? now : undefined;
    });
    const [first] = own;
    if (first === undefined || own.some((one) => one?.assay !== first.assay)) {
      broken.push(track.id);
      continue;
    }
    for (const { sample } of track.members) taken.add(sample);
    if (!isFull(own.flatMap((one) => one ?? []))) ofAssay(first.assay).open.push(track);
  }
  for (const one of candidates) if (!taken.has(one.sample)) ofAssay(one.assay).loose.push(one);
  const made: Omit<PlannedTrack, 'build' | 'threshold'>[] = [];
  for (const { loose, open } of assays.values()) {
    if (loose.length < leastMembers) continue;
    const opened = open.flatMap(({ members }) => members.flatMap(({ sample }) => current.get(sample) ?? []));
    const parts = portions([...opened, ...loose]);
    // The last one may be too small, and is then left.
    const kept = parts.filter(({ length }) => length >= leastMembers);
    for (const [i, members] of kept.entries()) {
      made.push({ members, replaces: i === 0 ? open.map(({ id }) => id) : [] });
    }
  }
  return { made, dropped: broken };
}

function isFull(members: readonly TrackCandidate[]): boolean {
  const bytes = members.reduce((sum, one) => sum + one.bytes, 0);
  return members.length === mostMembers || bytes + bytes / members.length > mostRunBytes;
}

function portions(candidates: readonly TrackCandidate[]): TrackCandidate[][] {
  const parts: TrackCandidate[][] = [];
  let bytes = 0;
  for (const one of candidates) {
    const last = parts.at(-1);
    if (last === undefined || last.length === mostMembers || bytes + one.bytes > mostRunBytes) {
      parts.push([one]);
      bytes = one.bytes;
    } else {
      last.push(one);
      bytes += one.bytes;
    }
  }
  return parts;
}

async function readySamples({ samples }: TrackTools, build: Build): Promise<RegisteredSample[]> {
  const found: RegisteredSample[] = [];
  for await (const page of samplePages(samples, ['ready'], portion)) {
    found.push(...page.filter((sample) => sample.build === build && sample.check?.build === build));
  }
  return found;
}

function candidateOf({ id, revision, labels, check }: RegisteredSample, threshold: number): TrackCandidate | undefined {
  if (check === undefined) return undefined;
  const { bytes, thresholds } = check;
  const least = thresholds.indexOf(threshold) + 1;
  // A track holds the smallest number of samples at least.
  if (least === 0 || bytes > mostRunBytes / leastMembers) return undefined;
  return { sample: id, revision, assay: labels.assay ?? '', bytes, thresholds: thresholds.length, least };
}

/** Returns false if a sample was changed or removed, or another process was faster. */
async function make(
  { samples, tracks, now }: TrackTools,
  { build, threshold, members, replaces }: PlannedTrack,
  { signal, progress, giveWay }: CheckControl,
): Promise<boolean> {
  const id = randomUUID();
  const named = members.map(({ sample, revision }) => ({ sample, revision }));
  await tracks.begin({ id, build, threshold, members: named }, now());
  try {
    let bytes = 0;
    const all = windowsOf(build);
    for (const [i, windows] of all.entries()) {
      signal.throwIfAborted();
      await giveWay?.();
      const blocks = await blocksOf(samples, members, windows);
      if (blocks === undefined) return await abandoned(tracks, id);
      for (const { content } of blocks) bytes += content.length;
      if (!(await tracks.add(id, blocks))) return false;
      progress?.((i + 1) / all.length);
    }
    if (await tracks.publish(id, bytes, replaces)) return true;
  } catch (error) {
    await tracks.drop([id]);
    throw error;
  }
  return abandoned(tracks, id);
}

async function abandoned(tracks: TrackRepository, id: string): Promise<false> {
  await tracks.drop([id]);
  return false;
}

interface TrackWindow {
  chromosome: TrackBlock['chromosome'];
  start: number;
  end: number;
}

/** The windows that are read together, which are of one chromosome. */
function windowsOf(build: Build): TrackWindow[][] {
  return chromosomes.flatMap((chromosome) => {
    const size = sizeIn(build, chromosome) ?? 0;
    const windows = Array.from({ length: Math.ceil(size / runWindow) }, (_, i) => ({
      chromosome,
      start: i * runWindow,
      end: Math.min((i + 1) * runWindow, size),
    }));
    const parts: TrackWindow[][] = [];
    for (let from = 0; from < windows.length; from += windowsAtOnce)
      parts.push(windows.slice(from, from + windowsAtOnce));
    return parts;
  });
}

/** Undefined if a sample is no longer what it was. */
async function blocksOf(
  samples: Pick<SampleRepository, 'runsFrom'>,
  members: readonly TrackCandidate[],
  windows: readonly TrackWindow[],
): Promise<TrackBlock[] | undefined> {
  const ids = members.map(({ sample }) => sample);
  const [{ chromosome, start }, { end }] = [windows[0] as TrackWindow, windows.at(-1) as TrackWindow];
  const found = new Map((await samples.runsFrom(ids, chromosome, { start, end })).map((one) => [one.sample, one]));
  const current = members.every(({ sample, revision }) => found.get(sample)?.revision === revision);
  if (!current) return undefined;
  return windows.map((window) => {
    const stored = members.map(({ sample, thresholds, least }) => {
      const blocks = found.get(sample)?.blocks ?? [];
      return {
        blocks: blocks.filter((block) => block.start >= window.start && block.start < window.end),
        thresholds,
        least,
      };
    });
    const content = mergedRuns(coveredIn(stored, window), window);
    const block = { chromosome, start: window.start, content };
    return { ...block, checksum: trackChecksum(block) };
  });
}
