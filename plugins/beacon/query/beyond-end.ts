/** Positions beyond the end of a chromosome: no error, but mostly a sign of another assembly. */
import { lengthOf } from '../../../core/genome.js';
import type { Chromosome } from './names.js';

const numbers = new Intl.NumberFormat('en');

/** A warning if one of these ends lies beyond; they are zero-based and exclusive. */
export function beyondEnd({ assembly, contig }: Chromosome, parameter: string, ends: readonly number[]): string[] {
  const length = lengthOf(assembly, contig);
  if (ends.every((end) => end <= length)) return [];
  return [
    `${parameter} lies beyond the end of chromosome ${contig} of ${assembly}, which has ${numbers.format(length)} bases`,
  ];
}
