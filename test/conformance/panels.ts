/**
 * The promises of panels@1 as cases of the conformance kit: versions of panels come back as they were stored, a signed one never
 * changes, and the names of genes are replaced as a whole.
 *
 *     describeContract({ describe, it }, subject, panels, panelCases);
 */
import assert from 'node:assert/strict';
import {
  type GeneNames,
  type PanelHead,
  type PanelRepository,
  type PanelVersion,
  panels,
} from '../../plugins/panels/contract.js';
import { store } from '../../plugins/panels/store.js';
import { type Case, cases, faults, meet, onlyOne, readDuring, type Store, same, undone } from './core.js';

export { panels } from '../../plugins/panels/contract.js';

/** For adapters with tables: what the plugin brings in `stores`. */
export const panelStores: readonly Store[] = [store];

const holding =
  'holding: versions that hold any of these genes, as list has them, each with those that it holds, ascending';

const at = new Date('2026-03-29T01:30:00.123Z');

function version(panel: string, name: string, fields: Partial<PanelVersion> = {}): PanelVersion {
  const content = JSON.stringify({ name: 'Kidney', genes: [{ hgnc: 950, symbol: 'BAP1' }] });
  return {
    panel,
    version: name,
    name: 'Kidney',
    state: 'draft',
    revision: 1,
    digest: 'a'.repeat(64),
    genes: 1,
    unmapped: 0,
    history: [{ what: 'made', at, by: 'anna', digest: 'a'.repeat(64) }],
    content,
    hgnc: [950],
    ...fields,
  };
}

function headOf({ content: _, hgnc: __, ...head }: PanelVersion): PanelHead {
  return head;
}

const after = (before: PanelVersion, fields: Partial<PanelVersion> = {}): PanelVersion => ({
  ...before,
  revision: before.revision + 1,
  history: [...before.history, { what: 'edited', at, by: 'bo', name: 'Bo Ek', digest: before.digest, comment: 'Å 🧬' }],
  ...fields,
});

