/** Cases on the stored values of cohorts: layouts, members, blocks, and what replaces them. */
import assert from 'node:assert/strict';
import {
  blockChecksum,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
  type CohortRepository,
  type CohortState,
  type ColumnBlock,
  coverageCohorts,
} from '../../../plugins/coverage/contract.js';
import { cases, imitations, lookalikes, meet, oddText, originals, same, undone } from '../core.js';

const arranging = 'arrange replaces all blocks of these parts in the columns, unless the state has another version';

const first: CohortLayout = { id: 'one', build: 'GRCh38', thresholds: [10, 20], sets: oddText };
const other: CohortLayout = { id: 'other', build: 'GRCh37', thresholds: [1], sets: 'exons' };
/** Every value of a byte, and an empty piece. */
const pieces = [Uint8Array.from({ length: 256 }, (_, i) => i), new Uint8Array(0), Uint8Array.of(7)];

function entry(sample: string, source = 'file 1'): CohortEntry {
  return { sample, source, denominator: 100, median: 31.25, beyond: [[3, 2 ** 40 + 1]], bytes: 12 };
}

/** Two parts of one column with two planes each, of one byte. */
function column(value: number): ColumnBlock[] {
  return [-2, -1].flatMap((part) =>
    [0, 1].map((plane) => ({ part, plane, content: Uint8Array.of(value, part + 2, plane) })),
  );
}

function block(part: number, plane: number, from: number, to: number, content: Uint8Array): CohortBlock {
  const placed = { part, plane, from, to, content };
  return { ...placed, checksum: blockChecksum(placed) };
}

function placed(at: number, value: number): CohortBlock[] {
  return column(value).map(({ part, plane, content }) => block(part, plane, at, at + 1, content));
}

async function stateOf(repository: CohortRepository, build = first.build): Promise<CohortState> {
  const state = await repository.state(build);
  assert.ok(state, `${build} has a layout`);
  return state;
}

const everything = { parts: [-2, -1, 0, 1, 2], planes: [0, 1, 2] };

async function blocksOf(repository: CohortRepository, layout = first.id): Promise<readonly CohortBlock[]> {
  return (await repository.read(layout, everything))?.blocks ?? [];
}

const byPlace = (one: CohortBlock, two: CohortBlock) =>
  one.part - two.part || one.plane - two.plane || one.from - two.from;

/** Three samples, of which the first two are in one block. */
async function arranged(repository: CohortRepository): Promise<CohortBlock[]> {
  await repository.use(first, pieces);
  for (const [i, id] of ['a', 'b', 'c'].entries()) assert.ok(await repository.add(first.id, entry(id), column(i)));
  const blocks = [block(0, 0, 0, 2, Uint8Array.of(1, 2, 3)), block(1, 1, 0, 2, Uint8Array.of(4))];
  const { version } = await stateOf(repository);
  assert.ok(await repository.arrange(first.id, version, { parts: [-2, -1, 0, 1], from: 0, to: 2 }, blocks));
  return blocks;
}

