/** Counts as text. */
import type { Change } from '../contract.js';

/** `1 allele, 2 calls, 0 samples`. */
export function inWords({ alleles, calls, samples }: Change): string {
  return [many(alleles, 'allele'), many(calls, 'call'), many(samples, 'sample')].join(', ');
}

export function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
