/**
 * Genotypes (VCF 4.3 §1.6.2): how many copies of each allele a sample carries, and the genotypes of samples at the sites by
 * which they are compared.
 */
import { isPlaceholder } from '../../../core/vcf.js';
import { type Contig, contigs } from '../domain/allele.js';
import { Genotypes, hashOfNumber, isAutosome, mostTelling, type Site } from '../domain/genotypes.js';
import type { Panel } from './panel.js';
import { qualityAt } from './rules.js';

const zero = 48;
const nine = 57;
const colon = 58;
const tab = 9;
const slash = 47;
const bar = 124;
const dot = 46;

/**
 * The copies of each allele that one genotype has. Reading one takes as long as its text, whatever the number of alleles: it
 * only clears what the genotype before it had set.
 */
export class Copies {
  /** The alternates that the genotype has, each once; 1 is the first. */
  readonly carried: number[] = [];
  #counts = new Uint32Array(2);

  /** Makes room for the alleles of a record. */
  resize(alternates: number): void {
    this.#clear();
    if (this.#counts.length !== alternates + 1) this.#counts = new Uint32Array(alternates + 1);
  }

  /** The copies of an allele; 0 is the reference. */
  of(allele: number): number {
    return this.#counts[allele] ?? 0;
  }

  /**
   * Counts the allele indexes of one genotype: `0/1` is one copy of 1, a haploid `1` one, `1|2` one of each; `.` counts
   * nothing. Reads from `at` to the next colon, tab or `end`. Exact for any ploidy: no line is long enough for 2³² copies.
   * Returns false if it is not a genotype, or names an allele that the record does not have.
   */
  count(text: string, at: number, end: number): boolean {
    this.#clear();
    let allele = -1;
    for (let i = at; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code >= zero && code <= nine) {
        allele = (allele < 0 ? 0 : allele * 10) + code - zero;
        continue;
      }
      if (code === colon || code === tab) break;
      if (code !== slash && code !== bar && code !== dot) return false;
      if (!this.#add(allele)) return false;
      allele = -1;
    }
    return this.#add(allele);
  }

  #add(allele: number): boolean {
    const counts = this.#counts;
    if (allele < 0) return true;
    if (allele >= counts.length) return false;
    const before = counts[allele] as number;
    if (before === 0 && allele > 0) this.carried.push(allele);
    counts[allele] = before + 1;
    return true;
  }

  #clear(): void {
    for (const allele of this.carried) this.#counts[allele] = 0;
    this.#counts[0] = 0;
    this.carried.length = 0;
  }
}

/**
 * Where the field `index` of the sample column at `at` begins; -1 if the sample omits it, which VCF allows for trailing
 * fields.
 */
export function startOfField(text: string, at: number, end: number, index: number): number {
  let left = index;
  for (let i = at; left > 0; i++) {
    const code = i < end ? text.charCodeAt(i) : tab;
    if (code === tab) return -1;
    if (code !== colon) continue;
    left--;
    if (left === 0) return i + 1;
  }
  return at;
}

/** The whole number that begins at `at`, up to the next colon, tab or `end`; -1 for anything else. */
export function wholeNumberAt(text: string, at: number, end: number): number {
  let value = 0;
  let i = at;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === colon || code === tab) break;
    if (code < zero || code > nine) return -1;
    value = value * 10 + code - zero;
  }
  return i === at ? -1 : value;
}

/** The places of fields in FORMAT; -1 for one that is not there. */
export interface Fields {
  genotype: number;
  quality: number;
  /** CN, the number of copies. */
  copies: number;
  /** DP, the reads of the sample. */
  depth: number;
  /** AF, HF or VAF, the fraction of each alternate, of which the first counts. */
  fraction: number;
  /** AD, the reads of each allele. */
  reads: number;
  /** PS, the phase set. */
  phaseSet: number;
}

const fractionNames = new Set(['AF', 'HF', 'VAF']);

