/** The erasure of a person, as plugins see it, and how they announce it and other events to each other. */

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
  /** If an earlier erasure is repeated: what it erased of what was stored, by its clock, at `before` or later. */
  readonly revisions?: ReadonlySet<string>;
}

/** A thing that is stored of a person, as it was stored once. */
export interface Revision {
  /** Distinguishes it from what is stored of the same person later: with a random id, or the moment at which it was stored. */
  readonly name: string;
  /** When it was stored, by the clock of the process that did it. */
  readonly stored: Date;
}

/** The name of a background job. */
export function jobRevision(id: string): string {
  return `job ${id}`;
}

/** Whether an erasure means this: if an earlier one is repeated, not what was stored after it. */
export function reaches({ before, revisions }: Erasure, { name, stored }: Revision): boolean {
  return before === undefined || stored < before || revisions?.has(name) === true;
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
   * The things that `erase` would erase. Those whose clock was ahead of that of the erasure are put on the list, so that a replay
   * of it erases them as well. If omitted, a replay goes by the moment alone.
   */
  revisions?(erasures: readonly Erasure[]): Promise<readonly Revision[]>;
  /**
   * Erases it, and returns what was erased; throws if it cannot. After a failure, `kill -9` included, the same call erases
   * what is left.
   */
  erase(erasures: readonly Erasure[]): Promise<readonly Erased[]>;
}

/** The erasures of each id: to look up what a thing is meant by, since a list of erasures grows for years. */
export function erasuresById(erasures: readonly Erasure[]): Map<string, Erasure[]> {
  const byId = new Map<string, Erasure[]>();
  for (const erasure of erasures) {
    const known = byId.get(erasure.id);
    if (known) known.push(erasure);
    else byId.set(erasure.id, [erasure]);
  }
  return byId;
}

/** Whether an id of samples, or of patients, of this institution is meant. */
export function concerns({ names, holder }: Erasure, what: 'sample' | 'patient'): boolean {
  return (names === undefined || names === what) && (holder === 'own' || holder === 'any');
}

/** The people of this institution whom erasures mean. */
export interface ErasedPeople {
  readonly ids: readonly string[];
  /** The erasures of an id. */
  of(id: string): readonly Erasure[];
  /** Whether an id is meant, with what was stored of it so; whenever that was if it is unknown. */
  reach(id: string, revision: Revision | undefined): boolean;
}

/** Samples, patients, or both; with a scope, only those whose erasures have it. */
export function peopleOf(
  erasures: readonly Erasure[],
  what: 'sample' | 'patient' | 'person',
  scope?: Erasure['scope'],
): ErasedPeople {
  const kinds = what === 'person' ? (['sample', 'patient'] as const) : [what];
  const byId = erasuresById(
    erasures.filter((one) => (scope === undefined || one.scope === scope) && kinds.some((kind) => concerns(one, kind))),
  );
  const of = (id: string): readonly Erasure[] => byId.get(id) ?? [];
  return {
    ids: [...byId.keys()],
    of,
    reach: (id, revision) => of(id).some((one) => revision === undefined || reaches(one, revision)),
  };
}

/** What a plugin stores of the people of erasures. */
export interface PersonalData {
  readonly found: readonly Erased[];
  /** See `Eraser.revisions`. */
  readonly revisions: readonly Revision[];
  /** Erases what was found; returns what was erased if that is told in other words or numbers. */
  erase(): Promise<readonly Erased[] | undefined>;
}

/** An eraser that looks for the data of people in one way, whether it is shown, noted on the list or erased. */
export function eraserOf(
  look: (erasures: readonly Erasure[]) => Promise<PersonalData>,
  related?: Eraser['related'],
): Eraser {
  return {
    ...(related && { related }),
    find: async (erasures) => (await look(erasures)).found,
    revisions: async (erasures) => (await look(erasures)).revisions,
    async erase(erasures) {
      const data = await look(erasures);
      return (await data.erase()) ?? data.found;
    },
  };
}

// Events that a plugin announces to others that it need not know, from the server and from its commands.

/** How a plugin announces events to others that it need not know. */
export interface Announcing {
  /**
   * Calls every plugin that listens to the event, in the order of the configuration, and resolves once all are done.
   * The key is of this plugin: `coverage/intervals-replaced@1`. Announce a change after it is stored. If listeners
   * fail, the others still run; then an `unavailable` fault names those that failed. The caller reports it and may
   * repeat; a job that throws it is retried.
   */
  announce<Event extends object>(key: string, event: Event): Promise<void>;
  /**
   * Puts the erasure on the list of erasures, which is replayed after an older backup was restored, and then calls the
   * `onErase` of all other plugins. Throws as `announce`. Call it before erasing the plugin's own data, which a repeated
   * announcement would need.
   */
  announceErasure(erasure: Erasure): Promise<void>;
}
