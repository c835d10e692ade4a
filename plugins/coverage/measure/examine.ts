/**
 * Measures samples and checks the quality of their files. Pages and JSON endpoints both use it, so that they report the
 * same warnings. A sample whose file fails does not fail the others.
 */
import { Fault, type FieldFault, isFault } from '../../../core/plugin.js';
import type { ReferenceBuild } from '../d4/index.js';
import {
  type DepthFiles,
  FileFault,
  isAboutFile,
  type Location,
  type MeasureColumns,
  type Sample,
  type Target,
  type Warning,
} from './measure.js';
import {
  type ExaminedSample,
  type Quality,
  qualityOfReport,
  type SampleRequest,
  type UnmeasuredSample,
} from './quality.js';
import { isOnY, type List } from './region.js';
import type { FindSameFiles } from './same-files.js';
import type { CopyOnY } from './select.js';
import type { PredictSex } from './sex.js';

export interface ExamineQuestion {
  samples: readonly SampleRequest[];
  targets: List<Target>;
  /** See `Question.beside`. */
  beside?: Readonly<Record<string, List<Target>>> | undefined;
  /** What a target is called in a warning. */
  nameOf(target: number): string;
  thresholds: readonly number[];
  /** Coverage threshold; any depth if omitted. */
  level?: number | undefined;
  build?: ReferenceBuild | undefined;
  distribution?: boolean | undefined;
  gapsBelow?: number | undefined;
  /** Places on Y of targets that are measured on X: depth there is reported. */
  copies?: readonly CopyOnY[] | undefined;
  /** What readers must know of the targets, whatever the sample. */
  notes?: readonly Warning[] | undefined;
  /**
   * `always` predicts the sex of every sample, which reads all of X and Y once for each version of a file; `needed` only
   * if it is declared or intervals on Y are requested.
   */
  sexes: 'always' | 'needed';
  signal?: AbortSignal | undefined;
}

export interface Examination {
  /** Ascending, once each. */
  thresholds: readonly number[];
  /** In the order of the question. */
  samples: readonly ExaminedSample[];
  notIncluded: readonly UnmeasuredSample[];
  quality: Quality;
}

/** Throws faults of the question itself; faults of a sample's file are in `notIncluded`. */
export type Examine = (question: ExamineQuestion) => Promise<Examination>;

export interface ExamineOptions {
  files: DepthFiles & { coverageFile(path: string, track?: string): Promise<Location> };
  measure: MeasureColumns;
  predictSex: PredictSex;
  findSameFiles: FindSameFiles;
}

