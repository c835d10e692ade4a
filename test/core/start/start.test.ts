import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { logTo } from '../../../core/log.js';
import { type RunningServer, start } from '../../../core/start.js';
import { probe } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

describe('start and stop', () => {
  const folder = useFolder();
  let running: RunningServer | undefined;
  let written: string[];
  const log = logTo({ write: (line) => void written.push(line) }, { level: 'info' });

  beforeEach(() => {
    written = [];
    running = undefined;
  });
  afterEach(async () => {
    await running?.stop();
  });

  /** Starts with a plugin of the test, written as a module beside the configuration. */
  async function startWith(plugins: Record<string, string>, http = 'port: 0'): Promise<RunningServer> {
    const keys = Object.keys(plugins).map((name) => `  ./${name}.mjs: {}`);
    for (const [name, body] of Object.entries(plugins)) await folder.write(`${name}.mjs`, pluginModule(name, body));
    const text = `http: { ${http} }\nstorage: { adapter: memory }\ndemo: false\nplugins:\n${keys.join('\n')}\n`;
    const file = await folder.write('lab.yaml', text);
    running = await start({ file, environment: {}, log });
    return running;
  }

  function pluginModule(name: string, register: string): string {
    return `import probe from ${JSON.stringify(probe)};
      export default { ...probe, name: ${JSON.stringify(name)}, commands: [], register(context) { ${register} } };`;
  }

  const route = (path: string) =>
    `context.route({ method: 'GET', path: '${path}', operation: 'get', summary: 's', answers: { 200: { description: 'd' } }, handle: () => ({ body: {} }) });`;

  async function refusal(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'it started',
      (error: Error) => error.message,
    );
  }

  it('serves the plugins, prints the address, and stops', async () => {
    const { url, stop } = await startWith({ one: route('/one') });
    expect((await fetch(`${url}/one`)).status).to.equal(200);
    expect(await (await fetch(`${url}/-/ready`)).json()).to.deep.include({ ready: true });
    expect(await stop()).to.equal(true);
    expect(await refusal(fetch(`${url}/one`))).to.match(/fetch failed/);
  });

  it('refuses two plugins on one path, naming both', async () => {
    const message = await refusal(startWith({ one: route('/same'), two: route('/same/') }));
    expect(message)
      .to.include('/same')
      .and.match(/one.*two/s);
  });

  it('refuses a plugin whose schemas /openapi.json cannot describe, naming it and its route', async () => {
    const zod3 = JSON.stringify(import.meta.resolve('zod/v3'));
    const withSchema = (schema: string) => `return import(${zod3}).then(({ z }) => {
      const answers = { 200: { description: 'd', content: { 'application/json': ${schema} } } };
      context.route({ method: 'GET', path: '/old/', operation: 'get', summary: 's', answers, handle: () => ({}) });
    });`;
    expect(await refusal(startWith({ old: withSchema(`z.object({ gene: z.string() })`) }))).to.equal(
      'plugin old: GET /old cannot be described in /openapi.json: it has a schema that is not of zod 4',
    );
  });

  it('refuses to start if a plugin cannot register or get ready, and leaves nothing open', async () => {
    expect(await refusal(startWith({ one: `throw new Error('no luck');` }))).to.match(
      /"one" failed to register: no luck/,
    );
    expect(
      await refusal(startWith({ two: `context.onReady(async () => { throw new Error('password=s3cret'); });` })),
    ).to.equal('The plugin "two" failed while getting ready: an unexpected error');
  });

  it('closes the plugins in reverse order, even if one of them fails', async () => {
    const close = (name: string, end = '') =>
      `context.onClose(async () => { context.log.info({}, 'closed ${name}'); ${end} });`;
    const { stop } = await startWith({
      one: close('one'),
      two: close('two', `throw new Error('x');`),
      three: close('three'),
    });
    expect(await stop()).to.equal(false);
    const closed = written.flatMap((line) => /closed (one|two|three)/.exec(line)?.[0] ?? []);
    expect(closed).to.deep.equal(['closed three', 'closed two', 'closed one']);
    expect(written.join('')).to.include('"what":"two"');
  });

  it('reports in one sentence that the port is in use', async () => {
    const other: Server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const message = await refusal(startWith({ one: '' }, `port: ${port}`));
      expect(message).to.match(new RegExp(`^[^\n]*${port}[^\n]*in use[^\n]*$`));
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('gives a plugin only the contracts that it requested', async () => {
    const message = await refusal(startWith({ one: `context.repository({ id: 'tokens@1' });` }));
    expect(message).to.match(/asks for tokens@1, which is not among its contracts/);
  });

  it('waits until every plugin is ready before it reports so', async () => {
    const ready = (name: string) => `context.onReady(async () => context.log.info({}, 'getting ${name} ready'));`;
    await startWith({ one: ready('one'), two: ready('two') });
    const messages = written.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(
      messages.filter((message) => /ready/.test(message)).map((message) => message.replace(/ \d.*is/, ' is')),
    ).to.deep.equal(['getting one ready', 'getting two ready', 'Trefoil is ready']);
  });
});
