/** Commands of the coverage plugin as processes, on a storage of each test's own; some are killed at a step. */
import { expect } from 'chai';
import { tokens } from '../../../../core/auth/contract.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Storage } from '../../../../core/storage.js';
import {
  coverage,
  coverageCohorts,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from '../../../../plugins/coverage/contract.js';
import { command } from '../../../support/command.js';
import { useFolder } from '../../../support/folder.js';
import { killedAt } from '../../../support/steps.js';
import type { Home, StorageEngine } from '../../../support/storages.js';
import type { Outcome } from '../../../support/trefoil.js';

/** What a server with the coverage plugin and its default settings stores. */
export const contracts = [
  erasures,
  jobs,
  tokens,
  coverage,
  coverageSamples,
  coverageTracks,
  coverageCohorts,
  coverageSites,
];

export interface Commands {
  folder: ReturnType<typeof useFolder>;
  /** The storage of the current test. */
  storage(): Storage;
  run(words: readonly string[]): Promise<Outcome>;
  /** Fails unless the command was killed at the step. */
  runKilled(step: string, words: readonly string[]): Promise<void>;
}

/** Each test gets an empty storage and a configuration; `settings` are those of the plugin. */
export function useCommands(engine: StorageEngine, settings: (folder: string) => object = () => ({})): Commands {
  const folder = useFolder();
  let home: Home;
  let opened: Storage;

  beforeEach(async () => {
    home = await engine.home(contracts);
    opened = await home.open(contracts);
    const configuration = { storage: home.section, plugins: { coverage: settings(folder.path()) } };
    await folder.write('trefoil.yaml', JSON.stringify(configuration));
  });
  afterEach(async () => {
    await opened.close();
    await home.discard();
  });

  const run = (words: readonly string[], how: Partial<ReturnType<typeof killedAt>> = {}) =>
    command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path(), ...how });
  return {
    folder,
    storage: () => opened,
    run: (words) => run(words),
    async runKilled(step, words) {
      const { signal, stdout, stderr } = await run(words, killedAt(step));
      expect(signal, stdout + stderr).to.equal('SIGKILL');
    },
  };
}
