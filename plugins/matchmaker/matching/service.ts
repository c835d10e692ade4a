/** Finds the stored patients that are most similar to a query, with scores and explanations. */
import type { StorageLog } from '../../../core/plugin.js';
import type { MatchmakerRepository, StoredPatient } from '../contract.js';
import type { Patient } from '../patients/patient.js';
import type { Resources } from '../resources/resources.js';
import { Calibration, type ScoreReading } from './calibration.js';
import { type ExplainedPatient, type Explanation, explain } from './explanation.js';
import { Follower } from './follower.js';
import type { Profile } from './profile.js';
import type { Sharer } from './relatives.js';
import {
  compareProfiles,
  geneFirst,
  genesOfProfile,
  haveCommonGene,
  longestList,
  type MatchScore,
  type ScoreWeights,
} from './score.js';
import type { IndexSearchOptions, PatientHits } from './search.js';
import { stepsOfComparing, Work } from './work.js';

export type MatchedPatients = Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'>;

export interface ScoredMatch {
  stored: StoredPatient;
  score: MatchScore;
  /** The total to which its place raises the patient (score.ts); undefined if it has none, or needs none. */
  raised: number | undefined;
  explanation: Explanation;
  /** How the score, as it is without a place, compares with those of random pairs; undefined if unknown. */
  reading: ScoreReading | undefined;
}

export interface ScoredMatches {
  /** Best first; ties by id, those that a place raised last and by their own score. */
  matches: ScoredMatch[];
  /** Patients that share a gene and reach the threshold, and were left out by the limit. */
  alsoSharing: number;
  /** Those of them that are to be named (`SearchOptions.isNamed`), by id. */
  leftOut: Sharer[];
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

export interface MatchOptions extends IndexSearchOptions {
  /** Places that go to patients that share a gene first. */
  places: number;
  /** Leaves out the stored patient with this id if it belongs to this owner. Another owner's is another patient. */
  exclude?: Pick<StoredPatient, 'owner'> & Pick<Patient, 'id'>;
  /** Aborting ends the search, and its reads in the storage. */
  signal?: AbortSignal | undefined;
}

/** A patient that was left out, as it is stored. */
export type StoredSharer = Pick<ScoredMatch, 'stored' | 'score'> & Pick<Sharer, 'genes'>;

/** Patients read at a time. */
const batch = 100;

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
   * The best patients, some places of which go to patients that share a gene (score.ts); ties by id (in the order of its
   * bytes). Each has a score above 0. The result is that of one moment after the call, and includes everything committed
   * before it; a patient that changes before it is read is compared again, and the search repeated up to twice.
   */
  async match(patient: Patient, options: MatchOptions): Promise<ScoredMatches> {
    const { exclude, signal, ...asked } = options;
    const work = new Work(signal);
    for (let attempt = 1; ; attempt++) {
      const follower = await this.#followed();
      this.#calibration?.refresh(follower);
      const query = { patient, profile: follower.profiler.profile(patient) };
      // Ids are unique on a node: at most one patient is left out.
      const hasRoom = exclude && (attempt === attempts || (await follower.numberOf(exclude.id)) !== undefined);
      const searched = hasRoom ? { ...asked, limit: asked.limit + 1, places: asked.places + 1 } : asked;
      const found = await follower.search(query.profile, searched, work);
      // It may have been added since, and be among those that were found.
      const excluded = exclude && (await follower.numberOf(exclude.id));
      if (excluded !== undefined && !hasRoom) continue;
      const { overtaken, ...matches } = await this.#explained(follower, query, found, { ...options, excluded }, work);
      if (!overtaken || attempt === attempts) return matches;
    }
  }

