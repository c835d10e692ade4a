/** `trefoil migrate --down-to` on a database that a server has filled. */
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { dealt } from '../../support/dealt.js';
import { engines } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { serve } from '../../support/trefoil.js';

for (const { name, lead } of dealt(engines, 'postgres')) {
  describe(`trefoil migrate --down-to on ${name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();

    it('asks before it deletes data, and gives the same answers after migrating up again', async () => {
      const { env, drop } = await lead();
      try {
        const options = { cwd: folder.path(), env };
        const run = (...args: string[]) => command(args, options);
        const exists = async () => {
          const { url, process } = await serve(['serve', '--port', '0'], options);
          const query = 'assemblyId=GRCh37&referenceName=1&start=156146085&referenceBases=C&alternateBases=A';
          const { exists } = (await (await fetch(`${url}/apiv1.0/query?${query}`)).json()) as { exists: boolean };
          await process.kill();
          return exists;
        };
        expect(await run('migrate')).to.include({ code: 0 });
        expect(await exists()).to.equal(true);

        const refused = await run('migrate', '--down-to', 'beacon@1/010-shared-batches');
        expect(refused).to.include({ code: 1, stdout: '' });
        expect(refused.stderr)
          .to.include('will be undone: beacon@1/011-uncalled')
          .and.match(/will be lost: the table beacon_uncalled with \d+ row/)
          .and.include('Nothing was changed. Answer y, or use --yes');
        const listed = await run('migrate', '--down-to', 'beacon@1/010-shared-batches', '--status', '--json');
        expect(listed).to.include({ code: 0, stderr: '' });
        expect(JSON.parse(listed.stdout).wouldUndo).to.include('beacon@1/011-uncalled');
        expect(await run('migrate', '--status')).to.include({ stdout: 'Nothing is pending.\n' });

        const done = await run('migrate', '--down-to', 'beacon@1/010-shared-batches', '--yes');
        expect(done.code).to.equal(0);
        expect(done.stdout).to.include('was undone: beacon@1/011-uncalled');
        expect(done.stderr).to.include('Install the earlier version before you start a server');
        expect((await run('migrate', '--status')).stdout).to.include('pending  beacon@1/011-uncalled');
        expect((await run('migrate')).code).to.equal(0);
        expect(await exists()).to.equal(true);

        const unknown = await run('migrate', '--down-to', '0.0.1', '--yes');
        expect(unknown.code).to.equal(1);
        expect(unknown.stderr).to.match(/^trefoil: There is no earlier version or step "0\.0\.1"\. Versions: 0\.2\.0/);
      } finally {
        await drop();
      }
    });
  });
}
