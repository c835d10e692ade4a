/** What `add samples`, `list samples`, `rebuild cohorts` and `delete samples` do with the values of cohorts. */
import { expect } from 'chai';
import { coverage, coverageCohorts } from '../../../../plugins/coverage/contract.js';
import { coverageServer } from '../../../crash/changes/coverage.js';
import { useFolder } from '../../../support/folder.js';
import { sqlite } from '../../../support/storages.js';
import { typedCommands } from '../../../support/typed.js';
import { person } from '../registry/support.js';

describe('commands on the values of cohorts', function () {
  this.timeout(120_000); // several commands
  const folder = useFolder();

  it('add, count, compute again and remove them', async () => {
    const home = await sqlite.home();
    const storage = await home.open(coverageServer.contracts);
    try {
      await storage.migrate();
      const rows = (async function* () {
        yield { genes: [{ ensembl: 'G', chromosome: '1' as const, start: 1_999_900, end: 2_000_100 }] };
      })();
      const accept = () => ({ source: 'test', checksum: 'c', read: 1, skipped: {} });
      await storage.repository(coverage).load({ sets: [{ kind: 'genes', build: 'GRCh38' }], rows, accept }, new Date());
      person(`${folder.path()}/a.d4`, 'female');
      await folder.write('samples.tsv', 'sample\tcoverage_file_path\tbuild\nA\ta.d4\tGRCh38\n');
      const settings = { storage: home.section, plugins: { coverage: { roots: [folder.path()], levels: [10, 20] } } };
      await folder.write('trefoil.yaml', JSON.stringify(settings));
      const words = { first: ['coverage'], last: ['--config', 'trefoil.yaml'] };
      const { done: run } = typedCommands(() => ({ cwd: folder.path() }), words);
      const cohorts = storage.repository(coverageCohorts);
      const members = async () =>
        (await cohorts.state('GRCh38'))?.members.map(({ sample, column }) => [sample, column]);

      await run('add', 'samples', '--sheet', 'samples.tsv');
      expect(await members()).to.deep.equal([['A', 0]]);
      const listed = await run('list', 'samples');
      expect(listed.stderr).to.include(
        'Cohort of GRCh38: 1 sample, 0.0 MB (0.00 MB each), mean depth and completeness',
      );
      expect(listed.stderr).to.include('at 10x, 20x');
      await cohorts.remove(['A']);
      const rebuilt = await run('rebuild', 'cohorts', '--build', 'GRCh38');
      expect(rebuilt.stdout).to.equal('Computed the values of 1 sample\n');
      expect(await members()).to.deep.equal([['A', 0]]);
      await run('delete', 'samples', '--sample', 'A', '--yes');
      expect(await members()).to.deep.equal([]);
    } finally {
      await storage.close();
      await home.discard();
    }
  });
});
