/**
 * Routine releases over simulated exomes (exomes.ts says what is assumed): ClinVar, a version of the panel, gene names, and calls of a few
 * samples bring what was planted, and at most one finding more for each 100 open cases.
 */
import assert from 'node:assert/strict';
import { alleleKey, reviews } from '../../../../plugins/reviews/contract.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { guardRules } from '../../../../plugins/reviews/run/guard.js';
import { type RunTools, run } from '../../../../plugins/reviews/run/run.js';
import { memorySubject } from '../../../kit/memory.js';
import { type Exomes, evidenceOf, plantedBefore, routineRelease, simulatedExomes, statementOf } from './exomes.js';
import { noGenes, randomOf } from './world.js';

const signal = new AbortController().signal;
const seeds = Number(process.env.TEST_SEEDS ?? 1);
const cases = Number(process.env.TEST_CASES ?? 200);

/** The findings of a release that were not planted, and the number of open cases. */
async function unplanted(seed: number, genes: number): Promise<{ others: string[]; open: number }> {
  const { storage } = await memorySubject.open([reviews]);
  await storage.migrate();
  const repository = storage.repository(reviews);
  const random = randomOf(seed);
  const exomes: Exomes = simulatedExomes(random, cases, genes, 3);
  const planting = plantedBefore(exomes, random, 2);
  const evidence = (name: string) =>
    evidenceOf(exomes, exomes.families.find((one) => one.name === name) as Exomes['families'][number]);
  const tools: RunTools = {
    ...{ ...noGenes, repository, rules: defaultRules, guard: guardRules, now: () => new Date('2026-02-01T00:00:00Z') },
    gather: () => async (statements) => statements.map((one) => ({ evidence: evidence(one.case), common: {} })),
    // The release merges three genes.
    async genesNow() {
      const merged = exomes.release === 1 ? [] : [1, 2, 3].map((hgnc) => [hgnc, ['NEW']] as const);
      return { names: { release: String(exomes.release), became: new Map(merged) }, transcripts: undefined };
    },
  };
  const watched = exomes.families.slice(0, cases);
  for (const family of watched) await repository.put(statementOf(exomes, family), new Date());
  await run(tools, {}, { signal });
  assert.deepEqual([await repository.findings({ limit: 10 }), await repository.groups({})], [[], []]);

  const planted = [...routineRelease(exomes, random, 3, 2), ...planting.now()].map((one) => one.join(' '));
  const { held } = await run(tools, {}, { signal });
  const found = await repository.findings({ limit: 10_000 });
  const names = found.map((one) => `${one.case} ${one.reason} ${one.allele ? alleleKey(one.allele) : ''}`);
  assert.deepEqual(
    planted.filter((name) => !names.includes(name)),
    [],
    `seed ${seed}: planted, and not found`,
  );
  const open = watched.filter(({ isSolved }) => !isSolved).length;
  const rows = (await repository.groups({})).filter(({ kind }) => kind === 'name');
  assert.deepEqual(
    rows.map((row) => row.cases),
    [open, open, open],
  );
  // Rows are no findings: that they are about all cases holds nothing.
  assert.deepEqual(held, []);
  await storage.close();
  return { others: names.filter((name) => !planted.includes(name)), open };
}

describe('a routine release over simulated exomes', function () {
  this.timeout(3_600_000);

  it('brings what was planted, and at most one finding more for each 100 open cases', async () => {
    const byReason = new Map<string, number>();
    let [all, cases] = [0, 0];
    for (const genes of [100, 300, 500].slice(0, 1 + seeds))
      for (let seed = 1; seed <= seeds; seed++) {
        const { others, open } = await unplanted(100 * seed + genes, genes);
        all += others.length;
        cases += open;
        for (const [, reason = ''] of others.map((name) => name.split(' ')))
          byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
      }
    const said = `${all} findings more in ${cases} open cases: ${JSON.stringify([...byReason])}`;
    if (seeds > 1) console.log(`      ${said}`);
    assert.ok(100 * all <= cases, said);
  });
});
