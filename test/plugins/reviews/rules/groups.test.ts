/** Rows for many cases: one for each gene or site, assay and release, with the cases behind it. */
import assert from 'node:assert/strict';
import type { Statement } from '../../../../plugins/reviews/contract.js';
import type { CaseEvidence } from '../../../../plugins/reviews/evidence/evidence.js';
import { noBaseline } from '../../../../plugins/reviews/rules/baseline.js';
import { findingsOf } from '../../../../plugins/reviews/rules/findings.js';
import { HoleRows } from '../../../../plugins/reviews/rules/groups.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { situationOf } from '../../../../plugins/reviews/rules/situation.js';
import { evidenceOf, randomOf, randomWorld, statementOf, type WorldCase } from './world.js';

describe('rows of many cases', () => {
  const world = randomWorld(randomOf(3), 3);
  const [one] = world.cases as [WorldCase];
  const entered = (name: string, more: Partial<Statement> = {}): Statement => ({
    ...statementOf(world, one),
    case: name,
    ...more,
  });
  /** Gene 1 has 100 coding bases of which so many are covered. */
  const evidence = (
    covered: number,
    more: Partial<NonNullable<CaseEvidence['coverage']['value']>> = {},
  ): CaseEvidence => ({
    ...evidenceOf(world, one),
    coverage: {
      value: {
        threshold: 20,
        standings: {},
        holes: [],
        genes: new Map([[1, { coding: 100, covered }]]),
        assay: 'WES',
        ...more,
      },
    },
  });
  const version = world.versions.length - 1;

  it('are one for each gene, assay and release, of each owner', () => {
    const rows = new HoleRows();
    for (const [name, covered] of [
      ['a', 94],
      ['b', 50],
      ['c', 95],
    ] as const)
      rows.add(entered(name), evidence(covered));
    rows.add(entered('a', { owner: 'x' }), evidence(10));
    rows.add(entered('d'), evidence(10, { assay: 'WGS' }));
    const shown = rows.rows().map(({ owner, assay, subject, cases, release, panels, evidence: { now } }) => {
      return [owner, assay, subject, cases, release, panels.join(), now.coverage].join(' | ');
    });
    const end = `p@${version} | p |`;
    const one = '% of the coding bases are covered';
    assert.deepEqual(shown.sort(), [
      ` | WES | G1 | 2 | ${end} 50 to 94 ${one}`,
      ` | WGS | G1 | 1 | ${end} 10 ${one}`,
      `x | WES | G1 | 1 | ${end} 10 ${one}`,
    ]);
    assert.equal(new Set(rows.rows().map(({ id }) => id)).size, 3);
    assert.equal(rows.isComplete, true);
  });

  it('are one for each known site, with the release of the sets', () => {
    const rows = new HoleRows();
    const holes = [{ hgnc: 1, chromosome: '1', start: 999, end: 1000, site: 'A>T' } as const];
    for (const name of ['a', 'b']) rows.add(entered(name), evidence(100, { holes }));
    assert.deepEqual(
      rows.rows().map(({ subject, release, cases }) => [subject, release, cases]),
      [['G1 1:1000 A>T', 'ClinVar 1', 2]],
    );
  });

  it('are not complete if the coverage of a case could not be read', () => {
    const rows = new HoleRows();
    rows.add(entered('a'), { ...evidence(1), coverage: { why: 'unavailable' } });
    assert.equal(rows.isComplete, false);
    assert.deepEqual(rows.rows(), []);
  });

  it('leave to the case what is covered since then: neither what overlaps an open exon, nor a site for its exon', () => {
    const statement = entered('a');
    const known = evidence(100);
    const proband = statement.persons.find(({ role }) => role === 'proband')?.sample as string;
    const exon = (hgnc: number, start: number, end: number) => ({ hgnc, chromosome: '1' as const, start, end });
    const baseline = {
      ...{ ...noBaseline, taken: statement.decided, coverage: { [proband]: 'former' } },
      calls: Object.fromEntries([...known.samples].map(([sample, { stamp }]) => [sample, stamp])),
      // Reported: exons of genes 1 and 2, and a site in that of gene 1.
      holes: [exon(1, 100, 200), { ...exon(1, 190, 191), site: 'A>C' }, exon(2, 100, 200)],
    };
    const coverage = { threshold: 20, standings: { [proband]: 'new' }, holes: [exon(1, 180, 250)] };
    const situation = situationOf(statement, baseline, { ...known, coverage: { value: coverage } }, defaultRules);
    const covered = findingsOf(situation).found.find(({ finding }) => finding.reason === 'covered');
    assert.equal(covered?.finding.evidence.now.coverage, 'covered, not yet called: HGNC:1 1:191-191, HGNC:2 1:101-200');
  });
});
