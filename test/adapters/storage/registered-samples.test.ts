/** Rows of registered samples and of their runs that are damaged. */
import { expect } from 'chai';
import { coverageSamples, type SampleDescription } from '../../../plugins/coverage/contract.js';
import { block, check } from '../../conformance/coverage/registered.js';
import { faultOf } from '../../support/fault.js';
import { runSql } from '../../support/sql.js';
import { quiet, storages } from '../../support/storages.js';
import { useHome } from './support/home.js';

const now = new Date('2026-01-02T03:04:05.006Z');
const described: Omit<SampleDescription, 'id'> = { build: 'GRCh38', file: { path: '/a.d4' }, sex: 'male', labels: {} };

for (const engine of storages) {
  describe(`Damaged registered samples on ${engine.name}`, () => {
    const { home, open } = useHome(engine);

    async function registered() {
      const storage = await open([coverageSamples]);
      await storage.migrate();
      const samples = storage.repository(coverageSamples);
      await samples.register(
        ['a', 'b'].map((id) => ({ id, ...described })),
        now,
      );
      for (const { id, revision } of await samples.revisions(['a', 'b'])) {
        const runs = [block('1', 0, 5, Uint8Array.of(1, 2)), block('1', 5, 9, Uint8Array.of(3))];
        await samples.record(id, revision, { state: 'ready', check: check(1), runs });
      }
      const damage = (sql: string) => runSql(home().section, [sql]);
      const damaged = async () => (await storage.damaged?.())?.map(({ table, row }) => `${table} ${row}`);
      return { samples, damage, damaged };
    }

    it('are left out and named, and registering them again mends them', async () => {
      const { samples, damage, damaged } = await registered();
      await damage("update coverage_samples_registered set state = 'gone' where id = 'a'");
      expect((await samples.list({ limit: 5 })).map(({ id }) => id)).to.deep.equal(['b']);
      expect(await samples.find(['a'])).to.deep.equal([]);
      expect(await damaged()).to.deep.equal(['coverage_samples_registered id a']);
      expect(await samples.register([{ id: 'a', ...described }], now)).to.deep.equal(['added']);
      const [mended] = await samples.find(['a']);
      expect(mended)
        .to.deep.include({ id: 'a', state: 'pending', ...described })
        .and.not.have.property('check');
      expect(await damaged()).to.deep.equal([]);
    });

    it('are not named in the log, which names no one', async () => {
      const logged: unknown[] = [];
      const log = { ...quiet, error: (details: object, message: string) => void logged.push({ ...details, message }) };
      const { damage } = await registered();
      await damage("update coverage_samples_registered set state = 'gone' where id = 'a'");
      await damage("update coverage_samples_runs set chromosome = 99 where sample = 'b' and start = 5");
      const samples = (await open([coverageSamples], { log })).repository(coverageSamples);
      await samples.find(['a', 'b']);
      await samples.list({ limit: 5 });
      await samples.runs('b').catch(() => undefined);
      const message = 'a row of the storage is damaged and set aside';
      expect(logged).to.deep.equal([
        { table: 'coverage_samples_registered', message },
        // By the number that the table gave it.
        { table: 'coverage_samples_runs', number: '4', message },
      ]);
    });

    it('are removed, with their runs', async () => {
      const { samples, damage, damaged } = await registered();
      await damage("update coverage_samples_registered set sex = 'no' where id = 'a'");
      expect(await samples.remove(['a'])).to.equal(1);
      expect(await samples.runs('a')).to.deep.equal([]);
      expect(await damaged()).to.deep.equal([]);
    });

    it('give no runs without a block that cannot be read', async () => {
      const { samples, damage, damaged } = await registered();
      await damage("update coverage_samples_runs set chromosome = 99 where sample = 'a' and start = 5");
      const { message } = await faultOf(samples.runs('a'), 'internal');
      expect(message).to.equal('A stored block of covered bases cannot be read');
      expect((await samples.runs('b')).length).to.equal(2);
      expect((await damaged())?.length).to.equal(1);
    });

    it('are found by the checksums of blocks, which are returned as they are', async () => {
      const { samples, damage, damaged } = await registered();
      await damage("update coverage_samples_runs set checksum = 'x' where sample = 'a' and start = 5");
      expect((await samples.runs('a')).map(({ checksum }) => checksum)).to.include('x');
      const [found] = await samples.runsFrom(['a'], '1', { start: 0, end: 9 });
      expect(found?.blocks.length).to.equal(2);
      expect((await damaged())?.length).to.equal(1);
    });
  });
}
