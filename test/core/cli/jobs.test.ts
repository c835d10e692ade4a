/** `trefoil job list`, called by an operator who does not know the owners of the jobs. */
import { expect } from 'chai';
import { configure } from '../../../core/config.js';
import { jobs } from '../../../core/jobs/contract.js';
import { createLog } from '../../../core/log.js';
import { openStorage } from '../../../core/start/storage.js';
import { probe } from '../../support/configured.js';
import { dealt } from '../../support/dealt.js';
import { engines } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { trefoil } from '../../support/trefoil.js';

for (const { name, lead } of dealt(engines, 'postgres')) {
  describe(`trefoil job list on ${name}`, () => {
    const folder = useFolder();

    it('lists the jobs of all owners, by state, with the reason', async () => {
      const { env, drop } = await lead();
      try {
        await folder.write('lab.yaml', `migrate: auto\nplugins:\n  ${probe}: {}\n`);
        const options = { cwd: folder.path(), env: { ...env, TREFOIL_CONFIG: 'lab.yaml' } };
        const run = async (line: string) => {
          const outcome = await trefoil(['job', 'list', ...line.split(' ').filter(Boolean)], options);
          expect(outcome).to.include({ code: 0, stderr: '' });
          return outcome.stdout;
        };
        expect(await run('')).to.equal('There are no matching jobs.\n');

        const at = (minute: number) => new Date(Date.UTC(2026, 0, 15, 8, minute));
        const file = env.TREFOIL_SQLITE_FILE;
        const own = file === undefined ? env : { TREFOIL_SQLITE_FILE: `${folder.path()}/${file}` };
        const configuration = await configure({ file: `${folder.path()}/lab.yaml`, environment: own });
        const storage = await openStorage(configuration, createLog({ level: 'silent' }, 2));
        const repository = storage.repository(jobs);
        const add = (id: string, owner: string, minute: number) =>
          repository.enqueue({
            id,
            kind: 'test.work',
            payload: { secret: 1 },
            owner,
            created: at(minute),
            runAfter: at(0),
          });
        await add('job-1', 'lab', 1);
        await repository.claim({ kinds: ['test.work'], worker: 'w', now: at(5), leaseUntil: at(6) });
        await repository.fail('job-1', 'w', 'trio.vcf, line 7: POS "x" is no position', at(5));
        await add('job-2', 'clinic', 2);
        await storage.close();

        const lines = (await run('')).trimEnd().split('\n');
        expect(lines.map((line) => line.split(/ {2,}/))).to.deep.equal([
          ['ID', 'KIND', 'OWNER', 'STATE', 'DONE', 'CREATED', 'REASON'],
          ['job-2', 'test.work', 'clinic', 'queued', '0 %', '2026-01-15T08:02:00.000Z'],
          [
            'job-1',
            'test.work',
            'lab',
            'failed',
            '0 %',
            '2026-01-15T08:01:00.000Z',
            'trio.vcf, line 7: POS "x" is no position',
          ],
        ]);
        const [failed, ...others] = JSON.parse(await run('--state failed --json'));
        expect(others).to.deep.equal([]);
        expect(failed).to.include({ id: 'job-1', owner: 'lab', error: 'trio.vcf, line 7: POS "x" is no position' });
        expect(failed).to.not.have.any.keys('payload', 'result');
        expect(await run('--owner clinic --state failed')).to.equal('There are no matching jobs.\n');
        const { code, stderr } = await trefoil(['job', 'list', '--state', 'lost'], options);
        expect(code).to.equal(2);
        expect(stderr).to.include('Allowed are queued, running, done, failed, cancelled');
      } finally {
        await drop();
      }
    });
  });
}
