/** Datasets of a few variants, to be counted by hand. Positions are zero-based. */
import { breakend, called, load, small, structural } from '../../../conformance/beacon/build.js';
import type { Beacon } from '../support/serve.js';
import { dataset } from '../support/serve.js';

const then = new Date('2026-01-15T08:00:00.000Z');

const snv = small('17', 1000, 'G', 'A');
const neighbour = small('17', 1001, 'C', 'T');
const insertion = small('17', 2000, 'A', 'AT');
const deletion = small('17', 3000, 'CTT', 'C');
const pair = small('17', 4000, 'AC', 'TT');
/** 1,000 bases after the base at 4999, with ends that its record leaves open. */
const duplication = {
  ...structural('17', 4999, 6000, 'DUP'),
  startRange: { min: 4949, max: 5049 },
  endRange: { min: 5990, max: 6010 },
};
/** 2,000 bases. */
const loss = structural('17', 6999, 9000, 'DEL');
const here = breakend('17', 10_000, 'G]2:321682]', '2', 321_681);
const there = breakend('2', 321_681, 'A]17:10001]', '17', 10_000, 'A');
export const secret = small('17', 1500, 'T', 'C');

/**
 * In GRCh38: `alpha` has all but the neighbour and the secret (8 alleles), `beta` the SNV and its neighbour, `gamma` (controlled)
 * the SNV and the secret. In GRCh37: `old` has the SNV.
 */
export async function fill({ repository }: Pick<Beacon, 'repository'>): Promise<void> {
  const grch38 = { assembly: 'GRCh38' } as const;
  await repository.addDataset(dataset('alpha', grch38), then);
  await repository.addDataset(dataset('beta', grch38), then);
  await repository.addDataset(dataset('gamma', { ...grch38, access: 'CONTROLLED' }), then);
  await repository.addDataset(dataset('old'), then);
  const rest = [insertion, deletion, pair, duplication, loss, here, there].map((allele) => called(allele, [0, 1]));
  await load(repository, 'alpha', ['a1', 'a2'], [called(snv, [0, 1], [1, 2]), ...rest]);
  await load(repository, 'beta', ['b1'], [called(snv, [0, 1]), called(neighbour, [0, 1])]);
  await load(repository, 'gamma', ['g1'], [called(snv, [0, 1]), called(secret, [0, 1])]);
  await load(repository, 'old', ['o1'], [called(snv, [0, 1])]);
}
