/**
 * Every block of the pages for operators and authors: configurations are accepted, commands are run by a test, and those
 * named exist. plugin-readmes.test.ts runs those for users of a plugin.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createOutline } from '../../core/cli/outline.js';
import { configure } from '../../core/config.js';
import { blocksIn } from '../support/guide.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const folders = (at: string) => readdirSync(join(root, at)).map((name) => `${at}/${name}`);
const pages = ['README.md', 'SECURITY.md', ...folders('config').filter((name) => name.endsWith('.md'))];
const ofPlugins = readdirSync(join(root, 'plugins'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('README.md'))
  .map((file) => `plugins/${file}`);

const ofUsers = ['beacon', 'coverage', 'matchmaker', 'panels'].map((name) => `plugins/${name}/README.md`);
const ofAuthors = [
  'plugins/README.md',
  'plugins/coverage/d4/README.md',
  'adapters/README.md',
  'test/support/kv-adapter/README.md',
];

/** The test that runs the commands of a section, or of a page. */
const runs: Readonly<Record<string, string>> = {
  'adapters/README.md#The tour: from an empty folder to all plugins': 'test/guides/adapters.test.ts',
  'plugins/coverage/d4/README.md#The first numbers': 'test/plugins/coverage/d4/readme.test.ts',
  "plugins/coverage/d4/README.md#A file made from mosdepth's bedGraph": 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#A step of a pipeline': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#A plot in a notebook': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#A report of your own': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#A track of igv.js': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#An adapter of JBrowse': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#What can be opened': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/coverage/d4/README.md#Writing': 'test/plugins/coverage/d4/readme.test.ts',
  'plugins/README.md#The smallest plugin': 'test/guides/plugins.test.ts',
  'plugins/README.md#A plugin of your own, from an empty folder': 'test/guides/plugins.test.ts',
  'plugins/README.md#Rights': 'test/guides/plugins.test.ts',
  'plugins/README.md#Services between plugins': 'test/guides/plugins.test.ts',
  'plugins/README.md#Events between plugins': 'test/guides/plugins.test.ts',
  'plugins/README.md#Erasing people': 'test/guides/plugins.test.ts',
  'test/support/kv-adapter/README.md#Using it': 'test/kit/kv-adapter/kv-adapter.test.ts',
  'README.md#Start': 'test/guides/readme.test.ts',
  'README.md#Configuration': 'test/guides/readme.test.ts',
  'config/access.md#API tokens': 'test/guides/commands.test.ts',
  'config/audit.md': 'test/guides/audit.test.ts',
  'config/backup.md#The embedded database': 'test/guides/operators.test.ts',
  'config/backup.md#PostgreSQL': 'test/guides/operators.test.ts',
  'config/backup.md#Point-in-time recovery': 'test/core/operators/recovery.test.ts',
  'config/backup.md#Verifying backups': 'test/guides/operators.test.ts',
  'config/beacon-network.md#Step by step': 'test/guides/beacon-network.test.ts',
  'config/beacon-network.md#The checklist of a validator': 'test/guides/beacon-network.test.ts',
  "config/capacity.md#Partitions of the beacon's alleles": 'test/guides/operators.test.ts',
  'config/erasure.md': 'test/guides/erasure.test.ts',
  'config/erasure.md#Traces in the files of PostgreSQL': 'test/guides/operators.test.ts',
  'config/install.md#On PostgreSQL': 'test/guides/operators.test.ts',
  'config/loqusdb.md#Step by step': 'test/guides/loqusdb.test.ts',
  'config/loqusdb.md#The command line': 'test/guides/loqusdb.test.ts',
  'config/matchmaker-nodes.md#See an exchange first': 'test/plugins/matchmaker/exchange/rehearse.processes.test.ts',
  'config/matchmaker-nodes.md#Connect a node': 'test/guides/commands.test.ts',
  'config/moving.md#Moving the data': 'test/guides/commands.test.ts',
  'config/sharding.md#Setting it up': 'test/support/sharded.ts',
  'config/sign-in.md#Ending sessions': 'test/guides/sign-in.test.ts',
  'config/tenants.md#Configuration': 'test/guides/tenants.test.ts',
  'config/tickets.md': 'test/guides/tenants.test.ts',
  'config/upgrades.md#Back to an older version': 'test/guides/commands.test.ts',
};

/** Which of the entries above has a block; the nearest heading first. */
function runOf(page: string, under: readonly string[]): string | undefined {
  return [...under.toReversed().map((heading) => `${page}#${heading}`), page].find((name) => name in runs);
}

const flag = /--?[a-zA-Z][\w-]*/g;

