/** The recorded queries of clients, in an index like that of the stored patients. */
import type { KeptQuery, MatchRepository } from '../contract.js';
import { type FollowedChanges, Follower } from '../matching/follower.js';
import { geneFirst, type Places } from '../matching/gene-first.js';
import type { Profile, Profiler } from '../matching/profile.js';
import type { Hit, SearchOptions } from '../matching/search.js';
import type { Work } from '../matching/work.js';
import type { Resources } from '../resources/resources.js';

export interface RecordedQueriesOptions {
  matches: Pick<MatchRepository, 'latestQueries' | 'queries'>;
  /** Askers whose queries are left out. */
  without(): Promise<ReadonlySet<string>>;
  resources: Resources;
  signal: AbortSignal;
}

/** Whose query a record has. */
export interface QueryOwner extends Pick<KeptQuery, 'asker' | 'stored'> {
  /** The query patient's id. */
  id: string;
}

/** Queries read from the store at a time. */
const batch = 200;
/** Hits beyond the limit and the places of a search, in place of those that are left out. */
const spare = 8;

export class RecordedQueries {
  readonly #options: Omit<RecordedQueriesOptions, 'resources' | 'signal'>;
  readonly #follower: Follower;
  /** By record; those that are not in the index, too. */
  readonly #known = new Map<number, QueryOwner>();
  /** As of the last update. */
  #latest: readonly number[] = [];
  #without: ReadonlySet<string> = new Set();
  /** What is not known, and may be in the index. */
  readonly #unknown = new Set<number>();

  constructor({ resources, signal, ...options }: RecordedQueriesOptions) {
    this.#options = options;
    this.#follower = new Follower({ changesSince: (revision) => this.#changes(revision) }, resources, signal);
  }

  /** The one whose profiles are in the index. */
  get profiler(): Profiler {
    return this.#follower.profiler;
  }

  /** See `Follower.usable`. */
  get usable(): boolean {
    return this.#follower.usable;
  }

  /**
   * The queries that are most similar to a patient, of all that were recorded before the call and are the latest of their
   * asker and patient: best first, ties by the id of the query patient, then by record. Places go to those that share a gene
   * first (gene-first.ts), behind the others if they rank lower. Tests are left out.
   */
  async best(
    patient: Profile,
    { limit, places, ...options }: Omit<SearchOptions, 'places'> & Places,
    isLeftOut: (query: QueryOwner) => boolean,
    work: Work,
  ): Promise<Hit[]> {
    await this.#follower.catchUp();
    for (let more = spare; ; more *= 2) {
      const searched = { ...options, limit: limit + more, places: places + more };
      const { hits, first } = await this.#follower.search(patient, searched, work);
      const kept = hits.filter(({ number }) => {
        const query = this.#known.get(number);
        return query !== undefined && !isLeftOut(query);
      });
      if (hits.length - kept.length > more && hits.length >= searched.limit) continue;
      return geneFirst(kept, { limit, places }, ({ number }) => first.has(number)).map(({ item }) => item);
    }
  }

  /** Resolves once no update is under way. */
  settled(): Promise<void> {
    return this.#follower.settled();
  }

  /**
   * Records are added and deleted by every server, and not in the order of their numbers: what changed is the difference
   * between two lists of all of them. What is after a `yield` happens once the changes are in the index: after a failure the
   * others are changes again.
   */
  async *#changes(before: number): AsyncGenerator<FollowedChanges> {
    const without = await this.#options.without();
    const latest = await this.#options.matches.latestQueries();
    if (isEqual(latest, this.#latest) && isEqual([...without].sort(), [...this.#without].sort())) return;
    const live = new Set(latest);
    for (const [number, { asker }] of this.#known) {
      if (live.has(number) && without.has(asker) === this.#without.has(asker)) continue;
      // Searches that come before the index has changed then pass over it.
      this.#known.delete(number);
      this.#unknown.add(number);
    }
    this.#without = without;
    this.#latest = [];
    let revision = before;
    yield { revision: ++revision, saved: [], removed: [...this.#unknown] };
    this.#unknown.clear();
    const unseen = latest.filter((number) => !this.#known.has(number));
    for (let i = 0; i < unseen.length; i += batch) {
      const queries = await this.#options.matches.queries(unseen.slice(i, i + batch));
      const saved: FollowedChanges['saved'][number][] = [];
      for (const { number, patient, asker } of queries) {
        this.#unknown.add(number);
        if (patient.test === true || without.has(asker)) continue;
        saved.push({ number, patient: { ...patient, id: rankOf(patient.id, number) } });
      }
      yield { revision: ++revision, saved, removed: [] };
      for (const { number, patient, asker, stored } of queries) {
        this.#known.set(number, { asker, id: patient.id, ...(stored !== undefined && { stored }) });
        this.#unknown.delete(number);
      }
    }
    this.#latest = latest;
  }
}

/** Several askers may use one id, and ties are to have one order: no id has U+0000, which comes before all others. */
function rankOf(id: string, number: number): string {
  return `${id}\u0000${String(number).padStart(16, '0')}`;
}

function isEqual<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}
