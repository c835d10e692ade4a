/** The pseudo-autosomal regions of X and Y: both sexes have two copies of them. */
import { pseudoautosomal } from '../../../core/genome.js';
import type { Build } from '../contract.js';
import type { Region } from './region.js';

/** A chromosome of this length without its PARs; all of it if the build is unknown. */
export function withoutPars(chromosome: 'X' | 'Y', size: number, build: Build | undefined): Region[] {
  const masked = build === undefined ? [] : pseudoautosomal[build].filter((par) => par.chromosome === chromosome);
  const left: Region[] = [];
  let at = 0;
  for (const par of masked) {
    if (at < Math.min(par.start, size)) left.push({ chromosome, start: at, end: Math.min(par.start, size) });
    at = par.end;
  }
  if (at < size) left.push({ chromosome, start: at, end: size });
  return left;
}
