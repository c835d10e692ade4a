/** Finds the stored patients that are most similar to a query, with scores and explanations. */
import type { StorageLog } from '../../../core/plugin.js';
import type { MatchmakerRepository, StoredPatient } from '../contract.js';
import type { Patient } from '../patient/patient.js';
import type { Resources } from '../resources/resources.js';
import { byRank } from './best.js';
import { Calibration, type Reading } from './calibration.js';
import { type Explained, type Explanation, explain } from './explanation.js';
import { Follower } from './follower.js';
import { compare, type Score, type ScoreWeights } from './score.js';
import type { Hit, SearchOptions } from './search.js';
import { Work } from './work.js';

export type MatchedPatients = Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'>;

export interface Match {
  stored: StoredPatient;
  score: Score;
  explanation: Explanation;
  /** How the score compares with those of random pairs; undefined if unknown. */
  reading: Reading | undefined;
}

export interface MatchState {
  /** Patients in the index. */
  patients: number;
  /** Memory of the index and its workspace. */
  bytes: number;
  /** Milliseconds that building it took, reading included. */
  built: number;
  /** Revision of the resources that it was built with. */
  resources: number;
  /** Whether another index is being built for new resources. */
  rebuilding: boolean;
}

export interface MatchServiceOptions {
  patients: MatchedPatients;
  /** The resources in use; the same object until they are replaced. */
  resources: () => Resources;
  log: StorageLog;
  /** Of the scores of random pairs, with which scores are read; without them there are no readings. */
  weights?: ScoreWeights;
}

export interface MatchOptions extends SearchOptions {
  /** Leaves out the stored patient with this id if it belongs to this owner. Another owner's is another patient. */
  exclude?: Pick<StoredPatient, 'owner'> & Pick<Patient, 'id'>;
  /** Aborting ends the search, and its reads in the storage. */
  signal?: AbortSignal | undefined;
}

/** How often a search is tried if patients change between the search and reading them. */
const attempts = 3;

export class MatchService {
  readonly #patients: MatchedPatients;
  readonly #resources: () => Resources;
  readonly #log: StorageLog;
  readonly #closing = new AbortController();
  readonly #calibration: Calibration | undefined;
  #current: Follower | undefined;
  #building: Promise<Follower> | undefined;

  constructor({ patients, resources, log, weights }: MatchServiceOptions) {
    this.#patients = patients;
    this.#resources = resources;
    this.#log = log;
    this.#calibration = weights && new Calibration({ patients, weights, log, signal: this.#closing.signal });
  }

  /** Resolves once the index is built with the resources in use. Until then searches use the previous one, if any. */
  async ready(): Promise<void> {
    while (!this.#upToDate(this.#current)) await this.#build();
  }

  /**
   * The best patients, best first, ties by id (in the order of its bytes). Each has a score above 0. The result is that of
   * one moment after the call, and includes everything committed before it; a patient that changes before it is read is
   * compared again, and the search repeated up to twice.
   */
  async match(patient: Patient, { exclude, signal, ...asked }: MatchOptions): Promise<Match[]> {
    // Ids are unique on a node: at most one patient is left out.
    const options = exclude ? { ...asked, limit: asked.limit + 1 } : asked;
    const work = new Work(signal);
    for (let attempt = 1; ; attempt++) {
      const follower = await this.#followed();
      this.#calibration?.refresh(follower);
      const query = { patient, profile: follower.profiler.profile(patient) };
      const hits = await follower.search(query.profile, options, work);
      const { matches, overtaken } = await this.#explained(follower, query, hits, { ...options, signal }, work);
      if (overtaken && attempt < attempts) continue;
      return matches.filter(({ stored }) => !isSame(stored, exclude)).slice(0, asked.limit);
    }
  }

  /**
   * The stored patient of this id; undefined if there is none. It is at least as new as everything committed before the
   * call, and mostly needs no read of the store.
   */
  async stored(id: string, signal?: AbortSignal): Promise<StoredPatient | undefined> {
    const number = await (await this.#followed()).numberOf(id);
    if (number === undefined) return undefined;
    const [found] = await this.#patients.patientsByNumber([number], { signal });
    return found;
  }

  /** How a score compares with those of random pairs of stored patients; undefined if unknown. */
  reading(score: number): Reading | undefined {
    return this.#calibration?.reading(score);
  }

  /** Resolves once no random pairs are being drawn. */
  async calibrated(): Promise<void> {
    await this.#calibration?.settled();
  }

  /** Undefined before the first index is built. */
  state(): MatchState | undefined {
    const follower = this.#current;
    if (!follower) return undefined;
    const { index, profiler, built = 0 } = follower;
    const rebuilding = this.#building !== undefined;
    return { patients: index.size, bytes: index.bytes, built, resources: profiler.resources.revision, rebuilding };
  }

  /** Stops building, and waits for reads of the store that are under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#building?.catch(() => {}); // its own callers get the error
    await this.#calibration?.settled();
    await this.#current?.settled();
  }

  #upToDate(follower: Follower | undefined): follower is Follower {
    return follower?.usable === true && follower.profiler.resources === this.#resources();
  }

  /** The current index if there is a usable one, else the one that is being built. */
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

  /** An index with everything committed before the call; rebuilt if the current one can no longer follow the store. */
  async #followed(): Promise<Follower> {
    const follower = await this.#follower();
    try {
      await follower.catchUp();
      return follower;
    } catch (error) {
      if (follower.usable) throw error;
      this.#log.warn({ reason: (error as Error).message }, 'the index of patients is rebuilt');
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
        this.#calibration?.refresh(follower);
        this.#log.info({ patients, bytes, milliseconds: Math.round(follower.built ?? 0) }, 'index of patients built');
        return follower;
      })
      .finally(() => {
        this.#building = undefined;
      });
    return this.#building;
  }

  /** Scores are those of the patients that are returned with them, even if these changed since the search. */
  async #explained(
    { profiler }: Follower,
    query: Explained,
    hits: readonly Hit[],
    { signal, ...options }: SearchOptions & Pick<MatchOptions, 'signal'>,
    work: Work,
  ): Promise<{ matches: Match[]; overtaken: boolean }> {
    if (hits.length === 0) return { matches: [], overtaken: false };
    const found = await this.#patients.patientsByNumber(
      hits.map(({ number }) => number),
      { signal },
    );
    const scores = new Map(hits.map(({ number, score }) => [number, score.total]));
    let overtaken = found.length < hits.length;
    const matches: (Omit<Match, 'reading'> & { id: string })[] = [];
    for (const stored of found) {
      await work.turn();
      const other = { patient: stored.patient, profile: profiler.profileOfKept(stored.patient) };
      const score = compare(query.profile, other.profile, profiler.information, options.weights, work);
      if (score.total !== scores.get(stored.number)) overtaken = true;
      if (score.total <= 0 || score.total < options.threshold) continue;
      matches.push({
        id: stored.patient.id,
        stored,
        score,
        explanation: explain(query, other, profiler, { score, work }),
      });
    }
    matches.sort(byRank);
    const read = ({ stored, score, explanation }: Omit<Match, 'reading'>): Match => {
      return { stored, score, explanation, reading: this.reading(score.total) };
    };
    return { matches: matches.map(read), overtaken };
  }
}

function isSame({ owner, patient }: StoredPatient, exclude: MatchOptions['exclude']): boolean {
  return exclude !== undefined && patient.id === exclude.id && owner === exclude.owner;
}
