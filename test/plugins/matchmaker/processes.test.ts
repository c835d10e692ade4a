/** Commands and servers in separate processes, on one storage. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { engines, type LedStorage, preparedFor } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { startedIn } from '../../support/started.js';
import { serve } from '../../support/trefoil.js';
import { typedCommands } from '../../support/typed.js';
import { type Json, patient } from './support/serve.js';

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: processes on ${engine.name}`, function () {
    this.timeout(180_000); // many processes, one after another
    const folder = useFolder();
    let storage: LedStorage;
    beforeEach(async () => {
      const lines = ['http: { port: 0 }', 'migrate: auto', 'demo: false', 'plugins: { matchmaker: {} }'];
      await folder.write('lab.yaml', `${lines.join('\n')}\n`);
      storage = await engine.lead(await preparedFor(folder.path(), 'lab.yaml'));
    });
    afterEach(() => storage.drop());

    const options = () => ({ cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml', ...storage.env } });
    const { run, json: done } = typedCommands(options, { first: ['matchmaker'] });
    const refused = async (...words: string[]) => {
      const { code, stderr } = await run(...words);
      expect(code, words.join(' ')).to.be.above(0);
      expect(stderr, words.join(' '))
        .to.match(/^[^\n]+\n/)
        .and.not.match(/ at |unexpected error/);
      return stderr;
    };

    it('adds, lists and removes clients', async () => {
      const { code, stdout } = await run('add', 'client', '--id', 'scout', '--url', 'https://scout.example.org');
      expect(code).to.equal(0);
      expect(stdout).to.match(
        /^Inserted client with ID "scout" into database collection clients\nToken: trf_\S{43}\n$/,
      );
      await refused('add', 'client', '--id', 'scout');
      await refused('add', 'client', '--id', 'short', '--token', 'DEMO');
      await refused('add', 'client', '--id', 'late', '--expires', '2020-01-01');
      await refused('add', 'client', '--id', 'never', '--expires', '2030-02-30');
      expect((await done('list', 'clients')).map(({ id, scopes }: Json) => [id, scopes])).to.deep.equal([
        ['scout', ['matchmaker:query', 'matchmaker:submit']],
      ]);
      const all = ['matchmaker:query', 'matchmaker:submit', 'matchmaker:admin'];
      expect((await done('add', 'client', '--id', 'dpo', '--scope', 'admin')).scopes).to.deep.equal(all);
      expect(await done('remove', 'client', '--id', 'scout')).to.include({ removed: 1, tokensRevoked: 1 });
      await refused('remove', 'client', '--id', 'scout');
    });

    it('imports, lists, changes, exports and removes patients', async () => {
      const list = [patient('a', { label: 'twin' }), patient('b', { label: 'twin' }), patient('c')];
      await folder.write('list.json', JSON.stringify(list));
      await folder.write('bad.json', JSON.stringify([patient('d'), { id: 'e' }]));
      await folder.write('rubbish.json', '{"a": secret');
      expect(await done('import', '--file', 'list.json', '--owner', 'scout')).to.include({ inserted: 3 });
      expect(await refused('import', '--file', 'bad.json', '--owner', 'scout')).to.match(/1\.contact is missing/);
      expect(await refused('import', '--file', 'rubbish.json', '--owner', 'scout')).to.not.match(/secret/);
      await refused('import', '--file', 'nowhere.json', '--owner', 'scout');
      await refused('import', '--file', 'list.json', '--owner', 'other');
      expect((await done('list', 'patients')).map(({ id }: Json) => id)).to.deep.equal(['a', 'b', 'c']);

      const change = ['update', 'contact', '--href', 'new@example.org', '--name', 'New', '--yes'];
      await refused(...change, '--old-href', 'nobody@example.org');
      expect(await done(...change, '--old-href', 'doctor@')).to.include({ updated: 3 });
      await done('export', '--out', 'out.json');
      const contact = { name: 'New', href: 'mailto:new@example.org' };
      expect(JSON.parse(await readFile(join(folder.path(), 'out.json'), 'utf8'))).to.deep.equal(
        list.map((one) => ({ ...one, contact })),
      );
      const seen = await done('list', 'audit', '--actor', 'cli');
      expect(seen.map(({ action, patient }: Json) => `${action} ${patient}`)).to.deep.equal([
        'read a',
        'read b',
        'read c',
      ]);
      expect(await done('reindex')).to.deep.equal({ patients: 3 });

      await refused('remove', 'patient');
      await refused('remove', 'patient', '--id', 'zzz');
      expect(await done('remove', 'patient', '--label', 'twin')).to.include({ removed: 2 });
      // Demo data are added to the existing data.
      const { inserted } = await done('add', 'demodata');
      expect(inserted).to.be.above(5);
      expect((await done('list', 'patients')).map(({ id }: Json) => id)).to.include('c');
      const { code, stdout } = await run('doctor');
      expect([code, stdout.includes('excerpt')], 'an excerpt is not for patients').to.deep.equal([1, true]);
      expect(await done('add', 'demodata')).to.include({ inserted: 0, unchanged: inserted });
      expect(stdout).to.match(
        new RegExp(`^warning +${inserted} demo patients are stored with 1 others .*"remove demodata"`, 'm'),
      );
      // An owner with that name may have patients of its own.
      await folder.write('own.json', JSON.stringify([patient('own')]));
      await done('import', '--file', 'own.json', '--owner', 'demo');
      expect(await done('remove', 'demodata')).to.deep.equal({ patients: inserted, records: 0, tokensRevoked: 2 });
      expect((await done('list', 'patients')).map(({ id }: Json) => id)).to.deep.equal(['c', 'own']);
      expect((await run('doctor')).stdout).to.not.include('demo patient');
      expect(await done('remove', 'demodata')).to.deep.equal({ patients: 0, records: 0, tokensRevoked: 0 });
    });

    it('finds at once in one process a patient added in another', async () => {
      const { token } = await done('add', 'client', '--id', 'scout');
      const [apart, here] = [await serve(['serve'], options()), await startedIn(options())];
      const servers = [apart, here];
      const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
      const own = (i: number) => ({ genomicFeatures: [{ gene: { id: `NEW${i}` } }] });
      const post = async (url: string, path: string, patient: Json) => {
        const { status, body } = await request<Json>(url + path, { headers, json: { patient } });
        expect(status).to.equal(200);
        return body;
      };
      try {
        for (let i = 0; i < 10; i++) {
          const [one, other] = i % 2 === 0 ? servers : [...servers].reverse();
          await post(one?.url ?? '', '/patient/add', patient(`P${i}`, own(i)));
          const found = await post(other?.url ?? '', '/match', patient('q', own(i)));
          expect(found.results[0].patient.id).to.equal(`P${i}`);
        }
        const both = Array.from({ length: 20 }, (_, i) =>
          post(servers[i % 2]?.url ?? '', '/patient/add', patient(`P${i % 7}`, { label: String(i) })),
        );
        await Promise.all(both);
        const metrics = await Promise.all(
          servers.map(
            async ({ url }) => ((await (await fetch(`${url}/metrics`)).json()) as Json).metrics.numberOfCases,
          ),
        );
        expect(metrics).to.deep.equal([10, 10]);
      } finally {
        await Promise.all([apart.process.kill(), here.stop()]);
      }
    });
  });
}
