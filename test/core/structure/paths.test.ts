/** Paths that pages, comments and lists name: a reader who follows one finds the file or the folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { equivalents, explains } from '../../mutants/equivalent.js';
import { mutantsOf } from '../../mutants/operators.js';
import { targetsIn } from '../../mutants/targets.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['core', 'plugins', 'adapters', 'config', 'test', '.ci'];
const files = [
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  ),
  ...folders,
];
const paths = new Set(files);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Names of files that a reader of a guide writes, of every file with an ending, and of pages of the Matchmaker Exchange. */
const elsewhere = new Set([
  ...['./adapter.ts', 'gene-places.ts', '*.test.ts'],
  ...['first', 'make', 'gate', 'report'].map((name) => `${name}.mjs`),
  ...['join-protocol.md', 'metrics-api.md', 'search-api.md'],
]);

/** Files by the ends of their names, and files and folders by their paths from the root. */
const named =
  /(?<![\w@/.*<>${}[-])(?:\.{1,2}\/)*[\w@*<>-][\w@.*<>-]*(?:\/[\w.*<>@-]+)*\.(?:ts|mjs|md)(?![\w/])|(?<![\w@/.*<>$-])(?:core|plugins|adapters|test|config|\.ci)\/[\w.*<>@/-]*/g;

/** Whether the name is a path from the folder, or from one around it. `*` and `<name>` stand for any name. */
function exists(name: string, folder: string): boolean {
  const path = normalize(join(folder, name.replace(/[./]+$/, '')));
  const pattern = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/<[^>]*>|\*+/g, '[^/]*');
  const isThere =
    paths.has(path) || (pattern.includes('[^/]*') && files.some((file) => new RegExp(`^${pattern}$`).test(file)));
  return isThere || (folder !== '.' && exists(name, dirname(folder)));
}

function missingIn(file: string, text: string): string[] {
  let folder = dirname(file);
  return text.split('\n').flatMap((line) => {
    // A drawing goes on below the folder that it names, as in core/README.md.
    folder = line.startsWith('```') ? dirname(file) : (line.match(/▼ +([\w/-]+\/)$/)?.[1] ?? folder);
    return [...line.matchAll(named)]
      .map(([name]) => name)
      .filter((name) => !elsewhere.has(name) && !/\b(dist|node_modules)\//.test(name) && !exists(name, folder))
      .map((name) => `${file}: ${name}`);
  });
}

const sources = files.filter((file) => /\.(ts|mjs)$/.test(file));
const commentsOf = (text: string) => (text.match(/^\s*(?:\*|\/\*\*|\/\/).*$|\s\/\/\s.*$/gm) ?? []).join('\n');

describe('paths', () => {
  it('that pages name exist', () => {
    const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
    expect(pages.length).to.be.greaterThan(40);
    expect(pages.flatMap((file) => missingIn(file, read(file)))).to.deep.equal([]);
  });

  it('that comments name exist', () => {
    expect(sources.flatMap((file) => missingIn(file, commentsOf(read(file))))).to.deep.equal([]);
  });

  it('that scripts and settings of tools name exist', () => {
    const lists = ['.ci/run', '.ci/long', '.ci/package', 'test/support/run.ts'];
    expect(lists.flatMap((file) => missingIn(file, read(file)))).to.deep.equal([]);
    // The linter's exceptions, as `!**/core/plugin.js`.
    const excepted = [...read('biome.json').matchAll(/"!\*\*\/([^"*]+)\.js"/g)].map(([, path]) => `${path}.ts`);
    expect(excepted.length).to.be.greaterThan(5);
    expect(excepted.filter((path) => !paths.has(path))).to.deep.equal([]);
  });

  it('of mutants exist, and each explanation is one of a mutant', async () => {
    const targets = await targetsIn(root);
    expect(targets.filter(({ source }) => !paths.has(source))).to.deep.equal([]);
    const isUsed = new Set<(typeof equivalents)[number]>();
    for (const { source } of targets) {
      const text = read(source);
      for (const mutant of mutantsOf(text)) {
        const one = equivalents.find((each) => explains(each, source, text, mutant));
        if (one) isUsed.add(one);
      }
    }
    expect(equivalents.filter((one) => !isUsed.has(one))).to.deep.equal([]);
    // An explanation of any line is about functions that it names, or about one kind of code.
    expect(equivalents.filter(({ line, within, was }) => line === '' && !within && !was)).to.deep.equal([]);
  });
});
