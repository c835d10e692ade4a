/** Imports between the sources: no cycles, and no plugin that depends on another. Types count as much as code. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { readSource, root, sourcesIn } from './support.js';

interface Import {
  from: string;
  to: string;
  /** True for `import type` and `export type`. */
  typeOnly: boolean;
}

const sources = () => sourcesIn('core', 'plugins', 'adapters', 'test/conformance');

/** Imports between our own files, as paths from the root. */
function importsOf(file: string): Import[] {
  const text = readSource(file);
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
    expect(imports).to.deep.include({ from: 'core/recurring.ts', to: 'core/plugin-context.ts', typeOnly: true });
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
      'testing',
    ];
    const depths = ['plugins/coverage/d4/index.ts', 'plugins/coverage/d4/browser.ts'];
    const files = [...doors.map((door) => `core/${door}.ts`), 'test/conformance/core.ts', ...depths];
    const open = files.filter((file) => /^export \*/m.test(readSource(file)));
    expect(open).to.deep.equal([]);
  });

  it('of the product name no test', () => {
    const isTest = (file: string) => file.startsWith('test/');
    expect(imports.some(({ from, to }) => isTest(from) && !isTest(to))).to.equal(true);
    expect(imports.filter(({ from, to }) => !isTest(from) && isTest(to))).to.deep.equal([]);
  });

  it('of a plugin name no other plugin, but the types of services', () => {
    const pluginOf = (file: string) => /^plugins\/([^/]+)\//.exec(file)?.[1];
    const later = sources().flatMap((from) => {
      const named = readSource(from).matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g);
      return [...named].map(([, to = '']) => ({ from, to: relative(root, resolve(root, dirname(from), to)) }));
    });
    expect(later).to.deep.include({
      from: 'plugins/beacon/counts/denominators.ts',
      to: 'plugins/beacon/counts/remote.js',
    });
    const foreign = [...imports, ...later.map((one) => ({ ...one, typeOnly: false }))].filter(
      ({ from, to }) => pluginOf(from) && pluginOf(to) && pluginOf(from) !== pluginOf(to),
    );
    const isService = ({ to, typeOnly }: Import) => pluginOf(to) === 'services' && typeOnly;
    expect(foreign.filter((one) => !isService(one))).to.deep.equal([]);
    expect(new Set(foreign.map(({ from }) => pluginOf(from)))).to.have.keys(
      'beacon',
      'coverage',
      'matchmaker',
      'panels',
      'reviews',
    );
  });

  /** Packages that a module loads before it does anything, each with the file that imports it. */
  const packagesOf = (...files: string[]): string[] => {
    const reached = new Set(files);
    for (const file of reached) {
      for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) reached.add(to);
    }
    return [...reached].flatMap((file) => {
      const text = readSource(file);
      const found = [...text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from\s'([^.'][^']*)';/gms)];
      return found.map(([, name]) => `${file}: ${name}`).filter((one) => !one.includes(': node:'));
    });
  };

  it('of a tool reach no package, so that its commands start quickly', () => {
    const tools = sources().filter((file) => /^plugins\/[^/]+\/tools\//.test(file));
    expect(tools).to.include('plugins/coverage/tools/d4.ts');
    // The readers of BED and genome files are loaded with the first such file.
    expect(packagesOf(...tools, 'core/files/bed.ts', 'core/files/text-file.ts')).to.deep.equal([]);
  });

  it('of the command line reach no package but its parser, so that a help is printed quickly', () => {
    const packages = new Set(packagesOf('core/cli.ts').map((one) => one.split(': ')[1]));
    expect([...packages]).to.deep.equal(['commander']);
  });

  /** What a module takes of a package by value: names, `default` for all of it. */
  const takenOf = (text: string): { from: string; name: string }[] => [
    ...[...text.matchAll(/^(?:import|export)\s(?!type\s)([^;]*?)\sfrom\s'([^.'][^']*)';/gms)].flatMap(
      ([, what = '', from = '']) => {
        const [, whole = '', names = ''] = /^([^{]*)(?:\{(.*)\})?$/s.exec(what) ?? [];
        const taken = names.split(',').map((one) => one.trim());
        const values = taken.filter((one) => one !== '' && !one.startsWith('type '));
        const all = whole.replace(/[\s,]/g, '') === '' ? [] : ['default'];
        return [...all, ...values.map((one) => one.split(' as ')[0] ?? one)].map((name) => ({ from, name }));
      },
    ),
    ...[...text.matchAll(/(?<!typeof )import\('([^.'][^']*)'\)/g)].map(([, from = '']) => ({ from, name: 'default' })),
  ];

  it('that connect to other servers are those of core/outgoing, so that every address is checked', () => {
    const harmless: Record<string, readonly string[]> = {
      'node:http': ['createServer', 'IncomingMessage', 'ServerResponse', 'STATUS_CODES'],
      'node:net': ['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'Socket'],
      'node:https': [],
      'node:http2': [],
      'node:tls': [],
      'node:dgram': [],
      'node:dns': [],
      'node:dns/promises': [],
      undici: [],
      aws4fetch: [],
    };
    const taken = sources().flatMap((file) => takenOf(readSource(file)).map((one) => ({ file, ...one })));
    expect(taken).to.deep.include({ file: 'core/outgoing/request.ts', from: 'node:https', name: 'request' });
    expect(taken).to.deep.include({ file: 'core/outgoing/request.ts', from: 'node:http', name: 'request' });
    expect(taken).to.deep.include({ file: 'core/auth/issuers/signed-tokens.ts', from: 'jose', name: 'default' });
    const connecting = taken.filter(
      ({ file, from, name }) => !file.startsWith('core/outgoing/') && harmless[from]?.includes(name) === false,
    );
    expect(connecting).to.deep.equal([]);
    // Libraries that connect by themselves are told how: the linter forbids the global fetch.
    const told = {
      'createRemoteJWKSet(': 'jose.customFetch',
      '.discovery(': 'library.customFetch',
      'createTransport(': 'getSocket(',
    };
    for (const [call, by] of Object.entries(told)) {
      const users = sources().filter((file) => readSource(file).includes(call));
      expect(users, call).to.have.length(1);
      for (const file of users) expect(readSource(file), file).to.include(by);
    }
    const { linter, overrides } = JSON.parse(readSource('biome.json'));
    expect(linter.rules.style.noRestrictedGlobals.options.deniedGlobals).to.have.property('fetch');
    const exempt = overrides.filter(
      (one: { linter: { rules: { style: object } } }) => 'noRestrictedGlobals' in one.linter.rules.style,
    );
    expect(exempt.flatMap((one: { includes: string[] }) => one.includes)).to.deep.equal([
      'test/**',
      'core/outgoing/**',
    ]);
  });
});
