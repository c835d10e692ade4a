/** Changes of what is published: lines of blocks, and how many of them each source has. */
import { setImmediate } from 'node:timers/promises';
import type { Tables } from '../../../../core/storage.js';
import type { AnnotationSource } from './contract.js';
import { type AlleleLine, isSameLine, proteinsOfLine } from './lines.js';
import { type PackedBlock, packed, unpacked } from './packed.js';
import { digestOf } from './proteins.js';
import { blocks, sources } from './tables.js';

/** Lines of a block, at most, unless more alleles start at one base. */
const mostLines = 2048;
/** Lines that are worth a block of their own, if no other block is there. */
const fewestLines = 256;
/** Blocks that are read at once, and that are kept as lines. */
const [atOnce, mostKept] = [16, 16];

const large = ['proteins', 'names', 'content'] as const;

/** The starts of the blocks that have what starts at these bases, ascending. */
export async function blocksWithin(
  tables: Tables,
  dataset: string,
  contig: number,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const table = tables.table(blocks);
  const on = { dataset, contig };
  const before = await table.one(
    { ...on, first: { atMost: from } },
    { order: ['first'], descending: true, without: large },
  );
  const where = { ...on, first: { above: before?.first ?? from - 1, atMost: to } };
  const others = await table.find({ where, order: ['first'], without: large });
  return [...(before ? [before] : []), ...others].map(({ first }) => first);
}

/** The lines of some blocks of a chromosome, ascending; of many, in portions. Damaged blocks are left out. */
export async function* linesOf(
  tables: Tables,
  dataset: string,
  contig: number,
  firsts: readonly number[],
): AsyncGenerator<{ first: number; lines: readonly AlleleLine[] }> {
  for (let from = 0; from < firsts.length; from += atOnce) {
    const where = { dataset, contig, first: { among: firsts.slice(from, from + atOnce) } };
    const rows = await tables.table(blocks).find({ where, order: ['first'], without: ['proteins'] });
    for (const { first, ...block } of rows) {
      yield { first, lines: unpackedAgain(block) };
      // Unpacking takes long: requests have their turn between two blocks.
      await setImmediate();
    }
  }
}

/** Blocks that were unpacked last, the oldest first: look-ups by gene and by place meet the same ones. */
const last: { block: PackedBlock; lines: readonly AlleleLine[] }[] = [];

function unpackedAgain(block: PackedBlock): readonly AlleleLine[] {
  const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
  const known = last.findIndex(
    (one) => isSame(one.block.content, block.content) && isSame(one.block.names, block.names),
  );
  const [found = { block, lines: unpacked(block) }] = known < 0 ? [] : last.splice(known, 1);
  last.push(found);
  if (last.length > mostKept) last.shift();
  return found.lines;
}

/** What becomes of the line of an allele, given the one that is there; undefined if none is to be there. */
export interface LineChange {
  start: number;
  change(known: AlleleLine | undefined): AlleleLine | undefined;
}

/** By the place of the allele. */
export type LineChanges = Map<string, LineChange>;

/** How many lines of each source came and went. */
export class SourceCounts {
  readonly #counts = new Map<number, number>();

  note(before: AlleleLine | undefined, after: AlleleLine | undefined): void {
    if (before !== undefined) this.add(before.source, -1);
    if (after !== undefined) this.add(after.source, 1);
  }

  add(source: number, by: number): void {
    this.#counts.set(source, (this.#counts.get(source) ?? 0) + by);
  }

  async write(inside: Tables, dataset: string): Promise<void> {
    for (const [number, by] of this.#counts) {
      if (by !== 0) await inside.table(sources).change({ dataset, number }, { alleles: { plus: by } });
    }
    await inside.table(sources).remove({ dataset, alleles: { atMost: 0 } });
  }
}

/** A chromosome of a dataset. */
interface BlocksOf {
  dataset: string;
  contig: number;
}

/** A block with what is told of it. */
export interface BlockRow extends PackedBlock {
  first: number;
  last: number;
  proteins: Uint8Array;
}

/** Packs lines, which are ordered. */
function blockOf(lines: readonly AlleleLine[]): BlockRow {
  const proteins = digestOf(lines.flatMap(proteinsOfLine));
  return { first: lines[0]?.start ?? 0, last: lines.at(-1)?.start ?? 0, proteins, ...packed(lines) };
}

