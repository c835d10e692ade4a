/**
 * coverage-regions@1 above tables. The regions of a set are kept in blocks: of each chromosome some thousand in the order of the
 * genome, so that millions are a thousand rows, of which a query reads those that overlap its places.
 */
import {
  bytes,
  defineStore,
  defineTable,
  Fault,
  json,
  optional,
  type RowOf,
  short,
  small,
  step,
  type Tables,
  text,
} from '../../../../core/storage.js';
import { type Chromosome, chromosomes, type Place } from '../../intervals/interval.js';
import { RegionColumns } from '../../measure/region.js';
import { checksumOf } from '../../samples/contract.js';
import { isSoundSet, type PublishedSet, StagedSets, setColumns, snapshotOf } from '../staged-sets.js';
import {
  coverageRegions,
  type FoundRegions,
  farthestRegion,
  type RegionKind,
  type RegionLoad,
  type RegionRepository,
  type RegionSet,
  type RegionSetRecord,
  type RegionSetSize,
  type RegionsWanted,
  regionKinds,
} from './contract.js';

interface BlockedSize extends RegionSetSize {
  blocks: number;
}
type StoredRegionSet = RegionSetRecord & BlockedSize;

const sets = defineTable({
  name: 'coverage_regions_sets',
  columns: { ...setColumns, kind: optional(text()), record: optional(json<StoredRegionSet>()) },
  key: ['number'],
  sound: (row) =>
    isSoundSet(row) &&
    (row.state !== 'published' ||
      (regionKinds.includes(row.kind as RegionKind) && typeof row.record?.blocks === 'number')),
});

/** `place` counts from 0 in the order of the genome; `chromosome` is a place in the list of chromosomes. */
const blocks = defineTable({
  name: 'coverage_regions_blocks',
  columns: {
    setId: small(),
    place: small(),
    chromosome: short(),
    start: small(),
    stop: small(),
    checksum: text(),
    content: bytes(),
  },
  key: ['setId', 'place'],
  isIntact: ({ content, checksum }) => checksumOf(content) === checksum,
});

type RegionBlock = RowOf<typeof blocks.columns>;

/** Regions of a block. */
const regionsOfBlock = 2000;
/** Blocks that are written in one transaction, and freed by one statement. */
const blocksAtOnce = 100;

const staged = new StagedSets<RegionSet, RowOf<typeof sets.columns>>({
  table: sets,
  setOf({ name, build, kind, loaded, record }) {
    const { blocks: _, ...rest } = record as StoredRegionSet;
    return { ...rest, name, build, kind, loaded } as RegionSet;
  },
  async free(tables, setId) {
    const first = { order: ['setId', 'place'], limit: 1, without: ['content'], latest: true } as const;
    for (;;) {
      const [next] = await tables.table(blocks).find({ where: { setId }, ...first });
      if (next === undefined) return;
      await tables.table(blocks).remove({ setId, place: { below: next.place + blocksAtOnce } });
    }
  },
  dropped: () => step('coverage.regions.dropped'),
});

async function stage(tables: Tables, setId: number, { regions, signal }: RegionLoad): Promise<BlockedSize> {
  const all = new RegionColumns();
  for await (const batch of regions) {
    for (const region of batch) {
      refuseOddRegion(region);
      all.push(region);
    }
    signal?.throwIfAborted();
  }
  const size = { regions: 0, bases: 0, blocks: 0 };
  const bounds = boundsOf(all);
  let waiting: RegionBlock[] = [];
  const flush = async () => {
    await tables.transaction(async (inside) => {
      await staged.changeStaged(inside, setId, {});
      await inside.table(blocks).append(waiting);
    });
    step('coverage.regions.staged');
    waiting = [];
    signal?.throwIfAborted();
  };
  for (const [chromosome, name] of chromosomes.entries()) {
    const own = bounds.get(name) ?? [];
    size.regions += own.length / 2;
    for (let i = 0; i < own.length; i += 2) size.bases += (own[i + 1] as number) - (own[i] as number);
    for (let from = 0; from < own.length; from += 2 * regionsOfBlock) {
      const part = own.slice(from, from + 2 * regionsOfBlock);
      const [start, stop] = [part[0] as number, part.at(-1) as number];
      const content = packedBounds(part);
      const checksum = checksumOf(content);
      waiting.push({ setId, place: size.blocks++, chromosome, start, stop, checksum, content });
      if (waiting.length === blocksAtOnce) await flush();
    }
  }
  await flush();
  return size;
}

function refuseOddRegion({ chromosome, start, end }: Place): void {
  const isPlace = chromosomes.includes(chromosome) && Number.isSafeInteger(start) && start >= 0;
  if (isPlace && Number.isSafeInteger(end) && end > start && end <= farthestRegion) return;
  throw new Fault('invalid', `A region has at least one base of a chromosome, unlike ${chromosome}:${start}-${end}`);
}

/** Every base of the regions once, as alternating starts and ends by chromosome. */
function boundsOf(regions: RegionColumns): Map<Chromosome, number[]> {
  const bounds = new Map<Chromosome, number[]>();
  for (const { chromosome, start, end } of regions.union()) {
    const own = bounds.get(chromosome as Chromosome);
    if (own === undefined) bounds.set(chromosome as Chromosome, [start, end]);
    else own.push(start, end);
  }
  return bounds;
}

