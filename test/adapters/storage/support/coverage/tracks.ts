/** Histories of coverage-tracks@1. */
import {
  builds,
  type Chromosome,
  coverageTracks,
  type Track,
  type TrackBlock,
  type TrackRepository,
  trackChecksum,
} from '../../../../../plugins/coverage/contract.js';
import type { Random } from '../../../../conformance/core.js';
import { at } from '../../../../conformance/coverage/build.js';
import { anyText, type History, nasty } from '../history.js';

type Step =
  | { verb: 'begin'; track: Track; second: number }
  | { verb: 'add'; id: string; blocks: TrackBlock[] }
  | { verb: 'publish'; id: string; bytes: number; replaced: string[] }
  | { verb: 'remove' | 'drop' | 'find'; ids: string[] }
  | { verb: 'sweep'; second: number };

const onFew: readonly Chromosome[] = ['1', 'MT'];
const starts = [0, 2 ** 21];
const ids = ['A', 'a', ...nasty.slice(2, 6), '\uffee', '\u{10400}'];

function anyBlock(random: Random): TrackBlock {
  const [chromosome, start] = [random.pick(onFew), random.pick(starts)];
  const content = Uint8Array.from(random.list(0, 3, () => random.pick([0, 255, random.int(0, 255)])));
  return { chromosome, start, content, checksum: trackChecksum({ chromosome, start, content }) };
}

function step(random: Random): Step {
  const id = () => random.pick(ids);
  const some = () => random.list(0, 3, id);
  const verb = random.pick([
    ...(['begin', 'begin', 'begin', 'add', 'add', 'publish', 'publish', 'publish'] as const),
    ...(['remove', 'drop', 'find', 'sweep'] as const),
  ]);
  switch (verb) {
    case 'begin': {
      const samples = [...new Set(random.list(0, 4, () => anyText(random)))];
      const members = samples.map((sample) => ({ sample, revision: anyText(random) }));
      const track = { id: id(), build: random.pick(builds), threshold: random.pick([1, 10, 1_000_000]), members };
      return { verb, track, second: random.int(0, 2) };
    }
    case 'add':
      return { verb, id: id(), blocks: random.list(0, 2, () => anyBlock(random)) };
    case 'publish':
      return { verb, id: id(), bytes: random.pick([0, 1, 2 ** 40]), replaced: random.chance(0.5) ? [] : some() };
    case 'sweep':
      return { verb, second: random.int(0, 3) };
    case 'remove':
      return { verb, ids: random.list(0, 2, () => anyText(random)) };
    default:
      return { verb, ids: some() };
  }
}

async function blocksIn(repository: TrackRepository, of: readonly string[]): Promise<unknown> {
  const found: unknown[] = [];
  for (const chromosome of onFew) {
    for (const start of [...starts, 1]) {
      const blocks = await repository.blocks(of, chromosome, start);
      found.push(...blocks.map(({ content, ...rest }) => ({ ...rest, content: [...content] })));
    }
  }
  return found;
}

export const trackHistories: History<TrackRepository, Step> = {
  contract: coverageTracks,
  steps: (random) => random.list(8, 24, () => step(random)),
  transactions: true,
  async perform(repository, given, notes) {
    switch (given.verb) {
      case 'begin': {
        // No track has an id that one ever had.
        const { id } = given.track;
        if (notes.has(id)) return 'used';
        notes.set(id, new Set());
        return repository.begin(given.track, at(given.second));
      }
      case 'add': {
        // No place has two blocks.
        const known = (notes.get(given.id) ?? new Set()) as Set<string>;
        const isNew = ({ chromosome, start }: TrackBlock) => known.size < known.add(`${chromosome} ${start}`).size;
        return repository.add(given.id, given.blocks.filter(isNew));
      }
      case 'publish':
        return repository.publish(given.id, given.bytes, given.replaced);
      case 'find':
        return [await repository.find(given.ids), await blocksIn(repository, given.ids)];
      case 'remove':
        return repository.remove(given.ids);
      case 'drop':
        return repository.drop(given.ids);
      case 'sweep':
        // SQL frees more at once: replaced tracks leave their blocks to it.
        await repository.sweep(at(given.second));
        return undefined;
    }
  },
  async all(repository) {
    return [await repository.published(), await repository.find(ids), await blocksIn(repository, ids)];
  },
};
