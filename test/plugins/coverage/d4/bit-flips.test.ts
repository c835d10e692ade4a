/** A flipped bit in what describes a file never changes a number: the file is refused, or reads as before. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { isD4Error, memorySource, openD4, runs } from '../../../../plugins/coverage/d4/index.js';
import { demoFile } from '../support/shared.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { structuralBytes } from './support/naive.js';
import { runD4 } from './support/runner.js';

/** Bits per file: `D4_FLIPS=1000000 mocha test/plugins/coverage/d4/bit-flips.test.ts` flips every one. */
const flips = Number(process.env.D4_FLIPS ?? 2_000);

/** Three chromosomes, with partitions of one and of several frames. */
function track(changes: Partial<BuildTrack> = {}): BuildTrack {
  const sizes = { 1: 1_700, 2: 403, MT: 60 };
  return {
    chromosomes: Object.entries(sizes).map(([name, size]) => {
      return { name, size, depths: Int32Array.from({ length: size }, (_, i) => (i % 5 === 0 ? 70 + i : i % 60)) };
    }),
    values: Array.from({ length: 64 }, (_, value) => value),
    simple: true,
    cuts: [[800], [], []],
    deflate: false,
    firstFrame: 512,
    ...changes,
  };
}

/** All depths of a file as text: by tracks and chromosomes, as they are in the sound file. */
async function depthsOf(
  bytes: Buffer,
  chromosomes: readonly { name: string; size: number }[],
  remote: boolean,
): Promise<string> {
  const file = await openD4({ ...memorySource(bytes), remote });
  await file.checkFrames();
  let text = '';
  for (const one of file.tracks) {
    for (const { name, size } of chromosomes) {
      for await (const batch of runs(one, { chromosome: name, begin: 0, end: size + 8 })) {
        text += `${name} ${Array.from(batch.ends)} ${Array.from(batch.depths)}\n`;
      }
    }
  }
  return text;
}

/** The bits whose flip changes a depth without a word, as places in the file. */
async function unnoticed(
  bytes: Buffer,
  excluded: (at: number) => boolean = () => false,
  remote = false,
): Promise<string[]> {
  const { chromosomes } = (await openD4(memorySource(bytes))).track();
  const expected = await depthsOf(bytes, chromosomes, remote);
  expect(expected).not.to.equal('');
  const bits = structuralBytes(bytes).flatMap((at) =>
    excluded(at) ? [] : [0, 1, 2, 3, 4, 5, 6, 7].map((b) => [at, b]),
  );
  const step = Math.max(1, Math.floor(bits.length / flips));
  const offset = Date.now() % step;
  const found: string[] = [];
  let refused = 0;
  for (let i = offset; i < bits.length; i += step) {
    const [at = 0, bit = 0] = bits[i] as [number, number];
    bytes[at] = (bytes[at] as number) ^ (1 << bit);
    try {
      if ((await depthsOf(bytes, chromosomes, remote)) !== expected) found.push(`byte ${at}, bit ${bit}`);
    } catch (error) {
      if (!isD4Error(error)) throw error;
      refused++;
    } finally {
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
    }
  }
  expect(refused).to.be.greaterThan(0);
  return found;
}

describe('d4: flipped bits in directories, headers and links', function () {
  this.timeout(60_000 + 2 * flips);
  const folder = temporaryFolder();

  const deflated = { deflate: true, cuts: [[800, 1_250], [], []] };
  const shapes: Record<string, Buffer> = {
    'codes and records': buildFile(track()),
    'deflated records': buildFile(track(deflated)),
    'records only': buildFile(track({ values: [0] })),
    'an index of frames': buildFile(track({ frameIndex: 'bool-first' })),
    'several tracks': buildFile({ one: track(), two: track({ ...deflated, values: [0, 1] }) }),
  };
  for (const [name, bytes] of Object.entries(shapes)) {
    it(`in a file with ${name}`, async () => {
      expect(await unnoticed(bytes)).to.deep.equal([]);
      expect(await unnoticed(bytes, undefined, true), 'of a remote file whose frames are checked').to.deep.equal([]);
    });
  }

  it('in a file with a listed dictionary and a denominator, whose numbers nothing can confirm', async () => {
    const bytes = buildFile(track({ values: [5, 0, 7, 90], simple: false, denominator: { Value: 10 } }));
    const listed = [bytes.indexOf('[5,0,7,90]'), bytes.indexOf('10}}')];
    const isNumber = (at: number) => listed.some((begin, i) => at > begin - i && at < begin + (i === 0 ? 9 : 2));
    expect(await unnoticed(bytes, isNumber)).to.deep.equal([]);
  });

  it('in files of d4 create', async () => {
    const lines = Array.from({ length: 900 }, (_, i) => `${i < 600 ? 1 : 2}\t${i * 3}\t${i * 3 + 2}\t${i % 50}`);
    writeFileSync(folder.path('depth.bedgraph'), `${lines.join('\n')}\n`);
    for (const options of [[], ['-z'], ['-S']]) {
      const made = folder.path(`made${options.join('')}.d4`);
      const { status, err } = await runD4('create', ...options, '-R', '0-8', folder.path('depth.bedgraph'), made);
      expect(status, err).to.equal(0);
      expect(await unnoticed(readFileSync(made)), options.join(' ')).to.deep.equal([]);
    }
  });

  it('in a real file of d4tools, whose depths are all in 388 streams of records', async function () {
    const demo = demoFile();
    if (!demo) this.skip();
    const bytes = readFileSync(demo);
    const { chromosomes } = (await openD4(memorySource(bytes))).track();
    const all = { intervals: chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size })) };
    const sums = async () => (await (await openD4(memorySource(bytes))).statistics(all)).map(({ sum }) => sum).join();
    const expected = await sums();
    const structural = structuralBytes(bytes);
    const changed: number[] = [];
    for (let i = Date.now() % 997; i < structural.length; i += 997) {
      const at = structural[i] as number;
      bytes[at] = (bytes[at] as number) ^ (1 << (i & 7));
      const found = await sums().catch((error) => {
        if (!isD4Error(error)) throw error;
        return expected;
      });
      if (found !== expected) changed.push(at);
      bytes[at] = (bytes[at] as number) ^ (1 << (i & 7));
    }
    expect(changed).to.deep.equal([]);
  });
});
