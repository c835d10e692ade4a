/** The library is independent: of the server around it, and, outside of `node/`, of Node.js. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { trefoil } from '../../../support/trefoil.js';

const project = fileURLToPath(new URL('../../../../', import.meta.url));
const root = join(project, 'plugins/coverage/d4');

interface Imported {
  file: string;
  /** A package, or a path from the root of the project. */
  from: string;
}

/** The imports of the sources below a folder, later ones included. */
function importsBelow(folder: string): Imported[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?[jt]s$/.test(name));
  return files.flatMap((name) => {
    const path = join(folder, name);
    const found = readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g);
    return [...found].map(([, from = '']) => ({
      file: relative(project, path),
      from: from.startsWith('.') ? relative(project, resolve(dirname(path), from)) : from,
    }));
  });
}

const isOwn = (path: string) => path.startsWith('plugins/coverage/d4/');

describe('d4: an independent library', () => {
  // Examples import the package by name, as their readers do.
  const own = importsBelow(root).filter(({ file }) => !file.startsWith('plugins/coverage/d4/examples/'));

  it('imports nothing outside its folder except Node and piscina', () => {
    expect(own.length).to.be.greaterThan(100);
    const foreign = own.filter(({ from }) => !isOwn(from) && !from.startsWith('node:') && from !== 'piscina');
    expect(foreign).to.deep.equal([
      { file: 'plugins/coverage/d4/node/pool/worker-from-source.mjs', from: 'tsx/esm/api' },
    ]);
  });

  it('is imported by its door alone', () => {
    const others = ['core', 'plugins', 'adapters'].flatMap((part) => importsBelow(join(project, part)));
    const users = others.filter(({ file, from }) => !isOwn(file) && isOwn(from));
    expect(users.length).to.be.greaterThan(30);
    expect(users.filter(({ from }) => from !== 'plugins/coverage/d4/index.js')).to.deep.equal([]);
    expect(own.filter(({ from }) => from === 'plugins/coverage/d4/index.js')).to.deep.equal([]);
  });

  it('is compared with brute force through its doors alone', () => {
    const tests = importsBelow(join(project, 'test/plugins/coverage/d4'));
    const comparing = tests.filter(({ file }) => /\/(?:statistics\.test|support\/[^/]+)\.ts$/.test(file));
    const doors = new Set(comparing.map(({ from }) => from).filter(isOwn));
    expect([...doors].sort()).to.deep.equal(['plugins/coverage/d4/browser.js', 'plugins/coverage/d4/index.js']);
  });

  it('needs Node.js only in one folder, into which only the door for Node.js leads', () => {
    const isNode = (file: string) => file.startsWith('plugins/coverage/d4/node/');
    const needing = own.filter(({ file, from }) => !isNode(file) && (!isOwn(from) || isNode(from)));
    expect(new Set(needing.map(({ file }) => file))).to.deep.equal(new Set(['plugins/coverage/d4/index.ts']));
    for (const { file } of own.filter((one) => !isNode(one.file))) {
      const code = readFileSync(join(project, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      expect(code, file).not.to.match(/\b(?:Buffer|process|require|__dirname|global)\b(?!:)/);
    }
  });

  it('loads no server, no database and no thread by itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-d4-loaded-'));
    try {
      const loaded = join(folder, 'loaded');
      const preload = pathToFileURL(join(project, 'test/support/loaded.mjs')).href;
      const door = pathToFileURL(join(root, 'index.ts')).href;
      const script = `import(${JSON.stringify(door)}).then(({ openD4 }) => openD4(new Uint8Array(9)).catch(({ code }) => console.log(code)))`;
      const { code, stdout, stderr } = await trefoil([script], {
        cwd: project,
        script: '-e',
        node: [`--import=${preload}`, '--import=tsx/esm'],
        env: { LOADED_MODULES: loaded },
      });
      expect({ code, stdout }, stderr).to.deep.equal({ code: 0, stdout: 'not-d4\n' });
      const modules = (await readFile(loaded, 'utf8')).split('\n').filter((url) => url.startsWith('file:'));
      const ours = modules.map((url) => relative(project, fileURLToPath(url.replace(/\?.*/, ''))));
      expect(ours).to.include('plugins/coverage/d4/file.ts');
      const packages = ours.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
      const loader = ['tsx', 'esbuild', '@esbuild', 'get-tsconfig', 'resolve-pkg-maps'];
      expect([...new Set(packages)].filter((name) => !loader.includes(name))).to.deep.equal([]);
      expect(ours.filter((path) => !path.startsWith('node_modules/') && !isOwn(path))).to.deep.equal([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
