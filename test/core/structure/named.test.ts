/** What a server opens for a caller it opens through the places of the core: no plugin has another way. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import * as files from '../../../core/files.js';
import { readSource, root, sourcesIn } from './support.js';

/** Modules of plugins that a server loads and that open files by their names, each with the reason why no caller chooses these. */
const openers: Readonly<Record<string, string>> = {
  'plugins/beacon/demo/demo.ts': 'files of the package',
  'plugins/beacon/faces/v2/framework/documents.ts': 'files of the package, from a fixed list',
  'plugins/beacon/protection/frequencies.ts': 'files that the configuration names',
  'plugins/beacon/vcf/reference/packed.ts':
    'files in the folder that the configuration names, by the name of an assembly',
  'plugins/beacon/vcf/panel.ts': '`readPanel` of commands; a job gets its genes from the storage',
  'plugins/coverage/demo/demo.ts': 'files of the package',
  'plugins/coverage/d4/node/files.ts': 'a server gives it `openPath`, which is of the places',
  'plugins/coverage/d4/node/pool/pool.ts': 'the file of the worker threads',
  'plugins/coverage/d4/node/verify/mosdepth.ts': 'the command `d4 verify`',
  'plugins/coverage/d4/node/write/input.ts': 'commands that write D4 files',
  'plugins/coverage/d4/node/write/encode.ts': 'commands that write D4 files',
  'plugins/coverage/intervals/reader.ts': '`openIntervals` of commands, and of the demo',
  'plugins/coverage/measure/s3.ts': 'names of locations, which the places made',
  'plugins/coverage/sites/loading.ts': '`load-sites` of commands, and of the demo files of the package',
  'plugins/matchmaker/exchange/node.ts': 'the token of a node, in a file that the configuration names',
  'plugins/matchmaker/patients/lists.ts': 'files of the package',
  'plugins/matchmaker/resources/resources.ts': 'files of the package',
};

/** Opening by any text: the file system, the functions for operators, an object in S3. */
const opening = [
  /^import\s(?!type\s)[^;]*?from\s'(?:node:)?fs(?:\/promises)?';/m,
  /^import\s(?!type\s)[^;]*?\b(?:openSource|readTextFile|readBedFile)\b[^;]*?from\s'[^']*\/core\/files\.js';/m,
  /\bimport\('(?:node:)?fs(?:\/promises)?'\)/,
  /\b(?:openSource|readTextFile|readBedFile)\b[^;]*?=\s*await\simport\('[^']*\/core\/files\.js'\)/,
  /\bs3\??\.(?:open|stored|fetch)\(/,
  // What commands open files with, in modules that a server loads, too.
  /^import\s(?!type\s)[^;]*?\b(?:openIntervals|readPanel)\b[^;]*?from/m,
];

/** The modules of plugins that a server reaches from their registration, now or later. */
function registered(): string[] {
  const found = new Set(
    readdirSync(join(root, 'plugins'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `plugins/${name}/register.ts`)
      .filter((file) => existsSync(join(root, file))),
  );
  for (const file of found) {
    const text = readSource(file);
    const named = [
      ...text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from\s'(\.[^']+)';/gms),
      ...text.matchAll(/(?<!typeof\s)\bimport\('(\.[^']+)'\)/g),
    ];
    for (const [, specifier = ''] of named) {
      const to = relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts');
      if (to.startsWith('plugins/') && existsSync(join(root, to))) found.add(to);
    }
  }
  return [...found];
}

describe('what callers name', () => {
  it('is opened by plugins through the places of the core alone', () => {
    const modules = registered();
    expect(modules).to.include.members([
      'plugins/beacon/vcf/open-named.ts',
      'plugins/coverage/http/interval-loading.ts',
      'plugins/coverage/measure/sources.ts',
    ]);
    const found = modules.filter((file) => {
      const text = readSource(file);
      return opening.some((pattern) => pattern.test(text));
    });
    expect(found.sort()).to.deep.equal(Object.keys(openers).sort());
  });

  it('cannot be looked up or opened otherwise by what the core offers to plugins', () => {
    expect(files).to.include.keys('Places', 'filesOf', 'naming');
    for (const name of ['openUnder', 'openFound', 'openRegular', 'fileUnder', 'namedUnder']) {
      expect(files).to.not.have.property(name);
    }
  });

  it('has a type that only the places make', () => {
    const makers = sourcesIn('core', 'plugins', 'adapters').filter((file) =>
      /\bas PermittedName\b|<PermittedName>/.test(readSource(file)),
    );
    expect(makers).to.deep.equal(['core/places.ts']);
  });
});
