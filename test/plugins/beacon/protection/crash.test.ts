/** A publication killed at a step: answers are as before or as after, nobody who is to leave is lost sight of, and it can be run again. */
import { expect } from 'chai';
import { tokens } from '../../../../core/auth/contract.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Storage } from '../../../../core/storage.js';
import {
  type BeaconRepository,
  beacon,
  beaconGenes,
  beaconProtection,
  type ProtectionRepository,
} from '../../../../plugins/beacon/contract.js';
import { command } from '../../../support/command.js';
import { useFolder } from '../../../support/folder.js';
import { killedAt, steps, thorough } from '../../../support/steps.js';
import { type Home, storages } from '../../../support/storages.js';
import { beaconBin } from '../../../support/trefoil.js';
import { dataset, load } from '../support/serve.js';
import { vcf } from '../support/vcf.js';

const removing = [...steps.load.slice(0, -1), ...steps.removal, ...steps.publish.slice(2), ...steps.sweep];
/** The suite kills it once the alleles of those who leave are removed, and their names are published still. */
const tried = thorough ? removing : ['beacon.publish.committed'];

for (const engine of storages) {
  describe(`beacon: a publication killed at a step (${engine.name})`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    let repository: BeaconRepository;
    let protection: ProtectionRepository;

    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([erasures, jobs, tokens, beacon, beaconGenes, beaconProtection]);
      await storage.migrate();
      repository = storage.repository(beacon);
      protection = storage.repository(beaconProtection);
      await repository.addDataset(dataset('ds'), new Date());
      const records = ['1 1 . A C . . . GT 0/1 0/1 0/0', '1 2 . A C . . . GT 1/1 0/0 0/1'];
      await load(repository, 'ds', [await folder.write('all.vcf', vcf({ samples: ['a', 'b', 'c'], records }))]);
      const { created = new Date() } = (await repository.dataset('ds')) ?? {};
      // c is new, a is to leave.
      const published = { dataset: 'ds', created, samples: ['a', 'b'], totals: { alleles: 2, calls: 4, samples: 2 } };
      await protection.publish(published, new Date());
      await protection.withdraw('ds', ['a']);
      const settings = { protection: { default: 'careful' } };
      await folder.write('trefoil.yaml', JSON.stringify({ storage: home.section, plugins: { beacon: settings } }));
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    const publish = (how: Partial<ReturnType<typeof killedAt>> = {}) =>
      command(['publish', 'dataset', '--ds', 'ds', '--now', '--yes', '--config', 'trefoil.yaml'], {
        ...{ cwd: folder.path(), script: beaconBin },
        ...how,
      });

    for (const step of tried) {
      it(step, async () => {
        const killed = await publish(killedAt(step));
        expect(killed.signal, killed.stdout + killed.stderr).to.equal('SIGKILL');
        expect((await protection.published('ds'))?.samples).to.deep.equal(['a', 'b']);
        expect(await protection.leaving('ds')).to.deep.equal(['a']);
        expect([
          ['a', 'b', 'c'],
          ['b', 'c'],
        ]).to.deep.include(await repository.samples('ds'));

        const { code, stderr } = await publish();
        expect(code, stderr).to.equal(0);
        expect((await protection.published('ds'))?.samples).to.deep.equal(['b', 'c']);
        expect(await protection.leaving('ds')).to.deep.equal([]);
        expect(await repository.samples('ds')).to.deep.equal(['b', 'c']);
        const [publication] = await protection.publications();
        expect(publication?.totals).to.deep.equal({ alleles: 2, calls: 2, samples: 2 });
        expect(
          (await command(['verify', '--config', 'trefoil.yaml'], { cwd: folder.path(), script: beaconBin })).code,
        ).to.equal(0);
      });
    }
  });
}
