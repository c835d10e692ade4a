import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { brief, trefoil, trefoilBin } from '../../support/trefoil.js';

/** Our modules, as the build writes them: the parameters are those of core/bin/linker.mjs. */
const parameters = 'exports,require,module,urlOfModule,importModule,__export,__reExport,__toCommonJS,__toESM';
const modules: Record<string, string> = {
  'core/cli.js': `
    exports.runCli = async (words) => {
      if (words[0] === 'foreign') throw Object.assign(new Error('x'), { name: 'HandOver' });
      const others = words[0] === 'rare' ? [require('core/rare.js').text, (await importModule('core/rare.js')).text] : [];
      if (words[0] === 'options') others.push(require('node:v8').cachedDataVersionTag());
      require('zod').debug('shown');
      console.log(['prepared', require('zod').origin, ...others].join(' '));
      if (words[2] === 'server.yaml') return 1;
      return words[1] === 'fail' ? 3 : 0;
    };`,
  'core/rare.js': "exports.text = require('zod').rare();",
};

describe('the prepared command line', () => {
  const folder = useFolder();
  const path = (...parts: string[]) => join(folder.path(), ...parts);
  const put = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(path(file)), { recursive: true });
    await writeFile(path(file), text);
  };
  const install = async (name: string, version: string, text?: string) => {
    await put(
      `node_modules/${name}/package.json`,
      JSON.stringify({ version, dependencies: { '@lab/pool': '*', debug: '*' } }),
    );
    if (text !== undefined) await put(`node_modules/${name}/index.js`, text);
  };
  /** Returns what it complains of. */
  const prepare = () => {
    const line = [...brief, path('core/bin/prepare.mjs')];
    const { status, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    return stderr;
  };
  const compiled = async () => {
    const found = (await readdir(path('dist/prepared'))).filter((file) => file.endsWith('.compiled'));
    return found.map((file) => path('dist/prepared', file));
  };
  const run = (...args: string[]) => runWith({}, ...args);
  const runWith = async (env: Record<string, string>, ...args: string[]) => {
    const options = { cwd: folder.path(), script: path('core/bin/trefoil.mjs'), env };
    const { code, stdout, stderr } = await trefoil(args, options);
    expect(stderr).to.equal('');
    return { code, said: stdout.trim() };
  };
  const prepared = { code: 0, said: 'prepared zod over pool 2.0.0' };
  const notPrepared = { code: 4, said: 'modules' };

  /** A package whose modules are of the build, and whose prepared ones need a package that needs another below it. */
  beforeEach(async () => {
    await put('package.json', '{ "type": "module" }');
    const cli =
      "export const runCli = async (words) => { console.log('modules'); return words[0] === 'migrate' ? 0 : 4; };";
    await put('dist/core/cli.js', cli);
    const places: Record<string, [number, number]> = {};
    let all = '';
    for (const [id, body] of Object.entries(modules)) {
      const text = `(function(${parameters}){"use strict";${body}})`;
      places[id] = [all.length, all.length + text.length];
      all += text;
    }
    await put('dist/prepared/modules.txt', all);
    await put('dist/prepared/modules.json', JSON.stringify(places));
    await put('dist/prepared/digest', 'a1b2');
    const zod =
      "exports.origin = 'zod over ' + require('@lab/pool').name; exports.rare = () => require('./rare.js');" +
      "exports.debug = require('debug')('zod');";
    await install('zod', '1.0.0', zod);
    await install('debug', '1.0.0', 'module.exports = (name) => (text) => console.log(name, text);');
    await put('node_modules/zod/rare.js', "module.exports = require('./index.js').origin.length + 'é';");
    await install('zod/node_modules/@lab/pool', '2.0.0', "exports.name = 'pool 2.0.0';");
    // Not the one that `zod` finds.
    await install('@lab/pool', '1.0.0', "exports.name = 'pool 1.0.0';");
    await cp(dirname(trefoilBin), path('core/bin'), { recursive: true });
  });

  it('runs once it is prepared, and only commands that end', async () => {
    expect(await run('token', 'list')).to.deep.equal(notPrepared);
    expect(prepare()).to.equal('');
    expect(await run('token', 'list')).to.deep.equal(prepared);
    expect(await run('token', 'fail')).to.deep.equal({ ...prepared, code: 3 });
    expect(await run('--help')).to.deep.equal(prepared);
    for (const line of [
      'serve --port 1',
      'work',
      'beacon run',
      'token --help',
      '--version',
      'd4 stat x.d4',
      'help token',
    ]) {
      expect(await run(...line.split(' ')), line).to.deep.equal(notPrepared);
    }
  });

  it('evaluates what no command of the preparation needed, with the same packages', async () => {
    expect(prepare()).to.equal('');
    // 19 characters: "zod over pool 2.0.0".
    expect(await run('rare')).to.deep.equal({ code: 0, said: `${prepared.said} 19é 19é` });
  });

  it('loads the package debug only if the environment asks for it', async () => {
    expect(prepare()).to.equal('');
    const { said } = await runWith({ DEBUG: 'zod' }, 'token', 'list');
    expect(said).to.equal(`zod shown\n${prepared.said}`);
    expect(await run('token', 'list')).to.deep.equal(prepared);
  });

  it('sets options of V8 for commands, and takes them back if it hands over', async () => {
    expect(prepare()).to.equal('');
    const options = (text: string) => Number(text.split(' ').at(-1));
    const asStarted = spawnSync(process.execPath, [...brief, '-p', 'v8.cachedDataVersionTag()'], { encoding: 'utf8' });
    expect(options((await run('options')).said))
      .to.be.above(0)
      .and.not.equal(options(asStarted.stdout));
    const cli = `import { cachedDataVersionTag } from 'node:v8';
      export const runCli = async () => console.log(cachedDataVersionTag());`;
    await put('dist/core/cli.js', cli);
    expect(options((await run('foreign')).said)).to.equal(options(asStarted.stdout));
  });

  it('gives way to the modules if it hands over', async () => {
    expect(prepare()).to.equal('');
    expect(await run('foreign')).to.deep.equal(notPrepared);
  });

  it('is prepared for the versions that are installed', async () => {
    await install('zod', '1.0.7');
    expect(prepare()).to.equal('');
    expect(await run('token', 'list')).to.deep.equal(prepared);
  });

  it('is not used if a dependency is updated, directly, below another or nearer, or is gone', async () => {
    expect(prepare()).to.equal('');
    await install('zod/node_modules/@lab/pool', '2.0.1');
    expect(await run('token', 'list')).to.deep.equal(notPrepared);
    await install('zod/node_modules/@lab/pool', '2.0.0');
    await install('zod', '1.0.1');
    expect(await run('token', 'list')).to.deep.equal(notPrepared);
    await install('zod', '1.0.0');
    expect(await run('token', 'list')).to.deep.equal(prepared);
    await rename(path('node_modules/zod/node_modules'), path('aside'));
    expect(await run('token', 'list')).to.deep.equal(notPrepared);
    await rename(path('aside'), path('node_modules/zod/node_modules'));
    await rm(path('node_modules/zod'), { recursive: true });
    expect(await run('token', 'list')).to.deep.equal(notPrepared);
    const sentence = /^prepare: commands start more slowly, as they could not be compiled: Cannot find module 'zod'\n$/;
    expect(prepare()).to.match(sentence);
  });

  it('is not used if the compiled code is damaged, cut off, or of another build', async () => {
    expect(prepare()).to.equal('');
    const [file = ''] = await compiled();
    const bytes = await readFile(file);
    for (const at of [0, 5, 40, bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(file, damaged);
      expect(await run('token', 'list'), `byte ${at}`).to.deep.equal(notPrepared);
    }
    for (const length of [0, 6, 40, bytes.length - 10]) {
      await writeFile(file, bytes.subarray(0, length));
      expect(await run('token', 'list'), `${length} bytes`).to.deep.equal(notPrepared);
    }
    await writeFile(file, bytes);
    expect(await run('token', 'list')).to.deep.equal(prepared);
    await put('dist/prepared/digest', 'c3d4');
    expect(await run('token', 'list')).to.deep.equal(notPrepared);
  });
});
