/** The people of several datasets, each once, by the ids of their coverage. */
import type { BeaconRepository, Contig, Dataset, Sample, Searched } from '../contract.js';

/** A sample of a dataset. */
export interface PersonEntry {
  dataset: string;
  sample: Sample;
}

/** Each has a number; one person may be in several datasets. */
export class DatasetPeople {
  readonly ids: readonly string[];
  readonly #entries = new Map<string, PersonEntry[]>();
  readonly #numbers: ReadonlyMap<string, number>;
  /** By dataset: numbers by name. */
  readonly #named = new Map<string, Map<string, number>>();
  /** By list of names: the numbers of its samples. */
  readonly #lists = new WeakMap<readonly string[], readonly number[]>();
  readonly #searched = new Map<string, number>();

  constructor(entries: readonly PersonEntry[]) {
    for (const entry of entries) {
      const own = this.#entries.get(entry.sample.coverageId);
      if (own) own.push(entry);
      else this.#entries.set(entry.sample.coverageId, [entry]);
    }
    this.ids = [...this.#entries.keys()];
    this.#numbers = new Map(this.ids.map((id, number) => [id, number]));
    for (const { dataset, sample } of entries) {
      const named = this.#named.get(dataset) ?? new Map<string, number>();
      this.#named.set(dataset, named.set(sample.name, this.#numbers.get(sample.coverageId) as number));
    }
  }

  entriesOf(id: string): readonly PersonEntry[] {
    return this.#entries.get(id) ?? [];
  }

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  caseOf(number: number): string {
    return (this.entriesOf(this.ids[number] as string)[0] as PersonEntry).sample.case;
  }

  /** One sex, if the datasets agree. */
  sexOf(number: number): Sample['sex'] {
    return oneSex(this.entriesOf(this.ids[number] as string));
  }

  /** Undefined for a sample that was added since. */
  named(dataset: string, name: string): number | undefined {
    return this.#named.get(dataset)?.get(name);
  }

  /** The numbers of samples of a dataset, by their numbers in an observation; -1 for those that were added since. */
  numbersIn(dataset: string, names: readonly string[]): readonly number[] {
    const known = this.#lists.get(names) ?? names.map((name) => this.named(dataset, name) ?? -1);
    this.#lists.set(names, known);
    return known;
  }

  /** Of these people those that the dataset has, by their names there. */
  namesIn(dataset: string, numbers: ReadonlySet<number>): Map<string, number> {
    return new Map([...(this.#named.get(dataset) ?? [])].filter(([, number]) => numbers.has(number)));
  }

  /** How many were searched for alleles of a kind on a chromosome. */
  searched(kind: keyof Searched, contig: Contig): number {
    const key = `${kind} ${contig}`;
    const known = this.#searched.get(key);
    if (known !== undefined) return known;
    const count = [...this.#entries.values()].filter((own) => wasSearched(own, kind, contig)).length;
    this.#searched.set(key, count);
    return count;
  }
}

export async function peopleOf(
  repository: Pick<BeaconRepository, 'sampleFacts'>,
  datasets: readonly Dataset[],
): Promise<DatasetPeople> {
  const entries: PersonEntry[] = [];
  for (const { id: dataset } of datasets) {
    for (const sample of await repository.sampleFacts(dataset)) entries.push({ dataset, sample });
  }
  return new DatasetPeople(entries);
}

export function wasSearched(entries: readonly PersonEntry[], kind: keyof Searched, contig: Contig): boolean {
  return entries.some(({ sample }) => sample.searched[kind] && !sample.unsearched?.[kind]?.includes(contig));
}

export function oneSex(entries: readonly PersonEntry[]): Sample['sex'] {
  const stated = new Set(entries.map(({ sample }) => sample.sex).filter((sex) => sex !== 'unknown'));
  const [sex = 'unknown'] = stated;
  return stated.size === 1 ? sex : 'unknown';
}
