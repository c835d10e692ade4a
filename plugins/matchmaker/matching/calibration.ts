/**
 * How scores of random pairs of the stored patients are distributed, so that a score can be read: a share of them is below
 * it. The pairs are drawn in the background from a sample of the patients, in slices of work, and drawn again after a
 * fifth of the patients has changed. One state of the store always gives the same pairs.
 */
import { setImmediate } from 'node:timers/promises';
import type { StorageLog } from '../../../core/plugin.js';
import type { MatchmakerRepository } from '../contract.js';
import type { Follower } from './follower.js';
import type { Profile } from './profile.js';
import { compareProfiles, type ScoreWeights } from './score.js';
import { stepsOfComparing, Work } from './work.js';

/** How a score compares with those of random pairs. */
export interface ScoreReading {
  /** Percent of the pairs with a lower score, to two decimals, rounded down. */
  higherThan: number;
  /** Pairs that were compared, and how many patients the node had. */
  pairs: number;
  patients: number;
}

export interface CalibrationOptions {
  patients: Pick<MatchmakerRepository, 'patientsByNumber'>;
  weights: ScoreWeights;
  log: StorageLog;
  signal: AbortSignal;
}

/** With fewer patients there is no reading. */
const fewestPatients = 50;
const mostSampled = 1000;
const mostPairs = 50_000;
/** Patients read at a time. */
const batch = 100;
/** Making a profile, in steps of work. */
const profiling = 3000;
/** Draws for each patient wanted, if most numbers belong to patients that were deleted. */
const mostDraws = 20;

interface ScoreSample {
  /** Ascending. */
  scores: Float64Array;
  patients: number;
  follower: Follower;
  /** Of the follower, when the sample was begun. */
  changes: number;
}

export class Calibration {
  readonly #options: CalibrationOptions;
  #sample: ScoreSample | undefined;
  #sampling: Promise<void> | undefined;

  constructor(options: CalibrationOptions) {
    this.#options = options;
  }

  /** Undefined for a node with few patients, and until its pairs have been drawn. */
  reading(score: number): ScoreReading | undefined {
    if (!this.#sample) return undefined;
    const { scores, patients } = this.#sample;
    let [low, high] = [0, scores.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((scores[middle] as number) < score) low = middle + 1;
      else high = middle;
    }
    return { higherThan: Math.floor((low / scores.length) * 10_000) / 100, pairs: scores.length, patients };
  }

  /** Begins to draw pairs if that is due. Failures are logged; the previous readings stay. */
  refresh(follower: Follower): void {
    if (this.#sampling || !this.#isDue(follower)) return;
    this.#sampling = this.#draw(follower)
      .catch((error: Error) => {
        if (this.#options.signal.aborted) return;
        this.#options.log.warn({ reason: error.message }, 'the scores of random pairs could not be computed');
      })
      .finally(() => {
        this.#sampling = undefined;
      });
  }

  /** Resolves once no pairs are being drawn. */
  async settled(): Promise<void> {
    await this.#sampling;
  }

  #isDue(follower: Follower): boolean {
    if (follower.index.size < fewestPatients) {
      this.#sample = undefined;
      return false;
    }
    const last = this.#sample;
    if (last?.follower !== follower) return true;
    return follower.changes - last.changes >= last.patients / 5;
  }

  async #draw(follower: Follower): Promise<void> {
    const { changes } = follower;
    const patients = follower.index.size;
    await setImmediate();
    const { weights, signal } = this.#options;
    const work = new Work(signal);
    const profiles = await this.#profiles(follower, work);
    if (profiles.length < 2) return;
    const next = numbersFrom(1);
    const all = (profiles.length * (profiles.length - 1)) / 2;
    const scores = new Float64Array(Math.min(mostPairs, all));
    for (let i = 0; i < scores.length; i++) {
      const one = Math.floor(next() * profiles.length);
      const other = (one + 1 + Math.floor(next() * (profiles.length - 1))) % profiles.length;
      const { information } = follower.profiler;
      scores[i] = compareProfiles(
        profiles[one] as Profile,
        profiles[other] as Profile,
        information,
        weights,
        work,
      ).total;
      work.spend(stepsOfComparing);
      const turn = work.turn();
      if (turn) await turn;
    }
    this.#sample = { scores: scores.sort(), patients, follower, changes };
  }

  /** Of patients whose numbers are drawn evenly. */
  async #profiles({ index, profiler }: Follower, work: Work): Promise<Profile[]> {
    const next = numbersFrom(2);
    const most = index.greatestNumber();
    const drawn = new Set<number>();
    const wanted = Math.min(mostSampled, index.size);
    for (let draws = 0; drawn.size < wanted && draws < wanted * mostDraws; draws++) {
      const number = 1 + Math.floor(next() * most);
      if (index.has(number)) drawn.add(number);
    }
    const numbers = [...drawn];
    const profiles: Profile[] = [];
    for (let from = 0; from < numbers.length; from += batch) {
      const part = numbers.slice(from, from + batch);
      const read = await this.#options.patients.patientsByNumber(part, { signal: this.#options.signal });
      const byNumber = new Map(read.map(({ number, patient }) => [number, patient]));
      for (const number of part) {
        const patient = byNumber.get(number);
        if (!patient) continue;
        profiles.push(profiler.profile(patient));
        work.spend(profiling);
        const turn = work.turn();
        if (turn) await turn;
      }
    }
    return profiles;
  }
}

/** The same pseudo-random numbers for one seed, 0 ≤ x < 1 (Marsaglia's xorshift, 2003, doi:10.18637/jss.v008.i14). */
function numbersFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    return state / 2 ** 32;
  };
}

/** `higher than 99.7 % of 50,000 random pairs of patients in this node`, or `… in the node that found it`. */
export function readingText(
  { higherThan, pairs }: Pick<ScoreReading, 'higherThan' | 'pairs'>,
  place = 'this node',
): string {
  const count = pairs.toLocaleString('en');
  const share = higherThan === 100 ? `all ${count}` : `${higherThan} % of ${count}`;
  return `higher than ${share} random pairs of patients in ${place}`;
}
