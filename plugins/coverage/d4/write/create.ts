/** Writes a D4 file from runs, in two passes. */
import { setImmediate } from 'node:timers/promises';
import { type Dictionary, simpleRange } from '../dictionary.js';
import { D4Error } from '../error.js';
import type { Chromosome } from '../metadata.js';
import { chooseDictionary } from './choose.js';
import type { RunInput } from './input.js';
import { chooseDenominator, Survey } from './survey.js';
import { D4Writer } from './writer.js';

export type Progress = (fraction: number, label: string) => void;

export interface CreateOptions {
  /** Names and sizes, in order. If omitted, the chromosomes of the runs, in their order, each up to its last run. */
  chromosomes?: readonly Chromosome[] | undefined;
  /** Values that get a code, in stored integers. If omitted, the cheapest choice. */
  dictionary?: Dictionary | { low: number; high: number } | undefined;
  /** Factor from depths to stored integers. If omitted, the least power of ten that makes all depths whole. */
  denominator?: number | undefined;
  /** Level of deflate for the secondary table, 1 to 9. If omitted, no compression. */
  deflate?: number | undefined;
  progress?: Progress | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Writes a D4 file from runs, in constant memory: a first pass surveys them (unless all options are given), a second one
 * writes. The file appears under its name only when it is complete. Throws D4Error.
 */
export async function createD4(path: string, input: RunInput, options: CreateOptions = {}): Promise<void> {
  const { progress, signal, deflate } = options;
  if (deflate !== undefined && !(Number.isInteger(deflate) && deflate >= 1 && deflate <= 9)) {
    throw new D4Error('invalid', 'A deflate level must be from 1 to 9', `${deflate}`);
  }
  if (options.denominator !== undefined && !(options.denominator > 0 && Number.isFinite(options.denominator))) {
    throw new D4Error('invalid', 'A denominator must be a positive number', `${options.denominator}`);
  }
  const plan = await decide(input, options);
  const writer = new D4Writer(path, { ...plan, deflate });
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
): Promise<{ chromosomes: readonly Chromosome[]; dictionary: Dictionary; denominator: number }> {
  const { progress, signal } = options;
  const given = options.dictionary;
  const fixed = given && 'values' in given ? given : given && simpleRange(given.low, given.high, 'dictionary');
  if (options.chromosomes && fixed && options.denominator) {
    return { chromosomes: options.chromosomes, dictionary: fixed, denominator: options.denominator };
  }
  const survey = new Survey();
  await pass(input, (batch) => survey.add(batch), 'surveying', progress, signal);
  survey.finish();
  const chromosomes = options.chromosomes ?? survey.chromosomes;
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

async function pass(
  input: RunInput,
  visit: (batch: Parameters<D4Writer['add']>[0]) => void,
  label: string,
  progress?: Progress,
  signal?: AbortSignal,
): Promise<void> {
  let since = performance.now();
  for await (const batch of input.open()) {
    visit(batch);
    if (performance.now() - since < 20) continue;
    signal?.throwIfAborted();
    progress?.(input.fraction?.() ?? 0, label);
    await setImmediate();
    since = performance.now();
  }
  progress?.(1, label);
}
