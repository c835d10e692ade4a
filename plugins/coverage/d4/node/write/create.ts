/**
 * Writes a D4 file from runs, in two passes: the first chooses the dictionary that makes the file smallest. Files are also
 * merged into one with several tracks.
 */

import { checkObject, checkOptions, checkText, checkWhole } from '../../chromosomes.js';
import { Clock } from '../../clock.js';
import { D4Error, maxChromosomeSize, maxWidth, refuse, shown } from '../../error.js';
import { chromosomeList, type D4Chromosome, type Dictionary, dictionary, simpleRange } from '../../metadata.js';
import type { RunBatch } from '../../profile.js';
import { type NodeOpenOptions, openD4 } from '../files.js';
import { directory, directoryBytes, fileHeader, Output, rootAt } from './encode.js';
import { ChromosomeOrder, checkBatch, RunFeed, type RunInput, type RunStream, runInput, untilAbort } from './input.js';
import { D4Writer, isWhole } from './writer.js';

export type WriteProgress = (fraction: number, label: string) => void;

export interface CreateOptions {
  /** Names and sizes, in order. If omitted, the chromosomes of the runs, in their order, each up to its last run. */
  chromosomes?: readonly D4Chromosome[] | undefined;
  /** Values that get a code, in stored integers. If omitted, the cheapest choice. */
  dictionary?: Dictionary | { low: number; high: number } | undefined;
  /** Factor from depths to stored integers. If omitted, the least power of ten that makes all depths whole, up to 10^9. */
  denominator?: number | undefined;
  /** Rounds depths that the denominator does not make whole. If omitted, they are refused. */
  round?: boolean | undefined;
  /** Level of deflate for the secondary table, 1 to 9. If omitted, no compression. */
  deflate?: number | undefined;
  progress?: WriteProgress | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Writes a D4 file from runs, in constant memory: a first pass surveys them (unless chromosomes, dictionary and denominator are
 * all given), a second one writes. The file appears under its name only when it is complete. Throws D4Error.
 */
export async function createD4(path: string, runs: RunInput | RunStream, options: CreateOptions = {}): Promise<void> {
  checkText('path', path);
  checkOptions(options);
  const input = runInput(runs, path);
  const { progress, signal, deflate, denominator = 1, round } = options;
  if (deflate !== undefined) checkWhole('deflate', deflate, 1, 9);
  if (!(denominator > 0 && Number.isFinite(denominator))) refuse('denominator', 'a positive number', denominator);
  const plan = await decide(input, options);
  const writer = new D4Writer(path, { ...plan, deflate, round });
  try {
    await pass(input, (batch) => writer.add(batch), 'writing', progress, signal);
    writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

async function decide(
  input: RunInput,
  options: CreateOptions,
): Promise<{ chromosomes: readonly D4Chromosome[]; dictionary: Dictionary; denominator: number }> {
  const { progress, signal } = options;
  const given = options.chromosomes && newChromosomes(options.chromosomes);
  const fixed = options.dictionary && dictionaryOf(options.dictionary);
  if (given && fixed && options.denominator) {
    return { chromosomes: given, dictionary: fixed, denominator: options.denominator };
  }
  const survey = new Survey();
  await pass(input, (batch) => survey.add(batch), 'surveying', progress, signal);
  survey.finish();
  const chromosomes = given ?? newChromosomes(survey.chromosomes);
  const denominator = options.denominator ?? chooseDenominator(survey);
  if (fixed) return { chromosomes, dictionary: fixed, denominator };
  const stored = new Map<number, number>();
  for (const [depth, runs] of survey.runs) {
    const value = Math.round(depth * denominator);
    stored.set(value, (stored.get(value) ?? 0) + runs);
  }
  const bases = chromosomes.reduce((sum, { size }) => sum + size, 0);
  return { chromosomes, dictionary: chooseDictionary(stored, bases), denominator };
}

function dictionaryOf(given: NonNullable<CreateOptions['dictionary']>): Dictionary {
  checkObject('dictionary', given);
  return 'values' in given ? dictionary(given.values) : simpleRange(given.low, given.high);
}

/** Chromosomes of a file to be written, whose names must also fit the lines of texts. */
function newChromosomes(list: readonly D4Chromosome[]): D4Chromosome[] {
  const chromosomes = chromosomeList(list, 'chromosomes');
  if (chromosomes.length === 0) throw new D4Error('invalid', 'There are no chromosomes to write', 'chromosomes');
  const wrong = chromosomes.find(({ name }) => name === '' || /[\t\n\r\0]/.test(name));
  if (wrong) refuse('The name of a chromosome', 'text without tabs, line ends and NULs', wrong.name);
  return chromosomes;
}

async function pass(
  input: RunInput,
  visit: (batch: Parameters<D4Writer['add']>[0]) => void,
  label: string,
  progress?: WriteProgress,
  signal?: AbortSignal,
): Promise<void> {
  const clock = new Clock(signal);
  for await (const batch of untilAbort(input.open(), signal)) {
    checkBatch(batch);
    visit(batch);
    const pause = clock.tick();
    if (!pause) continue;
    progress?.(input.fraction?.() ?? 0, label);
    await pause;
  }
  progress?.(1, label);
}

// The first pass over runs: counts depths and finds the chromosomes, so that the second can write them well.

/** Distinct depths that are counted; others are considered too rare for a dictionary. */
const maxDistinct = 2 ** 20;
/** Decimals that a depth may have; more would leave too few digits for the depth itself. */
const maxDecimals = 9;

/** The results of the first pass over the runs, from which the second chooses its layout. */
class Survey {
  /** Chromosomes in the order of the runs; each ends with its last run. */
  readonly chromosomes: D4Chromosome[] = [];
  /** Number of runs by depth. */
  readonly runs = new Map<number, number>();
  /** Runs whose depth is not in `runs`. */
  uncounted = 0;
  /** Smallest power of ten that makes all depths whole numbers. */
  denominator = 1;
  least = 0;
  greatest = 0;
  /** Number of runs by depth, of the depths below its length that `runs` has: a map takes longer than all else. */
  readonly #small = new Float64Array(65_536);
  readonly #order = new ChromosomeOrder();
  #feed: RunFeed | undefined;

  add(batch: RunBatch): void {
    if (this.#order.begins(batch.chromosome) || !this.#feed) {
      this.finish();
      this.chromosomes.push({ name: batch.chromosome, size: 0 });
      this.#feed = new RunFeed(batch.chromosome, (_begin, _end, depth) => this.#count(depth));
    }
    this.#feed.add(batch);
  }

  finish(): void {
    const last = this.chromosomes.at(-1);
    if (!this.#feed || !last) return;
    this.#feed.finish(0);
    last.size = this.#feed.end;
    if (last.size > maxChromosomeSize) {
      throw new D4Error('invalid', `Positions must be below ${maxChromosomeSize}`, last.name);
    }
    this.#feed = undefined;
    for (const depth of this.runs.keys()) {
      const runs = this.#small[depth];
      if (runs) this.runs.set(depth, runs);
    }
  }

  #count(depth: number): void {
    const small = this.#small[depth];
    if (small) {
      this.#small[depth] = small + 1;
      return;
    }
    const known = this.runs.get(depth);
    if (known !== undefined) {
      this.runs.set(depth, known + 1);
      return;
    }
    this.least = Math.min(this.least, depth);
    this.greatest = Math.max(this.greatest, depth);
    while (!isWhole(depth * this.denominator) && this.denominator < 10 ** maxDecimals) this.denominator *= 10;
    if (this.runs.size < maxDistinct) {
      this.runs.set(depth, 1);
      // Other depths are not indexes, and have no effect.
      this.#small[depth] = 1;
    } else this.uncounted++;
  }
}

/** The denominator that makes depths whole, or the largest smaller one with which they still fit 32 bits. */
function chooseDenominator(survey: Survey): number {
  const largest = Math.max(-survey.least, survey.greatest);
  let denominator = survey.denominator;
  while (denominator > 1 && largest * denominator > 2 ** 31 - 1) denominator /= 10;
  if (largest * denominator > 2 ** 31 - 1) throw new D4Error('invalid', 'A depth does not fit 32 bits', `${largest}`);
  return denominator;
}

// Chooses the dictionary that makes a file smallest.

/** The reference implementation's cost of a run that is not in the dictionary, in bytes. */
const bytesPerRun = 4;
/** A dictionary of consecutive values is read several times faster, which is worth 1 % more space. */
const preference = 1.01;

/**
 * Chooses the dictionary by the reference implementation's rule: for each bit width, the bytes of the primary table plus a cost
 * for each run whose value is not among the most frequent ones that fit; the cheapest width wins. The reference samples the
 * runs; here all are counted, so that the choice is always the same.
 */
export function chooseDictionary(runsByValue: ReadonlyMap<number, number>, bases: number): Dictionary {
  const frequent = [...runsByValue].sort(([a, m], [b, n]) => n - m || a - b);
  const total = frequent.reduce((sum, [, runs]) => sum + runs, 0);
  let best = { cost: Number.POSITIVE_INFINITY, width: 0, low: undefined as number | undefined };
  for (let width = 0; width <= maxWidth; width++) {
    const size = 2 ** width;
    const primary = (bases * width) / 8;
    const kept = frequent.slice(0, size).reduce((sum, [, runs]) => sum + runs, 0);
    const range = bestRange(runsByValue, size);
    const listed = primary + (total - kept) * bytesPerRun;
    const ranged = primary + (total - range.runs) * bytesPerRun;
    const useRange = ranged <= listed * preference || frequent.length < size;
    const cost = useRange ? ranged : listed;
    if (cost < best.cost) best = { cost, width, low: useRange ? range.low : undefined };
    if (frequent.length <= size) break;
  }
  const size = 2 ** best.width;
  if (best.low !== undefined) return simpleRange(best.low, best.low + size);
  return dictionary(Int32Array.from(frequent.slice(0, size), ([value]) => value).sort());
}

/** The consecutive values that hold most runs. */
function bestRange(runsByValue: ReadonlyMap<number, number>, size: number): { low: number; runs: number } {
  const values = [...runsByValue.keys()].sort((a, b) => a - b);
  let best = { low: 0, runs: 0 };
  let runs = 0;
  let first = 0;
  for (const value of values) {
    runs += runsByValue.get(value) as number;
    while ((values[first] as number) <= value - size) runs -= runsByValue.get(values[first++] as number) as number;
    if (runs > best.runs) best = { low: Math.min(values[first] as number, 2 ** 31 - size), runs };
  }
  return best;
}

// Merges D4 files into one file with several tracks.

export interface MergeInput {
  path: string;
  /** Name of the track; unique among the inputs. */
  name: string;
}

const chunkBytes = 1 << 20;

/**
 * Merges files into one with a track for each. All offsets in a file are relative to its root directory, so each is copied
 * unchanged. Throws D4Error, also for an input that is not a readable D4 file.
 */
export async function mergeD4(
  path: string,
  inputs: readonly MergeInput[],
  progress?: WriteProgress,
  options: NodeOpenOptions = {},
): Promise<void> {
  checkText('path', path);
  checkOptions(options);
  if (!Array.isArray(inputs)) refuse('inputs', 'an array', inputs);
  const names = inputs.map((input: MergeInput) => input?.name);
  const seen = new Set<string>();
  const place = names.findIndex(
    (name) => typeof name !== 'string' || name === '' || /[/\0]/.test(name) || seen.size === seen.add(name).size,
  );
  if (place >= 0) throw new D4Error('invalid', 'Track names must be unique text, without slash', shown(names[place]));
  if (inputs.length === 0) throw new D4Error('invalid', 'There is nothing to merge', path);
  const files = [];
  try {
    for (const input of inputs) files.push(await openD4(input.path, options));
    const clock = new Clock(options.signal);
    const output = new Output(path);
    try {
      let at = rootAt + directoryBytes(names);
      const entries = files.map(({ source }, i) => {
        const entry = { name: names[i] as string, kind: 'directory' as const, at, size: source.size - rootAt };
        at += entry.size;
        return entry;
      });
      output.append(fileHeader);
      output.append(directory(rootAt, entries));
      const total = at;
      for (const { source } of files) {
        for (let from = rootAt; from < source.size; from += chunkBytes) {
          const bytes = new Uint8Array(Math.min(chunkBytes, source.size - from));
          const view = await source.fetch([{ offset: from, length: bytes.length }], options.signal);
          view.copy(bytes, from);
          output.append(bytes);
          await clock.tick();
          progress?.(output.position / total, 'merging');
        }
      }
      for (const { source } of files) source.check?.();
      output.commit();
    } catch (error) {
      output.abandon();
      throw error;
    }
  } finally {
    for (const file of files) file.close();
  }
}
