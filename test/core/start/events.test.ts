/** Events between plugins, in real servers and in the processes of commands. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { logTo } from '../../../core/log.js';
import { type RunningServer, start } from '../../../core/start.js';
import { probe } from '../../support/configured.js';
import { dealt } from '../../support/dealt.js';
import { engines } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { type Outcome, trefoil } from '../../support/trefoil.js';

const fault = `(code, message) => Object.assign(new Error(message), {
  [Symbol.for('trefoil.fault')]: true, code, public: message, fields: [], headers: {} })`;

/** The module of a plugin. `register` is the body of its `register(context)`, `tell` that of its command `tell`. */
function pluginOf(name: string, register: string, tell = ''): string {
  return `import { appendFileSync } from 'node:fs';
    import probe from ${JSON.stringify(probe)};
    const fault = ${fault};
    const note = (text) => appendFileSync(new URL('./heard', import.meta.url), text + '\\n');
    const answering = (path, body) => ({ method: 'GET', path, operation: 'get', summary: 's',
      answers: { 200: { description: 'd' } }, handle: async () => ({ body: await body() }) });
    export default { ...probe, name: '${name}',
      commands: [{ name: 'tell', summary: 's', async run(context) { ${tell} } }],
      register(context) { ${register} } };`;
}

describe('events between plugins', () => {
  const folder = useFolder();
  const log = logTo({ write: () => {} }, { level: 'info' });
  let running: RunningServer | undefined;

  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  async function configure(plugins: Record<string, string>, storage: string): Promise<string> {
    for (const [name, module] of Object.entries(plugins)) await folder.write(`${name}.mjs`, module);
    const keys = Object.keys(plugins).map((name) => `  ./${name}.mjs: {}`);
    return folder.write('lab.yaml', `http: { port: 0 }\n${storage}demo: false\nplugins:\n${keys.join('\n')}\n`);
  }

  async function startWith(plugins: Record<string, string>): Promise<string> {
    const file = await configure(plugins, 'storage: { adapter: memory }\n');
    running = await start({ file, environment: {}, log });
    return running.url;
  }

  const heard = async () =>
    (await readFile(join(folder.path(), 'heard'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

  const announces = (key = 'genes/replaced@1') =>
    `context.route(answering('/tell', async () => { await context.announce('${key}', { build: 'GRCh38' }); return {}; }));`;
  const hears = (name: string, then = '') =>
    `context.on('genes/replaced@1', async (event) => { note('${name} ' + JSON.stringify(event)); ${then} });`;

  it('reach every listener before the announcement ends, whichever plugin registers first', async () => {
    const url = await startWith({
      early: pluginOf('early', hears('early')),
      genes: pluginOf('genes', announces()),
      late: pluginOf('late', hears('late', `await new Promise((end) => setTimeout(end, 20)); note('late ended');`)),
    });
    expect((await fetch(`${url}/tell`)).status).to.equal(200);
    expect(await heard()).to.deep.equal(['early {"build":"GRCh38"}', 'late {"build":"GRCh38"}', 'late ended']);
  });

  it('are dropped if there is no listener for that version', async () => {
    const other = `context.on('genes/replaced@2', () => note('wrong'));`;
    const url = await startWith({ genes: pluginOf('genes', announces()), other: pluginOf('other', other) });
    expect((await fetch(`${url}/tell`)).status).to.equal(200);
    expect(await heard()).to.deep.equal([]);
  });

  it('run the other listeners if one fails, and then report which failed', async () => {
    const catching = `context.route(answering('/tell', async () => {
      try { await context.announce('genes/replaced@1', {}); return { failed: false }; }
      catch ({ code, message, public: shown }) { return { failed: true, code, message, shown }; } }));`;
    const url = await startWith({
      genes: pluginOf('genes', catching),
      one: pluginOf('one', hears('one', `throw fault('conflict', 'its panel is locked at 10.0.0.7');`)),
      two: pluginOf('two', hears('two', `throw new Error('patient P1');`)),
      three: pluginOf('three', hears('three')),
    });
    expect(await (await fetch(`${url}/tell`)).json()).to.deep.equal({
      failed: true,
      code: 'unavailable',
      message:
        'Some plugins could not act on genes/replaced@1: one: its panel is locked at 10.0.0.7; two: an unexpected error',
      shown: 'Some plugins could not act on genes/replaced@1: "one", "two". Please try again',
    });
    expect(await heard()).to.deep.equal(['one {}', 'two {}', 'three {}']);
  });

  for (const key of ['genes/replaced', 'genes/Replaced@1', 'other/replaced@1']) {
    it(`are not announced by the plugin genes under the key ${key}`, async () => {
      const trying = `context.route(answering('/tell', async () => {
        try { await context.announce('${key}', {}); return {}; } catch ({ code, message }) { return { code, message }; } }));`;
      const url = await startWith({ genes: pluginOf('genes', trying) });
      expect(await (await fetch(`${url}/tell`)).json()).to.deep.equal({
        code: 'invalid',
        message: `The key of this event must read genes/name@1; got "${key}"`,
      });
    });
  }

  it('are listened to by plugins that declare them, if a plugin declares any', async () => {
    const declaring = (name: string, key: string) =>
      pluginOf(name, hears(name)).replace('register(', `listens: ['${key}'], register(`);
    const late = declaring('late', 'genes/replaced@1');
    const url = await startWith({ genes: pluginOf('genes', announces()), late });
    expect((await fetch(`${url}/tell`)).status).to.equal(200);
    expect(await heard()).to.deep.equal(['late {"build":"GRCh38"}']);
    const rash = startWith({ rash: declaring('rash', 'genes/other@1') });
    const refusal = await rash.catch((error: Error) => error.message);
    expect(refusal).to.include('The plugin "rash" listens to genes/replaced@1, which is not among its events');
  });

  it('open nothing in a command if no plugin may listen to them', async () => {
    const told = `await context.announce('genes/replaced@1', {}); context.terminal.print('told');`;
    const deaf = pluginOf('deaf', `note('registered')`).replace('register(', 'listens: [], register(');
    const genes = pluginOf('genes', `note('registered')`, told).replace('register(', 'listens: [], register(');
    const file = await configure({ genes, deaf }, 'storage: { adapter: memory }\n');
    const done = await trefoil(['genes', 'tell', '--config', file], { cwd: folder.path() });
    expect(done, done.stderr).to.include({ code: 0, stdout: 'told\n' });
    expect(await heard()).to.deep.equal([]);
  });

  it('are announced after registration, and listened to from registration on', async () => {
    const early = `return context.announce('one/word@1', {});`;
    const refusal = await startWith({ one: pluginOf('one', early) }).catch((error: Error) => error.message);
    expect(refusal).to.include('one/word@1 is announced during registration');
    const late = `context.onReady(async () => context.on('one/word@1', () => {}));`;
    const other = await startWith({ two: pluginOf('two', late) }).catch((error: Error) => error.message);
    expect(other).to.include('A plugin begins to listen while it registers, not later');
  });

  for (const engine of dealt(engines, 'sqlite')) {
    it(`reach the other plugins from a command, on ${engine.name}`, async () => {
      const erasure = `{ id: 'P1', holder: 'own', scope: 'all' }`;
      const listening = (name: string) =>
        `context.onErase({ find: async () => [], erase: async ([erasure]) => { note('${name} ' + JSON.stringify(erasure));
          if (process.env.FAILING === '${name}') throw fault('unavailable', 'its archive is offline'); return []; } });
        context.onReady(async () => note('${name} is ready'));
        context.onClose(async () => note('${name} closed'));`;
      const tell = `await context.announceErasure(${erasure}); context.terminal.print('told');`;
      const file = await configure(
        {
          teller: pluginOf('teller', listening('teller'), tell),
          archive: pluginOf('archive', listening('archive')),
          panels: pluginOf('panels', listening('panels')),
        },
        '',
      );
      const storage = await engine.lead();
      const run = (...args: string[]): Promise<Outcome> =>
        trefoil([...args, '--config', file], { cwd: folder.path(), env: storage.env });
      try {
        expect((await run('migrate')).code).to.equal(0);
        const done = await run('teller', 'tell');
        expect(done, done.stderr).to.include({ code: 0, stdout: 'told\n' });
        // The announcing plugin erases its own part itself.
        const told = ['archive', 'panels'].map((name) => `${name} {"id":"P1","holder":"own","scope":"all"}`);
        const closed = ['panels', 'archive', 'teller'].map((name) => `${name} closed`);
        expect(await heard()).to.deep.equal([...told, ...closed]);

        const failed = await trefoil(['teller', 'tell', '--config', file], {
          cwd: folder.path(),
          env: { ...storage.env, FAILING: 'archive' },
        });
        expect(failed.code).to.equal(1);
        expect(failed.stderr).to.equal(
          'trefoil: Some plugins could not act on the erasure of a person: archive: its archive is offline\n',
        );
        expect(await heard()).to.deep.equal([...told, ...closed, ...told, ...closed]);
      } finally {
        await storage.drop();
      }
    });
  }
});
