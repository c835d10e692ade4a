/**
 * Which alleles match a query: the one rule of every storage adapter, with what an allele replaces and the IUPAC codes of
 * unknown bases.
 */
import type { Allele, Bounds, Contig } from './allele.js';
import {
  type AlleleQuery,
  isPlain,
  type KindFilter,
  type Replacement,
  type SequenceChange,
  type Stretch,
  trimmed,
} from './allele-query.js';
import { insertedBases, isInsertion, isJunction, isRepeat } from './similar.js';

/**
 * Returns whether the allele matches the query, by its stated start and end: ranges around these do not matter.
 *
 * - A breakend is found from both of its ends. Its reference base is that of the near end, so that only a query without
 *   reference bases finds it from the far end.
 * - A structural allele of plain bases is found as it is stored. A query with reference and alternate bases (`isSpelled`)
 *   finds it also without the bases that the two share: see `trimmed`.
 * - `replaces` is about what an allele replaces, whichever shared bases its record writes: see `isReplaced`.
 */
export function matches(allele: Allele, query: AlleleQuery): boolean {
  if (query.kinds && !query.kinds.some((filter) => isOfKind(allele, filter))) return false;
  return (
    matchesAsStored(allele, query) || (allele.structural && isSpelled(query) && matchesHere(trimmed(allele), query))
  );
}

/** Returns whether a query has plain bases for reference and alternate. */
export function isSpelled(query: AlleleQuery): boolean {
  return isPlain(query.reference) && isPlain(query.alternate);
}

function matchesAsStored(allele: Allele, query: AlleleQuery): boolean {
  if (matchesHere(allele, query)) return true;
  if (!isBases(query.alternate, allele.alternate)) return false;
  return allele.mate !== undefined && isOpen(query.reference) && placed(allele, farEnd(allele, allele.mate), query);
}

function matchesHere(allele: Allele, query: AlleleQuery): boolean {
  return (
    isBases(query.reference, allele.reference) &&
    isBases(query.alternate, allele.alternate) &&
    placed(allele, allele, query)
  );
}

type AllelePlace = Pick<Allele, 'contig' | 'start' | 'end' | 'mate'>;

/** A breakend as seen from its mate. */
function farEnd(breakend: Allele, mate: Contig): AllelePlace {
  return { contig: mate, start: breakend.end, end: breakend.start, mate: breakend.contig };
}

/** `place`: the allele, or its far end. */
function placed(allele: Allele, place: AllelePlace, query: AlleleQuery): boolean {
  if (place.contig !== query.contig) return false;
  if (query.mate !== undefined && place.mate !== query.mate) return false;
  if (query.start && (place.start < query.start.min || place.start > query.start.max)) return false;
  if (query.end && (place.end < query.end.min || place.end > query.end.max)) return false;
  if (query.overlaps) {
    const end = place.mate === undefined ? place.end : place.start + 1;
    if (place.start >= query.overlaps.end || end <= query.overlaps.start) return false;
  }
  return !query.replaces || isReplaced(allele, place, query.replaces, query.mate);
}

function isOfKind(allele: Allele, filter: KindFilter): boolean {
  if (filter.structural !== undefined && filter.structural !== allele.structural) return false;
  return allele.kind === filter.kind || allele.kind.startsWith(`${filter.kind}:`);
}

/** Returns whether a pattern is omitted or a lone N, which match anything. */
export function isOpen(pattern: string | undefined): boolean {
  return pattern === undefined || pattern === 'N';
}

function isBases(pattern: string | undefined, bases: string): boolean {
  if (pattern === undefined || pattern === 'N' || pattern === bases) return true;
  if (pattern.length !== bases.length || !pattern.includes('N')) return false;
  for (let i = 0; i < pattern.length; i++) {
    const wanted = pattern[i];
    if (wanted !== 'N' ? wanted !== bases[i] : !isBaseCode(bases.charCodeAt(i))) return false;
  }
  return true;
}

/** A letter A–Z: keeps `NNNNN` from matching `<DEL>`. */
function isBaseCode(code: number): boolean {
  return code >= 65 && code <= 90;
}

// What alleles replace, and which of them a query for that finds.

type WrittenAllele = Pick<Allele, 'start' | 'end' | 'reference' | 'alternate'>;

const written = /^[ACGTN]+$/;

