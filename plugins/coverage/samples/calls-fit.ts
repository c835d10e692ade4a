/**
 * Whether the calls and the coverage file of a registered sample belong together: the depths that a VCF file states at single-base
 * variants are compared with those of the coverage file, and of other samples of the assay, at the same places. The capture profile
 * makes depths of all samples alike, so that its estimate (the mean of all files) is taken away first; what is left is the
 * chance of each sample. Correlated are ranks: callers filter reads otherwise than depth tools do, and at a few places count
 * something else, which must not decide.
 */
import type { CalledDepth, CalledDepths, CalledDepthsService } from '../../services/beacon.js';
import type { CallsFigures, NewFinding, RegisteredSample, SampleRepository } from '../contract.js';
import { samplePages } from './find.js';
import { depthsAt, type FileComparisonTools, isUniform } from './nested-files.js';

export interface CallsTools extends Pick<FileComparisonTools, 'sources' | 'areOfOneTenant'> {
  samples: Pick<SampleRepository, 'find' | 'list' | 'note'>;
  /** Of the beacon, if it is enabled. */
  calledDepths(): Promise<CalledDepthsService | undefined>;
}

/** The key under which the beacon offers its depths. */
export const calledDepthsKey = 'beacon/called-depths@1';

/** Other samples that are compared. */
const mostOthers = 20;
/** Places that are needed, and the median depth of all files from which on one counts. */
const [leastPlaces, leastDepth] = [60, 5];
/** Rank correlation from which on calls fit a file at all: by chance 60 places reach 0.6 in less than one of a million files. */
const leastFit = 0.6;
/** Standard errors by which the own file must fit better than any other. */
const leastErrors = 3;

/**
 * Compares the calls of a ready sample, in each dataset that has depths of it, and keeps what it finds; also of the other sample,
 * if its file fits better: of two samples that were swapped, the first was compared without the second. Returns what it found of
 * this one; nothing if the beacon has no depths of it.
 */
export async function compareCalls(
  sample: RegisteredSample,
  tools: CallsTools,
  signal: AbortSignal,
  isFirst = true,
): Promise<NewFinding<'calls'>[]> {
  const { samples, calledDepths, areOfOneTenant } = tools;
  const service = await calledDepths();
  const all = (await service?.depthsOf([sample.id], sample.build))?.get(sample.id) ?? [];
  const own = all.filter(({ dataset }) => areOfOneTenant(dataset, [sample.file.path]));
  const others = own.length === 0 ? [] : await samplesBeside(sample, tools, signal);
  const found: NewFinding<'calls'>[] = [];
  for (const called of own) found.push(await fitOf(sample, called, others, tools, signal));
  await samples.note(sample, 'calls', found);
  for (const { other, figures } of isFirst ? found : []) {
    const [swapped] = other === undefined || figures?.outcome !== 'elsewhere' ? [] : await samples.find([other.id]);
    if (swapped !== undefined) await compareCalls(swapped, tools, signal, false);
  }
  return found;
}

/** Others of the assay, build and tenant: of the same case and run first, where samples are swapped, then those registered about the same time. */
async function samplesBeside(
  sample: RegisteredSample,
  { samples, areOfOneTenant }: CallsTools,
  signal: AbortSignal,
): Promise<RegisteredSample[]> {
  const { id, build, file, labels } = sample;
  const distance = (other: RegisteredSample) =>
    (other.case !== undefined && other.case === sample.case ? 0 : 2) +
    (other.labels.run !== undefined && other.labels.run === labels.run ? 0 : 1);
  const since = ({ registered }: RegisteredSample) => Math.abs(registered.getTime() - sample.registered.getTime());
  let nearest: RegisteredSample[] = [];
  for await (const page of samplePages(samples, ['ready'])) {
    signal.throwIfAborted();
    const alike = page.filter(
      (other) =>
        other.id !== id &&
        other.build === build &&
        other.labels.assay === labels.assay &&
        areOfOneTenant(undefined, [file.path, other.file.path]),
    );
    nearest = [...nearest, ...alike]
      .sort((one, other) => distance(one) - distance(other) || since(one) - since(other))
      .slice(0, mostOthers);
  }
  return nearest;
}

