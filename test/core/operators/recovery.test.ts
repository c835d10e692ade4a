/** The guide's point-in-time recovery, word by word, with a server that runs all the while. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import adapter from '../../../adapters/postgres/adapter.js';
import { settings as schema } from '../../../adapters/postgres/settings.js';
import { isFault } from '../../../core/fault.js';
import { type Json, patient } from '../../plugins/matchmaker/support/serve.js';
import { ownFolder, postgresTools } from '../../support/cluster.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { blocksOf } from '../../support/guide.js';
import { freePort } from '../../support/port.js';
import { type Started, startedIn } from '../../support/started.js';

describe('recovery of PostgreSQL to a moment', function () {
  this.timeout(180_000); // a cluster, its backup and its restores, one after another
  const folder = useFolder();
  let home: string;
  let url: string;
  let environment: Record<string, string>;
  let server: Started | undefined;

  before(async function () {
    if (postgresTools === undefined) return this.skip();
    home = await ownFolder();
    const port = String(await freePort());
    url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const own = { PGDATA: `${home}/data`, PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres', DATABASE_URL: url };
    environment = { PATH: `${postgresTools}:${process.env.PATH}`, LC_ALL: 'C', TZ: 'UTC', ...own };
    await shell('initdb --username=postgres --auth=trust --locale=C --encoding=UTF8 --no-sync');
    const conf = ["listen_addresses = '127.0.0.1'", `port = ${port}`, "unix_socket_directories = ''", 'fsync = off'];
    await appendFile(`${home}/data/postgresql.conf`, `${conf.join('\n')}\n`);
    await shell('pg_ctl start --silent --log=log');
  });
  after(async () => {
    if (home === undefined) return;
    await shell('pg_ctl stop --mode=immediate --silent').catch(() => undefined); // a test stopped it
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  /** Runs a block of the guide as the user of the server. */
  async function shell(text: string): Promise<void> {
    const { uid, gid } = statSync(home);
    const here = text.replaceAll('/backup/', `${home}/backup/`);
    const child = spawn('bash', ['-euo', 'pipefail', '-c', here], {
      uid,
      gid,
      cwd: home,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let trouble = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      trouble += piece;
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`Exit code ${code}: ${here}\n${trouble}`);
  }

  async function ask(sql: string): Promise<string> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return String(Object.values((await client.query(sql)).rows[0] ?? {})[0]);
    } finally {
      await client.end();
    }
  }

  const options = () => ({ cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml', DATABASE_URL: url } });

  /** What is wrong with the backup; undefined if it can be restored. */
  async function trouble(backup: string, archive?: string): Promise<string | undefined> {
    const trial = join(home, 'trial');
    await mkdir(trial, { recursive: true });
    try {
      const settings = schema.parse({ url });
      const restored = await adapter.tryBackup?.({ settings, backup, archive, folder: trial });
      await restored?.close();
      return undefined;
    } catch (error) {
      if (!isFault(error) || error.code !== 'unprocessable') throw error;
      return error.message;
    } finally {
      await rm(trial, { recursive: true, force: true });
    }
  }

  async function flip(file: string, place: number): Promise<void> {
    const handle = await open(file, 'r+');
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, place);
    byte[0] = (byte[0] ?? 0) ^ 1;
    await handle.write(byte, 0, 1, place);
    await handle.close();
  }

  it('follows the guide; servers recognise it, and damaged backups are found out', async () => {
    const [archive, base, restore, finish] = blocksOf('config/backup.md', 'Point-in-time recovery').map(
      ({ text }) => text,
    ) as [string, string, string, string];
    await folder.write('lab.yaml', 'migrate: auto\ndemo: false\nplugins:\n  matchmaker: {}\n');
    await shell(archive);
    const made = await command(['token', 'add', '--owner', 'scout', '--scope', '*', '--json'], options());
    expect(made.code, made.stderr).to.equal(0);
    const headers = { 'x-auth-token': JSON.parse(made.stdout).token, 'content-type': 'application/json' };
    server = await startedIn(options());
    const post = (path: string, id: string, gene = id) => {
      const one = patient(id, { genomicFeatures: [{ gene: { id: gene } }], features: [] });
      return fetch((server?.url ?? '') + path, { method: 'POST', headers, body: JSON.stringify({ patient: one }) });
    };
    const add = async (id: string) => (await post('/patient/add', id)).status;
    const foundBy = async (id: string) => {
      const answer = await post('/match', 'q', id);
      if (answer.status !== 200) return answer.status;
      return ((await answer.json()) as Json).results.map((result: Json) => result.patient.id);
    };
    expect(await add('P1')).to.equal(200);
    await shell(base);
    expect(await add('P2')).to.equal(200);
    const moment = await ask('select clock_timestamp()::text');
    expect([await add('P3'), await foundBy('P1'), await foundBy('P3')]).to.deep.equal([200, ['P1'], ['P3']]);
    const last = await ask('select pg_walfile_name(pg_current_wal_lsn())');
    await ask('select pg_switch_wal()');
    const wal = join(home, 'backup/wal');
    while (!(await readdir(wal)).includes(last)) await sleep(50);

    const verify = blocksOf('config/backup.md', 'Verifying backups').at(-1)?.text ?? '';
    const words = verify.replace('npx trefoil ', '').replaceAll('/backup/', `${home}/backup/`).split(' ');
    const verified = await command([...words, '--json'], options());
    expect(verified.code, verified.stderr).to.equal(0);
    const later = await ask('select count(*) from matchmaker_patients');
    expect([later, JSON.parse(verified.stdout).pending]).to.deep.equal(['3', []]);
    await damages(wal);
    await dumps();

    await shell(restore.replace('2026-11-23 14:05:00+00', moment));
    while (!server.log().includes('the replaced data is served from now on')) {
      // Refused, or answered from the restored data: never from both.
      expect(String(await foundBy('P3'))).to.match(/^(503)?$/);
      await sleep(50);
    }
    expect([await foundBy('P1'), await foundBy('P2'), await foundBy('P3')]).to.deep.equal([['P1'], ['P2'], []]);
    // Its number and revision were P3's.
    expect([await add('P4'), await foundBy('P4'), await foundBy('P3')]).to.deep.equal([200, ['P4'], []]);
    const before = server.log().length;
    await shell(finish);
    while (!server.log().slice(before).includes('the replaced data is served from now on')) {
      expect(String(await foundBy('P4'))).to.match(/^(503|P4)$/);
      await sleep(50);
    }
    expect(await foundBy('P4')).to.deep.equal(['P4']);
  });

  /** Each kind of file of the base backup, and the archive. */
  async function damages(wal: string): Promise<void> {
    const base = blocksOf('config/backup.md', 'Point-in-time recovery')[1]?.text ?? '';
    const backup = join(home, 'backup/later');
    await shell(base.replace('/backup/base', '/backup/later'));
    const inside = await readdir(join(backup, 'pg_wal'));
    const segment = inside.find((name) => /^[0-9A-F]{24}$/.test(name)) ?? '';
    const oid = await ask("select oid::text from pg_database where datname = 'postgres'");
    const relation = await ask("select pg_relation_filepath('matchmaker_patients')");
    expect(relation).to.match(new RegExp(`^base/${oid}/`));
    const files: [string, number][] = [
      ['PG_VERSION', 0],
      ['backup_label', 20],
      ['backup_manifest', 40],
      ['global/pg_control', 8],
      ['postgresql.auto.conf', 3],
      [relation, 8],
      [`pg_wal/${segment}`, 48],
    ];
    for (const [name, place] of files) {
      await flip(join(backup, name), place);
      expect(await trouble(backup), name).to.be.a('string');
      await flip(join(backup, name), place);
    }
    for (const name of [relation, `pg_wal/${segment}`]) {
      await rename(join(backup, name), join(home, 'aside'));
      expect(await trouble(backup), `${name} is missing`).to.be.a('string');
      await rename(join(home, 'aside'), join(backup, name));
    }
    await truncate(join(backup, relation), 0);
    expect(await trouble(backup)).to.match(/size/);
    await rm(backup, { recursive: true });
    await shell(base.replace('/backup/base', '/backup/later'));
    expect(await trouble(backup, join(home, 'nowhere'))).to.match(/archive .* cannot be read$/);
    for (let i = 0; i < 3; i++) {
      await ask("select pg_logical_emit_message(false, 'trefoil', repeat('x', 100000))");
      await ask('select pg_switch_wal()');
    }
    const newest = await ask('select pg_walfile_name(pg_switch_wal() - 1)');
    while (!(await readdir(wal)).includes(newest)) await sleep(50);
    const segments = (await readdir(wal)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort();
    const hole = join(wal, segments.at(-2) ?? '');
    expect(await trouble(backup, wal)).to.equal(undefined);
    await rename(hole, join(home, 'aside'));
    expect(await trouble(backup, wal)).to.match(/^its archive lacks the segment [0-9A-F]{24}/);
    await copyFile(join(home, 'aside'), hole);
    await flip(hole, 20_000);
    expect(await trouble(backup, wal)).to.match(/^its archive is damaged: /);
    await truncate(hole, 4096);
    expect(await trouble(backup, wal)).to.match(/^the segment [0-9A-F]{24} of its archive has 4096 of 16777216 bytes$/);
    await copyFile(join(home, 'aside'), hole);
  }

  async function dumps(): Promise<void> {
    const dump = join(home, 'backup/trefoil.dump');
    await shell('pg_dump --format=custom --file=/backup/trefoil.dump "$DATABASE_URL"');
    expect(await trouble(dump)).to.match(/^its checksum .* is missing: sha256sum makes it$/);
    await shell('sha256sum /backup/trefoil.dump >/backup/trefoil.dump.sha256');
    const verified = await command(['backup', 'verify', dump, '--json'], options());
    expect(verified.code, verified.stderr).to.equal(0);
    expect(JSON.parse(verified.stdout).pending).to.deep.equal([]);
    await flip(dump, (await readFile(dump)).length >> 1);
    expect(await trouble(dump)).to.equal('its content is not what its checksum says');
    await writeFile(dump, 'rubbish');
    await shell('sha256sum /backup/trefoil.dump >/backup/trefoil.dump.sha256');
    expect(await trouble(dump)).to.be.a('string');
  }
});
