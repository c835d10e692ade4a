/** Cases on the names of genes. */
import assert from 'node:assert/strict';
import { type GeneNames, type PanelRepository, panels } from '../../../plugins/panels/contract.js';
import { cases, readDuring, same, undone } from '../core.js';

const spring: GeneNames = {
  release: '2026-03-01',
  sources: ['hgnc_complete_set.txt', 'withdrawn.txt'],
  approved: 44_000,
  withdrawn: 4_000,
  loaded: new Date('2026-03-29T01:30:00.007Z'),
};
const autumn: GeneNames = { ...spring, release: '2026-11-01', sources: ['Å.txt'], loaded: new Date('2026-11-02') };

/** Every value of a byte, nothing, and as many bytes as a piece may have. */
const pieces = [
  Uint8Array.from({ length: 256 }, (_, i) => i),
  new Uint8Array(0),
  new Uint8Array(256 * 1024).fill(7),
  ...Array.from({ length: 12 }, (_, i) => Uint8Array.of(i)),
];

const plain = (content: readonly Uint8Array[] = []) => content.map((piece) => Buffer.from(piece).toString('hex'));

export const nameCases = cases<PanelRepository>({
  'names returns undefined before the first are loaded': {
    async 'names of genes are undefined before the first are loaded'({ repository }) {
      assert.equal(await repository.names(), undefined);
      assert.equal(await repository.loadNames(), undefined);
    },
  },
  'loadNames: the names in use with their content in the pieces that were given, of one moment': {
    async 'names of genes come back with every byte and piece'({ repository }) {
      await repository.replaceNames(spring, pieces);
      same(await repository.names(), spring);
      const found = await repository.loadNames();
      same(found?.names, spring);
      same(plain(found?.content), plain(pieces));
    },
  },
  'replaceNames replaces the names, all or nothing': {
    async 'other names of genes leave nothing of the former ones'({ repository }) {
      await repository.replaceNames(spring, pieces);
      await repository.replaceNames(autumn, [Uint8Array.of(1)]);
      const found = await repository.loadNames();
      same(found?.names, autumn);
      same(plain(found?.content), ['01']);
    },
    async 'names of genes stay as they are if their replacement is rolled back'({ repository, storage }) {
      await repository.replaceNames(spring, [Uint8Array.of(1)]);
      await undone(storage, (scope) => scope.repository(panels).replaceNames(autumn, pieces));
      const found = await repository.loadNames();
      same(found?.names, spring);
      same(plain(found?.content), ['01']);
    },
    async 'of several replacements of the names of genes at once, one stays whole'({ repository }) {
      const given = [1, 2, 3, 4].map((n) => ({ ...spring, release: `2026-0${n}-01`, approved: n }));
      await repository.replaceNames({ ...spring, approved: 7 }, [Uint8Array.of(7)]);
      for (const names of given) {
        await readDuring(repository.replaceNames(names, [Uint8Array.of(names.approved)]), async () => {
          const found = await repository.loadNames();
          same(found?.content[0]?.[0], found?.names.approved, 'read of one moment');
        });
      }
      await Promise.all(
        given.map((names) => repository.replaceNames(names, [Uint8Array.of(names.approved), Uint8Array.of(0)])),
      );
      const found = await repository.loadNames();
      const kept = given.find(({ approved }) => approved === found?.names.approved);
      same(found?.names, kept);
      same(plain(found?.content), [`0${kept?.approved}`, '00']);
    },
  },
});
