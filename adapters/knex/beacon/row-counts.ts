/**
 * Counts that are kept beside the carriers of a row, so that an allele is counted without reading its carriers. Which
 * samples share a case may be corrected later: a segment notes the grouping by which its rows were counted, and its counts
 * are used only as long as the samples are still grouped so.
 */
import { createHash } from 'node:crypto';
import type { CarrierCounts } from '../../../plugins/beacon/contract.js';
import type { Carriers, SegmentSample } from './carriers.js';

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
    this.grouping = groupingOf(samples, cases);
  }

  count(carriers: Carriers): CarrierCounts {
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
export function groupingOf(samples: readonly SegmentSample[], cases: CasesOfSamples): string {
  const numbers = caseNumbers(samples, cases);
  return createHash('sha256').update(numbers.join(' ')).digest('hex').slice(0, 32);
}
