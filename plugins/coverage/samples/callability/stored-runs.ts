/**
 * Registered samples as questions see them: whether it is stored what a sample covers, and which bases it covers, from its
 * stored runs, of which the last used stay decoded. The coverage files need not exist any more.
 */
import { Fault } from '../../../../core/plugin.js';
import type { UnknownCoverage } from '../../../services/coverage.js';
import type { Build, RegisteredSample, RunBlock, SampleRepository } from '../../contract.js';
import { coveredIn, type StoredRuns } from '../covered-runs.js';
import type { Window } from './question.js';

/** Stored runs that can be relied upon. */
export interface RunsStanding {
  id: string;
  revision: string;
  /** The number of thresholds of the runs, and which of them is asked about: bases of this class or a higher one are covered. */
  thresholds: number;
  least: number;
}

/** What is needed of a registered sample. */
interface StandingSample extends Pick<RegisteredSample, 'id' | 'revision' | 'state' | 'build'> {
  check?: { build: Build; thresholds: readonly number[] };
}

/** Why it is unknown what the sample covers; else which runs say it. */
export function standingOfSamples(
  sample: StandingSample | undefined,
  { build, threshold }: { build: Build; threshold: number },
): RunsStanding | UnknownCoverage {
  if (sample === undefined) return 'unregistered';
  const { id, revision, state, check } = sample;
  if (sample.build !== build) return 'other-build';
  if (state === 'pending') return 'unchecked';
  if (state !== 'ready' || check === undefined) return 'unusable';
  if (check.build !== build) return 'other-build';
  const least = check.thresholds.indexOf(threshold) + 1;
  return least === 0 ? 'other-threshold' : { id, revision, thresholds: check.thresholds.length, least };
}

/** A sample of a question whose coverage is known. */
export interface CountedSample {
  /** Its number among the samples of the question. */
  sample: number;
  group: number;
}

// The registrations of samples as they are now; what belongs to a revision is read once.

/** Samples that are remembered. */
const most = 200_000;

export class Registrations {
  readonly #samples: Pick<SampleRepository, 'find' | 'revisions'>;
  readonly #known = new Map<string, StandingSample>();

  constructor(samples: Pick<SampleRepository, 'find' | 'revisions'>) {
    this.#samples = samples;
  }

  /** The registered samples of these ids, by id. */
  async find(ids: readonly string[]): Promise<Map<string, StandingSample>> {
    const found = new Map<string, StandingSample>();
    const others: string[] = [];
    for (const { id, revision, state } of await this.#samples.revisions(ids)) {
      const known = this.#known.get(id);
      if (known?.revision === revision) found.set(id, known.state === state ? known : { ...known, state });
      else others.push(id);
    }
    if (others.length === 0) return found;
    for (const { id, revision, state, build, check } of await this.#samples.find(others)) {
      const checked = check && { check: { build: check.build, thresholds: check.thresholds } };
      const registered = { id, revision, state, build, ...checked };
      found.set(id, registered);
      if (this.#known.size >= most) this.#known.clear();
      this.#known.set(id, registered);
    }
    return found;
  }
}

// Which bases registered samples cover, from their stored runs.

type WindowSpan = Pick<Window, 'chromosome' | 'start' | 'end'>;

/** The stored runs of a sample are no longer those of the revision: it was removed or checked again. */
export class RunsReplaced extends Fault {
  constructor() {
    super('unavailable', 'The registered samples changed while they were being compared: try again');
  }
}

export class StoredCoverage {
  readonly #samples: Pick<SampleRepository, 'find' | 'runsFrom'>;
  readonly #cache: RunCache;

  /** Keeps up to `bytes` of decoded runs. */
  constructor(samples: Pick<SampleRepository, 'find' | 'runsFrom'>, bytes: number) {
    this.#samples = samples;
    this.#cache = new RunCache(bytes);
  }

