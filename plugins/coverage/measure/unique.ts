/**
 * The second file of a sample, with the depth of reads that map uniquely: measured beside the first in the same pass over the targets,
 * and never deeper. Entered only for samples that have one.
 */
import { Fault, isFault } from '../../../core/plugin.js';
import { chromosomeIndex, type D4File, type D4Track, firstExcess, type IntervalList } from '../d4/index.js';
import type { ReadPlan } from './gaps.js';
import {
  type DepthFiles,
  FileFault,
  type FileFields,
  isAboutFile,
  type MeasureQuestion,
  namesInFile,
  type Sample,
  type SampleDepths,
  SwappedFilesFault,
  type Warning,
} from './measure.js';
import type { QualityWarning } from './quality.js';
import { intervalsIn } from './region.js';
import type { FindSameFiles } from './same-files.js';

type SampleOfTwo = Sample & { unique: NonNullable<Sample['unique']> };

interface PairQuestion {
  plan: ReadPlan;
  measure(file: D4File, more?: Partial<MeasureQuestion>): Promise<SampleDepths>;
  signal: AbortSignal;
}

/** Throws `SwappedFilesFault`, a fault of either file, and `unprocessable` if a chromosome has two lengths. */
export async function measureBoth(
  files: DepthFiles,
  { location, unique }: SampleOfTwo,
  { plan, measure, signal }: PairQuestion,
): Promise<SampleDepths> {
  return files.use(location, async (file) => {
    const withoutMore = { distribution: false, gapsBelow: undefined };
    const [own, second] = await Promise.all([
      measure(file),
      ofUniqueFile(files.use(unique.location, (other) => measure(other, withoutMore))),
    ]);
    const limit = file.track();
    const { intervals } = intervalsIn(plan.read.regions, namesInFile(limit.chromosomes, plan.chromosomes));
    await ofUniqueFile(
      files.use(unique.location, (other) => refuseDeeper(other.track(), limit, intervals, unique.fields, signal)),
    );
    const warnings = second.warnings.map(({ code, message }): Warning => ({ code, message: aboutUnique(message) }));
    return { ...own, warnings: [...own.warnings, ...warnings], unique: second };
  });
}

/** Throws as `measureBoth`. The intervals are on the chromosomes of `limit`, the track of all reads. */
export async function refuseDeeper(
  track: D4Track,
  limit: D4Track,
  intervals: IntervalList,
  fields: FileFields,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, size } of limit.chromosomes) {
    const other = track.chromosomes[chromosomeIndex(track.chromosomes, name, true)];
    if (other === undefined || other.size === size) continue;
    const lengths = `chromosome ${name} has ${other.size} bases, and ${size} in the file of all reads`;
    throw new Fault('unprocessable', `The coverage file does not belong to the same reference: ${lengths}`);
  }
  const found = await firstExcess(track, limit, { intervals, alias: true, signal });
  if (found === undefined) return;
  const place = `${found.chromosome}:${found.position + 1}`;
  const message =
    `The file of unique reads is deeper than that of all reads at ${place} (${found.depth} over ${found.most}): ` +
    'the two files were swapped, or are of different samples';
  const [total, unique = total] = fields;
  const named = total === unique ? message : `${total}, ${unique}: ${message}`;
  throw new SwappedFilesFault('unprocessable', named, { fields: [...fields].map((path) => ({ path, message })) });
}

/** The result; a fault of the file says that it is the second one. */
export async function ofUniqueFile<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isFault(error) || !isAboutFile(error)) throw error;
    const missing = error.code === 'not-found';
    const message = missing
      ? 'The file of unique reads must be either an existing local file path or a URL'
      : aboutUnique(error.public);
    const code = missing ? 'unprocessable' : error.code;
    if (error instanceof FileFault) throw new FileFault(error.location, code, message, { cause: error });
    throw new Fault(code, message, { cause: error });
  }
}

/** A sentence on a file, as one on the second file of a sample. */
export function aboutUnique(message: string): string {
  const named = message.replaceAll('coverage file', 'file of unique reads');
  return named === message ? `File of unique reads: ${message}` : named;
}

/** Warnings of samples whose two files are one file, or copies of it. */
export async function twinWarnings(
  samples: readonly Sample[],
  findSameFiles: FindSameFiles,
  signal: AbortSignal | undefined,
): Promise<QualityWarning[]> {
  const warnings = samples.map(async ({ name, location, unique }): Promise<QualityWarning[]> => {
    if (unique === undefined) return [];
    const { found } = await findSameFiles(
      [
        { name, location },
        { name, location: unique.location },
      ],
      signal,
    );
    const message = 'The file of unique reads is the same as that of all reads: was one given twice?';
    return found.length === 0 ? [] : [{ code: 'same-unique', message, samples: [name] }];
  });
  return (await Promise.all(warnings)).flat();
}
