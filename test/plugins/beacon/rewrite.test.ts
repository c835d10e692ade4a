/** Data stored by release 0.1, on a server of this release: found in the current form, then rewritten by a job. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Contract, Storage } from '../../../core/storage.js';
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { command } from '../../support/command.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { runSql } from '../../support/sql.js';
import { type Home, storages } from '../../support/storages.js';
import { beaconBin } from '../../support/trefoil.js';
import { dataset, load, post, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';

/** In a: a record of several alternates, and one with `<NON_REF>`; the first allele again in another load of a. */
const files = [
  vcf({ samples: ['a'], records: ['1 41 . T C . . . GT 0/1', '1 101 . A G . . . GT 1/1'] }),
  vcf({ samples: ['a', 'b'], records: ['1 61 . G T . . . GT 0/1 0/1', '1 201 . A C . . . GT 0/1 1/1'] }),
];
const asWritten = [
  "update beacon_alleles set stop = 43, reference = 'TCC', alternate = 'CCC', kind = 'MNP' where start = 40",
  "update beacon_alleles set kind = 'BND', structural = 1 where start = 100",
];

const asked = { referenceName: '1', assemblyId: 'GRCh37', datasetIds: ['ds'], includeDatasetResponses: 'ALL' };
const questions = [
  { start: 40, referenceBases: 'TCC', alternateBases: 'CCC' },
  { start: 40, referenceBases: 'T', alternateBases: 'C' },
  { start: 100, referenceBases: 'A', variantType: 'SNP' },
];

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: data of release 0.1 on ${engine.name}`, function () {
    this.timeout(60_000);
    const folder = useFolder();
    let home: Home;
    beforeEach(async () => {
      home = await engine.home();
    });

    async function stored(contracts: readonly Contract[]): Promise<Storage> {
      const storage = await home.open(contracts);
      await storage.migrate();
      const repository = storage.repository(beacon);
      await repository.addDataset(dataset('ds'), new Date());
      for (const [i, text] of files.entries()) {
        await load(repository, 'ds', [await folder.write(`${i}.vcf`, text)]);
      }
      await storage.downgrade?.('0.1.0', { trial: false });
      await runSql(home.section, asWritten);
      await storage.migrate();
      return storage;
    }

    async function isFound(url: string): Promise<void> {
      for (const question of questions) {
        const { body } = await post(url, { ...asked, ...question });
        expect(body.exists, JSON.stringify(question)).to.equal(true);
      }
      const { body } = await post(url, { ...asked, start: 100, referenceBases: 'A', variantType: 'BND' });
      expect(body.exists, 'a breakend').to.equal(false);
    }

    it('are found in the current form before and after a job rewrites them', async () => {
      const server = await serveBeacon({
        name: engine.name,
        capabilities: engine.capabilities,
        open: async (contracts) => ({ storage: await stored(contracts), discard: home.discard }),
      });
      try {
        const { repository } = server;
        expect(await repository.outdated()).to.deep.equal(['ds']);
        await isFound(server.url);
        server.startJobs();
        while ((await repository.outdated()).length > 0) await sleep(20);
        await isFound(server.url);
        // T>C and A>G of a, G>T of a and b, A>C of a and of b twice.
        expect(await repository.recount('ds')).to.deep.equal({ alleles: 4, calls: 8, samples: 2 });
        expect(server.log()).to.include('rewriting of data of an earlier release completed');
      } finally {
        await server.close();
      }
    });

    it('are reported by verify, and rewritten by verify --mend', async () => {
      const storage = await stored([beacon]);
      const repository: BeaconRepository = storage.repository(beacon);
      try {
        await folder.write('trefoil.yaml', JSON.stringify({ storage: home.section, plugins: { beacon: {} } }));
        const run = (...words: string[]) =>
          command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path(), script: beaconBin });
        // The tables of the other contracts.
        await command(['migrate', '--config', 'trefoil.yaml'], { cwd: folder.path() });
        const named = await run('verify');
        expect(named.code, named.stderr).to.equal(0);
        expect(named.stderr).to.include('An earlier release stored dataset ds in another form');
        expect(await repository.outdated()).to.deep.equal(['ds']);
        const mended = await run('verify', '--mend');
        expect(mended.code, mended.stderr).to.equal(0);
        expect(mended.stdout).to.include('ds: right');
        expect(await repository.outdated()).to.deep.equal([]);
        expect((await run('verify')).stderr).to.not.include('earlier release');
      } finally {
        await storage.close();
        await home.discard();
      }
    });
  });
}
