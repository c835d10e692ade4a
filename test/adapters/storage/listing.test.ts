/** A page of a large dataset is read, and little more; carriers only if they are to be named. */
import { expect } from 'chai';
import binding from '../../../adapters/knex/beacon/binding.js';
import { migrations } from '../../../adapters/knex/beacon/migrations.js';
import type { Database } from '../../../adapters/knex/binding.js';
import type { BeaconRepository, CountedAllele } from '../../../plugins/beacon/contract.js';
import { at, called, dataset, load, small } from '../../conformance/beacon/build.js';
import { storages } from '../../support/storages.js';
import { earlier, openAt } from './support/alleles.js';
import { useHome } from './support/home.js';
import { overheard, type Statement } from './support/overheard.js';

const count = 12_000;
const alleles = Array.from({ length: count }, (_, i) => small('2', i * 10, 'A', 'C'));

for (const engine of storages) {
  describe(`Pages of alleles on ${engine.name}`, function () {
    this.timeout(60_000);
    const { open } = useHome(engine);
    const heard: Statement[] = [];
    let database: Database;
    let repository: BeaconRepository;

    beforeEach(async () => {
      const storage = await open([earlier], openAt(...(Object.keys(migrations) as (keyof typeof migrations)[])));
      await storage.migrate();
      database = storage.repository(earlier);
      repository = binding.repository(overheard(database, heard));
      await repository.addDataset(dataset('ds'), at(0));
      const everyone = alleles.map((allele) => called(allele, [0, 1], [1, 2]));
      await load(repository, 'ds', ['s', 't'], everyone, { size: count });
      heard.length = 0;
    });

    it('are read without the rest of the dataset, from the first to the last', async () => {
      const page: CountedAllele[] = [];
      const take = async (some: readonly CountedAllele[]) => {
        page.push(...some);
        return page.length < 10;
      };
      for (const [after, first] of [
        [undefined, 0],
        [alleles[5999], 6000],
        [alleles[11_989], 11_990],
      ] as const) {
        // biome-ignore format: one line
        page.length = 0;
        heard.length = 0;
        await repository.eachAllele('ds', take, after ? { after } : {});
        const calls = alleles.slice(first, first + 10).map((allele) => ({ ...allele, calls: 3 }));
        expect(page.slice(0, 10)).to.deep.equal(calls);
        const read = heard.reduce((sum, { rows = 0 }) => sum + rows, 0);
        expect(read, `rows read after the allele ${first - 1}`).to.be.lessThan(200);
      }
    });

    it('have numbers of carriers from beside these, which are read to be named', async () => {
      const query = { assembly: 'GRCh37', contig: '2', start: { min: 0, max: 20 } } as const;
      // Numbers no longer agree with the carriers.
      await database.run(({ write }) => write('beacon_alleles').where({ start: 10 }).update({ carriers: '1:3' }));
      const samples = async (carriers: boolean) => {
        const [found] = await repository.found(query, ['ds'], { limit: 10, carriers });
        return found?.alleles.map((allele) => allele.samples);
      };
      expect(await samples(false)).to.deep.equal([2, 2, 2]);
      expect(await samples(true)).to.deep.equal([2, 1, 2]);
    });
  });
}
