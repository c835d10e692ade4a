/**
 * Chromosomes, found by name, also in another spelling (chr1 for 1, M for MT), and intervals on them: as the caller gives them,
 * and clipped. Checks of other arguments.
 */
import { checkSignal } from './clock.js';
import { D4Error, refuse, shown } from './error.js';
import type { D4Finding } from './findings.js';
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
  if (!Array.isArray(chromosomes)) refuse('chromosomes', 'a list of chromosomes', chromosomes);
  const made = new Map<string, number>();
  for (const [i, one] of chromosomes.entries()) {
    if (typeof one?.name !== 'string') refuse('Each of chromosomes', 'an object with a name', one);
    if (!made.has(one.name)) made.set(one.name, i);
  }
  indexes.set(chromosomes, made);
  return made;
}

/**
 * The index of a chromosome by its exact name or, with `alias`, by another spelling; −1 if it is not in the list. The list must
 * not change afterwards.
 */
export function chromosomeIndex(chromosomes: readonly D4Chromosome[], name: string, alias = false): number {
  const index = indexOf(chromosomes);
  if (typeof name !== 'string') refuse('The name of a chromosome', 'text', name);
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
  options: { alias?: boolean | undefined; place?: string } = {},
): number {
  checkObject('options', options);
  const { alias, place = 'chromosomes' } = options;
  const found = chromosomeIndex(chromosomes, name, alias);
  if (found >= 0) return found;
  throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(name)}`, place);
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
  /** The same intervals in columns, if there are some: they are read without an object for each. */
  readonly columns?: IntervalColumns | undefined;
}

/** Intervals of which those from `from` to `to` are of one chromosome. */
export interface IntervalColumns {
  begins: Uint32Array;
  ends: Uint32Array;
  stretches: readonly { name: string; from: number; to: number }[];
}

/** An interval inside its chromosome, which is given by its index in the track's list. */
export interface IndexedInterval {
  chromosome: number;
  begin: number;
  end: number;
}

/** Throws D4Error `invalid` for coordinates that are negative, not whole or in the wrong order, and for what is no interval. */
export function checkInterval(interval: Interval | undefined): asserts interval is Interval {
  if (typeof interval?.chromosome !== 'string') refuse('An interval', '{ chromosome, begin, end }', interval);
  const { chromosome, begin, end } = interval;
  if (!Number.isSafeInteger(begin) || !Number.isSafeInteger(end) || begin < 0 || end < begin) {
    const place = `${chromosome}:${shown(begin)}-${shown(end)}`;
    throw new D4Error('invalid', 'An interval needs whole numbers with 0 <= begin <= end', place);
  }
}

/** Clips an interval to its chromosome; one beyond the end becomes empty. Throws D4Error `invalid` or `unknown-chromosome`. */
export function locate(
  track: { readonly chromosomes: readonly D4Chromosome[]; readonly source: { readonly name: string } },
  interval: Interval,
  alias?: boolean,
): IndexedInterval {
  checkTrack(track);
  checkInterval(interval);
  const { chromosomes, source } = track;
  const chromosome = findChromosome(chromosomes, interval.chromosome, { alias, place: source.name });
  const { size } = chromosomes[chromosome] as D4Chromosome;
  return { chromosome, begin: Math.min(interval.begin, size), end: Math.min(interval.end, size) };
}

// Other arguments: in plain JavaScript nothing else checks them. Errors name the argument and show its value.

export function checkWhole(argument: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  refuse(argument, `a whole number ${range}`, value);
}

/** A limit, which may be infinite. */
export function checkLimit(argument: string, value: unknown): void {
  if (!(typeof value === 'number' && value >= 0)) refuse(argument, 'a number from 0 on', value);
}

export function checkText(argument: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') refuse(argument, 'text', value);
}

export function checkObject(argument: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) refuse(argument, 'an object', value);
}

/** Options that were given, also as `null`, which is not the same as leaving them out. */
export function checkOptions(options: { signal?: AbortSignal | undefined }): void {
  checkObject('options', options);
  checkSignal(options.signal);
}

export function checkTrack(track: unknown): void {
  const { source, denominator } = Object(track) as { source?: unknown; denominator?: unknown };
  if (typeof denominator !== 'number' || !source) refuse('track', 'a track of a D4File', track);
}

/** An array of numbers from `least` to `most`, copied. */
export function numbers(argument: string, given?: readonly number[], [least, most] = everyDepth): number[] {
  const values = given ?? [];
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) refuse(argument, 'an array of numbers', values);
  return Array.from(values, (value) => {
    if (typeof value === 'number' && value >= least && value <= most) return value;
    const range = least === -Number.MAX_VALUE ? 'a finite number' : `a number from ${least} to ${most}`;
    return refuse(`Each of ${argument}`, range, value);
  });
}

const everyDepth = [-Number.MAX_VALUE, Number.MAX_VALUE] as const;

/** The one of `below` and `atLeast` that a test has. */
export function depthTest(argument: string, test: unknown): { below: boolean; depth: number } {
  const { below, atLeast } = Object(test) as { below?: unknown; atLeast?: unknown };
  const depth = below ?? atLeast;
  if ((below === undefined) === (atLeast === undefined) || !Number.isFinite(depth)) {
    refuse(argument, '{ below } or { atLeast } with a finite number', test);
  }
  return { below: below !== undefined, depth: depth as number };
}

// Compares the chromosomes of a file with the genome builds.

export type ReferenceBuild = 'GRCh37' | 'GRCh38';
export const builds: readonly ReferenceBuild[] = ['GRCh37', 'GRCh38'];

const buildChromosomes = [...Array.from({ length: 22 }, (_, i) => `${i + 1}`), 'X', 'Y', 'MT'];

/** Bases of chromosomes 1 to 22, X, Y and MT, from the assembly reports of the Genome Reference Consortium. */
const buildSizes: Record<ReferenceBuild, readonly number[]> = {
  GRCh37: [
    249250621, 243199373, 198022430, 191154276, 180915260, 171115067, 159138663, 146364022, 141213431, 135534747,
    135006516, 133851895, 115169878, 107349540, 102531392, 90354753, 81195210, 78077248, 59128983, 63025520, 48129895,
    51304566, 155270560, 59373566, 16569,
  ],
  GRCh38: [
    248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636, 138394717, 133797422,
    135086622, 133275309, 114364328, 107043718, 101991189, 90338345, 83257441, 80373285, 58617616, 64444167, 46709983,
    50818468, 156040895, 57227415, 16569,
  ],
};

/** Bases of a chromosome (1 to 22, X, Y, MT) in a build; undefined for any other name. */
export function sizeIn(build: ReferenceBuild, name: string): number | undefined {
  return sizesOf(build)[buildChromosomes.indexOf(name)];
}

function sizesOf(build: ReferenceBuild): readonly number[] {
  if (!builds.includes(build)) refuse('build', `one of ${builds.join(', ')}`, build);
  return buildSizes[build];
}

/** UCSC's hg19 has an older mitochondrial sequence. */
const olderMitochondrial = 16571;

/** The build that the sizes of most chromosomes fit; undefined if none fits. */
export function detectBuild(chromosomes: readonly D4Chromosome[]): ReferenceBuild | undefined {
  const matches = builds.map((build) => compareWithBuild(chromosomes, build).filter(({ fits }) => fits).length);
  const most = Math.max(...matches);
  return most > 0 ? builds[matches.indexOf(most)] : undefined;
}

/** Compares the chromosomes of a file with a genome build. Cheap: no depths are read. */
export function contigFindings(chromosomes: readonly D4Chromosome[], build: ReferenceBuild): D4Finding[] {
  const compared = compareWithBuild(chromosomes, build);
  const wrong = compared.filter(({ size, fits }) => size !== undefined && !fits);
  const missing = compared.filter(({ size }) => size === undefined).map(({ name }) => name);
  const findings: D4Finding[] = wrong.map(({ name, size, expected }) => ({
    level: 'fail',
    code: 'contigs',
    message: `Chromosome ${name} has ${size} bases, in ${build} it has ${expected}.`,
    chromosome: name,
  }));
  if (missing.length > 0) {
    const message = `${missing.length} chromosomes of ${build} are missing: ${missing.join(', ')}.`;
    findings.push({ level: missing.length > buildChromosomes.length / 2 ? 'fail' : 'warn', code: 'contigs', message });
  }
  return findings;
}

function compareWithBuild(
  chromosomes: readonly D4Chromosome[],
  build: ReferenceBuild,
): { name: string; size: number | undefined; expected: number; fits: boolean }[] {
  const sizes = sizesOf(build);
  return buildChromosomes.map((name, i) => {
    const expected = sizes[i] as number;
    const size = chromosomes[chromosomeIndex(chromosomes, name, true)]?.size;
    const isOlder = build === 'GRCh37' && name === 'MT' && size === olderMitochondrial;
    return { name, size, expected, fits: size === expected || isOlder };
  });
}
