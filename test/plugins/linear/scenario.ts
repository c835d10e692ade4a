/** Something whose work is measured as its input grows. */
export interface Scenario {
  /** How large the smaller input is: large enough for quadratic work to outweigh the rest. */
  size: number;
  /** Makes an input of a size, which is not measured, and returns what is. */
  prepare(size: number): (() => unknown) | Promise<() => unknown>;
}
