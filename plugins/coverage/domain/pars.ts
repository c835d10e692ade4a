/** The pseudo-autosomal regions of X and Y: both sexes have two copies of them. */
import { type GenomeRegion, pseudoautosomal } from '../../../core/genome.js';
import type { Build } from '../contract.js';
import type { Region } from './region.js';

/** A chromosome of this length without its PARs; all of it if the build is unknown. */
export function withoutPars(chromosome: 'X' | 'Y', size: number, build: Build | undefined): Region[] {
  const left: Region[] = [];
  let at = 0;
  for (const par of build === undefined ? [] : parsOf(build, chromosome)) {
    if (at < Math.min(par.start, size)) left.push({ chromosome, start: at, end: Math.min(par.start, size) });
    at = par.end;
  }
  if (at < size) left.push({ chromosome, start: at, end: size });
  return left;
}

/** Where the pseudoautosomal bases of regions of X are on Y; regions of other chromosomes have none. */
export function pseudoautosomalCopies(build: Build, regions: readonly Region[]): Region[] {
  const copies = parsOf(build, 'Y');
  return regions.flatMap(({ chromosome, start, end }) =>
    chromosome !== 'X'
      ? []
      : parsOf(build, 'X').flatMap((par, i) => {
          const [from, to] = [Math.max(start, par.start), Math.min(end, par.end)];
          const shift = (copies[i]?.start ?? 0) - par.start;
          return from < to ? [{ chromosome: 'Y', start: from + shift, end: to + shift }] : [];
        }),
  );
}

/** In the order of the chromosome: the first, then the second. */
function parsOf(build: Build, chromosome: 'X' | 'Y'): GenomeRegion[] {
  return pseudoautosomal[build].filter((par) => par.chromosome === chromosome);
}
