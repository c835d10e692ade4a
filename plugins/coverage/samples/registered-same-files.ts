/**
 * Registered samples whose files are one file, or copies of one. Nothing of it is stored: what is found is true of the files as
 * they are, has only samples that the reader may see, and goes with a sample that is removed.
 */

import { isFault } from '../../../core/plugin.js';
import type { RegisteredSample, SampleRepository } from '../contract.js';
import type { Warning } from '../measure/measure.js';
import { ofSameFile } from '../measure/quality.js';
import type { FindSameFiles } from '../measure/same-files.js';
import type { CoverageSources } from '../measure/sources.js';
import { samplePages } from './find.js';

export interface SameFileTools {
  /** All registered samples, also those that the reader must not see. */
  all: Pick<SampleRepository, 'list'>;
  /** What the reader sees: a sample that is not among it has no influence. */
  samples: Pick<SampleRepository, 'find'>;
  sources: Pick<CoverageSources, 'has' | 'coverageFile'>;
  findSameFiles: FindSameFiles;
}

export interface RegisteredTwins {
  /** Two or more with one file, by id. */
  samples: readonly RegisteredSample[];
  warning: Warning;
}

/** Files that are compared for one sample; more have equal figures only if they have no depths. */
const mostCompared = 100;

/**
 * For samples that the reader sees: those with one file. Files are read only of samples whose checks found the same figures, to
 * the last base and digit. Those that cannot be read now are left out.
 */
export async function sameFilesOf(
  asked: readonly RegisteredSample[],
  { all, samples, sources, findSameFiles }: SameFileTools,
  signal: AbortSignal,
): Promise<RegisteredTwins[]> {
  const alike = new Map<string, string[]>();
  for (const sample of asked) if (figuresOfCheck(sample) !== undefined) alike.set(figuresOfCheck(sample) ?? '', []);
  for await (const page of alike.size > 0 ? samplePages(all, ['ready']) : []) {
    signal.throwIfAborted();
    for (const sample of page) {
      const group = alike.get(figuresOfCheck(sample) ?? '');
      if (group !== undefined && group.length < mostCompared && sources.has(sample.file.path)) group.push(sample.id);
    }
  }
  const isAsked = new Set(asked.map(({ id }) => id));
  const found: RegisteredTwins[] = [];
  for (const ids of alike.values()) {
    if (ids.length < 2) continue;
    const seen = new Map((await samples.find(ids)).map((sample) => [sample.id, sample]));
    const located = await Promise.all([...seen.values()].map((sample) => locate(sample, sources)));
    const same = await findSameFiles(located.flat(), signal);
    for (const one of same.found.filter((group) => group.samples.some((id) => isAsked.has(id)))) {
      const { code, message } = ofSameFile(one);
      const own = one.samples.flatMap((id) => seen.get(id) ?? []);
      found.push({ samples: own, warning: { code, message } });
    }
  }
  return found;
}

/** What the check found of the file as it is; undefined if it is not the one that was checked. */
function figuresOfCheck({ state, build, check }: RegisteredSample): string | undefined {
  if (state !== 'ready' || check === undefined) return undefined;
  const { depths, thresholds, covered } = check;
  return JSON.stringify([build, depths.x, depths.y, depths.autosomes, thresholds, covered]);
}

async function locate({ id, file }: RegisteredSample, sources: Pick<CoverageSources, 'coverageFile'>) {
  try {
    return [{ name: id, location: await sources.coverageFile(file.path, file.track) }];
  } catch (error) {
    if (isFault(error) && error.code === 'not-found') return [];
    throw error;
  }
}
