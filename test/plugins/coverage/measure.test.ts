/** Measurements against a model that counts every base separately. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { isFault } from '../../../core/fault.js';
import { createMeasure } from '../../../plugins/coverage/measure/create-measure.js';
import {
  completeness,
  isComplete,
  meanOfTargets,
  percentOfShare,
  type Sample,
  type Target,
} from '../../../plugins/coverage/measure/measure.js';
import { lengthOfRegions, type Region, union } from '../../../plugins/coverage/measure/region.js';
import { type CoverageSources, coverageSources } from '../../../plugins/coverage/measure/sources.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { blockFolder } from '../../support/folder.js';
import { trackArbitrary } from './d4/support/arbitrary.js';
import { denominatorOf, percentileOf } from './d4/support/brute.js';
import { type BuildTrack, buildFile } from './d4/support/build.js';

/** Targets of a few regions each, inside, across and beyond the chromosomes, some on a missing one. */
function targetsOf(track: BuildTrack): fc.Arbitrary<Target[]> {
  const region = fc
    .tuple(
      fc.constantFrom(...track.chromosomes.map(({ name, size }) => ({ name, size })), { name: 'absent', size: 50 }),
      fc.nat(),
      fc.nat(),
    )
    .map(([{ name, size }, a, b]) => {
      const [start, other] = [a % (size + 20), b % (size + 20)].sort((x, y) => x - y) as [number, number];
      return { chromosome: name, start, end: Math.max(other, start + 1) };
    });
  return fc.array(fc.record({ regions: fc.array(region, { minLength: 1, maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 5,
  });
}

/** Every distinct base of the regions: its depth, or undefined if the file has none. */
function basesOf(track: BuildTrack, targets: readonly Target[]): (number | undefined)[] {
  const places = new Map<string, number | undefined>();
  for (const { chromosome, start, end } of targets.flatMap(({ regions }) => regions)) {
    const own = track.chromosomes.find(({ name }) => name === chromosome);
    for (let at = start; at < end; at += 1) {
      const inside = own !== undefined && at < own.size;
      places.set(`${chromosome}:${at}`, inside ? (own.depths[at] as number) / denominatorOf(track) : undefined);
    }
  }
  return [...places.values()];
}

describe('measuring targets', () => {
  const folder = blockFolder();
  let sources: CoverageSources;
  before(async () => {
    const settings = coverageSettings.parse({ roots: [folder] });
    sources = coverageSources({ settings, log: { warn() {} } });
  });
  after(async () => {
    await sources.close();
  });

  it('equals counting every base, for each target and for all together', async () => {
    let files = 0;
    const measure = createMeasure(sources, { gaps: 1_000_000, counts: 1_000_000 });
    const property = fc.asyncProperty(
      trackArbitrary({ maxSize: 600, maxWidth: 8 }).chain((track) =>
        fc.tuple(fc.constant(track), targetsOf(track), targetsOf(track)),
      ),
      fc.array(fc.integer({ min: -5, max: 90 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 60 }),
      async ([track, targets, others], thresholds, gapsBelow) => {
        const all = basesOf(track, targets);
        fc.pre(all.some((depth) => depth !== undefined));
        const path = join(folder, `${files++}.d4`);
        await writeFile(path, buildFile(track));
        const location = await sources.coverageFile(path);
        const samples = [{ name: 's', location }];
        // Some of the same regions again, others, and none.
        const beside = { again: [...targets.toReversed(), ...others], none: [{ regions: [] }] };
        const measured = await measure({ samples, targets, beside, thresholds, distribution: true, gapsBelow });
        const [sample] = measured.samples;
        if (sample === undefined) throw new Error('one sample was asked for');
        expect(measured.thresholds).to.deep.equal([...new Set(thresholds)].sort((a, b) => a - b));
        const apart = (list: readonly Target[]) => [...list.map((target) => [target]), [...list]];
        const parts = [...apart(targets), ...apart(beside.again), ...apart(beside.none)];
        const layers = [sample, sample.beside.again, sample.beside.none];
        const found = layers.flatMap((layer) => (layer ? [...layer.targets, layer.pooled] : []));
        expect(found).to.have.length(parts.length);
        for (const [i, depths] of found.entries()) {
          const bases = basesOf(track, parts[i] ?? []);
          const known = bases.filter((depth) => depth !== undefined);
          const sum = known.reduce((total, depth) => total + depth, 0);
          expect([depths.length, depths.measured]).to.deep.equal([bases.length, known.length]);
          expect(depths.sum).to.be.closeTo(sum, 1e-6 * Math.max(1, Math.abs(sum)));
          expect(depths.mean).to.be.closeTo(bases.length === 0 ? 0 : sum / bases.length, 1e-6);
          expect(depths.reached).to.deep.equal(
            measured.thresholds.map((threshold) => known.filter((depth) => depth >= threshold).length),
          );
          if (i >= targets.length) continue;
          if (known.length > 0) {
            expect([depths.min, depths.max]).to.deep.equal([Math.min(...known), Math.max(...known)]);
            expect(depths.median).to.be.closeTo(percentileOf(known, 50), 1e-9);
          }
          // The gaps contain every base that is not covered.
          const low = bases.filter((depth) => depth === undefined || depth < gapsBelow).length;
          expect(lengthOfRegions(depths.gaps ?? [])).to.equal(low);
          expect(union(depths.gaps ?? [])).to.have.length(depths.gaps?.length ?? 0);
        }
        const asked = basesOf(track, [...targets, ...others]);
        expect(sample.warnings.length > 0 || asked.every((depth) => depth !== undefined)).to.equal(true);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it('has a union that contains every base once', () => {
    const region = fc
      .tuple(fc.constantFrom('1', '2'), fc.nat(100), fc.integer({ min: 1, max: 30 }))
      .map(([chromosome, start, length]) => ({ chromosome, start, end: start + length }));
    fc.assert(
      fc.property(fc.array(region, { maxLength: 20 }), (regions) => {
        const bases = (list: readonly Region[]) =>
          list.flatMap(({ chromosome, start, end }) =>
            Array.from({ length: end - start }, (_, i) => `${chromosome}:${start + i}`),
          );
        const once = bases(union(regions));
        expect(new Set(once).size).to.equal(once.length);
        expect([...once].sort()).to.deep.equal([...new Set(bases(regions))].sort());
      }),
    );
  });

  it('never rounds up to complete, nor down to zero', () => {
    expect(percentOfShare(1)).to.equal(100);
    expect(percentOfShare(0)).to.equal(0);
    expect(percentOfShare(0.9999999)).to.equal(99.99);
    expect(percentOfShare(0.0000001)).to.equal(0.01);
    expect(percentOfShare(0.123456)).to.equal(12.35);
    const depths = { length: 3, measured: 3, sum: 9, mean: 3, reached: [3, 2] };
    expect([isComplete(depths, 0), isComplete(depths, 1)]).to.deep.equal([true, false]);
    expect(completeness(depths, 1)).to.equal(2 / 3);
    const none = { length: 0, measured: 0, sum: 0, mean: 0, reached: [0] };
    expect([isComplete(none, 0), completeness(none, 0)]).to.deep.equal([false, 0]);
    const sample = {
      name: 's',
      file: { fingerprint: '' },
      targets: [depths, none],
      pooled: depths,
      beside: {},
      warnings: [],
    };
    expect(meanOfTargets(sample)).to.equal(1.5);
  });

  it('refuses more gaps than the limit', async () => {
    const size = 100;
    const depths = Int32Array.from({ length: size }, (_, i) => (i % 2 === 0 ? 30 : 0));
    const track = {
      chromosomes: [{ name: '1', size, depths }],
      values: [0, 30],
      simple: false,
      cuts: [[]],
      deflate: false,
      firstFrame: 512,
    };
    const path = join(folder, 'gaps.d4');
    await writeFile(path, buildFile(track));
    const location = await sources.coverageFile(path);
    const question = {
      samples: [{ name: 's', location }],
      targets: [{ regions: [{ chromosome: '1', start: 0, end: size }] }],
      thresholds: [10],
      gapsBelow: 10,
    };
    const found = await createMeasure(sources, { gaps: 50, counts: 2 })(question);
    expect(found.samples[0]?.targets[0]?.gaps).to.have.length(50);
    const refusal = await createMeasure(sources, { gaps: 49, counts: 2 })(question).catch(
      (error: Error) => error.message,
    );
    expect(refusal).to.equal('More than 49 regions are below 10x: request fewer intervals or a lower depth');
  });

  it('refuses more counts than the limit, before a file is opened', async () => {
    const location = 'nowhere.d4' as Sample['location'];
    const question = {
      samples: [1, 2, 3].map((i) => ({ name: `s${i}`, location })),
      targets: Array.from({ length: 4 }, (_, i) => ({ regions: [{ chromosome: '1', start: i, end: i + 1 }] })),
      thresholds: [10, 20, 10],
    };
    const measure = createMeasure(sources, { gaps: 1, counts: 35 });
    const refusal = await measure(question).catch((error: unknown) => error);
    expect(isFault(refusal) && [refusal.code, refusal.message]).to.deep.equal([
      'too-large',
      'The request needs 36 counts (intervals × samples × (1 + thresholds)); the limit is 35',
    ]);
  });
});
