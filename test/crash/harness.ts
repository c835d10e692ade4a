/** A change that is killed at each of its steps, and made again: rows of one table, which crash.test.ts runs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Contract, Storage } from '../../core/storage.js';
import { command } from '../support/command.js';
import { killedAt } from '../support/steps.js';
import type { Home, StorageEngine } from '../support/storages.js';
import type { Outcome, RunOptions } from '../support/trefoil.js';

/** How a process is started so that it is killed at a step. */
export type Killed = ReturnType<typeof killedAt>;

export interface Change {
  name: string;
  /** In their order. */
  steps: readonly string[];
  /** How many times each step is tried: at its first arrival alone if omitted. */
  arrivals?: number;
  contracts: readonly Contract[];
  /** The sections of the configuration besides the storage. */
  settings(folder: string): object;
  /** Makes what is there before the change. */
  prepare(place: Place, step: string): Promise<unknown>;
  /** Makes the change, in a process that is killed if it is to be. */
  make(place: Place, killed?: Killed): Promise<Outcome>;
  /** Fails unless what is seen after the kill is right; returns whether nothing is left to do. */
  isDone(place: Place, step: string): Promise<boolean>;
  /** Completes the change, unless it is done; makes it again if omitted. */
  again?(place: Place, step: string): Promise<unknown>;
  /** Fails unless the change is complete. */
  done(place: Place, step: string): Promise<unknown>;
}

/** A storage of a test's own, with a configuration in a folder. */
export interface Place {
  folder: string;
  home: Home;
  storage: Storage;
  write(name: string, text: string): Promise<string>;
  run(words: readonly string[], how?: Partial<RunOptions>): Promise<Outcome>;
  /** Like `run`, for a command that must succeed. */
  done(words: readonly string[], how?: Partial<RunOptions>): Promise<Outcome>;
  close(): Promise<void>;
}

export async function openPlace(
  engine: StorageEngine,
  { contracts, settings }: Pick<Change, 'contracts' | 'settings'>,
): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-crash-'));
  const home = await engine.home(contracts);
  const storage = await home.open(contracts);
  const run: Place['run'] = (words, how) => command([...words, '--config', 'trefoil.yaml'], { cwd: folder, ...how });
  const place: Place = {
    folder,
    home,
    storage,
    async write(name, text) {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    run,
    async done(words, how) {
      const outcome = await run(words, how);
      expect(outcome.code, outcome.stdout + outcome.stderr).to.equal(0);
      return outcome;
    },
    async close() {
      await storage.close();
      await home.discard();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await place.write('trefoil.yaml', JSON.stringify({ storage: home.section, ...settings(folder) }));
  return place;
}

/** Kills the change at the arrival at a step, and completes it; returns whether it was killed. */
export async function crash(engine: StorageEngine, change: Change, step: string, arrival: number): Promise<boolean> {
  const place = await openPlace(engine, change);
  try {
    await change.prepare(place, step);
    const { signal, stdout, stderr } = await change.make(place, killedAt(step, arrival));
    if (arrival === 1) expect(signal, stdout + stderr).to.equal('SIGKILL');
    if (!(await change.isDone(place, step))) {
      if (change.again) await change.again(place, step);
      else {
        const { code, stderr } = await change.make(place);
        expect(code, stderr).to.equal(0);
      }
    }
    await change.done(place, step);
    return signal === 'SIGKILL';
  } finally {
    await place.close();
  }
}
