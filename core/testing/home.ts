/** Where a built-in adapter keeps the data of a test: the export `home` of `testing.ts` beside its `adapter.ts`. */

/** A new, empty place for data. */
export interface TestHome {
  /** Settings of the adapter for this place. */
  settings: Record<string, unknown>;
  /** Removes the place and all data in it. */
  discard(): Promise<void>;
}

/** `url`: the server on which to make the place, for an adapter that needs one. Throws an `invalid` fault without it. */
export type MakeHome = (options: { url?: string | undefined }) => Promise<TestHome>;
