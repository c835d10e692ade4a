/** Which samples are covered at places, against the depths of every base, on each storage. */
import { expect } from 'chai';
import {
  type Chromosome,
  coverageSamples,
  coverageTracks,
  type SampleRepository,
  type TrackRepository,
} from '../../../../plugins/coverage/contract.js';
import { WorkQueue } from '../../../../plugins/coverage/measure/work-queue.js';
import { type Callability, createCallability } from '../../../../plugins/coverage/samples/callability/callability.js';
import { runWindow } from '../../../../plugins/coverage/samples/covered-runs.js';
import { makeTracks } from '../../../../plugins/coverage/samples/tracks/make-tracks.js';
import type { CoveredCounts, CoveredPlace } from '../../../../plugins/services/coverage.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { depthAt, type Person, type Stretch, store } from './support.js';

const threshold = 10;
const rounds = Number(process.env.TEST_HISTORIES ?? 1);

/**
 * Regions whose every base is looked at: about the end of a window of the stored runs, the ends of the pseudoautosomal regions
 * of X (2,781,479 and 155,701,382) and Y, and all of MT.
 */
const regions: readonly { chromosome: Chromosome; start: number; end: number }[] = [
  { chromosome: '1', start: runWindow - 300, end: runWindow + 300 },
  { chromosome: '21', start: 46_709_683, end: 46_709_983 },
  { chromosome: 'X', start: 2_781_279, end: 2_781_679 },
  { chromosome: 'X', start: 155_701_182, end: 155_701_582 },
  { chromosome: 'Y', start: 2_781_279, end: 2_781_679 },
  { chromosome: 'MT', start: 0, end: 16_569 },
];

