/**
 * The carriers of an allele as text: ordinals of the segment's samples, with `:copies` unless that is one (`0 3:2 7`).
 * A segment of a single sample leaves the column null: `calls` is its number of copies.
 */

import type { Carrier } from '../../../plugins/beacon/contract.js';

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
export type Carriers = Map<number, number>;

export function encodeCarriers(carriers: Carriers): string {
  const parts: string[] = [];
  for (const [sample, copies] of carriers) parts.push(copies === 1 ? `${sample}` : `${sample}:${copies}`);
  return parts.join(' ');
}

/** The carriers of a row; without text, `calls` belongs to the first sample. */
export function decodeCarriers(text: string | null, calls: number): Carriers {
  const carriers: Carriers = new Map();
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
export function addCarriers(carriers: Carriers, more: Iterable<Carrier>): void {
  for (const [sample, copies] of more) if (!carriers.has(sample)) carriers.set(sample, copies);
}

/** Alternate alleles called over all carriers. */
export function callsOf(carriers: Carriers): number {
  let calls = 0;
  for (const copies of carriers.values()) calls += copies;
  return calls;
}
