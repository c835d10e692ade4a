import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { type Outcome, trefoil } from '../../support/trefoil.js';

/** Commands of a plugin under another word than its name; `loqusdb` is one of the beacon. */
describe('groups of commands', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const run = (...args: string[]): Promise<Outcome> => trefoil(args, { cwd: folder.path() });

  it('are listed if their plugin is enabled, and have a version of their own', async () => {
    await folder.write('other.yaml', 'plugins: { coverage: {} }\n');
    expect((await run('--help')).stdout).to.match(/^ {2}loqusdb /m);
    expect((await run('--help', '--config', 'other.yaml')).stdout).to.not.include('loqusdb');
    expect((await run('loqusdb', '--version')).stdout).to.equal('loqusdb, version 2.7.25\n');
    const { code, stdout, stderr } = await run('loqusdb', 'cases', '--config', 'other.yaml');
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^trefoil: .*beacon/s);
  });

  it('take --config before and after the command', async () => {
    for (const args of [
      ['loqusdb', '--config', 'none.yaml', 'cases'],
      ['loqusdb', 'cases', '--config', 'none.yaml'],
      ['--config', 'none.yaml', 'loqusdb', 'cases'],
    ]) {
      const { code, stderr } = await run(...args);
      expect([code, stderr.includes('none.yaml does not exist')], args.join(' ')).to.deep.equal([1, true]);
    }
  });
});
