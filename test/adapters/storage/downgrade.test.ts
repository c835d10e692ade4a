/** Back to an earlier schema with rows in the tables: exactly the announced data is lost. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { SchemaStep } from '../../../adapters/knex/binding.js';
import { releases } from '../../../adapters/knex/ledger.js';
import type { Downgrade, Storage } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { faultOf } from '../../support/fault.js';
import { storages } from '../../support/storages.js';
import { answers, importInto } from './support/alleles.js';
import { useHome } from './support/home.js';
import { probe, probeWith, steps } from './support/probe.js';

/** After the probe's own two: a column with values, rows that its `down` deletes, and a step that cannot be undone. */
const notes: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('probe_values', (table) => columns.text(table, 'note'));
  },
  async down(schema) {
    await schema('probe_values').where('id', '>', 2).delete();
    await schema.raw('alter table probe_values drop column note');
  },
};
const stuck: SchemaStep = {
  async up() {},
  async down(schema) {
    await schema.raw('insert into probe_nowhere values (1)');
  },
};

for (const engine of storages) {
  describe(`Downgrades on ${engine.name}`, function () {
    this.timeout(120_000);
    const { open } = useHome(engine);

    async function opened(more: Record<string, SchemaStep> = {}): Promise<Storage> {
      const storage = await open([probe, beacon], probeWith({ ...steps, ...more }));
      await storage.migrate();
      return storage;
    }
    const back = (storage: Storage, to: string, trial = false): Promise<Downgrade> => {
      if (!storage.downgrade) throw new Error('The family has a way back');
      return storage.downgrade(to, { trial });
    };
    async function fill(storage: Storage): Promise<void> {
      await storage.repository(probe).transaction(async ({ write }) => {
        await write('probe_values').insert(
          [1, 2, 3, 4].map((id) => ({ id, name: `n${id}`, note: id < 3 ? 'x' : null })),
        );
        await write('probe_children').insert([{ parent: 1 }, { parent: 1 }, { parent: 2 }]);
      });
    }
    const names = async (storage: Storage) =>
      (await storage.repository(probe).query<{ name: string }>('select name from probe_values order by id', [])).map(
        ({ name }) => name,
      );
    const pending = async (storage: Storage) => (await storage.pending()).map(({ name }) => name);

    it('announce losses without changing anything, then lose exactly those', async () => {
      const storage = await opened({ '003-notes': notes });
      await fill(storage);
      const expected: Downgrade = {
        undone: [
          { contract: 'probe@1', name: '003-notes' },
          { contract: 'probe@1', name: '002-children' },
        ],
        lost: [
          { table: 'probe_children', rows: 3 },
          { table: 'probe_values', column: 'note', rows: 2 },
          { table: 'probe_values', rows: 2, kept: 2 },
        ],
      };
      expect(await back(storage, 'probe@1/001-values', true)).to.deep.equal(expected);
      expect(await pending(storage)).to.deep.equal([]);
      expect(await names(storage)).to.deep.equal(['n1', 'n2', 'n3', 'n4']);
      expect(await back(storage, 'probe@1/001-values')).to.deep.equal(expected);
      expect(await pending(storage)).to.deep.equal(['002-children', '003-notes']);
      expect(await names(storage)).to.deep.equal(['n1', 'n2']);
      expect(await back(storage, 'probe@1/001-values')).to.deep.equal({ undone: [], lost: [] });
      await storage.migrate();
      expect(await pending(storage)).to.deep.equal([]);
      expect(await names(storage)).to.deep.equal(['n1', 'n2']);
    });

    it('undo all steps or none', async () => {
      const storage = await opened({ '003-notes': notes, '002-stuck': stuck });
      await fill(storage);
      const { message } = await faultOf(back(storage, 'probe@1/001-values'));
      expect(message).to.include('probe@1/002-stuck could not be undone');
      expect(await pending(storage)).to.deep.equal([]);
      expect(await names(storage)).to.deep.equal(['n1', 'n2', 'n3', 'n4']);
    });

    it('list the existing versions and steps if another one is named', async () => {
      const storage = await opened();
      for (const to of ['0.0.9', 'probe@1', 'probe@1/009-none', '']) {
        const { message } = await faultOf(back(storage, to), 'invalid');
        expect(message).to.include('0.2.0').and.include('probe@1/001-values');
      }
    });

    it('to a version leave the tables of foreign plugins unchanged', async () => {
      const storage = await opened({ '003-notes': notes });
      await fill(storage);
      const { undone } = await back(storage, '0.2.0');
      expect(undone.filter(({ contract }) => contract === 'probe@1')).to.deep.equal([]);
      expect(await names(storage)).to.have.lengthOf(4);
    });

    for (const to of ['0.2.0', 'beacon@1/010-shared-batches']) {
      it(`keep every allele on the way to ${to} and up again`, async () => {
        const storage = await opened();
        const repository = storage.repository(beacon);
        await importInto(repository);
        const before = await answers(repository);
        const { undone } = await back(storage, to);
        expect((await storage.pending()).map(({ name }) => name)).to.deep.equal(
          undone.map(({ name }) => name).reverse(),
        );
        await storage.migrate();
        expect(await answers(repository)).to.deep.equal(before);
      });
    }
  });
}

describe('The schemas of earlier releases', () => {
  it('name every existing contract, and an existing step for each', async () => {
    const folder = fileURLToPath(new URL('../../../adapters/knex/', import.meta.url));
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
      const { default: binding } = await import(`../../../adapters/knex/${name}/binding.js`);
      const { contract, migrations } = binding as { contract: { id: string }; migrations: Record<string, SchemaStep> };
      for (const [release, last] of Object.entries(releases)) {
        expect(last, `${release} and ${contract.id}`).to.have.property(contract.id);
        const step = last[contract.id];
        if (typeof step === 'string') expect(migrations).to.have.property(step);
      }
    }
  });
});
