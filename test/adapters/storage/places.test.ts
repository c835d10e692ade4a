/** Queries at one place that are read by one statement: each is answered, and given up, as if it were alone. */
import { expect } from 'chai';
import binding from '../../../adapters/knex/beacon/binding.js';
import type { Database } from '../../../adapters/knex/binding.js';
import { type AlleleQuery, type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { at, called, dataset, load, small } from '../../conformance/beacon/build.js';
import { type OpenedStorage, storages } from '../../support/storages.js';

const place = (start: number, alternate = 'C'): AlleleQuery => ({
  assembly: 'GRCh37',
  contig: '1',
  start: { min: start, max: start },
  reference: 'A',
  alternate,
});

for (const engine of storages) {
  describe(`Queries at one place on ${engine.name}`, () => {
    let opened: OpenedStorage;
    let repository: BeaconRepository;
    /** The texts of statements that read alleles. */
    let read: string[];
    /** Called before each of them. */
    let meanwhile: (signal?: AbortSignal) => Promise<void>;

    function watched(inner: Database, signal?: AbortSignal): Database {
      return {
        ...inner,
        read: inner.read,
        write: inner.write,
        engine: inner.engine,
        log: inner.log,
        query: async (sql, bindings) => {
          if (sql.includes('json_')) {
            read.push(sql);
            await meanwhile(signal);
          }
          return inner.query(sql, bindings);
        },
        until: (other) => watched(inner.until(other), other),
        snapshot: (work) => inner.snapshot(work),
      };
    }

    before(async () => {
      let database: Database | undefined;
      const own = {
        ...binding,
        repository(given: Database) {
          database = given;
          return binding.repository(given);
        },
      };
      opened = await engine.open([beacon], { bindings: new Map([[beacon.id, async () => own]]) });
      const plain = opened.storage.repository(beacon);
      for (const [id, names] of Object.entries({ one: ['s', 't'], two: ['u'] })) {
        await plain.addDataset(dataset(id), at(0));
        // Each sample has place n as often as n is odd or even.
        const alleles = Array.from({ length: 30 }, (_, n) =>
          called(small('1', n, 'A', 'C'), ...names.map((_, i): [number, number] => [i, 1 + (n % 2)])),
        );
        await load(plain, id, names, alleles);
      }
      repository = binding.repository(watched(database as unknown as Database));
    });
    beforeEach(() => {
      read = [];
      meanwhile = async () => {};
    });
    after(() => opened.close());

    it('are answered together, each with its own answer', async () => {
      const found = await Promise.all([
        ...Array.from({ length: 20 }, (_, n) => repository.search(place(n), ['one'])),
        repository.search(place(40), ['one']),
        repository.search(place(3, 'G'), ['one']),
        repository.search(place(3), ['one', 'two']),
      ]);
      const hit = (id: string, samples: number, n: number) => ({
        ...{ dataset: id, alleles: 1, samples },
        calls: samples * (1 + (n % 2)),
      });
      const expected = Array.from({ length: 20 }, (_, n) => [hit('one', 2, n)]);
      expect(found).to.deep.equal([...expected, [], [], [hit('one', 2, 3), hit('two', 1, 3)]]);
      // The first alone; of the 21 others that ask one dataset 8, 8 and 5; and the one that asks two.
      expect(read).to.have.length(5);
      expect(await Promise.all([1, 2].map((n) => repository.present(place(n), ['two'])))).to.deep.equal([
        ['two'],
        ['two'],
      ]);
    });

    it('do not wait for one that takes long', async () => {
      let release: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      meanwhile = () => (read.length === 1 ? held : Promise.resolve());
      const slow = repository.search(place(1), ['one']);
      expect((await Promise.all([2, 3].map((n) => repository.search(place(n), ['one'])))).flat()).to.have.length(2);
      release();
      expect(await slow).to.have.length(1);
    });

    it('throw the reason of the signal, and stop once nobody waits', async () => {
      const stops = [1, 2, 3].map(() => new AbortController());
      const reasons = [1, 2, 3].map((n) => new Error(`reason ${n}`));
      let stopped = false;
      meanwhile = async (signal) => {
        if (read.length === 1 || signal?.aborted) return;
        // Until nobody waits, or for ever.
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        stopped = true;
      };
      const first = repository.search(place(1), ['one']);
      const others = stops.map(({ signal }, n) =>
        repository.search(place(n + 2), ['one'], { signal }).catch((error: unknown) => error),
      );
      expect(await first).to.have.length(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (const [n, stop] of stops.entries()) {
        expect(stopped).to.equal(false);
        stop.abort(reasons[n]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await Promise.all(others)).to.deep.equal(reasons);
      expect(stopped).to.equal(true);
    });

    it('throw the reason of the signal though others are answered', async () => {
      const stop = new AbortController();
      const reason = new Error('gone');
      meanwhile = async () => {
        if (read.length === 2) stop.abort(reason);
      };
      const [first, gone, other] = await Promise.allSettled([
        repository.search(place(1), ['one']),
        repository.search(place(2), ['one'], { signal: stop.signal }),
        repository.search(place(3), ['one']),
      ]);
      expect([first.status, other.status]).to.deep.equal(['fulfilled', 'fulfilled']);
      expect(gone).to.deep.equal({ status: 'rejected', reason });
    });
  });
}
