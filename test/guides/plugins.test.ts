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

  it('declares rights, records what it shows and erases people as written', async () => {
    const { folder } = installed;
    const parts = (heading: string) =>
      blocksOf('plugins/README.md', heading).flatMap(({ language, text }) => (language === 'js' ? [text] : []));
    const [right = '', decision = '', disclosure = ''] = parts('Rights');
    const [eraser = ''] = parts('Erasing people');
    const plugin = `
import { appendFile } from 'node:fs/promises';
import { defineRight, definePlugin, disclosing, eraserOf, Fault, peopleOf, route } from 'trefoil/plugin';
import { z } from 'zod';
${right}
const saved = new Date(0);
const all = [
  { id: 'a', gene: 'PER3', sample: 'S1', isPublic: true, saved },
  { id: 'b', gene: 'CFTR', sample: 'S2', isPublic: false, saved },
];
const notes = {
  list: async () => all,
  ofSamples: async (ids) => all.filter(({ sample }) => ids.includes(sample)),
  remove: (ids) => appendFile('erased.txt', ids.join(' ')),
};
export default definePlugin({
  name: 'gene-notes', api: 1, summary: 'Notes', settings: z.strictObject({}), contracts: [], rights: [read],
  register(context) {
    const access = context.optionalAccess(read);
    ${eraser}
    context.route(route({
      method: 'GET', path: '/notes/:gene', operation: 'find', summary: 'A note', optionalAccess: access,
      params: z.object({ gene: z.string() }),
      answers: { 200: { description: 'Notes.', content: { 'application/json': z.object({ visible: z.array(z.string()) }) } } },
      async handle(request) {
        const { id, params: { gene } } = request;
        const note = all.find((one) => one.gene === gene);
        ${decision}
        ${disclosure}
        return { body: { visible: visible.map((one) => one.gene) } };
      },
    }));
  },
});`;
    await writeFile(join(folder, 'rights.js'), plugin);
    const configuration =
      'demo: false\naudit: { key: a-key-of-more-than-thirty-two-characters }\nplugins: { ./rights.js: {} }\n';
    await writeFile(join(folder, 'trefoil.yaml'), configuration);
    const printed: string[] = [];
    await follow(
      [
        configured,
        sh('npx trefoil migrate'),
        { language: 'sh', rest: 'serve', text: 'npx trefoil serve' },
        sh('curl -s -w "%{http_code}" http://127.0.0.1:5000/notes/PER3'),
        sh('curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:5000/notes/CFTR'),
        sh(`TOKEN=$(npx trefoil token add --owner lab --scope gene-notes:read:CFTR)
curl -s -H "X-Auth-Token: $TOKEN" http://127.0.0.1:5000/notes/CFTR`),
        sh('npx trefoil audit list --sample S2'),
        sh('npx trefoil erase --sample S2 --yes'),
      ],
      { folder, onPrint: (text) => printed.push(text) },
    );
    const [, , open, hidden, granted, audit, erased] = printed;
    expect(open).to.equal('{"visible":["PER3"]}200');
    expect(hidden).to.equal('404');
    expect(granted).to.equal('{"visible":["PER3","CFTR"]}');
    expect(audit).to.include('gene-notes.read');
    expect(erased).to.include('notes about samples');
    expect(await readFile(join(folder, 'erased.txt'), 'utf8')).to.equal('b');
  });

  it('shows lines of its example that are there', async () => {
    for (const [heading, name] of [
      ['Services between plugins', 'panel-view.js'],
      ['Events between plugins', 'note-journal.js'],
    ] as const) {
      const source = await readFile(
        join(installed.folder, 'node_modules/trefoil/test/support/gene-notes', name),
        'utf8',
      );
      const [block] = blocksOf('plugins/README.md', heading).filter(({ language }) => language === 'js');
      for (const line of block?.text.split('\n') ?? ['no block']) expect(source).to.include(line);
    }
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