  /**
   * The covered bases of each sample in the window, in their order: alternating starts and ends, ascending. Throws
   * `RunsReplaced` if a sample no longer has this revision.
   */
  async read(standings: readonly RunsStanding[], window: WindowSpan): Promise<Uint32Array[]> {
    const found: Uint32Array[] = [];
    const missing: number[] = [];
    let least = 0;
    let kept: ReadonlyMap<string, KeptRuns> | undefined;
    for (let i = 0; i < standings.length; i++) {
      const standing = standings[i] as RunsStanding;
      if (standing.least !== least) kept = this.#cache.of(keyOfWindow(standing, window));
      least = standing.least;
      const known = kept?.get(standing.id);
      if (known?.revision === standing.revision) found[i] = known.runs;
      else missing.push(i);
    }
    if (missing.length === 0) return found;
    const fetched = await this.#fetch(
      missing.map((i) => standings[i] as RunsStanding),
      window,
    );
    for (const [n, i] of missing.entries()) found[i] = fetched[n] as Uint32Array;
    return found;
  }

  async #fetch(standings: readonly RunsStanding[], window: WindowSpan): Promise<Uint32Array[]> {
    const ids = standings.map(({ id }) => id);
    const stored = await this.#samples.runsFrom(ids, window.chromosome, window);
    const byId = new Map(stored.map((one) => [one.sample, one]));
    const wanted: StoredRuns[] = [];
    for (const { id, revision: expected, thresholds, least } of standings) {
      const { revision, blocks } = byId.get(id) ?? (await this.#without(id));
      if (revision !== expected) throw new RunsReplaced();
      wanted.push({ blocks, thresholds, least });
    }
    const lists = coveredIn(wanted, window);
    const byKey = new Map<string, Map<string, KeptRuns>>();
    for (const [i, standing] of standings.entries()) {
      const key = keyOfWindow(standing, window);
      const { id, revision } = standing;
      const runs = lists[i] as Uint32Array;
      const others = byKey.get(key);
      if (others) others.set(id, { revision, runs });
      else byKey.set(key, new Map([[id, { revision, runs }]]));
    }
    for (const [key, samples] of byKey) this.#cache.add(key, samples);
    return lists;
  }

  /** A sample without runs here: it was removed or is being checked for the first time, or its runs are damaged. */
  async #without(id: string): Promise<{ revision: string; blocks: readonly RunBlock[] }> {
    const [sample] = await this.#samples.find([id]);
    return { revision: sample?.revision ?? '', blocks: [] };
  }
}

function keyOfWindow({ least }: RunsStanding, { chromosome, start }: WindowSpan): string {
  return `${chromosome}:${start} ${least}`;
}

// Keeps decoded runs, those of the windows that were used last, within a bound of memory.

/** The covered bases of one revision of a sample in a window: alternating starts and ends, ascending. */
interface KeptRuns {
  revision: string;
  runs: Uint32Array;
}

/** Of one sample besides its runs. */
const overhead = 300;

class RunCache {
  readonly #windows = new Map<string, { bytes: number; samples: Map<string, KeptRuns> }>();
  readonly #most: number;
  #bytes = 0;

  /** Keeps up to `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What is kept of a window, by sample. */
  of(window: string): ReadonlyMap<string, KeptRuns> | undefined {
    const kept = this.#windows.get(window);
    if (kept === undefined) return undefined;
    this.#windows.delete(window);
    this.#windows.set(window, kept);
    return kept.samples;
  }

  /** Keeps the runs of samples, which are in memory together: they are dropped with their window. */
  add(window: string, samples: ReadonlyMap<string, KeptRuns>): void {
    const kept = this.#windows.get(window) ?? { bytes: 0, samples: new Map<string, KeptRuns>() };
    this.#windows.delete(window);
    this.#windows.set(window, kept);
    for (const [id, one] of samples) {
      kept.samples.set(id, one);
      kept.bytes += one.runs.byteLength + overhead;
      this.#bytes += one.runs.byteLength + overhead;
    }
    for (const [oldest, { bytes }] of this.#windows) {
      if (this.#bytes <= this.#most) return;
      this.#windows.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
