/** A storage whose bindings or stores lack verbs of their contracts is refused when it is opened. */
import { expect } from 'chai';
import { openStorage } from '../../../adapters/knex/storage.js';
import { openMemory } from '../../../adapters/memory/adapter.js';
import { openSqlite } from '../../../adapters/sqlite/driver.js';
import { tokens } from '../../../core/auth/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import {
  type Contract,
  defineContract,
  defineStore,
  defineTable,
  Fault,
  type Storage,
  text,
  type Verbs,
} from '../../../core/storage.js';
import { faultOf } from '../../support/fault.js';
import { type Home, type OpenOptions, quiet, storages } from '../../support/storages.js';

interface Notes {
  add(gene: string): Promise<void>;
  list(): Promise<string[]>;
  remove(gene: string): Promise<void>;
  /** By default the length of `list`. */
  count?(): Promise<number>;
}

const verbs: Verbs<Notes> = { add: 'needed', list: 'needed', remove: 'needed', count: 'optional' };
const notes = defineContract<Notes>('notes@1', verbs);
const tags = defineContract<Notes>('tags@1', verbs);

const whole: Notes = { add: async () => {}, list: async () => [], remove: async () => {} };

/** Verbs of classes are found on their prototype. */
class Kept {
  async add(): Promise<void> {}
  async list(): Promise<string[]> {
    return [];
  }
}

/** A binding in SQL. */
const bound = (contract: Contract, repository: () => unknown) =>
  [contract.id, async () => ({ default: { contract, migrations: {}, repository } })] as const;

/** A store with one table. */
function stored(contract: Contract, repository: object) {
  const table = defineTable({ name: `${contract.id.slice(0, -2)}_kept`, columns: { id: text() }, key: ['id'] });
  const store = defineStore({
    contract,
    tables: [table],
    steps: { '001-kept': { tables: [table] } },
    repository: () => repository,
  });
  return [contract.id, async () => ({ store })] as const;
}

/** A store with the repository of a binding. */
function storeFor(loaded: unknown): object {
  const { contract, repository } = (loaded as { default: { contract: Contract; repository(): unknown } }).default;
  return { contract, tables: [], steps: {}, repository };
}

const adapters: readonly { name: string; home(): Promise<Pick<Home, 'open' | 'discard'>> }[] = [
  ...storages,
  {
    name: 'memory',
    home: async () => ({
      // Memory has stores only, here with the repositories of the bindings.
      async open(contracts, { bindings = new Map(), stores = new Map() } = {}) {
        const bound = [...bindings].map(([id, load]) => [id, async () => storeFor(await load())] as const);
        return openMemory({ contracts, stores: new Map([...stores, ...bound]) });
      },
      discard: async () => {},
    }),
  },
];

