import { expect } from 'chai';
import { command } from '../../support/command.js';
import { engines, type LedStorage } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { started } from '../../support/started.js';
import { type Outcome, serve, trefoil } from '../../support/trefoil.js';

for (const engine of engines) {
  describe(`the server and its commands on ${engine.name}`, function () {
    this.timeout(120_000); // many processes, one after another
    /** The contracts of the core, and those of the only enabled plugin. A database server has no place for a list of erasures. */
    const own = engine.name === 'sqlite' ? ['erasures@1'] : [];
    const all = [
      'jobs@1',
      'tokens@1',
      ...own,
      'beacon@1',
      'beacon-genes@1',
      'beacon-depths@1',
      'beacon-consequences@1',
    ];
    const folder = useFolder();
    let storage: LedStorage;

    beforeEach(async () => {
      storage = await engine.lead();
      await folder.write('lab.yaml', 'http: { port: 0 }\nmigrate: manual\ndemo: false\nplugins: { beacon: {} }\n');
    });
    afterEach(() => storage.drop());

    const options = (env: Record<string, string> = {}) => ({
      cwd: folder.path(),
      env: { TREFOIL_CONFIG: 'lab.yaml', ...storage.env, ...env },
    });
    const run = (line: string, env?: Record<string, string>): Promise<Outcome> =>
      command(line.split(' '), options(env));

    it('refuses missing tables, says which and how to create them, and serves once they exist', async () => {
      for (const line of ['serve', 'token list', 'beacon verify']) {
        const { code, stderr } = await run(line);
        expect(stderr, line).to.match(/not up to date. Pending: .*jobs@1\/.*Run: trefoil migrate --config lab.yaml\n$/);
        expect(code, line).to.equal(1);
      }
      const before = JSON.parse((await run('migrate --status --json')).stdout).pending as string[];
      expect(new Set(before.map((name) => name.split('/', 1)[0]))).to.deep.equal(new Set(all));
      expect(JSON.parse((await run('check --json')).stdout)).to.deep.include({
        contracts: all,
        pending: before,
        migrate: 'manual',
      });

      expect(JSON.parse((await run('migrate --json')).stdout)).to.deep.equal({ migrated: before });
      expect(await run('migrate --status')).to.include({ code: 0, stdout: 'Nothing is pending.\n' });
      expect(await run('migrate')).to.include({ code: 0, stdout: 'The storage is already up to date.\n' });

      const { url, process } = await serve(['serve'], options());
      expect((await fetch(`${url}/-/ready`)).status).to.equal(200);
      expect(await process.kill()).to.include({ code: 0, stderr: '' });
    });

    it('migrates from two processes at once', async () => {
      const both = await Promise.all([1, 2].map(() => trefoil(['migrate', '--json'], options())));
      for (const { code, stderr } of both) expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      const ran = both.flatMap(({ stdout }) => JSON.parse(stdout).migrated as string[]);
      expect(new Set(ran).size).to.equal(ran.length);
      expect(JSON.parse((await run('migrate --status --json')).stdout)).to.deep.equal({ pending: [] });
    });

    it('issues, lists and revokes tokens', async () => {
      await run('migrate');
      const added = JSON.parse((await run('token add --owner Lab --scope server:read --scope server:* --json')).stdout);
      const own = 'my-very-own-token-0123456789';
      expect(await run(`token add --owner Other --scope * --token ${own}`)).to.include({ code: 0, stdout: `${own}\n` });
      const again = await run(`token add --owner Other --scope * --token ${own}`);
      expect(again.code).to.equal(1);
      expect(again.stderr).to.not.include(own);

      const listed = await run('token list --json');
      expect(listed.stdout).to.not.include(added.token).and.not.include(own).and.not.include('hash');
      const list = JSON.parse(listed.stdout) as { id: string; owner: string; scopes: string[]; state: string }[];
      expect(list.map(({ owner, state }) => [owner, state])).to.deep.equal([
        ['Lab', 'valid'],
        ['Other', 'valid'],
      ]);
      expect(list[0]).to.deep.include({ id: added.id, scopes: ['server:read', 'server:*'] });

      expect((await run(`token revoke ${added.id}`)).code).to.equal(0);
      const after = JSON.parse((await run('token list --owner Lab --json')).stdout);
      expect(after).to.have.length(1);
      expect(after[0]).to.include({ state: 'revoked' });
    });

    it('fills an empty storage with demo data once, if configured', async () => {
      const file = await folder.write('lab.yaml', 'migrate: auto\ndemo: true\n');
      const sqlite = storage.env.TREFOIL_SQLITE_FILE;
      const env = sqlite === undefined ? storage.env : { TREFOIL_SQLITE_FILE: `${folder.path()}/${sqlite}` };
      for (const expected of [true, false]) {
        const { url, log, stop } = await started(file, env);
        const query = 'assemblyId=GRCh37&referenceName=1&start=0&referenceBases=A&alternateBases=T';
        expect((await fetch(`${url}/apiv1.0/query?${query}`)).status).to.equal(200);
        const info = (await (await fetch(`${url}/apiv1.0/`)).json()) as { datasets: unknown[] };
        expect(info.datasets).to.have.length.above(0);
        await stop();
        expect(log().includes('demo data added')).to.equal(expected);
      }
    });
  });
}

describe('an unavailable storage', function () {
  this.timeout(120_000);
  const folder = useFolder();

  for (const [what, env] of [
    ['PostgreSQL at a port where nobody listens', { DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/x' }],
    ['PostgreSQL on a host that is none', { POSTGRES_HOST: 'nowhere.invalid', POSTGRES_PASSWORD: 's3cret' }],
    ['SQLite in a folder that cannot be made', { TREFOIL_SQLITE_FILE: '/dev/null/trefoil.sqlite' }],
  ] as [string, Record<string, string>][]) {
    it(`prevents the start with one sentence: ${what}`, async () => {
      for (const line of [['serve', '--port', '0'], ['check'], ['migrate']]) {
        const { code, stderr } = await command(line, { cwd: folder.path(), env });
        expect(code, line[0]).to.equal(1);
        expect(stderr, line[0])
          .to.match(/^[^\n]+\n$/)
          .and.not.include('s3cret')
          .and.not.match(/unexpected error/);
      }
    });
  }
});
