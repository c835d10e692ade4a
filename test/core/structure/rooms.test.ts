/** Files and names a newcomer meets: one file for one idea, a dozen rooms for a plugin, each type name once in a part. */
import { readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { readSource, root, sourcesIn } from './support.js';

const sources = sourcesIn('core', 'plugins', 'adapters');
const text = new Map(sources.map((file) => [file, readSource(file)]));

/** `core`, `adapters` or the name of a plugin. */
function partOf(file: string): string {
  const [folder = '', plugin = ''] = file.split('/');
  return folder === 'plugins' ? plugin : folder;
}

/** Files under 40 lines with one importer that have a reason to stand alone. */
const smallOnPurpose: Readonly<Record<string, string>> = {
  'core/erasures/store.ts': 'loaded only for adapters that have no binding of their own',
  'plugins/coverage/commands.ts': 'the list of the commands, which the core looks for at this place',
  'plugins/matchmaker/commands.ts': 'the list of the commands, which the core looks for at this place',
  'plugins/matchmaker/triage/demo-case.ts': 'imported only by a server with demo data, for the demo of reviews',
  'plugins/reviews/commands.ts': 'the list of the commands, which the core looks for at this place',
};

/** The files that import each file; each `from` and each `import()` counts. */
const importers = new Map<string, Set<string>>();
for (const [file, source] of text) {
  for (const [, specifier = ''] of source.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
    const to = relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts');
    importers.set(to, (importers.get(to) ?? new Set()).add(file));
  }
}

/** Parts that declare each name of a type, with the files. */
function typesByName(): Map<string, Map<string, string[]>> {
  const names = new Map<string, Map<string, string[]>>();
  for (const [file, source] of text) {
    for (const [, name = ''] of source.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm)) {
      const parts = names.get(name) ?? new Map<string, string[]>();
      const part = partOf(file);
      parts.set(part, [...(parts.get(part) ?? []), file]);
      names.set(name, parts);
    }
  }
  return names;
}

describe('rooms and names', () => {
  it('are read from the sources', () => {
    expect(importers.get('core/fault.ts')?.size).to.be.greaterThan(20);
    expect(typesByName().get('Contract')?.get('core')).to.deep.equal(['core/contract.ts']);
  });

  it('have no file under 40 lines with one importer, but those with a reason', () => {
    const small = sources.filter(
      (file) => (text.get(file)?.split('\n').length ?? 0) <= 40 && importers.get(file)?.size === 1,
    );
    expect(small.sort()).to.deep.equal(Object.keys(smallOnPurpose).sort());
  });

  it('are at most a dozen folders on the first floor of a plugin', () => {
    for (const plugin of readdirSync(join(root, 'plugins'), { withFileTypes: true })) {
      if (!plugin.isDirectory()) continue;
      const folders = readdirSync(join(root, 'plugins', plugin.name), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory(),
      );
      expect(
        folders.map(({ name }) => name),
        plugin.name,
      ).to.have.lengthOf.at.most(12);
    }
  });

  it('have each name of a type once in a part, and under 40 in several parts', () => {
    const names = typesByName();
    const twice = [...names].flatMap(([name, parts]) =>
      [...parts]
        .filter(([, files]) => files.length > 1)
        .map(([part, files]) => `${name} in ${part}: ${files.join(' ')}`),
    );
    expect(twice).to.deep.equal([]);
    const shared = [...names].filter(([, parts]) => parts.size > 1).map(([name]) => name);
    expect(shared.sort(), shared.join(' ')).to.have.lengthOf.below(40);
  });
});
