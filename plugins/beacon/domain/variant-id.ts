/**
 * Ids of alleles that are the same after every restart and reload, and that say which allele they mean: positions count from
 * 1, as in VCF files. `GRCh38-17-43045703-G-A` is a short allele of plain bases; any other has its POS, its END (or the
 * position of its mate), a word and a digest: `GRCh38-17-100-200-DEL-…`.
 */
import { createHash } from 'node:crypto';
import { type Allele, type Assembly, alleleKey, assemblies, type Contig, contigs, writtenAlternate } from './allele.js';
import type { AlleleQuery } from './allele-query.js';
import { kindOfSequence } from './canonical.js';

/** Bases of reference and alternate together that an id spells out. */
const longest = 50;

/** Characters of a digest: 132 bits. */
const digestLength = 22;

export function variantIdOf(assembly: Assembly, allele: Allele): string {
  const { contig, start, end, reference, alternate, mate } = allele;
  const place = `${assembly}-${contig}-${start + 1}`;
  const isWhole = mate === undefined && end === start + reference.length;
  if (isWhole && isBases(reference) && isBases(alternate) && reference.length + alternate.length <= longest) {
    return `${place}-${reference}-${alternate}`;
  }
  const digest = createHash('sha256').update(alleleKey(allele)).digest('base64url').slice(0, digestLength);
  return `${place}-${mate === undefined ? end : end + 1}-${wordFor(allele)}-${digest}`;
}

/** The word of an id: the symbol of a symbolic allele, BND, or the kind of plain bases. */
function wordFor({ reference, alternate, mate }: Allele): string {
  if (alternate.startsWith('<')) return writtenAlternate({ alternate }).toUpperCase().replace(/[^A-Z0-9]/g, '').slice(0, 20) || 'SV'; // biome-ignore format: one
  if (mate !== undefined || !isBases(alternate)) return 'BND';
  return kindOfSequence(reference, alternate);
}

function isBases(text: string): boolean {
  return /^[ACGTN]+$/.test(text);
}

const spelled = /^(GRCh37|GRCh38)-([0-9XYMT]{1,2})-(\d{1,10})-([ACGTN]+)-([ACGTN]+)$/;
const digested = new RegExp(
  `^(GRCh37|GRCh38)-([0-9XYMT]{1,2})-(\\d{1,10})-(\\d{1,10})-[A-Z0-9]{1,20}-[A-Za-z0-9_-]{${digestLength}}$`,
);

/**
 * A query that finds the allele with this id, and perhaps others at its place: only those count for which `variantIdOf` is this
 * id. Undefined for a text that is no id.
 */
export function queryForVariantId(id: string): AlleleQuery | undefined {
  const bases = spelled.exec(id);
  const found = bases ?? digested.exec(id);
  const assembly = assemblies.find((one) => one === found?.[1]);
  const contig = contigs.find((one): one is Contig => one === found?.[2]);
  const start = Number(found?.[3]) - 1;
  if (!assembly || !contig || !(start >= 0)) return undefined;
  const exact = { assembly, contig, start: { min: start, max: start } };
  if (bases) return { ...exact, reference: bases[4] ?? '', alternate: bases[5] ?? '' };
  // The end, or the position of a mate.
  const end = Number(found?.[4]);
  return { ...exact, end: { min: end - 1, max: end } };
}