/** Each number as its distance from the one before, in seven bits a byte, the lowest first; the first is left out. */
function packedBounds(bounds: readonly number[]): Uint8Array {
  const content = new Uint8Array(5 * bounds.length);
  let used = 0;
  for (let i = 1; i < bounds.length; i++) {
    let rest = (bounds[i] as number) - (bounds[i - 1] as number);
    for (; rest >= 128; rest >>>= 7) content[used++] = (rest & 127) | 128;
    content[used++] = rest;
  }
  return content.slice(0, used);
}

function unpackedBounds({ start, content }: RegionBlock): number[] {
  const bounds = [start];
  let last = start;
  for (let i = 0; i < content.length; i++) {
    let [code, shift] = [0, 0];
    for (; (content[i] as number) >= 128; i++, shift += 7) code |= ((content[i] as number) & 127) << shift;
    last += code | ((content[i] as number) << shift);
    bounds.push(last);
  }
  return bounds;
}

/** Adds the regions of `bounds` that share a base with one of `wanted`; both ascend. */
function addMeeting(bounds: readonly number[], wanted: readonly number[], to: number[]): void {
  let at = 0;
  for (let i = 0; i < bounds.length; i += 2) {
    const [start, end] = [bounds[i] as number, bounds[i + 1] as number];
    while (at < wanted.length && (wanted[at + 1] as number) <= start) at += 2;
    if (at >= wanted.length) return;
    if ((wanted[at] as number) < end) to.push(start, end);
  }
}

function damaged({ name }: RegionSet): Fault {
  return new Fault('internal', `The stored regions "${name}" are damaged: load them again`);
}

type PublishedRegions = PublishedSet<RegionSet, RowOf<typeof sets.columns>>;

/** The regions of one set; `wanted` are bounds by chromosome. */
async function regionsOf(
  moment: Tables,
  { number: setId, set, row }: PublishedRegions,
  wanted: ReadonlyMap<Chromosome, readonly number[]>,
): Promise<FoundRegions> {
  const order = { order: ['setId', 'place'] } as const;
  const index = await moment.table(blocks).find({ where: { setId }, ...order, without: ['content'] });
  // One that is damaged is left out by the table: without its regions, shares would be too small.
  if (index.length !== row.record?.blocks) throw damaged(set);
  const near = new Map<number, readonly number[]>();
  for (const { place, chromosome, start, stop } of index) {
    const within = windowOf(wanted.get(chromosomes[chromosome] as Chromosome) ?? [], start, stop);
    if (within.length > 0) near.set(place, within);
  }
  const found = new Map<Chromosome, number[]>();
  const asked = [...near.keys()];
  for (let from = 0; from < asked.length; from += blocksAtOnce) {
    const among = asked.slice(from, from + blocksAtOnce);
    const read = await moment.table(blocks).find({ where: { setId, place: { among } }, ...order });
    if (read.length !== among.length) throw damaged(set);
    for (const block of read) {
      if (checksumOf(block.content) !== block.checksum) throw damaged(set);
      const chromosome = chromosomes[block.chromosome] as Chromosome;
      const own = found.get(chromosome) ?? [];
      found.set(chromosome, own);
      addMeeting(unpackedBounds(block), near.get(block.place) ?? [], own);
    }
  }
  const bounds = [...found].filter(([, own]) => own.length > 0);
  return { set, bounds: new Map(bounds.map(([chromosome, own]) => [chromosome, Uint32Array.from(own)])) };
}

/** Those of ascending regions that share a base with [start, stop). */
function windowOf(bounds: readonly number[], start: number, stop: number): readonly number[] {
  const from = firstRegion(bounds, (i) => (bounds[i + 1] as number) > start);
  const to = firstRegion(bounds, (i) => (bounds[i] as number) >= stop);
  return bounds.slice(from, to);
}

/** Where the first region begins of which this is so: it is of all that follow. */
function firstRegion(bounds: readonly number[], isSo: (at: number) => boolean): number {
  let [low, high] = [0, bounds.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(2 * middle)) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}

async function regionsIn(
  moment: Tables,
  published: PublishedRegions[],
  { kind, places }: RegionsWanted,
): Promise<FoundRegions[]> {
  const own = published.filter(({ set }) => set.kind === kind);
  if (own.length === 0) return [];
  const asked = new RegionColumns();
  for (const place of places) asked.push(place);
  const wanted = boundsOf(asked);
  const found: FoundRegions[] = [];
  for (const one of own) found.push(await regionsOf(moment, one, wanted));
  return found;
}

export const store = defineStore<RegionRepository>({
  contract: coverageRegions,
  tables: [sets, blocks],
  steps: { '001-sets-and-blocks': { tables: [sets, blocks] } },
  repository: (tables) => ({
    ...staged.verbs(tables),

    load: (request, now) =>
      staged.replace(
        tables,
        {
          ...request,
          stage: (number) => stage(tables, number, request),
          accept({ regions, bases, blocks: count }, replaces) {
            const { release, source, checksum, skipped } = request.accept({ regions, bases }, replaces);
            const stated = { ...(release !== undefined && { release }), source, checksum, skipped: { ...skipped } };
            return { kind: request.kind, record: { ...stated, regions, bases, blocks: count } };
          },
        },
        now,
      ),

    find: staged.finder({ snapshot: snapshotOf(tables), none: [], read: regionsIn }),
  }),
});
