/** Finds the stored patients that are most like a query, with scores and reasons. */
import { setImmediate } from 'node:timers/promises';
import type { StorageLog } from '../../../core/plugin.js';
import type { MatchmakerRepository, StoredPatient } from '../contract.js';
import type { Patient } from '../patient/patient.js';
import type { Resources } from '../resources/resources.js';
import { byRank } from './best.js';
import { type Explanation, explain } from './explanation.js';
import { Follower } from './follower.js';
import { compare, type Score } from './score.js';
import type { Hit, SearchOptions } from './search.js';
import { Work } from './turns.js';

export type MatchedPatients = Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'>;

export interface Match {
  stored: StoredPatient;
  score: Score;
  explanation: Explanation;
}

export interface MatchState {
  /** Patients in the index. */
  patients: number;
  /** Of the index: its lists, columns and working space. */
  bytes: number;
  /** Milliseconds that building took, reading the store included. */
  built: number;
  /** Of the resources that it was built with. */
  resources: number;
  /** Whether another one is being built, for other resources. */
  rebuilding: boolean;
}

export interface MatchServiceOptions {
  patients: MatchedPatients;
  /** What is in use now; the same object until it is exchanged whole. */
  resources: () => Resources;
  log: StorageLog;
}

export interface MatchOptions extends SearchOptions {
  /** A stored patient that is left out: with this id, if it belongs to this owner. Another owner's is another patient. */
  exclude?: Pick<StoredPatient, 'owner'> & Pick<Patient, 'id'>;
  /** Ends the search: nobody waits for it any more. */
  signal?: AbortSignal;
}

/** How often a search is repeated when patients change while it is being answered. */
const attempts = 3;

export class MatchService {
  readonly #patients: MatchedPatients;
  readonly #resources: () => Resources;
  readonly #log: StorageLog;
  readonly #closing = new AbortController();
  #current: Follower | undefined;
  #building: Promise<Follower> | undefined;

  constructor({ patients, resources, log }: MatchServiceOptions) {
    this.#patients = patients;
    this.#resources = resources;
    this.#log = log;
  }

  /** Resolves when the index is built with the resources in use; meanwhile the one before answers, if there is one. */
  async ready(): Promise<void> {
    while (!this.#upToDate(this.#current)) await this.#build();
  }

  /**
   * The best patients, best first, ties by id (in the order of its bytes), as of a moment after the call: what was
   * committed before it is taken into account. Each has a score above 0.
   */
  async match(patient: Patient, { exclude, signal, ...asked }: MatchOptions): Promise<Match[]> {
    // Ids are unique on a node: there is one patient to leave out at most.
    const options = exclude ? { ...asked, limit: asked.limit + 1 } : asked;
    const work = new Work(signal);
    for (let attempt = 1; ; attempt++) {
      const follower = await this.#followed();
      // One search at each turn of the event loop: those that come together do not keep others waiting.
      await setImmediate();
      const hits = await follower.search(follower.profiler.profile(patient), options, work);
      const { matches, overtaken } = await this.#explained(follower, patient, hits, options, work);
      if (overtaken && attempt < attempts) continue;
      return matches.filter(({ stored }) => !isSame(stored, exclude)).slice(0, asked.limit);
    }
  }

  /** Undefined before the first index is built. */
  state(): MatchState | undefined {
    const follower = this.#current;
    if (!follower) return undefined;
    const { index, profiler, built = 0 } = follower;
    const rebuilding = this.#building !== undefined;
    return { patients: index.size, bytes: index.bytes, built, resources: profiler.resources.revision, rebuilding };
  }

  /** Stops building, and waits for what is under way in the store. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#building?.catch(() => {}); // whoever waits for it is told
    await this.#current?.settled();
  }

  #upToDate(follower: Follower | undefined): follower is Follower {
    return follower?.usable === true && follower.profiler.resources === this.#resources();
  }

  /** The one to ask: not the one that is being built as long as there is another. */
  async #follower(): Promise<Follower> {
    const current = this.#current;
    if (!current?.usable) return this.#build();
    if (!this.#upToDate(current) && !this.#building) {
      this.#build().catch((error: Error) => {
        this.#log.warn({ reason: error.message }, 'the index of patients could not be built for the new resources');
      });
    }
    return current;
  }

  /** One that has taken in what was committed before the call; made anew where it cannot follow the store any more. */
  async #followed(): Promise<Follower> {
    const follower = await this.#follower();
    try {
      await follower.catchUp();
      return follower;
    } catch (error) {
      if (follower.usable) throw error;
      this.#log.warn({ reason: (error as Error).message }, 'the index of patients is made anew');
      const other = await this.#build();
      await other.catchUp();
      return other;
    }
  }

  #build(): Promise<Follower> {
    if (this.#building) return this.#building;
    const follower = new Follower(this.#patients, this.#resources(), this.#closing.signal);
    this.#building = follower
      .catchUp()
      .then(() => {
        this.#current = follower;
        const { size: patients, bytes } = follower.index;
        this.#log.info({ patients, bytes, milliseconds: Math.round(follower.built ?? 0) }, 'index of patients built');
        return follower;
      })
      .finally(() => {
        this.#building = undefined;
      });
    return this.#building;
  }

  /** What is answered agrees with the patients that go with it, also where they changed since the search. */
  async #explained(
    { profiler }: Follower,
    patient: Patient,
    hits: readonly Hit[],
    options: SearchOptions,
    work: Work,
  ): Promise<{ matches: Match[]; overtaken: boolean }> {
    if (hits.length === 0) return { matches: [], overtaken: false };
    const found = await this.#patients.patientsByNumber(hits.map(({ number }) => number));
    const scores = new Map(hits.map(({ number, score }) => [number, score.total]));
    const query = { patient, profile: profiler.profile(patient) };
    let overtaken = found.length < hits.length;
    const matches: (Match & { id: string })[] = [];
    for (const stored of found) {
      await work.turn();
      const other = { patient: stored.patient, profile: profiler.profile(stored.patient) };
      const score = compare(query.profile, other.profile, profiler.information, options.weights, work);
      if (score.total !== scores.get(stored.number)) overtaken = true;
      if (score.total <= 0 || score.total < options.threshold) continue;
      matches.push({ id: stored.patient.id, stored, score, explanation: explain(query, other, profiler, work) });
    }
    matches.sort(byRank);
    return { matches: matches.map(({ stored, score, explanation }) => ({ stored, score, explanation })), overtaken };
  }
}

function isSame({ owner, patient }: StoredPatient, exclude: MatchOptions['exclude']): boolean {
  return exclude !== undefined && patient.id === exclude.id && owner === exclude.owner;
}
