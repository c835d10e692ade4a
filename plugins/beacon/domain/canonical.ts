/**
 * The one form in which an allele of plain bases is stored and queried, however a file or a client writes it: `TCC>CCC` is
 * `T>C`. Bases that reference and alternate share are removed from the end first, then from the beginning, and one base
 * stays on each side. Alleles are not shifted within repeats: that needs the reference sequence.
 *
 * A record with an SVTYPE states the start and end of its allele, by which clients query it. Its allele is stored as the record
 * writes it, and found without shared bases too.
 */
import type { Allele, Bounds } from './allele.js';
import type { AlleleQuery } from './allele-query.js';

/** The number of shared bases at the beginning and at the end. */
interface SharedEnds {
  leading: number;
  trailing: number;
}

const plain = /^[ACGT]+$/;

/** True for `[ACGT]+`: N is an unknown base, and symbolic alleles and breakends are not sequence. */
export function isPlain(bases: string | undefined): bases is string {
  return bases !== undefined && plain.test(bases);
}

/** The last reference that was looked at: a record asks for its REF with each alternate, and both may be long. */
let last = { reference: '', isPlain: false };

function isPlainReference(reference: string): boolean {
  if (reference !== last.reference) last = { reference, isPlain: isPlain(reference) };
  return last.isPlain;
}

function sharedBases(reference: string, alternate: string): SharedEnds | undefined {
  const shorter = Math.min(reference.length, alternate.length);
  if (shorter < 2 || !isPlain(alternate) || !isPlainReference(reference)) return undefined;
  let trailing = 0;
  while (trailing < shorter - 1 && reference.at(-1 - trailing) === alternate.at(-1 - trailing)) trailing++;
  let leading = 0;
  while (leading < shorter - trailing - 1 && reference[leading] === alternate[leading]) leading++;
  return leading + trailing > 0 ? { leading, trailing } : undefined;
}

function withoutSharedBases(bases: string, { leading, trailing }: SharedEnds): string {
  return bases.slice(leading, bases.length - trailing);
}

/** The form of an allele that is stored: `trimmed`, unless it is structural. */
export function canonical<Stated extends Allele>(allele: Stated): Stated {
  return allele.structural ? allele : trimmed(allele);
}

/**
 * The allele without shared bases: start and end move accordingly, and the kind of a sequence-resolved allele follows from
 * the remaining bases. An allele without shared bases, or not of plain sequence, is returned unchanged.
 */
export function trimmed<Stated extends Allele>(allele: Stated): Stated {
  const shared = sharedBases(allele.reference, allele.alternate);
  if (!shared) return allele;
  const reference = withoutSharedBases(allele.reference, shared);
  const alternate = withoutSharedBases(allele.alternate, shared);
  return {
    ...allele,
    start: allele.start + shared.leading,
    end: allele.end - shared.trailing,
    reference,
    alternate,
    kind: allele.structural ? allele.kind : kindOfSequence(reference, alternate),
  };
}

/**
 * The start of a structural allele without the bases that reference and alternate share; undefined if it has none. An index
 * of these starts finds alleles that match by other bases than the stored ones.
 */
export function trimmedStart({ structural, reference, alternate, start }: TrimmedPart): number | undefined {
  const shared = structural ? sharedBases(reference, alternate) : undefined;
  return shared && start + shared.leading;
}

type TrimmedPart = Pick<Allele, 'structural' | 'reference' | 'alternate' | 'start'>;

/** The parts of a query that depend on how an allele is written. */
type SpelledQuery = Pick<AlleleQuery, 'start' | 'end'> & {
  reference?: string | undefined;
  alternate?: string | undefined;
};

/**
 * Rewrites a query for one allele, at an exact start or end or both, as a query for its canonical form. Unchanged if reference
 * and alternate are not both given, or are patterns.
 */
export function canonicalQuestion<Asked extends SpelledQuery>(asked: Asked): Asked {
  const { reference, alternate, start, end } = asked;
  if (reference === undefined || alternate === undefined) return asked;
  const shared = sharedBases(reference, alternate);
  if (!shared) return asked;
  return {
    ...asked,
    reference: withoutSharedBases(reference, shared),
    alternate: withoutSharedBases(alternate, shared),
    ...(start && { start: moved(start, shared.leading) }),
    ...(end && { end: moved(end, -shared.trailing) }),
  };
}

function moved({ min, max }: Bounds, by: number): Bounds {
  return { min: min + by, max: max + by };
}

/** The kind of a sequence-resolved allele, by its lengths alone. */
export function kindOfSequence(reference: string, alternate: string): 'SNP' | 'MNP' | 'INS' | 'DEL' {
  const longer = alternate.length - reference.length;
  if (longer !== 0) return longer > 0 ? 'INS' : 'DEL';
  return reference.length === 1 ? 'SNP' : 'MNP';
}
