import { expect } from 'chai';
import { createOutline, helpText, type Outline } from '../../../core/cli/outline.js';
import { runCli } from '../../../core/cli.js';

/** Help texts from what the build records of the commands. */
describe('the outline of the commands', function () {
  this.timeout(60_000);
  let outline: Outline;
  before(async () => {
    // As the build writes it.
    outline = JSON.parse(JSON.stringify(await createOutline())) as Outline;
  });

  const help = (line: string, plugin?: string) => {
    const [program = '', ...argv] = line.split(' ');
    return helpText(outline, argv, { program, plugin, first: argv.find((word) => !word.startsWith('-')) });
  };

  /** What the command line prints from source, where nothing is recorded. */
  const printed = async (line: string, plugin?: string): Promise<string> => {
    const [program = '', ...argv] = line.split(' ');
    const { write } = process.stdout;
    const texts: string[] = [];
    process.stdout.write = (text) => texts.push(String(text)) > 0;
    try {
      await runCli(argv, plugin === undefined ? { program } : { program, plugin });
    } finally {
      process.stdout.write = write;
    }
    return texts.join('');
  };

  it('gives the help that the loaded commands give', async () => {
    for (const line of ['trefoil token add --help', 'trefoil d4 stat -h', 'trefoil help coverage']) {
      expect(await help(line), line).to.equal(await printed(line));
    }
    for (const line of ['trefoil loqusdb load --help', 'trefoil loqusdb --version', 'trefoil audit --help']) {
      expect(await help(line), line).to.equal(await printed(line));
    }
    expect(await help('beacon list --help', 'beacon')).to.equal(await printed('beacon list --help', 'beacon'));
  });

  it('gives no list of all commands, which depends on the plugins that are enabled', async () => {
    for (const line of ['trefoil --help', 'trefoil help', 'trefoil'])
      expect(await help(line), line).to.equal(undefined);
  });

  it('has a help of every command', async () => {
    const lines = [
      ...outline.core.map(({ name }) => name),
      ...outline.words.flatMap(({ word, commands }) => commands.map(({ name }) => `${word} ${name}`)),
    ];
    expect(lines).to.include.members(['serve', 'audit verify', 'd4 stat', 'beacon list samples', 'loqusdb load']);
    for (const line of lines) {
      expect(await help(`trefoil ${line} --help`), line).to.match(new RegExp(`^Usage: trefoil ${line}\\b`));
    }
  });

  it('has no answer to anything else', async () => {
    for (const line of [
      'trefoil',
      'trefoil token list',
      'trefoil token add --owner --help',
      'trefoil tokn --help',
      'trefoil token lst',
      'trefoil beacon list samples -- --help',
    ]) {
      expect(await help(line), line).to.equal(undefined);
    }
  });
});
