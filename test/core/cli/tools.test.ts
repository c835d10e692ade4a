import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { type Outcome, trefoil } from '../../support/trefoil.js';

/** Tools work with any configuration: the file named here does not exist. */
describe('tools', () => {
  const folder = useFolder();
  const run = (...args: string[]): Promise<Outcome> =>
    trefoil(args, { cwd: folder.path(), env: { TREFOIL_CONFIG: 'none.yaml' } });

  it('are listed with their commands', async () => {
    const { code, stdout } = await run('d4', '--help');
    expect(code).to.equal(0);
    for (const word of ['create', 'view', 'stat', 'gaps', 'ls-track', 'merge', 'verify'])
      expect(stdout).to.include(word);
    expect((await run('--help')).stdout).to.match(/^ {2}d4 /m);
  });

  it('create a D4 file and read it', async () => {
    // 3 bases at depth 10, 2 at 20, 5 at 0: mean 7.
    await folder.write('depth.bedgraph', 'chr1\t0\t3\t10\nchr1\t3\t5\t20\nchr1\t5\t10\t0\n');
    await folder.write('genome.txt', 'chr1\t10\n');
    const made = await run('d4', 'create', '-g', 'genome.txt', 'depth.bedgraph', 'depth.d4');
    expect(made).to.include({ code: 0 });
    expect((await run('d4', 'stat', '-s', 'mean', 'depth.d4')).stdout).to.equal('chr1\t0\t10\t7\n');
    for (const name of ['view', 'show']) {
      expect((await run('d4', name, 'depth.d4')).stdout).to.equal('chr1\t0\t3\t10\nchr1\t3\t5\t20\nchr1\t5\t10\t0\n');
    }
  });

  it('reject unreadable files with one sentence, and misuse with exit code 2', async () => {
    await folder.write('text.d4', 'no depth file');
    const { code, stdout, stderr } = await run('d4', 'stat', 'text.d4');
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^trefoil: .+text\.d4\)\n$/);
    expect((await run('d4', 'stat')).code).to.equal(2);
    expect((await run('d4', 'stat', '--nonsense', 'text.d4')).code).to.equal(2);
  });
});
