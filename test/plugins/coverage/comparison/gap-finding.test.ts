/** Which kind a low-coverage region is: a table of evidence, and the words of the definitions. */
import { expect } from 'chai';
import { type GapEvidence, type GapKind, gapFinding } from '../../../../plugins/coverage/cohorts/target-comparison.js';

const poorAssay = { own: 0.8, median: 0.94, low: 0.7 };
const soundAssay = { median: 1, low: 0.98 };

const table: readonly [string, GapEvidence, GapKind, boolean][] = [
  ['nothing is known', {}, 'unknown', false],
  ['the median of the assay is below 95 %', { completeness: poorAssay }, 'assay', true],
  ['a median of 95 % is not poor', { completeness: { own: 0.94, median: 0.95, low: 0.9 } }, 'usual', false],
  ['below the 5th percentile', { completeness: { own: 0.97, ...soundAssay } }, 'sample', false],
  ['at the 5th percentile', { completeness: { own: 0.98, ...soundAssay } }, 'usual', false],
  [
    'an outlier that no other shares',
    { depth: { ratio: 0.05, z: -14, others: 0 }, completeness: { own: 0, ...soundAssay } },
    'possible-deletion',
    false,
  ],
  [
    'an outlier where the assay is poor: a deletion may hide there',
    { depth: { ratio: 0.05, z: -4, others: 0 }, completeness: poorAssay },
    'possible-deletion',
    true,
  ],
  ['an outlier among few samples', { depth: { ratio: 0.5, z: -4, others: 0 } }, 'possible-deletion', false],
  [
    'an outlier that another shares',
    { depth: { ratio: 0.05, z: -14, others: 1 }, completeness: { own: 0.99, ...soundAssay } },
    'sample',
    false,
  ],
  ['z of exactly −3', { depth: { ratio: 0.05, z: -3, others: 0 } }, 'unknown', false],
  ['far away, but not low', { depth: { ratio: 0.7, z: -9, others: 0 } }, 'unknown', false],
  ['a MAD of 0', { depth: { ratio: 0, others: 0 } }, 'unknown', false],
];

describe('kinds of low-coverage regions', () => {
  for (const [name, evidence, kind, isUsual] of table) {
    it(`${kind}: ${name}`, () => {
      expect(gapFinding(evidence)).to.deep.equal({ ...evidence, kind, isUsual });
    });
  }
});
