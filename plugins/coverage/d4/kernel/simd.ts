/** The kernels in WebAssembly SIMD. */
import { D4Error } from '../error.js';
import { type Kernel, maxThresholds, unpackCodes, windowBytes, windowSlack } from './kernel.js';
import { plainKernel } from './plain.js';
import { memoryMap } from './simd-rounds.js';
import { banks, maxSimdWidth, simdModule } from './simd-source.js';

/** The part of the WebAssembly API that the kernels need; TypeScript declares its types only for browsers. */
interface WebAssemblyApi {
  Memory: new (descriptor: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

/** Undefined on a platform without WebAssembly. */
const webAssembly = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;

type Range = (first: number, count: number) => void;
interface WidthExports {
  sum(first: number, count: number): number;
  histogram: Range;
  unpack: Range;
}

const page = 65_536;
/** Below this number of codes, copies of the bins cost more than they save. */
const fewCodes = 1024;

/** The kernels in WebAssembly SIMD for widths 1 to 8, assembled when a width is first used; the plain ones do wider codes. */
export function simdKernel(): Kernel {
  if (!webAssembly) throw new D4Error('invalid', 'This platform has no WebAssembly', 'kernel');
  const { Memory, Module, Instance } = webAssembly;
  const size = memoryMap.window + windowBytes + windowSlack;
  const memory = new Memory({ initial: Math.ceil(size / page) });
  const window = new Uint8Array(memory.buffer, memoryMap.window, windowBytes + windowSlack);
  const unpacked = new Uint8Array(memory.buffer, memoryMap.unpacked, unpackCodes);
  const bins = new Uint32Array(memory.buffer, memoryMap.bins, 2 ** maxSimdWidth * banks);
  const given = new Uint32Array(memory.buffer, memoryMap.thresholds, maxThresholds);
  const reached = new Uint32Array(memory.buffer, memoryMap.counts, maxThresholds);
  const plain = plainKernel(window);
  const widths = new Map<number, WidthExports>();
  const counters = new Map<number, Range>();

  function assemble(width: number, thresholds: number): Record<string, unknown> {
    const module = new Module(simdModule(width, thresholds));
    return new Instance(module, { env: { memory } }).exports;
  }

  function of(width: number): WidthExports {
    let found = widths.get(width);
    if (!found) {
      found = assemble(width, 0) as unknown as WidthExports;
      widths.set(width, found);
    }
    return found;
  }

  function counter(width: number, thresholds: number): Range {
    const key = width * (maxThresholds + 1) + thresholds;
    let found = counters.get(key);
    if (!found) {
      found = assemble(width, thresholds).counts as Range;
      counters.set(key, found);
    }
    return found;
  }

  return {
    name: 'simd',
    window,
    sum(width, first, count) {
      return width > maxSimdWidth ? plain.sum(width, first, count) : of(width).sum(first, count);
    },
    counts(width, first, count, thresholds, totals) {
      if (width > maxSimdWidth) return plain.counts(width, first, count, thresholds, totals);
      if (thresholds.length === 0) return;
      for (let t = 0; t < thresholds.length; t++) given[t] = thresholds[t] as number;
      counter(width, thresholds.length)(first, count);
      for (let t = 0; t < thresholds.length; t++) totals[t] = (totals[t] as number) + (reached[t] as number);
    },
    histogram(width, first, count, totals) {
      if (width > maxSimdWidth || count < fewCodes) return plain.histogram(width, first, count, totals);
      of(width).histogram(first, count);
      const used = bins.subarray(0, 2 ** width * banks);
      for (let code = 0; code < 2 ** width; code++) {
        let sum = 0;
        for (let bank = 0; bank < banks; bank++) sum += used[code * banks + bank] as number;
        totals[code] = (totals[code] as number) + sum;
      }
      used.fill(0);
    },
    unpack(width, first, count) {
      if (width > maxSimdWidth) return plain.unpack(width, first, count);
      of(width).unpack(first, count);
      return unpacked.subarray(0, count);
    },
  };
}

/** Whether this machine can run the SIMD kernels. */
export function simdSupported(): boolean {
  return webAssembly?.validate(simdModule(maxSimdWidth, 0)) ?? false;
}
