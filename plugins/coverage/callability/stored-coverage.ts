/** Which bases registered samples cover, from their stored runs: the coverage files need not exist any more. */
import { Fault } from '../../../core/plugin.js';
import type { RunBlock, SampleRepository } from '../contract.js';
import { coveredIn } from '../registry/covered-runs.js';
import { RunCache } from './run-cache.js';
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
    const found = standings.map((standing) => this.#cache.get(keyOf(standing, window)));
    const missing = standings.filter((_, i) => found[i] === undefined);
    if (missing.length > 0) {
      const fetched = await this.#fetch(missing, window);
      for (const [i, standing] of standings.entries()) found[i] ??= fetched.get(standing.id);
    }
    return found as Uint32Array[];
  }

  async #fetch(standings: readonly Standing[], window: Place): Promise<Map<string, Uint32Array>> {
    const ids = standings.map(({ id }) => id);
    const stored = await this.#samples.runsFrom(ids, window.chromosome, window);
    const byId = new Map(stored.map((one) => [one.sample, one]));
    const found = new Map<string, Uint32Array>();
    for (const standing of standings) {
      const { revision, blocks } = byId.get(standing.id) ?? (await this.#without(standing));
      if (revision !== standing.revision) throw new RunsReplaced();
      const runs = coveredIn(blocks, window, standing.thresholds, standing.least);
      this.#cache.set(keyOf(standing, window), runs);
      found.set(standing.id, runs);
    }
    return found;
  }

  /** A sample without runs here: it was removed or is being checked for the first time, or its runs are damaged. */
  async #without({ id }: Standing): Promise<{ revision: string; blocks: readonly RunBlock[] }> {
    const [sample] = await this.#samples.find([id]);
    return { revision: sample?.revision ?? '', blocks: [] };
  }
}

/** Ids have no control characters. */
function keyOf({ id, revision, least }: Standing, { chromosome, start }: Place): string {
  return `${id}\n${revision}\n${least}\n${chromosome}:${start}`;
}
