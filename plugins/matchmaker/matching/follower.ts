/** An index that follows the store, and the stored patients that searches found lately, which are not read again. */
import { setImmediate } from 'node:timers/promises';
import { Fault, isFault } from '../../../core/plugin.js';
import { type Changes, isReal, type MatchmakerRepository, type StoredPatient } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { PatientIndex } from './patient-index.js';
import { type Profile, Profiler } from './profile.js';
import type { IndexSearchOptions, PatientHits } from './search.js';
import { Work } from './work.js';

/** The stored patients, or others that are compared like them. */
interface FollowedPatients {
  changesSince(revision: number): AsyncIterable<FollowedChanges>;
}

export interface FollowedChanges extends Pick<Changes, 'revision' | 'removed'> {
  saved: readonly (Pick<StoredPatient, 'number' | 'patient'> & Partial<Pick<StoredPatient, 'owner'>>)[];
}

/** Steps (work.ts) that it takes, roughly, to make a profile of a patient and to put it into the index. */
const profiling = 3000;
const putting = 1000;
/** A patient of the usual size has so many terms, ancestors included, and genomic features. */
const usualParts = 50;
/** A query with more genomic features is compared with others' before the search. */
const fewFeatures = 2;

export class Follower {
  readonly profiler: Profiler;
  readonly index: PatientIndex;
  /** Milliseconds that the first update took, reading included. */
  built: number | undefined;
  /** Of the store, up to which its changes are in. */
  revision = 0;
  /** Patients that were saved or removed since it was made. */
  changes = 0;
  readonly #patients: FollowedPatients;
  readonly #signal: AbortSignal;
  /** Each search sees the index as it is between two changes. */
  readonly #access = new Exclusive();
  #updating: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  /** How many were begun: each of them moves slots. */
  #compactions = 0;
  #broken = false;

  constructor(patients: FollowedPatients, resources: Resources, signal: AbortSignal) {
    this.#patients = patients;
    this.#signal = signal;
    this.profiler = new Profiler(resources);
    this.index = new PatientIndex(this.profiler.information);
  }

  /** False after a failure half way through compacting, and if an older store was restored: another one is needed. */
  get usable(): boolean {
    return !this.#broken;
  }

  /**
   * Takes in what was committed before the call. A caller that arrives during an update waits for the next one, together
   * with all others that arrive by then. Throws if the store fails, and can be called again.
   */
  catchUp(): Promise<void> {
    this.#next ??= (async () => {
      await this.#updating?.catch(() => {}); // its own callers get the error
      this.#next = undefined;
      this.#updating = this.#update()
        .catch((error: unknown) => {
          if (isFault(error) && error.code === 'conflict') this.#broken = true;
          throw error;
        })
        .finally(() => {
          this.#updating = undefined;
        });
      await this.#updating;
    })();
    return this.#next;
  }

  /**
   * The best patients of one moment after the call: the index does not change while it is searched. Changes that arrive
   * meanwhile wait for the end of the search, which lets other requests have their turns.
   */
  async search(query: Profile, options: IndexSearchOptions, work = new Work()): Promise<PatientHits> {
    for (;;) {
      const compactions = this.#compactions;
      const genotypes = await this.#genotypes(query, work);
      const found = await this.#access.read(async () => {
        // Searches that wait for each other take turns of the event loop of their own, however short they are.
        await setImmediate();
        if (this.#broken) throw rebuilt();
        work.throwIfAborted();
        if (compactions !== this.#compactions) return undefined;
        return this.index.search(query, options, work, genotypes);
      });
      if (found) return found;
    }
  }

  /** The number of the patient of this id; undefined if there is none. */
  async numberOf(id: string): Promise<number | undefined> {
    while (this.#compacting) await this.#compacting.catch(() => {}); // catchUp throws it
    if (this.#broken) throw rebuilt();
    return this.index.numberOf(id);
  }

  /**
   * Genotypes are compared beforehand, by slot: this can take long, and neither changes nor other searches have to wait for
   * it. What changes meanwhile is left to the search.
   */
  async #genotypes(query: Profile, work: Work): Promise<Map<number, number>> {
    const genotypes = new Map<number, number>();
    // With few features a comparison takes no longer than its place in a map.
    if (query.genomic.length <= fewFeatures) return genotypes;
    while (this.#compacting) await this.#compacting.catch(() => {}); // catchUp throws it
    const compactions = this.#compactions;
    const genomic = this.index.translated(query);
    const kinds = this.index.kindsOf(query.species);
    // A patient that is added after its place was looked for would seem to share a gene only.
    const { slots } = this.index;
    for (const by of ['place', 'gene'] as const) {
      for (const slot of this.index.candidates(genomic, by)) {
        if (slot < slots && !genotypes.has(slot) && this.index.isComparable(slot, kinds)) {
          genotypes.set(slot, this.index.genotype(genomic, slot, by, work));
        }
        const turn = work.turn();
        if (turn) await turn;
        if (compactions !== this.#compactions) return genotypes;
      }
    }
    return genotypes;
  }

  /** Resolves once no update is under way. */
  async settled(): Promise<void> {
    while (this.#next ?? this.#updating) await (this.#next ?? this.#updating)?.catch(() => {});
  }

  async #update(): Promise<void> {
    const begun = performance.now();
    const work = new Work();
    for await (const changes of this.#patients.changesSince(this.revision)) {
      await this.#take(changes, work);
      if (this.#signal.aborted) throw new Fault('unavailable', 'The server is stopping');
    }
    this.built ??= performance.now() - begun;
    if (this.index.wasteful) await this.#access.change(() => this.#compact());
  }

  async #take({ saved, removed, revision }: FollowedChanges, work: Work): Promise<void> {
    const profiles: [number, Profile, string | undefined][] = [];
    for (const { number, patient, owner } of saved) {
      const profile = this.profiler.profile(patient);
      // Searches for some owners never find demo and test patients.
      profiles.push([number, profile, owner !== undefined && isReal({ owner, patient }) ? owner : undefined]);
      work.spend(profiling * sizeOf(profile));
      await work.turn();
    }
    await this.#access.change(async () => {
      for (const number of removed) this.index.remove(number);
      for (const [number, profile, owner] of profiles) {
        this.index.put(number, profile, owner);
        work.spend(putting * sizeOf(profile));
        await work.turn();
      }
      this.revision = revision;
      this.changes += saved.length + removed.length;
    });
  }

  #compact(): Promise<void> {
    this.#compactions++;
    this.#compacting = this.#compacted().finally(() => {
      this.#compacting = undefined;
    });
    return this.#compacting;
  }

  async #compacted(): Promise<void> {
    const work = new Work();
    try {
      for (const steps of this.index.compact()) {
        work.spend(steps);
        await work.turn();
      }
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
}

