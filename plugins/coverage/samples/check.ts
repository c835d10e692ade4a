/**
 * Checks the coverage file of a registered sample and finds the regions that it covers; also when a request finds that the file
 * has changed.
 */
import { Fault, isFault } from '../../../core/plugin.js';
import {
  type Build,
  type CheckOutcome,
  type Chromosome,
  chromosomes,
  type RegisteredSample,
  type RunBlock,
} from '../contract.js';
import { chromosomeIndex, type D4File, fingerprintD4, sizeIn } from '../d4/index.js';
import {
  checkBuild,
  type FileFields,
  fileWarnings,
  isAboutFile,
  type Location,
  namesInFile,
  SwappedFilesFault,
  type Warning,
} from '../measure/measure.js';
import type { PredictSex } from '../measure/sex.js';
import type { CoverageSources } from '../measure/sources.js';
import { aboutUnique, ofUniqueFile, refuseDeeper } from '../measure/unique.js';
import type { WorkQueue } from '../measure/work-queue.js';
import { type CheckControl, type Follow, recordCheck, type SampleRegistry } from './changes.js';
import type { UniqueCoverageFile } from './contract.js';
import { addClasses, RunWriter } from './covered-runs.js';

export interface CheckTools {
  sources: Pick<CoverageSources, 'coverageFile' | 'has' | 'use'>;
  predictSex: PredictSex;
  queue: WorkQueue;
  /** Depths, ascending, whose runs are stored. */
  thresholds: readonly number[];
  /** Compares a sample with others, once its check has succeeded. */
  compare(sample: RegisteredSample, control: CheckControl): Promise<void>;
  now(): Date;
}

/** Bases that are read at once: the work queue serves requests between two windows. */
const windowBases = 2 ** 24;
/** Size of a window in the work queue: every request is smaller. */
const windowSize = Number.MAX_SAFE_INTEGER;
/** Bytes of all blocks of a sample. */
const mostBytes = 256 * 2 ** 20;
/** Runs of bases below a threshold in one window. */
const mostRuns = windowBases;

const missing = 'The coverage file does not exist, or is not under a configured directory or on a configured host.';

/**
 * How the sample's file is now: the checks of the quality verdict that need no genes (build, chromosomes, extents, tracks, capped
 * depths, sex), and the covered runs. Undefined if the sample is ready, its file is the one that was checked, and the thresholds
 * are those of the stored runs. Throws an `unavailable` fault if the file cannot be read now: try again later.
 */
async function checkFile(
  sample: RegisteredSample,
  tools: CheckTools,
  control: CheckControl,
): Promise<CheckOutcome | undefined> {
  const { sources, predictSex, thresholds } = tools;
  const { id, build, file, check } = sample;
  const { signal } = control;
  try {
    const location = await sources.coverageFile(file.path, file.track);
    const fingerprint = await fingerprintOf(location, tools);
    const second = sample.unique && (await ofUniqueFile(locateUnique(sample.unique, tools)));
    const isSame =
      check?.fingerprint === fingerprint && check.build === build && check.uniqueFingerprint === second?.fingerprint;
    if (sample.state === 'ready' && isSame && String(check.thresholds) === String(thresholds)) return undefined;
    if (sample.state === 'ready' && !isSame) await control.changed?.();
    await sources.use(location, (file) => file.checkFrames());
    const found = await predictSex({ name: id, location }, { build, signal });
    const ofPair = second === undefined ? [] : await checkPair(build, location, second.location, tools, control);
    const { runs, covered } = await readRuns(sample, location, tools, control);
    const isReplaced = second !== undefined && (await fingerprintOf(second.location, tools)) !== second.fingerprint;
    if (isReplaced || (await fingerprintOf(location, tools)) !== fingerprint) {
      throw new Fault('unavailable', 'The coverage file was replaced while it was being checked: try again');
    }
    return {
      state: 'ready',
      check: {
        at: tools.now(),
        fingerprint,
        ...(second && { uniqueFingerprint: second.fingerprint }),
        build,
        sex: found.sex,
        depths: { x: found.xCoverage, y: found.yCoverage, autosomes: found.autosomeCoverage },
        warnings: [...found.warnings, ...ofPair].map(({ code, message }) => ({ code, message })),
        thresholds,
        covered,
        bytes: bytesOf(runs),
      },
      runs,
    };
  } catch (error) {
    if (error instanceof SwappedFilesFault) return { state: 'failing', reason: error.public };
    if (!isAboutFile(error) || error.code === 'unavailable') throw error;
    return { state: 'failing', reason: error.code === 'not-found' ? missing : error.public };
  }
}

