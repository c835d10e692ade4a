import { chmod, cp, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { nodes } from '../../support/nodes.js';
import { trefoil, trefoilBin } from '../../support/trefoil.js';

describe('a build', () => {
  const folder = useFolder();
  const path = (...parts: string[]) => join(folder.path(), ...parts);
  const put = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(path(file)), { recursive: true });
    await writeFile(path(file), text);
  };
  const run = async (executable = process.execPath) => {
    const script = path('core/bin/trefoil.mjs');
    const { code, stdout, stderr } = await trefoil(['token'], { cwd: folder.path(), script, executable });
    expect([code, stderr]).to.deep.equal([0, '']);
    return stdout.trim();
  };
  const install = (at: string, version: string) =>
    Promise.all([
      put(`node_modules/${at}/package.json`, JSON.stringify({ version })),
      put(`node_modules/${at}/index.js`, `exports.origin = 'installed ${version}';`),
    ]);

  beforeEach(async () => {
    await put('package.json', '{ "type": "module" }');
    const cli = `import { createRequire } from 'node:module';
      const { dependency } = createRequire(import.meta.url)('../../core/bin/modules.cjs');
      export const runCli = async () => { console.log(dependency('zod').origin); return 0; };`;
    await put('dist/core/cli.js', cli);
    await put('dist/dependencies/zod.cjs', "exports.origin = 'bundled';");
    const list = [
      { name: 'zod', version: '1.0.0' },
      { name: '@lab/pool', version: '2.0.0', of: 0 },
    ];
    await put('dist/dependencies.json', JSON.stringify({ zod: list }));
    await install('zod', '1.0.0');
    await install('zod/node_modules/@lab/pool', '2.0.0');
    // Not the one that `zod` finds.
    await install('@lab/pool', '1.0.0');
    await cp(dirname(trefoilBin), path('core/bin'), { recursive: true });
  });

  it('has dependencies of its own as long as exactly these are installed, directly and below another', async () => {
    expect(await run()).to.equal('bundled');
    await install('zod/node_modules/@lab/pool', '2.0.1');
    expect(await run()).to.equal('installed 1.0.0');
    await install('zod/node_modules/@lab/pool', '2.0.0');
    await install('zod', '1.0.1');
    expect(await run()).to.equal('installed 1.0.1');
    await install('zod', '1.0.0');
    expect(await run()).to.equal('bundled');
    await rename(path('node_modules/zod/node_modules'), path('aside'));
    expect(await run(), 'the pool that zod finds instead is another').to.equal('installed 1.0.0');
  });

  for (const [major, executable] of nodes()) {
    const compiled = () => path('dist/compiled');
    if (major < 22) {
      it(`runs on Node.js ${major}, which keeps no compiled code`, async () => {
        expect(await run(executable)).to.equal('bundled');
      });
      continue;
    }
    it(`keeps compiled code in a folder of its user only, on Node.js ${major}`, async () => {
      expect(await run(executable)).to.equal('bundled');
      expect((await stat(compiled())).mode & 0o777).to.equal(0o700);
      expect(await readdir(compiled())).to.have.length(1);
    });
    for (const mode of [0o770, 0o707, 0o1777]) {
      it(`does not use a folder with mode ${mode.toString(8)}, on Node.js ${major}`, async () => {
        await mkdir(compiled());
        await chmod(compiled(), mode);
        expect(await run(executable)).to.equal('bundled');
        expect(await readdir(compiled())).to.deep.equal([]);
      });
    }
    it(`runs without a folder, on Node.js ${major}`, async () => {
      await put('dist/compiled', 'a file');
      expect(await run(executable)).to.equal('bundled');
      await rm(compiled());
      await put('elsewhere/x', '');
      await symlink(path('elsewhere'), compiled());
      expect(await run(executable)).to.equal('bundled');
      expect(await readdir(path('elsewhere'))).to.deep.equal(['x']);
    });
  }
});
