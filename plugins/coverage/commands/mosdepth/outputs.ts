/** The files that mosdepth writes: intervals with their depths, and the summary and distributions of depths. */
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { BgzfWriter, bgzipped, CsiIndex } from '../../../../core/files.js';
import { D4Error, type DepthCount } from '../../d4/index.js';
import { decimal } from './options.js';

// The files of one run, among them bgzipped BED files with their CSI index: they appear under their names together, once all
// are complete.

/** Files that are written to a folder beside their place first. */
export class Outputs {
  readonly #prefix: string;
  readonly #folder: string;
  readonly #names: string[] = [];
  readonly #open: IntervalFile[] = [];

  private constructor(prefix: string, folder: string) {
    this.#prefix = prefix;
    this.#folder = folder;
  }

  /** `endings` are those of all files that will be written. Throws D4Error if one exists, unless it may be replaced. */
  static async create(prefix: string, endings: readonly string[], force: boolean): Promise<Outputs> {
    if (basename(prefix) === '' || prefix.endsWith('/')) {
      throw new D4Error('invalid', 'The prefix needs the beginning of a file name', prefix);
    }
    const existing = force ? undefined : endings.find((ending) => existsSync(prefix + ending));
    if (existing !== undefined) {
      throw new D4Error('invalid', 'The output exists; --force replaces it', prefix + existing);
    }
    try {
      return new Outputs(prefix, await mkdtemp(join(dirname(prefix), '.trefoil-mosdepth-')));
    } catch (cause) {
      throw new D4Error('unreachable', 'The folder of the output is not writable', prefix, { cause });
    }
  }

