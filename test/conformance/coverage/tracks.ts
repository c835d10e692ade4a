/** Cases on callable tracks: what counts, what replaces it, and what is removed with its samples. */
import {
  coverageTracks,
  type Track,
  type TrackBlock,
  type TrackRepository,
  trackChecksum,
} from '../../../plugins/coverage/contract.js';
import { cases, imitations, lookalikes, meet, originals, type StorageScope, same, undone } from '../core.js';
import { at } from './build.js';

const publishing = 'publish: the track counts and those that it replaces are gone, at once; false, and nothing changes';

function track(id: string, samples: readonly string[], fields: Partial<Track> = {}): Track {
  const members = samples.map((sample) => ({ sample, revision: `revision of ${sample}` }));
  return { id, build: 'GRCh38', threshold: 10, members, ...fields };
}

function block(content: Uint8Array, chromosome: TrackBlock['chromosome'] = '1', start = 0): TrackBlock {
  return { chromosome, start, content, checksum: trackChecksum({ chromosome, start, content }) };
}

/** Every value of a byte. */
const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);

async function make(repository: TrackRepository, one: Track, blocks: readonly TrackBlock[] = []): Promise<void> {
  await repository.begin(one, at(0));
  same(await repository.add(one.id, blocks), true);
  same(await repository.publish(one.id, 7, []), true);
}

async function ids(repository: TrackRepository): Promise<string[]> {
  return (await repository.published()).map(({ id }) => id);
}

function placed(track: string, block: TrackBlock): unknown {
  return { track, ...block };
}

