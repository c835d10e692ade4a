/** What the SQL adapters know of samples: after a downgrade, of damaged rows, and of removals by earlier releases. */
import { expect } from 'chai';
import { SampleNames } from '../../../adapters/knex/beacon/hits.js';
import { migrations } from '../../../adapters/knex/beacon/migrations.js';
import type { Database } from '../../../adapters/knex/binding.js';
import type { Storage } from '../../../core/storage.js';
import {
  type BeaconRepository,
  beacon,
  type CalledAllele,
  type Sample,
  type StructuralQuestion,
} from '../../../plugins/beacon/contract.js';
import { type Home, type OpenOptions, storages } from '../../support/storages.js';
import { earlier, once, openAt } from './support/alleles.js';

const now = new Date('2026-01-16T08:00:00.000Z');
const snv = {
  contig: '1',
  start: 99,
  end: 100,
  reference: 'A',
  alternate: 'T',
  kind: 'SNP',
  structural: false,
} as const;
const deletion = {
  ...snv,
  contig: 'X',
  end: 999,
  reference: 'N',
  alternate: '<DEL>',
  kind: 'DEL',
  structural: true,
} as const;
const insertion = { ...deletion, contig: '2', end: 100, alternate: '<INS>', kind: 'INS', length: 300 } as const;
const everything = Object.keys(migrations) as (keyof typeof migrations)[];

function unknown(name: string, structural: boolean): Sample {
  const searched = { small: true, structural };
  return {
    name,
    case: name,
    sex: 'unknown',
    affected: undefined,
    labels: {},
    coverageId: name,
    phenotypes: [],
    diseases: [],
    added: undefined,
    searched,
  };
}

