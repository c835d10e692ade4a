/** A run that is killed at any of its steps, and made again, ends as one that was not. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ReviewRepository, reviews } from '../../../../plugins/reviews/contract.js';
import { run } from '../../../../plugins/reviews/run/run.js';
import { memorySubject } from '../../../kit/memory.js';
import { killedAt, steps } from '../../../support/steps.js';
import { storages } from '../../../support/storages.js';
import { enter, toolsOf, worldsOf } from './interrupted.js';

const script = fileURLToPath(new URL('./interrupted.ts', import.meta.url));
const { signal } = new AbortController();
const seed = 11;

async function stateOf(repository: ReviewRepository): Promise<string[]> {
  const findings = await repository.findings({ limit: 10_000 });
  const held = await repository.held();
  return [
    ...findings.map(({ id, state, rests, case: name }) => JSON.stringify([name, id, state, rests])),
    ...held.map(({ id, cases, byReason }) => JSON.stringify([id, cases, byReason])),
  ].sort();
}

for (const engine of storages)
  describe(`a killed run of reviews on ${engine.name}`, function () {
    this.timeout(120_000);
    for (const step of steps.review)
      it(`loses and doubles nothing at ${step}`, async () => {
        const worlds = worldsOf(seed);
        const { storage: whole } = await memorySubject.open([reviews]);
        await whole.migrate();
        await enter(whole.repository(reviews), worlds);
        await run(toolsOf(whole.repository(reviews), worlds.now), {}, { signal });

        const home = await engine.home([reviews]);
        const storage = await home.open([reviews]);
        const repository = storage.repository(reviews);
        await enter(repository, worlds);
        const { node, env } = killedAt(step);
        const child = spawn(
          process.execPath,
          ['--import', 'tsx/esm', ...node, script, JSON.stringify(home.section), String(seed)],
          { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] },
        );
        const [, killed] = await once(child, 'exit');
        assert.equal(killed, 'SIGKILL');
        await run(toolsOf(repository, worlds.now), {}, { signal });
        const state = await stateOf(repository);
        assert.deepEqual(state, await stateOf(whole.repository(reviews)));
        assert.ok(state.length > 10 && (await repository.held()).length > 0);
        await storage.close();
        await home.discard();
        await whole.close();
      });
  });
