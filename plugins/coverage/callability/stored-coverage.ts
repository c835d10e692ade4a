/** Which bases registered samples cover, from their stored runs: the coverage files need not exist any more. */
import { Fault } from '../../../core/plugin.js';
import type { RunBlock, SampleRepository } from '../contract.js';
import { coveredIn, type StoredRuns } from '../registry/covered-runs.js';
import { type KeptRuns, RunCache } from './run-cache.js';
import type { Standing } from './standing.js';
import type { Window } from './windows.js';

type Place = Pick<Window, 'chromosome' | 'start' | 'end'>;

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
  async read(standings: readonly Standing[], window: Place): Promise<Uint32Array[]> {
    const found: Uint32Array[] = [];
    const missing: number[] = [];
    let least = 0;
    let kept: ReadonlyMap<string, KeptRuns> | undefined;
    for (let i = 0; i < standings.length; i++) {
      const standing = standings[i] as Standing;
      if (standing.least !== least) kept = this.#cache.of(keyOf(standing, window));
      least = standing.least;
      const known = kept?.get(standing.id);
      if (known?.revision === standing.revision) found[i] = known.runs;
      else missing.push(i);
    }
    if (missing.length === 0) return found;
    const fetched = await this.#fetch(
      missing.map((i) => standings[i] as Standing),
      window,
    );
    for (const [n, i] of missing.entries()) found[i] = fetched[n] as Uint32Array;
    return found;
  }

  async #fetch(standings: readonly Standing[], window: Place): Promise<Uint32Array[]> {
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
      const key = keyOf(standing, window);
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

function keyOf({ least }: Standing, { chromosome, start }: Place): string {
  return `${chromosome}:${start} ${least}`;
}
