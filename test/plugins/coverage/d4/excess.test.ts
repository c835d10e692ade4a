/** Two files compared base by base. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  createD4,
  type DepthExcess,
  firstExcess,
  type Interval,
  memorySource,
  openD4,
} from '../../../../plugins/coverage/d4/index.js';
import { intervalsArbitrary, trackArbitrary } from './support/arbitrary.js';
import { denominatorOf } from './support/brute.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { serveRanges } from './support/server.js';

/** A file, one with depths taken from it at most of its bases, in a layout of its own, and intervals on both. */
const pair = fc
  .record({ limit: trackArbitrary({ maxSize: 30_000 }), layout: trackArbitrary({ maxSize: 1 }) })
  .chain(({ limit, layout }) =>
    fc.record({
      limit: fc.constant(limit),
      intervals: intervalsArbitrary(limit),
      track: fc
        .record({
          taken: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 7 }),
          shorter: fc.constantFrom(0, 0, 1, 500),
          isRenamed: fc.boolean(),
          isLikeIt: fc.boolean(),
          raised: fc.array(fc.record({ chromosome: fc.nat(3), at: fc.nat(30_000), by: fc.constantFrom(1, 30, 5000) }), {
            maxLength: 3,
          }),
        })
        .map(({ taken, shorter, isRenamed, isLikeIt, raised }): BuildTrack => {
          const chromosomes = limit.chromosomes.map(({ name, size, depths }, c) => {
            const own = Int32Array.from(depths).slice(0, Math.max(0, size - shorter));
            for (let i = 0; i < own.length; i++) own[i] = (own[i] as number) - (taken[i % taken.length] as number);
            for (const { chromosome, at, by } of raised) {
              if (chromosome === c && at < own.length) own[at] = (depths[at] as number) + by;
            }
            return { name: isRenamed ? name.slice(3) : name, size: own.length, depths: own };
          });
          return { ...(isLikeIt ? limit : layout), chromosomes, cuts: chromosomes.map(() => []) };
        }),
    }),
  );

function expected(track: BuildTrack, limit: BuildTrack, intervals: readonly Interval[]): DepthExcess | undefined {
  for (const { name, size, depths } of limit.chromosomes) {
    const own = track.chromosomes.find((one) => one.name === name || `chr${one.name}` === name);
    for (let at = 0; at < Math.min(size, own?.size ?? 0); at++) {
      if (!intervals.some(({ chromosome, begin, end }) => chromosome === name && begin <= at && at < end)) continue;
      const depth = (own?.depths[at] as number) / denominatorOf(track);
      const most = (depths[at] as number) / denominatorOf(limit);
      if (depth > most) return { chromosome: name, position: at, depth, most };
    }
  }
  return undefined;
}

describe('d4: the first base at which one file is deeper than another', () => {
  const folder = temporaryFolder();

  it('equals brute force, in files of any layout', async () => {
    const found = { some: 0, none: 0 };
    await fc.assert(
      fc.asyncProperty(pair, async ({ track, limit, intervals }) => {
        const files = await Promise.all([track, limit].map((one) => openD4(memorySource(buildFile(one)))));
        const [own, other] = files.map((file) => file.track());
        if (own === undefined || other === undefined) throw new Error('two files were built');
        const excess = expected(track, limit, intervals);
        expect(await firstExcess(own, other, { intervals, alias: true })).to.deep.equal(excess);
        found[excess === undefined ? 'none' : 'some']++;
        for (const file of files) file.close();
      }),
      { numRuns: 150 },
    );
    expect(Math.min(found.some, found.none), JSON.stringify(found)).to.be.above(10);
  });

  it('is found over HTTP, in a file of the usual dictionary', async () => {
    const depthOf = (i: number) => i % 40;
    const write = async (name: string, taken: number) => {
      const runs = async function* () {
        const starts = Array.from({ length: 20_000 }, (_, i) => 10 * i);
        yield {
          chromosome: '1',
          begins: starts,
          ends: starts.map((begin) => begin + 10),
          depths: starts.map((_, i) => (taken > 0 && i === 15_000 ? 1 : Math.max(0, depthOf(i) - taken))),
        };
      };
      const chromosomes = [{ name: '1', size: 200_000 }];
      await createD4(folder.path(name), runs(), { chromosomes, dictionary: { low: 0, high: 64 }, denominator: 1 });
      return folder.path(name);
    };
    const [all, unique] = [await write('all.d4', 0), await write('unique.d4', 3)];
    const { readFileSync } = await import('node:fs');
    const server = await serveRanges(readFileSync(unique));
    const files = [await openD4(server.url), await openD4(all)] as const;
    const intervals = [{ chromosome: '1', begin: 0, end: 200_000 }];
    const [deeper, limit] = [files[0].track(), files[1].track()];
    const excess = { chromosome: '1', position: 150_000, depth: 1, most: 0 };
    expect(await firstExcess(deeper, limit, { intervals })).to.deep.equal(excess);
    const before = [{ chromosome: '1', begin: 0, end: 150_000 }];
    expect(await firstExcess(deeper, limit, { intervals: before })).to.equal(undefined);
    for (const file of files) file.close();
    await server.close();
  });
});
