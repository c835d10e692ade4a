/** Coverage files of made-up people, whose covered bases are known by hand. */
import type { RunBlock } from '../../../../plugins/coverage/contract.js';
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

/** Bases [start, end) of one depth class. */
export interface ClassRun {
  start: number;
  end: number;
  depthClass: number;
}

/** The runs of a block that was written for this number of thresholds. */
export function runsOfBlock({ start: first, content }: RunBlock, thresholds: number): ClassRun[] {
  const runs: ClassRun[] = [];
  const classes = thresholds + 1;
  let [start, code, factor] = [first, 0, 1];
  for (const byte of content) {
    code += (byte & 127) * factor;
    factor *= 128;
    if (byte >= 128) continue;
    const end = start + Math.floor(code / classes);
    runs.push({ start, end, depthClass: code % classes });
    [start, code, factor] = [end, 0, 1];
  }
  return runs;
}
