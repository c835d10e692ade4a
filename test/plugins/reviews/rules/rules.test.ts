/** The rules against a model that was written apart from them: each change alone, and many together, in random worlds. */
import assert from 'node:assert/strict';
import type { ComputedFinding } from '../../../../plugins/reviews/contract.js';
import { baselineOf } from '../../../../plugins/reviews/rules/baseline.js';
import { findingsOf } from '../../../../plugins/reviews/rules/findings.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { situationOf } from '../../../../plugins/reviews/rules/situation.js';
import { nameOf, withoutRow } from './compared.js';
import { expectedFindings } from './model.js';
import {
  changes,
  commonOf,
  copyOf,
  evidenceOf,
  randomOf,
  randomWorld,
  statementOf,
  type World,
  type WorldCase,
} from './world.js';

const seeds = Number(process.env.TEST_SEEDS ?? 60);

function computed(then: World, now: World, one: WorldCase): ComputedFinding[] {
  const statement = statementOf(now, one);
  const baseline = baselineOf(statement, evidenceOf(then, one), defaultRules, commonOf(then), new Date(0));
  assert.ok(baseline);
  const situation = situationOf(statement, baseline, evidenceOf(now, one), defaultRules, commonOf(now));
  return findingsOf(situation).found.map(({ finding }) => finding);
}

describe('rules of reviews', function () {
  this.timeout(120_000);
  const counts = new Map<string, number>();

  function compare(then: World, now: World, label: string): void {
    for (const one of now.cases) {
      const expected = [...expectedFindings(then, now, one)].map(withoutRow).sort();
      const found = computed(then, now, one).map(nameOf);
      assert.deepEqual(found.sort(), expected, `${label}, ${one.name}`);
      for (const name of found) {
        const reason = name.split(' ')[0] as string;
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    }
  }

  it('find nothing if nothing changed but versions that were there', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const world = randomWorld(randomOf(seed));
      compare(world, world, `seed ${seed}`);
    }
  });

  for (const [name, change] of Object.entries(changes))
    it(`find what a change of ${name} makes worth a look, and nothing else`, () => {
      for (let seed = 1; seed <= seeds; seed++) {
        const random = randomOf(seed);
        const then = randomWorld(random);
        const now = copyOf(then);
        change(now, random);
        compare(then, now, `seed ${seed}`);
      }
    });

  it('find what many changes together make worth a look, and nothing else', () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const random = randomOf(1000 + seed);
      const then = randomWorld(random);
      const now = copyOf(then);
      for (let turn = 0; turn < 2; turn++)
        for (const change of Object.values(changes)) if (random() < 0.6) change(now, random);
      compare(then, now, `seed ${seed}`);
    }
    const reasons = [
      'panel',
      'raised',
      'lowered',
      'covered',
      'calls',
      'recurrence',
      'common',
      'match',
      'terms',
      'hole',
      'transcript',
    ];
    for (const reason of reasons)
      assert.ok((counts.get(reason) ?? 0) >= 5, `${reason}: ${counts.get(reason) ?? 0} findings`);
  });
});
