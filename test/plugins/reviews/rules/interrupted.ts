/** The run that killed.test.ts interrupts, also as a process of its own: `interrupted.ts SECTION SEED`, with a storage section as JSON. */
import postgres from '../../../../adapters/postgres/adapter.js';
import { settings as postgresSettings } from '../../../../adapters/postgres/settings.js';
import sqlite from '../../../../adapters/sqlite/adapter.js';
import { type ReviewRepository, reviews } from '../../../../plugins/reviews/contract.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { type RunTools, run } from '../../../../plugins/reviews/run/run.js';
import { quiet } from '../../../support/storages.js';
import { stores } from '../../../support/stores.js';
import {
  changes,
  commonOf,
  copyOf,
  evidenceOf,
  noGenes,
  randomOf,
  randomWorld,
  statementOf,
  type World,
  type WorldCase,
} from './world.js';

/** The same of a seed in every process. */
export function worldsOf(seed: number): { then: World; now: World } {
  const random = randomOf(seed);
  const then = randomWorld(random, 6);
  const now = copyOf(then);
  for (const change of Object.values(changes)) change(now, random);
  return { then, now };
}

export function toolsOf(repository: ReviewRepository, world: World): RunTools {
  return {
    ...{ ...noGenes, repository, rules: defaultRules, guard: { share: 0.5, least: 1 } },
    now: () => new Date('2026-03-01T00:00:00Z'),
    gather: () => async (statements) => {
      return statements.map((statement) => {
        const one = world.cases.find(({ name }) => name === statement.case) as WorldCase;
        return { evidence: evidenceOf(world, one), common: commonOf(world) };
      });
    },
  };
}

/** Enters all cases; the last one has no baseline yet. */
export async function enter(repository: ReviewRepository, { then }: { then: World }): Promise<void> {
  const { signal } = new AbortController();
  for (const [number, one] of then.cases.entries()) {
    const { stored: _, isLookedAt: __, ...statement } = statementOf(then, one);
    await repository.put(statement, new Date('2026-02-01T00:00:00Z'));
    if (number < then.cases.length - 1) await run(toolsOf(repository, then), { case: statement }, { signal });
  }
}

const [, script, section, seed] = process.argv;
if (script?.endsWith('interrupted.ts') && section !== undefined) {
  const { adapter, ...place } = JSON.parse(section) as { adapter: string; file: string; url: string };
  const request = { contracts: [reviews], bindings: new Map(), stores, log: quiet };
  const storage =
    adapter === 'sqlite'
      ? await sqlite.open({ ...request, settings: { file: place.file, busyTimeout: 15_000 } })
      : await postgres.open({ ...request, settings: postgresSettings.parse({ url: place.url }) });
  const { now } = worldsOf(Number(seed));
  await run(toolsOf(storage.repository(reviews), now), {}, { signal: new AbortController().signal });
  await storage.close();
}
