/** Mutants that the kit does not notice because they break no promise, with the reason. */
export interface Equivalent {
  /** The end of the source's path. */
  readonly source: string;
  readonly operator: string;
  /** A part of the line in which the change is. */
  readonly line: string;
  readonly because: string;
}

export const equivalents: readonly Equivalent[] = [];
