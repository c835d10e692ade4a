/** A server killed during a load: readers keep the old set, and another server takes over the job. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { exonLines, idOf } from '../../../bench/support/intervals.js';
import { command } from '../../../support/command.js';
import { dealt } from '../../../support/dealt.js';
import { engines, type LedStorage } from '../../../support/engines.js';
import { blockFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { type Started, startedIn } from '../../../support/started.js';
import { type Running, serve } from '../../../support/trefoil.js';

/** Each gene has 25 exons: enough for a load of some seconds. */
const few = 20;
const many = 4000;

for (const engine of dealt(engines, 'postgres')) {
  describe(`a load of intervals that is killed, on ${engine.name}`, () => {
    const config = ['--config', 'c.yaml'];
    const folder = blockFolder();
    let storage: LedStorage;
    let running: Running | undefined;
    let next: Started | undefined;

    before(async () => {
      storage = await engine.lead();
      await writeFile(join(folder, 'few.tsv'), [...exonLines(few)].join(''));
      await writeFile(join(folder, 'many.tsv'), [...exonLines(many)].join(''));
      await writeFile(
        join(folder, 'c.yaml'),
        [
          'http: { port: 0, host: 127.0.0.1 }',
          'jobs: { pollSeconds: 0.2, leaseSeconds: 2, renewSeconds: 0.2, retrySeconds: 0.2 }',
          'plugins:',
          '  coverage:',
          `    roots: ["${folder}"]`,
          '    intervals: { httpLoading: true }',
          '',
        ].join('\n'),
      );
    });
    after(async () => {
      await running?.kill('SIGKILL');
      await next?.stop();
      await storage.drop();
    });

    const run = (args: readonly string[]) => command([...args, ...config], { cwd: folder, env: storage.env });
    it('keeps the old set complete, and is loaded by the next server', async () => {
      const migrated = await run(['migrate']);
      expect(migrated.code, migrated.stderr).to.equal(0);
      const loaded = await run(['coverage', 'load-exons', '--build', 'GRCh38', '--file', 'few.tsv']);
      expect(loaded.code, loaded.stderr).to.equal(0);
      const added = await run(['token', 'add', '--owner', 'lab', '--scope', 'coverage:load', '--json']);
      const headers = { 'x-auth-token': String(JSON.parse(added.stdout).token) };
      const exonsIn = async (url: string): Promise<{ set: number; listed: number }> => {
        const counts = (await (await fetch(`${url}/intervals/intervals_count_by_build`)).json()) as Counts;
        const json = { build: 'GRCh38', ensembl_ids: [idOf('ENSE', 0)] };
        const { body } = await request<unknown[]>(`${url}/intervals/exons`, { json });
        return { set: counts.GRCh38.number_of_exons, listed: body.length };
      };

      const server = await serve(['serve', ...config], { cwd: folder, env: storage.env });
      running = server.process;
      const first = server.url;
      const before = await exonsIn(first);
      expect(before.set).to.equal(few * 25);
      expect(before.listed).to.be.greaterThan(0);
      const path = `/intervals/load/exons/GRCh38?file_path=${encodeURIComponent(join(folder, 'many.tsv'))}`;
      const { job } = (await (await fetch(first + path, { method: 'POST', headers })).json()) as {
        job: { href: string };
      };
      const stateAt = async (url: string) => (await (await fetch(url + job.href, { headers })).json()) as State;
      // Some of the rows are stored by now.
      for (let state = await stateAt(first); !(state.progress > 0.2); state = await stateAt(first)) {
        expect(state.state).to.be.oneOf(['queued', 'running']);
        await sleep(20);
      }
      expect(await exonsIn(first)).to.deep.equal(before);
      await running?.kill('SIGKILL');

      next = await startedIn({ cwd: folder, env: { ...storage.env, TREFOIL_CONFIG: 'c.yaml' } });
      const second = next.url;
      let looks = 0;
      for (let state = await stateAt(second); state.state !== 'done'; state = await stateAt(second)) {
        expect(state.state, state.error ?? '').to.be.oneOf(['queued', 'running']);
        const seen = await exonsIn(second);
        if (seen.set !== many * 25) expect(seen).to.deep.equal(before);
        looks += 1;
        await sleep(50);
      }
      expect(looks).to.be.greaterThan(0);
      expect((await exonsIn(second)).set).to.equal(many * 25);
    });
  });
}

interface Counts {
  GRCh38: { number_of_exons: number };
}

interface State {
  state: string;
  progress: number;
  error: string | null;
}