for (const engine of storages) {
  describe(`What is known of samples on ${engine.name}`, function () {
    this.timeout(120_000);
    let home: Home;
    const open: Storage[] = [];

    beforeEach(async () => {
      home = await engine.home();
    });

    afterEach(async () => {
      for (const storage of open.splice(0)) await storage.close();
      await home.discard();
    });

    async function opened(options?: OpenOptions): Promise<Storage> {
      const storage = await home.open([options ? earlier : beacon], options);
      open.push(storage);
      await storage.migrate();
      return storage;
    }

    /** Two datasets: of "s" and "t" with a deletion of s alone, and of "s". */
    async function filled(): Promise<{ storage: Storage; repository: BeaconRepository; database: Database }> {
      const storage = await opened();
      const repository = storage.repository(beacon);
      for (const id of ['ds', 'other']) {
        await repository.addDataset({ id, name: id, assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
      }
      const load = (dataset: string, samples: string[], alleles: CalledAllele[]) =>
        repository.importAlleles(
          { dataset, samples, alleles: once(alleles), facts: new Map([['s', { case: 'f', sex: 'male' }]]) },
          now,
        );
      await load('ds', ['s', 't'], [{ ...snv, carriers: [[0, 1], [1, 2]] }]); // biome-ignore format: one line
      await load('ds', ['s'], [{ ...deletion, carriers: [[0, 1]] }]);
      await load('other', ['s'], [{ ...snv, carriers: [[0, 1]] }]);
      const database = (await opened(openAt(...everything))).repository(earlier);
      return { storage, repository, database };
    }

    const deleted: StructuralQuestion = { type: 'structural', contig: 'X', start: 99, end: 999, kind: 'DEL' };

    it('keeps an earlier release from writing, and drops what it has staged', async () => {
      const { storage, database } = await filled();
      await storage.downgrade?.('0.2.0', { trial: false });
      const insert = () =>
        database.run(({ write }) =>
          write('beacon_segments').insert({ dataset: 'ds', state: 'staged', last_heartbeat: 1 }),
        );
      await insert();
      await storage.migrate();
      expect(await insert().catch((thrown: unknown) => thrown)).to.be.instanceOf(Error);
      const states = await database.query("select state from beacon_segments where state <> 'published'", []);
      expect(states).to.deep.equal([{ state: 'dropped' }]);
    });

    it('keeps its salt, once there is one', async () => {
      const { repository } = await filled();
      const salt = await repository.salt('ds');
      expect(salt)
        .to.be.a('string')
        .that.is.not.equal(await repository.salt('other'));
      expect(await (await opened()).repository(beacon).salt('ds')).to.equal(salt);
    });

    it('keeps the length of insertions on the way down and up again', async () => {
      const { storage, repository } = await filled();
      const request = { dataset: 'ds', samples: ['u'], alleles: once([{ ...insertion, carriers: [[0, 1]] as const }]) };
      await repository.importAlleles(request, now);
      const stored = () => repository.examples('ds', true, 9);
      expect(await stored()).to.deep.include(insertion);
      await storage.downgrade?.('0.2.0', { trial: false });
      await storage.migrate();
      expect(await stored()).to.deep.include(insertion);
    });

    it('counts a sample whose row is damaged as one of which nothing is known, and mends it by a correction', async () => {
      const { storage, repository, database } = await filled();
      const damage = () =>
        database.run(({ write }) =>
          write('beacon_sample_facts').where({ dataset: 'ds', name: 's' }).update({ sex: 'x' }),
        );
      await damage();
      // A process that starts now: others may still know the row as it was.
      const fresh = (await opened()).repository(beacon);
      expect((await fresh.sampleFacts('ds'))[0]).to.deep.equal(unknown('s', true));
      const [observations] = await fresh.observe('GRCh37', [deleted], ['ds']);
      expect(observations?.[0]).to.deep.include({ cases: 1, carriers: 1, hemizygotes: 0 });
      const damaged = (await storage.damaged?.())?.map(({ table }) => table);
      expect(damaged).to.deep.equal(['beacon_sample_facts']);
      expect(await repository.describeSamples('ds', new Map([['s', { sex: 'male' }]]), now)).to.equal(1);
      expect((await fresh.sampleFacts('ds'))[0]).to.deep.equal({ ...unknown('s', true), sex: 'male' });
      expect(await storage.damaged?.()).to.deep.equal([]);
      expect((await fresh.observe('GRCh37', [deleted], ['ds']))[0]?.[0]).to.deep.include({ hemizygotes: 1 });
    });

    it('is not that of a sample of this name that was removed before', async () => {
      const { repository, database } = await filled();
      // As an earlier release removes samples, which knows nothing of the table.
      await database.run(({ write }) => write('beacon_segments').where({ dataset: 'ds' }).update({ state: 'dropped' }));
      expect(await repository.sampleFacts('ds')).to.deep.equal([]);
      const alleles = once([{ ...snv, carriers: [[0, 1]] as const }]);
      await repository.importAlleles({ dataset: 'ds', samples: ['s'], alleles }, now);
      expect(await repository.sampleFacts('ds')).to.deep.equal([{ ...unknown('s', true), added: now }]);
    });

    it('is remembered of segments that searches still find, and of no others', async () => {
      const { database } = await filled();
      let queries = 0;
      const counting: Database = Object.assign(Object.create(database), {
        query: (...query: Parameters<Database['query']>) => {
          queries += 1;
          return database.query(...query);
        },
      });
      const rows = await database.query<{ id: number }>('select id from beacon_segments order by id', []);
      const [first, second] = rows.map(({ id }) => id) as [number, number];
      const names = new SampleNames();
      const both = await names.of(counting, new Set([first, second]));
      expect(both.get(first)).to.deep.equal({ dataset: 'ds', names: new Map([[0, 's'], [1, 't']]) }); // biome-ignore format: one line
      for (let i = 0; i < 20_000; i++) await names.of(counting, new Set([first]));
      expect(queries).to.equal(1);
      const again = await names.of(counting, new Set([second]));
      expect(again.get(second)).to.deep.equal(both.get(second));
      expect(queries).to.equal(2);
    });

    it('leaves no row behind with samples and datasets that are removed', async () => {
      const { repository, database } = await filled();
      const rows = () =>
        database.query<{ dataset: string; name: string }>(
          'select dataset, name from beacon_sample_facts order by dataset, name',
          [],
        );
      await repository.removeSamples('ds', ['s'], now);
      expect((await rows()).map(({ dataset, name }) => `${dataset} ${name}`)).to.deep.equal(['ds t', 'other s']);
      await repository.removeDataset('other');
      expect((await rows()).map(({ dataset, name }) => `${dataset} ${name}`)).to.deep.equal(['ds t']);
    });
  });
}
