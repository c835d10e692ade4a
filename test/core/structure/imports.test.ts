/** Imports between the sources: no cycles, and no plugin that depends on another. Types count as much as code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Import {
  from: string;
  to: string;
  /** True for `import type` and `export type`. */
  typeOnly: boolean;
}

function sources(): string[] {
  return ['core', 'plugins', 'adapters'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
}

/** Imports between our own files, as paths from the root. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = [...text.matchAll(/^(import|export)\s(type\s)?[^;]*?from\s'(\.[^']+)';/gms)];
  return found.flatMap(([, , type, specifier = '']) => {
    const to = relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts');
    return existsSync(join(root, to)) ? [{ from: file, to, typeOnly: type !== undefined }] : [];
  });
}

/** The strongly connected components of more than one node (Tarjan 1972). */
function circlesIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const number = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    number.set(node, number.size);
    lowest.set(node, number.size - 1);
    stack.push(node);
    for (const next of arrows.get(node) ?? []) {
      if (!number.has(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, visit(next)));
      else if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, number.get(next) ?? 0));
    }
    if (lowest.get(node) === number.get(node)) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest.get(node) ?? 0;
  };
  for (const node of arrows.keys()) if (!number.has(node)) visit(node);
  return circles;
}

function arrowsOf(pairs: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const [from, to] of pairs) {
    const known = arrows.get(from) ?? new Set();
    arrows.set(from, known.add(to));
    if (!arrows.has(to)) arrows.set(to, new Set());
  }
  return arrows;
}

describe('imports', () => {
  const imports = sources().flatMap(importsOf);

  it('are found', () => {
    // A pattern that no longer matched the sources would find nothing, and the other tests would pass.
    expect(imports).to.deep.include({ from: 'core/plugin.ts', to: 'core/recurring.ts', typeOnly: false });
    expect(imports).to.deep.include({ from: 'core/recurring.ts', to: 'core/plugin/context.ts', typeOnly: true });
    expect(
      circlesIn(
        arrowsOf([
          ['a', 'b'],
          ['b', 'c'],
          ['c', 'a'],
          ['c', 'd'],
        ]),
      ),
    ).to.deep.equal([['a', 'b', 'c']]);
  });

  it('have no cycles', () => {
    expect(circlesIn(arrowsOf(imports.map(({ from, to }) => [from, to] as const)))).to.deep.equal([]);
  });

  it('go one way between any two sibling folders', () => {
    const arrows = arrowsOf(imports.map(({ from, to }) => [dirname(from), dirname(to)] as const));
    const beside = (one: string, other: string) =>
      !`${one}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${one}/`);
    const pairs = [...arrows].flatMap(([one, others]) =>
      [...others]
        .filter((other) => one < other && beside(one, other) && arrows.get(other)?.has(one))
        .map((other) => `${one} <> ${other}`),
    );
    expect(pairs.sort()).to.deep.equal([]);
  });

  it('of the package entry points name what they export', () => {
    const doors = [
      'plugin',
      'commands',
      'files',
      'genome',
      'vcf',
      'openid',
      'outgoing',
      'migration',
      'storage',
      'conformance',
      'testing',
    ];
    const open = doors.filter((door) => /^export \*/m.test(readFileSync(join(root, `core/${door}.ts`), 'utf8')));
    expect(open).to.deep.equal([]);
  });

  it('from another plugin are of its types only', () => {
    const pluginOf = (file: string) => /^plugins\/([^/]+)\//.exec(file)?.[1];
    const foreign = imports.filter(
      ({ from, to, typeOnly }) => pluginOf(from) && pluginOf(to) && pluginOf(from) !== pluginOf(to) && !typeOnly,
    );
    expect(foreign).to.deep.equal([]);
  });

  /** Packages that a module loads before it does anything, each with the file that imports it. */
  const packagesOf = (...files: string[]): string[] => {
    const reached = new Set(files);
    for (const file of reached) {
      for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) reached.add(to);
    }
    return [...reached].flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const found = [...text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from\s'([^.'][^']*)';/gms)];
      return found.map(([, name]) => `${file}: ${name}`).filter((one) => !one.includes(': node:'));
    });
  };

  it('of a tool reach no package, so that its commands start quickly', () => {
    const tools = sources().filter((file) => /^plugins\/[^/]+\/tools\//.test(file));
    expect(tools).to.include('plugins/coverage/tools/d4.ts');
    expect(packagesOf(...tools)).to.deep.equal([]);
  });

  it('of the command line reach no package but its parser, so that a help is printed quickly', () => {
    const packages = new Set(packagesOf('core/cli.ts').map((one) => one.split(': ')[1]));
    expect([...packages]).to.deep.equal(['commander']);
  });
});
