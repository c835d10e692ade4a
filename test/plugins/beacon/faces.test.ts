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

/** The face of a file; none if the faces share it. */
const faceOf = (path: string) => /^faces\/(?!query\/)([^/]+)\//.exec(path)?.[1];

describe('beacon: faces', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

  it('are imported only by register.ts, each by one file that registers its routes', () => {
    expect(files.map(faceOf)).to.include('v1');
    const from = files
      .filter((file) => !file.startsWith('faces/'))
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => faceOf(path) !== undefined)
          .map((path) => ({ file, face: faceOf(path) })),
      );
    const faces = [...new Set(files.flatMap((file) => faceOf(file) ?? []))].sort();
    expect([...new Set(from.map(({ file }) => file))]).to.deep.equal(['register.ts']);
    expect(from.map(({ face }) => face).sort()).to.deep.equal(faces);
  });

  it('share only what knows no face', () => {
    const shared = files.filter((file) => file.startsWith('faces/') && faceOf(file) === undefined);
    expect(shared).to.include('faces/pages.ts');
    expect(shared.flatMap(importsOf).flatMap((path) => faceOf(path) ?? [])).to.deep.equal([]);
  });

  it('import neither each other nor the plugin', () => {
    for (const file of files) {
      const face = faceOf(file);
      if (face === undefined) continue;
      for (const path of importsOf(file)) {
        expect(path, file).not.to.be.oneOf(['plugin.js', 'register.js']);
        expect(faceOf(path) ?? face, `${file} -> ${path}`).to.equal(face);
      }
    }
  });

  it('use a domain that reads no file, runs no job and imports no face', () => {
    const used = files
      .filter((file) => file.startsWith('domain/'))
      .flatMap(importsOf)
      .map((path) => (path.includes('/') ? dirname(path) : path));
    expect(used).to.include('domain');
    expect([...new Set(used)].sort()).to.deep.equal(['contract.js', 'domain']);
  });
});
