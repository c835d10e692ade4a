/** The kernels in plain TypeScript, for wide codes and for machines without SIMD. */
import { type Kernel, unpackCodes, windowBytes, windowSlack } from './kernel.js';

/** The kernels in TypeScript, for every width: the reference for the others, and the only ones without SIMD. */
export function plainKernel(memory?: Uint8Array): Kernel {
  const window = memory ?? new Uint8Array(windowBytes + windowSlack);
  const unpacked = new Uint16Array(unpackCodes);

  /** Calls back with every code; a code of up to 16 bits is within three bytes. */
  function each(width: number, first: number, count: number, visit: (code: number) => void): void {
    const mask = 2 ** width - 1;
    const last = first + count;
    for (let i = first; i < last; i++) {
      const bit = i * width;
      const p = bit >>> 3;
      const three = (window[p] as number) | ((window[p + 1] as number) << 8) | ((window[p + 2] as number) << 16);
      visit((three >>> (bit & 7)) & mask);
    }
  }

  return {
    name: 'plain',
    window,
    sum(width, first, count) {
      let sum = 0;
      each(width, first, count, (code) => {
        sum += code;
      });
      return sum;
    },
    counts(width, first, count, thresholds, totals) {
      each(width, first, count, (code) => {
        for (let t = 0; t < thresholds.length; t++) {
          if (code >= (thresholds[t] as number)) totals[t] = (totals[t] as number) + 1;
        }
      });
    },
    histogram(width, first, count, bins) {
      each(width, first, count, (code) => {
        bins[code] = (bins[code] as number) + 1;
      });
    },
    unpack(width, first, count) {
      let i = 0;
      each(width, first, count, (code) => {
        unpacked[i++] = code;
      });
      return unpacked.subarray(0, count);
    },
  };
}