for (const { name, home: newHome } of adapters) {
  describe(`Verbs of contracts on ${name}`, () => {
    let home: Pick<Home, 'open' | 'discard'>;
    before(async () => {
      home = await newHome();
    });
    after(() => home.discard());

    /** Opens a storage that is not refused. */
    async function opened<Result>(
      contracts: readonly Contract[],
      options: OpenOptions,
      work: (storage: Storage) => Promise<Result>,
    ): Promise<Result> {
      const storage = await home.open(contracts, options);
      try {
        return await work(storage);
      } finally {
        await storage.close();
      }
    }

    const refusal = async (contracts: readonly Contract[], options: OpenOptions) =>
      (await faultOf(home.open(contracts, options), 'unprocessable')).message;

    it('refuses bindings that lack verbs, and names the verbs of all contracts at once', async () => {
      const bindings = new Map([bound(notes, () => ({ list: whole.list })), bound(tags, () => new Kept())]);
      expect(await refusal([notes, tokens, tags], { bindings })).to.equal(
        'The storage lacks verbs of its contracts: add, remove of notes@1; remove of tags@1',
      );
    });

    it('refuses stores that lack verbs, beside bindings that do', async () => {
      const stores = new Map([stored(notes, { list: whole.list })]);
      const bindings = new Map([bound(tags, () => new Kept())]);
      expect(await refusal([notes, tags], { stores, bindings })).to.equal(
        'The storage lacks verbs of its contracts: add, remove of notes@1; remove of tags@1',
      );
    });

    it("checks the adapter's own bindings and the core's stores too", async () => {
      const moreOf = ({ id, verbs: known }: Contract) =>
        defineContract<Record<string, () => void>>(id, { ...known, mint: 'needed' });
      expect(await refusal([moreOf(tokens), moreOf(jobs)], {})).to.equal(
        'The storage lacks verbs of its contracts: mint of tokens@1; mint of jobs@1',
      );
    });

    it('changes nothing to find out', async () => {
      await refusal([tokens, notes], { bindings: new Map([bound(notes, () => ({ list: whole.list }))]) });
      await opened([tokens], {}, async (storage) => {
        expect((await storage.rowCounts?.()) ?? {}).to.deep.equal({});
      });
    });

    it('refuses what is no function, of a verb that may be left out too', async () => {
      for (const wrong of [undefined, null, 'list', {}]) {
        const bindings = new Map([bound(notes, () => ({ ...whole, list: wrong }))]);
        expect(await refusal([notes], { bindings })).to.include(': list of notes@1');
      }
      const bindings = new Map([bound(notes, () => ({ ...whole, count: 3 }))]);
      expect(await refusal([notes], { bindings })).to.include(': count of notes@1');
      expect(await refusal([notes], { bindings: new Map([bound(notes, () => undefined)]) })).to.include(
        ': add, list, remove of notes@1',
      );
    });

    it('completes what a binding brings, in transactions too, and refuses what cannot be completed', async () => {
      const counted = defineContract<Required<Notes>, Notes>('notes@1', verbs, (kept) => {
        if (kept.list === undefined) throw new Fault('unprocessable', 'notes@1 cannot be counted');
        return { count: async () => (await kept.list()).length, ...kept };
      });
      const brings = (kept: object) => ({ bindings: new Map([bound(counted, () => kept)]) });
      const five = { ...whole, list: async () => ['a', 'b', 'c', 'd', 'e'] };
      await opened([counted], brings(five), async (storage) => {
        expect(await storage.repository(counted).count()).to.equal(5);
        expect(await storage.transaction((scope) => scope.repository(counted).count())).to.equal(5);
      });
      await opened([counted], brings({ ...five, count: async () => 7 }), async (storage) => {
        expect(await storage.repository(counted).count()).to.equal(7);
      });
      expect(await refusal([counted], brings({ add: whole.add }))).to.equal('notes@1 cannot be counted');
    });

    it('opens without a verb that has a default, and with it', async () => {
      for (const [repository, expected] of [
        [whole, undefined],
        [{ ...whole, count: async () => 7 }, 7],
      ] as const) {
        const bindings = new Map([bound(notes, () => repository)]);
        expect(await opened([notes], { bindings }, async (storage) => storage.repository(notes).count?.())).to.equal(
          expected,
        );
      }
    });

    it('asks nothing of a contract that names no verbs', async () => {
      const plain = defineContract<Notes>('plain@1');
      let made = 0;
      const repository = () => {
        made++;
        return {};
      };
      await opened([plain], { bindings: new Map([bound(plain, repository)]) }, async (storage) => {
        expect(made).to.equal(0);
        storage.repository(plain);
        expect(made).to.equal(1);
      });
    });
  });
}

describe('Verbs of a contract', () => {
  it('close the engine again if one is missing', async () => {
    const driver = await openSqlite({ file: ':memory:', busyTimeout: 0, log: quiet });
    let closed = 0;
    const close = async () => {
      closed++;
      await driver.close();
    };
    const bindings = new Map([bound(notes, () => new Kept())]);
    const opening = openStorage({ contracts: [notes], bindings, log: quiet }, {}, async () => ({ ...driver, close }));
    await faultOf(opening, 'unprocessable');
    expect(closed).to.equal(1);
  });

  it('are needed or optional, and nothing else', () => {
    const misspelt = { add: 'needed', list: 'need' } as unknown as Verbs<unknown>;
    expect(() => defineContract('notes@1', misspelt)).to.throw(TypeError, /verb list of notes@1 .* got "need"/);
    const listed = ['add'] as unknown as Verbs<unknown>;
    expect(() => defineContract('notes@1', listed)).to.throw(TypeError, /got "add"/);
  });
});
