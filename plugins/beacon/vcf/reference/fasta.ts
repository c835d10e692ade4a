/** Reads reference sequences from a FASTA file, packs them, and compares them with the known ones of their assembly. */
import { createHash, type Hash } from 'node:crypto';
import type { Source } from '../../../../core/files.js';
import { accessionNamed, contigNamed, lengthOf, pseudoautosomal, refgetOf } from '../../../../core/genome.js';
import { Fault } from '../../../../core/plugin.js';
import { type Assembly, assemblies, type Contig, contigs } from '../../domain/allele.js';
import { type Exception, encodedIndex, type PackedIndex, type PackedSequence } from './packed.js';

interface FastaRequest {
  source: Source;
  assembly: Assembly;
  /** Takes sequences that are not those of the assembly, too. */
  force: boolean;
  /** Takes bytes of the packed file; resolves once there is room for more. */
  write(bytes: Buffer): Promise<void>;
  signal: AbortSignal;
  /** With the number of bases so far. */
  onProgress?(bases: number): void;
}

export interface PackedFasta extends PackedIndex {
  /** What differs from the known sequences, and what was left out, as sentences. */
  remarks: readonly string[];
}

/** By byte of a FASTA file: 0 to 3 for A, C, G and T, 4 for another IUPAC code, 5 for a blank, 6 for anything else. */
const codes = new Uint8Array(256).fill(6);
for (const [code, letters] of ['A', 'C', 'G', 'TU', 'NRYSWKMBDHV', ' \r\t'].entries()) {
  for (const letter of letters + letters.toLowerCase()) codes[letter.charCodeAt(0)] = code;
}

/** More than the codes of any genome; the known ones have some hundreds. */
const mostExceptions = 100_000;
/** Bytes of a heading beyond which the file is something else. */
const longestHeading = 100_000;
const [lineFeed, heading, upperCase] = [10, 62, 0xdf];

/**
 * Packs the sequences of the chromosomes, and writes the index behind them. Throws an `unprocessable` fault if the file is no FASTA,
 * lacks every chromosome, has one twice, or has one that is not that of the assembly, unless that is forced.
 */
export async function packFasta(request: FastaRequest): Promise<PackedFasta> {
  const { source, assembly, signal, onProgress } = request;
  const packer = new Packer(request);
  let line = 1;
  let headingText: string | undefined;
  let isLineStart = true;
  for await (const chunk of source.chunks()) {
    signal.throwIfAborted();
    for (let at = 0; at < chunk.length; ) {
      const next = chunk.indexOf(lineFeed, at);
      const end = next < 0 ? chunk.length : next;
      if (isLineStart && chunk[at] === heading) headingText = '';
      if (headingText === undefined) packer.add(chunk.subarray(at, end), line);
      else headingText += chunk.toString('latin1', at, end);
      if (headingText !== undefined && headingText.length > longestHeading) throw notFasta(source, line);
      isLineStart = next >= 0;
      if (next >= 0) {
        if (headingText !== undefined) await packer.begin(headingText.slice(1).trim(), line);
        headingText = undefined;
        line++;
      }
      at = end + 1;
    }
    await packer.flush();
    onProgress?.(packer.bases);
  }
  await packer.finish();
  const { sequences, remarks } = packer;
  if (sequences.length === 0) throw new Fault('unprocessable', `${source.name}: there is no chromosome in this file`);
  const missing = contigs.filter((contig) => !sequences.some((one) => one.contig === contig));
  if (missing.length > 0)
    remarks.push(`there is no sequence of ${missing.join(', ')}: alleles there stay as they are written`);
  const index = { assembly, digest: digestOf(sequences), sequences };
  await request.write(encodedIndex(index));
  return { ...index, remarks };
}

/** Independent of the order of the sequences in the file. */
function digestOf(sequences: readonly PackedSequence[]): string {
  const order = (one: PackedSequence) => contigs.indexOf(one.contig);
  const sorted = [...sequences].sort((one, other) => order(one) - order(other));
  return truncated(createHash('sha512').update(sorted.map(({ contig, refget }) => `${contig} ${refget}\n`).join('')));
}

