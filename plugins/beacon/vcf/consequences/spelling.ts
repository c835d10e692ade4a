/** Which alternate of a record an annotation is about: VEP and SnpEff spell alleles in ways of their own. */
import { isPlaceholder } from '../../../../core/vcf.js';

/** A record with its annotations. */
export interface AnnotatedRecord {
  reference: string;
  alternates: readonly string[];
  /** Whether it has an SVTYPE, a symbolic allele or a breakend: VEP then writes a word such as `deletion`. */
  structural: boolean;
}

/** An allele as entries spell it, and its number among the alternates of the record that was annotated, if they say so. */
export interface SpelledAllele {
  text: string;
  number: number | undefined;
}

/** The alternates without the first base, if the record has it in common with all of them and changes their length. */
function withoutFirst(reference: string, alternates: readonly (string | undefined)[]): (string | undefined)[] {
  const real = alternates.filter((alternate) => alternate !== undefined);
  const isIndel = real.some(({ length }) => length !== reference.length);
  if (!isIndel || real.some((alternate) => alternate[0] !== reference[0])) return [...alternates];
  return alternates.map((alternate) => alternate && (alternate.slice(1) || '-'));
}

/** Each alternate without the bases that it has in common with the reference, first at the beginning (VEP's `--minimal`). */
function minimal(reference: string, alternate: string): string {
  const shortest = Math.min(reference.length, alternate.length);
  let before = 0;
  while (before < shortest && reference[before] === alternate[before]) before++;
  let behind = 0;
  while (behind < shortest - before && reference.at(-1 - behind) === alternate.at(-1 - behind)) behind++;
  return alternate.slice(before, alternate.length - behind) || '-';
}

/**
 * The place among the alternates of each spelled allele; undefined for alleles of other records, if a record with several
 * single-base alternates was split after it was annotated. A text says why it is not certain: nothing is guessed.
 */
export function placesOfSpelled(
  { reference, alternates, structural }: AnnotatedRecord,
  spelled: readonly SpelledAllele[],
  isVep: boolean,
): (number | undefined)[] | string {
  const real = alternates.map((alternate) => (isPlaceholder(alternate) ? undefined : alternate));
  const places = real.flatMap((alternate, i) => (alternate === undefined ? [] : [i]));
  if (structural && places.length === 1 && spelled.length === 1) return places;
  const forms = isVep
    ? [withoutFirst(reference, real), real.map((alternate) => alternate && minimal(reference, alternate))]
    : [real];
  for (const form of forms) {
    const found = spelled.map(({ text }) => form.flatMap((one, i) => (one === text ? [i] : [])));
    if (found.every(({ length }) => length === 1)) return found.map(([place]) => place);
  }
  const numbers = spelled.map(({ number }) => number);
  const isNumbered = numbers.every((number) => number !== undefined && places.includes(number - 1));
  if (structural && isNumbered && new Set(numbers).size === spelled.length)
    return numbers.map((one) => Number(one) - 1);
  const isBase = (text: string) => /^[ACGTN]$/.test(text);
  if (
    isBase(reference) &&
    places.every((i) => isBase(alternates[i] ?? '')) &&
    spelled.every(({ text }) => isBase(text))
  ) {
    const found = spelled.map(({ text }) => real.indexOf(text));
    if (found.some((place) => place >= 0)) return found.map((place) => (place < 0 ? undefined : place));
  }
  const texts = spelled.map(({ text }) => text.slice(0, 20));
  return `its annotations are of other alleles (${texts.slice(0, 3).join(', ')}) than the record has`;
}
