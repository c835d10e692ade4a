/** Where a variant is and what it is, in every build that it can be lifted to, so that its different spellings match. */
import { buildNamed, chromosomeNamed, chromosomes, type LiftOver } from '../liftover/lift-over.js';
import type { Variant } from '../patient/patient.js';

/** A variant's position in one build. */
export interface Place {
  /** Build, chromosome and zero-based start in one number; neighbouring starts have neighbouring numbers. */
  locus: number;
  /** The change: `A>G`, or the class and length of a structural variant; undefined if it is not stated. */
  change?: string;
}

const builds = ['GRCh37', 'GRCh38', 'NCBI36'] as const;
type BuildName = (typeof builds)[number];
const starts = 2 ** 31;

/** Effects (Sequence Ontology) that describe a variant completely, together with a start and an end. */
const structural: ReadonlySet<string> = new Set([
  'SO:0000159', // deletion
  'SO:1000035', // duplication
  'SO:1000173', // tandem duplication
  'SO:1000036', // inversion
  'SO:0001019', // copy number variation
  'SO:0001742', // copy number gain
  'SO:0001743', // copy number loss
]);

/**
 * The places of a variant: in its own build and, if the chains cover it, in the other one. Bases that both alleles share at
 * their ends are trimmed, suffix first. Empty without a start, or if the chromosome is unknown.
 */
export function placesOf(variant: Variant, effect: string | undefined, lift: LiftOver): Place[] {
  const build = buildOf(variant.assembly);
  const chromosome = chromosomeNamed(variant.referenceName);
  if (variant.start === undefined || build === undefined || chromosome === undefined) return [];
  const { referenceBases, alternateBases } = variant;
  const alleles =
    referenceBases === undefined || alternateBases === undefined
      ? undefined
      : trimmed(variant.start, referenceBases.toUpperCase(), alternateBases.toUpperCase());
  const start = alleles?.start ?? variant.start;
  const end = alleles ? start + alleles.reference.length : Math.max(variant.end ?? start + 1, start);
  if (end >= starts - 1) return [];
  const own = { locus: locusOf(build, chromosome, start) };
  if (alleles) {
    const places: Place[] = [{ ...own, change: `${alleles.reference}>${alleles.alternate}` }];
    const lifted = lift.lift(build, chromosome, start, end);
    if (lifted && lifted.end - lifted.start === end - start) {
      const read = lifted.reversed ? reverseComplement : (bases: string) => bases;
      const change = `${read(alleles.reference)}>${read(alleles.alternate)}`;
      places.push({ locus: locusOf(lifted.assembly, lifted.chromosome, lifted.start), change });
    }
    return places;
  }
  const whole = variant.end !== undefined && effect !== undefined && structural.has(effect);
  const lifted = lift.lift(build, chromosome, start, end);
  const places: Place[] = [whole ? { ...own, change: `${effect} ${end - start}` } : own];
  if (lifted) {
    const locus = locusOf(lifted.assembly, lifted.chromosome, lifted.start);
    places.push(whole ? { locus, change: `${effect} ${lifted.end - lifted.start}` } : { locus });
  }
  return places;
}

/** Whether the bases at two loci are neighbours. Loci of different chromosomes never are. */
export function adjacent(one: number, other: number): boolean {
  return Math.abs(one - other) === 1;
}

function buildOf(assembly: string): BuildName | undefined {
  return /^ncbi36(?:\.|$)/i.test(assembly.trim()) ? 'NCBI36' : buildNamed(assembly);
}

function locusOf(build: BuildName, chromosome: string, start: number): number {
  return (builds.indexOf(build) * chromosomes.length + chromosomes.indexOf(chromosome)) * starts + start;
}

function trimmed(start: number, reference: string, alternate: string) {
  if (reference === alternate) return { start, reference, alternate };
  const shorter = Math.min(reference.length, alternate.length);
  let last = 0;
  while (last < shorter && reference.at(-1 - last) === alternate.at(-1 - last)) last++;
  let first = 0;
  while (first < shorter - last && reference[first] === alternate[first]) first++;
  const rest = (bases: string) => bases.slice(first, bases.length - last);
  return { start: start + first, reference: rest(reference), alternate: rest(alternate) };
}

const complements: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };

function reverseComplement(bases: string): string {
  return [...bases]
    .reverse()
    .map((base) => complements[base] ?? base)
    .join('');
}