/**
 * Checks a sample and records the outcome, again if the sample was changed meanwhile. Returns its state; undefined if it does
 * not exist. Throws what `checkFile` throws.
 */
export async function checkSample(
  registry: SampleRegistry,
  id: string,
  tools: CheckTools,
  control: CheckControl,
): Promise<RegisteredSample | undefined> {
  for (;;) {
    control.signal.throwIfAborted();
    const [sample] = await registry.samples.find([id]);
    if (sample === undefined) return undefined;
    const changed = () => recordCheck(registry, sample, { state: 'changed' });
    const outcome = await checkFile(sample, tools, { ...control, changed });
    if (outcome === undefined) return compared(sample, tools, control);
    const follows = outcome.state === 'ready' ? await followsOf(registry, sample, outcome, tools, control) : [];
    if (!(await recordCheck(registry, sample, outcome, follows))) continue;
    const [checked] = await registry.samples.find([id]);
    return checked && compared(checked, tools, control);
  }
}

/** Stored runs that are damaged, of this sample or another, end the comparison, not the check: the next check repeats it. */
async function compared(sample: RegisteredSample, tools: CheckTools, control: CheckControl): Promise<RegisteredSample> {
  try {
    await tools.compare(sample, control);
  } catch (error) {
    if (!isFault(error) || error.code !== 'internal') throw error;
  }
  return sample;
}

async function followsOf(
  { followers }: SampleRegistry,
  sample: RegisteredSample,
  outcome: Extract<CheckOutcome, { state: 'ready' }>,
  { sources }: CheckTools,
  control: CheckControl,
): Promise<Follow[]> {
  const location = await sources.coverageFile(sample.file.path, sample.file.track);
  const follows: Follow[] = [];
  for (const follower of followers) {
    const follow = await follower.checked?.({ sample, outcome, location }, control);
    if (follow !== undefined) follows.push(follow);
  }
  return follows;
}

function fingerprintOf(location: Location, { sources }: CheckTools): Promise<string> {
  return sources.use(location, async (file) => fingerprintD4(file));
}

// The second file of a sample, which is checked like the first, and is nowhere deeper.

async function locateUnique({ path }: UniqueCoverageFile, tools: CheckTools) {
  const location = await tools.sources.coverageFile(path);
  return { location, fingerprint: await fingerprintOf(location, tools) };
}

const pairFields: FileFields = ['coverage_file_path', 'unique_file_path'];

