/**
 * Chromosomes, found by name, also in another spelling (chr1 for 1, M for MT), and intervals on them: as the caller gives them,
 * and clipped.
 */
import { D4Error } from './error.js';
import type { D4Chromosome } from './metadata.js';

const mitochondrial = ['MT', 'chrM', 'M', 'chrMT'];

/** Other spellings of a chromosome's name: chr1 for 1 and back, and the four of the mitochondrial one. */
function spellings(name: string): string[] {
  if (mitochondrial.includes(name)) return mitochondrial;
  return [name.startsWith('chr') ? name.slice(3) : `chr${name}`];
}

/** Files may have hundreds of thousands of contigs, each of which is looked up: a list is indexed once. */
const indexes = new WeakMap<readonly D4Chromosome[], ReadonlyMap<string, number>>();

function indexOf(chromosomes: readonly D4Chromosome[]): ReadonlyMap<string, number> {
  const known = indexes.get(chromosomes);
  if (known !== undefined) return known;
  const made = new Map<string, number>();
  for (const [i, { name }] of chromosomes.entries()) if (!made.has(name)) made.set(name, i);
  indexes.set(chromosomes, made);
  return made;
}

/**
 * The index of a chromosome by its exact name or, with `alias`, by another spelling; −1 if it is not in the list. The list must
 * not change afterwards.
 */
export function chromosomeIndex(chromosomes: readonly D4Chromosome[], name: string, alias = false): number {
  const index = indexOf(chromosomes);
  for (const candidate of alias ? [name, ...spellings(name)] : [name]) {
    const found = index.get(candidate);
    if (found !== undefined) return found;
  }
  return -1;
}

/** The name of a chromosome in the style of a list, even if it is not in the list: `chrY` beside `chr1` and `chr2`. */
export function spelledLike(chromosomes: readonly D4Chromosome[], name: string): string {
  const own = chromosomes[chromosomeIndex(chromosomes, name, true)];
  if (own !== undefined) return own.name;
  const prefixed = chromosomes.some((one) => /^chr([0-9]+|X|Y)$/.test(one.name));
  if (mitochondrial.includes(name)) return prefixed ? 'chrM' : 'MT';
  const plain = name.replace(/^chr/, '');
  return prefixed ? `chr${plain}` : plain;
}

/** The index of a chromosome by name. Throws D4Error `unknown-chromosome` if it is not in the list. */
export function findChromosome(
  chromosomes: readonly D4Chromosome[],
  name: string,
  options: { alias?: boolean | undefined; place: string },
): number {
  const found = chromosomeIndex(chromosomes, name, options.alias);
  if (found >= 0) return found;
  throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(name)}`, options.place);
}

// Intervals as the caller gives them, and clipped to their chromosomes.

/** Bases of a chromosome, zero-based half-open. */
export interface Interval {
  chromosome: string;
  begin: number;
  end: number;
}

/** Intervals by index: an array, or a list that makes each one when it is read. */
export interface IntervalList {
  readonly length: number;
  at(place: number): Interval | undefined;
}

/** An interval inside its chromosome, which is given by its index in the track's list. */
export interface Located {
  chromosome: number;
  begin: number;
  end: number;
}

/**
 * Clips an interval to its chromosome; one beyond the end becomes empty. Throws D4Error `invalid` for coordinates that are
 * negative, not whole or in the wrong order.
 */
export function locate(interval: Interval, chromosome: number, size: number): Located {
  const { begin, end } = interval;
  if (!Number.isSafeInteger(begin) || !Number.isSafeInteger(end) || begin < 0 || end < begin) {
    const place = `${interval.chromosome}:${begin}-${end}`;
    throw new D4Error('invalid', 'An interval needs whole numbers with 0 <= begin <= end', place);
  }
  return { chromosome, begin: Math.min(begin, size), end: Math.min(end, size) };
}
