import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { dataset } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: delete on ${engine.name}`, () => {
    const server = useOnce(() => serveWriter(engine));

    before(async () => {
      await server.repository.addDataset(dataset('ds'), new Date());
    });
    beforeEach(async () => {
      const text = vcf({ samples: ['a', 'b'], records: ['1 1 . A C . . . GT 0/1 1/1', '1 2 . A C . . . GT 0/0 0/1'] });
      const path = await server.file('ab.vcf', text);
      const reply = await server.send('add', { dataset_id: 'ds', vcf_path: path, assemblyId: 'GRCh37' });
      expect((await server.ended(reply)).state).to.equal('done');
    });

    for (const method of ['POST', 'DELETE']) {
      it(`keeps by ${method} the data of the other samples`, async () => {
        const reply = await server.send('delete', { dataset_id: 'ds', samples: ['b', 'b'] }, { method });
        const { id, href } = reply.body.job as { id: string; href: string };
        expect([reply.status, reply.body]).to.deep.equal([
          202,
          { message: 'Deleting variants from Beacon', job: { id, href: `/-/jobs/${id}` } },
        ]);
        expect(href).to.equal(`/-/jobs/${id}`);
        const job = await server.ended(reply);
        // 2:A>C was b's alone; none of its three calls remains.
        const removed = { alleles: 1, calls: 3, samples: 1 };
        expect(job).to.deep.include({ state: 'done', result: { dataset: 'ds', removed } });
        expect(await server.repository.samples('ds')).to.deep.equal(['a']);
        expect(await server.repository.recount('ds')).to.include({ alleles: 1, calls: 1, samples: 1 });
      });
    }

    it('validates the dataset, the list, then its samples', async () => {
      const noDataset = 'Invalid request. Please specify a valid dataset ID';
      const noSamples = 'Please provide a valid list of samples';
      const cases: [unknown, string][] = [
        [{}, noDataset],
        [[], noDataset],
        [{ samples: ['a'] }, noDataset],
        [{ dataset_id: { $ne: 'x' }, samples: ['a'] }, noDataset],
        [{ dataset_id: 'none' }, noDataset],
        [{ dataset_id: 'ds' }, noSamples],
        [{ dataset_id: 'ds', samples: 'a' }, noSamples],
        [{ dataset_id: 'ds', samples: [] }, noSamples],
        [{ dataset_id: 'ds', samples: ['a', 1] }, noSamples],
        [{ dataset_id: 'ds', samples: null }, noSamples],
        [{ dataset_id: 'ds', samples: ['a', 'c'] }, 'One or more provided samples was not found in the dataset'],
        [{ dataset_id: 'ds', samples: ['A'] }, 'One or more provided samples was not found in the dataset'],
      ];
      for (const [body, message] of cases) {
        for (const method of ['POST', 'DELETE']) {
          const reply = await server.send('delete', body, { method });
          expect([reply.status, reply.body], JSON.stringify(body)).to.deep.equal([422, { message }]);
        }
      }
      expect(await server.repository.samples('ds')).to.deep.equal(['a', 'b']);
      const empty = await server.send('delete', undefined, { method: 'DELETE' });
      expect([empty.status, empty.body]).to.deep.equal([422, { message: noDataset }]);
      const get = await server.send('delete', undefined, { method: 'GET' });
      expect([get.status, get.body]).to.deep.equal([405, { message: 'This path answers DELETE, OPTIONS, POST' }]);
    });
  });
}