export function fieldsOfFormat(format: string): Fields {
  const names = format.split(':');
  const at = (name: string) => names.indexOf(name);
  const reads = { depth: at('DP'), fraction: names.findIndex((name) => fractionNames.has(name)), reads: at('AD') };
  return { genotype: at('GT'), quality: at('GQ'), copies: at('CN'), phaseSet: at('PS'), ...reads };
}

// The genotypes of samples at the sites by which they are compared, collected from records as a file is read.

/** Sites that are kept of a file beside the requested ones, and bytes of all sites. */
const mostSites = 2048;
const fewestSites = 128;
const roomInBytes = 2 ** 26;

/** A value of each sample: 0 if unknown, else the alternate alleles + 1. */
type SiteRow = Uint8Array;

interface KeptSite {
  site: Site;
  hash: number;
  isWanted: boolean;
  row: SiteRow;
}

/** Where reference blocks are looked up. */
interface ReferenceRows {
  starts: Int32Array;
  rows: SiteRow[];
}

const bases = 'ACGT';
const ranks = new Map(contigs.map((contig, rank) => [contig, rank]));

/**
 * Keeps the requested sites, and of the others those with the lowest bits of a hash of the allele at zero: an even
 * choice that does not depend on the order of records. The more sites a file has, the more bits.
 */
export class SiteGenotypes {
  readonly samples: number;
  readonly #limit: number;
  readonly #kept = new Map<number, KeptSite>();
  readonly #wanted = new Map<Contig, ReferenceRows>();
  #mask = 0;
  #others = 0;

