/** Events of the built-in plugins, emitted by their real commands. */
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { command } from '../support/command.js';
import { probe } from '../support/configured.js';
import { dealt } from '../support/dealt.js';
import { engines, type LedStorage } from '../support/engines.js';
import { useFolder } from '../support/folder.js';

/** Writes the events into a file; fails as long as a file `fail` exists. */
const listener = `import { appendFileSync, existsSync } from 'node:fs';
import probe from ${JSON.stringify(probe)};
const hear = (name) => (event) => {
  appendFileSync(new URL('./heard', import.meta.url), JSON.stringify({ name, ...event }) + '\\n');
  if (existsSync(new URL('./fail', import.meta.url))) throw new Error('not now');
};
export default { ...probe, name: 'listener', commands: [], register(context) {
  context.on('coverage/intervals-replaced@1', hear('replaced'));
  context.onErase({ find: async () => [], erase: async ([erasure]) => { hear('erase')(erasure); return []; } });
} };`;

const demo = (build: string) =>
  fileURLToPath(new URL(`../../plugins/coverage/demo/intervals.${build}.gtf`, import.meta.url));

for (const engine of dealt(engines, 'postgres')) {
  describe(`events of the built-in plugins on ${engine.name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();
    let storage: LedStorage;

    beforeEach(async () => {
      storage = await engine.lead();
      await folder.write('listener.mjs', listener);
      await folder.write('lab.yaml', 'demo: false\nplugins:\n  coverage: {}\n  matchmaker: {}\n  ./listener.mjs: {}\n');
      expect((await run('migrate')).code).to.equal(0);
    });
    afterEach(() => storage.drop());

    const run = (...args: string[]) =>
      command([...args, '--config', 'lab.yaml'], { cwd: folder.path(), env: storage.env });
    const file = (name: string) => join(folder.path(), name);
    /** The events since the last call. */
    const heard = async (): Promise<unknown[]> => {
      if (!existsSync(file('heard'))) return [];
      const lines = (await readFile(file('heard'), 'utf8')).trim().split('\n');
      await rm(file('heard'));
      return lines.map((line) => JSON.parse(line));
    };

    it('name the replaced gene tables, once they are in use', async () => {
      const load = () => run('coverage', 'load-gtf', '--build', 'GRCh38', '--file', demo('GRCh38'));
      const done = await load();
      expect(done.code, done.stderr).to.equal(0);
      const sets = ['genes', 'transcripts', 'exons'].map((kind) => ({ kind, build: 'GRCh38' }));
      expect(await heard()).to.deep.equal([{ name: 'replaced', sets }]);

      await writeFile(file('fail'), '');
      const failed = await load();
      expect(failed.code).to.equal(1);
      expect(failed.stderr).to.match(
        /^trefoil: Some plugins could not act on coverage\/intervals-replaced@1: listener: an unexpected error$/m,
      );
      expect(await heard()).to.have.length(1);

      const refused = await run('coverage', 'load-gtf', '--build', 'GRCh37', '--file', 'lab.yaml');
      expect(refused.code).to.equal(1);
      expect(await heard(), 'nothing was replaced').to.deep.equal([]);
    });

    it('announce the erasure of a person, and erase nothing if a plugin fails', async () => {
      const person = {
        id: 'P1',
        contact: { name: 'C', href: 'mailto:c@example.org' },
        features: [{ id: 'HP:0001251' }],
      };
      await folder.write('patient.json', JSON.stringify([person]));
      const added = await run('matchmaker', 'import', '--file', 'patient.json', '--owner', 'lab');
      expect(added.code, added.stderr).to.equal(0);
      const patients = async () => JSON.parse((await run('matchmaker', 'list', 'patients', '--json')).stdout).length;
      expect(await patients()).to.equal(1);

      const erase = (...more: string[]) => run('matchmaker', 'erase', '--patient', 'P1', '--yes', ...more);
      await writeFile(file('fail'), '');
      const failed = await erase();
      expect(failed.code).to.equal(1);
      expect(failed.stderr).to.match(
        /^trefoil: Some plugins could not act on the erasure of a person: listener: an unexpected error$/m,
      );
      expect(await patients(), 'can be repeated').to.equal(1);
      const own = { name: 'erase', id: 'P1', holder: 'own', scope: 'all' };
      expect(await heard()).to.deep.equal([own]);

      await rm(file('fail'));
      const done = await erase();
      expect(done.code, done.stderr).to.equal(0);
      expect(await patients()).to.equal(0);
      expect(await heard()).to.deep.equal([own]);

      // Other plugins may still have data of the person.
      expect((await erase()).code).to.equal(1);
      expect((await erase('--everywhere')).code).to.equal(1);
      expect((await erase('--of', 'partner')).code).to.equal(1);
      expect(await heard()).to.deep.equal([
        own,
        { name: 'erase', id: 'P1', holder: 'any', scope: 'all' },
        { name: 'erase', id: 'P1', holder: { name: 'partner' }, scope: 'all' },
      ]);
    });
  });
}
