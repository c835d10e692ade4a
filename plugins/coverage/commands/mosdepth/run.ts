/** Runs `trefoil d4 mosdepth`: writes the files that mosdepth would write, chromosome by chromosome, in the order of the file. */

import { type D4Chromosome, D4Error, type D4File, D4Pool, type DepthCount, runs } from '../../d4/index.js';
import { type D4Input, type D4Io, openTrack } from '../d4/command.js';
import { type NamedRegions, parseBy, type RegionChoice, regionMeans, regionMedians, windows } from './by-regions.js';
import { decimal, type MosdepthOptions, parseOptions, type Quantizer } from './options.js';
import { DepthSummary, hasDepth, type IntervalFile, Outputs, type RegionDepths } from './outputs.js';

/** Returns the exit status. Throws D4Error. */
export async function runMosdepth(input: D4Input, io: D4Io): Promise<number> {
  const [prefix = '', location = ''] = input.arguments;
  const options = parseOptions(input, process.env);
  const pool = new D4Pool({ threads: options.threads });
  let file: D4File | undefined;
  try {
    file = chosenTrack(await openTrack(location, { sweeper: pool.sweeper, http: io.http, s3: io.s3 }), options);
    await write(file, prefix, options, io, input.signal);
    return 0;
  } finally {
    file?.close();
    await pool.close();
  }
}