export const cohortCases = cases<CohortRepository>({
  'use makes this the layout of its build: if it is already, only `sets` is replaced; otherwise all members are gone': {
    async 'a layout is returned with the description of its regions, unchanged'({ repository }) {
      same(await repository.layouts(), []);
      same(await repository.state('GRCh38'), undefined);
      same(await repository.regions('one'), undefined);
      same(await repository.read('one', everything), undefined);
      await repository.use(first, pieces);
      await repository.use(other, []);
      same(await repository.layouts(), [other, first]);
      same(await repository.regions('one'), pieces);
      const { version, ...state } = await stateOf(repository);
      same(state, { layout: first, columns: 0, members: [], suspended: [], left: [] });
    },
    async 'a layout is found by its id as it is'({ repository }) {
      await repository.use({ ...first, id: oddText }, pieces);
      same(await repository.add(oddText, entry('a'), column(1)), true);
      const { version } = await stateOf(repository);
      const all = { parts: everything.parts, from: 0, to: 1 };
      for (const id of [oddText.trim(), oddText.normalize(), oddText.toLowerCase()]) {
        same([await repository.regions(id), await repository.read(id, everything)], [undefined, undefined]);
        same(
          [await repository.add(id, entry('b'), column(2)), await repository.arrange(id, version, all, [])],
          [false, false],
        );
      }
      same(await repository.arrange(oddText, version, all, placed(0, 1)), true);
      same(await blocksOf(repository, oddText), placed(0, 1));
      const before = (await stateOf(repository)).version;
      await repository.overwritten(oddText, []);
      assert.notEqual((await stateOf(repository)).version, before);
    },
    async 'another layout replaces members and values; the same one only its sets'({ repository, storage }) {
      const before = await storage.rowCounts?.();
      await repository.use(first, pieces);
      await repository.use(other, pieces);
      // More than are freed at once.
      const many = Array.from({ length: 5001 }, (_, plane) => ({ part: -1, plane, content: Uint8Array.of(plane) }));
      await repository.add('one', entry('a'), many);
      await repository.add('other', entry('b'), column(1));
      await repository.use({ ...first, sets: 'exons of autumn' }, pieces);
      same((await stateOf(repository)).layout.sets, 'exons of autumn');
      same((await stateOf(repository)).members.length, 1);
      await repository.use({ ...first, id: 'two' }, pieces.slice(1));
      same(await repository.read('one', everything), undefined);
      same(await repository.add('one', entry('a'), column(1)), false);
      same((await stateOf(repository)).members, []);
      same((await stateOf(repository)).columns, 0);
      same(await blocksOf(repository, 'two'), []);
      same(await repository.add('two', entry('a'), column(3)), true);
      same(await blocksOf(repository, 'two'), placed(0, 3));
      same((await stateOf(repository, 'GRCh37')).members.length, 1, 'the other build stays');
      await repository.use(first, pieces);
      same(await blocksOf(repository), [], 'nothing comes back');
      await repository.sweep();
      same(await repository.sweep(), 0);
      same((await stateOf(repository, 'GRCh37')).members.length, 1);
      same(await blocksOf(repository, 'other'), placed(0, 1).sort(byPlace));
      await repository.clear('GRCh37');
      same.each(await repository.layouts(), ({ id }) => id, ['one']);
      await repository.clear('GRCh38');
      await repository.sweep();
      same(await storage.rowCounts?.(), before, 'no row is left');
    },
    async 'a layout that several callers use at once is there once, with its regions'({ repository }) {
      await Promise.all([1, 2, 3].map(() => repository.use(first, pieces)));
      same(await repository.layouts(), [first]);
      same(await repository.regions('one'), pieces);
      await repository.use({ ...first, id: 'two' }, []);
      same.each(await repository.layouts(), ({ id }) => id, ['two']);
    },
  },
  'add puts the values of a sample in a new column, in the place of those that it had in any layout': {
    async 'values are returned in the column of their sample, with their checksums'({ repository }) {
      await repository.use(first, pieces);
      const { median: _, ...plain } = entry('b', 'é "2"');
      const version = (await stateOf(repository)).version;
      assert.ok(await repository.add('one', entry('a'), column(1)));
      assert.ok(await repository.add('one', plain, column(255)));
      const state = await stateOf(repository);
      assert.notEqual(state.version, version);
      same(state.members, [
        { ...entry('a'), column: 0 },
        { ...plain, column: 1 },
      ]);
      same([state.columns, state.suspended, state.left], [2, [], []]);
      same(await blocksOf(repository), [...placed(0, 1), ...placed(1, 255)].sort(byPlace));
    },
    async 'other values of a sample take a new column, and the former ones are gone'({ repository }) {
      await repository.use(first, pieces);
      await repository.use(other, pieces);
      await repository.add('one', entry('a'), column(1));
      await repository.add('one', entry('b'), column(2));
      await repository.add('one', entry('a', 'file 2'), column(3));
      same((await stateOf(repository)).members, [
        { ...entry('b'), column: 1 },
        { ...entry('a', 'file 2'), column: 2 },
      ]);
      same(await blocksOf(repository), [...placed(1, 2), ...placed(2, 3)].sort(byPlace));
      await repository.add('other', entry('b'), column(4));
      same.each((await stateOf(repository)).members, ({ sample }) => sample, ['a'], 'a sample is of one build');
      same(await blocksOf(repository), placed(2, 3));
    },
    async 'layouts, sources and samples that look alike are different ones'({ repository }) {
      let former: string | undefined;
      const versions = new Set<number>();
      for (const id of [...lookalikes, ...lookalikes]) {
        await repository.use({ ...first, id }, [Uint8Array.of(lookalikes.indexOf(id))]);
        same((await repository.regions(id))?.[0]?.[0], lookalikes.indexOf(id));
        await repository.use({ ...first, id, sets: id }, []);
        same((await stateOf(repository)).layout, { ...first, id, sets: id });
        versions.add((await stateOf(repository)).version);
        if (former !== undefined) {
          const { version } = await stateOf(repository);
          same(await repository.regions(former), undefined);
          same(await repository.read(former, everything), undefined);
          same(await repository.add(former, entry('a'), []), false);
          same(await repository.arrange(former, version, { parts: [0], from: 0, to: 1 }, []), false);
          await repository.overwritten(former, [0]);
          same((await stateOf(repository)).version, version);
        }
        former = id;
      }
      same(versions.size, 2 * lookalikes.length);
      await repository.use(first, pieces);
      for (const source of lookalikes) await repository.add('one', entry('a', source), column(1));
      same((await stateOf(repository)).columns, lookalikes.length);
      for (const id of lookalikes) await repository.add('one', entry(id), column(1));
      const samples = async () => (await stateOf(repository)).members.map(({ sample }) => sample).sort();
      same(await samples(), [...lookalikes].sort());
      await repository.suspend(imitations);
      same(await samples(), [...originals].sort());
      await repository.remove(imitations);
      same((await stateOf(repository)).suspended, []);
      same(await samples(), [...originals].sort());
    },
    async 'samples that are added at once get a column each'({ repository }) {
      await repository.use(first, pieces);
      const ids = Array.from({ length: 8 }, (_, i) => `s${i}`);
      const added = await Promise.all(ids.map((id, i) => repository.add('one', entry(id), column(i))));
      const wanted = ids.map(() => true);
      same(added, wanted);
      const { members, columns } = await stateOf(repository);
      same.each(members, ({ column }) => column, [0, 1, 2, 3, 4, 5, 6, 7]);
      same(columns, 8);
      const expected = members.flatMap(({ sample, column: at }) => placed(at, ids.indexOf(sample)));
      same(await blocksOf(repository), expected.sort(byPlace));
    },
  },
  'add: if the column of a sample has values of the same source, it stays, and counts again': {
    async 'a sample that is added again with values of the same source keeps its column'({ repository }) {
      await repository.use(first, pieces);
      await repository.add('one', entry('a'), column(1));
      const { version } = await stateOf(repository);
      await repository.suspend(['a', 'nobody']);
      const state = await stateOf(repository);
      same([state.members, state.version === version], [[], false]);
      assert.ok(await repository.add('one', entry('a'), column(1)));
      const { members, columns, suspended } = await stateOf(repository);
      same([members, columns, suspended], [[{ ...entry('a'), column: 0 }], 1, []]);
      same(await blocksOf(repository), placed(0, 1));
    },
  },
  'add returns false, and changes nothing, if no build has the layout': {
    async 'values of a layout that no build has are refused'({ repository }) {
      same(await repository.add('one', entry('a'), column(1)), false);
      await repository.use(first, pieces);
      await repository.add('one', entry('a'), column(1));
      const before = [await stateOf(repository), await blocksOf(repository)];
      same(await repository.add('two', entry('a', 'file 2'), column(2)), false);
      same([await stateOf(repository), await blocksOf(repository)], before);
    },
  },
  'suspend: the samples are no members until they are added again; their columns stay': {
    async 'suspended samples are no members, and their values stay'({ repository }) {
      const blocks = await arranged(repository);
      await repository.suspend(['b', 'c']);
      const { members, suspended, left } = await stateOf(repository);
      same([members.map(({ sample }) => sample), suspended, left], [['a'], [1, 2], []]);
      same(await blocksOf(repository), [...placed(2, 2), ...blocks].sort(byPlace));
      await repository.add('one', entry('c', 'file 2'), column(9));
      same((await stateOf(repository)).suspended, [1]);
    },
    async 'members that are added, suspended and removed at once do not stop each other'({ repository }) {
      await repository.use(first, pieces);
      await repository.use(other, pieces);
      for (let round = 0; round < 8; round++) {
        await repository.add('one', entry('a'), column(round));
        await Promise.all([
          repository.suspend(['a', 'b']),
          repository.add('one', entry('a'), column(round)),
          repository.add('other', entry('b', `file ${round}`), column(round)),
          repository.suspend(['b', 'a']),
          repository.remove(['b', 'c']),
          repository.overwritten('one', [0]),
        ]);
        const { members, suspended } = await stateOf(repository);
        same(members.length + suspended.length, 1);
        same(await blocksOf(repository), placed(0, 0), 'its values are those of the first time');
      }
    },
  },
  'remove: blocks of one column go, and columns before the end of some block of several are `left`': {
    async 'removed samples leave no column of their own, and are noted in blocks of several'({ repository }) {
      const blocks = await arranged(repository);
      await repository.suspend(['b']);
      await repository.remove(['b', 'c', 'nobody']);
      const { members, suspended, left, columns } = await stateOf(repository);
      same([members.map(({ sample }) => sample), suspended, left, columns], [['a'], [], [1], 3]);
      same(await blocksOf(repository), blocks);
      await repository.overwritten('one', [1, 7]);
      same((await stateOf(repository)).left, []);
      await repository.add('one', entry('b'), column(5));
      same.each((await stateOf(repository)).members, ({ column }) => column, [0, 3], 'columns are not used again');
    },
    async 'what happens to one layout does not touch another, and changes its version'({ repository }) {
      const blocks = await arranged(repository);
      await repository.use(other, [Uint8Array.of(5)]);
      same((await repository.regions('other'))?.length, 1);
      same((await repository.regions('one'))?.length, pieces.length);
      for (const id of ['x', 'y', 'z']) await repository.add('other', entry(id), column(6));
      // Column 0 of a layout in which nothing was arranged.
      const versions = new Set([(await stateOf(repository)).version]);
      await repository.suspend(['a', 'y']);
      versions.add((await stateOf(repository)).version);
      await repository.add('other', entry('y'), []);
      versions.add((await stateOf(repository)).version);
      await repository.remove(['a', 'b', 'x']);
      versions.add((await stateOf(repository)).version);
      same(await blocksOf(repository), [...placed(2, 2), ...blocks].sort(byPlace), 'those of several columns stay');
      same((await stateOf(repository, 'GRCh37')).left, []);
      same((await stateOf(repository, 'GRCh37')).members, [
        { ...entry('y'), column: 1 },
        { ...entry('z'), column: 2 },
      ]);
      same((await stateOf(repository)).left, [0, 1]);
      await repository.overwritten('other', [0, 1]);
      same((await stateOf(repository)).left, [0, 1]);
      await repository.suspend(['c', 'y', 'z']);
      await repository.add('other', entry('z'), []);
      same([(await stateOf(repository)).suspended, (await stateOf(repository, 'GRCh37')).suspended], [[2], [1]]);
      versions.add((await stateOf(repository)).version);
      const others = await stateOf(repository, 'GRCh37');
      await repository.overwritten('one', [0]);
      versions.add((await stateOf(repository)).version);
      same(versions.size, 6);
      const values = await blocksOf(repository, 'other');
      await repository.arrange('one', (await stateOf(repository)).version, { parts: [-1], from: 1, to: 2 }, []);
      same([await stateOf(repository, 'GRCh37'), await blocksOf(repository, 'other')], [others, values]);
      const within = await repository.read('one', { ...everything, columns: { from: 0, to: 1 } });
      same(within?.blocks, [], 'no block that goes beyond the columns');
    },
  },
  'read: the blocks of these parts and planes by part, plane and column, and the state unless it is known': {
    async 'blocks are read by part, plane and column, with the state of the same moment'({ repository }) {
      const blocks = await arranged(repository);
      const { version } = await stateOf(repository);
      const known = await repository.read('one', { parts: [1, -1, 1], planes: [1] }, version);
      same(known && 'state' in known, false);
      same(
        known?.blocks ?? [],
        [...placed(2, 2), ...blocks]
          .filter(({ part, plane }) => (part === 1 || part === -1) && plane === 1)
          .sort(byPlace),
      );
      const outdated = await repository.read('one', { parts: [], planes: [0] }, version - 1);
      same(outdated, { state: await stateOf(repository), blocks: [] });
      const some = await repository.read('one', { ...everything, columns: { from: 2, to: 3 } });
      same(some?.blocks ?? [], placed(2, 2));
    },
  },
  [arranging]: {
    async 'blocks are arranged once for a version, and others stay'({ repository, storage }) {
      await arranged(repository);
      const { version } = await stateOf(repository);
      const whole = [block(0, 0, 0, 3, new Uint8Array(200_000).fill(3)), block(2, 2, 0, 3, Uint8Array.of(255))];
      same(await repository.arrange('one', version - 1, { parts: [0], from: 0, to: 3 }, whole), false);
      same(await repository.arrange('two', version, { parts: [0], from: 0, to: 3 }, whole), false);
      const arranging = (one: CohortRepository) =>
        one.arrange('one', version, { parts: [-2, 0], from: 0, to: 3 }, whole);
      const met = meet(
        storage,
        async (scope) => same(await arranging(scope.repository(coverageCohorts)), true),
        () => arranging(repository),
      );
      same(await met, false);
      const kept = [...placed(2, 2).filter(({ part }) => part === -1), block(1, 1, 0, 2, Uint8Array.of(4))];
      same(await blocksOf(repository), [...whole, ...kept].sort(byPlace));
      assert.notEqual((await stateOf(repository)).version, version);
    },
    async 'a version is never one of a former layout, also if it is the same again'({ repository }) {
      await arranged(repository);
      const { version } = await stateOf(repository);
      await repository.clear('GRCh38');
      const seen: number[] = [];
      await repository.use(first, pieces);
      for (const id of ['d', 'e', 'f', 'g', 'h']) {
        seen.push((await stateOf(repository)).version);
        await repository.add('one', entry(id), column(1));
      }
      same(seen.includes(version), false);
      same(await repository.arrange('one', version, { parts: [-2], from: 0, to: 2 }, []), false);
    },
    async 'only blocks in the columns are arranged, and only these columns are overwritten'({ repository }) {
      const blocks = await arranged(repository);
      await repository.add('one', entry('d'), column(3));
      const { version } = await stateOf(repository);
      const later = [block(0, 0, 2, 4, Uint8Array.of(9))];
      assert.ok(await repository.arrange('one', version, { parts: [-2, 0], from: 2, to: 4 }, later));
      const kept = [...placed(2, 2), ...placed(3, 3)].filter(({ part }) => part === -1);
      same(await blocksOf(repository), [...blocks, ...later, ...kept].sort(byPlace));
      // Ranges that were arranged before do not end the later one.
      const again = (await stateOf(repository)).version;
      assert.ok(await repository.arrange('one', again, { parts: [1], from: 0, to: 2 }, []));
      await repository.remove(['a', 'b', 'd']);
      same((await stateOf(repository)).left, [0, 1, 3]);
      await repository.overwritten('one', [3, 0]);
      same((await stateOf(repository)).left, [1]);
      same((await stateOf(repository)).members.length, 1, 'a column of a sample stays');
      await repository.overwritten('one', [2]);
      same((await stateOf(repository)).members.length, 1, 'a column of a sample stays');
    },
  },
  'add and arrange: all or nothing': {
    async 'a transaction that fails changes nothing'({ repository, storage }) {
      await arranged(repository);
      const before = [await stateOf(repository), await blocksOf(repository)];
      await undone(storage, async (scope) => {
        const inside = scope.repository(coverageCohorts);
        await inside.add('one', entry('d'), column(8));
        await inside.remove(['a', 'c']);
        const { version } = await stateOf(inside);
        assert.ok(await inside.arrange('one', version, { parts: [0], from: 0, to: 2 }, []));
      });
      same([await stateOf(repository), await blocksOf(repository)], before);
    },
  },
});
