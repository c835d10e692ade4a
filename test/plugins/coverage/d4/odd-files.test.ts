import { spawnSync } from 'node:child_process';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bins, depths, fingerprintD4, isD4Error, memorySource, openD4 } from '../../../../plugins/coverage/d4/index.js';
import { denominatorOf, depthsIn, percentileOf, runsOf } from './support/brute.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { serveRanges } from './support/server.js';

function track(changes: Partial<BuildTrack> = {}): BuildTrack {
  const depths = Int32Array.from({ length: 4000 }, (_, i) => (i % 10 === 0 ? 90 + i : i % 60));
  return {
    chromosomes: [{ name: '1', size: 4000, depths }],
    values: Array.from({ length: 64 }, (_, value) => value),
    simple: true,
    cuts: [[1000, 2500]],
    deflate: false,
    firstFrame: 512,
    ...changes,
  };
}

const whole = { intervals: [{ chromosome: '1', begin: 0, end: 4000 }], thresholds: [90] };
const sum = Array.from({ length: 4000 }, (_, i) => (i % 10 === 0 ? 90 + i : i % 60)).reduce((a, b) => a + b, 0);

async function refusal(bytes: Buffer, statistics = false): Promise<string> {
  try {
    const file = await openD4(memorySource(bytes, 'odd.d4'));
    if (statistics) await file.statistics(whole);
  } catch (error) {
    if (isD4Error(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}

/** Replaces text by other text of the same length. */
function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(from);
  expect(at).to.be.at.least(0);
  expect(to.length).to.equal(from.length);
  const changed = Buffer.from(bytes);
  changed.write(to, at);
  return changed;
}

describe('d4: odd and broken files', () => {
  it('headers that exactly fill their frames, with and without their last brace', async () => {
    for (const length of [494, 495, 496, 497, 992]) {
      const plain = buildFile(track());
      const header = plain.indexOf('{"chrom_list"');
      const text = plain.toString('utf8', header, plain.indexOf(0, header));
      // The name of a second, empty chromosome pads the header to the wanted length.
      const name = 'n'.repeat(length - text.length - ',{"name":"","size":0}'.length);
      const one = track();
      one.chromosomes.push({ name, size: 0, depths: [] });
      one.cuts.push([]);
      const bytes = buildFile(one);
      const found = await (await openD4(memorySource(bytes))).statistics(whole);
      expect(found[0]?.sum, `${length}`).to.equal(sum);
      if (length === 496) {
        const end = bytes.indexOf('"One"}') + '"One"'.length;
        bytes[end] = 0;
        expect((await (await openD4(memorySource(bytes))).statistics(whole))[0]?.sum).to.equal(sum);
      }
    }
  });

  it('several tracks with dictionaries of their own, also in nested directories', async () => {
    const other = track({ values: [5, 0, 7, 90], simple: false, deflate: true });
    const file = await openD4(memorySource(buildFile({ one: track(), two: other })));
    expect(file.tracks.map(({ name }) => name)).to.deep.equal(['one', 'two']);
    for (const place of [0, 1]) expect((await file.statistics(whole, place))[0]?.sum).to.equal(sum);
    expect(() => file.track(2)).to.throw(/no track 2/);
  });

  it('streams as long as a chromosome: only the relevant frames and parts are read', async () => {
    // Every second base is beyond the dictionary: 40,000 records, in frames of up to 256 KiB.
    const depths = Int32Array.from({ length: 80_000 }, (_, i) => (i % 2 === 0 ? 100 + (i % 977) : i % 60));
    const bytes = buildFile(track({ chromosomes: [{ name: '1', size: 80_000, depths }], cuts: [[]] }));
    const server = await serveRanges(bytes);
    const spots = Array.from({ length: 200 }, (_, i) => (i * 7919) % 80_000);
    const intervals = spots.map((begin, i) => ({ chromosome: '1', begin, end: Math.min(80_000, begin + (i % 40)) }));
    const expected = intervals.map(({ begin, end }) => depths.subarray(begin, end).reduce((a, b) => a + b, 0));
    for (const file of [await openD4(memorySource(bytes)), await openD4(server.url)]) {
      const found = await file.statistics({ intervals });
      expect(found.map((row) => row.sum)).to.deep.equal(expected);
      // One by one, each with an empty cache.
      for (const i of [3, 77, 150]) {
        const cold = await openD4(memorySource(bytes));
        const [row] = await cold.statistics({ intervals: [intervals[i] as (typeof intervals)[number]] });
        expect(row?.sum).to.equal(expected[i]);
      }
      file.close();
    }
    await server.close();
  });

  it('names of chromosomes are matched by alias only when asked', async () => {
    const one = track();
    for (const [own, asked] of [
      ['1', 'chr1'],
      ['chr1', '1'],
      ['MT', 'chrM'],
      ['chrM', 'MT'],
      ['M', 'chrMT'],
    ] as const) {
      (one.chromosomes[0] as { name: string }).name = own;
      const file = await openD4(memorySource(buildFile(one)));
      const request = { intervals: [{ chromosome: asked, begin: 0, end: 4000 }] };
      expect((await file.statistics({ ...request, alias: true }))[0]).to.include({ sum, chromosome: asked });
      const error = await file.statistics(request).catch((caught: unknown) => caught);
      expect(isD4Error(error) && error.code).to.equal('unknown-chromosome');
    }
  });

  it('a profile in bins equals the statistics of its parts', async () => {
    const file = await openD4(memorySource(buildFile(track())));
    const parts = bins({ chromosome: '1', begin: 10, end: 110 }, 3);
    expect(parts.map(({ begin, end }) => [begin, end])).to.deep.equal([
      [10, 43],
      [43, 76],
      [76, 110],
    ]);
    const rows = await file.statistics({ intervals: parts });
    expect(rows.map(({ bases }) => bases)).to.deep.equal([33, 33, 34]);
    expect(bins({ chromosome: '1', begin: 5, end: 7 }, 9)).to.have.length(2);
    expect(bins({ chromosome: '1', begin: 5, end: 5 }, 9)).to.deep.equal([]);
  });

  it('a pipe is refused without waiting for it', async function () {
    const path = join(tmpdir(), `trefoil-pipe-${process.pid}`);
    if (spawnSync('mkfifo', [path]).status !== 0) this.skip();
    const error = await openD4(path).catch((caught: unknown) => caught);
    rmSync(path);
    expect(isD4Error(error) && error.message).to.match(/Not a regular file/);
  });

  it('thresholds are compared with depths, whatever the denominator', async () => {
    const stored = Array.from(track().chromosomes[0]?.depths ?? []);
    for (const denominator of [1e300, 1e-300, 3, 0.1, 1e16, 5e-324]) {
      const bytes = buildFile(track({ denominator: { Value: denominator } }));
      const thresholds = [-1e9, 0, 1e-200, 0.7, 1 / 3, 20, 1e17, 1e308];
      const [row] = await (await openD4(memorySource(bytes))).statistics({ ...whole, thresholds });
      const expected = thresholds.map((threshold) => stored.filter((value) => value / denominator >= threshold).length);
      expect(row?.counts, `${denominator}`).to.deep.equal(expected);
    }
  });

  it('invalid coordinates are refused', async () => {
    const file = await openD4(memorySource(buildFile(track())));
    for (const [begin, end] of [
      [-1, 5],
      [9, 3],
      [0.5, 7],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
    ] as const) {
      const error = await file
        .statistics({ intervals: [{ chromosome: '1', begin, end }] })
        .catch((caught: unknown) => caught);
      expect(isD4Error(error) && error.code, `${begin}-${end}`).to.equal('invalid');
    }
  });

  it('errors name the position', async () => {
    const bytes = buildFile(track());
    expect(await refusal(Buffer.from('d4'))).to.match(/^not-d4: .*\(odd\.d4\)$/);
    expect(await refusal(bytes.subarray(0, 300))).to.match(/^truncated: root directory .*\(odd\.d4: root directory/);
    expect(await refusal(replaced(bytes, '"SimpleRange"', '"SimpleRarge"'))).to.match(
      /^broken: The dictionary .*\.metadata/,
    );
    expect(await refusal(replaced(bytes, '"high":64', '"high":63'))).to.match(/63 values has no whole bit width/);
    expect(await refusal(replaced(bytes, '"size":4000', '"size":4001'))).to.match(
      /^broken: The primary table should have 3001 bytes/,
    );
    expect(await refusal(replaced(bytes, '"size":4000', '"size":-400'))).to.match(/cannot have -400 bases/);
    expect(await refusal(replaced(bytes, '{"chrom_list"', '["chrom_list"'))).to.match(
      /^broken: The header is not a JSON object/,
    );
    expect(await refusal(replaced(bytes, '["1",0,1000]', '["2",0,1000]'))).to.match(/Partition 0 .*\.stab\/\.metadata/);
    expect(await refusal(replaced(bytes, '["1",1000,2500]', '["1",0900,2500]'))).to.match(/broken/);
    expect(await refusal(replaced(bytes, 'NoCompression', 'NoCompassion!'))).to.match(/not known/);
    const cyclic = Buffer.from(bytes);
    // The root directory links to itself.
    cyclic.writeBigInt64LE(512n, 8);
    cyclic.writeBigUInt64LE(512n, 16);
    cyclic.writeBigInt64LE(-512n, 520);
    cyclic.writeBigUInt64LE(512n, 528);
    expect(await refusal(cyclic)).to.match(/^broken: .*(cycle|kind)/);
  });

  it('records out of order, beyond the chromosome or failing to inflate are refused when read', async () => {
    const bytes = buildFile(track());
    const record = Buffer.alloc(10);
    record.writeUInt32LE(11, 0);
    record.writeInt32LE(100, 6);
    const at = bytes.indexOf(record);
    expect(at).to.be.greaterThan(0);
    const disorder = Buffer.from(bytes);
    disorder.writeUInt32LE(900, at);
    expect(await refusal(disorder, true)).to.match(/^broken: Record 2 begins .*\.stab\/0, frame at byte/);
    const beyond = Buffer.from(bytes);
    const last = Buffer.alloc(4);
    last.writeUInt32LE(3991);
    beyond.writeUInt16LE(65535, beyond.lastIndexOf(last) + 4);
    expect(await refusal(beyond, true)).to.match(/^broken: Records .* outside of their partition, 2500 to 4000/);

    const deflated = buildFile(track({ deflate: true }));
    const frame = deflated.indexOf(Buffer.from([49, 0, 0, 0]));
    expect(frame).to.be.greaterThan(0);
    for (const [count, message] of [
      [0xffffffff, /cannot hold 4294967295 records/],
      [48, /cannot be inflated/],
      [50, /holds only 490 bytes/],
    ] as const) {
      const bomb = Buffer.from(deflated);
      bomb.writeUInt32LE(count, frame);
      expect(await refusal(bomb, true)).to.match(message);
    }
  });

  it('records that contradict the primary table are refused by every query, with the position', async () => {
    for (const deflate of [false, true]) {
      const bytes = buildFile(track({ deflate }));
      const { primary } = (await openD4(memorySource(bytes))).track();
      // Base 1230 has 1320x, so its code is all ones: clear one of its six bits.
      const bit = 1230 * 6 + 2;
      const at = (primary[0] as number) + (bit >> 3);
      bytes[at] = (bytes[at] as number) & ~(1 << (bit & 7));
      const file = await openD4(memorySource(bytes, 'odd.d4'));
      const inside = { intervals: [{ chromosome: '1', begin: 1231, end: 4000 }] };
      expect((await file.statistics(inside))[0]?.bases).to.equal(2769);
      const questions: (() => Promise<unknown>)[] = [
        () => file.statistics(whole),
        () => file.columns({ intervals: whole.intervals }),
        () => file.statistics({ ...whole, histogram: true }),
        () => file.statistics({ ...whole, runs: { below: 10 } }),
        () => depths(file.track(), { chromosome: '1', begin: 0, end: 4000 }),
      ];
      for (const question of questions) {
        expect(await refusalOf(question())).to.equal(
          'broken: A record of the secondary table contradicts the primary table, which has a depth there (odd.d4: 1:1230-1231)',
        );
      }
    }
  });

  it('a record that overlaps those of the next frame is refused', async () => {
    const size = 200_000;
    const runs = Int32Array.from({ length: size }, (_, i) => 1 + (Math.floor(i / 1000) % 3));
    const chromosomes = [{ name: '1', size, depths: runs }];
    const bytes = buildFile(track({ chromosomes, values: [0], cuts: [[]], deflate: false, firstFrame: 36 }));
    // The first frame has the records [0, 1000) and [1000, 2000): extend the second one.
    const second = Buffer.from([0xe9, 0x03, 0, 0, 0xe7, 0x03]);
    const at = bytes.indexOf(second);
    expect(at).to.be.greaterThan(0);
    bytes.writeUInt16LE(1999, at + 4);
    const file = await openD4(memorySource(bytes, 'odd.d4'));
    const failed = await refusalOf(file.statistics({ intervals: [{ chromosome: '1', begin: 0, end: size }] }));
    expect(failed).to.match(
      /^broken: (Two records of the secondary table overlap \(odd\.d4: 1:2000-3000\)|Record \d+ begins at 2000, before)/,
    );
  });

  it('several tracks return every statistic, each separately', async () => {
    const one = track();
    const two = track({ values: [0, 7, 3, 100], simple: false, denominator: { Value: 10 }, deflate: true });
    const file = await openD4(memorySource(buildFile({ one, two })));
    expect(file.tracks.map(({ name }) => name)).to.deep.equal(['one', 'two']);
    const interval = { chromosome: '1', begin: 900, end: 2700 };
    for (const [place, own] of [one, two].entries()) {
      const all = depthsIn(own, '1', interval.begin, interval.end);
      const request = { thresholds: [9, 20], percentiles: [50], range: true, histogram: true, runs: { below: 9 } };
      const [row] = await file.statistics({ intervals: [interval], ...request }, place);
      const counted = new Map<number, number>();
      for (const depth of [...all].sort((a, b) => a - b)) counted.set(depth, (counted.get(depth) ?? 0) + 1);
      const low = runsOf(
        all.map((depth) => Number(depth < 9)),
        interval.begin,
      );
      expect(row).to.deep.include({
        bases: 1800,
        sum: all.map((depth) => Math.round(depth * denominatorOf(own))).reduce((a, b) => a + b, 0),
        counts: [9, 20].map((threshold) => all.filter((depth) => depth >= threshold).length),
        min: Math.min(...all),
        max: Math.max(...all),
        histogram: [...counted].map(([depth, bases]) => ({ depth, bases })),
        runs: low.flatMap(([begin, end, isLow]) => (isLow === 1 ? [{ begin, end }] : [])),
      });
      expect(row?.percentiles?.[0]).to.be.closeTo(percentileOf(all, 50), 1e-9);
      expect(Array.from(await depths(file.track(place), interval))).to.deep.equal(all);
      const profile = await file.profile({ interval, parts: 7, range: true }, place);
      const edges = [...profile.begins, interval.end];
      expect(edges).to.have.length(8);
      profile.begins.forEach((begin, i) => {
        const part = depthsIn(own, '1', begin, edges[i + 1] as number);
        expect(profile.means[i]).to.be.closeTo(part.reduce((a, b) => a + b, 0) / part.length, 1e-9);
        expect([profile.min[i], profile.max[i]]).to.deep.equal([Math.min(...part), Math.max(...part)]);
      });
    }
    expect(await refusalOf(file.profile({ interval, parts: 0 }))).to.match(/^invalid/);
    expect((await file.profile({ interval: { ...interval, end: 900 }, parts: 5 })).begins).to.have.length(0);
  });

  it('a fingerprint identifies one version of one file', async () => {
    const path = join(tmpdir(), `trefoil-fingerprint-${process.pid}.d4`);
    const fingerprint = async (seconds: number) => {
      utimesSync(path, seconds, seconds);
      const file = await openD4(path);
      file.close();
      return fingerprintD4(file);
    };
    try {
      writeFileSync(path, buildFile(track()));
      const first = await fingerprint(1000);
      expect(first).to.match(/^[0-9a-f]{16}$/);
      expect(await fingerprint(1000)).to.equal(first);
      expect(await fingerprint(2000)).not.to.equal(first);
      const other = track();
      other.values[0] = -1;
      writeFileSync(path, buildFile({ ...other, simple: false }));
      expect(await fingerprint(1000)).not.to.equal(first);
    } finally {
      rmSync(path, { force: true });
    }
  });
});

/** Returns code and message of the D4 error with which work fails; `none` for any other result. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((caught: unknown) => caught);
  return isD4Error(error) ? `${error.code}: ${error.message}` : 'none';
}
