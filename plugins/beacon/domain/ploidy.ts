/** How many copies of a place a person has. */
import { pseudoautosomal } from '../../../core/genome.js';
import type { Assembly, Contig } from './allele.js';
import type { Sex } from './sample.js';

/**
 * Copies of the base at a zero-based position: two of autosomes and the pseudo-autosomal regions; of the rest of X one in
 * males, of Y one in males and none in females; one of MT. An unknown sex counts as two copies of X and one of Y.
 */
export function ploidyAt(assembly: Assembly, contig: Contig, start: number, sex: Sex): 0 | 1 | 2 {
  if (contig === 'MT') return 1;
  if (!isSexSpecific(assembly, contig, start)) return 2;
  if (contig === 'Y') return sex === 'female' ? 0 : 1;
  return sex === 'male' ? 1 : 2;
}

/** Whether a place lies on X or Y outside the pseudo-autosomal regions. */
export function isSexSpecific(assembly: Assembly, contig: Contig, start: number): boolean {
  if (contig !== 'X' && contig !== 'Y') return false;
  return !pseudoautosomal[assembly].some((par) => par.chromosome === contig && par.start <= start && start < par.end);
}
