/** An index that follows the store. */
import { Fault, isFault } from '../../../core/plugin.js';
import type { MatchmakerRepository } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { PatientIndex } from './index.js';
import { type Profile, Profiler } from './profile.js';
import type { Hit, SearchOptions } from './search.js';
import { slices, Work } from './turns.js';

export type FollowedPatients = Pick<MatchmakerRepository, 'changesSince'>;

export class Follower {
  readonly profiler: Profiler;
  readonly index: PatientIndex;
  /** Milliseconds that the first look took, reading included. */
  built: number | undefined;
  /** Of the store, up to which its changes are in. */
  revision = 0;
  readonly #patients: FollowedPatients;
  readonly #signal: AbortSignal;
  #looking: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  /** How many were begun. */
  #compactions = 0;
  #broken = false;

  constructor(patients: FollowedPatients, resources: Resources, signal: AbortSignal) {
    this.#patients = patients;
    this.#signal = signal;
    this.profiler = new Profiler(resources);
    this.index = new PatientIndex(this.profiler.information);
  }

  /** False after a failure half way through compacting, and where an older store was restored: another one is needed. */
  get usable(): boolean {
    return !this.#broken;
  }

  /**
   * Takes in what was committed before the call. Who asks while a look is under way waits for the next one, together
   * with all others who ask by then. At a failure of the store it throws, and can be called again.
   */
  catchUp(): Promise<void> {
    this.#next ??= (async () => {
      await this.#looking?.catch(() => {}); // those who wait for that look are told
      this.#next = undefined;
      this.#looking = this.#look()
        .catch((error: unknown) => {
          if (isFault(error) && error.code === 'conflict') this.#broken = true;
          throw error;
        })
        .finally(() => {
          this.#looking = undefined;
        });
      await this.#looking;
    })();
    return this.#next;
  }

  /**
   * The best patients as of the last look, also of one that is taken while genotypes are compared: others have their turns
   * meanwhile, and what came in by then is compared, too.
   */
  async search(query: Profile, options: SearchOptions, work = new Work()): Promise<Hit[]> {
    const genotypes = new Map<number, number>();
    let compactions = this.#compactions;
    for (;;) {
      while (this.#compacting) await this.#compacting.catch(() => {}); // said by catchUp
      if (this.#broken) throw new Fault('unavailable', 'The index of patients is being made anew');
      // Slots have moved.
      if (compactions !== this.#compactions) genotypes.clear();
      compactions = this.#compactions;
      const { genomic, slots } = this.index.candidates(query, genotypes);
      if (slots.length === 0) return this.index.search(query, options, genotypes);
      for (const slot of slots) {
        genotypes.set(slot, this.index.genotype(genomic, slot, work));
        const turn = work.turn();
        if (turn === undefined) continue;
        await turn;
        if (compactions !== this.#compactions) break;
      }
    }
  }

  /** Ends when no look is under way any more. */
  async settled(): Promise<void> {
    while (this.#next ?? this.#looking) await (this.#next ?? this.#looking)?.catch(() => {});
  }

  async #look(): Promise<void> {
    const begun = performance.now();
    const turn = slices();
    for await (const { saved, removed, revision } of this.#patients.changesSince(this.revision)) {
      for (const number of removed) this.index.remove(number);
      for (const { number, patient } of saved) {
        this.index.put(number, this.profiler.profile(patient));
        await turn();
      }
      if (this.#signal.aborted) throw new Fault('unavailable', 'The server is stopping');
      this.revision = revision;
    }
    this.built ??= performance.now() - begun;
    if (this.index.wasteful) {
      this.#compacting = this.#compact().finally(() => {
        this.#compacting = undefined;
      });
      await this.#compacting;
    }
  }

  async #compact(): Promise<void> {
    const turn = slices();
    this.#compactions++;
    try {
      for (const _ of this.index.compact()) await turn();
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
}
