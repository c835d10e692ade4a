/** Samples loaded one by one are merged by a server's job; killed at any step it changes nothing that is seen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Storage } from '../../../core/storage.js';
import { type BeaconRepository, beacon, beaconGenes } from '../../../plugins/beacon/contract.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { selectNumber } from '../../support/sql.js';
import { started } from '../../support/started.js';
import { killedAt, steps, thorough } from '../../support/steps.js';
import { type Home, storages } from '../../support/storages.js';
import { Running } from '../../support/trefoil.js';
import { countOrphans } from './support/orphans.js';
import { dataset, load, post, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { until } from './support/write.js';

const count = 9;
/** Of the n-th sample: an allele that all have, one that only it has, and a breakend. */
const file = (n: number) =>
  vcf({
    samples: [`s${n}`],
    records: [
      '1 41 . T C . . . GT 0/1',
      `1 ${100 + n} . A G . . . GT 1/1`,
      `2 7 . A A[3:9[ . . SVTYPE=BND;CIPOS=-${n},3 GT 0/1`,
    ],
  });
const totals = { alleles: 2 + count, calls: 4 * count, samples: count };
const published = "select count(*) as number from beacon_segments where state = 'published'";

/** The suite kills a server where merging becomes visible. */
const killed = thorough
  ? [...steps.load.slice(0, -1), ...steps.compact, ...steps.publish.slice(2), ...steps.sweep]
  : ['beacon.publish.moved', 'beacon.publish.committed'];

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: merging of small imports on ${engine.name}`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    let repository: BeaconRepository;
    beforeEach(async () => {
      home = await engine.home();
      storage = await home.open([erasures, jobs, tokens, beacon, beaconGenes]);
      await storage.migrate();
      repository = storage.repository(beacon);
      await repository.addDataset(dataset('ds'), new Date());
      for (let n = 0; n < count; n++) await load(repository, 'ds', [await folder.write(`${n}.vcf`, file(n))]);
    });

    const seen = async () => {
      const exported: unknown[] = [];
      await repository.eachAllele('ds', async (alleles) => void exported.push(...alleles));
      return { exported, dataset: await repository.dataset('ds'), recount: await repository.recount('ds') };
    };

    it('is done by a job, while queries get the same responses', async () => {
      const server = await serveBeacon({
        name: engine.name,
        capabilities: engine.capabilities,
        open: async () => ({ storage, discard: home.discard }),
      });
      try {
        const before = await seen();
        expect(before.recount).to.deep.equal(totals);
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
        expect(response.datasetAlleleResponses).to.have.nested.property('[0].sampleCount', count);
        expect(await repository.fragmented()).to.deep.equal(['ds']);
        server.startJobs();
        while ((await repository.fragmented()).length > 0) {
          expect(await ask()).to.deep.equal(response);
          await sleep(20);
        }
        await until(async () => server.log().includes('merging of small imports completed'));
        expect(await ask()).to.deep.equal(response);
        expect(await seen()).to.deep.equal(before);
        // Eight in one, and the last.
        expect(await selectNumber(home.section, published)).to.equal(2);
      } finally {
        await server.close();
      }
    });

    for (const step of killed) {
      it(`killed at ${step}, has changed nothing and is done by the next server`, async () => {
        let first: Running | undefined;
        try {
          const before = await seen();
          const configuration = {
            http: { port: 0 },
            storage: home.section,
            jobs: { pollSeconds: 0.1, leaseSeconds: 1, renewSeconds: 0.1, retrySeconds: 0.1 },
            plugins: { beacon: {} },
          };
          const file = await folder.write('trefoil.yaml', JSON.stringify(configuration));
          first = new Running(['serve', '--config', 'trefoil.yaml'], { cwd: folder.path(), ...killedAt(step) });
          const { signal, stdout, stderr } = await first.ended;
          expect(signal, stdout + stderr).to.equal('SIGKILL');
          expect(await seen()).to.deep.equal(before);
          const isTaken = /committed|sweep/.test(step);
          expect(await selectNumber(home.section, published)).to.equal(isTaken ? 2 : count);
          const next = await started(file);
          try {
            await until(async () => (await repository.fragmented()).length === 0);
            expect(await seen()).to.deep.equal(before);
          } finally {
            await next.stop();
          }
          await repository.sweep(new Date(Date.now() + 60_000));
          expect(await repository.leftovers()).to.equal(0);
          expect(await countOrphans(home.section)).to.equal(0);
          expect(await selectNumber(home.section, published)).to.equal(2);
          expect(await repository.removeSamples('ds', ['s3'], new Date())).to.deep.equal({
            alleles: 1,
            calls: 4,
            samples: 1,
          });
        } finally {
          await first?.kill('SIGKILL');
          await storage.close();
          await home.discard();
        }
      });
    }
  });
}
