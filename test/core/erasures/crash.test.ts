/** Erasures killed at each step: the same command, or the replay of the list, erases what is left. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Storage } from '../../../core/storage.js';
import { useFolder } from '../../support/folder.js';
import { killedAt, steps, thorough } from '../../support/steps.js';
import { type Home, storages } from '../../support/storages.js';
import { trefoil } from '../../support/trefoil.js';
import { configurationOf, none, openWithBoth, personId, savePerson, tracesOf, whole } from './people.js';

const within = ['beacon.remove.copied', 'coverage.unregister.removed', 'matchmaker.erase.removed'];

for (const engine of thorough ? storages : storages.slice(0, 1)) {
  describe(`an erasure in all plugins killed at a step on ${engine.name}`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    beforeEach(async () => {
      ({ home, storage } = await openWithBoth(engine));
      await folder.write('trefoil.yaml', configurationOf(home, { erasures: { file: join(folder.path(), 'list') } }));
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    const run = (words: string[], how: Partial<ReturnType<typeof killedAt>> = {}) =>
      trefoil([...words, '--config', 'trefoil.yaml'], { cwd: folder.path(), ...how });
    const erase = (how?: Partial<ReturnType<typeof killedAt>>) => run(['erase', '--sample', personId, '--yes'], how);
    const replay = (how?: Partial<ReturnType<typeof killedAt>>) => run(['erase', '--replay'], how);

    for (const step of thorough ? [...steps.eraseAll, ...within] : steps.eraseAll.slice(0, 1)) {
      for (const [name, again] of [['repeated', erase] as const, ['replayed', replay] as const].slice(
        thorough ? 0 : 1,
      )) {
        it(`${step}, then ${name}`, async () => {
          const killed = await erase(killedAt(step));
          expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
          if (step === 'core.erase.listed') expect(await tracesOf(storage)).to.deep.equal(whole);
          const done = await again();
          expect(done.code, done.stderr).to.equal(0);
          expect(await tracesOf(storage)).to.deep.equal(none);
        });
      }
    }

    for (const step of thorough ? steps.list : steps.list.slice(0, 2)) {
      it(`${step}: the list holds up nobody, and the erasure is completed`, async () => {
        const killed = await erase(killedAt(step));
        expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
        expect(await tracesOf(storage)).to.deep.equal(whole);
        const checked = await run(['check']);
        expect(checked.code, checked.stderr).to.equal(0);
        const replayed = await replay();
        expect(replayed.code, replayed.stderr).to.equal(0);
        expect(await tracesOf(storage)).to.deep.equal(none);
        const done = await erase();
        expect(done.code, done.stderr).to.equal(0);
        expect(await tracesOf(storage)).to.deep.equal(none);
        expect((await readdir(folder.path())).toSorted()).to.deep.equal(['list', 'list.key', 'trefoil.yaml']);
      });
    }

    for (const step of thorough ? steps.replay : []) {
      it(`${step}, then replayed`, async () => {
        expect((await erase()).code).to.equal(0);
        await savePerson(storage);
        const killed = await replay(killedAt(step));
        expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
        const done = await replay();
        expect(done.code, done.stderr).to.equal(0);
        expect(await tracesOf(storage)).to.deep.equal(none);
      });
    }
  });
}
