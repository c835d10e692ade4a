import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { brief, trefoil, trefoilBin } from '../../support/trefoil.js';

interface Opened {
  runCli(argv: readonly string[]): Promise<number>;
}

/** The part of core/bin/prepared.mjs that tests call. */
interface Prepared {
  openPrepared(root: URL): Opened | undefined;
  openUncompiled(root: URL): (Opened & { file: string; compile(): Uint8Array }) | undefined;
}

describe('the prepared command line', () => {
  const folder = useFolder();
  let prepared: Prepared;
  before(async () => {
    prepared = (await import(pathToFileURL(join(dirname(trefoilBin), 'prepared.mjs')).href)) as Prepared;
  });

  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder.path(), path)), { recursive: true });
    await writeFile(join(folder.path(), path), text);
  };
  const root = () => pathToFileURL(`${folder.path()}/`);
  const install = (path: string, version: string) =>
    put(`node_modules/${path}/package.json`, JSON.stringify({ version }));

  /** A package with a prepared command line that prints its origin; it was bundled with two dependencies. */
  const make = async (body = "console.log('prepared'); return 3;") => {
    await put('package.json', '{ "type": "module" }');
    await put('dist/core/cli.js', "export const runCli = async () => { console.log('modules'); return 4; };");
    const script = `(function (exports, require, module, urlOfModule) { exports.runCli = async () => { ${body} }; })`;
    await put('dist/prepared/commands.cjs', script);
    const packages = [
      { name: 'query', version: '1.0.0', of: '' },
      { name: '@lab/pool', version: '2.0.0', of: 'query' },
    ];
    await put('dist/prepared/contents.json', JSON.stringify({ digest: 'a1b2', packages }));
    await install('query', '1.0.0');
    await install('query/node_modules/@lab/pool', '2.0.0');
    // Not the one that `query` finds.
    await install('@lab/pool', '1.0.0');
    for (const file of ['launch.mjs', 'newer-than-build.mjs', 'prepared.mjs', 'trefoil.mjs'])
      await cp(join(dirname(trefoilBin), file), join(folder.path(), 'core/bin', file));
  };
  const compile = async () => {
    const opened = prepared.openUncompiled(root());
    if (opened === undefined) throw new Error('It cannot be compiled');
    await writeFile(opened.file, opened.compile());
    return opened.file;
  };
  /** For processes that `run` starts: V8 refuses code that was compiled with other options. */
  const compileApart = () => {
    const url = pathToFileURL(join(dirname(trefoilBin), 'prepared.mjs')).href;
    const script = `import { writeFileSync } from 'node:fs';
      import { openUncompiled } from ${JSON.stringify(url)};
      const { file, compile } = openUncompiled(new URL(${JSON.stringify(root().href)}));
      writeFileSync(file, compile());`;
    execFileSync(process.execPath, [...brief, '--input-type=module', '--eval', script]);
  };
  const run = async (...args: string[]) => {
    const script = join(folder.path(), 'core/bin/trefoil.mjs');
    const { code, stdout } = await trefoil(args, { cwd: folder.path(), script });
    return { code, said: stdout.trim() };
  };

  it('runs once it is compiled, and only commands that end', async () => {
    await make();
    expect(await run('token', 'list')).to.deep.equal({ code: 4, said: 'modules' });
    compileApart();
    expect(await run('token', 'list')).to.deep.equal({ code: 3, said: 'prepared' });
    expect(await run('--help')).to.deep.equal({ code: 3, said: 'prepared' });
    for (const line of [
      'serve --port 1',
      'work',
      'beacon run',
      'token --help',
      '--version',
      'd4 stat x.d4',
      'help token',
    ]) {
      expect(await run(...line.split(' ')), line).to.deep.equal({ code: 4, said: 'modules' });
    }
  });

  it('gives way to the modules if it hands over', async () => {
    await make("throw Object.assign(new Error('x'), { name: 'HandOver' });");
    compileApart();
    expect(await run('token', 'list')).to.deep.equal({ code: 4, said: 'modules' });
  });

  it('is not used if a dependency is updated, directly or below another, or is gone', async () => {
    await make();
    await compile();
    expect(prepared.openPrepared(root())).to.have.property('runCli');
    await install('query/node_modules/@lab/pool', '2.0.1');
    expect(prepared.openPrepared(root())).to.equal(undefined);
    expect(prepared.openUncompiled(root())).to.equal(undefined);
    await install('query/node_modules/@lab/pool', '2.0.0');
    await install('query', '1.0.1');
    expect(prepared.openPrepared(root())).to.equal(undefined);
    await install('query', '1.0.0');
    expect(prepared.openPrepared(root())).to.have.property('runCli');
    await put(
      'dist/prepared/contents.json',
      '{ "digest": "a1b2", "packages": [{ "name": "gone", "version": "1.0.0", "of": "" }] }',
    );
    expect(prepared.openPrepared(root())).to.equal(undefined);
  });

  it('is not used if the compiled code is damaged, or is of another script', async () => {
    await make();
    const file = await compile();
    const bytes = await readFile(file);
    for (const at of [0, 40, bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(file, damaged);
      expect(prepared.openPrepared(root()), `byte ${at}`).to.equal(undefined);
    }
    await writeFile(file, bytes.subarray(0, 20));
    expect(prepared.openPrepared(root())).to.equal(undefined);
    await writeFile(file, bytes);
    expect(prepared.openPrepared(root())).to.have.property('runCli');
    await put('dist/prepared/contents.json', '{ "digest": "c3d4", "packages": [] }');
    expect(prepared.openPrepared(root())).to.equal(undefined);
    expect((await readdir(join(folder.path(), 'dist/prepared'))).length).to.equal(3);
  });
});
