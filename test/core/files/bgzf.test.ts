import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { BgzfWriter, bgzipped, CsiIndex, endOfBgzf, TabixIndex } from '../../../core/files.js';

/** What a writer makes of pieces, and the writer. */
async function written(pieces: readonly Buffer[]): Promise<{ bytes: Buffer; writer: BgzfWriter }> {
  const target = new PassThrough();
  const all = buffer(target);
  const writer = new BgzfWriter(target);
  for (const piece of pieces) await writer.write(piece);
  await writer.end();
  target.end();
  return { bytes: await all, writer };
}

/** The uncompressed byte at a virtual offset, read as the specification says: inflate the block, take the byte. */
function byteAt(bytes: Buffer, virtual: bigint): number | undefined {
  const start = Number(virtual >> 16n);
  const size = bytes.readUInt16LE(start + 16) + 1;
  return gunzipSync(bytes.subarray(start, start + size))[Number(virtual & 0xffffn)];
}

describe('BGZF files', () => {
  it('hold what was written, in blocks of at most 64 KiB, with the closing block', async () => {
    const sizes = fc.array(fc.oneof(fc.nat(300), fc.constantFrom(65_279, 65_280, 65_281, 200_000)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (lengths, random) => {
        const pieces = lengths.map((length, i) =>
          Buffer.from(Array.from({ length }, (_, k) => (random ? (k * 2654435761 + i * 40503) >>> 11 : k) & 255)),
        );
        const { bytes, writer } = await written(pieces);
        const plain = Buffer.concat(pieces);
        expect(gunzipSync(bytes).equals(plain)).to.equal(true);
        expect(bytes.subarray(-28)).to.deep.equal(endOfBgzf);
        for (let at = 0; at < bytes.length; ) {
          expect([...bytes.subarray(at, at + 4)]).to.deep.equal([0x1f, 0x8b, 8, 4]);
          at += bytes.readUInt16LE(at + 16) + 1;
          expect(at).to.be.at.most(bytes.length);
        }
        for (const offset of [0, 1, 65_279, 65_280, plain.length - 1]) {
          if (offset < 0 || offset >= plain.length) continue;
          expect(byteAt(bytes, writer.virtualOffset(offset)), `byte ${offset}`).to.equal(plain[offset]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('of some bytes are read by bgzip', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-bgzf-'));
    try {
      const bytes = Buffer.from('chr1\t1\n'.repeat(40_000));
      await writeFile(join(folder, 'x.gz'), await bgzipped(bytes));
      const { stdout, status } = spawnSync('bgzip', ['-dc', join(folder, 'x.gz')], { maxBuffer: 2 ** 30 });
      expect(status).to.equal(0);
      expect(stdout.equals(bytes)).to.equal(true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('fail with the stream that they are written to', async () => {
    const target = new PassThrough();
    const writer = new BgzfWriter(target);
    target.on('error', () => undefined);
    target.destroy(new Error('no space'));
    let failure: unknown;
    try {
      for (let i = 0; i < 20; i++) await writer.write(Buffer.alloc(70_000));
      await writer.end();
    } catch (error) {
      failure = error;
    }
    expect(failure).to.be.instanceOf(Error).with.property('message', 'no space');
  });
});

describe('indexes for tabix', function () {
  this.timeout(60_000);
  const longest = 2 ** 29;

  it('find the records that a naive reading finds', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-tabix-'));
    try {
      const file = join(folder, 'x.vcf.gz');
      // A fixed sequence of places: dense and sparse stretches, deletions over many windows, three contigs.
      let seed = 7;
      const random = (below: number) => {
        seed = (seed * 1103515245 + 12345) % 2 ** 31;
        return Math.floor((seed / 2 ** 31) * below);
      };
      const records = ['1', 'chrX', 'MT'].flatMap((contig) => {
        let start = 0;
        return Array.from({ length: 3000 }, (_, i) => {
          start += i % 500 === 0 ? random(20_000_000) : random(200);
          const end = start + 1 + (i % 100 === 0 ? random(3_000_000) : 0);
          return { contig, start, end, line: `${contig}\t${start + 1}\t.\tA\t<DEL>\t.\t.\tEND=${end}\n` };
        });
      });
      const header = Buffer.from('##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n');
      const index = new TabixIndex();
      let at = header.length;
      for (const { contig, start, end, line } of records) {
        expect(index.add(contig, start, end, at, at + line.length)).to.equal(undefined);
        at += line.length;
      }
      const { bytes, writer } = await written([header, Buffer.from(records.map(({ line }) => line).join(''))]);
      await writeFile(file, bytes);
      await writeFile(`${file}.tbi`, await bgzipped(index.encode((offset) => writer.virtualOffset(offset))));
      const places: [string, number, number][] = [
        ['1', 0, longest - 1],
        ['MT', 0, 1],
        ['chrX', 0, 16_384],
      ];
      for (let i = 0; i < 60; i++) {
        const near = records[random(records.length)] as (typeof records)[number];
        const from = Math.max(near.start + random(40_000) - 20_000, 0);
        places.push([near.contig, from, from + 1 + random(i % 3 === 0 ? 5_000_000 : 300)]);
      }
      for (const [contig, from, to] of places) {
        const region = `${contig}:${from + 1}-${to}`;
        const found = spawnSync('tabix', [file, region], { encoding: 'utf8', maxBuffer: 2 ** 30 });
        expect(found.status, found.stderr).to.equal(0);
        const expected = records.filter((record) => record.contig === contig && record.start < to && record.end > from);
        expect(found.stdout, region).to.equal(expected.map(({ line }) => line).join(''));
      }
      const counted = spawnSync('bcftools', ['index', '--nrecords', file], { encoding: 'utf8' });
      expect(counted.stdout, counted.stderr).to.equal('9000\n');
      expect((await readFile(`${file}.tbi`)).length).to.be.above(100);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('refuse records out of order and beyond their range', () => {
    const index = new TabixIndex();
    expect(index.add('1', 10, 11, 0, 5)).to.equal(undefined);
    expect(index.add('1', 9, 10, 5, 9)).to.equal('order');
    expect(index.add('2', 3, 4, 9, 12)).to.equal(undefined);
    expect(index.add('1', 20, 21, 12, 15)).to.equal('order');
    expect(index.add('2', longest - 1, longest, 15, 18)).to.equal(undefined);
    expect(index.add('2', longest - 1, longest + 1, 18, 22)).to.equal('range');
  });

  it('of BED files, with as many levels as the longest contig needs, find the records that a naive reading finds', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-csi-'));
    try {
      for (const [length, records] of [
        [9_000, 40],
        [16_384, 40],
        [16_385, 60],
        [1_000_000, 3000],
        [4_000_000_000, 3000],
      ] as const) {
        const file = join(folder, `${length}.bed.gz`);
        const rows = ['1', 'chrX'].flatMap((contig) =>
          Array.from({ length: records }, (_, i) => {
            const begin = Math.floor((i * (length - 1)) / records);
            const end = Math.min(length, begin + 1 + (i % 50 === 0 ? Math.floor(length / 10) : i % 7));
            return { contig, begin, end, line: `${contig}\t${begin}\t${end}\t${i}\n` };
          }),
        );
        const index = new CsiIndex(length);
        let at = 0;
        for (const { contig, begin, end, line } of rows) {
          expect(index.add(contig, begin, end, at, at + line.length)).to.equal(undefined);
          at += line.length;
        }
        expect(index.add('chrX', length - 1, length * 8 + 16_385 * 8, at, at + 1)).to.equal('range');
        const { bytes, writer } = await written([Buffer.from(rows.map(({ line }) => line).join(''))]);
        await writeFile(file, bytes);
        await writeFile(`${file}.csi`, await bgzipped(index.encode((offset) => writer.virtualOffset(offset))));
        for (const [contig, from, to] of [
          ['1', 0, length],
          ['chrX', Math.floor(length / 3), Math.floor(length / 3) + 5],
          ['1', length - 300, length],
          ['chrX', Math.floor(length / 2), Math.floor(length / 1.9)],
          ['chrX', 0, 1],
        ] as const) {
          const found = spawnSync('tabix', [file, `${contig}:${from + 1}-${to}`], { encoding: 'utf8' });
          expect(found.status, found.stderr).to.equal(0);
          const expected = rows.filter((row) => row.contig === contig && row.begin < to && row.end > from);
          expect(found.stdout, `${length}: ${contig}:${from}-${to}`).to.equal(
            expected.map(({ line }) => line).join(''),
          );
        }
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
