import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const log = new URL('../../../core/log.ts', import.meta.url).href;

/** Runs code with a `log` to stdout, in a process of its own. */
function run(code: string) {
  const setup = `const { createLog } = await import(${JSON.stringify(log)}); const log = createLog({ level: 'info' });`;
  const child = spawn(process.execPath, ['--import=tsx/esm', '--input-type=module', '-e', setup + code], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (data) => {
    written += String(data);
  });
  const lines = () => written.split('\n').filter((line) => line !== '');
  return { child, lines, messages: () => lines().map((line) => (JSON.parse(line) as { msg: string }).msg) };
}

describe('log on stdout', () => {
  for (const [how, end] of [
    ['ends by itself', ''],
    ['is ended in code', 'process.exit(0);'],
  ]) {
    it(`loses no line if the process ${how}`, async () => {
      const { child, messages } = run(`for (let i = 0; i < 1000; i += 1) log.info({}, 'line ' + i); ${end}`);
      await once(child, 'close');
      expect(messages()).to.deep.equal(Array.from({ length: 1000 }, (_, i) => `line ${i}`));
    });
  }

  it('writes within a moment while the process runs', async () => {
    const { child, messages } = run(`log.info({}, 'waits'); setInterval(() => {}, 1000);`);
    await once(child.stdout, 'data');
    expect(messages()).to.deep.equal(['waits']);
    child.kill();
    await once(child, 'close');
  });

  it('writes a warning or error, and all lines before it, at once, so that even kill -9 loses none', async () => {
    const { child, messages } = run(
      `log.info({}, 'a'); log.warn({}, 'b'); log.info({}, 'c'); log.child({ x: 1 }).error({}, 'd');
       process.kill(process.pid, 'SIGKILL');`,
    );
    await once(child, 'close');
    expect(messages()).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('still masks secrets', async () => {
    const { child, lines } = run(`log.info({ token: 'abc', head: { authorization: 'def' } }, 'x');`);
    await once(child, 'close');
    expect(lines().join())
      .to.include('********')
      .and.not.match(/abc|def/);
  });
});
