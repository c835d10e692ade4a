// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are what is tested
import { expect } from 'chai';
import { configured, faultsOf, probe, shown } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

const memory = 'storage: { adapter: memory }\n';
const one = `plugins:\n  ${probe}: {}\n`;

describe('configuration: precedence', () => {
  const folder = useFolder();

  async function settings(text: string, environment: Record<string, string> = {}) {
    const file = await folder.write('lab.yaml', text);
    return configured({ file, environment });
  }

  it('puts the chosen file before the default, key by key', async () => {
    const { core } = await settings(`http: { port: 6000 }\n${memory}${one}`);
    expect(core.http.port).to.equal(6000);
    expect(core.http.host).to.equal('127.0.0.1');
    expect(core.demo).to.equal(true);
  });

  it('takes the plugins of the chosen file as a whole', async () => {
    const { plugins } = await settings(memory + one);
    expect(plugins.map(({ plugin }) => plugin.name)).to.deep.equal(['probe']);
  });

  it('takes the storage of the chosen file as a whole if it names another adapter', async () => {
    const { storage, printable } = await settings(memory + one);
    expect(storage.adapter.name).to.equal('memory');
    expect(printable.storage).to.deep.equal({ adapter: 'memory' });
    expect(storage.reason).to.match(/^named in .*lab\.yaml:1:12$/);
  });

  it('puts a variable before the files, and an option before both', async () => {
    const text = `log: { level: warn }\nhttp: { port: 6000 }\n${memory}plugins:\n  ${probe}: { limit: 7 }\n`;
    const file = await folder.write('lab.yaml', text);
    const environment = { LOG_LEVEL: 'debug', PROBE_LIMIT: '9' };
    const overrides = [{ path: ['http', 'port'], value: '7000', source: '--port' }];
    const { core, plugins } = await configured({ file, environment, overrides });
    expect(core.log.level).to.equal('debug');
    expect(core.http.port).to.equal(7000);
    expect(plugins[0]?.settings).to.deep.equal({ greeting: 'hello', limit: 9 });
  });

  it('ignores a variable with an empty value', async () => {
    const { plugins } = await settings(`${memory}plugins:\n  ${probe}: { limit: 7 }\n`, { PROBE_LIMIT: '' });
    expect(plugins[0]?.settings).to.include({ limit: 7 });
  });

  it('puts --config before TREFOIL_CONFIG', async () => {
    const file = await folder.write('a.yaml', `http: { port: 1111 }\n${memory}${one}`);
    const other = await folder.write('b.yaml', `http: { port: 2222 }\n${memory}${one}`);
    expect((await configured({ environment: { TREFOIL_CONFIG: other } })).core.http.port).to.equal(2222);
    expect((await configured({ file, environment: { TREFOIL_CONFIG: other } })).core.http.port).to.equal(1111);
  });

  it('treats an empty section as omitted', async () => {
    const { core, plugins } = await settings(`http:\nlog:\n${memory}plugins:\n  ${probe}:\n`);
    expect(core.http.port).to.equal(5000);
    expect(plugins).to.have.length(1);
  });

  it('enables no plugin if the list of plugins is empty', async () => {
    expect((await settings(`${memory}plugins:\n`)).plugins).to.deep.equal([]);
  });

  it('keeps a text that looks like a number if the setting is a text', async () => {
    const { plugins } = await settings(memory + one, { PROBE_GREETING: '0123', PROBE_LIMIT: '0123' });
    expect(plugins[0]?.settings).to.deep.equal({ greeting: '0123', limit: 123 });
  });

  it('keeps only the requested plugin, and reports it if that one is not enabled', async () => {
    const file = await folder.write('lab.yaml', memory + one);
    expect((await configured({ file, only: 'probe' })).plugins).to.have.length(1);
    const refused = await configured({ file, only: 'beacon' }).catch((error: Error) => error);
    expect(refused)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.matches(/"beacon" is not enabled: .*lab\.yaml/);
  });
});

describe('configuration: ${…} in values', () => {
  const folder = useFolder();

  async function greeting(value: string, environment: Record<string, string> = {}): Promise<unknown> {
    const file = await folder.write('lab.yaml', `${memory}plugins:\n  ${probe}:\n    greeting: '${value}'\n`);
    const { plugins } = await configured({ file, environment });
    return (plugins[0]?.settings as { greeting: unknown } | undefined)?.greeting;
  }

  it('are replaced from the environment, whole or in part, with a default', async () => {
    expect(await greeting('${NAME}', { NAME: 'x' })).to.equal('x');
    expect(await greeting('a-${NAME}-${NAME}', { NAME: 'x' })).to.equal('a-x-x');
    expect(await greeting('${NAME:-y}')).to.equal('y');
    expect(await greeting('${NAME:-y}', { NAME: '' })).to.equal('y');
    expect(await greeting('${NAME:-}')).to.equal('');
  });

  it('are replaced from files beside the configuration, less one final line break', async () => {
    await folder.write('secret', 's3cret\n');
    expect(await greeting('${file:secret}')).to.equal('s3cret');
    expect(await greeting('${file:./secret}!')).to.equal('s3cret!');
  });

  it('are not replaced twice, and can be escaped', async () => {
    expect(await greeting('${NAME}', { NAME: '${OTHER}' })).to.equal('${OTHER}');
    expect(await greeting('$${NAME}')).to.equal('${NAME}');
    expect(await greeting('$5')).to.equal('$5');
  });

  it('become numbers and booleans if the setting requires them', async () => {
    const text = `http: { port: "\${PORT}" }\ndemo: \${DEMO}\n${memory}${one}`;
    const file = await folder.write('lab.yaml', text);
    const { core } = await configured({ file, environment: { PORT: '6001', DEMO: 'false' } });
    expect(core.http.port).to.equal(6001);
    expect(core.demo).to.equal(false);
  });

  it('are refused if they cannot be replaced, all of them, with their place', async () => {
    const text = `${memory}plugins:\n  ${probe}:\n    greeting: '\${NOPE} \${file:none} \${1x} \${open'\n    limit: \${NIX}\n`;
    const file = await folder.write('lab.yaml', text);
    const faults = (await faultsOf({ file })).map(shown);
    expect(faults).to.have.length(2);
    expect(faults[0])
      .to.match(/variable NOPE is not set/)
      .and.match(/none does not exist/)
      .and.match(/"\$\{1x\}" is not valid: write/)
      .and.match(/has no closing "\}"/)
      .and.match(/lab\.yaml:4:/);
    expect(faults[1]).to.match(/NIX is not set.*lab\.yaml:5:/);
  });

  it('are not required for settings that are overridden', async () => {
    const text = `${memory}plugins:\n  ${probe}:\n    limit: 4\nlog: { level: "\${NOPE}" }\n`;
    const file = await folder.write('lab.yaml', text);
    const { core } = await configured({ file, environment: { LOG_LEVEL: 'error' } });
    expect(core.log.level).to.equal('error');
  });
});