async function fitOf(
  sample: RegisteredSample,
  { dataset, places }: CalledDepths,
  others: readonly RegisteredSample[],
  { sources }: CallsTools,
  signal: AbortSignal,
): Promise<NewFinding<'calls'>> {
  const at = places.map(({ chromosome, start }) => ({ chromosome, at: start }));
  const files: { of: RegisteredSample; depths: Float64Array }[] = [];
  for (const of of [sample, ...others]) {
    const depths = await depthsAt(of, at, sources, signal);
    if (depths !== undefined) files.push({ of, depths });
  }
  const [own, ...rest] = files[0]?.of === sample ? files : [];
  const fit =
    own &&
    callsFit(
      places,
      own.depths,
      rest.map(({ depths }) => depths),
    );
  if (fit === undefined) return { figures: { dataset, outcome: 'untold', reason: 'none', places: 0 } };
  const { best, ...figures } = fit;
  const other = best === undefined || fit.outcome !== 'elsewhere' ? undefined : rest[best.place]?.of;
  return {
    ...(other && { other: { id: other.id, revision: other.revision } }),
    figures: { dataset, ...figures, ...(best && { best: best.correlation }) },
  };
}

interface FitOfCalls extends Omit<CallsFigures, 'dataset' | 'best'> {
  /** Of the other files. */
  best?: { place: number; correlation: number };
}

/** How well the depths of calls fit a file (`own`), and other files of the assay, all at the same places. */
export function callsFit(
  called: readonly Pick<CalledDepth, 'depth'>[],
  own: Float64Array,
  others: readonly Float64Array[],
): FitOfCalls {
  const files = [own, ...others];
  const middle = files.length >> 1;
  const among = called.flatMap((_, i) => {
    const depths = files.map((file) => file[i] as number).sort((one, other) => one - other);
    return (depths[middle] as number) >= leastDepth ? [i] : [];
  });
  const places = among.length;
  const untold = (reason: NonNullable<CallsFigures['reason']>) => ({ outcome: 'untold' as const, reason, places });
  if (places < leastPlaces) return untold('few');
  const stated = among.map((i) => called[i]?.depth ?? 0);
  const measured = files.map((file) => among.map((i) => file[i] as number));
  if (isUniform(stated) || isUniform(measured[0] ?? [])) return untold('uniform');
  if (others.length === 0) return untold('alone');
  const even = measured.map(evened);
  const profile = among.map((_, i) => even.reduce((sum, depths) => sum + (depths[i] as number), 0) / even.length);
  const ranksLeft = (depths: readonly number[]) => ranksOf(depths.map((depth, i) => depth - (profile[i] as number)));
  const ranks = ranksLeft(evened(stated));
  const [ofOwn = 0, ...ofOthers] = even.map((depths) => correlationOf(ranks, ranksLeft(depths)));
  const highest = Math.max(...ofOthers);
  const figures = { places, own: ofOwn, best: { place: ofOthers.indexOf(highest), correlation: highest } };
  if (Math.max(ofOwn, highest) < leastFit) return { ...figures, outcome: 'untold', reason: 'none' };
  const error = Math.sqrt(2 / (places - 3));
  const isOwn = fisher(ofOwn) - fisher(highest) > leastErrors * error;
  return { ...figures, outcome: isOwn ? 'fits' : highest >= leastFit ? 'elsewhere' : 'fits' };
}

/** Relative to their mean; the square root makes the chance of deep and of shallow places alike. */
function evened(depths: readonly number[]): number[] {
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
  return depths.map((depth) => (mean === 0 ? 0 : Math.sqrt(depth / mean)));
}

/** Equal values have the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((one, other) => (values[one] as number) - (values[other] as number));
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to++;
    for (let i = from; i < to; i++) ranks[order[i] as number] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/** Pearson's; 0 if one of them is the same everywhere. */
function correlationOf(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, ofOther] = [mean(one), mean(other)];
  let [both, ofFirst, ofSecond] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    const [x, y] = [(one[i] as number) - middle, (other[i] as number) - ofOther];
    both += x * y;
    ofFirst += x * x;
    ofSecond += y * y;
  }
  return ofFirst === 0 || ofSecond === 0 ? 0 : both / Math.sqrt(ofFirst * ofSecond);
}

/** Makes the error of a correlation the same wherever it is. */
function fisher(correlation: number): number {
  return Math.atanh(Math.max(-0.999, Math.min(0.999, correlation)));
}