async function write(
  file: D4File,
  prefix: string,
  options: MosdepthOptions,
  io: D4Io,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { chromosomes, denominator } = file.track();
  const place = file.source.name;
  if (denominator !== 1) {
    throw new D4Error('invalid', `mosdepth's depths are whole numbers; this file has 1/${denominator} of them`, place);
  }
  const { chromosome, by } = options;
  if (chromosome !== undefined && !chromosomes.some(({ name }) => name === chromosome)) {
    throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(chromosome)}`, place);
  }
  const asked = by === undefined ? undefined : await parseBy(by, chromosomes);
  if (asked && 'regions' in asked) {
    const known = new Set(chromosomes.map(({ name }) => name));
    for (const [name, { length }] of asked.regions) {
      if (known.has(name) || chromosome !== undefined) continue;
      io.err.write(`The D4 file has no chromosome ${name}: its ${length} regions of the BED file are left out.\n`);
    }
  }
  const outputs = await Outputs.create(prefix, endingsOf(options), options.force);
  try {
    await writeMosdepth({ file, options, by: asked, outputs, progress: io.progress, signal });
    await outputs.commit();
  } catch (error) {
    throw signal?.aborted ? signal.reason : unwritable(error, prefix);
  } finally {
    await outputs.close();
  }
}

/** The file with one track. Throws D4Error `invalid` if it has several and none was named. */
function chosenTrack(file: D4File, { track }: MosdepthOptions): D4File {
  try {
    if (track !== undefined) return file.only(track);
    if (file.tracks.length === 1) return file;
    const names = file.tracks.map(({ name }) => name).join(', ');
    throw new D4Error('invalid', `The file has several tracks: choose one with --track (${names})`, file.source.name);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** An error of the system as one of the library. */
function unwritable(error: unknown, prefix: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new D4Error('unreachable', `The output cannot be written: ${code}`, prefix, { cause: error });
}

// One run: chromosome by chromosome, in the order of the file.

interface Run {
  /** With one track, whose depths are whole numbers. */
  file: D4File;
  options: MosdepthOptions;
  by: RegionChoice | undefined;
  outputs: Outputs;
  progress?: ((fraction: number, label: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const label = 'writing files of mosdepth';

/** mosdepth 0.3.3 counts windows of greater means as those of this one. */
const greatestWindow = 999;

const summaryEnding = '.mosdepth.summary.txt';
const globalEnding = '.mosdepth.global.dist.txt';
const regionEnding = '.mosdepth.region.dist.txt';
const perBaseEnding = '.per-base.bed.gz';
const regionsEnding = '.regions.bed.gz';
const thresholdsEnding = '.thresholds.bed.gz';
const quantizedEnding = '.quantized.bed.gz';

/** The endings of the files that a run with these options writes. */
function endingsOf({ by, thresholds, quantize, perBase }: MosdepthOptions): string[] {
  const indexed = [
    ...(perBase ? [perBaseEnding] : []),
    ...(quantize ? [quantizedEnding] : []),
    ...(by === undefined ? [] : [regionsEnding]),
    ...(thresholds.length > 0 ? [thresholdsEnding] : []),
  ];
  const texts = [summaryEnding, globalEnding, ...(by === undefined ? [] : [regionEnding])];
  return [...texts, ...indexed.flatMap((ending) => [ending, `${ending}.csi`])];
}

/** Writes all files of a run; the caller commits them. */
async function writeMosdepth(run: Run): Promise<void> {
  const { file, options, by, outputs, progress, signal } = run;
  const { quantize, perBase, thresholds, precision } = options;
  const all = file.track().chromosomes;
  const chosen = all.filter(({ name }) => options.chromosome === undefined || name === options.chromosome);
  const longest = all.reduce((most, { size }) => Math.max(most, size), 0);
  const output = (ending: string, wanted: boolean) => (wanted ? outputs.intervals(ending, longest, signal) : undefined);
  const files = {
    perBase: output(perBaseEnding, perBase),
    quantized: output(quantizedEnding, quantize !== undefined),
    regions: output(regionsEnding, by !== undefined),
    thresholds: output(thresholdsEnding, thresholds.length > 0),
  };
  await files.thresholds?.header(['#chrom', 'start', 'end', 'region', ...thresholds.map((t) => `${t}X`)].join('\t'));

  const genome = new DepthSummary(precision, by !== undefined);
  const bases = chosen.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const chromosome of chosen) {
    const regions = by && ('window' in by ? windows(chromosome, by.window) : (by.regions.get(chromosome.name) ?? []));
    // As in mosdepth, a chromosome without regions is not in the summary either if nothing else asks for its depths.
    const needed =
      perBase || quantize || thresholds.length > 0 || !by || 'window' in by || by.regions.has(chromosome.name);
    if (needed) {
      const depths = await wholeChromosome(file, chromosome, signal);
      const own =
        files.regions &&
        regions &&
        (await writeRegions(run, chromosome, regions, depths, files.regions, files.thresholds));
      genome.add(chromosome.name, depths, own);
      if (files.perBase || files.quantized) {
        const advanced = (at: number) => progress?.((done + at) / bases, label);
        await writeRuns(run, chromosome, files.perBase, files.quantized, advanced);
      }
    }
    done += chromosome.size;
    progress?.(done / bases, label);
  }
  const { summary, global, region } = genome.finish();
  await outputs.text(summaryEnding, summary);
  await outputs.text(globalEnding, global);
  if (by) await outputs.text(regionEnding, region);
}

/** The depths of a chromosome. Throws D4Error `invalid` for negative ones, which mosdepth cannot have. */
async function wholeChromosome(
  file: D4File,
  { name, size }: D4Chromosome,
  signal: AbortSignal | undefined,
): Promise<DepthCount[]> {
  const counts = await file.histogram({ intervals: [{ chromosome: name, begin: 0, end: size }], signal });
  if (counts[0] && counts[0].depth < 0) {
    throw new D4Error(
      'invalid',
      `Chromosome ${name} has negative depths, which mosdepth cannot have`,
      file.source.name,
    );
  }
  return counts;
}

/** Writes the rows of a chromosome's regions. */
async function writeRegions(
  { file, options: { thresholds, precision, useMedian }, by, signal }: Run,
  { name }: D4Chromosome,
  regions: NamedRegions,
  depths: DepthCount[],
  out: IntervalFile,
  thresholdsFile: IntervalFile | undefined,
): Promise<RegionDepths> {
  const { sums, counts } = await file.columns({ intervals: regions, thresholds, signal });
  const meanOf = useMedian
    ? await regionMedians(file, regions, signal)
    : await regionMeans(file.track(), regions, sums, precision, signal);
  const covered = hasDepth(depths);
  const each = thresholds.length;
  const isWindows = by !== undefined && 'window' in by;
  const windowsOf = new Map<number, number>();
  for (let place = 0; place < regions.length; place++) {
    const { begin, end, name: region } = regions.at(place) as NonNullable<ReturnType<NamedRegions['at']>>;
    const mean = meanOf(place);
    const rounded = Math.min(Math.round(mean), greatestWindow);
    if (isWindows) windowsOf.set(rounded, (windowsOf.get(rounded) ?? 0) + 1);
    out.open(name, begin, end);
    if (region !== '') out.text(region);
    out.text(decimal(mean, precision));
    const written = out.close();
    if (written) await written;
    if (!thresholdsFile) continue;
    thresholdsFile.open(name, begin, end);
    thresholdsFile.text(region || 'unknown');
    // Without reads, mosdepth counts no base for a threshold of 0 either.
    for (let t = 0; t < each; t++) thresholdsFile.number(covered ? (counts[place * each + t] as number) : 0);
    const counted = thresholdsFile.close();
    if (counted) await counted;
  }
  if (isWindows) {
    // Windows are the whole chromosome, each base once.
    return { depths, counted: Array.from(windowsOf, ([depth, bases]) => ({ depth, bases })) };
  }
  const inRegions = await file.histogram({ intervals: regions, signal });
  return { depths: inRegions, counted: inRegions };
}

/** Writes the runs of equal depth of a chromosome, and those whose depths are in the same bin. */
async function writeRuns(
  { file, options: { quantize }, signal }: Run,
  { name: chromosome, size }: D4Chromosome,
  perBase: IntervalFile | undefined,
  quantized: IntervalFile | undefined,
  advanced: (bases: number) => void,
): Promise<void> {
  const joined = quantize && quantized && new Bins(chromosome, size, quantize, quantized);
  for await (const { begins, ends, depths } of runs(file.track(), { chromosome, begin: 0, end: size }, { signal })) {
    for (let i = 0; i < begins.length; i++) {
      const [begin, end, depth] = [begins[i] as number, ends[i] as number, depths[i] as number];
      if (perBase) {
        perBase.open(chromosome, begin, end);
        perBase.number(depth);
        const wait = perBase.close();
        if (wait) await wait;
      }
      const written = joined?.add(begin, depth);
      if (written) await written;
    }
    advanced(ends[ends.length - 1] ?? 0);
  }
  await joined?.finish();
}

/** Joins runs of the same bin. */
class Bins {
  readonly #chromosome: string;
  readonly #size: number;
  readonly #quantize: Quantizer;
  readonly #file: IntervalFile;
  #bin = -1;
  #begin = 0;

  constructor(chromosome: string, size: number, quantize: Quantizer, file: IntervalFile) {
    this.#chromosome = chromosome;
    this.#size = size;
    this.#quantize = quantize;
    this.#file = file;
  }

  add(begin: number, depth: number): Promise<void> | undefined {
    // mosdepth does not look at the last base of a chromosome: it goes with the one before.
    if (begin > 0 && begin === this.#size - 1) return undefined;
    const bin = this.#quantize.binOf(depth);
    if (begin === 0) this.#bin = bin;
    if (bin === this.#bin) return undefined;
    const written = this.#write(begin);
    this.#bin = bin;
    this.#begin = begin;
    return written;
  }

  async finish(): Promise<void> {
    await this.#write(this.#size);
  }

  #write(end: number): Promise<void> | undefined {
    const label = this.#quantize.labels[this.#bin];
    if (label === undefined) return undefined;
    this.#file.open(this.#chromosome, this.#begin, end);
    this.#file.text(label);
    return this.#file.close();
  }
}