function rebuilt(): Fault {
  return new Fault('unavailable', 'The index of patients is being rebuilt');
}

/** In patients of the usual size, rounded up. */
function sizeOf({ terms, genomic }: Profile): number {
  return Math.ceil((terms.length + genomic.length) / usualParts);
}

export class Exclusive {
  readonly #changes: (() => void)[] = [];
  readonly #reads: (() => void)[] = [];
  #busy = false;

  /** Runs as soon as nothing else does; before reads that wait, so that these see it. */
  change<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(this.#changes, work);
  }

  /** Runs after all that came before it. */
  read<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(this.#reads, work);
  }

  async #run<Result>(queue: (() => void)[], work: () => Promise<Result>): Promise<Result> {
    if (this.#busy) await new Promise<void>((resolve) => queue.push(resolve));
    this.#busy = true;
    try {
      return await work();
    } finally {
      // The next one takes over at once: nothing that comes in between finds the place free.
      const next = this.#changes.shift() ?? this.#reads.shift();
      if (next) next();
      else this.#busy = false;
    }
  }
}

// The stored patients that searches found lately, so that a patient that is found again is not read again.

type PatientReads = Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'>;

/** Characters of the kept patients, as JSON: some thousand patients. Those that were found longest ago are dropped. */
const keptAtMost = 8_000_000;
/** Characters of the longest patient that is kept. */
const longest = 65_536;

/**
 * The same reads. A patient that was read before is returned again, as the same object, until `changesSince` has returned a
 * change of it: patients are as new as the changes that the caller has read.
 */
export function recentPatients(patients: PatientReads): PatientReads {
  /** In the order in which they were found. */
  const kept = new Map<number, { stored: StoredPatient; length: number }>();
  let length = 0;
  /** How many batches of changes were read: a patient that was read before the last of them may be outdated. */
  let batches = 0;

  function drop(number: number): void {
    length -= kept.get(number)?.length ?? 0;
    kept.delete(number);
  }

  function keep(stored: StoredPatient): void {
    const own = JSON.stringify(stored.patient).length;
    if (own > longest) return;
    drop(stored.number);
    kept.set(stored.number, { stored, length: own });
    length += own;
    for (const oldest of kept.keys()) {
      if (length <= keptAtMost) break;
      drop(oldest);
    }
  }

  return {
    async *changesSince(revision) {
      for await (const changes of patients.changesSince(revision)) {
        batches += 1;
        for (const { number } of changes.saved) drop(number);
        for (const number of changes.removed) drop(number);
        yield changes;
      }
    },

    async patientsByNumber(numbers, options) {
      const found: StoredPatient[] = [];
      const missing: number[] = [];
      for (const number of numbers) {
        const one = kept.get(number);
        if (one === undefined) missing.push(number);
        else {
          found.push(one.stored);
          kept.delete(number);
          kept.set(number, one);
        }
      }
      if (missing.length === 0) return found;
      const before = batches;
      const read = await patients.patientsByNumber(missing, options);
      if (before === batches) for (const stored of read) keep(stored);
      return [...found, ...read];
    },
  };
}
