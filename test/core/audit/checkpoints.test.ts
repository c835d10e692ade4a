/** Checkpoints that leave the machine by themselves. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { type S3Server, serveS3, testKeys } from '../../support/s3.js';
import { runSql } from '../../support/sql.js';
import { serve } from '../../support/trefoil.js';

describe('checkpoints of the audit', function () {
  this.timeout(120_000);
  let folder = '';
  let s3: S3Server;
  const file = 'trefoil.sqlite';
  const env = { TREFOIL_CONFIG: 'trefoil.yaml', TREFOIL_SQLITE_FILE: file };
  const run = (...args: string[]) => command(args, { cwd: folder, env });

  /** A program that keeps what it reads, or does something else. */
  async function program(name: string, body: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${body}\n`);
    await chmod(path, 0o755);
    return path;
  }
  const configured = (to: unknown[]) => {
    const store = {
      ...{ prefix: 's3://checkpoints/', endpoint: s3.endpoint, region: s3.region },
      credentials: testKeys,
    };
    const settings = {
      ...{ audit: { key: 'k'.repeat(32), checkpoints: { to } }, s3: [store], plugins: {}, migrate: 'auto' },
    };
    return writeFile(join(folder, 'trefoil.yaml'), JSON.stringify(settings));
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-audit-'));
    await mkdir(join(folder, 'out'));
    s3 = await serveS3();
  });
  afterEach(async () => {
    await s3.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function running(work: (url: string, token: string) => Promise<void>): Promise<string> {
    const token = (await run('token', 'add', '--owner', 'Lab A', '--scope', 'server:*')).stdout.trim();
    const { url, process } = await serve(['serve', '--port', '0'], { cwd: folder, env });
    try {
      await work(url, token);
    } finally {
      await process.kill('SIGTERM');
    }
    const { stdout, code } = await process.ended;
    expect(code).to.equal(0);
    return stdout;
  }

  async function look(url: string, token: string): Promise<void> {
    const body = new URLSearchParams({ names: 'ADM1', kind: 'sample' });
    const answer = await fetch(`${url}/-/audit`, { method: 'POST', headers: { 'x-auth-token': token }, body });
    expect(answer.status).to.equal(200);
    await answer.text();
  }

  const metric = async (url: string, name: string) => {
    const text = await (await fetch(`${url}/-/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith(name));
  };

  it('go to a folder, a bucket and a command, at the start and at the end, and show what was put back', async () => {
    const keep = await program('keep', `cat >> ${join(folder, 'kept')}; echo end >> ${join(folder, 'kept')}`);
    await configured(['out', 's3://checkpoints/lab/', { command: [keep] }]);
    await running(async (url, token) => {
      await look(url, token);
      const ages = await metric(url, 'trefoil_audit_checkpoint_age_seconds');
      expect(ages).to.have.length(3);
      for (const line of ages) expect(Number(line.split(' ').at(-1))).to.be.within(0, 120);
      await runSql({ file: join(folder, file) }, [
        ...['chains', 'entries', 'subjects', 'people', 'key'].map(
          (name) => `create table early_${name} as select * from audit_${name}`,
        ),
      ]);
      await look(url, token);
    });
    const names = (await readdir(join(folder, 'out'))).sort();
    expect(names).to.have.length(2);
    for (const name of names) expect(name).to.match(/^audit-\d{4}-\d\d-\d\dT[\d-]+Z-[0-9a-f]{8}\.checkpoint$/);
    expect([...s3.objects.keys()].sort()).to.deep.equal(names.map((name) => `checkpoints/lab/${name}`));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, 'out', name), 'utf8')));
    expect(await readFile(join(folder, 'kept'), 'utf8')).to.equal(texts.map((text) => `${text}end\n`).join(''));
    expect(texts.join()).to.not.match(/ADM1|Lab A/);

    const verify = () => run('audit', 'verify', '--checkpoint', 'out');
    expect((await verify()).stdout).to.match(/^Verified: /);
    expect(await readdir(join(folder, 'out'))).to.have.length(2);
    // All of it, seals included, as it was before the last look: no process remembers better.
    await runSql({ file: join(folder, file) }, [
      ...['chains', 'entries', 'subjects', 'people', 'key'].flatMap((name) => [
        `delete from audit_${name}`,
        `insert into audit_${name} select * from early_${name}`,
      ]),
    ]);
    expect((await run('audit', 'verify')).code).to.equal(0);
    const found = await verify();
    expect(found.code).to.equal(1);
    expect(found.stdout).to.match(/entries up to \d are missing: the checkpoint knows them/);
  });

  it('that cannot be stored are logged and counted, and the server runs on', async () => {
    const fails = await program('fails', 'exit 3');
    const sleeps = await program('sleeps', 'exec sleep 600');
    await rm(join(folder, 'out'), { recursive: true });
    await configured(['out', { command: [fails, 'secret'] }, { command: [sleeps], seconds: 1 }]);
    const log = await running(async (url, token) => {
      await look(url, token);
      for (let tries = 0; (await metric(url, 'trefoil_audit_checkpoint_failures_total{')).length < 3; tries++) {
        expect(tries).to.be.lessThan(600);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await look(url, token);
    });
    expect(log).to.include('a checkpoint of the audit was not stored').and.to.include('cannot be written (ENOENT)');
    expect(log).to.include('fails failed (exit code 3)').and.to.include('ran for more than 1 s');
    expect(log).to.not.include('secret');
  });

  it('have destinations that `check` tries', async () => {
    const there = await program('there', 'exit 0');
    await configured(['out', 's3://checkpoints/lab/', { command: [there] }, { command: ['sh'] }]);
    const sound = await run('check');
    expect(sound.code, sound.stderr).to.equal(0);
    expect(sound.stderr).to.not.include('audit.checkpoints');
    expect(await readdir(join(folder, 'out'))).to.deep.equal([]);
    expect(s3.objects.size).to.equal(0);
    await configured(['absent', 's3://elsewhere/', { command: [join(folder, 'absent')] }]);
    const { stderr } = await run('check');
    expect(stderr).to.include('audit.checkpoints: absent takes no checkpoints: ');
    expect(stderr).to.include('audit.checkpoints: s3://elsewhere/ takes no checkpoints: No prefix in the section s3');
    expect(stderr).to.match(/audit\.checkpoints: \S*absent is not a program that can be run/);
  });

  it('are refused if a folder has none, or one that was changed', async () => {
    await configured(['out']);
    const none = await run('audit', 'verify', '--checkpoint', 'out');
    expect(none.stderr).to.include('has no file that ends in .checkpoint');
    const absent = await run('audit', 'verify', '--checkpoint', join('absent', 'a.checkpoint'));
    expect(absent.stderr).to.match(/There is no checkpoint absent.a\.checkpoint: what was put back .* cannot be found/);
    await writeFile(join(folder, 'out', 'a.checkpoint'), '{"written":"","heads":[],"seal":""}');
    const changed = await run('audit', 'verify', '--checkpoint', 'out');
    expect(changed.stderr).to.include('a.checkpoint is not a checkpoint that was written with this key');
  });
});
