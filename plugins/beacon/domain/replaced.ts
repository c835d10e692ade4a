/** What alleles replace, and which of them a query for that finds. */
import type { Allele, Bounds, Contig } from './allele.js';
import type { Replacement, SequenceChange, Stretch } from './allele-query.js';
import { trimmed } from './canonical.js';
import { includesBase, includesBases } from './iupac.js';
import { insertedBases, isInsertion, isJunction } from './similar.js';

type Written = Pick<Allele, 'start' | 'end' | 'reference' | 'alternate'>;

const written = /^[ACGTN]+$/;

/** Whether an allele is written out as bases. */
function isWritten({ alternate, mate }: Pick<Allele, 'alternate' | 'mate'>): boolean {
  return mate === undefined && written.test(alternate);
}

/** Without the one base that the canonical form leaves to both: the last if both end with it, else the first. */
export function withoutAnchor<Form extends Written>(form: Form): Form {
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
 * bases inserted, if known; else as stated, or from the base after POS to END. Undefined for breakends and for insertions of
 * unknown length.
 */
export function changedBases(allele: Allele): number | undefined {
  const { start, end, kind, mate, length } = allele;
  if (mate !== undefined || isJunction(kind)) return undefined;
  if (isWritten(allele)) {
    const { reference, alternate } = withoutAnchor(trimmed(allele));
    return Math.max(reference.length, alternate.length);
  }
  if (isInsertion(kind)) return insertedBases(allele);
  return length ?? Math.max(end - start - 1, 1);
}

/** An end of an allele as a query sees it. */
interface Seen {
  contig: Contig;
  start: number;
  end: number;
  mate?: Contig;
}

/** Whether an allele, seen from this of its ends, replaces what is asked for; `mate` is the one of the query. */
export function isReplaced(allele: Allele, seen: Seen, asked: Replacement, mate: Contig | undefined): boolean {
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
  const fits = (form: Written) =>
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

/** N has none: an unknown base is not its own complement. */
function complement(base: string): string {
  return complements[base] ?? '';
}
