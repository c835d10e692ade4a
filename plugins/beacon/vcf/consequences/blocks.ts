/** Changes of what is published: lines of blocks, how many of them each source has, and where the genes are. */
import type { Tables } from '../../../../core/storage.js';
import { type Contig, contigs } from '../../domain/allele.js';
import type { AnnotationSource } from './contract.js';
import { type GeneBucket, GeneDirectory, packedBucket, unpackedBucket, widenedBucket } from './genes.js';
import { annotationOf, packed, placeOfLine, proteinsOfLine, sourceOfLine, startOfLine, unpacked } from './lines.js';
import { digestOf } from './proteins.js';
import { blocks, genes, sources } from './tables.js';

/** Lines of a block, at most, unless more alleles start at one base. */
const mostLines = 512;
/** Blocks that are read at once. */
const atOnce = 64;

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
    { order: ['first'], descending: true, without: ['proteins', 'content'] },
  );
  const where = { ...on, first: { above: before?.first ?? from - 1, atMost: to } };
  const others = await table.find({ where, order: ['first'], without: ['proteins', 'content'] });
  return [...(before ? [before] : []), ...others].map(({ first }) => first);
}

/** The lines of some blocks of a chromosome, ascending; of many, in portions. Damaged blocks are left out. */
export async function* linesOf(
  tables: Tables,
  dataset: string,
  contig: number,
  firsts: readonly number[],
): AsyncGenerator<{ first: number; lines: readonly string[] }> {
  for (let from = 0; from < firsts.length; from += atOnce) {
    const where = { dataset, contig, first: { among: firsts.slice(from, from + atOnce) } };
    const rows = await tables.table(blocks).find({ where, order: ['first'], without: ['proteins'] });
    for (const { first, content } of rows) yield { first, lines: unpacked(content) };
  }
}

/** What becomes of the line at a place, given the one that is there; undefined if none is to be there. */
export type LineChange = (known: string | undefined) => string | undefined;

/** By chromosome, and the place of an allele on it. */
export type LineChanges = Map<number, Map<string, LineChange>>;

export function addChange(changes: LineChanges, contig: number, place: string, change: LineChange): void {
  const own = changes.get(contig);
  if (own) own.set(place, change);
  else changes.set(contig, new Map([[place, change]]));
}

/** What changed in some blocks. */
export class BlockChanges {
  readonly #directory = new GeneDirectory();
  readonly #counts = new Map<number, number>();
  /** Lines that were removed, or have another one in their place. */
  removed = 0;

  note(contig: number, before: string | undefined, after: string | undefined): void {
    if (before !== undefined) this.#count(before, -1);
    if (before !== undefined) this.removed++;
    if (after === undefined) return;
    this.#count(after, 1);
    this.#directory.add(contig, startOfLine(after), annotationOf(contigs[contig] as Contig, after).genes);
  }

  #count(line: string, by: number): void {
    const source = sourceOfLine(line);
    this.#counts.set(source, (this.#counts.get(source) ?? 0) + by);
  }

  /** Writes counts, and the genes of what was added. */
  async write(inside: Tables, dataset: string): Promise<void> {
    for (const [number, by] of this.#counts) {
      if (by !== 0) await inside.table(sources).change({ dataset, number }, { alleles: { plus: by } });
    }
    await inside.table(sources).remove({ dataset, alleles: { atMost: 0 } });
    await widen(inside, dataset, this.#directory);
  }
}

/** Changes lines of a chromosome by the place of their alleles, and writes the blocks that are others now. */
export async function changeLines(
  inside: Tables,
  { dataset, contig }: { dataset: string; contig: number },
  changes: ReadonlyMap<string, LineChange>,
  noted: BlockChanges,
): Promise<void> {
  const places = [...changes].map(([place, change]) => ({ start: startOfLine(place), place, change }));
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
    const lines = new Map(block.lines.map((line) => [placeOfLine(line), line]));
    let isChanged = false;
    for (; next < places.length && (places[next]?.start ?? 0) < end; next++) {
      const { place, change } = places[next] as (typeof places)[number];
      const before = lines.get(place);
      const after = change(before);
      if (after === before) continue;
      isChanged = true;
      noted.note(contig, before, after);
      if (after === undefined) lines.delete(place);
      else lines.set(place, after);
    }
    if (!isChanged) continue;
    if (block.first !== undefined) await inside.table(blocks).remove({ dataset, contig, first: block.first });
    for (const piece of piecesOf([...lines.values()])) {
      const first = startOfLine(piece[0] ?? '');
      const proteins = digestOf(piece.flatMap((line) => proteinsOfLine(contigs[contig] as Contig, line)));
      await inside.table(blocks).put({ dataset, contig, first, proteins, content: packed(piece) });
    }
  } while (next < places.length);
}

/** Even pieces of lines, ordered by start; lines of one start are in one piece. */
function piecesOf(lines: readonly string[]): string[][] {
  const ordered = lines
    .map((line) => ({ line, start: startOfLine(line) }))
    .sort((one, other) => one.start - other.start || (one.line < other.line ? -1 : 1));
  const size = Math.ceil(ordered.length / Math.ceil(ordered.length / mostLines));
  const pieces: string[][] = [];
  let last = -1;
  for (const { line, start } of ordered) {
    const piece = pieces.at(-1);
    if (piece && (piece.length < size || start === last)) piece.push(line);
    else pieces.push([line]);
    last = start;
  }
  return pieces;
}

/** Adds names of genes to those that are known. */
async function widen(inside: Tables, dataset: string, directory: GeneDirectory): Promise<void> {
  const added = directory.byBucket();
  if (added.size === 0) return;
  const rows = await inside.table(genes).find({ where: { dataset, bucket: { among: [...added.keys()] } } });
  const known = new Map(rows.map(({ bucket, content }) => [bucket, unpackedBucket(content)]));
  for (const [bucket, names] of added) {
    const widened: GeneBucket | undefined = widenedBucket(known.get(bucket) ?? {}, names);
    if (widened) await inside.table(genes).put({ dataset, bucket, content: packedBucket(widened) });
  }
}

/** Writes the names of genes anew, from all blocks. */
export async function rewriteGenes(inside: Tables, dataset: string): Promise<void> {
  const directory = new GeneDirectory();
  for await (const { contig, content } of inside.table(blocks).each({ where: { dataset }, without: ['proteins'] })) {
    for (const line of unpacked(content)) {
      directory.add(contig, startOfLine(line), annotationOf(contigs[contig] as Contig, line).genes);
    }
  }
  await inside.table(genes).remove({ dataset });
  await widen(inside, dataset, directory);
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
