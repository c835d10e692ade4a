/**
 * Sets by name and build that are replaced as a whole: their rows are staged under the number of a new set, which is then
 * published in one short transaction. Replaced and removed sets stay until they are swept.
 */
import {
  Fault,
  generated,
  integer,
  optional,
  type RowOf,
  type Tables,
  type TypedTable,
  text,
  time,
} from '../../../core/storage.js';
import { type Build, builds } from '../intervals/interval.js';

/** The first columns of a table of sets. */
export const setColumns = {
  number: generated(),
  name: text(),
  build: text(),
  // staged → published → dropped; or staged → dropped.
  state: text(),
  // Milliseconds since 1970: the last sign of life of the load; for a dropped set, when it was dropped.
  touched: integer(),
  loaded: optional(time()),
};

type SetTable = TypedTable<typeof setColumns>;
type SetRow = RowOf<typeof setColumns>;

/** What sets of every kind have. */
interface NamedSet {
  name: string;
  build: Build;
}

interface SetStore<Kept extends NamedSet, Row extends SetRow> {
  table: object;
  /** Of a published row. */
  setOf(row: Row): Kept;
  /** Frees what a dropped set has in other tables. May be interrupted, or run twice at once. */
  free(tables: Tables, number: number): Promise<void>;
  /** Called when the set that is replaced is no longer published. */
  dropped(): void;
}

interface SetLoad<Kept, Staged> {
  name: string;
  build: Build;
  signal?: AbortSignal | undefined;
  /** Stages the rows of the set. */
  stage(number: number): Promise<Staged>;
  /** Returns the columns of the new set. If it throws, nothing changes. */
  accept(staged: Staged, replaces: Kept | undefined): object;
}

/** Calls `work` in one state of the store, with its tables. */
type Snapshot<Moment> = <Result>(
  work: (moment: Moment, tables: Tables) => Promise<Result>,
  options: { signal?: AbortSignal | undefined },
) => Promise<Result>;

export function snapshotOf(tables: Tables): Snapshot<Tables> {
  return (work, options) => tables.snapshot((moment) => work(moment, moment), options);
}

interface SetReading<Published, Moment, Asked, Found> {
  snapshot: Snapshot<Moment>;
  /** What is found if there are no sets of the build: nothing is read then. */
  none: Found;
  read(moment: Moment, published: Published[], asked: Asked): Promise<Found>;
}

/** A published set with its row. */
export interface PublishedSet<Kept, Row> {
  number: number;
  set: Kept;
  row: Row;
}

interface SetVerbs<Kept> {
  /** The published sets, by name and build. */
  sets(options?: { signal?: AbortSignal | undefined }): Promise<Kept[]>;
  /** Returns the set that was removed; undefined if there was none. */
  remove(name: string, build: Build): Promise<Kept | undefined>;
  /** Frees what is replaced, removed or idle since then; returns the number of sets. */
  sweep(idleSince: Date): Promise<number>;
}

export function isSoundSet({ build }: Pick<SetRow, 'build'>): boolean {
  return (builds as readonly string[]).includes(build);
}

export class StagedSets<Kept extends NamedSet, Row extends SetRow> {
  readonly #store: SetStore<Kept, Row>;

  constructor(store: SetStore<Kept, Row>) {
    this.#store = store;
  }

  /** By name and build, texts by code units. */
  async published(from: Tables, signal?: AbortSignal): Promise<PublishedSet<Kept, Row>[]> {
    const found = await this.#in(from).find({ where: { state: 'published' }, signal });
    return found
      .map((row) => ({ number: row.number, set: this.#store.setOf(row as Row), row: row as Row }))
      .sort((one, other) => compared(one.set.name, other.set.name) || compared(one.set.build, other.set.build));
  }

  /** A verb that finds something in all sets of a build. */
  finder<Moment, Asked, Found>({ snapshot, none, read }: SetReading<PublishedSet<Kept, Row>, Moment, Asked, Found>) {
    return (build: Build, asked: Asked, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Found> =>
      snapshot(
        async (moment, tables) => {
          const own = (await this.published(tables)).filter(({ set }) => set.build === build);
          return own.length === 0 ? none : read(moment, own, asked);
        },
        { signal },
      );
  }

  /** Changes a staged set, with a sign of life. Throws a `conflict` fault if it was given up. */
  async changeStaged(on: Tables, number: number, columns: object): Promise<void> {
    const changed = await this.#in(on).change({ number, state: 'staged' }, { touched: Date.now(), ...columns });
    if (changed === 0) throw new Fault('conflict', 'The load was given up meanwhile: it was idle for too long');
  }

  async replace<Staged>(tables: Tables, load: SetLoad<Kept, Staged>, now: Date): Promise<Kept> {
    const { name, build, signal } = load;
    signal?.throwIfAborted();
    const added = await this.#in(tables).add({ name, build, state: 'staged', touched: Date.now() });
    const number = added?.number as number;
    const staged = await load.stage(number);
    return tables.transaction(async (inside) => {
      const columns = load.accept(staged, await this.#lock(inside, name, build));
      signal?.throwIfAborted();
      await this.#drop(inside, name, build);
      this.#store.dropped();
      const loaded = new Date(now);
      await this.changeStaged(inside, number, { state: 'published', loaded, ...columns });
      return this.#store.setOf({ number, name, build, loaded, ...columns } as unknown as Row);
    });
  }

  /** The verbs that do not depend on what the sets hold. */
  verbs(tables: Tables): SetVerbs<Kept> {
    return {
      sets: async ({ signal } = {}) => (await this.published(tables, signal)).map(({ set }) => set),
      remove: (name, build) =>
        tables.transaction(async (inside) => {
          const found = await this.#lock(inside, name, build);
          await this.#drop(inside, name, build);
          return found;
        }),
      sweep: async (idleSince) => {
        const before = { touched: { below: idleSince.getTime() } };
        await this.#in(tables).change({ state: 'staged', ...before }, { state: 'dropped' });
        const dropped = await this.#in(tables).find({ where: { state: 'dropped', ...before }, latest: true });
        for (const { number } of dropped) await this.#free(tables, number);
        return dropped.length;
      },
    };
  }

  #in(tables: Tables) {
    return tables.table(this.#store.table as SetTable);
  }

  /** Of two changes of published sets, the other waits until this transaction ends. */
  async #lock(inside: Tables, name: string, build: Build): Promise<Kept | undefined> {
    await this.#in(inside).lock({ state: { among: ['staged', 'published'] } });
    return (await this.published(inside)).find(({ set }) => set.name === name && set.build === build)?.set;
  }

  /** No query sees the set any more; its rows go when it is swept. */
  async #drop(inside: Tables, name: string, build: Build): Promise<void> {
    await this.#in(inside).change({ name, build, state: 'published' }, { state: 'dropped', touched: Date.now() });
  }

  async #free(tables: Tables, number: number): Promise<void> {
    await this.#store.free(tables, number);
    await this.#in(tables).remove({ number });
  }
}

function compared(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
