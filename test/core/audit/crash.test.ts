/** `trefoil audit`, after servers that were killed while they recorded. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { engines } from '../../support/engines.js';
import { runSql } from '../../support/sql.js';
import { killedAt, steps, thorough } from '../../support/steps.js';
import { type Running, serve } from '../../support/trefoil.js';

for (const engine of engines) {
  describe(`trefoil audit on ${engine.name}, after kill -9`, function () {
    this.timeout(120_000);
    let folder = '';
    const tried = thorough || engine.name === 'sqlite' ? steps.record : steps.record.slice(-1);
    let led: Awaited<ReturnType<typeof engine.lead>>;
    let token = '';
    /** Ids of requests that were answered. */
    const answered: string[] = [];
    const processes: Running[] = [];

    const run = (...args: string[]) =>
      command(args, { cwd: folder, env: { ...led.env, TREFOIL_CONFIG: 'trefoil.yaml' } });

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trefoil-audit-'));
      led = await engine.lead();
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how a configuration names a file
      const settings = { audit: { key: '${file:audit.key}' }, plugins: {}, migrate: 'auto' };
      await writeFile(join(folder, 'audit.key'), 'thirty-two characters or more of it\n');
      await writeFile(join(folder, 'trefoil.yaml'), JSON.stringify(settings));
      token = (await run('token', 'add', '--owner', 'Lab A', '--scope', 'server:audit')).stdout.trim();
      expect(token).to.match(/^trf_/);
      for (const step of tried) {
        // The chain begins once; entries are written at each request.
        const { node, env } = killedAt(step, step.endsWith('.begun') ? 1 : 3);
        const { url, process } = await serve(['serve', '--port', '0'], {
          cwd: folder,
          env: { ...led.env, ...env, TREFOIL_CONFIG: 'trefoil.yaml' },
          node,
        });
        processes.push(process);
        await askUntilKilled(url);
        expect((await process.ended).signal).to.equal('SIGKILL');
      }
    });
    after(async () => {
      for (const process of processes) await process.kill('SIGKILL');
      await led.drop();
      await rm(folder, { recursive: true, force: true });
    });

    async function askUntilKilled(url: string): Promise<void> {
      const headers = { 'X-Auth-Token': token };
      for (let n = 0; n < 20; n++) {
        try {
          const body = new URLSearchParams({ names: `ADM${n}`, kind: 'sample' });
          const response = await fetch(`${url}/-/audit`, { method: 'POST', headers, body });
          await response.text();
          answered.push(response.headers.get('x-request-id') ?? '');
        } catch {
          return;
        }
      }
      throw new Error('The server was expected to die');
    }

    it('verifies, and has every request that was answered', async () => {
      // Two requests of each server were answered; the third may be recorded, and was not answered.
      const written = tried.filter((step) => !step.endsWith('.begun')).length;
      expect(answered).to.have.length(2 * written);
      const { code, stdout } = await run('audit', 'verify');
      expect({ code, stdout }).to.deep.equal({
        code: 0,
        // The command that issued the token recorded that, in a chain of its own.
        stdout: `Verified: ${answered.length + 2} entries in ${tried.length === 1 ? '2 chains' : '4 chains'}\n`,
      });
      const listed = JSON.parse((await run('audit', 'list', '--action', 'audit.list', '--json')).stdout);
      const requests = listed.map(({ request }: { request?: string }) => request);
      expect(requests).to.include.members(answered);
    });

    // What follows does not depend on the engine.
    if (engine.name !== 'sqlite') return;

    it('keeps a checkpoint, exports, and forgets', async () => {
      expect((await run('audit', 'verify', '--checkpoint', 'audit.checkpoint')).code).to.equal(0);
      const exported = await run('audit', 'export', '--format', 'jsonl', '--output', 'audit.jsonl');
      expect(exported.code, exported.stderr).to.equal(0);
      const lines = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n');
      const entries = lines.map((line) => JSON.parse(line)).filter(({ body }) => body !== undefined);
      expect(Object.values(entries[0].names)).to.include('token:Lab A');
      const listed = await run('audit', 'list', '--actor', 'Lab A');
      expect(listed.stdout).to.include('token:Lab A').and.include('audit.list');
      const forgotten = await run('audit', 'forget', '--actor', 'Lab A', '--yes');
      expect(forgotten.stdout, forgotten.stderr).to.equal('Forgotten: 1 of 1\n');
      expect((await run('audit', 'list')).stdout)
        .to.include('(forgotten ')
        .and.to.not.include('Lab A');
      expect((await run('audit', 'forget', '--actor', 'Lab A', '--yes')).stderr).to.include(
        'No entry of the audit names them',
      );
      const verified = await run('audit', 'verify', '--checkpoint', 'audit.checkpoint');
      expect(verified.code, verified.stdout).to.equal(0);
    });

    it('reports what was tampered with until an operator accepts it, which is recorded, and then only what is new', async () => {
      await run('audit', 'list', '--sample', 'ADM1');
      await runSql({ file: join(folder, 'trefoil.sqlite') }, ['delete from audit_people']);
      const verify = (...args: string[]) => run('audit', 'verify', ...args);
      const found = await verify();
      expect(found.code).to.equal(1);
      expect(found.stdout).to.match(
        /^Chain \w+: The entry \d+ names \w{8}, whose name is missing, and no entry says why$/m,
      );
      expect(found.stdout).to.match(/^NOT verified: /m);
      expect((await verify('--accept')).stderr).to.include('Nothing was accepted');
      const accepted = await verify('--accept', '--yes');
      expect(accepted.code, accepted.stdout).to.equal(0);
      expect(accepted.stdout).to.match(/^Accepted now: \d findings?$/m);
      const again = await verify();
      expect(again.code, again.stdout).to.equal(0);
      expect(again.stdout).to.match(/^Accepted earlier: \d findings?$/m);
      expect((await run('audit', 'list', '--action', 'audit.accept')).stdout).to.include('finding:');
      await runSql({ file: join(folder, 'trefoil.sqlite') }, ['delete from audit_people']);
      expect((await verify()).code).to.equal(1);
    });

    it('refuses in one sentence', async () => {
      const wrong = await run('audit', 'list', '--from', '2026-02-30');
      expect(wrong).to.deep.include({ code: 1, stderr: 'trefoil: "2026-02-30" is not a date such as 2030-01-31\n' });
      await writeFile(join(folder, 'audit.checkpoint'), '{"written":"","heads":[],"seal":""}');
      const changed = await run('audit', 'verify', '--checkpoint', 'audit.checkpoint');
      expect(changed.code).to.equal(1);
      expect(changed.stderr).to.include('is not a checkpoint that was written with this key');
      await writeFile(join(folder, 'audit.key'), 'another key of at least 32 characters\n');
      const other = await run('audit', 'list');
      expect(other.code).to.equal(1);
      expect(other.stderr).to.include('was written with another key');
    });
  });
}
