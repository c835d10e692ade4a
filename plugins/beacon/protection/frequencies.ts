/**
 * How common alleles are in a reference population: sites of a VCF with AC and AN, such as those of gnomAD or SweGen, read by
 * position with the tabix index of the file.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, inflateRaw } from 'node:zlib';
import { Fault } from '../../../core/plugin.js';
import { type Allele, type Assembly, alleleKey } from '../contract.js';
import { isPlain, kindOfSequence, trimmed } from '../domain/allele-query.js';
import { referenceForm } from '../domain/dataset-forms.js';
import { leftAligned, type ReferenceBases } from '../domain/left-aligned.js';
import type { LoadedReferences } from '../vcf/reference/packed.js';
import type { FrequencyCounts } from './spend.js';

/** Bases before an allele at which a record may begin that writes it with more bases in common. */
const reach = 100;

/** Finds out how common alleles are. */
export interface Frequencies {
  /**
   * How often the commonest of these alleles was counted in the reference of this assembly. Undefined if there is none, or if one of
   * them is not of plain bases: references of single bases do not count those.
   */
  commonest(assembly: Assembly, alleles: readonly Allele[]): Promise<FrequencyCounts | undefined>;
  close(): Promise<void>;
}

type FrequencyFiles = Readonly<Partial<Record<Assembly, readonly string[]>>>;

/**
 * Where a reference is loaded, alleles are found however the files write them. Throws an `invalid` fault if a file or its index
 * cannot be read.
 */
export async function openFrequencies(files: FrequencyFiles, references?: LoadedReferences): Promise<Frequencies> {
  const opened = new Map<Assembly, TabixFile[]>();
  try {
    for (const [assembly, paths] of Object.entries(files) as [Assembly, readonly string[]][]) {
      const own: TabixFile[] = [];
      opened.set(assembly, own);
      for (const path of paths) own.push(await TabixFile.open(path));
    }
  } catch (error) {
    await closeAll();
    throw error;
  }

  async function closeAll(): Promise<void> {
    for (const file of [...opened.values()].flat()) await file.close();
  }

  return {
    async commonest(assembly, alleles) {
      const own = opened.get(assembly);
      if (!own || own.length === 0 || !alleles.every(isCounted)) return undefined;
      let best: FrequencyCounts = { seen: 0, of: 1 };
      for (const allele of alleles) {
        for (const file of own) {
          const counted = await countOf(file, allele, references?.of(assembly));
          if (counted && counted.seen / counted.of > best.seen / best.of) best = counted;
        }
      }
      return best;
    },
    close: closeAll,
  };
}

function isCounted({ structural, reference, alternate }: Allele): boolean {
  return !structural && isPlain(reference) && isPlain(alternate);
}

async function countOf(
  file: TabixFile,
  allele: Allele,
  genome: ReferenceBases | undefined,
): Promise<FrequencyCounts | undefined> {
  const name = contigNameIn(file, allele.contig);
  if (name === undefined) return undefined;
  const own = formOf(allele, genome);
  const written = genome ? [...referenceForm(genome).spellings(own)] : [own];
  const last = written.at(-1)?.start ?? own.start;
  for (const line of await file.lines(name, Math.max(0, own.start - reach), last + 1)) {
    const [, position = '', , reference = '', alternates = '', , , info = ''] = line.split('\t', 9);
    const index = alternates
      .split(',')
      .findIndex((alternate) =>
        isSameAllele(own, Number(position) - 1, reference.toUpperCase(), alternate.toUpperCase(), genome),
      );
    if (index >= 0) return countsInInfo(info, index);
  }
  return undefined;
}

/** Files name contigs with or without `chr`. */
function contigNameIn(file: TabixFile, contig: Allele['contig']): string | undefined {
  const names = [contig, `chr${contig}`, ...(contig === 'MT' ? ['chrM', 'M'] : [])];
  return names.find((name) => file.has(name));
}

function formOf(allele: Allele, genome: ReferenceBases | undefined): Allele {
  return genome ? leftAligned(allele, genome) : trimmed(allele);
}

/** `own` has its one form. */
function isSameAllele(
  own: Allele,
  start: number,
  reference: string,
  alternate: string,
  genome: ReferenceBases | undefined,
): boolean {
  if (!isPlain(reference) || !isPlain(alternate)) return false;
  const kind = kindOfSequence(reference, alternate);
  const written = { ...own, start, end: start + reference.length, reference, alternate, kind };
  return alleleKey(formOf(written, genome)) === alleleKey(own);
}

function countsInInfo(info: string, index: number): FrequencyCounts | undefined {
  const fields = new Map(info.split(';').map((field) => field.split('=', 2) as [string, string]));
  const seen = Number(fields.get('AC')?.split(',')[index]);
  const of = Number(fields.get('AN'));
  return seen >= 0 && of > 0 ? { seen: Math.min(seen, of), of } : undefined;
}

// Opens the reference files when they are first needed, once.

