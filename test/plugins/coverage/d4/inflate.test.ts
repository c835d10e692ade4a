import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { inflate } from '../../../../plugins/coverage/d4/secondary/inflate.js';

/** Bytes with runs and repetitions at all distances, as records have them. */
const bytesArbitrary = fc
  .array(
    fc.oneof(
      fc.record({ fresh: fc.uint8Array({ maxLength: 200 }) }),
      fc.record({ back: fc.integer({ min: 1, max: 40_000 }), length: fc.integer({ min: 1, max: 3000 }) }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => {
    const bytes: number[] = [];
    for (const piece of pieces) {
      if ('fresh' in piece) bytes.push(...piece.fresh);
      else for (let i = 0; i < piece.length; i++) bytes.push(bytes[bytes.length - piece.back] ?? i % 7);
    }
    return Uint8Array.from(bytes);
  });
const optionsArbitrary = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY, constants.Z_RLE),
});
const runs = { numRuns: Number(process.env.TEST_HISTORIES ?? 60) };

describe('d4: inflating without the platform', () => {
  it('equals zlib, whatever padding follows', () => {
    fc.assert(
      fc.property(bytesArbitrary, optionsArbitrary, fc.nat(3), (bytes, options, padding) => {
        const packed = Buffer.concat([deflateRawSync(bytes, options), Buffer.alloc(padding)]);
        expect(Buffer.compare(inflate(packed, bytes.length), bytes)).to.equal(0);
      }),
      runs,
    );
  });

  it('refuses more bytes than are expected, and data that is cut', () => {
    fc.assert(
      fc.property(
        bytesArbitrary,
        optionsArbitrary,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (bytes, options, part) => {
          const packed = deflateRawSync(bytes, options);
          if (bytes.length > 0) expect(() => inflate(packed, bytes.length - 1)).to.throw('There are more than');
          expect(() => inflate(packed.subarray(0, Math.floor(packed.length * part)), bytes.length)).to.throw(Error);
        },
      ),
      runs,
    );
  });

  it('never returns other bytes than zlib does for broken data', () => {
    let both = 0;
    fc.assert(
      fc.property(bytesArbitrary, optionsArbitrary, fc.nat(), fc.nat(7), (bytes, options, at, bit) => {
        const packed = deflateRawSync(bytes, options);
        const place = at % packed.length;
        packed[place] = (packed[place] as number) ^ (1 << bit);
        const size = bytes.length + 1000;
        const attempt = (work: () => Uint8Array) => {
          try {
            return Buffer.from(work());
          } catch {
            return undefined;
          }
        };
        const expected = attempt(() => inflateRawSync(packed, { maxOutputLength: size }));
        const found = attempt(() => inflate(packed, size));
        // Codes that are not complete are refused by zlib even if the data does not use those that are missing.
        if (expected === undefined) return;
        both++;
        expect(found && Buffer.compare(found, expected)).to.equal(0);
      }),
      { numRuns: 5 * runs.numRuns },
    );
    expect(both).to.be.greaterThan(5);
  });
});