/** Lines as a staged row has them. */
export function stagedBlock(lines: readonly AlleleLine[]): BlockRow & { alleles: number[] } {
  const alleles: number[] = [];
  for (const { source } of lines) alleles[source] = (alleles[source] ?? 0) + 1;
  return { alleles: Array.from(alleles, (count = 0) => count), ...blockOf(lines) };
}

/** Adds a block as it is, with so many lines of each source, if it is worth a row and no other one is where it is; else false. */
export async function addBlock(
  inside: Tables,
  { dataset, contig }: BlocksOf,
  { first, last, proteins, names, content }: BlockRow,
  alleles: readonly number[],
  counts: SourceCounts,
): Promise<boolean> {
  if (alleles.reduce((sum, count) => sum + count, 0) < fewestLines) return false;
  const where = { dataset, contig, first: { atMost: last } };
  const before = await inside.table(blocks).one(where, { order: ['first'], descending: true, without: large });
  if (before !== undefined && before.last >= first) return false;
  await inside.table(blocks).put({ dataset, contig, first, last, proteins, names, content });
  for (const [source, count] of alleles.entries()) counts.add(source, count);
  return true;
}

/** Changes lines of a chromosome, and writes the blocks that are others now. */
export async function changeLines(
  inside: Tables,
  { dataset, contig }: BlocksOf,
  changes: LineChanges,
  counts: SourceCounts,
): Promise<void> {
  const places = [...changes].map(([place, { start, change }]) => ({ start, place, change }));
  if (places.length === 0) return;
  places.sort((one, other) => one.start - other.start);
  const [from, to] = [places[0]?.start ?? 0, places.at(-1)?.start ?? 0];
  const firsts = await blocksWithin(inside, dataset, contig, { from, to });
  const found = linesOf(inside, dataset, contig, firsts);
  let known = await found.next();
  let next = 0;
  // What starts before all blocks comes to the first, and what comes before a damaged one to the block before it.
  do {
    const block = known.done ? { first: undefined, lines: [] } : known.value;
    known = known.done ? known : await found.next();
    const end = known.done ? Number.POSITIVE_INFINITY : known.value.first;
    const lines = new Map(block.lines.map((line) => [line.place, line]));
    let isChanged = false;
    for (; next < places.length && (places[next]?.start ?? 0) < end; next++) {
      const { place, change } = places[next] as (typeof places)[number];
      const before = lines.get(place);
      const after = change(before);
      if (after === before || (after && before && isSameLine(after, before))) continue;
      isChanged = true;
      counts.note(before, after);
      if (after === undefined) lines.delete(place);
      else lines.set(place, after);
    }
    if (!isChanged) continue;
    if (block.first !== undefined) await inside.table(blocks).remove({ dataset, contig, first: block.first });
    for (const piece of piecesOf([...lines.values()])) {
      await inside.table(blocks).put({ dataset, contig, ...blockOf(piece) });
    }
  } while (next < places.length);
}

/** The order in which a block has its lines. */
export function inOrder(lines: readonly AlleleLine[]): AlleleLine[] {
  return [...lines].sort((one, other) => one.start - other.start || (one.place < other.place ? -1 : 1));
}

/** Even pieces of lines, ordered by start; lines of one start are in one piece. */
export function piecesOf(lines: readonly AlleleLine[]): AlleleLine[][] {
  const ordered = inOrder(lines);
  const size = Math.ceil(ordered.length / Math.ceil(ordered.length / mostLines));
  const pieces: AlleleLine[][] = [];
  let last = -1;
  for (const line of ordered) {
    const piece = pieces.at(-1);
    if (piece && (piece.length < size || line.start === last)) piece.push(line);
    else pieces.push([line]);
    last = line.start;
  }
  return pieces;
}

/** The numbers of sources in a dataset; new ones are added. */
export async function numbersOf(
  inside: Tables,
  dataset: string,
  wanted: readonly AnnotationSource[],
  loaded: Date,
): Promise<number[]> {
  const known = await inside.table(sources).find({ where: { dataset }, order: ['number'] });
  const numbers = new Map(known.map(({ number, source }) => [JSON.stringify(source), number]));
  let last = known.at(-1)?.number ?? -1;
  for (const source of wanted) {
    const text = JSON.stringify(source);
    const number = numbers.get(text) ?? ++last;
    numbers.set(text, number);
    await inside.table(sources).put({ dataset, number, source, alleles: 0, loaded }, ['loaded']);
  }
  return wanted.map((source) => numbers.get(JSON.stringify(source)) ?? 0);
}