  /** A bgzipped BED file; `longest` is the length of the longest chromosome. */
  intervals(ending: string, longest: number, signal?: AbortSignal): IntervalFile {
    const file = new IntervalFile(this.#pathOf(ending), longest, signal);
    // The index of an earlier file must not remain beside this one.
    this.#names.push(`${ending}.csi`, ending);
    this.#open.push(file);
    return file;
  }

  async text(ending: string, content: string): Promise<void> {
    await writeFile(this.#pathOf(ending), content, { flag: 'wx', mode: fileMode });
    this.#names.push(ending);
  }

  /** Ends all files and gives them their names. */
  async commit(): Promise<void> {
    for (const file of this.#open) await file.end();
    for (const name of this.#names) await rename(this.#pathOf(name), this.#prefix + name);
  }

  /** Removes what has no name yet. */
  async close(): Promise<void> {
    for (const file of this.#open) await file.abandon();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #pathOf(ending: string): string {
    return join(this.#folder, `out${ending}`);
  }
}

// Writes bgzipped BED files with their CSI index.

/** Its owner and group can read a file, as those of `d4 create`; other users cannot. */
const fileMode = 0o640;

const bufferBytes = 1 << 16;
/** A row has some numbers, its chromosome and one name: together they fit into the other half. */
const flushAt = bufferBytes / 2;
const mostCharacters = 4096;
const [tab, newline] = [9, 10];
/** mosdepth's level of compression. */
const level = 1;

/** A BED file whose rows are sorted by begin within each chromosome. */
export class IntervalFile {
  readonly #path: string;
  readonly #target: WriteStream;
  readonly #writer: BgzfWriter;
  readonly #index: CsiIndex;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #filled = 0;
  /** Where the buffer begins in the uncompressed file. */
  #at = 0;
  #chromosome = '';
  #name = Buffer.alloc(0);
  /** Where the open row begins in the buffer, and its place. */
  #row = 0;
  #begin = 0;
  #end = 0;

  /** `longest` is the length of the longest chromosome. The file must not exist. */
  constructor(path: string, longest: number, signal?: AbortSignal) {
    this.#path = path;
    this.#target = createWriteStream(path, { flags: 'wx', mode: fileMode });
    // An error is thrown by the next write, or by the end.
    this.#target.on('error', () => undefined);
    this.#writer = new BgzfWriter(this.#target, { level, ...(signal && { signal }) });
    this.#index = new CsiIndex(longest);
  }

  /** A line before all rows. To be awaited before the next call. */
  async header(line: string): Promise<void> {
    this.#filled += this.#buffer.write(`${line}\n`, this.#filled);
    await this.#flush();
  }

  /** Begins a row with its place, zero-based half-open. Further columns follow, then `close`. */
  open(chromosome: string, begin: number, end: number): void {
    if (chromosome !== this.#chromosome) {
      this.#chromosome = chromosome;
      this.#name = Buffer.from(chromosome);
      this.#checkRoom(chromosome);
    }
    this.#row = this.#filled;
    this.#begin = begin;
    this.#end = end;
    // A few bytes: calls of the system's copying functions would take longer.
    for (let i = 0; i < this.#name.length; i++) this.#buffer[this.#filled++] = this.#name[i] as number;
    this.number(begin);
    this.number(end);
  }

  /** Adds a column. */
  text(value: string): void {
    this.#checkRoom(value);
    this.#buffer[this.#filled++] = tab;
    this.#filled = characters(this.#buffer, this.#filled, value);
  }

  /** Adds a column: a whole number of 0 or more. */
  number(value: number): void {
    this.#buffer[this.#filled++] = tab;
    this.#filled = digits(this.#buffer, this.#filled, value);
  }

  /** Ends the row. To be awaited if it returns a promise. */
  close(): Promise<void> | undefined {
    this.#buffer[this.#filled++] = newline;
    const [from, to] = [this.#at + this.#row, this.#at + this.#filled];
    const unindexable = this.#index.add(this.#chromosome, this.#begin, this.#end, from, to);
    if (unindexable) throw new Error(`A row of ${this.#path} cannot be indexed: ${unindexable}`);
    return this.#filled > flushAt ? this.#flush() : undefined;
  }

  /** Between two rows the buffer is at most half full, and a character has at most three bytes. */
  #checkRoom(value: string): void {
    if (value.length <= mostCharacters) return;
    throw new D4Error('invalid', `A name has more than ${mostCharacters} characters`, `${value.slice(0, 40)} …`);
  }

  /** Writes the rest, and the index beside the file. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#writer.end();
    this.#target.end();
    await finished(this.#target);
    const index = this.#index.encode((offset) => this.#writer.virtualOffset(offset));
    await writeFile(`${this.#path}.csi`, await bgzipped(index), { flag: 'wx', mode: fileMode });
  }

  /** Closes the file as it is. */
  async abandon(): Promise<void> {
    this.#target.destroy();
    if (!this.#target.closed) await new Promise<void>((resolve) => this.#target.once('close', () => resolve()));
  }

  async #flush(): Promise<void> {
    const length = this.#filled;
    this.#at += length;
    this.#filled = 0;
    // The writer copies the bytes before it waits.
    await this.#writer.write(this.#buffer.subarray(0, length));
  }
}

/** Writes a text, and returns where it ends. */
function characters(buffer: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return at + buffer.write(text, at);
    buffer[at + i] = code;
  }
  return at + text.length;
}

/** Writes a whole number of 0 or more in decimal digits, and returns where they end. */
function digits(buffer: Buffer, at: number, value: number): number {
  if (value >= 2 ** 31) return characters(buffer, at, String(value));
  let rest = value | 0;
  const end = at + lengthOf(rest);
  for (let i = end - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    buffer[i] = 48 + rest - 10 * tenth;
    rest = tenth;
  }
  return end;
}

/** The number of decimal digits. */
function lengthOf(value: number): number {
  let length = 1;
  for (let bound = 10; value >= bound; bound *= 10) length++;
  return length;
}

// The lines of mosdepth's summary and of its cumulative distributions, collected chromosome by chromosome.

/** What the regions of a chromosome add. */
export interface RegionDepths {
  /** The depths of all regions together; a base in two regions counts twice. */
  depths: readonly DepthCount[];
  /** What the distribution counts: bases by depth, or windows by their rounded mean. */
  counted: readonly DepthCount[];
}

/** Whether any base has depth: mosdepth knows whether a chromosome has reads, and writes less about one without. */
export function hasDepth(counts: readonly DepthCount[]): boolean {
  return counts.some(({ depth }) => depth > 0);
}

export class DepthSummary {
  readonly #precision: number;
  readonly #hasRegions: boolean;
  readonly #genome = new DepthStatistics();
  readonly #regions = new DepthStatistics();
  /** All that region distributions count. */
  readonly #counted = new DepthStatistics();
  #summary = 'chrom\tlength\tbases\tmean\tmin\tmax\n';
  #global = '';
  #region = '';
  #isFirst = true;

  constructor(precision: number, hasRegions: boolean) {
    this.#precision = precision;
    this.#hasRegions = hasRegions;
  }

  /** Adds a chromosome and its regions, in the order of the file. One without any depth is left out, as one without reads. */
  add(name: string, depths: readonly DepthCount[], regions: RegionDepths | undefined): void {
    if (!hasDepth(depths)) return;
    const precision = this.#precision;
    const own = new DepthStatistics(depths);
    this.#summary += own.summary(name, precision);
    this.#global += own.distribution(name, precision);
    this.#genome.add(depths);
    if (!regions) return;
    const inRegions = new DepthStatistics(regions.depths);
    // mosdepth begins with a least depth of 0, and forgets it after the first chromosome.
    const min = this.#isFirst ? 0 : inRegions.min;
    this.#isFirst = false;
    this.#summary += inRegions.summary(`${name}_region`, precision, min);
    this.#regions.add(regions.depths);
    this.#region += new DepthStatistics(regions.counted).distribution(name, precision);
    this.#counted.add(regions.counted);
  }

  finish(): { summary: string; global: string; region: string } {
    const precision = this.#precision;
    // The same beginning: the least depth of all together is always 0.
    let summary = this.#summary + this.#genome.summary('total', precision, 0);
    if (this.#hasRegions) summary += this.#regions.summary('total_region', precision, 0);
    return {
      summary,
      global: this.#global + this.#genome.distribution('total', precision),
      region: this.#region + this.#counted.distribution('total', precision),
    };
  }
}

// The bases of each depth, and the two texts that mosdepth makes of them: cumulative distributions and its summary.

/** Greater depths count as `cappedDepth` in distributions. */
const greatestDepth = 400_000;
const cappedDepth = greatestDepth - 10;
/** Up to this depth, depths of no base have a line too. */
const everyDepthUpTo = 300;
/** Depths that a smaller share of bases reaches have no line. */
const leastShare = 8e-5;

/** The depths of some bases. */
class DepthStatistics {
  bases = 0;
  /** Sum of depths. */
  sum = 0;
  max = 0;
  #least = Number.POSITIVE_INFINITY;
  readonly #counts = new Map<number, number>();

  constructor(counts: readonly DepthCount[] = []) {
    this.add(counts);
  }

  add(counts: readonly DepthCount[]): void {
    for (const { depth, bases } of counts) {
      this.#counts.set(depth, (this.#counts.get(depth) ?? 0) + bases);
      this.bases += bases;
      this.sum += depth * bases;
      this.#least = Math.min(this.#least, depth);
      this.max = Math.max(this.max, depth);
    }
  }

  /** The least depth; 0 if there are no bases. */
  get min(): number {
    return this.bases === 0 ? 0 : this.#least;
  }

  /** The lines of a cumulative distribution: name, depth and the share of bases with at least this depth, descending. */
  distribution(name: string, precision: number): string {
    const counts = new Map<number, number>();
    for (const [depth, bases] of this.#counts) {
      const own = depth > greatestDepth ? cappedDepth : depth;
      counts.set(own, (counts.get(own) ?? 0) + bases);
    }
    const depths = new Set(counts.keys());
    if (this.bases > 0) for (let depth = 0; depth <= Math.min(everyDepthUpTo, this.max); depth++) depths.add(depth);
    let text = '';
    let share = 0;
    // The order of these additions decides the last digit.
    for (const depth of [...depths].sort((a, b) => b - a)) {
      share += (counts.get(depth) ?? 0) / this.bases;
      if (share >= leastShare) text += `${name}\t${depth}\t${decimal(share, precision)}\n`;
    }
    return text;
  }

  /** A line of the summary. */
  summary(name: string, precision: number, min = this.min): string {
    const mean = this.bases === 0 ? 0 : this.sum / this.bases;
    return `${[name, this.bases, this.sum, decimal(mean, precision), min, this.max].join('\t')}\n`;
  }
}
