/**
 * The carriers of an allele as text: ordinals of the segment's samples, with `:copies` unless that is one (`0 3:2 7`).
 * A segment of a single sample leaves the column null: `calls` is its number of copies.
 */

import type { Carrier } from '../../../plugins/beacon/contract.js';

/** Copies by sample ordinal. */
export type Carriers = Map<number, number>;

export function encodeCarriers(carriers: Carriers): string {
  const parts: string[] = [];
  for (const [sample, copies] of carriers) parts.push(copies === 1 ? `${sample}` : `${sample}:${copies}`);
  return parts.join(' ');
}

/** The carriers of a row; without text, `calls` belongs to the first sample. */
export function decodeCarriers(text: string | null, calls: number): Carriers {
  if (text === null) return new Map([[0, calls]]);
  const carriers: Carriers = new Map();
  for (const part of text.split(' ')) {
    const colon = part.indexOf(':');
    if (colon < 0) carriers.set(Number(part), 1);
    else carriers.set(Number(part.slice(0, colon)), Number(part.slice(colon + 1)));
  }
  return carriers;
}

/** Which number of copies stays if a sample comes with two for one allele. */
export type KeptCopies = 'first' | 'largest';

/** Adds carriers of the same allele. */
export function addCarriers(carriers: Carriers, more: Iterable<Carrier>, kept: KeptCopies): void {
  for (const [sample, copies] of more) {
    const known = carriers.get(sample);
    if (known === undefined || (kept === 'largest' && copies > known)) carriers.set(sample, copies);
  }
}

/** Alternate alleles called over all carriers. */
export function callsOf(carriers: Carriers): number {
  let calls = 0;
  for (const copies of carriers.values()) calls += copies;
  return calls;
}
