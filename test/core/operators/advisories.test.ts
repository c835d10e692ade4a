/** The comparison of the lock file with published advisories, against registries of the test's own. */
import { execFile } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('.ci/advisories', function () {
  this.timeout(120_000); // npm is started
  let server: Server | undefined;
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
    server = undefined;
  });

  async function compared(listener: RequestListener): Promise<{ code: number; said: string }> {
    const listening = createServer(listener);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const registry = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
    const env = { ...process.env, npm_config_registry: registry };
    return new Promise((resolve) => {
      execFile(process.execPath, ['.ci/advisories.mjs'], { cwd: root, env }, (error, _, stderr) =>
        resolve({ code: Number(error?.code ?? 0), said: stderr }),
      );
    });
  }

  it('says that it could not compare, if the registry offers no advisories', async () => {
    const { code, said } = await compared((_, response) => response.writeHead(405).end('{}'));
    expect(said).to.match(/^ADVISORIES NOT COMPARED: the registry in use offers none/);
    expect(said).to.not.include('127.0.0.1');
    expect(code).to.equal(2);
  });

  it('names what has an advisory, and is content without one', async () => {
    let found: object = {};
    const listener: RequestListener = (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(404).end('{}');
      request
        .resume()
        .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(found)));
    };
    expect(await compared(listener)).to.deep.include({ code: 0 });
    server?.close();
    found = { pdfkit: [{ id: 1, title: 'A made-up fault', severity: 'high', url: 'x', vulnerable_versions: '*' }] };
    const { code, said } = await compared(listener);
    expect(said).to.include('high: pdfkit: A made-up fault');
    expect(code).to.equal(1);
  });
});
