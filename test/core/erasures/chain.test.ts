/** What is known of the list of erasures elsewhere: a list that lost lines is not taken for a shorter one. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { confirmList } from '../../../core/erasures/configured.js';
import { erasures } from '../../../core/erasures/contract.js';
import { createErasureList } from '../../../core/erasures/list.js';
import type { ErasureRecord } from '../../../core/erasures/record.js';
import type { AuditEvent } from '../../../core/plugin.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { type OpenedStorage, storages } from '../../support/storages.js';

const at = new Date(Date.UTC(2026, 10, 20));

function record(id: string): ErasureRecord {
  return { receipt: `receipt of ${id}`, at, does: 'erase', erasure: { id, holder: 'own', scope: 'all' } };
}

/** As 0.2 wrote it: a person who was erased on 20 November 2026, and one who objected on the next day. */
const former = {
  list: [
    '{"receipt":"5b0c3f0e-5a0d-4b5e-8f47-6f1d2f9c1a01","at":"2026-11-20T00:00:00.000Z","does":"erase","sealed":"Vhtb6oHOVTFKxoUyMcHSlXtYgOFdtWkFrVuqfub3g648KgLW1Ptg","holder":"own","scope":"all","sum":"0cda6f267ca8b25a"}\n',
    '{"receipt":"5b0c3f0e-5a0d-4b5e-8f47-6f1d2f9c1a02","at":"2026-11-21T00:00:00.000Z","does":"erase","sealed":"0coHIpvZ_0sy4zF0SOT_OPwsB37vwr-5Wa3GzfKBrhRuotxC","names":"sample","holder":"own","scope":"sharing","sum":"14d21600d510d81f"}\n',
  ].join(''),
  key: 'e2MoK5mwGvqT9WRY1c8hyTwm0m+gEOVGnrcPHRVfjNk=',
};