  constructor(samples: number, wanted: readonly Site[]) {
    this.samples = samples;
    this.#limit = Math.max(fewestSites, Math.min(mostSites, Math.floor(roomInBytes / Math.max(samples, 1))));
    const byContig = new Map<Contig, KeptSite[]>();
    for (const site of wanted.slice(0, this.#limit)) {
      const kept = this.#keep(
        keyOfSite(site.contig, site.start, code(site.reference), code(site.alternate)),
        site,
        true,
      );
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
    const key = keyOfSite(contig, start, from, to);
    if ((hashOfNumber(key) & this.#mask) !== 0) return this.#kept.get(key)?.row;
    const known = this.#kept.get(key);
    if (known) return known.row;
    const { row } = this.#keep(key, { contig, start, reference: bases[from] ?? '', alternate: bases[to] ?? '' }, false);
    this.#others++;
    while (this.#others > this.#limit) this.#thin();
    return row;
  }

  /** The rows of requested sites, from `start` to before `end`. */
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

  /** Up to `most` sites at which a genotype is known: the requested ones, then others; an even choice of each. */
  known(most: number): Site[] {
    return this.#typed()
      .sort((one, other) => Number(other.isWanted) - Number(one.isWanted) || one.hash - other.hash)
      .slice(0, most)
      .map(({ site }) => site);
  }

  /** Up to `most` sites that distinguish the samples of the files. */
  telling(most: number): Site[] {
    const typed = this.#typed().sort((one, other) => one.hash - other.hash);
    const calls = typed.map(({ row }) => row.reduce((sum, value) => sum + Math.max(value - 1, 0), 0));
    return mostTelling(calls, this.samples, most).map((place) => (typed[place] as KeptSite).site);
  }

  /** The genotypes at sites that are kept. */
  genotypes(sites: readonly Site[]): Genotypes {
    const genotypes = new Genotypes(this.samples, sites.length);
    for (const [place, { contig, start, reference, alternate }] of sites.entries()) {
      const row = this.#kept.get(keyOfSite(contig, start, code(reference), code(alternate)))?.row;
      for (const [sample, value] of row?.entries() ?? []) if (value > 0) genotypes.set(sample, place, value - 1);
    }
    return genotypes;
  }

  #typed(): KeptSite[] {
    return [...this.#kept.values()].filter(({ row }) => row.some((value) => value > 0));
  }

  #keep(key: number, site: Site, isWanted: boolean): KeptSite {
    const kept = { site, hash: hashOfNumber(key), isWanted, row: new Uint8Array(this.samples) };
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

/** By character code: 0 to 3; -1 for other characters. Every record of a load is looked up. */
const codes = new Int8Array(128).fill(-1);
for (const [i, base] of [...bases].entries()) {
  codes[base.charCodeAt(0)] = i;
  codes[base.toLowerCase().charCodeAt(0)] = i;
}

function code(base: string): number {
  return codes[base.charCodeAt(0)] ?? -1;
}

/** Exact: chromosomes are shorter than 2²⁸ bases. */
function keyOfSite(contig: Contig, start: number, reference: number, alternate: number): number {
  return ((ranks.get(contig) ?? 0) * 2 ** 28 + start) * 16 + reference * 4 + alternate;
}

// Takes the genotypes by which samples are compared from records.

/** A sound record of small alleles. */
export interface TypedRecord {
  /** Where each of its first columns begins, and where the line ends. */
  begins: Int32Array;
  end: number;
  contig: Contig;
  /** One-based. */
  position: number;
  reference: string;
  alternates: readonly string[];
  fields: Fields;
  /** The smallest GQ of a genotype; undefined if any counts. */
  minimum: number | undefined;
  /** Only alleles that overlap it are loaded. */
  panel: Panel | undefined;
}

export class SampleTyping {
  readonly #genotypes: SiteGenotypes;
  readonly #chosen: readonly { column: number; sample: number }[];
  readonly #copies = new Copies();

  /** `chosen`: the columns of the samples from left to right. */
  constructor(genotypes: SiteGenotypes, chosen: readonly { column: number; sample: number }[]) {
    this.#genotypes = genotypes;
    this.#chosen = chosen;
  }

  /** A record with one alternate, of a single base, or a reference block. Any other does not distinguish one allele from another. */
  take(block: string, record: TypedRecord): void {
    const { begins, contig, position, reference, alternates } = record;
    if (!isAutosome(contig)) return;
    const first = alternates.findIndex((alternate) => !isPlaceholder(alternate));
    if (first < 0) {
      const info = block.slice(begins[7], (begins[8] ?? 0) - 1);
      const rows = this.#genotypes.between(contig, position - 1, blockEnd(info) ?? position - 1 + reference.length);
      if (rows.length > 0) this.#set(block, record, 0, rows);
      return;
    }
    const alternate = alternates[first] ?? '';
    if (reference.length !== 1 || alternate.length !== 1) return;
    if (alternates.length > 1 && alternates.some((other, i) => i !== first && !isPlaceholder(other))) return;
    const row = this.#genotypes.at(contig, position - 1, reference, alternate);
    if (row) this.#set(block, record, first + 1, [row]);
  }

  /** Sets diploid genotypes of the reference and one alternate (0 for none) with a sufficient GQ; the first of a sample stays. */
  #set(
    block: string,
    { begins, end, alternates, fields, minimum }: TypedRecord,
    alternate: number,
    rows: readonly SiteRow[],
  ): void {
    const copies = this.#copies;
    copies.resize(alternates.length);
    let at = begins[9] ?? 0;
    let column = 0;
    for (const { column: wanted, sample } of this.#chosen) {
      for (; column < wanted; column++) at = block.indexOf('\t', at) + 1;
      if (minimum !== undefined && genotypeQuality(block, at, end, fields.quality) < minimum) continue;
      const genotype = startOfField(block, at, end, fields.genotype);
      if (genotype < 0 || !copies.count(block, genotype, end)) continue;
      const called = alternate === 0 ? 0 : copies.of(alternate);
      if (copies.of(0) + called !== 2) continue;
      for (const row of rows) if (row[sample] === 0) row[sample] = called + 1;
    }
  }
}

/** The GQ of a sample column; -1 if there is none. */
export function genotypeQuality(block: string, at: number, end: number, field: number): number {
  const from = field < 0 ? -1 : startOfField(block, at, end, field);
  return from < 0 ? -1 : qualityAt(block, from, end);
}

/** One past the last base of a reference block, by its INFO; undefined if that does not say. */
function blockEnd(info: string): number | undefined {
  const [, end] = /(?:^|;)END=(\d{1,10})(?:;|$)/.exec(info) ?? [];
  return end === undefined ? undefined : Number(end);
}