/** Frequencies that are opened by `ready`, or by the first question. Undefined without files. */
export function frequenciesOfFiles(
  files: FrequencyFiles,
  references?: LoadedReferences,
): (Frequencies & { ready(): Promise<void> }) | undefined {
  if (Object.values(files).every((paths) => paths.length === 0)) return undefined;
  let opened: Promise<Frequencies> | undefined;
  const once = () => {
    opened ??= openFrequencies(files, references);
    return opened;
  };
  return {
    ready: async () => {
      await once();
    },
    commonest: async (assembly, alleles) => (await once()).commonest(assembly, alleles),
    close: async () => {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

// Reads lines of a sorted VCF by place: compressed by bgzip, with a `.tbi` index (the Tabix index file format).

const unzip = promisify(gunzip);
const inflate = promisify(inflateRaw);

/** Where the first record is, in virtual offsets, that reaches into each window of a contig; 0 or that of a window before if none does. */
type ContigIndex = readonly bigint[];

/** Windows have 2¹⁴ bases. */
const windowBits = 14;
/** The largest block that BGZF has, compressed or not. */
const largestBlock = 2 ** 16;
/** Uncompressed bytes that a look-up may read before the index counts as damaged. */
const mostRead = 2 ** 26;

export class TabixFile {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #contigs: ReadonlyMap<string, ContigIndex>;

  private constructor(path: string, file: FileHandle, contigs: ReadonlyMap<string, ContigIndex>) {
    this.path = path;
    this.#file = file;
    this.#contigs = contigs;
  }

  /** Throws an `invalid` fault if the file or its index cannot be read. */
  static async open(path: string): Promise<TabixFile> {
    const contigs = await readIndex(`${path}.tbi`);
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw new Fault('invalid', `${path} cannot be read: ${error.code}`);
    });
    return new TabixFile(path, file, contigs);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  has(contig: string): boolean {
    return this.#contigs.has(contig);
  }

  /** The lines whose POS, less one, is at least `start` and below `end`, in their order; none of an unknown contig. */
  async lines(contig: string, start: number, end: number): Promise<string[]> {
    const windows = this.#contigs.get(contig) ?? [];
    const from = windows.slice(start >> windowBits).find((offset) => offset > 0n);
    const found: string[] = [];
    if (from === undefined) return found;
    for await (const line of this.#linesFrom(from)) {
      const [name, position] = line.split('\t', 2);
      const place = Number(position) - 1;
      if (name !== contig || place >= end) break;
      if (place >= start) found.push(line);
    }
    return found;
  }

  /** The lines from a virtual offset on. */
  async *#linesFrom(from: bigint): AsyncGenerator<string> {
    let place = Number(from >> 16n);
    let skipped = Number(from & 0xffffn);
    let rest = '';
    let read = 0;
    for (let block = await this.#block(place); block; block = await this.#block(place)) {
      // A line may continue in the next block.
      const lines = (rest + block.text.toString('latin1', skipped)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      read += block.text.length;
      if (read > mostRead) throw new Fault('internal', `the index of ${this.path} is damaged`);
      place += block.bytes;
      skipped = 0;
    }
    if (rest !== '') yield rest;
  }

  /** The block at an offset in the file; undefined at its end. */
  async #block(offset: number): Promise<{ text: Buffer; bytes: number } | undefined> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(largestBlock), 0, largestBlock, offset);
    if (bytesRead === 0) return undefined;
    const damaged = () => new Fault('internal', `${this.path} is not compressed by bgzip, or damaged`);
    if (bytesRead < 18 || buffer.readUInt32LE(0) !== 0x04088b1f) throw damaged();
    const extra = buffer.readUInt16LE(10);
    let size = 0;
    for (let at = 12; at + 4 <= 12 + extra; at += 4 + buffer.readUInt16LE(at + 2)) {
      if (buffer[at] === 66 && buffer[at + 1] === 67) size = buffer.readUInt16LE(at + 4) + 1;
    }
    if (size === 0 || size > bytesRead) throw damaged();
    const data = buffer.subarray(12 + extra, size - 8);
    const text = await inflate(data, { maxOutputLength: largestBlock }).catch(() => {
      throw damaged();
    });
    return { text, bytes: size };
  }
}

async function readIndex(path: string): Promise<ReadonlyMap<string, ContigIndex>> {
  const bytes = await readFile(path)
    .then((compressed) => unzip(compressed))
    .catch((error: NodeJS.ErrnoException) => {
      throw new Fault('invalid', `${path} cannot be read as the index of a VCF: ${error.code ?? error.message}`);
    });
  try {
    return parsedIndex(bytes);
  } catch {
    throw new Fault('invalid', `${path} is not the index of a VCF; make it with: tabix -p vcf FILE`);
  }
}

function parsedIndex(bytes: Buffer): ReadonlyMap<string, ContigIndex> {
  let at = 0;
  const integer = () => {
    at += 4;
    return bytes.readInt32LE(at - 4);
  };
  const offset = () => {
    at += 8;
    return bytes.readBigUInt64LE(at - 8);
  };
  if (bytes.toString('latin1', 0, 4) !== 'TBI\x01') throw new RangeError('no tabix index');
  at = 4;
  const count = integer();
  const [format, nameColumn, startColumn] = [integer(), integer(), integer()];
  if ((format & 0xffff) !== 2 || nameColumn !== 1 || startColumn !== 2) throw new RangeError('not of a VCF');
  at += 12;
  const length = integer();
  const names = bytes
    .toString('latin1', at, at + length)
    .split('\0')
    .slice(0, count);
  at += length;
  const contigs = new Map<string, ContigIndex>();
  for (const name of names) {
    for (let bins = integer(); bins > 0; bins--) {
      const [, chunks] = [integer(), integer()];
      // Each from and to.
      at += 16 * chunks;
    }
    contigs.set(name, Array.from({ length: integer() }, offset));
  }
  return contigs;
}
