/** The pseudo-autosomal regions of X and Y: both sexes have two copies of them. */
import type { Build } from '../contract.js';
import type { Region } from './region.js';

/** From the Genome Reference Consortium's assembly reports, zero-based half-open. */
const pars: Readonly<Record<Build, readonly Region[]>> = {
  GRCh37: [
    { chromosome: 'X', start: 60_000, end: 2_699_520 },
    { chromosome: 'X', start: 154_931_043, end: 155_260_560 },
    { chromosome: 'Y', start: 10_000, end: 2_649_520 },
    { chromosome: 'Y', start: 59_034_049, end: 59_363_566 },
  ],
  GRCh38: [
    { chromosome: 'X', start: 10_000, end: 2_781_479 },
    { chromosome: 'X', start: 155_701_382, end: 156_030_895 },
    { chromosome: 'Y', start: 10_000, end: 2_781_479 },
    { chromosome: 'Y', start: 56_887_902, end: 57_217_415 },
  ],
};

/** A chromosome of this length without its PARs; all of it if the build is unknown. */
export function withoutPars(chromosome: 'X' | 'Y', size: number, build: Build | undefined): Region[] {
  const masked = build === undefined ? [] : pars[build].filter((par) => par.chromosome === chromosome);
  const left: Region[] = [];
  let at = 0;
  for (const par of masked) {
    if (at < Math.min(par.start, size)) left.push({ chromosome, start: at, end: Math.min(par.start, size) });
    at = par.end;
  }
  if (at < size) left.push({ chromosome, start: at, end: size });
  return left;
}
