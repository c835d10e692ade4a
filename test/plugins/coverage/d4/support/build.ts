/**
 * Builds D4 files in memory from the description of the format, without the library's writer: in the layout of the
 * reference implementation (scattered frames that double in size, records across frames) and in unusual but valid ones.
 */
import { deflateRawSync } from 'node:zlib';

export interface BuildTrack {
  chromosomes: { name: string; size: number; depths: ArrayLike<number> }[];
  /** Values of the codes; as SimpleRange if `simple`. */
  values: number[];
  simple: boolean;
  denominator?: unknown;
  /** Ends of the partitions inside each chromosome; the chromosome's end is added. */
  cuts: number[][];
  deflate: boolean;
  /** Size of a stream's first frame; later ones double from twice that. */
  firstFrame: number;
  frameIndex?: 'bool-first' | 'declared' | undefined;
}

const link = 16;

class Bytes {
  data = Buffer.alloc(1 << 16);
  length = 0;

  allocate(size: number): number {
    const at = this.length;
    this.length += size;
    while (this.data.length < this.length) this.data = Buffer.concat([this.data, Buffer.alloc(this.data.length)]);
    return at;
  }

  append(bytes: Uint8Array): number {
    const at = this.allocate(bytes.length);
    this.data.set(bytes, at);
    return at;
  }

  link(at: number, next: number, size: number): void {
    this.data.writeBigInt64LE(BigInt(next - at), at);
    this.data.writeBigUInt64LE(BigInt(size), at + 8);
  }
}

/** A stream that grows frame by frame, each new one at the end of the file. */
class Stream {
  readonly at: number;
  readonly size: number;
  readonly frames: { at: number; size: number }[] = [];
  #next: number;
  #left: number;
  readonly #bytes: Bytes;

  constructor(bytes: Bytes, firstSize: number) {
    this.#bytes = bytes;
    this.size = firstSize;
    this.at = bytes.allocate(firstSize);
    this.frames.push({ at: this.at, size: firstSize });
    this.#next = this.at + link;
    this.#left = firstSize - link;
  }

  frame(size: number): void {
    const last = this.frames.at(-1) as { at: number; size: number };
    const at = this.#bytes.allocate(size);
    this.#bytes.link(last.at, at, size);
    this.frames.push({ at, size });
    this.#next = at + link;
    this.#left = size - link;
  }

  /** Writes into the frames; `lastSize` truncates the last frame. */
  write(content: Uint8Array): void {
    let rest = content;
    while (rest.length > 0) {
      if (this.#left === 0) {
        const doubled = Math.min((this.frames.at(-1) as { size: number }).size * 2, 2 ** 21);
        this.frame(Math.min(doubled, link + rest.length));
      }
      const piece = rest.subarray(0, this.#left);
      this.#bytes.data.set(piece, this.#next);
      this.#next += piece.length;
      this.#left -= piece.length;
      rest = rest.subarray(piece.length);
    }
  }
}

class Directory {
  readonly at: number;
  readonly #stream: Stream;

  constructor(bytes: Bytes) {
    this.#stream = new Stream(bytes, 512);
    this.at = this.#stream.at;
  }

  add(name: string, kind: 0 | 1 | 2, at: number, size: number): void {
    const fixed = Buffer.alloc(18);
    fixed[0] = 1;
    fixed[1] = kind;
    fixed.writeBigUInt64LE(BigInt(at - this.at), 2);
    fixed.writeBigUInt64LE(BigInt(size), 10);
    this.#stream.write(Buffer.concat([fixed, Buffer.from(`${name}\0`)]));
  }
}

interface Rec {
  begin: number;
  end: number;
  value: number;
}

/** Records of a run, by the rule: depths that the dictionary lacks, split at 65,536 bases. */
function recordsOf(depths: ArrayLike<number>, begin: number, end: number, track: BuildTrack): Rec[] {
  const fallback = track.values.at(-1);
  const known = new Set(track.values);
  const found: Rec[] = [];
  for (let i = begin; i < end; i++) {
    const value = depths[i] as number;
    if (known.has(value) || value === fallback) continue;
    const last = found.at(-1);
    if (last && last.end === i && last.value === value && i - last.begin < 65_536) last.end++;
    else found.push({ begin: i, end: i + 1, value });
  }
  return found;
}

function pack(records: readonly Rec[]): Buffer {
  const bytes = Buffer.alloc(records.length * 10);
  records.forEach(({ begin, end, value }, i) => {
    bytes.writeUInt32LE(begin + 1, i * 10);
    bytes.writeUInt16LE(end - begin - 1, i * 10 + 4);
    bytes.writeInt32LE(value, i * 10 + 6);
  });
  return bytes;
}

function deflatedFrame(records: readonly Rec[], isFirst: boolean): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt32LE(records[0]?.begin ?? 0, 0);
  header.writeUInt32LE(records.at(-1)?.end ?? 0, 4);
  header.writeUInt32LE(records.length, 8);
  return Buffer.concat([...(isFirst ? [Buffer.alloc(1)] : []), header, deflateRawSync(pack(records), { level: 5 })]);
}

