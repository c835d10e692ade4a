/**
 * Where a dataset has alleles of each gene, roughly: which blocks have to be read for it. In some rows a dataset, so that genes cost
 * a few bytes each; a row has the genes whose names fall into one bucket.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { symbolKey } from '../../genes/contract.js';
import type { GeneConsequence, GeneIdentity } from './contract.js';

export const buckets = 64;

/** Bases of a step by which stretches are told. */
const grain = 2 ** 14;

/** A stretch of a chromosome, by its place in `contigs`; first and last step. */
export type GeneStretch = readonly [contig: number, first: number, last: number];

/** What a name stands for: stretches, of a gene's own key, or the keys of genes. */
export interface GenePlaces {
  at?: readonly GeneStretch[];
  of?: readonly string[];
}

export type GeneBucket = Readonly<Record<string, GenePlaces>>;

/** The key of a gene: by its number if it has one. Neither symbols nor accessions begin with these signs. */
function keyOfNumber(hgnc: number): string {
  return `#${hgnc}`;
}

export function keyOfAccession(accession: string): string {
  return `>${accession}`;
}

/** Keys by which a gene may be found; at least one, unless it has no name. */
export function keysOfName({ hgnc, symbol }: GeneIdentity): string[] {
  return [...(hgnc === undefined ? [] : [keyOfNumber(hgnc)]), ...(symbol ? [symbolKey(symbol)] : [])];
}

/** The name that a key of a gene stands for; its symbol as `symbolKey` makes it. */
export function nameOfKey(key: string): GeneIdentity {
  return key.startsWith('#') ? { hgnc: Number(key.slice(1)) } : { symbol: key };
}

/** Whether what is stored of a gene is of the gene with this name: by number if both have one. */
export function isOfGene(stored: GeneIdentity, { hgnc, symbol }: GeneIdentity): boolean {
  if (stored.hgnc !== undefined && hgnc !== undefined) return stored.hgnc === hgnc;
  return stored.symbol !== undefined && symbol !== undefined && symbolKey(stored.symbol) === symbolKey(symbol);
}

/** The bucket of a key: a small hash of its text. */
export function bucketOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) % 65_521;
  return hash % buckets;
}

export function packedBucket(bucket: GeneBucket): Uint8Array {
  return deflateRawSync(JSON.stringify(bucket), { level: 9 });
}

/** Throws an Error if the content is damaged. */
export function unpackedBucket(content: Uint8Array): GeneBucket {
  const bucket: object = JSON.parse(inflateRawSync(content).toString('utf8'));
  return Object.assign(Object.create(null), bucket);
}

/** The accession of a RefSeq transcript, without its version; undefined for others. */
function accessionOf(transcript: string | undefined): string | undefined {
  return /^(N[MR]_\d+)/.exec(transcript ?? '')?.[1];
}

/** Gathers the names of genes of alleles. */
export class GeneDirectory {
  readonly #names = new Map<string, { at: Map<number, [first: number, last: number]>; of: Set<string> }>();

  /** Notes the genes of an allele that starts here; `contig` by its place in `contigs`. */
  add(contig: number, start: number, genes: readonly GeneConsequence[]): void {
    const step = Math.floor(start / grain);
    for (const gene of genes) {
      const [key, ...others] = keysOfName(gene);
      if (key === undefined) continue;
      const { at } = this.#named(key);
      const extent = at.get(contig);
      if (extent === undefined) at.set(contig, [step, step]);
      else [extent[0], extent[1]] = [Math.min(extent[0], step), Math.max(extent[1], step)];
      for (const other of others) this.#named(other).of.add(key);
      for (const transcript of gene.transcripts.flatMap((one) => [one.transcript, one.mane])) {
        const accession = accessionOf(transcript);
        if (accession !== undefined) this.#named(keyOfAccession(accession)).of.add(key);
      }
    }
  }

  #named(key: string) {
    const named = this.#names.get(key) ?? { at: new Map(), of: new Set() };
    this.#names.set(key, named);
    return named;
  }

  /** The names by bucket. */
  byBucket(): Map<number, GeneBucket> {
    const found = new Map<number, Record<string, GenePlaces>>();
    for (const [key, { at, of }] of this.#names) {
      const bucket = found.get(bucketOf(key)) ?? Object.create(null);
      const extents = [...at].map(([contig, [first, last]]): GeneStretch => [contig, first, last]);
      bucket[key] = { ...(extents.length > 0 && { at: extents }), ...(of.size > 0 && { of: [...of] }) };
      found.set(bucketOf(key), bucket);
    }
    return found;
  }
}

/** One stretch for each chromosome, over all of its own. */
export function joinedStretches(all: readonly GeneStretch[]): GeneStretch[] {
  const joined = new Map<number, GeneStretch>();
  for (const [contig, first, last] of all) {
    const [, from = first, to = last] = joined.get(contig) ?? [];
    joined.set(contig, [contig, Math.min(from, first), Math.max(to, last)]);
  }
  return [...joined.values()];
}

/** The stretches and genes of either. */
function mergedNames(one: GenePlaces, other: GenePlaces): GenePlaces {
  const at = joinedStretches([...(one.at ?? []), ...(other.at ?? [])]);
  const of = new Set([...(one.of ?? []), ...(other.of ?? [])]);
  return { ...(at.length > 0 && { at }), ...(of.size > 0 && { of: [...of] }) };
}

/** A bucket with the names of another; undefined if it has them all. */
export function widenedBucket(known: GeneBucket, added: GeneBucket): GeneBucket | undefined {
  const merged = Object.entries(added).map(([key, named]) => [key, mergedNames(known[key] ?? {}, named)] as const);
  const isNew = merged.some(([key, named]) => JSON.stringify(named) !== JSON.stringify(known[key]));
  return isNew ? Object.assign(Object.create(null), known, Object.fromEntries(merged)) : undefined;
}

/** First and last base of a stretch. */
export function basesOf([contig, first, last]: GeneStretch): { contig: number; from: number; to: number } {
  return { contig, from: first * grain, to: (last + 1) * grain - 1 };
}
