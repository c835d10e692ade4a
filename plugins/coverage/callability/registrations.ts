/** The registrations of samples as they are now; what belongs to a revision is read once. */
import type { SampleRepository } from '../contract.js';
import type { Registered } from './standing.js';

/** Samples that are remembered. */
const most = 200_000;

export class Registrations {
  readonly #samples: Pick<SampleRepository, 'find' | 'revisions'>;
  readonly #known = new Map<string, Registered>();

  constructor(samples: Pick<SampleRepository, 'find' | 'revisions'>) {
    this.#samples = samples;
  }

  /** The registered samples of these ids, by id. */
  async find(ids: readonly string[]): Promise<Map<string, Registered>> {
    const found = new Map<string, Registered>();
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
