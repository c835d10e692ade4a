/** Searches whose rows are swept before the names of their samples are read: they show the state after it, not a part. */
import { expect } from 'chai';
import binding from '../../../adapters/knex/beacon/binding.js';
import { migrations } from '../../../adapters/knex/beacon/migrations.js';
import type { Database } from '../../../adapters/knex/binding.js';
import type { BeaconRepository } from '../../../plugins/beacon/contract.js';
import { at, called, dataset, load, small } from '../../conformance/beacon/build.js';
import { storages } from '../../support/storages.js';
import { earlier, openAt } from './support/alleles.js';

/** Calls `meanwhile` before the first read of the names of samples. */
function interrupted(database: Database, meanwhile: () => Promise<unknown>): Database {
  let isDone = false;
  const wrapped = (inner: Database): Database => ({
    ...inner,
    read: inner.read,
    write: inner.write,
    query: async (sql, bindings) => {
      if (!isDone && sql.startsWith('select s.segment, g.dataset')) {
        isDone = true;
        await meanwhile();
      }
      return inner.query(sql, bindings);
    },
    until: (signal) => wrapped(inner.until(signal)),
    snapshot: (work) => inner.snapshot(work),
  });
  return wrapped(database);
}

for (const engine of storages) {
  describe(`Searches during sweeps on ${engine.name}`, () => {
    const verbs: Record<string, (repository: BeaconRepository) => Promise<unknown>> = {
      search: (repository) => repository.search({ assembly: 'GRCh37', contig: '1' }, ['ds']),
      present: (repository) => repository.present({ assembly: 'GRCh37', contig: '1' }, ['ds']),
      found: (repository) =>
        repository.found({ assembly: 'GRCh37', contig: '1' }, ['ds'], { limit: 9, carriers: true }),
    };
    for (const [name, verb] of Object.entries(verbs)) {
      it(`${name} shows what is left`, async () => {
        const home = await engine.home([earlier]);
        const storage = await home.open([earlier], openAt(...(Object.keys(migrations) as (keyof typeof migrations)[])));
        try {
          await storage.migrate();
          const database = storage.repository(earlier);
          const repository = binding.repository(database);
          await repository.addDataset(dataset('ds'), at(0));
          await load(repository, 'ds', ['s', 't'], [called(small('1', 5, 'A', 'C'), [0, 1], [1, 2])]);
          const remove = () => repository.removeSamples('ds', ['s'], at(2));
          const seen = await verb(binding.repository(interrupted(database, remove)));
          expect(await repository.samples('ds')).to.deep.equal(['t']);
          expect(seen).to.deep.equal(await verb(repository));
        } finally {
          await storage.close();
          await home.discard();
        }
      });
    }
  });
}
