import { expect } from 'chai';
import { configured, faultsOf, probe, shown } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

describe('configuration: choice of the storage', () => {
  const folder = useFolder();

  async function storageOf(environment: Record<string, string>, text?: string) {
    const file = text === undefined ? undefined : await folder.write('lab.yaml', text);
    const { storage, migrate, printable } = await configured({ file, environment });
    return { name: storage.adapter.name, reason: storage.reason, migrate, settings: printable.storage as object };
  }

  it('is SQLite by default, in data/trefoil.sqlite or at TREFOIL_SQLITE_FILE', async () => {
    expect(await storageOf({})).to.deep.nested.include({
      name: 'sqlite',
      reason: 'the default',
      migrate: 'auto',
      'settings.file': 'data/trefoil.sqlite',
    });
    expect((await storageOf({ TREFOIL_SQLITE_FILE: '/x/y.sqlite' })).settings).to.include({ file: '/x/y.sqlite' });
    const text = 'storage: { adapter: sqlite, file: from-file.sqlite }\n';
    expect((await storageOf({}, text)).settings).to.include({ file: 'from-file.sqlite' });
    expect((await storageOf({ TREFOIL_SQLITE_FILE: 'from-env' }, text)).settings).to.include({ file: 'from-env' });
  });

  for (const name of ['POSTGRES_HOST', 'PGHOST']) {
    it(`is PostgreSQL if ${name} is set and no file names an adapter`, async () => {
      const environment = { [name]: 'db', TREFOIL_SQLITE_FILE: 'ignored.sqlite' };
      const chosen = await storageOf(environment, `http: { port: 1 }\n`);
      expect(chosen).to.deep.include({
        name: 'postgres',
        reason: `chosen by the environment variable ${name}`,
        migrate: 'manual',
      });
      expect(chosen.settings).to.include({ host: 'db' }).and.not.have.property('file');
    });
  }

  it('is PostgreSQL if DATABASE_URL is set, and hides its password', async () => {
    const chosen = await storageOf({ DATABASE_URL: 'postgres://me:s3cret@db:6543/lab' });
    expect(chosen).to.include({ name: 'postgres', reason: 'chosen by the environment variable DATABASE_URL' });
    expect(JSON.stringify(chosen)).to.not.include('s3cret');
  });

  it('is the one that the file names, whatever host the environment names', async () => {
    const text = 'storage:\n  adapter: sqlite\n  file: mine.sqlite\n';
    const chosen = await storageOf({ POSTGRES_HOST: 'db' }, text);
    expect(chosen.name).to.equal('sqlite');
    expect(chosen.reason).to.match(/^named in .*lab\.yaml:2:3$/);
  });

  it('is the one that TREFOIL_STORAGE names, even against a file', async () => {
    const text = 'storage: { adapter: sqlite, file: mine.sqlite }\n';
    const chosen = await storageOf({ TREFOIL_STORAGE: 'postgres', PGPORT: '6543', PGPASSWORD: '0123' }, text);
    expect(chosen).to.include({ name: 'postgres', reason: 'named by the environment variable TREFOIL_STORAGE' });
    expect(chosen.settings).to.include({ port: 6543, password: '********' }).and.not.have.property('file');
    const other = await storageOf({ TREFOIL_STORAGE: 'sqlite', POSTGRES_HOST: 'db' });
    expect(other.name).to.equal('sqlite');
  });

  it('prefers the variables of the PostgreSQL image to those of libpq, and both to the file', async () => {
    const text = 'storage: { adapter: postgres, host: file, user: file, database: file, port: 1 }\n';
    const environment = { POSTGRES_HOST: 'image', PGHOST: 'libpq', PGUSER: 'libpq', POSTGRES_DB: 'image', PGPORT: '2' };
    const { settings } = await storageOf(environment, text);
    expect(settings).to.include({ host: 'image', user: 'libpq', database: 'image', port: 2 });
  });

  it('can be an adapter by path, with variables of its own', async () => {
    await folder.write(
      'mine.mjs',
      `import memory from ${JSON.stringify(new URL('../../../adapters/memory/adapter.ts', import.meta.url).href)};
       const validate = (value) => ({ value });
       const settings = { '~standard': { version: 1, vendor: 'mine', validate } };
       const environment = { variables: { MINE_PLACE: 'place' } };
       export default { ...memory, name: 'mine', settings, environment, describe: ({ place }) => 'at ' + place };`,
    );
    const file = await folder.write('lab.yaml', `storage: { adapter: ./mine.mjs }\nplugins:\n  ${probe}: {}\n`);
    const { storage } = await configured({ file, environment: { MINE_PLACE: 'home' } });
    expect(storage.description).to.equal('at home');
  });

  it('is refused if the file names an invalid adapter', async () => {
    await folder.write('none.mjs', 'export default { name: "none" };');
    const file = await folder.write('lab.yaml', 'storage: { adapter: ./none.mjs }\n');
    expect((await faultsOf({ file })).map(shown).join()).to.match(
      /storage\.adapter: "\.\/none\.mjs" is not a usable adapter: its settings/,
    );
  });
});
