/** Samples loaded one by one are merged by a server's job, which changes nothing that is seen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Storage } from '../../../core/storage.js';
import {
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
} from '../../../plugins/beacon/contract.js';
import { contents, imports, published, small } from '../../crash/changes/beacon.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { type Home, storages } from '../../support/storages.js';
import { dataset, load, post, serveBeacon } from './support/serve.js';
import { until } from './support/write.js';

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: merging of small imports on ${engine.name}`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    let repository: BeaconRepository;
    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([erasures, jobs, tokens, beacon, beaconGenes, beaconDepths, beaconConsequences]);
      await storage.migrate();
      repository = storage.repository(beacon);
      await repository.addDataset(dataset('ds'), new Date());
      for (let n = 0; n < imports; n++) await load(repository, 'ds', [await folder.write(`${n}.vcf`, small(n))]);
    });

    it('is done by a job, while queries get the same responses', async () => {
      const server = await serveBeacon({
        name: engine.name,
        capabilities: engine.capabilities,
        open: async () => ({ storage, discard: home.discard }),
      });
      try {
        const before = await contents({ storage });
        expect(before.recount).to.deep.equal({ alleles: 2 + imports, calls: 4 * imports, samples: imports });
        const ask = async () => {
          const asked = {
            referenceName: '1',
            assemblyId: 'GRCh37',
            datasetIds: ['ds'],
            includeDatasetResponses: 'ALL',
          };
          const { body } = await post(server.url, { ...asked, start: 40, referenceBases: 'T', alternateBases: 'C' });
          return body;
        };
        const response = await ask();
        expect(response.datasetAlleleResponses).to.have.nested.property('[0].sampleCount', imports);
        expect(await repository.fragmented()).to.deep.equal(['ds']);
        server.startJobs();
        while ((await repository.fragmented()).length > 0) {
          expect(await ask()).to.deep.equal(response);
          await sleep(20);
        }
        await until(async () => server.log().includes('merging of small imports completed'));
        expect(await ask()).to.deep.equal(response);
        expect(await contents({ storage })).to.deep.equal(before);
        // Eight in one, and the last.
        expect(await published({ home })).to.equal(2);
      } finally {
        await server.close();
      }
    });
  });
}