export function createExamine({ files, measure, predictSex, findSameFiles }: ExamineOptions): Examine {
  return async (question) => {
    const { targets, beside, thresholds, build, distribution, gapsBelow, signal } = question;
    const located = await Promise.all(
      question.samples.map(async (asked) => ({ asked, source: await orFault(locate(asked)) })),
    );
    const sound = located.flatMap(({ asked, source }) => (isFault(source) ? [] : [{ asked, source }]));
    const pairs = sound.map(({ source }) => source);
    const sources = pairs.map(({ name, location }): Sample => ({ name, location }));
    const unique = pairs.some((one) => one.unique !== undefined) ? await import('./unique.js') : undefined;
    const asksY = hasY(targets);
    const [measured, shared, sameFiles, twins, sexes] = await settled([
      measure({
        samples: pairs,
        targets,
        beside,
        thresholds,
        build,
        distribution,
        gapsBelow,
        keepSound: true,
        signal,
      }),
      sharedReads(sources, question),
      findSameFiles(sources, signal),
      unique?.twinWarnings(pairs, findSameFiles, signal) ?? Promise.resolve([]),
      Promise.all(
        sources.map((source, i) => {
          const declared = sound[i]?.asked.sex;
          const isNeeded = question.sexes === 'always' || asksY || declared === 'female' || declared === 'male';
          return isNeeded ? orFault(predictSex(source, { build, signal })) : undefined;
        }),
      ),
    ]);
    const depthsOf = new Map(measured.samples.map((depths) => [depths.name, depths]));
    const faultOf = new Map(measured.failed.map(({ name, fault }) => [name, fault]));
    const sexOf = new Map(sources.map(({ name }, i) => [name, sexes[i]]));
    const samples: ExaminedSample[] = [];
    const notIncluded: UnmeasuredSample[] = [];
    for (const { asked, source } of located) {
      const depths = depthsOf.get(asked.name);
      const sex = sexOf.get(asked.name);
      const ofCopies = shared.get(asked.name) ?? [];
      const later = isFault(sex) ? sex : isFault(ofCopies) ? ofCopies : undefined;
      const fault = isFault(source)
        ? source
        : (faultOf.get(asked.name) ?? later ?? sameFiles.failed.get(source.location));
      if (fault !== undefined) notIncluded.push({ asked, fileName: fileNameOf(asked.path), fault });
      else if (depths !== undefined && !isFault(source) && !isFault(sex) && !isFault(ofCopies)) {
        const { location, unique } = source;
        const found = { location, ...(unique && { unique: unique.location }), ...(sex === undefined ? {} : { sex }) };
        samples.push({ asked, ...found, depths, sharedReads: ofCopies });
      }
    }
    const level = question.level === undefined ? -1 : measured.thresholds.indexOf(question.level);
    const { nameOf, notes } = question;
    const included = new Set(samples.map(({ asked }) => asked.name));
    const sameOf = sameFiles.found
      .map((one) => ({ ...one, samples: one.samples.filter((name) => included.has(name)) }))
      .filter((one) => one.samples.length > 1);
    const quality = qualityOfReport({ samples, notIncluded, targets, nameOf, level, sameFiles: sameOf, notes });
    const warnings = [...quality.warnings, ...twins.filter((one) => one.samples.every((name) => included.has(name)))];
    return { thresholds: measured.thresholds, samples, notIncluded, quality: { ...quality, warnings } };
  };

  /** The files of a sample. */
  async function locate({ name, path, track, unique }: SampleRequest): Promise<Sample> {
    const location = await files.coverageFile(path, track);
    if (unique === undefined) return { name, location };
    const { ofUniqueFile } = await import('./unique.js');
    const second = await ofUniqueFile(files.coverageFile(unique.path));
    return { name, location, unique: { location: second, fields: unique.fields } };
  }

  /** By sample: the genes whose copies on Y have depth, each once, or the fault of its file. */
  async function sharedReads(
    samples: readonly Sample[],
    { copies = [], build, signal }: ExamineQuestion,
  ): Promise<Map<string, readonly string[] | FileFault>> {
    if (copies.length === 0) return new Map();
    const measured = await measure({ samples, targets: copies, thresholds: [], build, keepSound: true, signal });
    const found = new Map<string, readonly string[] | FileFault>();
    for (const { name, targets } of measured.samples) {
      const deep = copies.filter((_, i) => (targets.at(i)?.sum ?? 0) > 0);
      found.set(name, [...new Set(deep.map((copy) => copy.name))]);
    }
    // A file without these bases of Y shares nothing with them; one that is damaged there must not pass.
    for (const { name, fault } of measured.failed) if (fault instanceof FileFault) found.set(name, fault);
    return found;
  }
}

function hasY(targets: List<Target>): boolean {
  for (const { regions } of targets) if (regions.some(isOnY)) return true;
  return false;
}

/** The result, or the fault if a file is its cause. */
async function orFault<Value>(work: Promise<Value>): Promise<Value | Fault> {
  try {
    return await work;
  } catch (error) {
    if (isAboutFile(error)) return error;
    throw error;
  }
}

/** All results, or the first failure after all have ended. */
async function settled<Parts extends readonly unknown[]>(
  work: { [Part in keyof Parts]: Promise<Parts[Part]> },
): Promise<Parts> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as Parts;
}

/** The last part of a path or URL, without the query, which may hold a signature. */
export function fileNameOf(path: string): string {
  return (
    path
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** `s1 (s1.d4): …`: which sample failed, and why. */
export function sentenceOfFailure({ asked: { name }, fileName, fault }: UnmeasuredSample): string {
  return `${name} (${fileName}): ${fault.public}`;
}

/** The fault if no sample was measured: of the code that all share, else `unprocessable`, with a sentence for each. */
export function noneIncluded(all: readonly UnmeasuredSample[], fields: FieldFault[] = []): Fault {
  const codes = new Set(all.map(({ fault }) => fault.code));
  const [only] = codes.size === 1 ? codes : [];
  const cause = all[0]?.fault;
  return new Fault(only ?? 'unprocessable', all.map(sentenceOfFailure).join('; '), { fields, cause });
}
