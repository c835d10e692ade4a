/** Several servers on one storage behind HAProxy, as the example among the operators' files has it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Override } from '../../../core/config.js';
import { useFolder } from '../../support/folder.js';
import { freePort } from '../../support/port.js';
import { isInstalled } from '../../support/programs.js';
import { anyPort, noJobs, type Started, started } from '../../support/started.js';

const example = new URL('../../../config/deploy/haproxy.cfg', import.meta.url);

(isInstalled('haproxy') ? describe : describe.skip)('operators: several servers on one machine', () => {
  const folder = useFolder();

  /** On a connection of its own, as that of another client. */
  function status(url: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = get(url, { agent: false }, (response) =>
        response.resume().once('end', () => resolve(response.statusCode)),
      );
      sent.once('error', reject);
    });
  }

  it('answer behind HAProxy as one does, also after one of them has ended', async () => {
    const file = await folder.write('trefoil.yaml', 'plugins: { beacon: {} }\ndemo: false\nhttp: { trustProxy: 1 }\n');
    const environment = { TREFOIL_SQLITE_FILE: `${folder.path()}/trefoil.sqlite` };
    const servers: Started[] = [];
    const begin = async (...overrides: Override[]) => {
      const server = await started(file, environment, [anyPort, ...overrides]);
      servers.push(server);
      return server;
    };
    const one = await begin();
    const two = await begin(noJobs);
    const port = await freePort();
    const text = readFileSync(example, 'utf8')
      .replace('127.0.0.1:5000', `127.0.0.1:${port}`)
      .replace('127.0.0.1:5001', new URL(one.url).host)
      .replace('127.0.0.1:5002', new URL(two.url).host);
    const proxy = spawn('haproxy', ['-db', '-f', await folder.write('haproxy.cfg', text)], { stdio: 'ignore' });
    try {
      const url = `http://127.0.0.1:${port}`;
      while ((await status(`${url}/-/ready`).catch(() => undefined)) !== 200) await sleep(20);
      const ask = async (path: string) => {
        for (let i = 0; i < 20; i++) expect(await status(`${url}${path}`), path).to.equal(200);
      };
      await ask('/apiv1.0/?first');
      await one.stop();
      // HAProxy may not have noticed yet: a request that reaches no server goes to the other.
      await ask('/apiv1.0/?second');
      await ask('/-/ready');
    } finally {
      proxy.kill();
      for (const server of servers) await server.stop();
    }
  });
});