/** Whether an allele is written out as bases. */
function isWritten({ alternate, mate }: Pick<Allele, 'alternate' | 'mate'>): boolean {
  return mate === undefined && written.test(alternate);
}

/** Without the one base that the canonical form leaves to both: the last if both end with it, else the first. */
export function withoutAnchor<Form extends WrittenAllele>(form: Form): Form {
  const { reference, alternate, start, end } = form;
  if (reference.length > 1 && alternate.length > 1) return form;
  const isShared = (one: string | undefined, other: string | undefined) => one === other && one !== 'N';
  if (isShared(reference.at(-1), alternate.at(-1))) {
    return { ...form, end: end - 1, reference: reference.slice(0, -1), alternate: alternate.slice(0, -1) };
  }
  if (isShared(reference[0], alternate[0])) {
    return { ...form, start: start + 1, reference: reference.slice(1), alternate: alternate.slice(1) };
  }
  return form;
}

/**
 * The stretches of an allele without a mate. One of plain bases replaces what is left without the base that its record writes
 * beside it: A>AT at 100 replaces nothing, [101, 101). A structural one is found by the stretch that its record states and
 * by that without the base before the event, of symbolic alleles too (VCF 4.3, POS).
 */
export function stretchesOf(allele: Allele): readonly Stretch[] {
  const { start, end, reference, alternate, kind, structural } = allele;
  if (!structural) return [withoutAnchor(allele)];
  const isSymbolic = alternate.startsWith('<');
  const hasAnchor = isSymbolic || (isWritten(allele) && reference[0] === alternate[0] && reference[0] !== 'N');
  const isEmpty = end === start + 1;
  if (!hasAnchor || (isEmpty && isSymbolic && !isInsertion(kind))) return [{ start, end }];
  return [
    { start, end },
    { start: start + 1, end },
  ];
}

/**
 * The length of an allele in bases. Of plain bases the longer of those replaced and those in their place; of an insertion the
 * bases inserted, if known; of a repeat all of its units, if known; else as stated, or from the base after POS to END.
 * Undefined for breakends, and for insertions and repeats of unknown length.
 */
export function changedBases(allele: Allele): number | undefined {
  const { start, end, kind, mate, length } = allele;
  if (mate !== undefined || isJunction(kind)) return undefined;
  if (isWritten(allele)) {
    const { reference, alternate } = withoutAnchor(trimmed(allele));
    return Math.max(reference.length, alternate.length);
  }
  if (isInsertion(kind)) return insertedBases(allele);
  if (isRepeat(kind)) return length;
  return length ?? Math.max(end - start - 1, 1);
}

/** An end of an allele as a query sees it. */
interface AlleleEnd {
  contig: Contig;
  start: number;
  end: number;
  mate?: Contig;
}

/** Whether an allele, seen from this of its ends, replaces what is queried; `mate` is the one of the query. */
function isReplaced(allele: Allele, seen: AlleleEnd, asked: Replacement, mate: Contig | undefined): boolean {
  const { start, end, overlaps, reference, alternate, length, change } = asked;
  if (length && !isWithin(changedBases(allele), length)) return false;
  if (change && !(isWritten(allele) ? isChange(allele, change) : isSymbolOf(allele, change))) return false;
  if ((reference !== undefined || alternate !== undefined) && !hasBases(allele, reference, alternate)) return false;
  if (seen.mate === undefined) {
    return (
      (!start && !end && !overlaps) ||
      stretchesOf(allele).some(
        (stretch) =>
          (!start || isWithin(stretch.start, start)) &&
          (!end || isWithin(stretch.end, end)) &&
          (!overlaps || isOverlapping(stretch, overlaps)),
      )
    );
  }
  if (start && !isWithin(seen.start, start)) return false;
  if (end && !(isWithin(seen.end, end) && (mate !== undefined || seen.mate === seen.contig))) return false;
  return !overlaps || isOverlapping({ start: seen.start, end: seen.start + 1 }, overlaps);
}

function isWithin(value: number | undefined, { min, max }: Bounds): boolean {
  return value !== undefined && value >= min && value <= max;
}

function isOverlapping(stretch: Stretch, asked: Stretch): boolean {
  if (stretch.start === stretch.end) return asked.start <= stretch.start && stretch.start <= asked.end;
  return stretch.start < asked.end && stretch.end > asked.start;
}

