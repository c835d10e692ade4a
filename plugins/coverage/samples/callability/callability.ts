/** Counts the registered samples that are covered at places, from their stored runs. */
import { setImmediate } from 'node:timers/promises';
import type { Erasures } from '../../../../core/plugin.js';
import type { CallabilityService, CoveredAnswer, RegisteredSex } from '../../../services/coverage.js';
import type { SampleRepository, TrackRepository } from '../../contract.js';
import type { WorkQueue } from '../../measure/work-queue.js';
import { factsOfSample, sharedSamples } from '../find.js';
import {
  checkNumbered,
  type DividedPlaces,
  divide,
  type PlaceQuestion,
  readPlaces,
  readSamples,
  type SampleQuestion,
} from './question.js';
import { type CountedSample, Registrations, RunsReplaced, type RunsStanding, StoredCoverage } from './stored-runs.js';
import { CallabilityTally, type CoveredCounts } from './tally.js';
import { type KnownSamples, knownSamples, StoredTracks } from './tracked.js';

interface CallabilityTools {
  samples: Pick<SampleRepository, 'find' | 'revisions' | 'runsFrom'>;
  /** Samples of people who object to sharing are not registered here. */
  erasures: Pick<Erasures, 'objecting'>;
  /** Callable tracks; undefined if they are off. */
  tracks?: Pick<TrackRepository, 'published' | 'find' | 'blocks'> | undefined;
  queue: WorkQueue;
  /** Bytes of decoded runs and of tracks that are kept. */
  memory: number;
}

/** Samples whose runs are read at once. */
const portion = 500;
/** Milliseconds after which other work gets its turn. */
const slice = 10;
/** How often an answer is begun anew because samples were removed or checked meanwhile. */
const attempts = 5;
/** Milliseconds for which questions by number rely on what was known of the samples. */
const freshness = 1000;

/** For the plugin itself. */
interface OwnCallability extends Required<CallabilityService> {
  /** `covered` for work that has its place in the queue already. */
  coveredNow: CallabilityService['covered'];
}

/** Of all registered samples, or as if there were only those that a caller reaches. */
export interface Callability extends OwnCallability {
  within(samples: Pick<SampleRepository, 'find' | 'revisions'>): OwnCallability;
}

export function createCallability({ samples, erasures, tracks, queue, memory }: CallabilityTools): Callability {
  const share = tracks === undefined ? 1 : 0.5;
  const runsFrom: SampleRepository['runsFrom'] = (...about) => samples.runsFrom(...about);
  const stored = new StoredCoverage({ ...sharedSamples(samples, erasures), runsFrom }, share * memory);
  const merged = tracks && new StoredTracks(tracks, share * memory);
  const within: Callability['within'] = (reached) =>
    callabilityOf(sharedSamples(reached, erasures), stored, merged, queue);
  return { ...within(samples), within };
}

