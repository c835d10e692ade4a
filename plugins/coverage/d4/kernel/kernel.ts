/**
 * The kernels, the inner loops over packed codes: their interface, the choice for this thread, the one in plain TypeScript (for
 * wide codes and for machines without SIMD) and those in WebAssembly SIMD.
 */
import { D4Error } from '../error.js';
import { banks, maxSimdWidth, memoryMap, type SimdKernelName, simdModule } from './simd-source.js';

/** Bytes of packed codes that are decoded at a time: what fits into the second-level cache. */
export const windowBytes = 512 * 1024;

/** Bytes that kernels may load beyond the requested codes. */
export const windowSlack = 64;

/** Most codes that `unpack` decodes at a time. */
export const unpackCodes = 65_536;

/** Most thresholds of one pass of `counts`. */
export const maxThresholds = 8;

/**
 * The inner loops. All work on codes [first, first + count) of the window, whose byte 0 holds code 0. The caller must not await
 * anything between filling the window and the call, because the whole thread shares the window.
 */
export interface Kernel {
  readonly name: 'simd' | 'plain';
  /** The window: `windowBytes` and some slack. */
  readonly window: Uint8Array;
  /** Sum of the codes. */
  sum(width: number, first: number, count: number): number;
  /** For each of at most `maxThresholds` thresholds (1 to 2^width − 1), adds the number of codes at or above it to `totals[i]`. */
  counts(width: number, first: number, count: number, thresholds: readonly number[], totals: Float64Array): void;
  /** Adds the number of times each code occurs to `bins[code]`. */
  histogram(width: number, first: number, count: number, bins: Float64Array): void;
  /** The codes themselves, at most `unpackCodes`; valid until the next call. */
  unpack(width: number, first: number, count: number): Uint8Array | Uint16Array;
}

// Chooses the kernel of this thread.

export type KernelName = Kernel['name'];

const kernels = new Map<KernelName, Kernel>();

let best: KernelName | undefined;

/** This thread's kernel: SIMD if the machine supports it and the page permits it. Both give the same results; only tests name one. */
export function kernel(name?: KernelName): Kernel {
  best ??= simdSupported() ? 'simd' : 'plain';
  const chosen = name ?? best;
  let found = kernels.get(chosen);
  if (!found) {
    found = chosen === 'simd' ? simdKernel() : plainKernel();
    kernels.set(chosen, found);
  }
  return found;
}

// The kernels in plain TypeScript, for wide codes and for machines without SIMD.

/** The kernels in TypeScript, for every width: the reference for the others, and the only ones without SIMD. */
function plainKernel(memory?: Uint8Array): Kernel {
  const window = memory ?? new Uint8Array(windowBytes + windowSlack);
  const unpacked = new Uint16Array(unpackCodes);

  /** A code of up to 16 bits is within three bytes. */
  function unpack(width: number, first: number, count: number): Uint16Array {
    const mask = 2 ** width - 1;
    for (let i = 0; i < count; i++) {
      const bit = (first + i) * width;
      const p = bit >>> 3;
      const three = (window[p] as number) | ((window[p + 1] as number) << 8) | ((window[p + 2] as number) << 16);
      unpacked[i] = (three >>> (bit & 7)) & mask;
    }
    return unpacked.subarray(0, count);
  }

  /** Calls back with the codes, many at a time: a call for each would take longer than all else. */
  function some(width: number, first: number, count: number, visit: (codes: Uint16Array) => void): void {
    for (let done = 0; done < count; done += unpackCodes) {
      visit(unpack(width, first + done, Math.min(unpackCodes, count - done)));
    }
  }

  return {
    name: 'plain',
    window,
    unpack,
    sum(width, first, count) {
      let sum = 0;
      some(width, first, count, (codes) => {
        for (let i = 0; i < codes.length; i++) sum += codes[i] as number;
      });
      return sum;
    },
    counts(width, first, count, thresholds, totals) {
      some(width, first, count, (codes) => {
        for (let t = 0; t < thresholds.length; t++) {
          // The sign of a difference: a branch would often be predicted wrongly.
          const below = (thresholds[t] as number) - 1;
          let reached = 0;
          for (let i = 0; i < codes.length; i++) reached += (below - (codes[i] as number)) >>> 31;
          totals[t] = (totals[t] as number) + reached;
        }
      });
    },
    histogram(width, first, count, bins) {
      some(width, first, count, (codes) => {
        for (let i = 0; i < codes.length; i++) bins[codes[i] as number] = (bins[codes[i] as number] as number) + 1;
      });
    },
  };
}

// The kernels in WebAssembly SIMD.

/** The part of the WebAssembly API that the kernels need; TypeScript declares its types only for browsers. */
interface WebAssemblyApi {
  Memory: new (descriptor: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
}

/** Undefined on a platform without WebAssembly. */
const webAssembly = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;

/** A kernel over codes [first, first + count). Only `sum` returns something; the others write into the memory. */
type SimdFunction = (first: number, count: number) => number;

const page = 65_536;
/** Below this number of codes, copies of the bins cost more than they save. */
const fewCodes = 1024;

/** The kernels in WebAssembly SIMD for widths 1 to 8, assembled when a width is first used; the plain ones do wider codes. */
function simdKernel(): Kernel {
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
  const functions: Record<SimdKernelName, SimdFunction[]> = { sum: [], counts: [], histogram: [], unpack: [] };

  /** A kernel for one width, and for one number of thresholds if it counts. */
  function of(name: SimdKernelName, width: number, thresholds = 0): SimdFunction {
    const key = width * (maxThresholds + 1) + thresholds;
    let found = functions[name][key];
    if (!found) {
      found = assemble(name, width, thresholds);
      functions[name][key] = found;
    }
    return found;
  }

  function assemble(name: SimdKernelName, width: number, thresholds: number): SimdFunction {
    const module = new Module(simdModule(name, width, thresholds));
    return new Instance(module, { env: { memory } }).exports[name] as SimdFunction;
  }

  return {
    name: 'simd',
    window,
    sum(width, first, count) {
      return width > maxSimdWidth ? plain.sum(width, first, count) : of('sum', width)(first, count);
    },
    counts(width, first, count, thresholds, totals) {
      if (width > maxSimdWidth) return plain.counts(width, first, count, thresholds, totals);
      if (thresholds.length === 0) return;
      for (let t = 0; t < thresholds.length; t++) given[t] = thresholds[t] as number;
      of('counts', width, thresholds.length)(first, count);
      for (let t = 0; t < thresholds.length; t++) totals[t] = (totals[t] as number) + (reached[t] as number);
    },
    histogram(width, first, count, totals) {
      if (width > maxSimdWidth || count < fewCodes) return plain.histogram(width, first, count, totals);
      of('histogram', width)(first, count);
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
      of('unpack', width)(first, count);
      return unpacked.subarray(0, count);
    },
  };
}

/** A module of one function, `i8x16.popcnt(i8x16.splat(0))`, in bytes: it compiles where SIMD does. */
const probe = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0], // magic and version
  ...[1, 5, 1, 96, 0, 1, 123], // types: () → v128
  ...[3, 2, 1, 0], // functions
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11], // code
);

/** Whether this machine can run the SIMD kernels, and the policy of the page, if there is one, permits it. */
function simdSupported(): boolean {
  try {
    return webAssembly !== undefined && new webAssembly.Module(probe) !== undefined;
  } catch {
    return false;
  }
}
