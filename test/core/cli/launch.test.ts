import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { copyFile, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { beaconBin, serve, trefoil, trefoilBin } from '../../support/trefoil.js';

describe('the launcher', () => {
  const folder = useFolder();
  const repository = fileURLToPath(new URL('../../../', import.meta.url));

  /** A package with our launcher and a command line that only prints its own origin; ages in minutes. */
  async function run(ages: { source?: number; build?: number; tsx?: boolean }) {
    const root = folder.path();
    const put = async (path: string, text: string, age: number) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      const time = Date.now() / 1000 - age * 60;
      await utimes(join(root, path), time, time);
    };
    const cli = (from: string) => `export const runCli = async () => { console.log('${from}'); return 3; };`;
    await put('package.json', '{ "type": "module" }', 0);
    for (const part of ['core/bin', 'plugins', 'adapters']) await mkdir(join(root, part), { recursive: true });
    for (const file of ['launch.mjs', 'newer-than-build.mjs', 'trefoil.mjs'])
      await copyFile(join(dirname(trefoilBin), file), join(root, 'core/bin', file));
    if (ages.source !== undefined) await put('core/cli.ts', cli('source'), ages.source);
    if (ages.source !== undefined) await put('plugins/beacon/plugin.ts', '', ages.source);
    if (ages.build !== undefined) await put('dist/core/cli.js', cli('build'), ages.build);
    if (ages.tsx) await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
    const { code, stdout, stderr } = await trefoil([], { cwd: root, script: join(root, 'core/bin/trefoil.mjs') });
    return { code, said: stdout.trim(), stderr };
  }

  it('runs a build that is newer than every source file', async () => {
    expect(await run({ source: 5, build: 1, tsx: true })).to.include({ code: 3, said: 'build' });
  });
  it('runs the source if it is newer than the build', async () => {
    expect(await run({ source: 1, build: 5, tsx: true })).to.include({ code: 3, said: 'source' });
  });
  it('runs the source if there is no build', async () => {
    expect(await run({ source: 1, tsx: true })).to.include({ code: 3, said: 'source' });
  });
  it('runs the build if there is no source, as in a published package', async () => {
    expect(await run({ build: 1 })).to.include({ code: 3, said: 'build' });
  });
  it('runs an old build if nothing can run the source', async () => {
    expect(await run({ source: 1, build: 5 })).to.include({ code: 3, said: 'build' });
  });
  it('names what is missing if there is neither build nor source', async () => {
    expect(await run({ source: 1 }))
      .to.deep.include({ code: 1, said: '' })
      .with.property('stderr')
      .that.includes('npm ci');
    expect(await run({})).to.include({ code: 1 });
  });

  it('says in one sentence that there is no room for the output', () => {
    const full = openSync('/dev/full', 'w');
    const stdio = ['ignore', full, 'pipe'] as const;
    const { status, stderr } = spawnSync(process.execPath, [trefoilBin, '--version'], { stdio: [...stdio] });
    closeSync(full);
    const sentence = 'trefoil: standard output cannot be written (there is no space left)\n';
    expect([status, String(stderr)]).to.deep.equal([1, sentence]);
  });
});

describe('the beacon program', () => {
  const folder = useFolder();
  const options = () => ({ cwd: folder.path(), script: beaconBin, env: { TREFOIL_SQLITE_FILE: 'beacon.sqlite' } });

  it('offers the commands of the plugin as its own', async () => {
    const { code, stdout } = await trefoil(['--help'], options());
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/Usage: beacon/)
      .and.include('run')
      .and.include('add')
      .and.not.include('migrate');
  });

  it('serves only the beacon', async () => {
    const { url, process } = await serve(['run', '--port', '0'], options());
    expect(await (await fetch(url, { headers: { accept: 'application/json' } })).json()).to.deep.include({
      plugins: ['beacon'],
    });
    expect(await process.kill('SIGINT')).to.include({ code: 0, stderr: '' });
  });

  it('reports it if the chosen configuration does not enable the beacon', async () => {
    await folder.write('lab.yaml', 'storage: { adapter: memory }\nplugins: {}\n');
    const { code, stderr } = await trefoil(['run', '--config', 'lab.yaml'], options());
    expect(code).to.equal(1);
    expect(stderr).to.match(/^beacon: The plugin "beacon" is not enabled: lab\.yaml/);
  });
});
