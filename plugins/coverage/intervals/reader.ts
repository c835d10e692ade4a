/**
 * Reading interval files: their lines (plain or gzip, from a file or standard input, in constant memory), the cells that
 * readers parse, and the rows that they collect.
 */
import { createHash, type Hash } from 'node:crypto';
import { basename } from 'node:path';
import { type LineBlock, lineBlocks, openSource, type Source, type Stored, sourceOf } from '../../../core/files.js';
import { accessionNamed } from '../../../core/genome.js';
import {
  type Batch,
  type Build,
  type Chromosome,
  chromosomes,
  type Place,
  type SetKind,
  type Strand,
} from '../contract.js';
import { sizeIn } from '../d4/index.js';

export interface IntervalInput {
  /** The file's name in messages and records, without folders. */
  readonly name: string;
  /**
   * To be read once. Throws an `unprocessable` fault if the file cannot be read, its compressed data are cut short, or a line is
   * not UTF-8 text.
   */
  blocks(): AsyncGenerator<LineBlock>;
  /** The fraction of the stored bytes that was read, 0 to 1; always 0 if the size is unknown. */
  progress(): number;
  /** `sha256:…` of the stored bytes, once all are read. */
  checksum(): string;
  /** Whether the last line ends with a line break, once all are read. */
  endsWithLine(): boolean;
}

/** Opens a file, or standard input for `-`. `name` is its name in messages. */
export async function openIntervals(path: string, name = basename(path)): Promise<IntervalInput> {
  const hash = createHash('sha256');
  return new IntervalLines(await openSource(path, (bytes) => hash.update(bytes), name), hash);
}

/** Reads a stored file, once. `name` is its name in messages. */
export function intervalsOfFile(file: Stored, name: string): IntervalInput {
  const hash = createHash('sha256');
  return new IntervalLines(
    sourceOf(
      name,
      file.size,
      () => file.open(),
      (bytes) => hash.update(bytes),
    ),
    hash,
  );
}

class IntervalLines implements IntervalInput {
  readonly name: string;
  readonly #source: Source;
  readonly #hash: Hash;
  #ended = true;
  #digest: string | undefined;

  /** `hash` takes the stored bytes as they are read. */
  constructor(source: Source, hash: Hash) {
    this.name = source.name;
    this.#source = source;
    this.#hash = hash;
  }

  progress(): number {
    return this.#source.progress();
  }

  checksum(): string {
    this.#digest ??= this.#hash.digest('hex');
    return `sha256:${this.#digest}`;
  }

  endsWithLine(): boolean {
    return this.#ended;
  }

  async *blocks(): AsyncGenerator<LineBlock> {
    for await (const block of lineBlocks(this.#source)) {
      this.#ended = block.isEnded;
      yield block;
    }
  }
}

// What the readers of all kinds of file have in common.

/** Why a valid row is skipped. */
export type SkipReason =
  | 'other sequence' // scaffolds, patches, alternative haplotypes, LRG
  | 'incomplete' // cells that every row needs are missing
  | 'without Ensembl id'
  | 'without Ensembl or RefSeq id'
  | 'another place' // of a RefSeq transcript that was read at its first place on the chromosome
  | 'without rank'
  | 'not approved'; // withdrawn by HGNC

/** Reasons for which many rows of a whole file may be skipped without harm. */
export const expectedSkips: readonly SkipReason[] = ['other sequence', 'not approved'];

/** The rows of a batch while it is filled. */
export type IntervalRows = { [Kind in keyof Batch]-?: Mutable<NonNullable<Batch[Kind]>> };
type Mutable<List> = List extends readonly (infer Row)[] ? Row[] : never;

export interface IntervalReader {
  /** The kinds of set that the file has rows for. */
  readonly kinds: readonly SetKind[];
  /** The kind of the row that was read or skipped last. */
  readonly kind: SetKind;
  /** Reads a line; undefined if it is not a row. Throws a Refusal if the file cannot be of its kind. */
  line(text: string, rows: IntervalRows): SkipReason | 'read' | undefined;
  /** Adds the rows that were held back. */
  finish(rows: IntervalRows): void;
  /** Sentences about the file as a whole, after `finish`. */
  warnings(): string[];
  /** The release, if the file states it. */
  release?(): string | undefined;
}

export function emptyRows(): IntervalRows {
  return { genes: [], transcripts: [], exons: [], names: [] };
}

// Parses the cells of interval files.

/** Why a file cannot be of its kind; the caller adds file and line. */
export class Refusal extends Error {}

const byName = new Map<string, Chromosome>(
  chromosomes.flatMap((name) => [
    [name, name],
    [`chr${name}`, name],
  ]),
);
byName.set('M', 'MT').set('chrM', 'MT');

/**
 * Undefined for other sequences, such as scaffolds and patches. Throws a Refusal for the RefSeq accession of a chromosome of
 * another build.
 */
function chromosomeNamed(name: string, build: Build): Chromosome | undefined {
  const named = byName.get(name) ?? byName.get(name.replace(/^chr/i, '').toUpperCase());
  if (named !== undefined) return named;
  const accession = accessionNamed(name);
  if (accession === undefined) return undefined;
  const { contig, assembly } = accession;
  if (contig !== 'MT' && assembly !== build) {
    throw new Refusal(`${name} is chromosome ${contig} of ${assembly ?? 'another build'}, not of ${build}`);
  }
  return contig;
}

/** The position of a row, whose ends are 1-based inclusive in the file, or why the row is skipped. */
export function placeOfRow(chromosomeName: string, first: string, last: string, build: Build): Place | SkipReason {
  if (chromosomeName === '') return 'incomplete';
  const chromosome = chromosomeNamed(chromosomeName, build);
  if (!chromosome) return 'other sequence';
  if (first === '' || last === '') return 'incomplete';
  const [from, to] = [positive(first, 'the start'), positive(last, 'the end')];
  if (from > to) throw new Refusal(`the start, ${from}, is after the end, ${to}`);
  const size = sizeIn(build, chromosome) ?? 0;
  if (to > size) {
    throw new Refusal(`${chromosome}:${to} is beyond the end of the chromosome in ${build}, ${size}`);
  }
  return { chromosome, start: from - 1, end: to };
}

export function positive(cell: string, what: string): number {
  if (!/^\d{1,10}$/.test(cell) || Number(cell) < 1)
    throw new Refusal(`${what} must be a whole number from 1, not "${cell.slice(0, 40)}"`);
  return Number(cell);
}

export function strandOfCell(cell: string): Strand | undefined {
  // NCBI writes ? for genes whose parts are on both strands.
  if (cell === '' || cell === '.' || cell === '?') return undefined;
  if (cell === '1' || cell === '+') return 1;
  if (cell === '-1' || cell === '-') return -1;
  throw new Refusal(`a strand must be 1 or -1, not "${cell.slice(0, 40)}"`);
}

/** 7436 of `7436`, `HGNC:7436` or `HGNC:HGNC:7436`; undefined for an empty cell. */
export function hgncNumber(cell: string): number | undefined {
  if (cell === '') return undefined;
  const digits = /^(?:HGNC:)*(\d{1,9})$/i.exec(cell)?.[1];
  if (digits === undefined || Number(digits) === 0) throw new Refusal(`"${cell.slice(0, 40)}" is not an HGNC id`);
  return Number(digits);
}
