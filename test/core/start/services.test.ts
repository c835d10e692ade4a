/** Services that plugins offer each other, in a real server. */
import { expect } from 'chai';
import { logTo } from '../../../core/log.js';
import { type RunningServer, start } from '../../../core/start.js';
import { probe } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

describe('services between plugins', () => {
  const folder = useFolder();
  let running: RunningServer | undefined;
  const log = logTo({ write: () => {} }, { level: 'info' });

  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  /** Starts with plugins whose `register(context)` has these bodies, in this order. */
  async function startWith(plugins: Record<string, string>): Promise<string> {
    for (const [name, register] of Object.entries(plugins)) {
      const module = `import probe from ${JSON.stringify(probe)};
        const answering = (path, body) => ({ method: 'GET', path, operation: 'get', summary: 's',
          answers: { 200: { description: 'd' } }, handle: async () => ({ body: await body() }) });
        export default { ...probe, name: '${name}', commands: [], register(context) { ${register} } };`;
      await folder.write(`${name}.mjs`, module);
    }
    const keys = Object.keys(plugins).map((name) => `  ./${name}.mjs: {}`);
    const text = `http: { port: 0 }\nstorage: { adapter: memory }\ndemo: false\nplugins:\n${keys.join('\n')}\n`;
    running = await start({ file: await folder.write('lab.yaml', text), environment: {}, log });
    return running.url;
  }

  async function refusal(plugins: Record<string, string>): Promise<string> {
    return startWith(plugins).then(
      () => 'it started',
      (error: Error) => error.message,
    );
  }

  const asks = (path: string, key: string) =>
    `context.route(answering('${path}', () => context.find('${key}')?.answer() ?? { answer: 'unknown' }));`;
  const offers = (key: string, answer: string) =>
    `context.offer('${key}', () => ({ answer: () => ({ answer: '${answer}' }) }));`;

  const answerAt = async (url: string) => (await fetch(url)).json();

  it('are found by their key, whichever plugin registers first', async () => {
    const url = await startWith({
      early: asks('/early', 'middle/word@1'),
      middle: offers('middle/word@1', 'here'),
      late: asks('/late', 'middle/word@1'),
    });
    expect(await answerAt(`${url}/early`)).to.deep.equal({ answer: 'here' });
    expect(await answerAt(`${url}/late`)).to.deep.equal({ answer: 'here' });
  });

  it('are unknown if no enabled plugin offers them, or only another version', async () => {
    const url = await startWith({ one: offers('one/word@1', 'here'), two: asks('/two', 'one/word@2') });
    expect(await answerAt(`${url}/two`)).to.deep.equal({ answer: 'unknown' });
  });

  it('let two plugins call each other at run time', async () => {
    const url = await startWith({
      one: offers('one/word@1', 'of one') + asks('/one', 'two/word@1'),
      two: offers('two/word@1', 'of two') + asks('/two', 'one/word@1'),
    });
    expect(await answerAt(`${url}/one`)).to.deep.equal({ answer: 'of two' });
    expect(await answerAt(`${url}/two`)).to.deep.equal({ answer: 'of one' });
  });

  it('are built once, from services of others, in whatever order they were offered', async () => {
    const url = await startWith({
      one: `let built = 0; context.offer('one/word@1', () => { built += 1; const other = context.find('two/word@1');
        return { answer: () => ({ built, other: other.answer() }) }; });${asks('/one', 'one/word@1')}`,
      two: offers('two/word@1', 'of two'),
    });
    expect(await answerAt(`${url}/one`)).to.deep.equal({ built: 1, other: { answer: 'of two' } });
  });

  it('are refused at start if they need each other to be built', async () => {
    const needs = (key: string, other: string) =>
      `context.offer('${key}', () => ({ other: context.find('${other}') }));`;
    expect(
      await refusal({ one: needs('one/word@1', 'two/word@1'), two: needs('two/word@1', 'one/word@1') }),
    ).to.include('Services need each other to be built: one/word@1 → two/word@1 → one/word@1');
  });

  it('are refused under a key that is offered twice', async () => {
    const twice = offers('one/word@1', 'a') + offers('one/word@1', 'b');
    expect(await refusal({ one: twice })).to.include('The service one/word@1 is offered twice');
  });

  for (const key of ['word@1', 'one/word', 'one/word@0', 'one/Word@1', 'two/word@1']) {
    it(`are refused under the key ${key} of plugin one`, async () => {
      expect(await refusal({ one: offers(key, 'a') })).to.include(
        `The key of this service must read one/name@1; got "${key}"`,
      );
    });
  }

  it('cannot be looked up while a plugin registers', async () => {
    expect(await refusal({ one: `context.find('two/word@1');` })).to.include(
      'The service two/word@1 is looked for during registration',
    );
  });
});
