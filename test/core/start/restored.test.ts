/** A database file that is replaced by a backup under a running server. */
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Json, patient } from '../../plugins/matchmaker/support/serve.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { type Started, startedIn } from '../../support/started.js';

const worker = fileURLToPath(new URL('../../support/plugins/worker.mjs', import.meta.url));
const file = 'trefoil.sqlite';

describe('a database file that is replaced under a running server', function () {
  this.timeout(60_000); // several commands, one after another
  const folder = useFolder();
  let server: Started | undefined;
  let headers: Record<string, string>;
  const options = () => ({ cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml', TREFOIL_SQLITE_FILE: file } });
  const path = (name: string) => join(folder.path(), name);
  const done = async (...words: string[]): Promise<Json> => {
    const { code, stdout, stderr } = await command([...words, '--json'], options());
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  };
  const url = () => server?.url ?? '';
  const post = (to: string, body?: unknown) =>
    fetch(url() + to, { method: 'POST', headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const add = async (id: string, gene = id) => {
    return (
      await post('/patient/add', { patient: patient(id, { genomicFeatures: [{ gene: { id: gene } }], features: [] }) })
    ).status;
  };
  const foundBy = async (gene: string): Promise<string[]> => {
    const answer = await post('/match', {
      patient: patient('q', { genomicFeatures: [{ gene: { id: gene } }], features: [] }),
    });
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as Json).results.map((result: Json) => result.patient.id);
  };
  const ready = async () => ((await (await fetch(`${url()}/-/ready`)).json()) as Json).ready === true;

  beforeEach(async () => {
    process.env.WORKER = 'hang';
    const jobs = '{ pollSeconds: 0.1, leaseSeconds: 2, renewSeconds: 0.2, retrySeconds: 0.1, stopSeconds: 5 }';
    await folder.write(
      'lab.yaml',
      `jobs: ${jobs}\ndemo: false\nerasures: { file: ${path('erased')} }\nplugins:\n  matchmaker: {}\n  ${worker}: {}\n`,
    );
    const { token } = await done('token', 'add', '--owner', 'scout', '--scope', '*');
    headers = { 'x-auth-token': token, 'content-type': 'application/json' };
    server = await startedIn(options());
  });
  afterEach(async () => {
    delete process.env.WORKER;
    await server?.stop();
  });

  /** P0 and P1 are in the backup, P2 came later; P0 was erased later. A job runs during the backup. */
  async function backUp(): Promise<{ job: string }> {
    expect([await add('P0'), await add('P1')]).to.deep.equal([200, 200]);
    const { href } = (await (await post('/work')).json()) as Json;
    while (((await (await fetch(url() + href, { headers })).json()) as Json).state !== 'running') await sleep(20);
    await done('backup', 'copy.sqlite');
    expect(await add('P2')).to.equal(200);
    await done('erase', '--patient', 'P0', '--yes');
    expect([await foundBy('P0'), await foundBy('P1'), await foundBy('P2')]).to.deep.equal([[], ['P1'], ['P2']]);
    return { job: href };
  }

  const ways = {
    'the guide, but without a stop': async () => {
      for (const end of ['', '-wal', '-shm']) await rm(path(file + end), { force: true });
      await copyFile(path('copy.sqlite'), path(file));
    },
    'a file that is moved there, beside the logs of the former one': async () => {
      await rename(path('copy.sqlite'), path(file));
    },
  };
  for (const [way, replace] of Object.entries(ways)) {
    it(`is recognised: ${way}`, async () => {
      const { job } = await backUp();
      const added: { id: string; after: boolean; status: number }[] = [];
      let isReplaced = false;
      let isOver = false;
      const writing = (async () => {
        for (let i = 0; !isOver; i++) {
          const after = isReplaced;
          added.push({ id: `W${i}`, after, status: await add(`W${i}`) });
          await sleep(5);
        }
      })();
      while (added.length < 5) await sleep(5);
      process.env.WORKER = 'end'; // the next time that the job runs
      await replace();
      isReplaced = true;
      while (!server?.log().includes('the replaced data is served from now on')) await sleep(20);
      const { length } = added;
      while (added.length < length + 5) await sleep(5);
      isOver = true;
      await writing;
      expect(await ready()).to.equal(true);

      expect(new Set(added.map(({ status }) => status))).to.deep.equal(new Set([200, 503]));
      const kept = added.filter(({ after, status }) => after && status === 200);
      expect(kept.length).to.be.at.least(5);
      for (const { id } of kept) expect(await foundBy(id), id).to.deep.equal([id]);
      // Numbers and revisions of the former store were given again.
      expect([await foundBy('P0'), await foundBy('P1'), await foundBy('P2')]).to.deep.equal([[], ['P1'], []]);
      for (;;) {
        const { state } = (await (await fetch(url() + job, { headers })).json()) as Json;
        if (state === 'done') break;
        await sleep(50);
      }
      expect((await command(['check', '--deep'], options())).code).to.equal(0);
    });
  }

  it('refuses requests while it is missing or empty, and creates no other', async () => {
    await backUp();
    for (const end of ['', '-wal', '-shm']) await rm(path(file + end), { force: true });
    expect([await add('P3'), await ready()]).to.deep.equal([503, false]);
    await writeFile(path(file), '');
    expect(await add('P3')).to.equal(503);
    while (!server?.log().includes('this is tried again')) await sleep(20);
    expect([await add('P3'), await ready()]).to.deep.equal([503, false]);
    expect((await fetch(`${url()}/-/live`)).status).to.equal(200);
    await rename(path('copy.sqlite'), path(file));
    while (!(await ready())) await sleep(50);
    expect([await add('P3'), await foundBy('P3'), await foundBy('P2')]).to.deep.equal([200, ['P3'], []]);
  });
});
