/** Compares a file with the output of mosdepth for the same sample. */
import { readFile } from 'node:fs/promises';
import { chromosomeIndex } from '../../chromosomes.js';
import { D4Error } from '../../error.js';
import type { ChromosomeReport, D4Finding } from '../../findings.js';
import { type RunBatch, runs } from '../../profile.js';
import type { D4Track } from '../../track.js';
import { ChromosomeOrder, RunFeed, textInput, untilAbort } from '../write/input.js';

/** One line of mosdepth's summary. */
interface SummaryRow {
  name: string;
  length: number;
  mean: number;
  max: number;
}

/** mosdepth prints means with two decimals. */
const meanTolerance = 0.0051;

/** Compares means and greatest depths with mosdepth's summary. Throws D4Error if the file is not such a summary. */
export async function summaryFindings(path: string, chromosomes: readonly ChromosomeReport[]): Promise<D4Finding[]> {
  const rows = parseSummary(await readText(path), path);
  const findings: D4Finding[] = [];
  for (const { name, length, mean, max } of rows) {
    const own = chromosomes[chromosomeIndex(chromosomes, name, true)];
    const add = (message: string) => findings.push({ level: 'fail', code: 'summary', message, chromosome: name });
    if (!own) {
      add(`Chromosome ${name} of the summary is not in the file.`);
      continue;
    }
    if (own.size !== length) add(`Chromosome ${name} has ${own.size} bases, the summary says ${length}.`);
    if (Math.abs(own.mean - mean) > meanTolerance) {
      add(`The mean depth of ${name} is ${own.mean.toFixed(2)}, the summary says ${mean.toFixed(2)}.`);
    }
    if (own.max !== max) add(`The greatest depth of ${name} is ${own.max}, the summary says ${max}.`);
  }
  return findings;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new D4Error('not-found', 'The file cannot be read', path, { cause });
  }
}

function parseSummary(text: string, path: string): SummaryRow[] {
  const [header = '', ...lines] = text.split(/\r?\n/);
  if (!/^chrom\tlength\tbases\tmean\tmin\tmax/.test(header)) {
    throw new D4Error('invalid', "This is not mosdepth's summary", `${path}: line 1`);
  }
  return lines.flatMap((line, i) => {
    const [name = '', length, , mean, , max] = line.split('\t');
    // Rows of target regions and the total follow those of the chromosomes.
    if (line === '' || name === 'total' || name.endsWith('_region')) return [];
    const row = { name, length: Number(length), mean: Number(mean), max: Number(max) };
    if (!(row.length >= 0) || Number.isNaN(row.mean) || Number.isNaN(row.max)) {
      throw new D4Error('invalid', "This is not a row of mosdepth's summary", `${path}: line ${i + 2}`);
    }
    return [row];
  });
}

/** Compares every base with mosdepth's per-base file (or any bedGraph). */
export async function perBaseFindings(
  track: D4Track,
  path: string,
  signal?: AbortSignal,
  visited?: (fraction: number) => void,
): Promise<D4Finding[]> {
  const input = textInput(path, { format: 'bedgraph' });
  const findings: D4Finding[] = [];
  const order = new ChromosomeOrder();
  let comparison: DepthComparison | undefined;
  for await (const batch of untilAbort(input.open(), signal)) {
    if (order.begins(batch.chromosome)) {
      findings.push(...((await comparison?.finish()) ?? []));
      comparison = DepthComparison.of(track, batch.chromosome, signal);
      if (!comparison) {
        const message = `Chromosome ${batch.chromosome} of the per-base file is not in the file.`;
        findings.push({ level: 'fail', code: 'per-base', message, chromosome: batch.chromosome });
      }
    }
    await comparison?.add(batch);
    visited?.(input.fraction?.() ?? 0);
  }
  findings.push(...((await comparison?.finish()) ?? []));
  return findings;
}

/** Walks along a chromosome in a text and in a track together. */
class DepthComparison {
  readonly #name: string;
  readonly #size: number;
  readonly #feed: RunFeed;
  readonly #expected: [end: number, depth: number][] = [];
  readonly #batches: AsyncGenerator<RunBatch>;
  #batch: RunBatch = { chromosome: '', begins: [], ends: [], depths: [] };
  #i = 0;
  #at = 0;
  #different = 0;
  #first: string | undefined;

  static of(track: D4Track, name: string, signal?: AbortSignal): DepthComparison | undefined {
    const ordinal = chromosomeIndex(track.chromosomes, name, true);
    return ordinal < 0 ? undefined : new DepthComparison(track, ordinal, signal);
  }

  private constructor(track: D4Track, ordinal: number, signal?: AbortSignal) {
    const { name, size } = track.chromosomes[ordinal] as D4Track['chromosomes'][number];
    this.#name = name;
    this.#size = size;
    this.#batches = runs(track, { chromosome: name, begin: 0, end: size }, { signal });
    this.#feed = new RunFeed(name, (_begin, end, depth) => this.#expected.push([end, depth]));
  }

  async add(batch: RunBatch): Promise<void> {
    this.#feed.add(batch);
    await this.#compare();
  }

  async finish(): Promise<D4Finding[]> {
    this.#feed.finish(this.#size);
    await this.#compare();
    if (this.#different === 0) return [];
    const message = `${this.#different} bases of ${this.#name} differ from the per-base file, first ${this.#first}.`;
    return [{ level: 'fail', code: 'per-base', message, chromosome: this.#name }];
  }

  async #compare(): Promise<void> {
    for (const [end, depth] of this.#expected) {
      while (this.#at < end) {
        if (this.#i === this.#batch.ends.length) {
          const next = await this.#batches.next();
          if (next.done) {
            this.#differ(this.#at, end, 'nothing', depth);
            this.#at = end;
            break;
          }
          this.#batch = next.value;
          this.#i = 0;
          continue;
        }
        const stop = Math.min(end, this.#batch.ends[this.#i] as number);
        const own = this.#batch.depths[this.#i] as number;
        if (own !== depth) this.#differ(this.#at, stop, own, depth);
        this.#at = stop;
        if (stop === this.#batch.ends[this.#i]) this.#i++;
      }
    }
    this.#expected.length = 0;
  }

  #differ(begin: number, end: number, own: number | string, expected: number): void {
    this.#different += end - begin;
    this.#first ??= `at ${begin}: ${own} instead of ${expected}`;
  }
}