for (const engine of sampled(storages, 2, 1)) {
  describe(`what is known of the list of erasures on ${engine.name}`, function () {
    this.timeout(60_000);
    const folder = useFolder();
    let opened: OpenedStorage;
    before(async () => {
      opened = await engine.open([erasures]);
    });
    after(() => opened.close());
    afterEach(async () => {
      await opened.close();
      opened = await engine.open([erasures]);
    });

    const path = () => join(folder.path(), 'list');
    const memory = async () => opened.storage.repository(erasures);
    const open = (key?: string) => createErasureList({ file: path(), key, isNamed: true, memory });
    const ids = async (key?: string) => (await open(key).records()).map(({ erasure }) => erasure.id);
    const why = async (key?: string) => {
      const { code, message } = await faultOf(open(key).records());
      const [, reason] =
        /^The list of erasures .*list cannot be relied on: (.*)\. Restore the list, or accept/.exec(message) ?? [];
      return [code, reason?.replaceAll(path(), 'LIST')];
    };
    const write = (lines: readonly string[]) => writeFile(path(), lines.map((line) => `${line}\n`).join(''));
    const lines = async () => (await readFile(path(), 'utf8')).trimEnd().split('\n');

    /** Four lines of three commands. */
    async function four(key?: string): Promise<string[]> {
      await open(key).add([record('A')]);
      await open(key).add([record('B'), record('C')]);
      await open(key).add([record('D')]);
      expect(await ids(key)).to.deep.equal(['A', 'B', 'C', 'D']);
      return lines();
    }

    it('finds lines that were taken away, whoever knows of them', async () => {
      const secret = 'a secret of the list, configured';
      const knowers = {
        'its key file knows': {
          key: undefined,
          // The database is older than all erasures.
          prepare: async () => {
            await opened.close();
            opened = await engine.open([erasures]);
          },
        },
        'the database knows': { key: secret, prepare: async () => {} },
      };
      for (const [knower, { key, prepare }] of Object.entries(knowers)) {
        for (const name of await readdir(folder.path())) await rm(join(folder.path(), name));
        await opened.close();
        opened = await engine.open([erasures]);
        const all = await four(key);
        const [first = '', second = '', third = '', fourth = ''] = all;
        await prepare();
        await rm(path());
        expect(await why(key), 'missing').to.deep.equal(['unavailable', `it is missing or empty, but ${knower} of 4`]);
        const cases: [string, readonly string[], string][] = [
          ['empty', [], `it is missing or empty, but ${knower} of 4`],
          ['without the last line', [first, second, third], `it ends after line 3, but ${knower} of 4`],
          ['older', [first], `it ends after line 1, but ${knower} of 4`],
          ['without the first line', [second, third, fourth], 'line 1 does not follow the one before it'],
          ['without a line between', [first, third, fourth], 'line 2 does not follow the one before it'],
          ['in another order', [first, third, second, fourth], 'line 2 does not follow the one before it'],
          ['with a changed line', [first, second.replace('"own"', '"any"'), third, fourth], 'line 2 is damaged'],
        ];
        for (const [what, written, reason] of cases) {
          await write(written);
          expect(await why(key), what).to.deep.equal(['unavailable', reason]);
          const refused = await faultOf(open(key).add([record('E')]));
          expect(refused.code, `${what}: it does not grow`).to.equal('unavailable');
          expect(written.length === 0 ? [''] : written).to.deep.equal(await lines());
        }
        // Twice the same line is what two processes wrote that completed one addition.
        await write([first, second, second, third, fourth]);
        expect(await ids(key)).to.deep.equal(['A', 'B', 'C', 'D']);
      }
    });

    it('finds another list of the same length, and one of which only the key is left', async () => {
      await four();
      const own = await readFile(path());
      const key = await readFile(`${path()}.key`, 'utf8');
      await writeFile(`${path()}.key`, key.replace(/\n4 .*\n/, '\n0 \n'));
      await rm(path());
      await opened.close();
      opened = await engine.open([erasures]);
      for (const id of ['E', 'F', 'G', 'H']) await open().add([record(id)]);
      const other = await readFile(`${path()}.key`, 'utf8');
      await writeFile(`${path()}.key`, other.replace(/\n4 .*\n/, '\n0 \n'));
      await writeFile(path(), own);
      expect((await why())[1]).to.equal('its line 4 is not the one that the database knows of');
      await writeFile(`${path()}.key`, other);
      expect((await why())[1]).to.equal('its line 4 is not the one that its key file knows of');
    });

    it('finds that a list was cut which this process has read', async () => {
      const all = await four();
      await opened.close();
      opened = await engine.open([erasures]);
      const list = createErasureList({
        file: path(),
        key: (await readFile(`${path()}.key`, 'utf8')).split('\n')[0],
        isNamed: true,
      });
      expect(await list.records()).to.have.length(4);
      await write(all.slice(0, 2));
      expect((await faultOf(list.records())).message).to.include(
        'it ends after line 2, but this process has read line 4',
      );
    });

    it('goes on after the list was accepted as it is, with the lines that can be read, and finds what is lost later', async () => {
      const [first = '', second = '', third = '', fourth = ''] = await four();
      await write([second, third.slice(3), fourth]);
      const found = await open().look();
      expect([found.records.length, found.unreadable, found.known]).to.deep.equal([2, 1, 4]);
      const end = await open().accept(at, found.known);
      expect(end.number).to.equal(5);
      expect(await ids()).to.deep.equal(['B', 'D']);
      expect((await (await memory()).known())?.number).to.equal(5);
      await open().add([record('E')]);
      expect(await ids()).to.deep.equal(['B', 'D', 'E']);
      const all = await lines();
      await write([first, ...all.slice(1)]);
      expect((await why())[1], 'what was accepted is not exchanged').to.match(/^line \d /);
      await write(all.slice(0, -1));
      expect((await why())[1]).to.equal('it ends after line 5, but its key file knows of 6');
    });

    it('goes on after all was lost, the key as well', async () => {
      await four();
      await rm(path());
      await rm(`${path()}.key`);
      expect((await why())[1]).to.equal('it is missing or empty, but the database knows of 4');
      await open().accept(at, 0);
      expect(await ids()).to.deep.equal([]);
      await open().add([record('E')]);
      expect(await ids()).to.deep.equal(['E']);
    });

    it('takes a list of 0.2 over, once, and then finds what is taken away', async () => {
      await writeFile(path(), former.list);
      await writeFile(`${path()}.key`, former.key);
      const recorded: Pick<AuditEvent, 'action' | 'about' | 'detail'>[] = [];
      const confirm = () =>
        confirmList({
          list: open(),
          knownToAudit: async () => 0,
          unclaimed: async () => [],
          now: () => at,
          record: async (event) => void recorded.push(event),
        });
      expect(await ids(), 'before').to.deep.equal(['Test-person', 'Objector']);
      await confirm();
      await confirm();
      expect(recorded.map(({ action, about, detail }) => [action, about, detail])).to.deep.equal([
        ['erasures.takeover', ['list:erasures'], { lines: 2 }],
      ]);
      expect(await ids()).to.deep.equal(['Test-person', 'Objector']);
      expect([...(await open().objecting('sample'))]).to.deep.equal(['Objector']);
      expect((await readFile(path(), 'utf8')).startsWith(former.list)).to.equal(true);
      await open().add([record('A')]);
      expect(await ids()).to.deep.equal(['Test-person', 'Objector', 'A']);
      const all = await lines();
      await write(all.slice(0, -1));
      expect((await why())[1]).to.equal('it ends after line 3, but its key file knows of 4');
      await write(all.slice(1));
      expect((await why())[1]).to.equal('line 2 accepted other lines than those before it');
      // A server of 0.2 that still runs.
      await write([...all, former.list.split('\n')[0] ?? '']);
      expect((await why())[1]).to.equal('line 5 has no number, unlike the one before it');
      await rm(path());
      await writeFile(`${path()}.key`, former.key);
      expect((await why())[1]).to.equal('it is missing or empty, but its key LIST.key was made at an erasure');
    });

    it('keeps the lines of many processes in one chain, as a list of 0.2 grows', async () => {
      await writeFile(path(), former.list);
      await writeFile(`${path()}.key`, former.key);
      await Promise.all([1, 2].map(() => open().accept(at, 0)));
      const names = Array.from({ length: 12 }, (_, i) => `P${i}`);
      await Promise.all(names.map((id) => open().add([record(id), record(`${id} too`)])));
      const all = await ids();
      expect(all).to.have.members(['Test-person', 'Objector', ...names, ...names.map((id) => `${id} too`)]);
      for (const id of names) expect(all[all.indexOf(id) + 1]).to.equal(`${id} too`);
      expect((await readdir(folder.path())).toSorted()).to.deep.equal(['list', 'list.key']);
    });
  });
}
