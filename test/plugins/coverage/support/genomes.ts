/** Made-up whole genomes with any number of sex chromosomes. */
import { type Contig, contigs, lengthOf } from '../../../../core/genome.js';
import type { Build } from '../../../../plugins/coverage/contract.js';
import { type Run, writeD4 } from './d4.js';

/** First and last base, as published: pseudoautosomal, X-transposed; palindromes and arrays of Y. */
const odd: Record<Build, Record<'X' | 'Y', [number, number][]>> = {
  GRCh37: {
    X: [
      [60001, 2699520],
      [88395831, 92583067],
      [154931044, 155260560],
    ],
    Y: [
      [10001, 2649520],
      [2918086, 6616754],
      [19568147, 21032220],
      [59034050, 59363566],
    ],
  },
  GRCh38: {
    X: [
      [10001, 2781479],
      [89140831, 93328068],
      [155701383, 156030895],
    ],
    Y: [
      [10001, 2781479],
      [3050045, 6235111],
      [17456267, 18870334],
      [56887903, 57217415],
    ],
  },
};

/** A whole genome of 30x with these depths on X and Y; 100x where reads of other places map. */
export function genome(
  path: string,
  build: Build,
  x: number,
  y: number,
  change: { depth?: number; names?: readonly Contig[]; mt?: number } = {},
) {
  const { depth = 30, names = contigs.slice(0, 22), mt = 0 } = change;
  const chromosomes = [...names, 'X' as const, 'Y' as const, 'MT' as const].map((name) => ({
    name,
    size: lengthOf(build, name),
  }));
  const runs: Run[] = names.map((name) => ({ chromosome: name, begin: 0, end: lengthOf(build, name), depth }));
  for (const [name, own] of [
    ['X', x],
    ['Y', y],
  ] as const) {
    let at = 0;
    for (const [first, last] of odd[build][name]) {
      runs.push({ chromosome: name, begin: at, end: first - 1, depth: own });
      runs.push({ chromosome: name, begin: first - 1, end: last, depth: 100 });
      at = last;
    }
  }
  if (mt > 0) runs.push({ chromosome: 'MT', begin: 0, end: 16569, depth: mt });
  return writeD4(path, { chromosomes, runs: runs.filter(({ begin, end, depth: own }) => end > begin && own > 0) });
}
