import { expect } from 'chai';
import fc from 'fast-check';
import { kernel, maxThresholds, unpackCodes, windowBytes } from '../../../../plugins/coverage/d4/kernel/kernel.js';
import { xorshift } from '../../../bench/d4-sample.js';

/** Codes read bit by bit, lowest first. */
function codesOf(bytes: Uint8Array, width: number, first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    let code = 0;
    for (let bit = 0; bit < width; bit++) {
      const at = (first + i) * width + bit;
      code |= (((bytes[at >> 3] as number) >> (at & 7)) & 1) << bit;
    }
    return code;
  });
}

describe('d4: kernels', () => {
  const kernels = [kernel('plain'), kernel('simd')];

  function fill(seed: number, highest: boolean): void {
    const random = xorshift(seed);
    for (const { window } of kernels) window.fill(255);
    if (highest) return;
    const [a, b] = kernels;
    for (let i = 0; i < windowBytes; i++) (a?.window as Uint8Array)[i] = random() & 255;
    b?.window.set(a?.window as Uint8Array);
  }

  for (let width = 1; width <= 16; width++) {
    it(`${width} bits: sums, counts, histograms and codes equal those computed bit by bit`, () => {
      const most = Math.min(3000, Math.floor((windowBytes * 8) / width));
      const case_ = fc.record({
        seed: fc.integer({ min: 1 }),
        highest: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
        first: fc.nat(100),
        count: fc.nat(most - 100),
        thresholds: fc.array(fc.integer({ min: 1, max: 2 ** width - 1 }), { maxLength: maxThresholds }),
      });
      fc.assert(
        fc.property(case_, ({ seed, highest, first, count, thresholds }) => {
          fill(seed, highest);
          const codes = codesOf(kernels[0]?.window as Uint8Array, width, first, count);
          const sum = codes.reduce((a, b) => a + b, 0);
          const bins = new Float64Array(2 ** width);
          for (const code of codes) bins[code] = (bins[code] as number) + 1;
          for (const one of kernels) {
            expect(one.sum(width, first, count)).to.equal(sum);
            const totals = new Float64Array(maxThresholds).fill(1);
            one.counts(width, first, count, thresholds, totals);
            const reached = thresholds.map((threshold) => codes.filter((code) => code >= threshold).length);
            expect([...totals.subarray(0, thresholds.length)]).to.deep.equal(reached.map((bases) => 1 + bases));
            const found = new Float64Array(2 ** width);
            one.histogram(width, first, count, found);
            expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(bins.buffer))).to.equal(0);
            expect([...one.unpack(width, first, count)]).to.deep.equal(codes);
          }
        }),
        { numRuns: 12 },
      );
    });
  }

  it('count the codes of every range, wherever it begins and ends', () => {
    fill(3, false);
    for (let width = 1; width <= 8; width++) {
      const codes = codesOf(kernels[0]?.window as Uint8Array, width, 0, 16 + 50);
      const thresholds = [...new Set([1, 2 ** (width - 1), 2 ** width - 1])];
      for (let first = 0; first < 16; first++) {
        for (let count = 0; count < 50; count++) {
          const own = codes.slice(first, first + count);
          const reached = thresholds.map((threshold) => own.filter((code) => code >= threshold).length);
          const totals = new Float64Array(thresholds.length);
          kernel('simd').counts(width, first, count, thresholds, totals);
          expect([...totals], `width ${width}, ${first} + ${count}`).to.deep.equal(reached);
        }
      }
    }
  });

  it('agree on whole windows, where partial sums are largest', () => {
    for (const highest of [true, false]) {
      fill(5, highest);
      for (let width = 1; width <= 8; width++) {
        const count = Math.floor((windowBytes * 8) / width);
        const thresholds = [1, 2 ** width - 1];
        const [plain, simd] = kernels.map((one) => {
          const totals = new Float64Array(2);
          const bins = new Float64Array(2 ** width);
          one.histogram(width, 0, count, bins);
          one.counts(width, 0, count, thresholds, totals);
          const sum = one.sum(width, 0, count);
          return { sum, totals: [...totals], bins: [...bins], codes: Buffer.from(one.unpack(width, 0, unpackCodes)) };
        });
        expect(simd).to.deep.equal(plain);
        if (highest) expect(simd?.sum).to.equal(count * (2 ** width - 1));
      }
    }
  });
});
