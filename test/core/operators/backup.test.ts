import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { makeDatabase } from '../../support/postgres.js';
import { runSql } from '../../support/sql.js';
import { started } from '../../support/started.js';
import { beaconBin, environment, serve, trefoil, trefoilBin } from '../../support/trefoil.js';

describe('operators: trefoil backup', function () {
  this.timeout(120_000); // several processes, one after another
  const folder = useFolder();
  const options = (env: Record<string, string> = {}) => ({ cwd: folder.path(), env });
  const vcf = (samples: number) =>
    [
      '##fileformat=VCFv4.2',
      '##contig=<ID=1>',
      `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT${Array.from({ length: samples }, (_, i) => `\tS${i}`).join('')}`,
      ...Array.from({ length: 5000 }, (_, i) => `1\t${1000 + i}\t.\tA\tC\t.\tPASS\t.\tGT${'\t0/1'.repeat(samples)}`),
      '',
    ].join('\n');
  const exists = async (url: string, start: number) => {
    const question = `assemblyId=GRCh37&referenceName=1&start=${start}&referenceBases=A&alternateBases=C`;
    const answer = await fetch(`${url}/apiv1.0/query?${question}`);
    return ((await answer.json()) as { exists: boolean }).exists;
  };

  it('holds one consistent state, taken during requests and a load, and serves the same answers', async () => {
    const beacon = (...args: string[]) => trefoil(args, { ...options(), script: beaconBin });
    await writeFile(`${folder.path()}/one.vcf`, vcf(1));
    await writeFile(`${folder.path()}/ten.vcf`, vcf(10));
    await beacon('add', 'dataset', '--did', 'lab', '--name', 'Lab', '--build', 'GRCh37', '--authlevel', 'public');
    expect((await beacon('add', 'variants', '--ds', 'lab', '--vcf', 'one.vcf')).code).to.equal(0);
    const defaults = await folder.write('lab.yaml', '{}\n');
    const { url, process } = await serve(['serve', '--port', '0'], options());
    expect(await exists(url, 999)).to.equal(true);
    expect(await exists(url, 998)).to.equal(false);

    const [loaded, ...copies] = await Promise.all([
      beacon('add', 'variants', '--ds', 'lab', '--vcf', 'ten.vcf'),
      ...['a', 'b', 'c'].map((name) => trefoil(['backup', `${name}.sqlite`], options())),
    ]);
    expect(loaded?.code).to.equal(0);
    for (const [i, copy] of copies.entries()) {
      const name = `${'abc'[i]}.sqlite`;
      expect(copy.stdout).to.match(new RegExp(`^${name}: \\d+\\.\\d MB in \\d+\\.\\d s\\n$`));
      expect(((await stat(`${folder.path()}/${name}`)).mode & 0o777).toString(8)).to.equal('600');
      const env = { TREFOIL_SQLITE_FILE: name };
      const verified = await command(['verify', '--json'], { ...options(env), script: beaconBin });
      expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
      const restored = await started(defaults, { TREFOIL_SQLITE_FILE: `${folder.path()}/${name}` });
      expect(await exists(restored.url, 999)).to.equal(true);
      expect(await exists(restored.url, 998)).to.equal(false);
      await restored.stop();
    }
    await process.kill();
  });

  it('never overwrites a file, and leaves nothing behind if it fails', async () => {
    expect((await command(['backup', 'copy.sqlite'], options())).code).to.equal(0);
    const again = await command(['backup', 'copy.sqlite'], options());
    expect(again).to.include({ code: 1, stderr: 'trefoil: The file copy.sqlite exists already\n' });
    const nowhere = await command(['backup', 'no/such/copy.sqlite'], options());
    expect(nowhere).to.include({
      code: 1,
      stderr: 'trefoil: The file no/such/copy.sqlite cannot be written (ENOENT)\n',
    });
    // No file may grow beyond 100 kB, and the tables take more: as if the disk of the copy were full.
    expect((await command(['migrate'], options())).code).to.equal(0);
    const small = ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, trefoilBin, 'backup', 'small.sqlite'];
    const full = spawnSync('bash', small, { cwd: folder.path(), env: environment(), encoding: 'utf8' });
    expect(full.stderr).to.match(
      /^trefoil: The database file \S+ cannot be copied: (a disk reports|the disk of)[^\n]+\n$/,
    );
    expect(full.status).to.equal(1);
    expect(await readdir(folder.path())).to.have.members(['copy.sqlite', 'copy.sqlite.manifest.json', 'data']);
  });

  it('is found out by verify: whole, damaged anywhere, incomplete, of another version, too old', async () => {
    const path = (name: string) => `${folder.path()}/${name}`;
    const verify = async (...more: string[]) =>
      command(['backup', 'verify', 'copy.sqlite', '--tmp', 'trials', ...more], options());
    await mkdir(path('trials'));
    const refused = async (why: RegExp, ...more: string[]) => {
      const { code, stdout, stderr } = await verify(...more);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr)
        .to.match(/^trefoil: The backup copy\.sqlite cannot be relied on: [^\n]+\n$/)
        .and.match(why);
    };
    const missing = await verify('--textfile', 'backup.prom');
    expect(missing).to.include({ code: 1, stderr: 'trefoil: There is no backup copy.sqlite\n' });
    expect(await readFile(path('backup.prom'), 'utf8')).to.match(/^trefoil_backup_reliable 0$/m);
    const unreported = await verify('--textfile', 'no/such/backup.prom');
    const unwritable = 'The file no/such/backup.prom of --textfile cannot be written (ENOENT)\n';
    expect(unreported).to.include({ code: 1, stderr: `${unwritable}trefoil: There is no backup copy.sqlite\n` });
    expect((await command(['token', 'add', '--owner', 'Lab', '--scope', '*'], options())).code).to.equal(0);
    expect((await command(['backup', 'copy.sqlite'], options())).code).to.equal(0);
    const whole = await verify('--json', '--textfile', 'backup.prom');
    expect(whole.code, whole.stderr).to.equal(0);
    const { rows, tables, pending } = JSON.parse(whole.stdout);
    expect(pending).to.deep.equal([]);
    expect(rows).to.be.above(0);
    expect(tables).to.be.above(10);
    expect(await readFile(path('backup.prom'), 'utf8')).to.match(/^trefoil_backup_reliable 1$/m);
    expect((await verify('--textfile', 'no/such/backup.prom')).stderr).to.equal(`trefoil: ${unwritable}`);
    await refused(/ days ago, and --max-age is 1e-9$/m, '--max-age', '0.000000001', '--textfile', 'backup.prom');
    expect(await readFile(path('backup.prom'), 'utf8')).to.match(/^trefoil_backup_reliable 0$/m);

    const original = new Map<string, Buffer>();
    for (const name of ['copy.sqlite', 'copy.sqlite.manifest.json']) original.set(name, await readFile(path(name)));
    for (const [name, bytes] of original) {
      for (const place of [0, bytes.length >> 1, bytes.length - 3]) {
        const damaged = Buffer.from(bytes);
        damaged[place] = (bytes[place] ?? 0) ^ 1;
        await writeFile(path(name), damaged);
        await refused(/manifest/);
      }
      await writeFile(path(name), bytes.subarray(0, bytes.length >> 1));
      await refused(/manifest/);
      await writeFile(path(name), bytes);
    }
    await rm(path('copy.sqlite.manifest.json'));
    await refused(/its manifest \S+ is missing/);

    const rewritten = async (change: (manifest: Record<string, unknown>) => void) => {
      const { manifest } = JSON.parse(String(original.get('copy.sqlite.manifest.json')));
      const own = JSON.parse(manifest);
      change(own);
      const text = JSON.stringify(own);
      const digest = createHash('sha256').update(text).digest('hex');
      await writeFile(path('copy.sqlite.manifest.json'), JSON.stringify({ manifest: text, digest }));
    };
    await rewritten((manifest) => Object.assign(manifest, { format: 2 }));
    await refused(/is of another version of Trefoil$/m);
    await rewritten((manifest) => Object.assign(manifest.tables as object, { tokens_issued: 7 }));
    await refused(/^.*tokens_issued has \w+ rows, and its manifest says 7$/m);
    await runSql({ file: path('copy.sqlite') }, [
      "insert into trefoil_migrations values ('tokens@1', '999-future', 0)",
    ]);
    const bytes = await readFile(path('copy.sqlite'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await rewritten((manifest) => Object.assign(manifest, { bytes: bytes.length, sha256 }));
    await refused(/newer schema than this version of Trefoil knows: tokens@1\/999-future$/m);
    expect(await readdir(path('trials'))).to.deep.equal([]);
  });

  it('points to the tools of a database server', async () => {
    const { url, drop } = await makeDatabase();
    const refused = await command(['backup', 'copy.dump'], options({ DATABASE_URL: url }));
    await drop();
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(
      /^trefoil: This storage \(PostgreSQL .*\) cannot be copied by this command: use its own tools, such as pg_dump\n$/,
    );
    expect(await readdir(folder.path())).to.deep.equal([]);
  });
});
