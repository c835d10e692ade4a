/** A sample of a question whose coverage is known. */
export interface Member {
  /** Its number among the samples of the question. */
  sample: number;
  group: number;
}