function callabilityOf(
  samples: Pick<SampleRepository, 'find' | 'revisions'>,
  stored: StoredCoverage,
  merged: StoredTracks | undefined,
  queue: WorkQueue,
): OwnCallability {
  const registrations = new Registrations(samples);

  async function counted(
    known: KnownSamples,
    asked: PlaceQuestion,
    divided: DividedPlaces,
    signal: AbortSignal,
  ): Promise<CoveredCounts> {
    const { members, standings, used, loose } = known;
    const tally = new CallabilityTally(asked, known);
    let since = performance.now();
    const giveWay = async () => {
      if (performance.now() - since < slice) return;
      await setImmediate();
      since = performance.now();
    };
    for (const window of divided.windows) {
      const counting = tally.in(window);
      if (merged && used.length > 0) {
        signal.throwIfAborted();
        counting.addTracks(await merged.read(used, window));
        await giveWay();
      }
      for (let from = 0; from < loose.length; from += portion) {
        signal.throwIfAborted();
        const part = loose.slice(from, from + portion);
        const runs = await stored.read(
          part.map((i) => standings[i] as RunsStanding),
          window,
        );
        for (const [n, list] of runs.entries()) {
          counting.add(members[part[n] as number] as CountedSample, list);
          if (performance.now() - since >= slice) await giveWay();
        }
      }
      counting.end();
    }
    return tally.counts(divided);
  }

  /** `known` is what is known of the samples; `isAgain` after something was replaced. */
  async function answered(
    known: (isAgain: boolean) => Promise<KnownSamples>,
    asked: PlaceQuestion,
    divided: DividedPlaces,
    signal: AbortSignal,
  ): Promise<CoveredCounts & Pick<KnownSamples, 'unknown'>> {
    for (let attempt = 1; ; attempt++) {
      const now = await known(attempt > 1);
      try {
        return { unknown: now.unknown, ...(await counted(now, asked, divided, signal)) };
      } catch (error) {
        if (!(error instanceof RunsReplaced) || attempt === attempts) throw error;
      }
    }
  }

  async function byId(
    asked: SampleQuestion,
    places: PlaceQuestion,
    divided: DividedPlaces,
    signal: AbortSignal,
  ): Promise<CoveredAnswer> {
    const known = () => knownSamples(asked, registrations, merged);
    return withIds(await answered(known, places, divided, signal), asked, places);
  }

  return {
    async covered(question, signal) {
      const asked = readSamples(question);
      const places = readPlaces(question, asked);
      const divided = divide(places, asked.build);
      return queue.run(divided.windows.length, () => byId(asked, places, divided, signal), signal);
    },

    async coveredNow(question, signal) {
      const asked = readSamples(question);
      const places = readPlaces(question, asked);
      return byId(asked, places, divide(places, asked.build), signal);
    },

    numbered(about) {
      const asked = readSamples(about);
      const kept = new TimedValue(() => knownSamples(asked, registrations, merged), freshness);
      return {
        async covered(question, signal) {
          checkNumbered(question, asked.ids.length);
          const divided = divide(question, asked.build);
          const known = (isAgain: boolean) => (isAgain ? kept.renewed() : kept.current());
          return queue.run(divided.windows.length, () => answered(known, question, divided, signal), signal);
        },
      };
    },

    async standings(ids) {
      const found = new Map((await samples.find(ids)).map((sample) => [sample.id, sample]));
      return ids.map((id) => {
        const sample = found.get(id);
        if (sample?.state !== 'ready' || sample.check === undefined) return undefined;
        const { fingerprint, build, sex, thresholds } = sample.check;
        return JSON.stringify([fingerprint, build, sex, thresholds, sample.build, sample.sex]);
      });
    },

    async sexes(ids, signal) {
      const found = new Map((await samples.find(ids)).map((sample) => [sample.id, factsOfSample(sample, [])]));
      signal.throwIfAborted();
      return ids.map((id): RegisteredSex => {
        const facts = found.get(id);
        if (facts === undefined) return 'unknown';
        return facts.warnings.some(({ code }) => code === 'sex-mismatch') ? 'contradicted' : facts.sex;
      });
    },
  };
}

/** With ids instead of numbers. */
function withIds(
  { unknown, covered, below }: CoveredCounts & Pick<KnownSamples, 'unknown'>,
  { ids, groups }: SampleQuestion,
  { chromosomes, named, namedFrom }: PlaceQuestion,
): CoveredAnswer {
  const idsBelow = (place: number): string[] => {
    const found: string[] = [];
    for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
      if (below[i] === 1) found.push(ids[named[i] as number] as string);
    }
    return found;
  };
  return {
    unknown: unknown.map(({ sample, reason }) => ({ sample: ids[sample] as string, reason })),
    places: chromosomes.map((_, place) => ({
      covered: [...covered.subarray(place * groups.length, (place + 1) * groups.length)],
      below: idsBelow(place),
    })),
  };
}

/** Keeps a value that takes long to read, for a time. */
export class TimedValue<Value> {
  readonly #read: () => Promise<Value>;
  /** Milliseconds. */
  readonly #time: number;
  #value: Promise<Value> | undefined;
  #since = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<Value>, time: number) {
    this.#read = read;
    this.#time = time;
  }

  /** As it was at most that time ago. */
  current(): Promise<Value> {
    if (this.#value && performance.now() - this.#since < this.#time) return this.#value;
    return this.renewed();
  }

  /** As it is now. A value that could not be read is not kept. */
  renewed(): Promise<Value> {
    const value = this.#read();
    this.#value = value;
    this.#since = performance.now();
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}
