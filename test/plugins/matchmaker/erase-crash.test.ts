/** Erasures killed at each step: all of the person remains or nothing, and the command can be run again. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures as erasureMemory } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Storage } from '../../../core/storage.js';
import { matchmakerAudit } from '../../../plugins/matchmaker/contract.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { killedAt, steps, thorough } from '../../support/steps.js';
import { type Home, storages } from '../../support/storages.js';
import { type Outcome, trefoil } from '../../support/trefoil.js';
import { addPeer, none, personContracts, personId, savePerson, tracesOf, whole } from './support/person.js';

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: an erasure killed at a step on ${engine.name}`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([erasureMemory, jobs, tokens, ...personContracts]);
      await storage.migrate();
      await addPeer(storage);
      await savePerson(storage);
      const configuration = { migrate: 'auto', demo: false, storage: home.section, plugins: { matchmaker: {} } };
      await folder.write('trefoil.yaml', JSON.stringify(configuration));
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    const erase = (how: Partial<ReturnType<typeof killedAt>> = {}): Promise<Outcome> => {
      const words = ['matchmaker', 'erase', '--patient', personId, '--yes', '--config', 'trefoil.yaml'];
      return trefoil(words, { cwd: folder.path(), ...how });
    };
    const erasures = async () => {
      const entries = await storage.repository(matchmakerAudit).entries({ actor: 'cli', limit: 10 });
      return entries.filter(({ action }) => action === 'erase').length;
    };

    for (const step of thorough ? steps.erase : steps.erase.slice(-2)) {
      it(step, async () => {
        const killed = await erase(killedAt(step));
        expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
        const isErased = step === 'matchmaker.erase.committed';
        expect(await tracesOf(storage)).to.deep.equal(isErased ? none : whole);
        expect(await erasures()).to.equal(isErased ? 1 : 0);

        const again = await erase();
        // No person is left to erase, but traces remain to be cleaned from the files.
        expect(again.code, again.stderr).to.equal(isErased ? 1 : 0);
        if (isErased) expect(again.stderr).to.match(/^trefoil: There is no patient with this id/);
        expect(await tracesOf(storage)).to.deep.equal(none);
        expect(await erasures()).to.equal(1);
        if (engine.adapter === 'sqlite') expect(await inFiles(String(home.section.file))).to.equal(false);
      });
    }
  });
}

/** Returns whether the id occurs in the database file or its log. */
async function inFiles(file: string): Promise<boolean> {
  const names = await readdir(dirname(file));
  const texts = await Promise.all(names.map((name) => readFile(join(dirname(file), name), 'latin1')));
  expect(texts.some((text) => text.includes('matchmaker_patients'))).to.equal(true);
  return texts.some((text) => text.includes(personId));
}
