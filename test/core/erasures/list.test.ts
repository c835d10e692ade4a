/** The list of erasures as a file: what survives kills, damage and several writers, and who stands on it. */
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { erasureListOf } from '../../../core/erasures/configured.js';
import { createErasureList } from '../../../core/erasures/list.js';
import type { ErasureRecord } from '../../../core/erasures/record.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

function record(id: string, number: number, more: Partial<ErasureRecord['erasure']> = {}): ErasureRecord {
  const erasure = { id, holder: 'own', scope: 'all', ...more } as const;
  return { receipt: `receipt ${number}`, at: day(number), does: 'erase', erasure };
}

describe('the list of erasures', () => {
  const folder = useFolder();
  const path = () => join(folder.path(), 'list');
  const open = (key?: string) => createErasureList({ file: path(), key, isNamed: true });
  const sentence = (why: string) =>
    `The list of erasures ${path()} cannot be relied on: ${why}. Restore the list, or accept it as it is with \`trefoil erasures accept\``;
  const ids = async (list = open()) => (await list.records()).map(({ erasure }) => erasure.id);

  it('is empty without a file, and reads what was added, also by another process', async () => {
    const [one, other] = [open(), open()];
    expect(await one.records()).to.deep.equal([]);
    const first = record('Åsa “1”', 1, { names: 'sample', holder: { name: 'peer' }, scope: 'sharing' });
    await one.add([first]);
    await other.add([record('B', 2), { ...record('B', 3), does: 'permit' }]);
    expect(await one.records()).to.deep.equal([first, record('B', 2), { ...record('B', 3), does: 'permit' }]);
    expect(await readFile(path(), 'utf8')).not.to.include('Åsa');
  });

  it('keeps the lines of many writers apart', async () => {
    const writers = Array.from({ length: 20 }, (_, i) => open().add([record(`a${i}`, 1), record(`b${i}`, 1)]));
    await Promise.all(writers);
    const expected = Array.from({ length: 20 }, (_, i) => [`a${i}`, `b${i}`]).flat();
    expect(await ids()).to.have.members(expected);
  });

  it('forgets a line that was killed while it was written, wherever that was, or completes it, and no other', async () => {
    await open().add([record('A', 1)]);
    const [before, key] = await Promise.all([readFile(path()), readFile(`${path()}.key`)]);
    await open().add([record('B', 2)]);
    const whole = await readFile(path());
    for (const length of [before.length, before.length + 1, (before.length + whole.length) >> 1, whole.length - 1]) {
      for (const isClaimed of [false, true]) {
        // As the process left it: the key does not know the line yet, and its claim may be there.
        await writeFile(path(), whole.subarray(0, length));
        await writeFile(`${path()}.key`, key);
        if (isClaimed) await writeFile(`${path()}.adding-2`, whole.subarray(before.length));
        expect(await ids(), `${length} bytes`).to.deep.equal(['A']);
        await open().add([record('C', 3)]);
        expect(await ids(), `${length} bytes, then another`).to.deep.equal(isClaimed ? ['A', 'B', 'C'] : ['A', 'C']);
        expect((await readdir(folder.path())).toSorted()).to.deep.equal(['list', 'list.key']);
      }
    }
  });

  it('leaves copies alone that somebody made beside it', async () => {
    await open().add([record('A', 1)]);
    const text = await readFile(path(), 'utf8');
    const copies = ['list.1', 'list.2', 'list.20260301', 'list.bak'];
    for (const name of copies) await writeFile(join(folder.path(), name), text);
    await open().settle();
    await open().add([record('B', 2)]);
    expect(await ids()).to.deep.equal(['A', 'B']);
    expect((await readdir(folder.path())).toSorted()).to.deep.equal(['list', 'list.key', ...copies].toSorted());
  });

  it('is known to be lost by its key, in the place of 0.2 as well', async () => {
    const database = join(folder.path(), 'data', 'trefoil.sqlite');
    const configuration = { core: {}, storage: { adapter: { file: () => database }, settings: {} } };
    const placed = () => erasureListOf(configuration as unknown as Parameters<typeof erasureListOf>[0]);
    const [own, former] = [join(folder.path(), 'data-erasures', 'trefoil.sqlite.erasures'), `${database}.erasures`];
    expect(placed().file).to.equal(own);
    await mkdir(join(folder.path(), 'data'));
    await writeFile(`${former}.key`, 'the key that 0.2 made');
    const message = `The list of erasures ${former} cannot be relied on: it is missing or empty, but its key ${former}.key was made at an erasure`;
    expect((await faultOf(placed().records())).message).to.include(message);
    await mkdir(join(folder.path(), 'data-erasures'));
    await writeFile(`${own}.key`, 'the key\n3 0123abcd\n');
    expect((await faultOf(placed().records())).message).to.include(
      `${own} cannot be relied on: it is missing or empty`,
    );
  });

  it('is refused if a line is damaged, or its key is lost or another one', async () => {
    await open().add([record('A', 1), record('B', 2)]);
    const text = await readFile(path(), 'utf8');
    const message = async (key?: string) => (await faultOf(open(key).records())).message;
    await writeFile(path(), text.replace('receipt 1', 'receipt 9'));
    expect(await message()).to.equal(sentence('line 1 is damaged'));
    await writeFile(path(), text.replace('\n', '\n\n'));
    expect(await message()).to.equal(sentence('line 2 is damaged'));
    await writeFile(path(), text);
    expect(await message('another key, of 32 letters or so')).to.equal(
      sentence('line 1 was encrypted with another key'),
    );
    await rm(`${path()}.key`);
    expect((await faultOf(open().add([record('C', 3)]))).code, 'it does not grow').to.equal('unavailable');
    expect(await message()).to.equal(sentence(`its key ${path()}.key is missing`));
    expect(await readFile(path(), 'utf8')).to.equal(text);
  });

  it('is refused if its folder is missing, as that of a volume that is not mounted', async () => {
    const file = join(folder.path(), 'volume', 'list');
    const named = createErasureList({ file, key: undefined, isNamed: true });
    expect((await faultOf(named.records())).message).to.equal(`The list of erasures ${file} cannot be read (ENOENT)`);
    await mkdir(join(folder.path(), 'volume'));
    expect(await named.records()).to.deep.equal([]);
    // A database that does not exist yet has no folder either.
    const beside = createErasureList({ file: join(folder.path(), 'data', 'list'), key: undefined, isNamed: false });
    expect(await beside.records()).to.deep.equal([]);
  });

  it('is read anew whenever it changed', async () => {
    const list = open();
    await list.add([record('A', 1)]);
    expect([...(await list.barred('sample', ['A', 'B'], day(0))).keys()]).to.deep.equal(['A']);
    await open().add([record('B', 2)]);
    expect([...(await list.barred('sample', ['A', 'B'], day(0))).keys()]).to.deep.equal(['A', 'B']);
    // Blanks around an id are not part of it, as in the files that samples come from.
    expect([...(await list.barred('sample', [' A', 'B\u00a0', 'AB'], day(0))).keys()]).to.deep.equal([' A', 'B\u00a0']);
    await appendFile(path(), '{"unfinished');
    expect([...(await list.barred('sample', ['A', 'B'], day(0))).keys()]).to.deep.equal(['A', 'B']);
  });

  it('bars who objects, and who was erased since a request, as a naive reading of it says', async () => {
    const names = fc.constantFrom('sample', 'patient', undefined);
    const line = fc.record({
      id: fc.constantFrom('A', 'B'),
      names,
      holder: fc.constantFrom('own', 'any', { name: 'peer' }),
      does: fc.constantFrom('erase', 'permit'),
      scope: fc.constantFrom('all', 'sharing'),
    });
    const property = fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.nat(9), async (lines, since) => {
      for (const file of [path(), `${path()}.key`]) await rm(file, { force: true });
      const list = open();
      const records = lines.map(({ does, names: what, ...rest }, i) => {
        const erasure = { ...rest, scope: does === 'permit' ? 'sharing' : rest.scope, ...(what && { names: what }) };
        return { ...record(rest.id, i + 1, erasure as never), does } as ErasureRecord;
      });
      await list.add(records);
      for (const what of ['sample', 'patient'] as const) {
        const expected = ['A', 'B'].filter((id) => {
          const own = records.filter(({ erasure }) => {
            const isMeant = erasure.names === undefined || erasure.names === what;
            return erasure.id === id && isMeant && typeof erasure.holder === 'string';
          });
          const last = own.filter(({ erasure }) => erasure.scope === 'sharing').at(-1);
          const gone = own.filter(({ erasure }) => erasure.scope === 'all').at(-1);
          return last?.does === 'erase' || (gone !== undefined && gone.at > day(since));
        });
        expect([...(await list.barred(what, ['A', 'B', 'C'], day(since))).keys()]).to.deep.equal(expected);
      }
    });
    await fc.assert(property, { numRuns: Number(process.env.TEST_HISTORIES ?? 30) });
  });
});