  /** Those that a search left out as they are stored, by id, apart from patients that have changed and are no longer alike. */
  async stillSharing(
    patient: Patient,
    leftOut: readonly Sharer[],
    { signal, weights, threshold }: Pick<MatchOptions, 'signal' | 'weights' | 'threshold'>,
  ): Promise<StoredSharer[]> {
    if (leftOut.length === 0) return [];
    const { profiler } = await this.#follower();
    const query = profiler.profile(patient);
    const genes = new Map(leftOut.map((one) => [one.number, one.genes]));
    const numbers = [...genes.keys()];
    const work = new Work(signal);
    const sharers: StoredSharer[] = [];
    for (let i = 0; i < numbers.length; i += batch) {
      for (const stored of await this.#patients.patientsByNumber(numbers.slice(i, i + batch), { signal })) {
        work.spend(stepsOfComparing);
        await work.turn();
        const profile = profiler.profileOfKept(stored.patient);
        const score = compareProfiles(query, profile, profiler.information, weights, work);
        if (score.total <= 0 || score.total < threshold) continue;
        if (genesOfProfile(profile).size > longestList || !haveCommonGene(query, profile)) continue;
        sharers.push({ stored, score, genes: genes.get(stored.number) ?? [] });
      }
    }
    return sharers.sort((one, other) => (one.stored.patient.id < other.stored.patient.id ? -1 : 1));
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
  reading(score: number): ScoreReading | undefined {
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
    query: ExplainedPatient,
    { hits, sharing, sharers }: PatientHits,
    { signal, exclude, excluded, isWanted, ...options }: MatchOptions & { excluded: number | undefined },
    work: Work,
  ): Promise<ScoredMatches & { overtaken: boolean }> {
    if (hits.length === 0) return { matches: [], alsoSharing: 0, leftOut: [], overtaken: false };
    const scores = new Map(hits.map(({ number, score }) => [number, score.total]));
    // What is left out is read even if it ranks low: it may be among those that share a gene.
    const numbers = new Set(scores.keys());
    if (excluded !== undefined && sharing > 0) numbers.add(excluded);
    const found = await this.#patients.patientsByNumber([...numbers], { signal });
    let overtaken = found.length < numbers.size;
    let counted = sharing;
    /** Numbers of the query itself and of the answer. */
    const without = new Set<number>();
    const compared: ComparedPatient[] = [];
    for (const stored of found) {
      await work.turn();
      const profile = profiler.profileOfKept(stored.patient);
      const score = compareProfiles(query.profile, profile, profiler.information, options.weights, work);
      const before = scores.get(stored.number);
      if (before !== undefined && score.total !== before) overtaken = true;
      if (score.total <= 0 || score.total < options.threshold) continue;
      const shares = haveCommonGene(query.profile, profile);
      if (isSame(stored, exclude)) {
        counted -= shares && isWanted?.(stored.owner) !== false ? 1 : 0;
        without.add(stored.number);
      } else if (before !== undefined) compared.push({ id: stored.patient.id, stored, profile, score, shares });
    }
    const answer = geneFirst(compared, options, ({ shares }) => shares);
    const matches: ScoredMatch[] = [];
    for (const { item, raised } of answer) {
      await work.turn();
      const { stored, profile, score } = item;
      without.add(stored.number);
      const explanation = explain(query, { patient: stored.patient, profile }, profiler, { score, work });
      matches.push({ stored, score, raised, explanation, reading: this.reading(score.total) });
    }
    const alsoSharing = counted - answer.filter(({ item }) => item.shares).length;
    const leftOut = sharers.filter(({ number }) => !without.has(number));
    leftOut.sort((one, other) => (one.id < other.id ? -1 : 1));
    return { matches, alsoSharing, leftOut, overtaken };
  }
}

/** A stored patient that was compared again after it was read. */
interface ComparedPatient extends Pick<ScoredMatch, 'stored' | 'score'> {
  id: string;
  profile: Profile;
  /** Whether it has a gene in common with the query. */
  shares: boolean;
}

function isSame({ owner, patient }: StoredPatient, exclude: MatchOptions['exclude']): boolean {
  return exclude !== undefined && patient.id === exclude.id && owner === exclude.owner;
}