/** Compares the whole files, a chromosome at a time. Returns warnings about the second. */
async function checkPair(
  build: Build,
  location: Location,
  second: Location,
  { sources, queue }: CheckTools,
  { signal, giveWay }: CheckControl,
): Promise<Warning[]> {
  const withBoth = <Result>(work: (file: D4File, limit: D4File) => Promise<Result>) =>
    ofUniqueFile(sources.use(location, (limit) => sources.use(second, (file) => work(file, limit))));
  const { names, warnings } = await withBoth(async (file, limit) => {
    await file.checkFrames();
    const [own, names] = [file, limit].map((one) => namesInFile(one.track().chromosomes, chromosomes));
    const missing = [...(names?.keys() ?? [])].filter((name) => !own?.has(name));
    const message = `The coverage file has no chromosome ${missing.join(', ')}, unlike that of all reads.`;
    const found = [...fileWarnings(file), ...checkBuild(file.track(), build)];
    if (missing.length > 0) found.push({ code: 'missing-chromosome', message });
    return { names, warnings: found.map(({ code, message }) => ({ code, message: aboutUnique(message) })) };
  });
  for (const [chromosome, name] of names ?? []) {
    await giveWay?.();
    const intervals = [{ chromosome: name, begin: 0, end: sizeIn(build, chromosome as Chromosome) ?? 0 }];
    const work = () =>
      withBoth((file, limit) => refuseDeeper(file.track(), limit.track(), intervals, pairFields, signal));
    await queue.run(windowSize, work, signal);
  }
  return warnings;
}

function bytesOf(blocks: readonly RunBlock[]): number {
  return blocks.reduce((sum, { content }) => sum + content.length, 0);
}

/** The runs of every chromosome of the build, and the bases at or above each threshold. Bases that the file lacks count as 0. */
async function readRuns(
  { build }: RegisteredSample,
  location: Location,
  { sources, queue, thresholds }: CheckTools,
  { signal, progress, giveWay }: CheckControl,
): Promise<{ runs: RunBlock[]; covered: number[] }> {
  const runs: RunBlock[] = [];
  const covered = thresholds.map(() => 0);
  const sizes = chromosomes.map((chromosome) => sizeIn(build, chromosome) ?? 0);
  const genome = sizes.reduce((sum, size) => sum + size, 0);
  let read = 0;
  for (const [i, chromosome] of chromosomes.entries()) {
    const size = sizes[i] as number;
    const writer = new RunWriter(chromosome, thresholds.length);
    for (let start = 0; start < size; start += windowBases) {
      const window = { start, end: Math.min(start + windowBases, size) };
      await giveWay?.();
      const work = () =>
        sources.use(location, (file) =>
          Promise.all(thresholds.map((threshold) => runsBelow(file, chromosome, window, threshold, signal))),
        );
      const below = await queue.run(windowSize, work, signal);
      addClasses(writer, window, below);
      for (const [k, list] of below.entries()) {
        covered[k] = (covered[k] as number) + window.end - window.start - lengthOf(list);
      }
      read += window.end - window.start;
      progress?.(read / genome);
    }
    runs.push(...writer.blocks());
    if (bytesOf(runs) > mostBytes) throw tooMany(thresholds);
  }
  return { runs, covered };
}

function lengthOf(runs: ArrayLike<number>): number {
  let length = 0;
  for (let i = 0; i < runs.length; i += 2) length += (runs[i + 1] as number) - (runs[i] as number);
  return length;
}

function tooMany(thresholds: readonly number[]): Fault {
  const list = thresholds.map((threshold) => `${threshold}x`).join(', ');
  const message = `The regions covered at ${list} take more than ${mostBytes / 2 ** 20} MB: set fewer or lower thresholds (samples.thresholds)`;
  return new Fault('unprocessable', message);
}

/** Bases of the window below a depth: alternating starts and ends. */
async function runsBelow(
  file: D4File,
  chromosome: string,
  { start, end }: { start: number; end: number },
  below: number,
  signal: AbortSignal,
): Promise<ArrayLike<number>> {
  const own = file.track().chromosomes[chromosomeIndex(file.track().chromosomes, chromosome, true)];
  const last = Math.min(end, own?.size ?? 0);
  if (own === undefined || last <= start) return [start, end];
  const intervals = [{ chromosome: own.name, begin: start, end: last }];
  const { runs } = await file.columns({ intervals, runs: { below, most: mostRuns }, signal });
  const [found = new Uint32Array(0)] = runs;
  if (last === end) return found;
  const joined = [...found];
  if (joined.at(-1) === last) joined[joined.length - 1] = end;
  else joined.push(last, end);
  return joined;
}
