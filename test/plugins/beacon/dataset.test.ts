import { expect } from 'chai';
import type { BeaconRepository } from '../../../plugins/beacon/contract.js';
import { changeDataset } from '../../../plugins/beacon/domain/dataset.js';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { dataset, get, type Json } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: add_dataset on ${engine.name}`, () => {
    const server = useOnce(() => serveWriter(engine));
    beforeEach(async () => {
      await server.repository.removeDataset('ds');
    });

    const body = (more: Json = {}): Json => ({
      id: 'ds',
      name: 'A set',
      build: 'GRCh37',
      authlevel: 'public',
      ...more,
    });
    const done = async (sent: Json) => {
      const reply = await server.send('add_dataset', sent);
      expect([reply.status, reply.body], JSON.stringify(sent)).to.deep.equal([
        200,
        { message: 'Dataset collection was successfully updated' },
      ]);
      return server.repository.dataset('ds');
    };
    const refused = async (sent: unknown, message: string | RegExp) => {
      const reply = await server.send('add_dataset', sent);
      expect(reply.status, JSON.stringify(sent)).to.equal(422);
      expect(Object.keys(reply.body)).to.deep.equal(['message']);
      if (typeof message === 'string') expect(reply.body.message).to.equal(message);
      else expect(reply.body.message).to.match(message);
    };

    it('adds a dataset', async () => {
      expect(await done(body())).to.include({ name: 'A set', assembly: 'GRCh37', access: 'PUBLIC', version: 1 });
      await server.repository.removeDataset('ds');
      const more = { description: 'x', version: 'v2.5', url: 'https://a.example/ds', update: false };
      expect(await done(body({ ...more, authlevel: 'controlled', build: 'GRCh38' }))).to.include({
        access: 'CONTROLLED',
        assembly: 'GRCh38',
        version: 2.5,
        description: 'x',
        externalUrl: 'https://a.example/ds',
      });
    });

    it('changes one on request, by a switch or its literal; omitted fields stay', async () => {
      await done(body({ description: 'x', version: 2, url: 'https://a.example/', update: 'False' }));
      for (const update of [true, 'True', 'true']) {
        const changed = await done(body({ name: `By ${update}`, authlevel: 'registered', update }));
        expect(changed).to.include({
          name: `By ${update}`,
          access: 'REGISTERED',
          version: 2,
          description: 'x',
          externalUrl: 'https://a.example/',
        });
      }
      expect(
        await done(body({ url: 'https://b.example/', version: 3.5, authlevel: 'registered', update: true })),
      ).to.include({
        externalUrl: 'https://b.example/',
        version: 3.5,
      });
    });

    it('is in the next query, even if the list of datasets was read just before', async () => {
      const allele = 'assemblyId=GRCh37&referenceName=1&start=9&referenceBases=A&alternateBases=C';
      const listed = async () => {
        const reply = await get(`${server.url}/apiv1.0/query?${allele}&includeDatasetResponses=ALL`);
        return (reply.body.datasetAlleleResponses as Json[]).map(({ datasetId }) => datasetId);
      };
      const { now } = performance;
      const moment = performance.now();
      // The list that a query read serves others for a moment, which lasts as long as the test.
      performance.now = () => moment;
      try {
        expect(await listed()).to.deep.equal([]);
        await done(body());
        expect(await listed()).to.deep.equal(['ds']);
        await done(body({ authlevel: 'controlled', update: true }));
        expect(await listed()).to.deep.equal([]);
      } finally {
        performance.now = now;
      }
    });

    it('reports faults, in order', async () => {
      const id = 'Invalid dataset ID. Dataset ID should be a string with alphanumeric characters and underscores';
      const name = 'Dataset name must be a non-empty string';
      const build = (value: string) =>
        `Dataset genome build '${value}' is not valid. Accepted values are 'GRCh37' or 'GRCh38'`;
      const level = (value: string) =>
        `Dataset authlevel build '${value}' is not valid. Accepted values are 'public', 'registered' or 'controlled'`;
      await refused({}, id);
      for (const bad of [1, null, '', 'a b', 'ä', 'a/b', 'x'.repeat(129)])
        await refused(body({ id: bad }), /^Invalid dataset ID\./);
      for (const bad of [undefined, 1, null, '', '  ']) await refused(body({ name: bad, build: 'X' }), name);
      await refused(body({ build: 'X', authlevel: 'X' }), build('X'));
      await refused(body({ build: undefined }), build('None'));
      await refused(body({ build: 38 }), build('38'));
      await refused(body({ authlevel: 'PUBLIC' }), level('PUBLIC'));
      await refused(body({ authlevel: undefined }), level('None'));
      for (const bad of ['', 5, []]) {
        await refused(body({ description: bad }), 'Dataset description must be a non-empty string');
      }
      for (const bad of ['x', '', -1, 1e30, '9'.repeat(400), true]) {
        await refused(body({ version: bad }), 'Dataset version must be a number, such as 1.0');
      }
      for (const bad of ['x', 'javascript:1', 'file:///x', 4]) {
        await refused(body({ url: bad }), 'Dataset url must be an http(s) address');
      }
      for (const [bad, shown] of [
        ['yes', "'yes'"],
        [1, '1'],
        [{}, '{}'],
      ] as const) {
        await refused(body({ update: bad }), `malformed node or string: ${shown}`);
      }
      await refused([], "[] is not of type 'object'");
      expect(await server.repository.dataset('ds')).to.equal(undefined);
    });

    it('refuses duplicates, unknown ids, and another assembly for samples', async () => {
      await refused(body({ update: true }), "Update failed: couldn't find any dataset with the given ID in database");
      await done(body());
      await refused(body({ name: 'Other' }), /Duplicate Key Error/);
      const replies = await Promise.all(
        Array.from({ length: 5 }, () => server.send('add_dataset', body({ id: 'racing' }))),
      );
      expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422, 422, 422]);

      await done(body({ build: 'GRCh38', update: true }));
      const path = await server.file('x.vcf', vcf({ records: ['1 1 . A C . . . GT 0/1'] }));
      await server.ended(await server.send('add', { dataset_id: 'ds', vcf_path: path, assemblyId: 'GRCh38' }));
      await refused(body({ build: 'GRCh37', update: true }), /^Update failed: .*assembly cannot change/);
      expect(await server.repository.dataset('ds')).to.include({ name: 'A set', assembly: 'GRCh38', sampleCount: 1 });
    });

    it('validates a change against the current data, even if another writer intervenes', async () => {
      const { repository } = server;
      await repository.addDataset(dataset('ds'), new Date());
      const seen: string[] = [];
      const raced: Pick<BeaconRepository, 'dataset' | 'updateDataset'> = {
        async dataset(id) {
          const found = await repository.dataset(id);
          if (found?.access === 'PUBLIC')
            await repository.updateDataset({ ...found, access: 'CONTROLLED' }, new Date());
          return found;
        },
        updateDataset: (...given) => repository.updateDataset(...given),
      };
      const words = { id: 'ds', name: 'Another name', access: 'public' };
      const change = changeDataset(raced, words, new Date(), ({ access }) => {
        seen.push(access);
        if (access !== 'PUBLIC') throw new Error('closed');
      });
      expect(await change.catch((error: Error) => error.message)).to.equal('closed');
      expect(seen).to.deep.equal(['PUBLIC', 'CONTROLLED']);
      expect(await repository.dataset('ds')).to.include({ access: 'CONTROLLED', name: dataset('ds').name });
    });
  });
}