/** What a page tells readers to type, in blocks and within sentences, up to the first sign of the shell. */
function commandLinesOf(page: string): string[] {
  const spans = [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
  const lines = blocksIn(page)
    .filter(({ language }) => language === 'sh' || language === 'text')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'));
  const begin = /(?:^|npx |exec server |exec |-- |\$\()(?:[A-Z_]+=\S+ )*(?:npx )?((?:trefoil|beacon) [a-z][^|;&>#)]*)/g;
  return [...spans, ...lines].flatMap((line) => [...line.matchAll(begin)].map(([, text = '']) => text.trim()));
}

describe('guides: blocks of the pages for operators and authors', () => {
  it('have configurations that are accepted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-blocks-'));
    try {
      await mkdir(join(folder, 'secrets'));
      await writeFile(join(folder, 'groups.tsv'), '1\tCardiology\n');
      for (const page of [...pages, ...ofUsers]) {
        for (const { language, rest, text } of blocksIn(page)) {
          if (language !== 'yaml' || rest === 'prometheus.yml') continue;
          const secrets = [...text.matchAll(/\$\{file:([^}]+)\}/g)].map(([, file = '']) => file);
          const file = join(folder, 'page.yaml');
          const secret = join(folder, 'secrets/secret');
          await writeFile(secret, 'a-secret-of-more-than-thirty-two-characters\n');
          await writeFile(
            file,
            secrets.reduce((whole, name) => whole.replace(name, secret), text),
          );
          const variables = [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name = '']) => [
            name,
            'sixteen-or-more-letters',
          ]);
          await configure({ file, environment: Object.fromEntries(variables) }).catch((error: unknown) => {
            throw new Error(`${page} ${rest}: ${String(error)}`);
          });
        }
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('have commands that a test runs, which names the page and the section', () => {
    const used = new Set<string>();
    for (const page of [...pages, ...ofAuthors]) {
      for (const { language, rest, text, under } of blocksIn(page)) {
        const isCode = ['js', 'ts'].includes(language) && rest === '';
        if (!isCode && !['sh', 'sql', 'http'].includes(language)) continue;
        // `.ci/package` installs the package.
        if (text === 'npm install trefoil') continue;
        const name = runOf(page, under) ?? '';
        expect(runs, `${page}, ${under.at(-1)}: ${text}`).to.have.property(name);
        const [, heading = ''] = name.split('#');
        const test = read(runs[name] ?? '');
        expect(test, name).to.include(page);
        expect(test, name).to.include(heading);
        used.add(name);
      }
    }
    expect([...used].sort()).to.deep.equal(Object.keys(runs).sort());
  });

  it('show each answer right below the command that prints it', () => {
    // A patient of a registered sample is no answer.
    const isShown = (text: string) => text.includes('"_sample"');
    for (const page of [...ofUsers, ...ofAuthors]) {
      const blocks = blocksIn(page);
      for (const [at, { language, rest, text }] of blocks.entries()) {
        if (!['text', 'json'].includes(language) || rest !== '' || isShown(text)) continue;
        const before = blocks[at - 1];
        expect([before?.language, before?.rest], `${page}: ${text}`).to.deep.equal(['sh', '']);
      }
    }
  });

  it('name scripts of the package that exist, for those who work on it', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read('CONTRIBUTING.md').matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.length).to.be.greaterThan(5);
    expect(Object.keys(scripts)).to.include.members(named);
  });

  it('and of plugins name commands that exist, with options that they take', async () => {
    const outline = await createOutline();
    const commands = new Map(outline.core.map((command) => [`trefoil ${command.name}`, command]));
    for (const { word, commands: own } of outline.words) {
      for (const command of own) {
        commands.set(`trefoil ${word} ${command.name}`, command);
        if (word === 'beacon') commands.set(`beacon ${command.name}`, command);
      }
    }
    const wrong: string[] = [];
    let named = 0;
    for (const page of [...pages, ...ofPlugins]) {
      for (const line of commandLinesOf(page)) {
        const words = line.split(/\s+/);
        const end = words.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word));
        const plain = end < 0 ? words : words.slice(0, end);
        const names = plain.map((_, at) => plain.slice(0, plain.length - at).join(' '));
        const name = names.find((one) => commands.has(one));
        // `trefoil matchmaker` names all commands of a group.
        if (name === undefined && [...commands.keys()].some((one) => one.startsWith(`${plain.join(' ')} `))) continue;
        named++;
        const flags = (commands.get(name ?? '')?.options ?? []).flatMap((option) => option.flags.match(flag) ?? []);
        const allowed = [...flags, '--config', '--json', '--help', '--version'];
        const unknown = words.filter((word) => /^--?[a-zA-Z]/.test(word) && !allowed.includes(word.replace(/=.*/, '')));
        if (name === undefined || unknown.length > 0) wrong.push(`${page}: ${line}`);
      }
    }
    // Commands of other versions, and of a plugin that a reader writes.
    const elsewhere = [/^config\/upgrades\.md: beacon verify --mend$/, /^plugins\/README\.md: trefoil gene-notes /];
    expect(wrong.filter((line) => !elsewhere.some((one) => one.test(line)))).to.deep.equal([]);
    expect(named).to.be.greaterThan(100);
  });
});
