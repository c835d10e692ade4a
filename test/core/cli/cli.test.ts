import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { version } from '../../../core/package.js';
import { command } from '../../support/command.js';
import { probe } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';
import { type Outcome, Running, serve, trefoil } from '../../support/trefoil.js';

describe('command line', () => {
  const folder = useFolder();

  /** Without a process for each line, except for those that may start a server. */
  async function run(line: string, env: Record<string, string> = {}): Promise<Outcome> {
    await folder.write('lab.yaml', `http: { port: 0 }\nstorage: { adapter: memory }\nplugins:\n  ${probe}: {}\n`);
    const args = line === '' ? [] : line.split(' ');
    const started = /^(serve|probe run)/.test(line) ? trefoil : command;
    return started(args, { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml', ...env } });
  }

  it('prints its version and its commands, including those of plugins', async () => {
    const started = (word: string) => trefoil([word], { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } });
    await run('--version');
    expect(await started('--version')).to.include({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { code, stdout } = await started('--help');
    expect(code).to.equal(0);
    for (const word of ['serve', 'check', 'migrate', 'openapi', 'token', 'probe', 'Examples:']) {
      expect(stdout).to.include(word);
    }
  });

  it('shows help with a note if the configuration is invalid', async () => {
    const { code, stdout, stderr } = await run('--help', { TREFOIL_CONFIG: 'none.yaml' });
    expect(code).to.equal(0);
    expect(stdout).to.include('serve');
    expect(stderr).to.include('none.yaml does not exist');
  });

  const misuse: [line: string, says: RegExp][] = [
    ['', /Usage: trefoil/],
    ['nonsense', /unknown command 'nonsense'/],
    ['prob say hello', /unknown command 'prob'[\s\S]*Did you mean probe/],
    ['serve --prot 1', /unknown option '--prot'[\s\S]*--port/],
    ['serve more', /too many arguments/],
    ['serve --port', /--port <number>' argument missing/],
    ['serve --port banana', /http\.port: .*\(--port\)/],
    ['serve --port 1 --port 2', /'--port <number>'[\s\S]*It must be given only once/],
    ['token revoke', /missing required argument 'id'/],
    ['token add --scope beacon:write', /^Missing option '--owner'\n/],
    ['probe say hello', /^Missing options '--to', '--from'\n/],
    ['probe say hello --to a --from b --tone loud', /Allowed are Warm, Cold/],
  ];
  for (const [line, says] of misuse) {
    it(`refuses misuse with exit code 2: trefoil ${line}`, async () => {
      const { code, stdout, stderr } = await run(line);
      expect(stderr)
        .to.match(says)
        .and.not.match(/\n\s+at /);
      expect(stdout).to.equal('');
      expect(code).to.equal(2);
    });
  }

  const faults: [line: string, says: RegExp][] = [
    ['check --config none.yaml', /none\.yaml does not exist \(--config\)/],
    ['serve --config none.yaml', /none\.yaml does not exist \(--config\)/],
    ['beacon add demo', /"beacon" is not enabled: lab\.yaml/],
    ['token revoke nobody', /There is no token "nobody"/],
    ['token add --owner me --scope everything', /Unknown scope "everything"\. Accepted: server:read, server:\*, \*\n$/],
    ['token add --owner me --scope server:raed', /Unknown scope "server:raed"; did you mean "server:read"\?/],
    ['token add --owner me --scope server:read:ds', /server:read cannot be limited/],
    ['token add --owner me --scope server:read --expires yesterday', /expiry/],
    ['token add --owner me --scope server:read --expires 2001-01-01', /2001-01-01T23:59:59\.999Z is not in the future/],
    ['token add --owner me --scope server:read --expires 2090-02-31', /expiry/],
    ['token add --owner me --scope server:read --token short', /16 to 512 .*--allow-weak-token/],
    ['job show 1', /There is no job "1"/],
    ['job list --owner me --limit 0', /above 0/],
    ['probe fail', /unexpected error: a surprise/],
  ];
  for (const [line, says] of faults) {
    it(`reports a fault in one sentence with exit code 1: trefoil ${line}`, async () => {
      const { code, stdout, stderr } = await run(line);
      expect(stderr)
        .to.match(says)
        .and.not.match(/\n\s+at /);
      expect(stdout).to.equal('');
      expect(code).to.equal(1);
    });
  }

  it('runs the commands of a plugin by path, with settings from the environment', async () => {
    const line = 'probe say hello --to a --from b --tone cold --also c --also d --json';
    const { code, stdout } = await run(line, { PROBE_LIMIT: '8' });
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ limit: 8, to: 'a', from: 'b', tone: 'Cold', also: ['c', 'd'] });
  });

  it('accepts --json and --config before and after the command words', async () => {
    for (const line of ['--json --config lab.yaml check', 'check --config=lab.yaml --json']) {
      const { stdout } = await run(line, { TREFOIL_CONFIG: '' });
      expect(JSON.parse(stdout)).to.deep.nested.include({ 'storage.adapter': 'memory', pending: [], trouble: null });
    }
  });

  it('shows the effective configuration with secrets masked', async () => {
    const { stdout, code } = await run('check --json', { PROBE_GREETING: 'postgres://a:s3cret@b/c' });
    expect(code).to.equal(0);
    expect(stdout).to.include('postgres://a:********@b/c').and.not.include('s3cret');
    expect(JSON.parse(stdout).storage.reason).to.equal('named in lab.yaml:2:12');
  });

  it('issues a token and shows it once', async () => {
    const { code, stdout, stderr } = await run('token add --owner Lab --scope server:read --expires 90d --json');
    expect(code).to.equal(0);
    const { token, id, owner, scopes, expires } = JSON.parse(stdout);
    expect(token).to.match(/^trf_[\w-]{43}$/);
    expect({ owner, scopes }).to.deep.equal({ owner: 'Lab', scopes: ['server:read'] });
    expect(Date.parse(expires)).to.be.greaterThan(Date.now() + 89 * 86_400_000);
    expect(stderr).to.include(id).and.not.include(token);
  });

  it('lists what the core stores whether or not the plugins are configured well', async () => {
    await folder.write(
      'broken.yaml',
      `storage: { adapter: memory }\nplugins:\n  ${probe}: { nonsense: 1 }\n  absent: {}\n`,
    );
    const broken = (line: string) =>
      command(line.split(' '), { cwd: folder.path(), env: { TREFOIL_CONFIG: 'broken.yaml' } });
    for (const line of ['token list', 'job list', 'consent list'])
      expect(await broken(line), line).to.include({ code: 0 });
    const { code, stderr } = await broken('token add --owner Lab --scope server:read');
    expect(code).to.equal(1);
    expect(stderr).to.include('nonsense').and.include('absent');
  });

  it('describes the API without a storage', async () => {
    const { code, stdout } = await run('openapi');
    expect(code).to.equal(0);
    expect(JSON.parse(stdout).paths).to.have.property('/probe');
  });

  it('stops a command at the first signal, with the conventional exit code', async () => {
    await run('--version');
    const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const running = new Running(['probe', 'wait'], options);
      await running.says(/waiting/);
      expect(await running.kill(signal)).to.include({ code, stderr: 'trefoil: interrupted\n' });
    }
  });

  it('serves until a signal, then exits with code 0', async () => {
    await run('--version');
    const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
    for (const line of [['serve'], ['probe', 'run']]) {
      const { url, process } = await serve(line, options);
      expect(await (await fetch(`${url}/probe`)).json()).to.deep.include({ greeting: 'hello', demo: true });
      expect(await process.kill('SIGTERM')).to.include({ code: 0, stderr: '' });
    }
  });

  it('exits immediately at the second signal, even if something is still closing', async () => {
    await folder.write(
      'slow.mjs',
      `import probe from ${JSON.stringify(probe)};
       const slow = () => new Promise((resolve) => { console.log('closing'); setTimeout(resolve, 60_000); });
       export default { ...probe, register: ({ onClose }) => onClose(slow) };`,
    );
    await folder.write('slow.yaml', 'http: { port: 0 }\nstorage: { adapter: memory }\nplugins: { ./slow.mjs: {} }\n');
    const { process } = await serve(['serve', '--config', 'slow.yaml'], { cwd: folder.path() });
    process.child.kill('SIGTERM');
    await process.says(/^closing$/m);
    expect((await process.kill('SIGTERM')).code).to.equal(143);
  });

  it('reports in one line that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await run(`serve --port ${port}`);
    await new Promise((resolve) => other.close(resolve));
    expect(code).to.equal(1);
    expect(stderr).to.match(new RegExp(`^trefoil: [^\n]*${port}[^\n]*\n$`));
  });
});
