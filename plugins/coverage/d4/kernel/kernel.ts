/** The interface of the kernels: the inner loops over packed codes. */

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
