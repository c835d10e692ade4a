/** A function whose work is measured as its input grows. */
export interface Scenario {
  /** The size of the smaller input: large enough for quadratic work to outweigh the rest. */
  size: number;
  /** Makes an input of this size, unmeasured, and returns the function to measure. */
  prepare(size: number): (() => unknown) | Promise<() => unknown>;
}