/** GA4GH sha512t24u. */
function truncated(hash: Hash): string {
  return hash.digest().subarray(0, 24).toString('base64url');
}

function notFasta({ name }: Source, line: number): Fault {
  return new Fault('unprocessable', `${name}, line ${line}: this is not a FASTA file`);
}

/** The sequence that is being read. */
interface OpenSequence {
  contig: Contig;
  name: string;
  length: number;
  offset: number;
  md5: Hash;
  sha512: Hash;
  exceptions: [start: number, end: number, code: string][];
}

class Packer {
  readonly sequences: PackedSequence[] = [];
  readonly remarks: string[] = [];
  /** Bases of all sequences so far, of those that are left out, too. */
  bases = 0;
  readonly #request: FastaRequest;
  #open: OpenSequence | undefined;
  #isBegun = false;
  /** Bytes that were written. */
  #written = 0;
  #packed = Buffer.alloc(2 ** 16);
  #filled = 0;
  /** The bases of the last byte, and how many they are. */
  #byte = 0;
  #inByte = 0;
  #skipped = 0;

  constructor(request: FastaRequest) {
    this.#request = request;
  }

  /** Begins the sequence of a heading, without its sign. */
  async begin(text: string, line: number): Promise<void> {
    await this.#end();
    this.#isBegun = true;
    const name = text.split(/\s/, 1)[0] ?? '';
    const contig = this.#contigOf(name, line);
    if (contig === undefined) {
      this.#skipped++;
      return;
    }
    if (this.sequences.some((one) => one.contig === contig)) {
      throw this.#fault(line, `chromosome ${contig} is there twice`);
    }
    const hashes = { md5: createHash('md5'), sha512: createHash('sha512') };
    this.#open = { contig, name, length: 0, offset: this.#written + this.#filled, ...hashes, exceptions: [] };
  }

  /** Takes a part of a line. */
  add(part: Buffer, line: number): void {
    if (!this.#isBegun && part.some((byte) => codes[byte] !== 5)) throw notFasta(this.#request.source, line);
    const open = this.#open;
    if (open === undefined) {
      this.bases += part.length;
      return;
    }
    this.#reserve(part.length);
    const upper = Buffer.allocUnsafe(part.length);
    const packed = this.#packed;
    let [filled, byte, inByte, taken] = [this.#filled, this.#byte, this.#inByte, 0];
    for (let i = 0; i < part.length; i++) {
      const letter = part[i] as number;
      const code = codes[letter] as number;
      if (code >= 4) {
        if (code === 5) continue;
        if (code === 6) throw this.#fault(line, `"${String.fromCharCode(letter)}" is no base`);
        this.#except(open, open.length + taken, String.fromCharCode(letter & upperCase), line);
      }
      // U of RNA is T.
      upper[taken++] = code === 3 ? 84 : letter & upperCase;
      byte = (byte << 2) | (code & 3);
      if (++inByte < 4) continue;
      packed[filled++] = byte;
      [byte, inByte] = [0, 0];
    }
    [this.#filled, this.#byte, this.#inByte] = [filled, byte, inByte];
    const bases = upper.subarray(0, taken);
    open.md5.update(bases);
    open.sha512.update(bases);
    open.length += taken;
    this.bases += taken;
  }

  /** Writes what is packed. */
  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    const bytes = this.#packed.subarray(0, this.#filled);
    this.#packed = Buffer.alloc(2 ** 16);
    this.#written += this.#filled;
    this.#filled = 0;
    await this.#request.write(bytes);
  }

  async finish(): Promise<void> {
    await this.#end();
    await this.flush();
    if (this.#skipped > 0) this.remarks.push(`${this.#skipped} other sequences were left out`);
  }

  #reserve(bases: number): void {
    const needed = this.#filled + Math.ceil(bases / 4) + 2;
    if (needed <= this.#packed.length) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * this.#packed.length));
    this.#packed.copy(larger, 0, 0, this.#filled);
    this.#packed = larger;
  }

  #except({ exceptions }: OpenSequence, at: number, code: string, line: number): void {
    const last = exceptions.at(-1);
    if (last && last[1] === at && last[2] === code) last[1] = at + 1;
    else exceptions.push([at, at + 1, code]);
    if (exceptions.length > mostExceptions) throw this.#fault(line, `there are too many codes that are no bases`);
  }

  async #end(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    if (this.#inByte > 0) {
      this.#reserve(4);
      this.#packed[this.#filled++] = this.#byte << (2 * (4 - this.#inByte));
      [this.#byte, this.#inByte] = [0, 0];
    }
    const { contig, length, offset, exceptions } = open;
    const digests = { md5: open.md5.digest('hex'), refget: `SQ.${truncated(open.sha512)}` };
    const sequence = { contig, length, offset, ...digests, exceptions };
    const { assembly, source, force } = this.#request;
    await this.flush();
    const { remark, isOther = false, isLeftOut = false } = differenceOf(assembly, sequence);
    if (isOther && !force) {
      throw new Fault('unprocessable', `${source.name}: ${remark}; with --force it is taken all the same`);
    }
    if (remark !== undefined) this.remarks.push(remark);
    if (!isLeftOut) this.sequences.push(sequence);
  }

  #contigOf(name: string, line: number): Contig | undefined {
    const accession = accessionNamed(name);
    const { assembly } = this.#request;
    if (accession?.assembly && accession.assembly !== assembly) {
      throw this.#fault(line, `${name} is of ${accession.assembly}, not of ${assembly}`);
    }
    return contigNamed(name) ?? accession?.contig;
  }

