import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { isD4Error, memorySource, openD4, runs } from '../../../../plugins/coverage/d4/index.js';
import { demoFile } from '../support/shared.js';
import { trackArbitrary } from './support/arbitrary.js';
import { buildFile } from './support/build.js';

/** A small seeded generator, so that a mutant is identified by the seed and its number. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const extremes = [
  0n,
  1n,
  15n,
  16n,
  511n,
  0x7fffffffn,
  0xffffffffn,
  1n << 40n,
  (1n << 63n) - 1n,
  -1n,
  -8n,
  -512n,
  -(1n << 63n),
];
const digits = Buffer.from('0123456789-.e"[]{},:');

/** Corrupts a few places of a file, and returns a function that restores it. */
function mutate(bytes: Buffer, random: (below: number) => number): { mutant: Buffer; undo: () => void } {
  const saved: [at: number, bytes: Buffer][] = [];
  const change = (at: number, length: number): Buffer => {
    const place = bytes.subarray(at, Math.min(bytes.length, at + length));
    saved.unshift([at, Buffer.from(place)]);
    return place;
  };
  // Headers and directories are at the beginning, and deserve most of the mutations.
  const position = () => random(random(3) === 0 ? bytes.length : Math.min(bytes.length, 4096));
  for (let left = 1 + random(random(3) + 1); left > 0; left--) {
    const kind = random(6);
    if (kind === 0) change(position(), 1).fill(random(256));
    else if (kind === 1) {
      const place = change(position(), 1);
      place[0] = (place[0] as number) ^ (1 << random(8));
    } else if (kind === 2) {
      const place = change(position(), 8);
      if (place.length === 8) place.writeBigInt64LE(extremes[random(extremes.length)] as bigint);
    } else if (kind === 3) change(position(), 1).fill(digits[random(digits.length)] as number);
    else if (kind === 4) {
      const from = position();
      const copy = Buffer.from(bytes.subarray(from, from + random(64)));
      copy.copy(change(position(), copy.length));
    } else {
      const place = change(position(), 8);
      if (place.length === 8) place.writeBigInt64LE(BigInt(random(bytes.length)) * (random(2) === 0 ? 1n : -1n));
    }
  }
  const mutant = random(20) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
  return {
    mutant,
    undo: () => {
      for (const [at, before] of saved) before.copy(bytes, at);
    },
  };
}

/** Runs a random query on a file. */
async function interrogate(bytes: Buffer, random: (below: number) => number): Promise<void> {
  // A remote file uses other code paths: frame indexes and reading ahead.
  const file = await openD4({ ...memorySource(bytes), remote: random(2) === 0 });
  const place = random(file.tracks.length);
  const track = file.track(place);
  const intervals = Array.from({ length: 2 }, () => {
    const { name, size } = track.chromosomes[random(track.chromosomes.length)] ?? { name: '', size: 0 };
    return { chromosome: name, begin: random(4) === 0 ? random(size + 1) : 0, end: size };
  });
  if (track.chromosomes.length === 0) return;
  if (random(3) > 0) {
    const histogram = random(2) === 0;
    const percentiles = histogram ? [50] : [];
    await file.statistics({ intervals, thresholds: [10, 20], histogram, percentiles, runs: { below: 10 } }, place);
    return;
  }
  let seen = 0;
  for (const { chromosome, begin } of intervals) {
    for await (const batch of runs(track, { chromosome, begin, end: begin + 5_000 })) seen += batch.begins.length;
  }
  expect(seen).to.be.at.most(10_000);
}

/** Bytes on the heap and in buffers. */
function held(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Returns how many mutants were refused. */
async function attack(name: string, bytes: Buffer, count: number, seed: number): Promise<number> {
  const random = randomFrom(seed);
  let refused = 0;
  let most = 0;
  // Memory held by other tests of this process does not count.
  const before = held();
  for (let i = 0; i < count; i++) {
    const { mutant, undo } = mutate(bytes, random);
    const since = process.cpuUsage();
    try {
      await interrogate(mutant, random);
    } catch (error) {
      if (!isD4Error(error)) throw new Error(`${name}, seed ${seed}, mutant ${i}: ${error}`, { cause: error });
      expect(error.place, error.message).not.to.equal('');
      refused++;
    } finally {
      undo();
    }
    // Of processor time, since the machine may do other work meanwhile.
    const { user, system } = process.cpuUsage(since);
    expect((user + system) / 1e6, `${name}, seed ${seed}, mutant ${i}: seconds`).to.be.below(1);
    if (i % 500 === 0) most = Math.max(most, held() - before);
  }
  expect(most / 2 ** 20, 'megabytes').to.be.below(600);
  return refused;
}

/** Number of mutants: `FUZZ_MUTANTS=100000 mocha test/plugins/coverage/d4/fuzz.test.ts` for a thorough run. */
const mutants = Number(process.env.FUZZ_MUTANTS ?? 3_000);

describe(`d4: ${mutants} broken files`, function () {
  this.timeout(60_000 + 2 * mutants);
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

  // All shapes: widths, dictionaries, compression, indexes, several tracks.
  const shapes = fc.sample(trackArbitrary({ maxSize: 200, maxWidth: 8 }), { numRuns: 48, seed: 4 });
  const perFile = Math.ceil((mutants * 0.95) / shapes.length);
  it(`small files of all shapes (seed ${seed})`, async () => {
    let refused = 0;
    for (const [i, track] of shapes.entries()) {
      const file = i % 6 === 0 ? buildFile({ one: track, two: shapes[i + 1] ?? track }) : buildFile(track);
      await interrogate(file, randomFrom(seed));
      refused += await attack(`shape ${i}`, file, perFile, seed + i);
    }
    // Of thousands in all: every mutant of one shape may happen to be a readable file.
    expect(refused).to.be.greaterThan(0);
  });

  it('the demo file of chanjo2', async function () {
    const demo = demoFile();
    if (!demo) this.skip();
    await attack('demo', readFileSync(demo), Math.ceil(mutants * 0.05), seed);
  });
});
