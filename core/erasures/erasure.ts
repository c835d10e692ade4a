/** The erasure of a person, as plugins see it. */

/** A person whose data must be erased. An id is unique only among those of its holder. */
export interface Erasure {
  /** The person's id, as the holder writes it. */
  readonly id: string;
  /** What the id names; a sample and a patient alike if omitted. */
  readonly names?: 'sample' | 'patient';
  /** Whose id it is: `own` for this institution, `any` for every holder of the id, or one other node or client. */
  readonly holder: 'own' | 'any' | { readonly name: string };
  /**
   * `all` that is stored; or `sharing`: whatever others can find, count or compare with, while the clinical record, of which
   * reports are made, stays.
   */
  readonly scope: 'all' | 'sharing';
  /** Only what was stored before this moment, if an earlier erasure is repeated; everything if omitted. */
  readonly before?: Date;
}

/** What a plugin has, or had, of the people of an erasure: without their ids, and without genotypes. */
export interface Erased {
  /** In the plural, as in `samples of dataset cardio`. */
  readonly what: string;
  readonly count: number;
  /** Set if it is not erased: why, as in `the clinical record`. */
  readonly stays?: string;
}

/** Erases the people whose data a plugin stores. Both verbs ignore people that it does not know. */
export interface Eraser {
  /**
   * Ids of samples that belong to the cases, and further ids under which the plugin knows one of the samples. Omitted if it
   * knows neither.
   */
  related?(to: { readonly cases: readonly string[]; readonly samples: readonly string[] }): Promise<readonly string[]>;
  /** What `erase` would erase; changes nothing. */
  find(erasures: readonly Erasure[]): Promise<readonly Erased[]>;
  /**
   * Erases it, and returns what was erased; throws if it cannot. After a failure, `kill -9` included, the same call erases
   * what is left.
   */
  erase(erasures: readonly Erasure[]): Promise<readonly Erased[]>;
}

/** Whether an id of samples, or of patients, of this institution is meant. */
export function concerns({ names, holder }: Erasure, what: 'sample' | 'patient'): boolean {
  return (names === undefined || names === what) && (holder === 'own' || holder === 'any');
}
