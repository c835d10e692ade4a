/** The index of frames that d4tools writes, for remote readers: a short cut that may be wrong. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { memorySource, openD4, type Source } from '../../../../plugins/coverage/d4/index.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { serveRanges } from './support/server.js';

/** One partition for each chromosome: there the index is worth a request. Every fourth base is beyond the dictionary. */
const depths = Int32Array.from({ length: 4000 }, (_, i) => (i % 4 === 0 ? 100 + (i % 977) : i % 60));
const expected = (begin: number, end: number) => depths.subarray(begin, end).reduce((a, b) => a + b, 0);

function track(changes: Partial<BuildTrack>): BuildTrack {
  return {
    chromosomes: [{ name: '1', size: 4000, depths }],
    values: Array.from({ length: 64 }, (_, value) => value),
    simple: true,
    cuts: [[]],
    deflate: false,
    firstFrame: 512,
    ...changes,
  };
}

/** End of the index entries in a file of one partition: 8 bytes and 30 for each frame, before the final directory. */
function indexBlobEnd(bytes: Buffer): number {
  const directory = bytes.lastIndexOf(Buffer.from('secondary_frame_index\0'));
  const start = directory - 18 - 16;
  const offset = Number(bytes.readBigUInt64LE(directory - 16));
  const size = Number(bytes.readBigUInt64LE(directory - 8));
  return start + offset + size;
}

describe('d4: the index of frames', () => {
  it('is used over HTTP in both layouts, and an invalid one is not trusted', async () => {
    for (const frameIndex of ['bool-first', 'declared'] as const) {
      const bytes = buildFile(track({ frameIndex }));
      const server = await serveRanges(bytes);
      const whole = { intervals: [{ chromosome: '1', begin: 0, end: 4000 }] };
      const sum = expected(0, 4000);
      const file = await openD4(server.url);
      expect((await file.statistics(whole))[0]?.sum).to.equal(sum);
      file.close();
      // The last frame's size in the index is one record short; then its offset is wrong.
      const blobEnd = indexBlobEnd(bytes);
      for (const back of frameIndex === 'bool-first' ? [9, 17] : [10, 18]) {
        const wrong = Buffer.from(bytes);
        wrong[blobEnd - back] = (wrong[blobEnd - back] as number) ^ 16;
        server.bytes = wrong;
        server.etag = `"${frameIndex}${back}"`;
        const misled = await openD4(server.url);
        expect((await misled.statistics(whole))[0]?.sum, `${frameIndex} ${back}`).to.equal(sum);
      }
      await server.close();
    }
  });

  it('misleads no caller if it leaves out a frame, also none of several at once', async () => {
    // Frames of 49 records, then of 100 each, all in one partition.
    const bytes = buildFile(track({ deflate: true, frameIndex: 'declared' }));
    const entry = 30;
    const end = indexBlobEnd(bytes);
    const count = Math.ceil((1000 - 49) / 100) + 1;
    const at = end - count * entry;
    expect(bytes.readBigUInt64LE(at - 8)).to.equal(BigInt(count));
    bytes.copy(bytes, at + entry, at + 2 * entry, end);
    bytes.writeBigUInt64LE(BigInt(count - 1), at - 8);

    const whole = memorySource(bytes);
    let held: Promise<void> | undefined;
    const source: Source = {
      ...whole,
      remote: true,
      async fetch(spans) {
        const own = held;
        held = undefined;
        await own;
        return whole.fetch(spans);
      },
    };
    const alone = { intervals: [{ chromosome: '1', begin: 300, end: 500 }] };
    expect((await (await openD4(source)).statistics(alone))[0]?.sum).to.equal(expected(300, 500));
    const file = await openD4(source);
    const sumOf = async (begin: number, stop: number) =>
      (await file.statistics({ intervals: [{ chromosome: '1', begin, end: stop }] }))[0]?.sum;
    // The third frame's records, planned by the index, arrive after the index was found to be wrong.
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    const late = sumOf(700, 900);
    await setImmediate();
    expect(await sumOf(0, 100)).to.equal(expected(0, 100));
    release();
    expect(await late).to.equal(expected(700, 900));
    expect(await sumOf(300, 500)).to.equal(expected(300, 500));
  });
});
