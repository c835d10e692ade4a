/** Servers killed while they accept an upload, and repeatedly while they load it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { type Job, jobs } from '../../../core/jobs/contract.js';
import type { Storage } from '../../../core/storage.js';
import { beacon, beaconGenes } from '../../../plugins/beacon/contract.js';
import { useFolder } from '../../support/folder.js';
import { killedAt, steps, thorough } from '../../support/steps.js';
import { type Home, storages } from '../../support/storages.js';
import { type Running, serve } from '../../support/trefoil.js';
import { dataset } from './support/serve.js';
import { until } from './support/write.js';

const size = 3000;
const lines = Array.from({ length: size }, (_, i) => `1\t${i + 1}\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n`);
const vcf = `##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n${lines.join('')}`;
const nothing = { alleles: 0, calls: 0, samples: 0 };
/** `a` has one copy of each allele, `b` two. */
const loaded = { alleles: size, calls: 3 * size, samples: 2 };

// On SQLite the suite kills servers in add-processes.test.ts.
for (const engine of thorough ? storages : storages.filter(({ adapter }) => adapter !== 'sqlite')) {
  describe(`beacon: uploads to servers that are killed, on ${engine.name}`, function () {
    this.timeout(120_000); // several processes
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    let token: string;
    let servers: Running[];

    beforeEach(async () => {
      servers = [];
      home = await engine.home();
      storage = await home.open([erasures, jobs, tokens, beacon, beaconGenes]);
      await storage.migrate();
      await storage.repository(beacon).addDataset(dataset('ds'), new Date());
      const issued = await issueToken(storage.repository(tokens), { owner: 'lab', scopes: ['*'] }, new Date());
      token = issued.token;
      const configuration = {
        http: { port: 0 },
        storage: home.section,
        jobs: { pollSeconds: 0.1, leaseSeconds: 1, renewSeconds: 0.1, retrySeconds: 0.1 },
        plugins: { beacon: {} },
      };
      await folder.write('trefoil.yaml', JSON.stringify(configuration));
    });
    afterEach(async () => {
      await Promise.all(servers.map((server) => server.kill('SIGKILL')));
      await storage.close();
      await home.discard();
    });

    async function started(step?: string): Promise<{ url: string; process: Running }> {
      const how = step === undefined ? {} : killedAt(step);
      const server = await serve(['serve', '--config', 'trefoil.yaml'], { cwd: folder.path(), ...how });
      servers.push(server.process);
      return server;
    }

    /** Sends the file; the server may be killed before it responds. */
    async function send(url: string): Promise<void> {
      const response = await fetch(`${url}/apiv1.0/add?dataset_id=ds&assemblyId=GRCh37`, {
        method: 'POST',
        headers: { 'X-Auth-Token': token, 'Content-Type': 'text/vcf' },
        body: vcf,
      }).catch((error: unknown) => {
        expect(error, 'the connection broke off').to.be.instanceOf(TypeError);
      });
      if (response) expect(response.status).to.equal(202);
    }
    const totals = () => storage.repository(beacon).recount('ds');
    const uploads = () => readdir(join(folder.path(), 'data', 'uploads'));
    async function ended(): Promise<Job | undefined> {
      let job: Job | undefined;
      await until(async () => {
        [job] = await storage.repository(jobs).list({ limit: 1 });
        return job?.state === 'done' || job?.state === 'failed';
      });
      return job;
    }

    for (const step of thorough ? steps.add : steps.add.slice(-1)) {
      it(`${step}: the upload is loaded if it was queued`, async () => {
        const first = await started(step);
        await send(first.url);
        expect((await first.process.ended).signal).to.equal('SIGKILL');
        expect(await totals()).to.deep.equal(nothing);
        expect(await uploads()).to.have.length(1);

        const isQueued = step === 'beacon.add.queued';
        expect(await storage.repository(jobs).list({ limit: 2 })).to.have.length(isQueued ? 1 : 0);
        const second = await started();
        if (!isQueued) {
          // An upload without a job is kept for ten minutes; the client sends it again.
          expect(await uploads()).to.have.length(1);
          await send(second.url);
        }
        expect(await ended()).to.include({ state: 'done' });
        expect(await totals()).to.deep.equal(loaded);
        await until(async () => (await uploads()).length === (isQueued ? 0 : 1));
      });
    }

    if (thorough) {
      it('repeatedly: accepted uploads are loaded', async () => {
        for (let kills = 0; kills < 6; kills++) {
          const server = await started('beacon.load.stored');
          if (kills === 0) await send(server.url);
          expect((await server.process.ended).signal).to.equal('SIGKILL');
        }
        await started();
        const job = await ended();
        expect(job?.state).to.equal('done');
        // More where a busy machine lets a lease expire.
        expect(job?.crashes).to.be.at.least(6);
        expect(await totals()).to.deep.equal(loaded);
      });
    }
  });
}
