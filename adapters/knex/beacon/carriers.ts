/**
 * The carriers of an allele as text, and the counts that are kept beside them, so that an allele is counted without reading its
 * carriers.
 */
import { createHash } from 'node:crypto';
import type { Carrier, CarrierCounts } from '../../../plugins/beacon/contract.js';

// The carriers of an allele as text: ordinals of the segment's samples, with `:copies` unless that is one (`0 3:2 7`).
// A segment of a single sample leaves the column null: `calls` is its number of copies.

/** A sample of a segment; ordinals are those that its rows' carriers name. */
export interface SegmentSample {
  ordinal: number;
  name: string;
}

/** Whether rows of a segment with these samples leave out their carriers, which read as ordinal 0. */
export function isSole(samples: readonly SegmentSample[]): boolean {
  return samples.length === 1 && samples[0]?.ordinal === 0;
}

/** Copies by sample ordinal. */
export type CarrierCopies = Map<number, number>;

/** Allele fractions in whole percents, by sample ordinal. */
export type CarrierPercents = Map<number, number>;

export function encodeCarriers(carriers: CarrierCopies): string {
  const parts: string[] = [];
  for (const [sample, copies] of carriers) parts.push(copies === 1 ? `${sample}` : `${sample}:${copies}`);
  return parts.join(' ');
}

/** The carriers of a row; without text, `calls` belongs to the first sample. */
export function decodeCarriers(text: string | null, calls: number): CarrierCopies {
  const carriers: CarrierCopies = new Map();
  eachCarrier(text, calls, (ordinal, copies) => carriers.set(ordinal, copies));
  return carriers;
}

/** The number of carriers of a row. */
export function carriersIn(text: string | null): number {
  return text === null ? 1 : text.split(' ').length;
}

const [zero, space, colon] = [48, 32, 58];

/** Visits the carriers of a row without making anything of them: batches of questions read millions. */
export function eachCarrier(
  text: string | null,
  calls: number,
  visit: (ordinal: number, copies: number) => unknown,
): void {
  if (text === null) {
    visit(0, calls);
    return;
  }
  // Plain assignments: destructuring would run an iterator for each carrier.
  let ordinal = -1;
  let number = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : space;
    if (code === colon) {
      ordinal = number;
      number = 0;
    } else if (code === space) {
      if (ordinal < 0) visit(number, 1);
      else visit(ordinal, number);
      ordinal = -1;
      number = 0;
    } else number = number * 10 + code - zero;
  }
}

/** Adds carriers of the same allele; of a sample that comes with two numbers of copies the first stays. */
export function addCarriers(carriers: CarrierCopies, more: Iterable<Carrier>): void {
  for (const [sample, copies] of more) if (!carriers.has(sample)) carriers.set(sample, copies);
}

/** Alternate alleles called over all carriers. */
export function callsOfCarriers(carriers: CarrierCopies): number {
  let calls = 0;
  for (const copies of carriers.values()) calls += copies;
  return calls;
}

// Counts that are kept beside the carriers of a row, so that an allele is counted without reading its carriers. Which
// samples share a case may be corrected later: a segment notes the grouping by which its rows were counted, and its counts
// are used only as long as the samples are still grouped so.

/** The cases of samples by name; a sample without one is a case of its own. */
export type CasesOfSamples = ReadonlyMap<string, string>;

/** Counts the carriers of one row after the other. */
export class RowCounter {
  /** By ordinal: the number of the sample's case. */
  readonly #cases: readonly number[];
  /** By case: the last row for which it was counted. */
  readonly #counted: number[] = [];
  #row = 0;
  /** Equal for equal groupings of samples into cases. */
  readonly grouping: string;

  constructor(samples: readonly SegmentSample[], cases: CasesOfSamples) {
    this.#cases = caseNumbers(samples, cases);
    this.grouping = groupingOfSamples(samples, cases);
  }

  count(carriers: CarrierCopies): CarrierCounts {
    const counts = { carriers: carriers.size, twice: 0, cases: 0 };
    this.#row++;
    for (const [ordinal, copies] of carriers) {
      if (copies >= 2) counts.twice++;
      const number = this.#cases[ordinal] as number;
      if (this.#counted[number] === this.#row) continue;
      this.#counted[number] = this.#row;
      counts.cases++;
    }
    return counts;
  }
}

/** By ordinal: the ordinal of the first sample of the same case. */
function caseNumbers(samples: readonly SegmentSample[], cases: CasesOfSamples): number[] {
  const first = new Map<string, number>();
  const numbers: number[] = [];
  for (const { ordinal, name } of samples.toSorted((one, other) => one.ordinal - other.ordinal)) {
    const its = cases.get(name) ?? name;
    const number = first.get(its) ?? ordinal;
    first.set(its, number);
    numbers[ordinal] = number;
  }
  return numbers;
}

/** A digest of which of a segment's samples share a case, whatever the cases are called. */
export function groupingOfSamples(samples: readonly SegmentSample[], cases: CasesOfSamples): string {
  const numbers = caseNumbers(samples, cases);
  return createHash('sha256').update(numbers.join(' ')).digest('hex').slice(0, 32);
}
