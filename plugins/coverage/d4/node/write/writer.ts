/** Writes one track: the primary table, the secondary table and their headers. */
import { D4Error } from '../../error.js';
import { type D4Chromosome, type Dictionary, dictionaryJson } from '../../metadata.js';
import type { RunBatch } from '../../profile.js';
import { primaryBytes } from '../../track.js';
import {
  directory,
  directoryBytes,
  fileHeader,
  headerFrame,
  type NewEntry,
  Output,
  PrimaryWriter,
  RecordWriter,
  rootAt,
} from './encode.js';
import { ChromosomeOrder, RunFeed } from './input.js';

export interface WriterOptions {
  chromosomes: readonly D4Chromosome[];
  dictionary: Dictionary;
  /** Factor from depths to stored integers. */
  denominator: number;
  /** Rounds depths that the denominator does not make whole, which are refused otherwise. */
  round?: boolean | undefined;
  /** Level of deflate for the secondary table; if omitted, no compression. */
  deflate?: number | undefined;
}

/** Bases per partition of the secondary table, as in d4tools; a multiple of 8. */
const partitionBases = 10_000_000;

interface NewPartition extends NewEntry {
  chromosome: number;
  begin: number;
  end: number;
}

/**
 * Writes a single-track file from runs, in one pass and constant memory. All headers and directories come first, then the primary table,
 * then the records, partition after partition: a remote reader opens the file with one request and reads a region with two
 * ranges. The extent of the secondary directory includes the primary table, which no reader minds.
 */
export class D4Writer {
  readonly #options: WriterOptions;
  readonly #output: Output;
  readonly #primary: PrimaryWriter;
  readonly #records: RecordWriter;
  readonly #codeOf: (value: number) => number | undefined;
  readonly #partitions: readonly NewPartition[];
  /** By the index of the chromosome. */
  readonly #ofChromosome: readonly NewPartition[][];
  readonly #layout: FileLayout;
  readonly #order = new ChromosomeOrder();
  readonly #ordinals: ReadonlyMap<string, number>;
  readonly #written = new Set<number>();
  #feed: RunFeed | undefined;
  #chromosome = -1;
  #queue: NewPartition[] = [];

  constructor(path: string, options: WriterOptions) {
    this.#options = options;
    const { chromosomes, dictionary: dict } = options;
    this.#ordinals = new Map(chromosomes.map(({ name }, ordinal) => [name, ordinal]));
    let count = 0;
    this.#ofChromosome = chromosomes.map(({ size }, chromosome) => {
      return Array.from({ length: Math.ceil(size / partitionBases) }, (_, i): NewPartition => {
        const begin = i * partitionBases;
        const end = Math.min(begin + partitionBases, size);
        return { name: String(count++), kind: 'stream', at: 0, size: 0, chromosome, begin, end };
      });
    });
    this.#partitions = this.#ofChromosome.flat();
    this.#layout = layOut(options, this.#partitions);
    this.#output = new Output(path);
    this.#output.skipTo(this.#layout.recordsAt);
    this.#primary = new PrimaryWriter(this.#output, dict.width);
    this.#records = new RecordWriter(this.#output, options.deflate);
    this.#codeOf = codeLookup(dict);
  }

  /** Adds runs, which ascend and are contiguous for each chromosome. Bases without a run have depth 0. */
  add(batch: RunBatch): void {
    if (this.#order.begins(batch.chromosome) || !this.#feed) {
      this.#end();
      const ordinal = this.#ordinals.get(batch.chromosome);
      if (ordinal === undefined)
        throw new D4Error('unknown-chromosome', 'This chromosome is not in the list', batch.chromosome);
      this.#begin(ordinal);
    }
    const { size } = this.#options.chromosomes[this.#chromosome] as D4Chromosome;
    const end = batch.ends[batch.ends.length - 1] ?? 0;
    if (end > size) throw new D4Error('invalid', `A run ends at ${end}, after the chromosome's end`, batch.chromosome);
    this.#feed?.add(batch);
  }

  /** Completes the file and renames it to its name. */
  finish(): void {
    this.#end();
    this.#options.chromosomes.forEach((_, ordinal) => {
      if (this.#written.has(ordinal)) return;
      this.#begin(ordinal);
      this.#end();
    });
    this.#output.flush();
    for (const [at, bytes] of headBytes(this.#partitions, this.#layout, this.#output.position)) {
      this.#output.patch(at, bytes);
    }
    this.#output.commit();
  }

  /** Removes everything that was written. */
  abandon(): void {
    this.#output.abandon();
  }

  #begin(ordinal: number): void {
    const { name } = this.#options.chromosomes[ordinal] as D4Chromosome;
    this.#chromosome = ordinal;
    this.#written.add(ordinal);
    this.#queue = [...(this.#ofChromosome[ordinal] ?? [])];
    this.#primary.begin(this.#layout.chromosomeAt[ordinal] as number);
    this.#feed = new RunFeed(name, (begin, end, depth) => this.#run(begin, end, depth));
  }

  #end(): void {
    if (!this.#feed) return;
    this.#feed.finish(this.#options.chromosomes[this.#chromosome]?.size ?? 0);
    this.#primary.finish();
    while (this.#queue.length > 0) this.#endPartition();
    this.#feed = undefined;
  }

  #run(begin: number, end: number, depth: number): void {
    const { denominator, round, chromosomes } = this.#options;
    const exact = depth * denominator;
    const value = Math.round(exact);
    const fits = (value | 0) === value;
    if (!fits || (!round && exact !== value && !isWhole(exact))) {
      const reason = fits
        ? `times the denominator ${denominator} is not whole: round it, or give round`
        : 'does not fit 32 bits';
      const place = `${chromosomes[this.#chromosome]?.name}:${begin}-${end}`;
      throw new D4Error('invalid', `The depth ${depth} ${reason}`, place);
    }
    const { mask } = this.#options.dictionary;
    const code = this.#codeOf(value);
    this.#primary.add(code ?? mask, end - begin);
    let from = begin;
    while (from < end) {
      const partition = this.#queue[0] as NewPartition;
      const to = Math.min(end, partition.end);
      if (code === undefined) this.#records.add(from, to, value);
      if (to === partition.end) this.#endPartition();
      from = to;
    }
  }

  #endPartition(): void {
    Object.assign(this.#queue.shift() as NewPartition, this.#records.finish());
  }
}

