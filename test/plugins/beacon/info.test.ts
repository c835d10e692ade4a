import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { engines } from './support/engines.js';
import {
  type Beacon,
  type BeaconOptions,
  dataset,
  get,
  type Json,
  loadText,
  post,
  serveBeacon,
} from './support/serve.js';
import { vcf } from './support/vcf.js';

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: /apiv1.0/info (${engine.name})`, () => {
    let beacon: Beacon | undefined;

    const serve = async (options?: BeaconOptions) => {
      beacon = await serveBeacon(engine, options);
      return beacon;
    };

    afterEach(async () => {
      await beacon?.close();
      beacon = undefined;
    });

    it("has the contract's exact shape with demo data, at three URLs", async () => {
      const { url } = await serve({ demo: true });
      const { status, body } = await get(`${url}/apiv1.0/info`);
      expect(status).to.equal(200);
      for (const path of ['/apiv1.0', '/apiv1.0/']) expect((await get(url + path)).body).to.deep.equal(body);
      expect(Object.keys(body)).to.deep.equal([
        'alternativeUrl',
        'apiVersion',
        'createDateTime',
        'datasets',
        'description',
        'id',
        'name',
        'organisation',
        'sampleAlleleRequests',
        'updateDateTime',
        'version',
        'welcomeUrl',
      ]);
      expect(body).to.deep.include({ apiVersion: 'v1.0.0', alternativeUrl: null, welcomeUrl: null });
      expect(body.version).to.match(/^v\d+\.\d+\.\d+/);
      expect(body.createDateTime).to.match(httpDate);
      expect(body.updateDateTime).to.match(httpDate);
      expect(Object.keys(body.organisation as Json)).to.have.members([
        'id',
        'name',
        'description',
        'address',
        'contactUrl',
        'logoUrl',
        'welcomeUrl',
        'info',
      ]);
      const [one, ...others] = body.datasets as Json[];
      expect(others).to.deep.equal([]);
      expect(one).to.deep.include({
        assembly_id: 'GRCh37',
        id: 'test_public',
        name: 'Test public dataset',
        info: { accessType: 'PUBLIC' },
        sampleCount: 3,
        version: 1,
      });
      expect(Object.keys(one ?? {})).to.deep.equal([
        'assembly_id',
        'callCount',
        'created',
        'id',
        'info',
        'name',
        'sampleCount',
        'updated',
        'variantCount',
        'version',
      ]);
      expect(one?.created).to.match(httpDate);
      expect(one?.updated).to.match(httpDate);
    });

    it('shows requests that have a hit: a small allele and a structural one', async () => {
      const { url } = await serve({ demo: true });
      const requests = (await get(`${url}/apiv1.0/info`)).body.sampleAlleleRequests as Json[];
      expect(requests).to.have.length(2);
      expect(requests.map((request) => 'variantType' in request)).to.deep.equal([false, true]);
      for (const request of requests) {
        const { status, body } = await post(url, request);
        expect(status).to.equal(200);
        expect(body.exists).to.equal(true);
        expect(body.allelRequest).to.deep.equal(request);
        expect(body.datasetAlleleResponses).to.have.length(1);
      }
    });

    it('is complete without any dataset', async () => {
      const { url } = await serve();
      const { body } = await get(`${url}/apiv1.0/`);
      expect(body).to.deep.include({ datasets: [], sampleAlleleRequests: [] });
      expect(body.createDateTime).to.match(httpDate);
      expect(body.updateDateTime).to.equal(body.createDateTime);
    });

    it('is taken from the configuration', async () => {
      const settings = {
        id: 'org.example.beacon',
        name: 'Example',
        description: 'An example',
        welcomeUrl: 'https://example.org/',
        createDateTime: '2015-06-15',
        organisation: { id: 'ex', name: 'Example, Ltd', info: [{ key: 'fax', value: 'no' }] },
      };
      const { url } = await serve({ settings });
      const { body } = await get(`${url}/apiv1.0/`);
      expect(body).to.deep.include({
        id: 'org.example.beacon',
        name: 'Example',
        description: 'An example',
        welcomeUrl: 'https://example.org/',
        createDateTime: 'Mon, 15 Jun 2015 00:00:00 GMT',
      });
      expect(body.organisation).to.deep.include({ id: 'ex', address: '', info: [{ key: 'fax', value: 'no' }] });
    });

    it('lists every dataset with its totals, protected ones unless hidden, and examples of public ones only', async () => {
      for (const [listProtected, expected] of [
        [true, ['controlled', 'public']],
        [false, ['public']],
      ] as const) {
        const { url, repository } = await serve({ settings: { listProtected } });
        const created = new Date('2020-06-23T14:33:52Z');
        await repository.addDataset(dataset('public', { assembly: 'GRCh38', version: 2.5 }), created);
        await repository.addDataset(dataset('controlled', { access: 'CONTROLLED' }), created);
        await loadText(repository, 'controlled', vcf({ samples: ['a', 'b'], records: ['1 9 . A C . . . GT 1/1 0/1'] }));
        const { body } = await get(`${url}/apiv1.0/`);
        const datasets = body.datasets as Json[];
        expect(datasets.map(({ id }) => id)).to.deep.equal(expected);
        expect(datasets.at(-1)).to.deep.equal({
          assembly_id: 'GRCh38',
          callCount: 0,
          created: 'Tue, 23 Jun 2020 14:33:52 GMT',
          id: 'public',
          info: { accessType: 'PUBLIC' },
          name: 'Dataset public',
          sampleCount: 0,
          updated: 'Tue, 23 Jun 2020 14:33:52 GMT',
          variantCount: 0,
          version: 2.5,
        });
        expect(body.sampleAlleleRequests).to.deep.equal([]);
        if (listProtected) {
          // The load changed counts and update date: neither is shown to callers that may not query the dataset.
          expect(datasets[0]).to.deep.equal({
            assembly_id: 'GRCh37',
            callCount: 0,
            created: 'Tue, 23 Jun 2020 14:33:52 GMT',
            id: 'controlled',
            info: { accessType: 'CONTROLLED', counts: 'withheld' },
            name: 'Dataset controlled',
            sampleCount: 0,
            updated: 'Tue, 23 Jun 2020 14:33:52 GMT',
            variantCount: 0,
            version: 1,
          });
          expect(body.updateDateTime).to.equal('Tue, 23 Jun 2020 14:33:52 GMT');
          expect((await repository.dataset('controlled'))?.callCount).to.equal(3);
        } else {
          // A dataset that is not listed also appears not to exist.
          const sent = { assemblyId: 'GRCh37', referenceName: '1', start: 8, referenceBases: 'A', alternateBases: 'C' };
          const { status, body } = await post(url, { ...sent, datasetIds: ['controlled'] });
          expect(status).to.equal(400);
          expect((body.error as Json).errorMessage).to.match(/^Unknown datasets/);
        }
        await beacon?.close();
        beacon = undefined;
      }
    });
  });
}
