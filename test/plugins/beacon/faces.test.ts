import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../../../plugins/beacon');

/** The files of the beacon that a file of the beacon imports, by path in its folder. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
    .map(([, from = '']) => relative(root, join(root, dirname(file), from)))
    .filter((path) => !path.startsWith('..'));
}

const faceOf = (path: string) => /^faces\/([^/.]+)/.exec(path)?.[1];

describe('beacon: faces', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

  it('are imported only by register.ts, which registers each by its entry point', () => {
    expect(files.map(faceOf)).to.include('v1');
    const from = files
      .filter((file) => faceOf(file) === undefined)
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith('faces/'))
          .map((path) => `${file} -> ${path}`),
      );
    expect(from).to.include('register.ts -> faces/v1.js');
    for (const arrow of from) expect(arrow).to.match(/^register\.ts -> faces\/[^/]+\.js$/);
  });

  it('import neither each other nor the plugin', () => {
    for (const file of files) {
      const face = faceOf(file);
      if (face === undefined) continue;
      for (const path of importsOf(file)) {
        expect(path, file).not.to.be.oneOf(['plugin.js', 'register.js']);
        if (path.startsWith('faces/')) expect(faceOf(path), `${file} -> ${path}`).to.equal(face);
      }
    }
  });

  it('use a domain that reads no file, runs no job and imports no face', () => {
    const used = files
      .filter((file) => file.startsWith('domain/'))
      .flatMap(importsOf)
      .map((path) => (path.includes('/') ? dirname(path) : path));
    expect(used).to.include('domain');
    expect([...new Set(used)].sort()).to.deep.equal(['contract.js', 'domain', 'rights.js']);
  });
});
