/** People who object to sharing are left out of cases, however a laboratory loads them. */
import { join } from 'node:path';
import { expect } from 'chai';
import { logTo } from '../../../core/log.js';
import { type RunningServer, start } from '../../../core/start.js';
import { useFolder } from '../../support/folder.js';
import { outcome } from '../../support/http.js';
import { typedCommands } from '../../support/typed.js';
import { vcf } from './support/vcf.js';

const ped = ['family\tchild\t0\tparent\t1\t2', 'family\tparent\t0\t0\t2\t1', ''].join('\n');

/** The child has the first allele, the parent both. */
const carriedBy = (child: string, parent: string) =>
  vcf({
    samples: [child, parent],
    records: ['1 1001 . A C . PASS . GT:GQ 0/1:60 0/1:60', '1 2001 . A C . PASS . GT:GQ 0/0:60 1/1:60'],
  });

describe('loqusdb: people who object to sharing', function () {
  this.timeout(120_000); // processes
  const folder = useFolder();
  let environment: Record<string, string>;

  beforeEach(async () => {
    environment = { TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') };
    const loqusdb = { dataset: 'local', addresses: ['127.0.0.1'] };
    const plugins = { beacon: { roots: [folder.path()], loqusdb } };
    const erasures = { file: join(folder.path(), 'erasures') };
    await folder.write('lab.yaml', JSON.stringify({ http: { port: 0 }, demo: false, erasures, plugins }));
    await done('beacon', ...'add dataset --did local --name Local --authlevel controlled --observations'.split(' '));
    await done('consent', 'withdraw', '--sample', 'parent', '--yes');
  });

  const config = ['--config', 'lab.yaml'];
  const { done } = typedCommands(() => ({ cwd: folder.path(), env: environment }), { last: config });

  async function serving(work: (running: RunningServer) => Promise<void>) {
    const log = logTo({ write: () => {} }, { level: 'warn' });
    const running = await start({ file: join(folder.path(), 'lab.yaml'), environment, log });
    try {
      await work(running);
    } finally {
      await running.stop();
    }
  }

  const get = (running: RunningServer, path: string) => outcome(`${running.url}/loqusdb${path}`);

  const namesOf = ({ individuals }: Record<string, unknown>) =>
    (individuals as { ind_id: string }[]).map(({ ind_id: name }) => name);

  it('are skipped by the command', async () => {
    await folder.write('family.vcf', carriedBy('child', 'parent'));
    await folder.write('family.ped', ped);
    const { stderr } = await done('loqusdb', 'load', '--family-file', 'family.ped', '--variant-file', 'family.vcf');
    expect(stderr).to.match(
      /^WARNING Not loaded: sample parent, because of an objection to sharing \(20\d\d-\d\d-\d\d\)$/m,
    );
    await serving(async (running) => {
      expect(namesOf((await get(running, '/cases/family')).body)).to.deep.equal(['child']);
      expect((await get(running, '/variants/1_1001_A_C')).body).to.include({ observations: 1, homozygote: 0 });
      expect((await get(running, '/variants/1_2001_A_C')).status, 'of the parent only').to.equal(404);
    });
  });

  it('are skipped by the routes, which refuse a case of which nobody is left', async () => {
    await folder.write('family.vcf', carriedBy('child', 'parent'));
    await folder.write('alone.vcf', vcf({ samples: ['parent'], records: ['1 2001 . A C . PASS . GT:GQ 1/1:60'] }));
    const token = (await done('token', 'add', '--owner', 'lab', '--scope', 'beacon:*')).stdout.trim();
    await serving(async (running) => {
      const load = (id: string) =>
        outcome(`${running.url}/loqusdb/cases/${id}?snv_file=${id}.vcf`, { method: 'POST', token });
      const loaded = await load('family');
      expect(loaded.status, JSON.stringify(loaded.body)).to.equal(200);
      expect(namesOf(loaded.body)).to.deep.equal(['child']);
      expect(await load('alone')).to.deep.equal({
        status: 400,
        body: { detail: 'No individual of the case may be loaded: they object to sharing, or were erased' },
      });
      expect((await get(running, '/cases/alone')).status).to.equal(404);
      expect((await get(running, '/variants/1_1001_A_C')).body).to.include({ observations: 1, homozygote: 0 });
      expect((await get(running, '/variants/1_2001_A_C')).status, 'of the parent only').to.equal(404);
    });
  });
});