/** Whether the product of a depth and a denominator is whole, apart from the rounding of numbers. */
export function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) <= Math.abs(value) * 2 ** -50;
}

/** Returns the code of a value, if it has one. */
function codeLookup({ low, mask, values }: Dictionary): (value: number) => number | undefined {
  if (low !== undefined) return (value) => (value >= low && value - low <= mask ? value - low : undefined);
  // The fallback goes last, so that it is the mask also when a dictionary lists a value twice.
  const codes = new Map(Array.from(values, (value, code) => [value, code]));
  return (value) => codes.get(value);
}

/** The offsets of everything whose size is known beforehand. */
interface FileLayout {
  metadataAt: number;
  metadata: Uint8Array;
  secondaryAt: number;
  secondaryMetadataAt: number;
  secondaryMetadata: Uint8Array;
  primaryAt: number;
  chromosomeAt: number[];
  recordsAt: number;
}

const rootNames = ['.metadata', '.ptab', '.stab'];

function layOut(options: WriterOptions, partitions: readonly NewPartition[]): FileLayout {
  const { chromosomes, dictionary: dict, denominator, deflate } = options;
  const metadata = headerFrame({
    chrom_list: chromosomes.map(({ name, size }) => ({ name, size })),
    dictionary: dictionaryJson(dict),
    denominator: denominator === 1 ? 'One' : { Value: denominator },
  });
  const secondaryMetadata = headerFrame({
    format: 'SimpleKV',
    record_format: 'range',
    partitions: partitions.map(({ chromosome, begin, end }) => [chromosomes[chromosome]?.name, begin, end]),
    compression: deflate === undefined ? 'NoCompression' : { Deflate: deflate },
  });
  const metadataAt = rootAt + directoryBytes(rootNames);
  const secondaryAt = metadataAt + metadata.length;
  const secondaryMetadataAt = secondaryAt + directoryBytes(['.metadata', ...partitions.map(({ name }) => name)]);
  const primaryAt = secondaryMetadataAt + secondaryMetadata.length;
  let recordsAt = primaryAt;
  const chromosomeAt = chromosomes.map(({ size }) => {
    const at = recordsAt;
    recordsAt += primaryBytes(size, dict.width);
    return at;
  });
  return {
    metadataAt,
    metadata,
    secondaryAt,
    secondaryMetadataAt,
    secondaryMetadata,
    primaryAt,
    chromosomeAt,
    recordsAt,
  };
}

/** Everything before the primary table, with its places. */
function headBytes(
  partitions: readonly NewPartition[],
  layout: FileLayout,
  end: number,
): [at: number, bytes: Uint8Array][] {
  const { metadataAt, metadata, secondaryAt, secondaryMetadataAt, secondaryMetadata, primaryAt, recordsAt } = layout;
  const root = directory(rootAt, [
    { name: '.metadata', kind: 'stream', at: metadataAt, size: metadata.length },
    { name: '.ptab', kind: 'blob', at: primaryAt, size: recordsAt - primaryAt },
    { name: '.stab', kind: 'directory', at: secondaryAt, size: end - secondaryAt },
  ]);
  const secondary = directory(secondaryAt, [
    { name: '.metadata', kind: 'stream', at: secondaryMetadataAt, size: secondaryMetadata.length },
    ...partitions,
  ]);
  return [
    [0, fileHeader],
    [rootAt, root],
    [metadataAt, metadata],
    [secondaryAt, secondary],
    [secondaryMetadataAt, secondaryMetadata],
  ];
}
