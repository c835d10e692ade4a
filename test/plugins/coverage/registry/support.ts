/** Coverage files of made-up people, whose covered bases are known by hand. */
import { chromosomesOf, type Run, writeD4 } from '../support/d4.js';

/** Bases of 1 and X that `person` covers at 10x, and of those at 20x. */
export const coveredAt10 = 1_000_000 + 5_000 + 50_000_000;
export const coveredAt20 = 5_000;

/**
 * 1:1,000,000-2,000,000 has 12x and 1:3,000,000-3,005,000 has 25x; X:20,000,000-70,000,000 has 15x, and Y half of that in a male.
 */
export function person(
  path: string,
  sex: 'female' | 'male',
  change: { depth?: number; build?: 'GRCh37' } = {},
): string {
  const runs: Run[] = [
    { chromosome: '1', begin: 1_000_000, end: 2_000_000, depth: change.depth ?? 12 },
    { chromosome: '1', begin: 3_000_000, end: 3_005_000, depth: 25 },
    { chromosome: 'X', begin: 20_000_000, end: 70_000_000, depth: 15 },
    ...(sex === 'male' ? [{ chromosome: 'Y', begin: 5_000_000, end: 25_000_000, depth: 7 }] : []),
  ];
  return writeD4(path, { chromosomes: chromosomesOf(change.build ?? 'GRCh38', { prefix: true }), runs: named(runs) });
}

function named(runs: readonly Run[]): Run[] {
  return runs.map((run) => ({ ...run, chromosome: `chr${run.chromosome}` }));
}
