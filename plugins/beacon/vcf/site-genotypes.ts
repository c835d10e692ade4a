/** The genotypes that files show of their samples, at some of the sites by which samples are compared. */
import { type Contig, contigs } from '../domain/allele.js';
import { Genotypes, mostTelling, type Site } from '../domain/genotypes.js';

/** Sites that are kept of a file beside those that are asked for, and bytes of all sites. */
const mostSites = 2048;
const fewestSites = 128;
const roomInBytes = 2 ** 26;

/** A value of each sample: 0 if unknown, else the alternate alleles + 1. */
export type SiteRow = Uint8Array;

interface Kept {
  site: Site;
  hash: number;
  isWanted: boolean;
  row: SiteRow;
}

/** Where reference blocks are looked up. */
interface WantedRows {
  starts: Int32Array;
  rows: SiteRow[];
}

const bases = 'ACGT';
const ranks = new Map(contigs.map((contig, rank) => [contig, rank]));

/**
 * Keeps the sites that are asked for, and of the others those with the lowest bits of a hash of the allele at zero: an even
 * choice that does not depend on the order of records. The more sites a file has, the more bits.
 */
export class SiteGenotypes {
  readonly samples: number;
  readonly #limit: number;
  readonly #kept = new Map<number, Kept>();
  readonly #wanted = new Map<Contig, WantedRows>();
  #mask = 0;
  #others = 0;

  constructor(samples: number, wanted: readonly Site[]) {
    this.samples = samples;
    this.#limit = Math.max(fewestSites, Math.min(mostSites, Math.floor(roomInBytes / Math.max(samples, 1))));
    const byContig = new Map<Contig, Kept[]>();
    for (const site of wanted.slice(0, this.#limit)) {
      const kept = this.#keep(keyOf(site.contig, site.start, code(site.reference), code(site.alternate)), site, true);
      const others = byContig.get(site.contig);
      if (others) others.push(kept);
      else byContig.set(site.contig, [kept]);
    }
    for (const [contig, all] of byContig) {
      all.sort((one, other) => one.site.start - other.site.start);
      const starts = Int32Array.from(all, ({ site }) => site.start);
      this.#wanted.set(contig, { starts, rows: all.map(({ row }) => row) });
    }
  }

  /** The row of a single-base allele of an autosome, to set the genotypes in; undefined if it is not kept. */
  at(contig: Contig, start: number, reference: string, alternate: string): SiteRow | undefined {
    const [from, to] = [code(reference), code(alternate)];
    if (from < 0 || to < 0) return undefined;
    const key = keyOf(contig, start, from, to);
    if ((hashOf(key) & this.#mask) !== 0) return this.#kept.get(key)?.row;
    const known = this.#kept.get(key);
    if (known) return known.row;
    const { row } = this.#keep(key, { contig, start, reference: bases[from] ?? '', alternate: bases[to] ?? '' }, false);
    this.#others++;
    while (this.#others > this.#limit) this.#thin();
    return row;
  }

  /** The rows of sites that are asked for, from `start` to before `end`. */
  between(contig: Contig, start: number, end: number): SiteRow[] {
    const wanted = this.#wanted.get(contig);
    if (!wanted) return [];
    const { starts, rows } = wanted;
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) < start) low = middle + 1;
      else high = middle;
    }
    let last = low;
    while (last < starts.length && (starts[last] as number) < end) last++;
    return last > low ? rows.slice(low, last) : [];
  }

  /** Up to `most` sites at which a genotype is known: those that are asked for, then others; an even choice of each. */
  known(most: number): Site[] {
    return this.#typed()
      .sort((one, other) => Number(other.isWanted) - Number(one.isWanted) || one.hash - other.hash)
      .slice(0, most)
      .map(({ site }) => site);
  }

  /** Up to `most` sites that tell the samples of the files apart. */
  telling(most: number): Site[] {
    const typed = this.#typed().sort((one, other) => one.hash - other.hash);
    const calls = typed.map(({ row }) => row.reduce((sum, value) => sum + Math.max(value - 1, 0), 0));
    return mostTelling(calls, this.samples, most).map((place) => (typed[place] as Kept).site);
  }

  /** The genotypes at sites that are kept. */
  genotypes(sites: readonly Site[]): Genotypes {
    const genotypes = new Genotypes(this.samples, sites.length);
    for (const [place, { contig, start, reference, alternate }] of sites.entries()) {
      const row = this.#kept.get(keyOf(contig, start, code(reference), code(alternate)))?.row;
      for (const [sample, value] of row?.entries() ?? []) if (value > 0) genotypes.set(sample, place, value - 1);
    }
    return genotypes;
  }

  #typed(): Kept[] {
    return [...this.#kept.values()].filter(({ row }) => row.some((value) => value > 0));
  }

  #keep(key: number, site: Site, isWanted: boolean): Kept {
    const kept = { site, hash: hashOf(key), isWanted, row: new Uint8Array(this.samples) };
    this.#kept.set(key, kept);
    return kept;
  }

  #thin(): void {
    this.#mask = this.#mask * 2 + 1;
    for (const [key, { isWanted, hash }] of this.#kept) {
      if (isWanted || (hash & this.#mask) === 0) continue;
      this.#kept.delete(key);
      this.#others--;
    }
  }
}

/** By character code: 0 to 3; -1 of what is no base. Every record of a load is looked up. */
const codes = new Int8Array(128).fill(-1);
for (const [i, base] of [...bases].entries()) {
  codes[base.charCodeAt(0)] = i;
  codes[base.toLowerCase().charCodeAt(0)] = i;
}

function code(base: string): number {
  return codes[base.charCodeAt(0)] ?? -1;
}

/** Exact: chromosomes are shorter than 2²⁸ bases. */
function keyOf(contig: Contig, start: number, reference: number, alternate: number): number {
  return ((ranks.get(contig) ?? 0) * 2 ** 28 + start) * 16 + reference * 4 + alternate;
}

/** 31 bits. */
function hashOf(key: number): number {
  let h = Math.imul((key % 2 ** 31) ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(Math.floor(key / 2 ** 31) + 1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 13), 0x165667b1);
  return (h ^ (h >>> 16)) & 0x7fffffff;
}