export const trackCases = cases<TrackRepository>({
  'find: the published tracks of these ids, by id, with their samples in order': {
    async 'a track counts once it is published, with its samples in their order'({ repository }) {
      const other = track('å "b"', [], { build: 'GRCh37', threshold: 1_000_000 });
      const one = track('a', ['z', 'NA 12878-ärende', 'b']);
      await repository.begin(other, at(0));
      await repository.begin(one, at(0));
      same(await repository.published(), []);
      same(await repository.find(['a']), []);
      same(await repository.publish(other.id, 2 ** 40, []), true);
      same(await repository.publish('a', 0, []), true);
      same(await repository.published(), [
        { id: 'a', build: 'GRCh38', threshold: 10 },
        { id: 'å "b"', build: 'GRCh37', threshold: 1_000_000 },
      ]);
      same(await repository.find(['å "b"', 'none', 'a', 'a']), [
        { ...one, bytes: 0 },
        { ...other, bytes: 2 ** 40 },
      ]);
      same(await repository.find([]), []);
    },
  },
  'blocks: those of published tracks that start at this base, unchanged, by id of the track': {
    async 'blocks are returned unchanged, of published tracks and of one place'({ repository }) {
      const [first, second] = [block(bytes), block(Uint8Array.of(1, 2), '1', 2 ** 21)];
      const mitochondrial = block(Uint8Array.of(9), 'MT');
      const empty = block(new Uint8Array(0));
      await make(repository, track('b', ['s']), [first, second, mitochondrial]);
      await make(repository, track('a', ['t']), [empty]);
      await repository.begin(track('c', ['u']), at(0));
      same(await repository.add('c', [first]), true);
      same(await repository.blocks(['c', 'b', 'none', 'a'], '1', 0), [placed('a', empty), placed('b', first)]);
      same(await repository.blocks(['b', 'a'], '1', 2 ** 21), [placed('b', second)]);
      same(await repository.blocks(['b'], 'MT', 0), [placed('b', mitochondrial)]);
      same(await repository.blocks(['b'], '1', 1), []);
      same(await repository.blocks([], '1', 0), []);
    },
  },
  'add: blocks of a track that was begun; false, and nothing changes, if it was removed or is published': {
    async 'many blocks are added, in portions'({ repository }) {
      await repository.begin(track('a', ['s']), at(0));
      const large = new Uint8Array(300_000).fill(200);
      for (let from = 0; from < 200; from += 100) {
        const part = Array.from({ length: 100 }, (_, i) => block(Uint8Array.of(i, from), '1', (from + i) * 2 ** 21));
        same(await repository.add('a', part), true);
      }
      same(await repository.add('a', [block(large, 'MT')]), true);
      same(await repository.publish('a', 1, []), true);
      same(await repository.blocks(['a'], '1', 150 * 2 ** 21), [
        placed('a', block(Uint8Array.of(50, 100), '1', 150 * 2 ** 21)),
      ]);
      const [found] = await repository.blocks(['a'], 'MT', 0);
      same([found?.content.length, found?.content.every((byte) => byte === 200)], [300_000, true]);
    },
    async 'a published track does not change, nor one that does not exist'({ repository }) {
      await make(repository, track('a', ['s']), [block(bytes)]);
      same(await repository.add('a', [block(bytes, 'MT')]), false);
      same(await repository.publish('a', 9, []), false);
      same(await repository.add('none', [block(bytes)]), false);
      same(await repository.publish('none', 9, ['a']), false);
      same(await ids(repository), ['a']);
      same((await repository.find(['a']))[0]?.bytes, 7);
      same(await repository.blocks(['a'], 'MT', 0), []);
    },
  },
  [publishing]: {
    async 'a track takes the place of others, which must all count'({ repository }) {
      await make(repository, track('a', ['s']), [block(bytes)]);
      await make(repository, track('b', ['t']));
      await make(repository, track('c', ['u']));
      await repository.begin(track('d', ['s', 't']), at(0));
      await repository.begin(track('e', ['x']), at(0));
      same(await repository.publish('d', 1, ['a', 'none']), false);
      same(await repository.publish('d', 1, ['a', 'e']), false);
      same(await repository.publish('d', 1, ['a', 'd']), false);
      same(await ids(repository), ['a', 'b', 'c']);
      same(await repository.publish('d', 1, ['b', 'a', 'b']), true);
      same(await ids(repository), ['c', 'd']);
      same(await repository.blocks(['a'], '1', 0), []);
    },
    async 'of two tracks that replace one, only one does'({ repository, storage }) {
      await make(repository, track('a', ['s']));
      for (const id of ['b', 'c']) await repository.begin(track(id, ['s', id]), at(0));
      const publishing = (id: string) => (scope: StorageScope) =>
        scope.repository(coverageTracks).publish(id, 1, ['a']);
      same(await meet(storage, publishing('b'), () => publishing('c')(storage)), false);
      same(await ids(repository), ['b']);
    },
    async 'a track to which blocks are added while it is published and swept is one or the other, and does not change'({
      repository,
      storage,
      given,
    }) {
      const verbs = {
        add: (one: TrackRepository) => one.add('a', [block(bytes)]),
        publish: (one: TrackRepository) => one.publish('a', 1, []),
        sweep: async (one: TrackRepository) => (await one.sweep(at(9))) > 0,
        remove: async (one: TrackRepository) => (await one.remove(['s'])) === undefined,
        drop: async (one: TrackRepository) => (await one.drop(['a'])) === undefined,
      };
      type Verb = keyof typeof verbs;
      /** What the second one answers, and how many tracks and blocks there are once it is published. */
      const meetings: [first: Verb, second: Verb, answer: boolean, tracks: number, blocks: number, then?: Verb][] = [
        ['publish', 'add', false, 1, 0],
        ['publish', 'sweep', false, 1, 0],
        ['publish', 'publish', false, 1, 0],
        ['publish', 'remove', true, 0, 0],
        ['publish', 'drop', true, 0, 0],
        ['add', 'publish', true, 1, 1],
        ['add', 'remove', true, 0, 0, 'drop'],
        ['drop', 'add', false, 0, 0],
        ['drop', 'publish', false, 0, 0],
      ];
      for (const [first, second, answer, tracks, blocks, then] of meetings) {
        given('first and second', [first, second]);
        await repository.begin(track('a', ['s']), at(0));
        const within = (verb: Verb) => (scope: StorageScope) => verbs[verb](scope.repository(coverageTracks));
        same(await meet(storage, within(first), () => verbs[second](repository), then && within(then)), answer);
        same((await ids(repository)).length, tracks);
        same((await repository.blocks(['a'], '1', 0)).length, blocks);
        await repository.drop(['a']);
        await repository.sweep(at(9));
      }
    },
  },
  'remove: every track, published or not, that has one of these samples': {
    async 'tracks are removed with any of their samples, also before they are published'({ repository, storage }) {
      const before = await storage.rowCounts?.();
      await make(repository, track('a', ['s', 't']), [block(bytes)]);
      await make(repository, track('b', ['u']));
      await repository.begin(track('c', ['v', 't']), at(0));
      await repository.remove(['t', 'nobody']);
      same(await ids(repository), ['b']);
      same(await repository.blocks(['a'], '1', 0), []);
      same(await repository.add('c', [block(bytes)]), false);
      same(await repository.publish('c', 1, []), false);
      await repository.remove([]);
      same(await ids(repository), ['b']);
      // Another track may have the sample afterwards, and none of the former blocks.
      await make(repository, track('d', ['t']));
      same(await repository.blocks(['d'], '1', 0), []);
      await repository.drop(['b', 'd']);
      await repository.sweep(at(9));
      same(await storage.rowCounts?.(), before, 'no row is left');
    },
    async 'tracks and samples that look alike are different ones'({ repository }) {
      await repository.begin(track('not published', []), at(0));
      for (const [i, text] of lookalikes.entries()) {
        same(await repository.add(text, [block(Uint8Array.of(i))]), false, 'not begun yet');
        await make(repository, track(text, [text]), [block(Uint8Array.of(i))]);
        same(await repository.find([text]), [{ ...track(text, [text]), bytes: 7 }]);
        same(await repository.blocks([text], '1', 0), [placed(text, block(Uint8Array.of(i)))]);
      }
      for (const text of imitations) await repository.remove([text]);
      same((await ids(repository)).sort(), [...originals].sort());
      for (const text of imitations) await repository.drop([text]);
      same((await ids(repository)).sort(), [...originals].sort());
      await repository.drop(originals.slice(1));
      same(await ids(repository), originals.slice(0, 1));
    },
  },
  'drop: these tracks, published or not': {
    async 'tracks are dropped by id'({ repository }) {
      await make(repository, track('a', ['s']), [block(bytes)]);
      await make(repository, track('b', ['s']), [block(bytes)]);
      await repository.begin(track('c', ['s']), at(0));
      await repository.drop(['a', 'c', 'none']);
      same(await ids(repository), ['b']);
      same(await repository.publish('c', 1, []), false);
      same((await repository.blocks(['a', 'b'], '1', 0)).length, 1);
    },
  },
  'sweep: tracks that were begun before and are not published; results of the other verbs do not change': {
    async 'a sweep ends old work and changes no result'({ repository }) {
      // More than are freed at once.
      const many = Array.from({ length: 600 }, (_, i) => block(Uint8Array.of(i), '1', i));
      await make(repository, track('gone', ['t']), many);
      await make(repository, track('a', ['s']), [block(bytes)]);
      await repository.begin(track('old', ['u']), at(0));
      await repository.begin(track('new', ['v']), at(5));
      same(await repository.add('new', [block(bytes)]), true);
      await repository.drop(['gone']);
      same(await repository.sweep(at(5)), 600);
      same(await ids(repository), ['a']);
      same((await repository.blocks(['a'], '1', 0)).length, 1);
      same(await repository.publish('old', 1, []), false);
      same(await repository.publish('new', 1, []), true);
      same((await repository.blocks(['new'], '1', 0)).length, 1);
      same(await repository.sweep(at(0)), 0);
    },
  },
  'begin: the track does not count until it is published': {
    async 'nothing of a failed transaction stays'({ repository, storage }) {
      await make(repository, track('a', ['s']), [block(bytes)]);
      await undone(storage, async (scope) => {
        const inside = scope.repository(coverageTracks);
        await make(inside, track('b', ['t']), [block(bytes)]);
        await inside.remove(['s']);
      });
      same(await ids(repository), ['a']);
      same((await repository.blocks(['a', 'b'], '1', 0)).length, 1);
      await make(repository, track('b', ['t']));
    },
  },
});