const versionCases = cases<PanelRepository>({
  'find returns a version with its content to the last byte; undefined if there is none': {
    async 'a version of a panel is returned as it was added'({ repository }) {
      const stored = version('kidney', '1.10', {
        name: 'Ærø’s "kidney" \\ panel 🧬',
        content: `${JSON.stringify({ text: `\u2028 é e\u0301 \\u0000 ${'x'.repeat(300_000)}` })} \r\n\n`,
        hgnc: [1, 5, 999_999_999],
        genes: 3,
        unmapped: 2,
      });
      for (const one of [stored, version('kidney', '1', { hgnc: [], genes: 0 })]) {
        await repository.add(one);
        same(await repository.find('kidney', one.version), one);
      }
    },
    async 'a version of a panel is found by its whole name only'({ repository }) {
      await repository.add(version('kidney', '1.10'));
      for (const whole of ['kidney@1.1', 'Kidney@1.10', 'kidney@1.10 ', 'kid@ney1.10']) {
        const [panel = '', name = ''] = whole.split('@');
        assert.equal(await repository.find(panel, name), undefined, whole);
      }
    },
  },
  'add adds a version, and throws a conflict fault if the panel has a version of this name': {
    async 'a version of a panel that exists is not added again'({ repository }) {
      const first = version('kidney', '1');
      await repository.add(first);
      await faults('conflict', repository.add(version('kidney', '1', { name: 'Other', hgnc: [7] })));
      same(await repository.find('kidney', '1'), first);
      same(await repository.holding([7]), []);
    },
    async 'of several additions of one version at once, one succeeds'({ repository }) {
      const tried = [1, 2, 3, 4, 5].map((i) => version('kidney', '1', { name: `Number ${i}`, hgnc: [i] }));
      const won = onlyOne('conflict', await Promise.allSettled(tried.map((one) => repository.add(one))));
      same(await repository.find('kidney', '1'), tried[won]);
    },
  },
  'list: all versions, or those of one panel, by panel (code units), then in the order of version names': {
    async 'versions of panels are listed in the order of their numbers'({ repository }) {
      const wanted = ['Z 1', 'a 0.9', 'a 1.9', 'a 1.10', 'a 2', 'a-b 1', 'b 1'];
      for (const [panel = '', name = ''] of wanted.toReversed().map((one) => one.split(' '))) {
        await repository.add(version(panel, name));
      }
      const named = (heads: readonly PanelHead[]) => heads.map((head) => `${head.panel} ${head.version}`);
      same(named(await repository.list()), wanted);
      same(named(await repository.list('a')), wanted.slice(1, 5));
      same(await repository.list('c'), []);
    },
    async 'a version of a panel is listed with all but its content'({ repository }) {
      const one = version('kidney', '1', { state: 'in review', revision: 3, unmapped: 2 });
      await repository.add(one);
      same(await repository.list(), [headOf(one)]);
    },
  },
  'replace puts the version in place of the one before it; otherwise it returns false and changes nothing': {
    async 'a draft of a panel is replaced by its next revision, genes included'({ repository }) {
      const draft = version('kidney', '1');
      await repository.add(draft);
      await repository.add(version('lung', '1'));
      const edited = after(draft, { name: 'Kidneys', content: '{}', digest: 'b'.repeat(64), hgnc: [3, 4], genes: 2 });
      assert.equal(await repository.replace(edited), true);
      same(await repository.find('kidney', '1'), edited);
      same.each(await repository.holding([950]), ({ head }) => head.panel, ['lung']);
      same(await repository.holding([3]), [{ head: headOf(edited), hgnc: [3] }]);
    },
    async 'a version of a panel is not replaced from an old revision, nor if it is missing'({ repository }) {
      const draft = version('kidney', '1');
      await repository.add(draft);
      const edited = after(draft, { name: 'Kidneys' });
      await repository.replace(edited);
      for (const stale of [draft, after(draft, { name: 'Lost' }), after(after(edited))]) {
        assert.equal(await repository.replace(stale), false, `revision ${stale.revision}`);
      }
      assert.equal(await repository.replace(version('lung', '1', { revision: 2 })), false);
      same(await repository.find('kidney', '1'), edited);
    },
    async 'of several changes of one revision at once, one succeeds'({ repository, storage }) {
      const draft = version('kidney', '1');
      await repository.add(draft);
      const tried = [1, 2, 3, 4, 5].map((i) => after(draft, { name: `Number ${i}`, hgnc: [i] }));
      const done = await Promise.all(tried.map((one) => repository.replace(one)));
      same(done.filter(Boolean), [true]);
      const won = tried[done.indexOf(true)] as PanelVersion;
      same(await repository.find('kidney', '1'), won);
      // A draft is not removed, nor replaced, in the revision that another caller has just replaced.
      const next = after(won, { hgnc: [7] });
      const replaced = (one: PanelVersion) => (scope: Pick<typeof storage, 'repository'>) =>
        scope.repository(panels).replace(one);
      same(await meet(storage, replaced(next), () => repository.replace(after(won))), false);
      same(await repository.find('kidney', '1'), next);
      const signed = after(next, { state: 'signed off' });
      const remove = () => repository.remove('kidney', '1', next.revision);
      same(await meet(storage, replaced(signed), remove), false);
      same(await repository.find('kidney', '1'), signed);
    },
    async 'a change of a version of a panel that is rolled back leaves nothing'({ repository, storage }) {
      const draft = version('kidney', '1');
      await repository.add(draft);
      await undone(storage, async (scope) => {
        assert.equal(await scope.repository(panels).replace(after(draft, { hgnc: [7] })), true);
        await scope.repository(panels).add(version('lung', '1'));
      });
      same(await repository.list(), [headOf(draft)]);
      same(await repository.holding([7]), []);
    },
  },
  'find: with its content, of one moment; holding: each with the genes that it holds': {
    async 'a version of a panel is read with the genes that it has then'({ repository }) {
      let draft = version('kidney', '1');
      await repository.add(draft);
      for (let round = 1; round <= 20; round++) {
        const [last, next] = [draft, after(draft, { hgnc: [round] })];
        const genesIn = (revision: number) => (revision === last.revision ? last : next).hgnc;
        await readDuring(repository.replace(next), async () => {
          const found = await repository.find('kidney', '1');
          same(found?.hgnc, genesIn(found?.revision ?? 0));
          const [held] = await repository.holding([...last.hgnc, ...next.hgnc]);
          if (held) same(held.hgnc, genesIn(held.head.revision));
        });
        draft = next;
      }
    },
  },
  'replace throws a conflict fault, and changes nothing, if more than the state of a signed version differs': {
    async 'a signed version of a panel is retired, and changes in nothing else'({ repository }) {
      const signed = version('kidney', '1', { state: 'signed off' });
      await repository.add(signed);
      const changes: Partial<PanelVersion>[] = [
        { state: 'draft' },
        { state: 'in review' },
        { state: 'signed off' },
        { state: 'retired', content: `${signed.content} ` },
        { state: 'retired', digest: 'b'.repeat(64) },
        { state: 'retired', name: 'kidney' },
        { state: 'retired', hgnc: [950, 951] },
      ];
      for (const change of changes) await faults('conflict', repository.replace(after(signed, change)));
      same(await repository.find('kidney', '1'), signed);
      same(await repository.holding([951]), []);
      const retired = after(signed, { state: 'retired' });
      assert.equal(await repository.replace(retired), true);
      same(await repository.find('kidney', '1'), retired);
      await faults('conflict', repository.replace(after(retired, { state: 'signed off' })));
    },
  },
  'remove removes a draft of this revision, and returns false if there is none': {
    async 'a draft of a panel is removed, and no other version'({ repository, storage }) {
      const draft = version('kidney', '1', { revision: 4 });
      await repository.add(draft);
      for (const [name, state] of Object.entries({ 2: 'in review', 3: 'signed off', 4: 'retired' } as const)) {
        await repository.add(version('kidney', name, { state, revision: 4 }));
        assert.equal(await repository.remove('kidney', name, 4), false, state);
      }
      for (const revision of [3, 5]) assert.equal(await repository.remove('kidney', '1', revision), false);
      assert.equal(await repository.remove('lung', '1', 4), false);
      assert.equal((await repository.holding([950])).length, 4);
      assert.equal(await repository.remove('kidney', '1', 4), true);
      assert.equal(await repository.remove('kidney', '1', 4), false);
      same.each(await repository.holding([950]), ({ head }) => head.version, ['2', '3', '4']);
      const before = await storage.rowCounts?.();
      await repository.add(draft);
      same(await repository.find('kidney', '1'), draft);
      await repository.remove('kidney', '1', 4);
      same(await storage.rowCounts?.(), before, 'no row is left');
    },
  },
  [holding]: {
    async 'versions are found by any of their genes, with those that were asked for'({ repository }) {
      const [many, few, none] = [
        version('b', '1.10', { hgnc: [1, 5, 9], genes: 3 }),
        version('b', '1.9', { hgnc: [5], genes: 1, state: 'retired' }),
        version('a', '1', { hgnc: [11], genes: 1 }),
      ];
      for (const one of [many, few, none]) await repository.add(one);
      same(await repository.holding([9, 5, 5, 4]), [
        { head: headOf(few), hgnc: [5] },
        { head: headOf(many), hgnc: [5, 9] },
      ]);
      same(await repository.holding([]), []);
      same(await repository.holding([4]), []);
    },
    async 'versions are found by thousands of genes'({ repository }) {
      const hgnc = Array.from({ length: 3000 }, (_, i) => i + 1);
      const whole = version('a', '1', { hgnc, genes: hgnc.length });
      await repository.add(whole);
      same(await repository.holding(hgnc), [{ head: headOf(whole), hgnc }]);
    },
  },
});

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

const nameCases = cases<PanelRepository>({
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

export const panelCases: readonly Case<PanelRepository>[] = [...versionCases, ...nameCases];
