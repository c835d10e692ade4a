/** Where a sample has as many copies as any other, and where that depends on its sex chromosomes. */
import { pseudoautosomal } from '../../../core/genome.js';
import type { Build } from '../contract.js';
import type { Region } from '../domain/region.js';

/** Whether some base is on X or Y outside the pseudoautosomal regions: only samples with the same sex chromosomes compare there. */
export function dependsOnSex(regions: readonly Region[], build: Build): boolean {
  return regions.some(({ chromosome, start, end }) => {
    if (chromosome !== 'X' && chromosome !== 'Y') return false;
    return !pseudoautosomal[build].some((par) => par.chromosome === chromosome && par.start <= start && end <= par.end);
  });
}