/** Whether bases fit, as they are stored or without those that both share. */
function hasBases(allele: Allele, reference: string | undefined, alternate: string | undefined): boolean {
  if (!isWritten(allele)) return false;
  const fits = (form: WrittenAllele) =>
    (reference === undefined || includesBases(reference, form.reference)) &&
    (alternate === undefined || includesBases(alternate, form.alternate));
  return fits(allele) || fits(withoutAnchor(trimmed(allele)));
}

/** Whether a symbolic allele states a change. */
function isSymbolOf(allele: Allele, { symbols = [], start, end }: SequenceChange): boolean {
  const { kind, alternate } = allele;
  const states = (symbol: string) =>
    kind === symbol ||
    kind.startsWith(`${symbol}:`) ||
    alternate === `<${symbol}>` ||
    alternate.startsWith(`<${symbol}:`);
  return (
    alternate.startsWith('<') &&
    symbols.some(states) &&
    stretchesOf(allele).some((stretch) => stretch.start === start && stretch.end === end)
  );
}

/**
 * Whether an allele of plain bases is a change: both give the same sequence, written over both of their stretches with the
 * reference bases that one of them knows. So A>AA at 100 is the insertion of A at 101 as well as at 100.
 */
function isChange(allele: Allele, change: SequenceChange): boolean {
  const end = allele.start + allele.reference.length;
  const replaced = change.end - change.start;
  const isLiteral = typeof change.alternate === 'string';
  if (change.start > end || change.end < allele.start) return false;
  if (!isLiteral && (change.start < allele.start || change.end > end)) return false;
  if (alternateLength(change) - replaced !== allele.alternate.length - allele.reference.length) return false;
  const from = Math.min(allele.start, change.start);
  const to = Math.max(end, change.end);
  /** A reference base; of one that neither knows its position, so that it is equal to itself alone. */
  const known = (position: number): string => {
    if (position >= allele.start && position < end) return allele.reference[position - allele.start] as string;
    return change.reference?.[position - change.start] ?? String(position);
  };
  const stretch = (start: number, stop: number) => Array.from({ length: stop - start }, (_, i) => known(start + i));
  for (let i = Math.max(allele.start, change.start); change.reference && i < Math.min(end, change.end); i++) {
    if (!includesBase(change.reference[i - change.start] as string, known(i))) return false;
  }
  const put = becoming(change, () => stretch(change.start, change.end));
  const asked = [...stretch(from, change.start), ...put, ...stretch(change.end, to)];
  const found = [...stretch(from, allele.start), ...allele.alternate, ...stretch(end, to)];
  return asked.every((base, i) => includesBase(base, found[i] as string));
}

function alternateLength({ alternate, start, end }: SequenceChange): number {
  if (typeof alternate === 'string') return alternate.length;
  return (end - start) * (alternate.is === 'duplicated' ? 2 : 1);
}

/** The bases that a change puts in the place of others. */
function becoming({ alternate }: SequenceChange, replaced: () => string[]): string[] {
  if (typeof alternate === 'string') return [...alternate];
  if (alternate.is === 'duplicated') return [...replaced(), ...replaced()];
  return replaced().reverse().map(complement);
}

const complements: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };

export function reverseComplement(bases: string): string {
  return [...bases].reverse().map(complement).join('');
}

/** N has none: an unknown base is not its own complement. */
export function complement(base: string): string {
  return complements[base] ?? '';
}

// Codes for bases that are not known exactly (NC-IUB 1984).

const sets: Readonly<Record<string, string>> = {
  ...{ A: 'A', C: 'C', G: 'G', T: 'T', U: 'T' },
  ...{ R: 'AG', Y: 'CT', S: 'CG', W: 'AT', K: 'GT', M: 'AC', B: 'CGT', D: 'AGT', H: 'ACT', V: 'ACG', N: 'ACGT' },
};

/** Whether every base that the second code may stand for is one that the first may stand for. */
function includesBase(pattern: string, base: string): boolean {
  if (pattern === base) return true;
  const wanted = sets[pattern];
  const possible = sets[base];
  return wanted !== undefined && possible !== undefined && [...possible].every((one) => wanted.includes(one));
}

/** The same for texts, base by base. */
function includesBases(pattern: string, bases: string): boolean {
  if (pattern.length !== bases.length) return false;
  for (let i = 0; i < pattern.length; i++) {
    if (!includesBase(pattern[i] as string, bases[i] as string)) return false;
  }
  return true;
}
