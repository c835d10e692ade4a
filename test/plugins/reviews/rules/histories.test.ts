/** Random histories on all engines: runs over what changes touch, one whole run, and the model agree; and what is decided stays. */
import assert from 'node:assert/strict';
import type { Storage } from '../../../../core/storage.js';
import {
  type CaseFinding,
  type ReviewRepository,
  reviews,
  type Statement,
} from '../../../../plugins/reviews/contract.js';
import type { Gather } from '../../../../plugins/reviews/evidence/evidence.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { type RunTools, run } from '../../../../plugins/reviews/run/run.js';
import { memorySubject } from '../../../kit/memory.js';
import { storages } from '../../../support/storages.js';
import { nameOf, withoutRow } from './compared.js';
import { expectedFindings } from './model.js';
import {
  changes,
  commonOf,
  copyOf,
  evidenceOf,
  noGenes,
  pick,
  randomOf,
  randomWorld,
  statementOf,
  type World,
  type WorldCase,
} from './world.js';

const seeds = Number(process.env.TEST_SEEDS ?? 4);
const signal = new AbortController().signal;

/** Runs over a world; time goes on with each look at the clock. Of what changed they are told as `gatherer` does. */
function toolsOf(repository: ReviewRepository, world: () => World, clock: () => Date): RunTools {
  const known = new Map<string, string>();
  const takeChanged = async () => {
    const taken = world().cases.filter((one) => known.get(one.name) !== textOf(world(), one));
    for (const one of taken) known.set(one.name, textOf(world(), one));
    const names = new Set(taken.map(({ name }) => name));
    return {
      has: (statement: Statement) => names.has(statement.case),
      giveBack() {
        for (const name of names) known.delete(name);
      },
    };
  };
  return {
    ...noGenes,
    repository,
    rules: defaultRules,
    guard: { share: 1, least: Number.POSITIVE_INFINITY },
    now: clock,
    gather: () => {
      const gather: Gather = async (statements) => {
        const now = world();
        return statements.map((statement) => {
          const one = now.cases.find(({ name }) => name === statement.case) as WorldCase;
          return { evidence: evidenceOf(now, one), common: commonOf(now) };
        });
      };
      return Object.assign(gather, { takeChanged });
    },
  };
}

function textOf(world: World, one: WorldCase): string {
  return JSON.stringify(evidenceOf(world, one), (_, value) => (value instanceof Map ? [...value] : value));
}

async function all(repository: ReviewRepository): Promise<CaseFinding[]> {
  return (await repository.findings({ limit: 10_000 })).filter(({ state }) => state !== 'gone');
}

const named = (found: readonly CaseFinding[], name: string) =>
  found
    .filter((one) => one.case === name)
    .map(nameOf)
    .sort();

type Opened = { storage: Storage; close(): Promise<void> };
const engines: readonly { name: string; open(): Promise<Opened> }[] = [
  {
    name: 'memory',
    async open() {
      const { storage } = await memorySubject.open([reviews]);
      await storage.migrate();
      return { storage, close: () => storage.close() };
    },
  },
  ...storages.map(({ name, open }) => ({ name, open: () => open([reviews]) })),
];

for (const engine of engines)
  describe(`runs of reviews on ${engine.name}`, function () {
    this.timeout(200_000);

    it('agree with one whole run and with the model, whatever happens', async () => {
      for (let seed = 1; seed <= seeds; seed++) {
        const [partly, whole] = [await engine.open(), await engine.open()];
        try {
          await history(seed, partly.storage.repository(reviews), whole.storage.repository(reviews));
        } finally {
          await Promise.all([partly.close(), whole.close()]);
        }
      }
    });
  });

async function history(seed: number, partly: ReviewRepository, whole: ReviewRepository): Promise<void> {
  const random = randomOf(7000 + seed);
  const world = randomWorld(random, 5);
  let moment = Date.parse('2026-02-01T00:00:00Z');
  const clock = () => {
    moment += 1000;
    return new Date(moment);
  };
  const tools = toolsOf(partly, () => world, clock);
  const atOnce = toolsOf(whole, () => world, clock);
  /** The world when each case was entered. */
  const entered = new Map<string, World>();
  const decided = new Map<string, string>();

  const enter = async (one: WorldCase, revision: number) => {
    entered.set(one.name, copyOf(world));
    const { stored: _, isLookedAt: __, ...statement } = { ...statementOf(world, one), revision };
    for (const tool of [tools, atOnce]) {
      await tool.repository.put(statement, clock());
      await run(tool, { case: { case: one.name } }, { signal });
    }
  };

  for (const one of world.cases) await enter(one, 1);
  for (let turn = 0; turn < 6; turn++) {
    // Calls change last, in a run that ends: nothing else makes good what it left.
    const isLast = turn === 5;
    const what = isLast ? 'calls' : pick(random, Object.keys(changes));
    const samples = changes[what]?.(world, random) ?? 'all';
    const isOfCalls = what === 'calls' || what === 'observations' || what === 'terms';
    const scope = isOfCalls ? { changed: true as const } : samples === 'all' ? {} : { touched: { samples } };
    // Two servers may run at once, and a run may end in the middle.
    const how = isLast ? 0.5 : random();
    if (how < 0.3) await Promise.all([run(tools, scope, { signal }), run(tools, scope, { signal })]);
    else if (how < 0.6) {
      const failing = {
        ...tools,
        repository: failingOnce(partly, isLast ? 0 : Math.floor(random() * 3), random() < 0.5),
      };
      await run(failing, scope, { signal }).catch(() => {});
      await run(tools, scope, { signal });
    } else await run(tools, scope, { signal });

    const found = await all(partly);
    const open = found.filter(({ state }) => state === 'open');
    if (open.length > 0 && random() < 0.8) {
      const { id, revision, rests } = pick(random, open);
      const decision = { outcome: 'no change', reason: 'r', by: 'b', at: clock() } as const;
      assert.equal(await partly.decide('finding', id, revision, decision), true);
      decided.set(id, rests);
    }
    if (random() < 0.2) {
      const one = pick(random, world.cases);
      const known = await partly.find({ case: one.name });
      one.version = world.versions.length - 1;
      await enter(one, (known?.revision ?? 0) + 1);
    }
  }
  await run(tools, { touched: { samples: [] } }, { signal });
  await run(atOnce, {}, { signal });

  const [parts, once] = [await all(partly), await all(whole)];
  const about = ({ id, rests, priority, evidence }: CaseFinding) => JSON.stringify([id, rests, priority, evidence]);
  assert.deepEqual(parts.map(about).sort(), once.map(about).sort(), `seed ${seed}`);
  for (const one of world.cases) {
    const then = entered.get(one.name) as World;
    const expected = [...expectedFindings(then, world, one)].map(withoutRow).sort();
    assert.deepEqual(named(parts, one.name), expected, `seed ${seed}, ${one.name}`);
  }
  for (const { id, rests, state } of parts)
    if (decided.has(id)) assert.equal(state, decided.get(id) === rests ? 'decided' : 'open', `seed ${seed}, ${id}`);
}

/** Ends a change after so many others with an error, before or after it was made. */
function failingOnce(repository: ReviewRepository, after: number, isBefore: boolean): ReviewRepository {
  let left = after;
  return {
    ...repository,
    async replaceFindings(cases, at) {
      const isNow = left-- === 0;
      if (isNow && isBefore) throw new Error('ended');
      const result = await repository.replaceFindings(cases, at);
      if (isNow) throw new Error('ended');
      return result;
    },
  };
}
