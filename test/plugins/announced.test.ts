/** Events of the built-in plugins in a server: announced once what they say is stored, and not if nothing changes. */
import { expect } from 'chai';
import { serveForTest } from '../../core/testing/server.js';
import { announcingAnnotations, announcingCalls } from '../../plugins/beacon/announced.js';
import { beacon, beaconConsequences, type CalledAllele } from '../../plugins/beacon/contract.js';
import { coverageSamples } from '../../plugins/coverage/contract.js';
import { recordCheck, removeSamples } from '../../plugins/coverage/samples/changes.js';
import { panels } from '../../plugins/panels/contract.js';
import { draftVersion, submittedVersion } from '../../plugins/panels/versions/lifecycle.js';
import { finder, heard } from '../support/finder.js';
import { request } from '../support/http.js';
import { storages } from '../support/storages.js';
import { useEach } from '../support/use.js';
import { annotate, annotated, atGene } from './beacon/consequences/support.js';
import { dataset } from './beacon/support/serve.js';
import { checkOf, type Person } from './coverage/callability/support.js';
import { contentOf, geneTable, green } from './panels/support/served.js';

const now = new Date('2026-05-05T05:05:05.000Z');

for (const engine of storages) {
  describe(`announced changes on ${engine.name}`, function () {
    this.timeout(60_000);
    const events = ['beacon/calls-changed@1', 'coverage/samples-changed@1', 'panels/signed@1'];
    const server = useEach(() =>
      serveForTest({
        plugins: { beacon: {}, coverage: {}, panels: { signers: 'anyone' }, [finder]: { events } },
        storage: engine,
        jobs: false,
      }),
    );

    it('are versions of panels that all who have to have signed, and retired ones', async () => {
      const draft = draftVersion('kidney', '1', contentOf([green(950, 'BAP1')]), { by: 'anna', at: now });
      const review = submittedVersion(draft, { by: 'anna', at: now });
      const names = { release: '2026-11', sources: ['set.txt'], approved: 6, withdrawn: 6, loaded: now };
      await server.repository(panels).replaceNames(names, geneTable().pack());
      await server.repository(panels).add(review);
      const token = await server.token('panels:read', 'panels:edit', 'panels:sign');
      const post = async (verb: string, json: object) => {
        const done = await request<{ revision: number }>(`${server.url}/panels/kidney/1/${verb}`, {
          method: 'POST',
          token,
          json,
        });
        expect(done.status, done.text).to.equal(200);
        return done.body.revision;
      };
      const back = await post('send-back', { revision: review.revision, comment: 'again' });
      const again = await post('submit', { revision: back });
      expect(heard).to.deep.equal([]);
      const signed = await post('sign', { revision: again, sha256: review.digest });
      const event = { event: 'panels/signed@1', panel: 'kidney', version: '1' };
      expect(heard).to.deep.equal([event]);
      await post('retire', { revision: signed, comment: 'done' });
      expect(heard).to.deep.equal([event, event]);
    });

    it('are samples whose coverage was checked or removed', async () => {
      const samples = server.repository(coverageSamples);
      const person: Person = { id: 'a', stretches: [] };
      const register = () =>
        samples.register([{ id: 'a', build: 'GRCh38', sex: 'unknown', file: { path: 'gone/a.d4' }, labels: {} }], now);
      await register();
      const told: (readonly string[])[] = [];
      const registry = {
        samples,
        followers: [],
        transaction: <Result>(work: (scope: never) => Promise<Result>) => work({ repository: () => samples } as never),
        changed: async (ids: readonly string[]) => void told.push(ids),
      };
      const [{ revision = '' } = {}] = await samples.find(['a']);
      expect(await recordCheck(registry, { id: 'a', revision: 'older' }, checkOf(person))).to.equal(false);
      expect(told).to.deep.equal([]);
      expect(await recordCheck(registry, { id: 'a', revision }, checkOf(person))).to.equal(true);
      expect(told).to.deep.equal([['a']]);
      expect(await removeSamples(registry, ['b'])).to.equal(0);
      expect(told).to.have.length(1);
      const token = await server.token('coverage:register');
      const path = `${server.url}/coverage/registry/samples/a`;
      const removed = await request(path, { method: 'DELETE', token });
      expect(removed.status, removed.text).to.equal(200);
      expect(heard).to.deep.equal([{ event: 'coverage/samples-changed@1', samples: ['a'] }]);
    });

    it('are calls and facts of samples, and annotations, of a dataset', async () => {
      const told: object[] = [];
      const announce = async <Event extends object>(key: string, event: Event) => void told.push({ key, ...event });
      const repository = announcingCalls(server.repository(beacon), { announce });
      const key = 'beacon/calls-changed@1';
      await repository.addDataset(dataset('wgs'), now);
      const allele = {
        contig: '1',
        start: 5,
        end: 6,
        reference: 'A',
        alternate: 'C',
        kind: 'SNP',
        structural: false,
      } as const;
      const load = (id: string) =>
        repository.importAlleles(
          {
            dataset: id,
            samples: ['a', 'b'],
            alleles: (async function* () {
              yield [{ ...allele, carriers: [[0, 1]] } satisfies CalledAllele];
            })(),
          },
          now,
        );
      expect(await load('none').catch(() => 'refused')).to.equal('refused');
      expect(told).to.deep.equal([]);
      await load('wgs');
      expect(told.splice(0)).to.deep.equal([{ key, dataset: 'wgs', samples: ['a', 'b'] }]);
      await repository.describeSamples('wgs', new Map([['b', { sex: 'male' as const }]]), now);
      await repository.describeSamples('wgs', new Map([['b', { sex: 'male' as const }]]), now);
      expect(told.splice(0)).to.deep.equal([{ key, dataset: 'wgs', samples: ['b'] }]);
      const consequences = announcingAnnotations(server.repository(beaconConsequences), { announce });
      await consequences.publish('wgs', [], now);
      await annotate(consequences, 'wgs', [annotated(allele, [atGene({ hgnc: 1 }, ['stop_gained'])])]);
      expect(told.splice(0)).to.deep.equal([{ key, dataset: 'wgs' }]);
      await repository.removeSamples('wgs', ['a'], now);
      expect(await repository.removeDataset('none')).to.equal(false);
      await repository.removeDataset('wgs');
      expect(told).to.deep.equal([
        { key, dataset: 'wgs', samples: ['a'] },
        { key, dataset: 'wgs' },
      ]);

      // The server's own changes are announced in the same way.
      await server.repository(beacon).addDataset(dataset('own'), now);
      await server
        .repository(beacon)
        .importAlleles({ dataset: 'own', samples: ['c'], alleles: (async function* () {})() }, now);
      const token = await server.token('beacon:write', 'beacon:cases');
      const path = `${server.url}/observations/datasets/own/samples`;
      const done = await request(path, { method: 'PATCH', token, json: { samples: [{ name: 'c', sex: 'female' }] } });
      expect(done.status, done.text).to.equal(200);
      expect(heard).to.deep.equal([{ event: key, dataset: 'own', samples: ['c'] }]);
    });
  });
}
