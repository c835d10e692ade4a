/** The command line under npm, which passes signals to a shell instead of the program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { environment, trefoilBin } from '../../support/trefoil.js';

describe('under npx', () => {
  const folder = useFolder();
  let group: number | undefined;
  afterEach(() => {
    try {
      if (group !== undefined) process.kill(-group, 'SIGKILL');
    } catch (error) {
      // The expected outcome: all processes have ended.
      expect((error as NodeJS.ErrnoException).code).to.equal('ESRCH');
    }
  });

  it('drains and ends at a SIGTERM to npx: answers a request in flight, leaves no process behind', async function () {
    this.timeout(120_000);
    await folder.write('package.json', '{ "name": "lab", "private": true }');
    await mkdir(join(folder.path(), 'node_modules/.bin'), { recursive: true });
    await symlink(trefoilBin, join(folder.path(), 'node_modules/.bin/trefoil'));
    const env = environment({ TREFOIL_SQLITE_FILE: 'trefoil.sqlite', npm_config_update_notifier: 'false' });
    const npx = spawn('npx', ['--no-install', 'trefoil', 'serve', '--port', '0'], {
      cwd: folder.path(),
      env,
      // A separate process group, so that no process remains if this test fails.
      detached: true,
    });
    group = npx.pid;
    let said = '';
    npx.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    /** Ends when the last process that holds our pipe has ended, including the server. */
    const closed = once(npx, 'close');
    const says = async (pattern: RegExp) => {
      while (!pattern.test(said)) {
        const [, over] = await Promise.race([once(npx.stdout, 'data'), closed.then(() => [undefined, true])]);
        if (over && !pattern.test(said)) throw new Error(`It ended without saying ${pattern}: ${said}`);
      }
      return pattern.exec(said)?.[1] ?? '';
    };
    const port = Number(await says(/"url":"http:\/\/127\.0\.0\.1:(\d+)".*is ready/));

    const body = 'assemblyId=GRCh37&referenceName=1&start=156146085&referenceBases=C&alternateBases=A';
    const client = connect(port, '127.0.0.1');
    client.write(
      'POST /apiv1.0/query HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await once(client, 'connect');
    // A response on another connection shows that the server has read the earlier bytes.
    await (await fetch(`http://127.0.0.1:${port}/-/live`)).text();
    npx.kill('SIGTERM');
    await says(/("msg":"stopping")/);
    let answer = '';
    client.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    client.write(body.slice(10));
    await once(client, 'close');
    expect(answer).to.match(/^HTTP\/1\.1 200 /);
    await closed;
  });
});