  #fault(line: number, reason: string): Fault {
    return new Fault('unprocessable', `${this.#request.source.name}, line ${line}: ${reason}`);
  }
}

// Which sequences are those of an assembly.

interface SequenceDifference {
  /** A sentence; undefined if the sequence is that of the assembly. */
  remark?: string;
  /** Whether it may be of another assembly, or damaged. */
  isOther?: boolean;
  isLeftOut?: boolean;
}

/** The mitochondrial sequence of UCSC's hg19, NC_001807, whose positions are not those of NC_012920. */
const lengthOfOldMitochondrion = 16571;

/** Copies that differ from the sequence of the assembly and are in use, by their MD5. */
const knownCopies: Readonly<Record<string, string>> = {
  '641e4338fa8d52a5b781bd2a2c08d3c3':
    'chromosome 3 is that of hg19 by UCSC, which has N for three bases that GRCh37 states in part',
};

const grouped = (number: number): string => number.toLocaleString('en');

function differenceOf(
  assembly: Assembly,
  { contig, length, md5, refget, exceptions }: PackedSequence,
): SequenceDifference {
  const wanted = lengthOf(assembly, contig);
  if (contig === 'MT' && length === lengthOfOldMitochondrion) {
    const remark = `MT was left out: it has ${grouped(length)} bases, the older sequence of hg19 (NC_001807), and not NC_012920`;
    return { remark, isLeftOut: true };
  }
  if (length !== wanted) {
    const other = assemblies.find((one) => lengthOf(one, contig) === length);
    const as = other === undefined ? '' : `, as in ${other}`;
    const remark = `chromosome ${contig} has ${grouped(length)} bases${as}; that of ${assembly} has ${grouped(wanted)}`;
    return { remark, isOther: true };
  }
  const known = refgetOf(assembly, contig);
  if (refget === known) return {};
  if (contig === 'Y' && isMasked(assembly, exceptions)) {
    return { remark: 'chromosome Y has N in its pseudo-autosomal regions: alleles there stay as they are written' };
  }
  const copy = knownCopies[md5];
  if (copy !== undefined) return { remark: copy };
  const remark = `chromosome ${contig} has as many bases as that of ${assembly}, but not the same: ${refget} instead of ${known}`;
  return { remark, isOther: true };
}

/** Whether the pseudo-autosomal regions of Y are N, as in the sequences to which reads are aligned. */
function isMasked(assembly: Assembly, exceptions: readonly Exception[]): boolean {
  return pseudoautosomal[assembly]
    .filter(({ chromosome }) => chromosome === 'Y')
    .every(({ start, end }) => exceptions.some(([from, to, code]) => code === 'N' && from <= start && to >= end));
}
