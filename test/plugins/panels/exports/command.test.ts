/** `trefoil panels export`, with the coverage plugin and without. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { demoFolder } from '../../../../plugins/coverage/demo/demo.js';
import { useFolder } from '../../../support/folder.js';
import { typedCommands } from '../../../support/typed.js';
import { approved, withdrawn } from '../support/hgnc.js';

describe('trefoil panels export', function () {
  this.timeout(60_000); // many commands
  const folder = useFolder();

  const { run, done } = typedCommands(() => ({ cwd: folder.path() }), { last: ['--config', 'trefoil.yaml'] });
  const configure = (...plugins: string[]) =>
    folder.write(
      'trefoil.yaml',
      JSON.stringify({
        ...{ demo: false, migrate: 'auto', storage: { adapter: 'sqlite', file: 'trefoil.sqlite' } },
        plugins: Object.fromEntries(plugins.map((name) => [name, {}])),
      }),
    );

  it('writes the exons of a panel, and tells of each gene that has none', async () => {
    await configure('panels', 'coverage');
    await folder.write(
      'set_2026-11-01.txt',
      `${approved}\nHGNC:7436\tMTHFR\t\tprotein-coding gene\tApproved\t\t\t2023-01-20`,
    );
    await folder.write('withdrawn.txt', withdrawn);
    await folder.write('list.txt', 'MTHFR\nPER3\n');
    await done('panels', 'load-hgnc', '--approved', 'set_2026-11-01.txt', '--withdrawn', 'withdrawn.txt');
    await done('panels', 'import', '--file', 'list.txt', '--panel', 'folate', '--by', 'anna');
    const early = await run('panels', 'export', 'folate@1.0', '--build', 'GRCh38');
    expect([early.code, early.stdout, early.stderr.trim()]).to.deep.equal([
      1,
      '',
      'trefoil: No genes of GRCh38 are loaded: see `trefoil coverage load-gtf --help`',
    ]);
    const gtf = join(demoFolder, 'intervals.GRCh38.gtf');
    await done('coverage', 'load-gtf', '--build', 'GRCh38', '--file', gtf, '--release', 'demo');
    const { stdout, stderr } = await done('panels', 'export', 'folate@1.0', '--build', 'GRCh38');
    expect(stdout).to.match(/^# Panel: folate@1\.0, folate \(draft: not signed\)\n/);
    expect(stdout).to.match(/^1\t11805887\t11805964\tHGNC:7436\|MTHFR\|ENST00000376590\|1$/m);
    expect(stderr.trim().split('\n')).to.deep.equal([
      'No lines: HGNC:8847 PER3: not among the genes of GRCh38',
      `folate@1.0 on GRCh38: 12 lines with ${basesIn(stdout)} bases`,
    ]);
    const words = [
      'panels',
      'export',
      'folate@1.0',
      '--build',
      'GRCh38',
      '--padding',
      '20',
      '--out',
      'folate.bed',
      '--json',
    ];
    const told = JSON.parse((await done(...words)).stdout) as { bases: number; lacking: string[] };
    const written = await readFile(join(folder.path(), 'folate.bed'), 'utf8');
    expect(told.bases)
      .to.equal(basesIn(written))
      .and.equal(basesIn(stdout) + 12 * 40);
    expect(told.lacking).to.deep.equal(['No lines: HGNC:8847 PER3: not among the genes of GRCh38']);
    const wrong = await run('panels', 'export', 'folate@1.0', '--build', 'GRCh38', '--padding', 'ten');
    expect([wrong.code, wrong.stderr.trim()]).to.deep.equal([
      1,
      'trefoil: --padding: expected a whole number of bases up to 10000',
    ]);
    expect((await done('panels', 'check')).stdout.trim().split('\n')).to.deep.equal([
      'folate@1.0 (draft): PER3: not among the genes of GRCh38',
      '1 no-coordinates: load intervals that have the gene (`trefoil coverage load-gtf`); until then reports list it as not covered',
    ]);
    await folder.write('other.txt', 'PER3\n');
    const added = await done('panels', 'import', '--file', 'other.txt', '--panel', 'other', '--by', 'anna');
    expect(added.stdout.trim().split('\n')).to.deep.equal([
      'other@1.0: 1 gene, added',
      'PER3: not among the genes of GRCh38 (in 1 panel)',
      '1 panel: 1 added, 0 unchanged, 0 refused; 0 without a gene',
    ]);
    await configure('panels');
    const alone = await run('panels', 'export', 'folate@1.0', '--build', 'GRCh38');
    expect([alone.code, alone.stderr.trim()]).to.deep.equal([
      1,
      'trefoil: Positions of genes are those of the plugin coverage, which is not enabled',
    ]);
  });
});

function basesIn(bed: string): number {
  const lines = bed.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.reduce((sum, line) => {
    const [, start, end] = line.split('\t');
    return sum + Number(end) - Number(start);
  }, 0);
}
