/**
 * A reader that parses a whole file byte by byte, from the description of the format alone, and insists on what the
 * reference implementation needs to read a file without error.
 */
import { inflateRawSync } from 'node:zlib';
import { expect } from 'chai';

interface NaiveEntry {
  kind: number;
  at: number;
  size: number;
}

export interface NaiveTrack {
  chromosomes: { name: string; size: number; depths: Int32Array }[];
  denominator: unknown;
  width: number;
  dictionary: unknown;
  compression: unknown;
}

function frames(bytes: Buffer, at: number, size: number): { at: number; size: number }[] {
  const found = [{ at, size }];
  for (;;) {
    const last = found.at(-1) as { at: number; size: number };
    expect(last.at + last.size).to.be.at.most(bytes.length);
    const distance = Number(bytes.readBigInt64LE(last.at));
    if (distance === 0) return found;
    found.push({ at: last.at + distance, size: Number(bytes.readBigUInt64LE(last.at + 8)) });
  }
}

function stream(bytes: Buffer, at: number, size: number): Buffer {
  return Buffer.concat(frames(bytes, at, size).map((frame) => bytes.subarray(frame.at + 16, frame.at + frame.size)));
}

function directory(bytes: Buffer, at: number): Map<string, NaiveEntry> {
  const content = stream(bytes, at, 512);
  const entries = new Map<string, NaiveEntry>();
  for (let p = 0; content[p] === 1; ) {
    const end = content.indexOf(0, p + 18);
    const entry = {
      kind: content[p + 1] as number,
      at: at + Number(content.readBigUInt64LE(p + 2)),
      size: Number(content.readBigUInt64LE(p + 10)),
    };
    entries.set(content.toString('utf8', p + 18, end), entry);
    p = end + 1;
  }
  return entries;
}

function json(bytes: Buffer, { at, size }: NaiveEntry): Record<string, unknown> {
  const content = stream(bytes, at, size);
  expect(content.at(-1), 'a NUL ends the header').to.equal(0);
  return JSON.parse(content.toString().replace(/\0+$/, '')) as Record<string, unknown>;
}

export function readNaively(bytes: Buffer, at = 8): NaiveTrack {
  expect(bytes.subarray(0, 4).toString('hex')).to.equal('6434dddd');
  const root = directory(bytes, at);
  expect([...root.keys()][0], '.metadata comes first').to.equal('.metadata');
  const metadata = json(bytes, root.get('.metadata') as NaiveEntry);
  const dictionary = metadata.dictionary as {
    SimpleRange?: { low: number; high: number };
    Dictionary?: { i2v_map: number[] };
  };
  const { low, high } = dictionary.SimpleRange ?? { low: 0, high: 0 };
  const values = dictionary.Dictionary?.i2v_map ?? Array.from({ length: high - low }, (_, code) => low + code);
  const width = Math.log2(values.length);
  expect(width % 1).to.equal(0);
  const mask = values.length - 1;

  let from = (root.get('.ptab') as NaiveEntry).at;
  const list = metadata.chrom_list as { name: string; size: number }[];
  const chromosomes = list.map(({ name, size }) => {
    const codes = Array.from({ length: size }, (_, i) => {
      let code = 0;
      for (let bit = 0; bit < width; bit++) {
        const b = i * width + bit;
        code |= (((bytes[from + (b >> 3)] as number) >> (b & 7)) & 1) << bit;
      }
      return code;
    });
    from += Math.ceil((size * width) / 8);
    return { name, size, codes, depths: Int32Array.from(codes, (code) => values[code] as number) };
  });
  const primary = root.get('.ptab') as NaiveEntry;
  expect(from - primary.at).to.equal(primary.size);
  const beyond = primary.size === 0 ? 0 : 3;
  expect(bytes.length - from, 'readers load up to 3 bytes beyond the table').to.be.at.least(beyond);

  const stab = root.get('.stab') as NaiveEntry;
  const streams = directory(bytes, stab.at);
  const secondary = json(bytes, streams.get('.metadata') as NaiveEntry);
  const isDeflated = secondary.compression !== 'NoCompression';
  (secondary.partitions as [string, number, number][]).forEach(([name, begin, end], i) => {
    const entry = streams.get(String(i)) as NaiveEntry;
    const chromosome = chromosomes.find((one) => one.name === name);
    for (const [f, frame] of frames(bytes, entry.at, entry.size).entries()) {
      expect(frame.at + frame.size).to.be.at.most(stab.at + stab.size, 'the extent covers every frame');
      let payload = bytes.subarray(frame.at + 16, frame.at + frame.size);
      if (isDeflated) {
        const skip = f === 0 ? 1 : 0;
        const count = payload.readUInt32LE(skip + 8);
        payload = inflateRawSync(payload.subarray(skip + 12));
        expect(payload.length).to.equal(count * 10);
        expect(count).to.be.at.most(f === 0 ? 49 : 6553);
      } else {
        expect(payload.length % 10).to.equal(0);
        expect(payload.length).to.be.at.least(20, 'a frame with one record is skipped');
      }
      for (let p = 0; p < payload.length && payload.readUInt32LE(p) > 0; p += 10) {
        const start = payload.readUInt32LE(p) - 1;
        const stop = start + payload.readUInt16LE(p + 4) + 1;
        expect(start >= begin && stop <= end, 'records lie in their partition').to.equal(true);
        for (let b = start; b < stop; b++) {
          expect(chromosome?.codes[b], 'under a record all codes are the mask').to.equal(mask);
          if (chromosome) chromosome.depths[b] = payload.readInt32LE(p + 6);
        }
      }
    }
  });
  return {
    chromosomes: chromosomes.map(({ name, size, depths }) => ({ name, size, depths })),
    denominator: metadata.denominator,
    width,
    dictionary,
    compression: secondary.compression,
  };
}

/**
 * The positions of all bytes that say where things are and what they mean: the file header, directories, JSON headers, links between
 * frames and the headers of deflated frames. The rest are codes and records.
 */
export function structuralBytes(bytes: Buffer): number[] {
  const found = [0, 1, 2, 3, 4, 5, 6, 7];
  const add = (from: number, length: number) => {
    for (let i = from; i < from + length; i++) found.push(i);
  };
  const visit = (at: number, deflated: boolean) => {
    for (const frame of frames(bytes, at, 512)) add(frame.at, frame.size);
    const entries = directory(bytes, at);
    const own = entries.get('.metadata');
    const isDeflated = deflated || (own !== undefined && /Deflate/.test(stream(bytes, own.at, own.size).toString()));
    for (const [name, entry] of entries) {
      if (entry.kind === 1) visit(entry.at, isDeflated);
      if (entry.kind !== 0) continue;
      for (const [f, frame] of frames(bytes, entry.at, entry.size).entries()) {
        if (name === '.metadata') add(frame.at, frame.size);
        else add(frame.at, 16 + (isDeflated ? (f === 0 ? 13 : 12) : 0));
      }
    }
  };
  visit(8, false);
  return found;
}

/** The tracks of a merged file by name. */
export function readTracksNaively(bytes: Buffer): Map<string, NaiveTrack> {
  return new Map([...directory(bytes, 8)].map(([name, { at }]) => [name, readNaively(bytes, at)]));
}
