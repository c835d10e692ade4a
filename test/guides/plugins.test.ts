import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { installWithLevel } from '../kit/kv-adapter/installed.js';
import { dealt } from '../support/dealt.js';
import { engines } from '../support/engines.js';
import { type Block, blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

const sh = (text: string): Block => ({ language: 'sh', rest: '', text });
const configured = sh('export TREFOIL_CONFIG=trefoil.yaml');
const own = blocksOf('plugins/README.md', 'A plugin of your own, from an empty folder');

/** The command of the guide that begins so. */
function command(beginning: string): Block {
  const found = own.find(({ language, text }) => language === 'sh' && text.startsWith(beginning));
  if (found === undefined) throw new Error(`No command of the guide begins with ${beginning}`);
  return found;
}

/** The command by which the plugin is tested. */
const test = 'node --test gene-notes/plugin.test.js';

describe('guides: a plugin of your own', function () {
  this.timeout(120_000); // builds, packs, and runs many commands
  let installed: Installed;
  beforeEach(() => {
    installed = install();
  });
  afterEach(() => installed.remove());

  for (const engine of dealt(engines, 'sqlite')) {
    it(`works as written on ${engine.name}`, async () => {
      const storage = await engine.lead();
      const options = { folder: installed.folder, env: storage.env };
      try {
        await follow(own, options);
        await follow([configured, ...blocksOf('plugins/README.md', 'Services between plugins')], options);
        await follow([configured, ...blocksOf('plugins/README.md', 'Events between plugins')], options);
      } finally {
        await storage.drop();
      }
    });
  }

  it('begins with a plugin of one route', async () => {
    await follow(blocksOf('plugins/README.md', 'The smallest plugin'), { folder: installed.folder });
  });

  it('keeps notes in LevelDB, through an adapter in a separate package', async () => {
    installed.remove();
    installed = installWithLevel();
    const storage = `{
      name: 'LevelDB',
      async open(contracts) {
        const stores = new Map(Object.entries(plugin.stores));
        const settings = { folder: 'level' };
        const storage = await level.open({ settings, contracts, bindings: new Map(), stores, log: console });
        await storage.migrate();
        return { storage };
      },
    }`;
    const { folder } = installed;
    await follow([command('cp ')], { folder });
    const file = join(folder, 'gene-notes/plugin.test.js');
    const code = (await readFile(file, 'utf8')).replace(/await storageSubject\([\s\S]*?\);/, `${storage};`);
    await writeFile(file, `import level from '@lab/trefoil-level';\n${code}`);
    await follow([sh(test)], { folder });
    expect(await readdir(join(installed.folder, 'level'))).to.include('CURRENT');
  });

  it('keeps notes in PostgreSQL, above tables and by a binding of its own', async () => {
    const postgres = await engines.find(({ name }) => name === 'postgres')?.lead();
    if (postgres === undefined) throw new Error('PostgreSQL is among the engines');
    const options = { folder: installed.folder, env: { ...postgres.env, ADAPTER: 'postgres' } };
    try {
      await follow([command('cp '), sh(test), command('sed ')], options);
      // The binding is used: with a wrong one the tests fail.
      const binding = join(installed.folder, 'gene-notes/knex.js');
      await writeFile(binding, (await readFile(binding, 'utf8')).replace('gene = ?', 'gene <> ?'));
      const failed = await follow([sh(test)], options).catch((error: Error) => error.message);
      expect(failed).to.include('a note is found by its gene in any case');
    } finally {
      await postgres.drop();
    }
  });
});
