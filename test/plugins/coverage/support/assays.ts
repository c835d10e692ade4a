/**
 * Simulated assays with a capture profile in common: depths of people (independent reads, and a few percent that are a
 * person's own at each place), parts of their reads, and what a caller states of them. The same every time for a seed.
 */
import { chromosomesOf, type Run, writeD4 } from './d4.js';

/** Numbers from 0 to 1. */
export type Chance = () => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

function normal(chance: Chance): number {
  return Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
}

function reads(mean: number, chance: Chance): number {
  if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(chance)));
  const least = Math.exp(-mean);
  let [count, product] = [0, chance()];
  for (; product > least; count++) product *= chance();
  return count;
}

/** Each read is kept with the chance `share`. */
export function partOf(depths: Float64Array, share: number, chance: Chance): Float64Array {
  return depths.map((depth) => {
    let kept = 0;
    for (let read = 0; read < depth; read++) if (chance() < share) kept++;
    return kept;
  });
}

export interface Assay {
  /** Mean depth of a place, relative to 1. */
  profile: readonly number[];
  /** Of all places. */
  depth: number;
  /** Relative standard deviation of a person's own depth at a place, beside that of reads. */
  own: number;
  /** Share of reads that a caller counts. */
  called: number;
  /** Greatest depth that the caller states. */
  cap?: number;
}

/** `spread` is the standard deviation of the logarithm of the profile: 0.05 of a genome, 0.5 of an exome, 1 of amplicons. */
export function assayOf(places: number, spread: number, rest: Omit<Assay, 'profile'>, chance: Chance): Assay {
  return { ...rest, profile: Array.from({ length: places }, () => Math.exp(spread * normal(chance))) };
}

/** The depths of a person, sequenced `deeper` than is usual. */
export function personOf({ profile, depth, own }: Assay, chance: Chance, deeper = 0.8 + 0.4 * chance()): Float64Array {
  return Float64Array.from(profile, (one) => reads(depth * deeper * one * Math.exp(own * normal(chance)), chance));
}

/** The depths that a caller states for a person. */
export function calledOf({ called, cap = Number.POSITIVE_INFINITY }: Assay, person: Float64Array, chance: Chance) {
  return Array.from(partOf(person, called, chance), (depth) => ({ depth: Math.min(depth, cap) }));
}

/** Where the exons of a file begin: 200 bases each, on 21. */
export const exonStart = (place: number) => 10_000_000 + 3000 * place;

/** A file of GRCh38 with these depths, those of the exons `among` alone if it is given, and hardly any of X. */
export function writeAssay(path: string, depths: Float64Array, among: (place: number) => boolean = () => true): string {
  const runs: Run[] = [...depths].flatMap((depth, place) =>
    depth > 0 && among(place)
      ? [{ chromosome: '21', begin: exonStart(place), end: exonStart(place) + 200, depth }]
      : [],
  );
  runs.push({ chromosome: 'X', begin: 100_000_000, end: 100_000_500, depth: 1 });
  return writeD4(path, { chromosomes: chromosomesOf('GRCh38', { names: ['21', 'X', 'Y'] }), runs, dictionary: 64 });
}

/** A VCF file of one sample with a variant in the middle of every second exon. */
export function vcfOf(sample: string, called: readonly { depth: number }[]): string {
  const header = ['##fileformat=VCFv4.2', '##contig=<ID=21,length=46709983>'];
  const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', sample].join('\t');
  const records = called.flatMap(({ depth }, place) =>
    place % 2 === 0 ? [`21\t${exonStart(place) + 100}\t.\tA\tC\t50\tPASS\t.\tGT:DP:GQ\t0/1:${depth}:99`] : [],
  );
  return `${[...header, columns, ...records].join('\n')}\n`;
}