/** Whole numbers below a bound, the same for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

function person(id: string, seed: number): Person {
  const next = random(seed);
  const stretches = regions.map(({ chromosome, start, end }): Stretch => {
    const depths: number[] = [];
    for (let left = end - start; left > 0; ) {
      const length = Math.min(left, 1 + next(next(4) === 0 ? 200 : 12));
      const depth = next(3) * 9 + next(3);
      for (let i = 0; i < length; i++) depths.push(depth);
      left -= length;
    }
    return { chromosome, start, depths };
  });
  return { id, stretches };
}

for (const subject of dealt(storages, 'postgres')) {
  describe(`covered samples on ${subject.name}`, () => {
    let close: () => Promise<void>;
    let samples: SampleRepository;
    let tracks: TrackRepository;
    let service: Callability;
    before(async () => {
      const opened = await subject.open([coverageSamples, coverageTracks]);
      samples = opened.storage.repository(coverageSamples);
      tracks = opened.storage.repository(coverageTracks);
      service = createCallability({
        samples,
        erasures: { objecting: async () => new Set() },
        tracks,
        queue: new WorkQueue(),
        memory: 2 ** 20,
      });
      close = opened.close;
    });
    after(() => close());

    /** Whether all bases of all intervals have the depth. */
    function isCovered(one: Person, { chromosome, intervals }: CoveredPlace): boolean {
      return intervals.every(({ start, end }) => {
        for (let base = start; base < end; base++) if (depthAt(one, chromosome, base) < threshold) return false;
        return true;
      });
    }

    /** Asks about those places that are one interval by number, and compares with what was found by id. */
    async function compareNumbered(
      groups: readonly (readonly Person[])[],
      places: readonly CoveredPlace[],
      found: readonly CoveredCounts[],
    ): Promise<void> {
      const ids = groups.flat().map(({ id }) => id);
      const those = places.map((_, i) => i).filter((i) => places[i]?.intervals.length === 1);
      const single = those.map((i) => places[i] as CoveredPlace);
      const namedFrom = new Uint32Array(single.length + 1);
      for (const [i, { named = [] }] of single.entries()) namedFrom[i + 1] = (namedFrom[i] as number) + named.length;
      const named = single.flatMap(({ named = [] }) => named.map((id) => ids.indexOf(id)));
      const answer = await service
        .numbered({ build: 'GRCh38', threshold, groups: groups.map((group) => group.map(({ id }) => id)) })
        .covered(
          {
            chromosomes: single.map(({ chromosome }) => chromosome),
            starts: Uint32Array.from(single, ({ intervals }) => intervals[0]?.start as number),
            ends: Uint32Array.from(single, ({ intervals }) => intervals[0]?.end as number),
            ...{ named: Uint32Array.from(named), namedFrom },
          },
          new AbortController().signal,
        );
      const counts = those.map((i) => found[i] as CoveredCounts);
      expect(answer.unknown).to.deep.equal([]);
      expect([...answer.covered]).to.deep.equal(counts.flatMap(({ covered }) => covered));
      const below = single.map((_, n) => {
        const [from, to] = [namedFrom[n], namedFrom[n + 1]];
        return named.slice(from, to).filter((_, i) => answer.below[(from as number) + i] === 1);
      });
      expect(below.map((numbers) => numbers.map((number) => ids[number]))).to.deep.equal(
        counts.map(({ below }) => below),
      );
    }

    /** Asks about the places and compares each count and each named sample with the depths. */
    async function compare(groups: readonly (readonly Person[])[], places: readonly CoveredPlace[]): Promise<void> {
      for (let from = 0; from < places.length; from += 10_000) {
        const part = places.slice(from, from + 10_000);
        const { unknown, places: found } = await service.covered(
          { build: 'GRCh38', threshold, groups: groups.map((group) => group.map(({ id }) => id)), places: part },
          new AbortController().signal,
        );
        expect(unknown).to.deep.equal([]);
        await compareNumbered(groups, part, found);
        const everyone = groups.flat();
        for (const [i, place] of part.entries()) {
          const covered = groups.map((group) => group.filter((one) => isCovered(one, place)).length);
          const named = place.named ?? [];
          const below = named.filter((id) => {
            const one = everyone.find((candidate) => candidate.id === id);
            return one !== undefined && !isCovered(one, place);
          });
          if (String(found[i]?.covered) === String(covered) && String(found[i]?.below) === String(below)) continue;
          expect({ place, ...found[i] }).to.deep.equal({ place, covered, below });
        }
      }
    }

    const everyBase = regions.flatMap(({ chromosome, start, end }) =>
      Array.from({ length: end - start }, (_, i) => ({
        chromosome,
        intervals: [{ start: start + i, end: start + i + 1 }],
      })),
    );

    function longPlaces(next: (below: number) => number, ids: readonly string[]): CoveredPlace[] {
      return Array.from({ length: 400 }, () => {
        const region = regions[next(regions.length)] as (typeof regions)[number];
        const interval = (from: number) => {
          const start = Math.min(from + next(region.end - from), region.end - 1);
          return { start, end: Math.min(start + 1 + next(next(3) === 0 ? 40 : 5), region.end) };
        };
        const first = interval(region.start);
        const intervals = next(3) === 0 ? [first, interval(first.start)] : [first];
        return { chromosome: region.chromosome, intervals, named: ids.filter(() => next(3) === 0) };
      });
    }

    for (let round = 1; round <= rounds; round++) {
      it(`are those with the depth at every base, with samples that come, change and go, round ${round}`, async () => {
        const next = random(round);
        const women = [person('w1', 10 * round), person('w2', 10 * round + 1)];
        const men = [person('m1', 10 * round + 2), person('m2', 10 * round + 3)];
        await store(samples, [...women, ...men]);
        await compare([women, men], everyBase);
        const ids = ['m2', 'w1', 'w2', 'm1'];
        await compare([women, men, []], longPlaces(next, ids));
        // Another file for one, one more, and one less.
        const changed = person('w2', 10 * round + 4);
        const added = person('u1', 10 * round + 5);
        await store(samples, [changed, added]);
        await samples.remove(['m1']);
        const [w1, m2] = [women[0] as Person, men[1] as Person];
        await compare([[w1, changed], [m2], [added]], longPlaces(next, ['w1', 'w2', 'm2', 'u1']));
        await compare([[w1, changed, m2, added]], everyBase.slice(0, 2100));
      });
    }

    it('are the same from callable tracks, of all samples and of some, before and after samples change', async function () {
      this.timeout(60_000); // tracks are made of whole genomes
      await samples.remove((await samples.list({ limit: 100 })).map(({ id }) => id));
      const next = random(7);
      const women = Array.from({ length: 6 }, (_, i) => person(`track-w${i}`, 100 + i));
      const men = Array.from({ length: 4 }, (_, i) => person(`track-m${i}`, 200 + i));
      const unknown = [person('track-u0', 300)];
      await store(samples, [...women, ...men, ...unknown]);
      const making = { samples, tracks, thresholds: [threshold], now: () => new Date() };
      const control = { signal: new AbortController().signal };
      expect(await makeTracks(making, control)).to.equal(1);
      const ids = [...women, ...men, ...unknown].map(({ id }) => id);
      await compare([women, men, unknown], everyBase);
      await compare([women, men, unknown], longPlaces(next, ids));
      await compare([[...men, ...women.slice(1)], []], longPlaces(next, ids.slice(1, -1)));
      // Another file for one: the track has all others, who are still enough.
      const changed = person('track-w1', 400);
      await store(samples, [changed]);
      women[1] = changed;
      await compare([women, men, unknown], longPlaces(next, ids));
      // One less: the track is gone at once.
      await tracks.remove(['track-m3']);
      await samples.remove(['track-m3']);
      expect(await tracks.published()).to.deep.equal([]);
      men.pop();
      await compare([women, men, unknown], everyBase.slice(0, 2100));
      // A new track, into which a second one is merged.
      expect(await makeTracks(making, control)).to.equal(1);
      const added = Array.from({ length: 8 }, (_, i) => person(`track-x${i}`, 500 + i));
      await store(samples, added);
      await compare([women, [...men, ...added], unknown], longPlaces(next, [...ids.slice(0, 9), 'track-x3']));
      expect(await makeTracks(making, control)).to.equal(1);
      const [track] = await tracks.find((await tracks.published()).map(({ id }) => id));
      expect(track?.members.map(({ sample }) => sample)).to.have.members(
        [...women, ...men, ...unknown, ...added].map(({ id }) => id),
      );
      await compare([women, [...men, ...added], unknown], everyBase);
      expect(await makeTracks(making, control)).to.equal(0);
      await makeTracks({ ...making, thresholds: [] }, control);
      expect(await tracks.published()).to.deep.equal([]);
      const all = [...women, ...men, ...unknown, ...added].map(({ id }) => id);
      await samples.remove(all);
    });

    it('cover nothing beyond the end of a chromosome', async () => {
      await store(samples, [
        { id: 'end', stretches: [{ chromosome: 'MT', start: 16_560, depths: Array.from({ length: 9 }, () => 30) }] },
      ]);
      const at = (start: number, end: number): CoveredPlace => ({
        chromosome: 'MT',
        intervals: [{ start, end }],
        named: ['end'],
      });
      const places = [at(16_568, 16_569), at(16_568, 16_570), at(16_569, 16_570), at(16_559, 16_561)];
      const answer = await service.covered(
        { build: 'GRCh38', threshold, groups: [['end']], places },
        new AbortController().signal,
      );
      expect(answer.places).to.deep.equal([
        { covered: [1], below: [] },
        { covered: [0], below: ['end'] },
        { covered: [0], below: ['end'] },
        { covered: [0], below: ['end'] },
      ]);
    });
  });
}
