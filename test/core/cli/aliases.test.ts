import { expect } from 'chai';
import { withoutAliases } from '../../../core/cli/words.js';

const commands = [
  {
    words: ['add', 'thing'],
    options: [
      { flags: '--id <id>', description: '', aliases: ['-id', '-thing-id'] },
      { flags: '-n, --name <name>', description: '', aliases: ['-name'] },
      { flags: '--update', description: '', aliases: ['-update'] },
    ],
  },
  { words: ['add', 'other'], options: [{ flags: '--id <id>', description: '' }] },
];

describe('command line: older spellings of options', () => {
  const rewritten = (line: string) => withoutAliases(line.split(' '), commands).join(' ');

  it('are rewritten to the present options', () => {
    expect(rewritten('add thing -thing-id a -name b -update')).to.equal('add thing --id a --name b --update');
    expect(rewritten('add thing -id=a=b --name=c')).to.equal('add thing --id=a=b --name=c');
    expect(rewritten('--config x add --json thing -id a')).to.equal('--config x add --json thing --id a');
  });

  it('are kept where a value is expected, and after --', () => {
    expect(rewritten('add thing --name -id -id -name')).to.equal('add thing --name -id --id -name');
    expect(rewritten('add thing -n -id -- -id')).to.equal('add thing --name -id -- -id');
    expect(rewritten('--config -id add thing -id')).to.equal('--config -id add thing --id');
  });

  it('apply to their own command only', () => {
    for (const line of ['add other -id a', 'thing add -id a', 'add -id a', 'x add thing -id a']) {
      expect(rewritten(line)).to.equal(line);
    }
  });
});
