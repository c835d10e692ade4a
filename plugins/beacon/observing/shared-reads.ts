/** A shared dataset as others than its tenant see it: as if it had only the samples that count for them. */
import {
  type Assembly,
  type BeaconRepository,
  type Dataset,
  type Observation,
  Observed,
  type ObservedQuestion,
  type ObserveOptions,
  type Sample,
} from '../contract.js';

/** Carriers whose names are read at once, at most, if every sample were one. */
const mostNamed = 1_000_000;

export class SharedReads implements Pick<BeaconRepository, 'observe' | 'sampleFacts'> {
  readonly #repository: Pick<BeaconRepository, 'observe'>;
  readonly #dataset: Pick<Dataset, 'id' | 'sampleCount'>;
  /** One entry each. */
  readonly #samples: readonly Sample[];
  readonly #released: readonly Sample[];

  /** `released`: `releasedSamples` of the dataset. */
  constructor(
    repository: Pick<BeaconRepository, 'observe'>,
    dataset: Pick<Dataset, 'id' | 'sampleCount'>,
    released: readonly Sample[],
  ) {
    this.#repository = repository;
    this.#dataset = dataset;
    this.#released = released;
    const byName = new Map<string, Sample>();
    for (const one of released) {
      const { small = false, structural = false } = byName.get(one.name)?.searched ?? {};
      const searched = { small: small || one.searched.small, structural: structural || one.searched.structural };
      byName.set(one.name, { ...one, searched });
    }
    this.#samples = [...byName.values()];
  }

  async sampleFacts(): Promise<Sample[]> {
    return [...this.#released];
  }

  /** Counts as of several moments, if there are many questions. Without details. */
  async observe(
    assembly: Assembly,
    questions: readonly ObservedQuestion[],
    _datasets: readonly string[],
    { carriers, signal }: ObserveOptions = {},
  ): Promise<(readonly Observation[])[]> {
    const recount = this.#recounts(assembly, carriers === true);
    const size = Math.max(1, Math.floor(mostNamed / Math.max(1, this.#dataset.sampleCount)));
    const observations: (readonly Observation[])[] = [];
    for (let from = 0; from < questions.length; from += size) {
      const part = questions.slice(from, from + size);
      const options = { carriers: true, ...(signal && { signal }) };
      const found = await this.#repository.observe(assembly, part, [this.#dataset.id], options);
      for (const [i, all] of found.entries()) {
        observations.push(all.map((one) => recount(part[i] as ObservedQuestion, one)));
      }
    }
    return observations;
  }

  #recounts(assembly: Assembly, names: boolean) {
    const observed = new Observed(this.#samples);
    const numbers = new Map(this.#samples.map(({ name }, number) => [name, number]));
    let known: readonly string[] = [];
    // By number in the dataset, that among these samples; -1 for others.
    let own: readonly number[] = [];
    return ({ type, contig, start }: ObservedQuestion, { dataset, named }: Observation): Observation => {
      if (named && named.names !== known) {
        known = named.names;
        own = known.map((name) => numbers.get(name) ?? -1);
      }
      const counts = (number: number) => {
        const searched = this.#samples[own[number] as number]?.searched;
        return type === 'structural' ? searched?.structural : searched?.small;
      };
      for (const [i, number] of named?.numbers.entries() ?? []) {
        if (counts(number)) observed.add(own[number] as number, named?.copies[i] as number);
      }
      for (const number of named?.uncalled ?? []) if (counts(number)) observed.miss(own[number] as number);
      return { dataset, ...observed.result({ assembly, contig, start, type }, { carriers: names }) };
    };
  }
}
