/** The files of the embedded database: accessible to its user only, and without deleted data. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import adapter from '../../../adapters/sqlite/adapter.js';
import type { Storage } from '../../../core/storage.js';
import { type MatchmakerRepository, matchmaker, matchmakerMatches } from '../../../plugins/matchmaker/contract.js';
import { useFolder } from '../../support/folder.js';
import { quiet } from '../../support/storages.js';

const contracts = [matchmaker, matchmakerMatches];

describe('Files of the embedded database', () => {
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });
  // After closing: an open file is not removed.
  const { path: folder } = useFolder();
  const open = async (file: string, busyTimeout = 15_000): Promise<Storage> => {
    const settings = { file, busyTimeout };
    const storage = await adapter.open({ settings, contracts, bindings: new Map(), log: quiet });
    opened.push(storage);
    await storage.migrate();
    return storage;
  };
  const modes = async (path: string) => {
    const names = (await readdir(path)).sort();
    const entries = names.map(async (name) => [name, ((await stat(join(path, name))).mode & 0o777).toString(8)]);
    return Object.fromEntries(await Promise.all(entries));
  };

  it('are accessible to their user only if the adapter creates them, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await open(join(folder(), 'new', 'data', 'x.sqlite'));
    } finally {
      process.umask(before);
    }
    expect(await modes(folder())).to.include({ new: '700' });
    expect(await modes(join(folder(), 'new'))).to.deep.equal({ data: '700' });
    expect(await modes(join(folder(), 'new', 'data'))).to.deep.equal({
      'x.sqlite': '600',
      'x.sqlite-shm': '600',
      'x.sqlite-wal': '600',
    });
  });

  it('keep the mode that an administrator set', async () => {
    const data = join(folder(), 'shared');
    await mkdir(data);
    await chmod(data, 0o750);
    await writeFile(join(data, 'x.sqlite'), '');
    await chmod(join(data, 'x.sqlite'), 0o640);
    await open(join(data, 'x.sqlite'));
    expect(await modes(folder())).to.include({ shared: '750' });
    expect(await modes(data)).to.include({ 'x.sqlite': '640', 'x.sqlite-wal': '640' });
  });

  const bytes = async (file: string) =>
    (await Promise.all([file, `${file}-wal`].map((one) => readFile(one, 'latin1')))).join('');
  const traces = (text: string, ids: readonly string[]) => ids.filter((id) => text.includes(id));

  /** Patients whose documents vary in size and change, so that rows move between pages. Every second one is deleted. */
  async function churn(repository: MatchmakerRepository): Promise<{ gone: string[]; left: string[] }> {
    const writer = { owner: 'scout', all: false };
    const contact = { name: 'D', href: 'mailto:d@example.org' };
    const facts = { submitter: 'D', diagnosed: false, genes: [], variants: [], features: [] };
    const ids = Array.from({ length: 200 }, (_, i) => `trace-${(i * 7919) % 1000}-end`);
    for (let round = 0; round < 3; round++) {
      for (const [i, id] of ids.entries()) {
        const note = Array.from({ length: (i * (round + 3) * 31) % 60 }, () => id).join(' ');
        const patient = { id, label: id, contact, note, features: [{ id: 'HP:0000252' }] };
        await repository.savePatients([{ patient, facts, writer, at: new Date() }]);
      }
    }
    const gone = ids.filter((_, i) => i % 2 === 0);
    for (const id of gone) await repository.removePatient(id, writer);
    return { gone, left: ids.filter((_, i) => i % 2 === 1) };
  }

  it('contain no deleted data once they are purged, while another process has them open', async function () {
    this.timeout(120_000);
    const file = join(folder(), 'x.sqlite');
    const [server, command] = [await open(file), await open(file)];
    const { gone, left } = await churn(server.repository(matchmaker));
    expect(traces(await bytes(file), gone), 'they are there, in the log at least').to.have.length.above(0);
    await command.purge?.();
    const kept = await bytes(file);
    expect(traces(kept, gone)).to.deep.equal([]);
    expect(traces(kept, left)).to.deep.equal(left);
    expect((await server.repository(matchmaker).counts()).cases).to.equal(left.length);
    await server.repository(matchmaker).removePatient(left[0] as string, { owner: 'x', all: true });
  });

  it('report that they cannot be purged while another process writes', async () => {
    const file = join(folder(), 'x.sqlite');
    const [server, command] = [await open(file), await open(file, 50)];
    let refused: unknown;
    await server.transaction(async () => {
      refused = await command.purge?.().catch((error: unknown) => error);
    });
    expect(refused).to.include({ code: 'unavailable' });
    await command.purge?.();
  });

  it('do not exist in memory, so purging does nothing', async () => {
    expect((await open(':memory:')).purge).to.equal(undefined);
  });
});
