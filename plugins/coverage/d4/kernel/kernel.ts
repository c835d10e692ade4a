/** The interface of the kernels: the inner loops over packed codes. */

/** Bytes of packed codes that are decoded at a time: what fits the second-level cache beside everything else. */
export const windowBytes = 256 * 1024;

/** Kernels may load this much beyond the codes they were asked for. */
export const windowSlack = 64;

/** Codes that `unpack` decodes at most at a time. */
export const unpackCodes = 65_536;

/** Thresholds that one pass of `counts` takes. */
export const maxThresholds = 8;

/**
 * The inner loops. All work on codes [first, first + count) of the window, whose byte 0 holds code 0; the caller fills
 * the window and calls without waiting in between, since everything on a thread shares it.
 */
export interface Kernel {
  readonly name: 'simd' | 'plain';
  /** The window: `windowBytes` and some slack. */
  readonly window: Uint8Array;
  /** Sum of the codes. */
  sum(width: number, first: number, count: number): number;
  /**
   * Sum of the codes, and for each of at most `maxThresholds` thresholds (1 to 2^width − 1) the number of codes
   * that reach it, added to `totals[at + i]`.
   */
  counts(
    width: number,
    first: number,
    count: number,
    thresholds: readonly number[],
    totals: Float64Array,
    at: number,
  ): number;
  /** Adds the number of times each code occurs to `bins[code]`. */
  histogram(width: number, first: number, count: number, bins: Float64Array): void;
  /** The codes themselves, at most `unpackCodes`; valid until the next call. */
  unpack(width: number, first: number, count: number): Uint8Array | Uint16Array;
}
