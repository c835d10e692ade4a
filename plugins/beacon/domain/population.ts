/** The samples of a dataset that may carry an allele, in groups whose coverage is counted apart. */
import type { Assembly, Contig } from './allele.js';
import { isSexSpecific, ploidyAt } from './ploidy.js';
import type { Sample, Sex } from './sample.js';

/** What a registration says of the sex; contradicted if what it states and what the depth shows differ. */
export type RegisteredSex = Sex | 'contradicted';

export interface Group {
  sex: Sex;
  /** Samples of the dataset that share the depth of each registered sample of the group. */
  weight: number;
  /** Registered samples. */
  ids: readonly string[];
}

/** Where samples are counted; an allele is where it starts. */
export interface Site {
  assembly: Assembly;
  contig: Contig;
  start: number;
}

/**
 * Copies of the place that are expected to be called in a person; undefined where they depend on a sex that is not known. Y has
 * none in the pseudo-autosomal regions, which are masked there: their reads are aligned to X.
 */
export function copiesAt({ assembly, contig, start }: Site, sex: Sex): 0 | 1 | 2 | undefined {
  if (contig !== 'X' && contig !== 'Y') return ploidyAt(assembly, contig, start, sex);
  if (!isSexSpecific(assembly, contig, start)) return contig === 'Y' ? 0 : 2;
  return sex === 'unknown' ? undefined : ploidyAt(assembly, contig, start, sex);
}

/** The same for each sex. */
export function copiesBySex(site: Site): Readonly<Record<Sex, 0 | 1 | 2 | undefined>> {
  return { female: copiesAt(site, 'female'), male: copiesAt(site, 'male'), unknown: copiesAt(site, 'unknown') };
}

/** Registered samples have numbers: their places in the groups, one group after the other. */
export class Population {
  readonly groups: readonly Group[];
  /** Of the registered samples, by number. */
  readonly sexes: readonly Sex[];
  /** By name of a sample: the registered one that knows its depth. */
  readonly #registered = new Map<string, string>();
  readonly #numbers: ReadonlyMap<string, number>;
  #ids: readonly string[] | undefined;
  /** The names that were last asked for. */
  #names: readonly string[] = [];
  #numbered = new Int32Array();

  /** `registered` has the sexes that registrations state, by id. Where statements contradict each other the sex is unknown. */
  constructor(samples: readonly Sample[], registered: ReadonlyMap<string, RegisteredSex> = new Map()) {
    const byId = new Map<string, Sample[]>();
    for (const sample of samples) {
      const known = byId.get(sample.coverageId);
      if (known) known.push(sample);
      else byId.set(sample.coverageId, [sample]);
    }
    const groups = new Map<string, Group & { ids: string[] }>();
    for (const [id, those] of byId) {
      const sex = oneSex([...those.map((sample) => sample.sex), registered.get(id) ?? 'unknown']);
      for (const { name } of those) this.#registered.set(name, id);
      const key = `${sex} ${those.length}`;
      const group = groups.get(key) ?? { sex, weight: those.length, ids: [] };
      group.ids.push(id);
      groups.set(key, group);
    }
    this.groups = [...groups.values()];
    this.sexes = this.groups.flatMap(({ sex, ids }) => ids.map(() => sex));
    this.#numbers = new Map(this.groups.flatMap(({ ids }) => ids).map((id, number) => [id, number]));
  }

  /** The id of a registered sample. */
  idOf(number: number): string {
    this.#ids ??= this.groups.flatMap(({ ids }) => ids);
    return this.#ids[number] as string;
  }

  /** For each name, the number of its registered sample; -1 for samples that are not in the population. */
  numbersOf(names: readonly string[]): Int32Array {
    // The same list comes with millions of alleles.
    if (names === this.#names) return this.#numbered;
    const numbers = Int32Array.from(names, (name) => this.#numberOf(name));
    [this.#names, this.#numbered] = [names, numbers];
    return numbers;
  }

  #numberOf(name: string): number {
    const id = this.#registered.get(name);
    return id === undefined ? -1 : (this.#numbers.get(id) ?? -1);
  }
}

function oneSex(stated: readonly RegisteredSex[]): Sex {
  const known = new Set(stated.filter((sex) => sex !== 'unknown'));
  const [only = 'unknown'] = known;
  return known.size > 1 || only === 'contradicted' ? 'unknown' : only;
}
