/**
 * The one form in which an allele of plain bases is stored and asked for, however a file or a client writes it:
 * `TCC>CCC` is `T>C`. Bases that reference and alternate share are taken off the end first, then off the beginning, and
 * one base stays on each side. Nothing moves within a repeat: that needs the reference sequence.
 *
 * A record with an SVTYPE states where its allele starts and ends, and is asked for by that. Its allele is stored as the
 * record writes it, and found without shared bases too.
 */
import type { Allele, Bounds } from './allele.js';
import type { AlleleQuery } from './allele-query.js';

/** How many bases are shared at the beginning and at the end. */
interface Shared {
  leading: number;
  trailing: number;
}

const plain = /^[ACGT]+$/;

/** True for `[ACGT]+`: what N stands for is not known, and symbolic alleles and breakends are not sequence. */
export function isPlain(bases: string | undefined): bases is string {
  return bases !== undefined && plain.test(bases);
}

function sharedBases(reference: string, alternate: string): Shared | undefined {
  const shorter = Math.min(reference.length, alternate.length);
  if (shorter < 2 || !isPlain(reference) || !isPlain(alternate)) return undefined;
  let trailing = 0;
  while (trailing < shorter - 1 && reference.at(-1 - trailing) === alternate.at(-1 - trailing)) trailing++;
  let leading = 0;
  while (leading < shorter - trailing - 1 && reference[leading] === alternate[leading]) leading++;
  return leading + trailing > 0 ? { leading, trailing } : undefined;
}

function without(bases: string, { leading, trailing }: Shared): string {
  return bases.slice(leading, bases.length - trailing);
}

/** The allele as it is stored, of which there is one way to write it: `trimmed`, unless it is structural. */
export function canonical<Stated extends Allele>(allele: Stated): Stated {
  return allele.structural ? allele : trimmed(allele);
}

/**
 * The allele without shared bases: start and end move with them, and the kind of a sequence-resolved allele follows from
 * the bases that are left. One that has none, or is not plain sequence, is returned as it is.
 */
export function trimmed<Stated extends Allele>(allele: Stated): Stated {
  const shared = sharedBases(allele.reference, allele.alternate);
  if (!shared) return allele;
  const reference = without(allele.reference, shared);
  const alternate = without(allele.alternate, shared);
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
 * Where a structural allele starts without the bases that reference and alternate share; undefined if it has none. An
 * index of these starts finds the alleles that `matches` finds by other bases than those that are stored.
 */
export function trimmedStart({ structural, reference, alternate, start }: TrimmedPart): number | undefined {
  const shared = structural ? sharedBases(reference, alternate) : undefined;
  return shared && start + shared.leading;
}

type TrimmedPart = Pick<Allele, 'structural' | 'reference' | 'alternate' | 'start'>;

/** The parts of a query that follow how an allele is written. */
type Question = Pick<AlleleQuery, 'start' | 'end'> & { reference?: string | undefined; alternate?: string | undefined };

/**
 * A question about one allele, at an exact start or end or both, as a question about its canonical form. It stays as it
 * is if reference and alternate are not both given, or are patterns.
 */
export function canonicalQuestion<Asked extends Question>(asked: Asked): Asked {
  const { reference, alternate, start, end } = asked;
  if (reference === undefined || alternate === undefined) return asked;
  const shared = sharedBases(reference, alternate);
  if (!shared) return asked;
  return {
    ...asked,
    reference: without(reference, shared),
    alternate: without(alternate, shared),
    ...(start && { start: moved(start, shared.leading) }),
    ...(end && { end: moved(end, -shared.trailing) }),
  };
}

function moved({ min, max }: Bounds, by: number): Bounds {
  return { min: min + by, max: max + by };
}

/** What a sequence-resolved allele is called, by its lengths alone. */
export function kindOfSequence(reference: string, alternate: string): 'SNP' | 'MNP' | 'INS' | 'DEL' {
  const longer = alternate.length - reference.length;
  if (longer !== 0) return longer > 0 ? 'INS' : 'DEL';
  return reference.length === 1 ? 'SNP' : 'MNP';
}