function primary({ chromosomes, values }: BuildTrack): Buffer {
  const width = Math.log2(values.length);
  const codes = new Map([...values.entries()].map(([code, value]) => [value, code]));
  return Buffer.concat(
    chromosomes.map(({ size, depths }) => {
      const bytes = Buffer.alloc(Math.ceil((size * width) / 8));
      for (let i = 0; i < size; i++) {
        const code = codes.get(depths[i] as number) ?? values.length - 1;
        for (let bit = 0; bit < width; bit++) {
          const at = i * width + bit;
          if ((code >> bit) & 1) bytes[at >> 3] = (bytes[at >> 3] as number) | (1 << (at & 7));
        }
      }
      return bytes;
    }),
  );
}

/** Writes a track into an existing directory. */
function addTrack(bytes: Bytes, root: Directory, track: BuildTrack): void {
  const { chromosomes, values, simple, cuts, deflate, firstFrame } = track;
  const low = values[0] as number;
  const metadata = new Stream(bytes, 512);
  const list = chromosomes.map(({ name, size }) => ({ name, size }));
  const dictionary = simple ? { SimpleRange: { low, high: low + values.length } } : { Dictionary: { i2v_map: values } };
  metadata.write(
    Buffer.from(JSON.stringify({ chrom_list: list, dictionary, denominator: track.denominator ?? 'One' })),
  );
  root.add('.metadata', 0, metadata.at, 512);
  const table = primary(track);
  root.add('.ptab', 2, bytes.append(table), table.length);

  const stab = new Directory(bytes);
  const partitions = chromosomes.flatMap(({ name, size }, c) => {
    const edges = [0, ...(cuts[c] ?? []), size];
    return edges.slice(1).map((end, i) => ({ name, chromosome: c, begin: edges[i] as number, end }));
  });
  const header = new Stream(bytes, 512);
  header.write(
    Buffer.from(
      JSON.stringify({
        format: 'SimpleKV',
        record_format: 'range',
        partitions: partitions.map(({ name, begin, end }) => [name, begin, end]),
        compression: deflate ? { Deflate: 5 } : 'NoCompression',
      }),
    ),
  );
  stab.add('.metadata', 0, header.at, 512);
  const records = partitions.map(({ chromosome, begin, end }) =>
    recordsOf(chromosomes[chromosome]?.depths ?? [], begin, end, track),
  );
  // All first frames exist before the first record is written.
  const plain = deflate ? [] : partitions.map(() => new Stream(bytes, firstFrame));
  const streams = partitions.map((_, i) => {
    const own = records[i] as Rec[];
    if (!deflate) {
      (plain[i] as Stream).write(pack(own));
      return { stream: plain[i] as Stream, parts: undefined };
    }
    const parts = [own.slice(0, 49)];
    for (let from = 49; from < own.length; from += 100) parts.push(own.slice(from, from + 100));
    const payloads = parts.map((part, k) => deflatedFrame(part, k === 0));
    const stream = new Stream(bytes, Math.max(512, link + (payloads[0] as Buffer).length));
    stream.write(payloads[0] as Buffer);
    for (const payload of payloads.slice(1)) {
      stream.frame(link + payload.length);
      stream.write(payload);
    }
    return { stream, parts };
  });
  streams.forEach(({ stream }, i) => {
    stab.add(String(i), 0, stream.at, stream.size);
  });
  root.add('.stab', 1, stab.at, bytes.length - stab.at);

  if (track.frameIndex) {
    const isBoolFirst = track.frameIndex === 'bool-first';
    const entries = streams.flatMap(({ stream, parts }, i) => {
      let position = 0;
      return stream.frames.flatMap(({ at, size }, f) => {
        const skip = parts ? 0 : (10 - (position % 10)) % 10;
        const firstWhole = Math.ceil(position / 10);
        position += size - link;
        const own = parts ? (parts[f] ?? []) : (records[i] as Rec[]).slice(firstWhole, Math.ceil(position / 10));
        if (own.length === 0) return [];
        const entry = Buffer.alloc(30);
        const o = isBoolFirst ? 1 : 0;
        entry.writeUInt32LE(partitions[i]?.chromosome ?? 0, o);
        entry.writeUInt32LE(own[0]?.begin ?? 0, o + 4);
        entry.writeUInt32LE(own.at(-1)?.end ?? 0, o + 8);
        entry.writeBigUInt64LE(BigInt(at - stab.at), o + 12);
        entry.writeBigUInt64LE(BigInt(size), o + 20);
        entry[o + 28] = skip;
        entry[isBoolFirst ? 0 : 29] = f === 0 ? 1 : 0;
        return [entry];
      });
    });
    const count = Buffer.alloc(8);
    count.writeBigUInt64LE(BigInt(entries.length));
    const index = new Directory(bytes);
    const blob = Buffer.concat([count, ...entries]);
    index.add('secondary_frame_index', 2, bytes.append(blob), blob.length);
    root.add('.index', 1, index.at, bytes.length - index.at);
  }
}

/** A file with one track at its root, or with several in directories named after them. */
export function buildFile(tracks: BuildTrack | Record<string, BuildTrack>): Buffer {
  const bytes = new Bytes();
  bytes.append(Buffer.from([0x64, 0x34, 0xdd, 0xdd, 0, 0, 0, 0]));
  const root = new Directory(bytes);
  if (Array.isArray(tracks.chromosomes)) addTrack(bytes, root, tracks as BuildTrack);
  else {
    for (const [name, track] of Object.entries(tracks as Record<string, BuildTrack>)) {
      const directory = new Directory(bytes);
      addTrack(bytes, directory, track);
      root.add(name, 1, directory.at, bytes.length - directory.at);
    }
  }
  return Buffer.from(bytes.data.subarray(0, bytes.length));
}
