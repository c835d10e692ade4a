/** Regions of the genome within which alleles occur together: for each account, a person counts once in each. */
import type { Contig } from '../domain/allele.js';
import type { AlleleQuery } from '../domain/allele-query.js';

/** Neighbouring stretches of a contig of `stretch` bases each, by number from 0. */
export interface Region {
  contig: Contig;
  /** The first and the last stretch, both included. */
  first: number;
  last: number;
}

/** In bases. Linkage reaches from one stretch to the next as well, see `around`. */
const stretch = 1_000_000;

/** The longest chromosome has 249 million bases. */
const lastStretch = 249;

/** The stretches that a question is about, whatever a dataset has there. */
export function regionOf({ contig, start, end, overlaps }: AlleleQuery): Region {
  const low = Math.max(start?.min ?? 0, overlaps?.start ?? 0);
  const high = Math.min(...[start?.max, end?.max, overlaps?.end].map((one) => one ?? Number.POSITIVE_INFINITY));
  const first = stretchAt(low);
  return { contig, first, last: Math.max(first, stretchAt(high)) };
}

function stretchAt(position: number): number {
  return Math.min(lastStretch, Math.max(0, Math.floor(position / stretch)));
}

/** With the stretch before and the one after: whoever was consulted in one of them does not count. */
export function around({ contig, first, last }: Region): Region {
  return { contig, first: first - 1, last: last + 1 };
}

/** The numbers of its stretches. */
export function stretchNumbers({ first, last }: Region): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
