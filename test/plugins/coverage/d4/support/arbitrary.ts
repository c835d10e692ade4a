import fc from 'fast-check';
import type { BuildTrack } from './build.js';

/** A depth curve with plateaus, noise, holes and spikes beyond any dictionary. */
export function depthsArbitrary(size: number): fc.Arbitrary<Int32Array> {
  const piece = fc.record({
    length: fc.integer({ min: 1, max: 400 }),
    kind: fc.constantFrom('flat', 'noise', 'zero', 'spike', 'negative'),
    level: fc.integer({ min: 0, max: 70 }),
    seed: fc.nat(),
  });
  return fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => {
    const depths = new Int32Array(size);
    let at = 0;
    for (let k = 0; at < size; k++) {
      const { length, kind, level, seed } = pieces[k % pieces.length] as (typeof pieces)[number];
      let state = seed + k;
      for (let i = 0; i < length && at < size; i++, at++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
        const noise = (state >> 16) % 7;
        depths[at] = { flat: level, noise: level + noise, zero: 0, spike: 1000 * level + noise, negative: -level }[
          kind
        ];
      }
    }
    return depths;
  });
}

export interface TrackOptions {
  maxSize?: number;
  maxWidth?: number;
}

/** Random genomes, depths, dictionaries, widths, tilings, frames and compression. */
export function trackArbitrary({ maxSize = 3000, maxWidth = 16 }: TrackOptions = {}): fc.Arbitrary<BuildTrack> {
  const width = fc.oneof(fc.integer({ min: 0, max: Math.min(8, maxWidth) }), fc.integer({ min: 0, max: maxWidth }));
  return fc
    .record({
      width,
      simple: fc.boolean(),
      low: fc.integer({ min: -3, max: 20 }),
      sizes: fc.array(fc.nat(maxSize), { minLength: 1, maxLength: 4 }),
    })
    .chain(({ width, simple, low, sizes }) => {
      const range = Array.from({ length: 2 ** width }, (_, code) => low + code);
      const values = simple
        ? fc.constant(range)
        : width > 10
          ? fc.constant([...range].reverse())
          : fc.uniqueArray(fc.integer({ min: -10, max: 3000 }), { minLength: 2 ** width, maxLength: 2 ** width });
      return fc.record({
        chromosomes: fc.tuple(
          ...sizes.map((size, i) => depthsArbitrary(size).map((depths) => ({ name: `chr${i + 1}`, size, depths }))),
        ),
        values,
        simple: fc.constant(simple),
        denominator: fc.constantFrom(undefined, 'One', { Value: 10 }, { Value: 0 }, { Value: -2 }, { Value: null }),
        cuts: fc.tuple(
          ...sizes.map((size) =>
            fc
              .uniqueArray(fc.integer({ min: 0, max: size }), { maxLength: 4 })
              .map((cuts) => cuts.sort((a, b) => a - b)),
          ),
        ),
        deflate: fc.boolean(),
        firstFrame: fc.constantFrom(17, 24, 26, 36, 512),
        frameIndex: fc.constantFrom(undefined, 'bool-first' as const, 'declared' as const),
      });
    });
}

/** Intervals inside, across and beyond the chromosomes; empty and repeated ones too. */
export function intervalsArbitrary(
  track: BuildTrack,
): fc.Arbitrary<{ chromosome: string; begin: number; end: number }[]> {
  const one = fc
    .constantFrom(...track.chromosomes)
    .chain(({ name, size }) =>
      fc
        .tuple(fc.nat(size + 50), fc.nat(size + 50))
        .map(([a, b]) => ({ chromosome: name, begin: Math.min(a, b), end: Math.max(a, b) })),
    );
  return fc.array(one, { maxLength: 30 });
}
