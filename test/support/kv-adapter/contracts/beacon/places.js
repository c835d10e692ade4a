/**
 * The keys of alleles, and which of these a query has to read.
 *
 * An allele is stored under its place: dataset, contig, start, end, bases. Alleles that start in a range are one range
 * of keys. But an end, or an overlap, bounds the start from below only if the length is known. So alleles of 16 bases
 * and more have a second entry under the number of hexadecimal digits of their length: those with d digits are shorter
 * than 16^d, and start at most that far before the bases that they overlap. Breakends have one under 0 digits, since
 * their end is elsewhere, and one more under their mate's place, to be found from there too. Structural alleles whose
 * bases can be written shorter have one under the start of the shorter form.
 */
import { contigs, isOpen, isSpelled, trimmedStart } from 'trefoil/beacon/contract';
import { between, keyOf } from '../../keys.js';

/** Up to 16^8 - 1 bases: longer than any chromosome. */
const mostDigits = 8;
const nowhere = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };

const rank = (contig) => contigs.indexOf(contig);

/** Identity and order of an allele within its dataset: the order of these texts is that of `byAllele`. */
export function placeOf({ contig, start, end, reference, alternate, mate = '' }) {
  return keyOf(rank(contig), start, end, reference, alternate, mate);
}

export function alleleKey(dataset, place) {
  return keyOf('alleles', dataset, place);
}

/** The further entries of an allele; each holds the key of the allele. */
export function entriesOf(dataset, allele) {
  const place = placeOf(allele);
  const entries = [];
  const digits = digitsOf(allele);
  if (digits !== 1) entries.push(keyOf('wide', dataset, digits, rank(allele.contig), allele.start, place));
  if (allele.mate !== undefined) entries.push(keyOf('mates', dataset, rank(allele.mate), allele.end, place));
  if (allele.structural) entries.push(keyOf('structural', dataset, place));
  const trimmed = trimmedStart(allele);
  if (trimmed !== undefined) entries.push(keyOf('trimmed', dataset, rank(allele.contig), trimmed, place));
  return entries;
}

/**
 * The keys of what is said of samples that were not called at an allele: under its start, and that without the bases that
 * reference and alternate share.
 */
export function uncalledKeys(dataset, allele) {
  const starts = new Set([allele.start, trimmedStart(allele) ?? allele.start]);
  return [...starts].map((start) => keyOf('uncalled', dataset, rank(allele.contig), start, placeOf(allele)));
}

/** What is said of samples that were not called at alleles that start within bounds. */
export function uncalledBetween(dataset, contig, { min, max }) {
  return between(['uncalled', dataset, rank(contig)], min, max);
}

/** 0 if the end does not bound the start. */
function digitsOf({ start, end, mate }) {
  if (mate !== undefined || end < start) return 0;
  return Math.min((end - start).toString(16).length, mostDigits);
}

/**
 * Yields every allele that a query may match, and some others, each once: the caller decides by `matches`.
 * Reads the query's range and not the whole dataset.
 */
export async function* candidates(space, dataset, query) {
  const contig = rank(query.contig);
  const near = starts(query, 1);
  const range = between(['alleles', dataset, contig], near.first, near.last);
  if (near.first <= near.last) for await (const [, stored] of space.range(range)) yield stored;

  const further = new Set();
  const gather = async (parts, { first, last }) => {
    if (first > last) return;
    for await (const [, key] of space.range(between(parts, first, last))) {
      if (!(key >= range.from && key < range.before && near.first <= near.last)) further.add(key);
    }
  };
  for (const digits of [0, 2, 3, 4, 5, 6, 7, mostDigits]) {
    await gather(['wide', dataset, digits, contig], beyond(near, starts(query, digits)));
  }
  if (isSpelled(query)) await gather(['trimmed', dataset, contig], starts({ start: query.start }, 0));
  // A breakend's own reference says nothing about its mate.
  if (isOpen(query.reference)) await gather(['mates', dataset, contig], starts(query, 0));

  const keys = [...further];
  for (let i = 0; i < keys.length; i += 1000) yield* await space.getMany(keys.slice(i, i + 1000));
}

/** The range of starts of candidates with this number of digits; the whole contig if the query is open. */
function starts({ start, end, overlaps }, digits) {
  let first = start?.min ?? Number.NEGATIVE_INFINITY;
  let last = start?.max ?? Number.POSITIVE_INFINITY;
  if (overlaps) last = Math.min(last, overlaps.end - 1);
  if (digits === 0) {
    if (overlaps) first = Math.max(first, Math.min(overlaps.start, overlaps.end));
  } else {
    const length = 16 ** digits;
    if (overlaps) first = Math.max(first, overlaps.start - length);
    if (end) {
      first = Math.max(first, end.min - length);
      last = Math.min(last, end.max);
    }
  }
  return { first, last };
}

/** `nowhere` if all of it was read already. */
function beyond(seen, wanted) {
  return wanted.first >= seen.first && wanted.last <= seen.last ? nowhere : wanted;
}
