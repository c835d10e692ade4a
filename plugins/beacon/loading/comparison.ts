/** Compares the samples of a load with each other and with those of its dataset, before any of them becomes visible. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BeaconRepository,
  changedFacts,
  Genotypes,
  type SampleChange,
  type SampleFacts,
  unknownFacts,
} from '../contract.js';
import type { SiteGenotypes } from '../vcf/site-genotypes.js';
import {
  areOnePerson,
  type ComparedPerson,
  type Comparison,
  checkStated,
  comparisonOfPeople,
  leastTelling,
  type Pedigree,
  type RelatednessFinding,
  type Thresholds,
} from './relatedness.js';

/** Sites that are queried in the dataset before its files are read, and sites at which samples are compared. */
export const wantedSites = 1536;
export const comparedSites = 1024;

/** Findings of one kind that are kept; further ones are counted. */
const mostFindings = 200;
/** Pairs that one load, or one check, compares at most: a little more than those of 10,000 samples with each other. */
export const mostPairs = 50_000_000;
/** Pairs after which other work of the process gets a turn. */
export const pairsAtOnce = 20_000;
/** Share of reference genotypes, of those known at common sites, from which on a file shows them. */
const referenceShare = 0.1;

export interface CompareRequest {
  repository: Pick<BeaconRepository, 'genotypes'>;
  dataset: string;
  /** The samples of the load, in the order of their genotypes. */
  samples: readonly string[];
  genotypes: SiteGenotypes;
  facts: ReadonlyMap<string, SampleChange>;
  pedigree: Pedigree;
  thresholds: Thresholds;
  /** Pairs to compare at most; `mostPairs` if omitted. */
  most?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface ComparisonSummary {
  /** Pairs of samples, one of them new at least, by whether they have enough sites in common; `notCompared` are beyond the bound, and absent if none is. */
  pairs: { compared: number; tooFewSites: number; notCompared?: number };
  /** Stated relationships, and samples of cases with others, that the genotypes neither confirm nor contradict. */
  unchecked: number;
  /** What does not fit, and how much more there is of each kind. */
  findings: RelatednessFinding[];
  moreFindings: ReadonlyMap<RelatednessFinding['kind'], number>;
  /** The sites that two samples need in common at which one of them is homozygous. */
  leastTelling: number;
}

/** Samples with their genotypes at some sites, in one order. */
interface GenotypeGroup {
  people: readonly ComparedPerson[];
  genotypes: Genotypes;
  /** By sample, the number of sites at which its genotype is known. */
  known: readonly number[];
}

/**
 * Only pairs that can have enough sites in common are compared, by the known genotypes of each, and no more than the bound.
 * An earlier version of a new sample is compared with that sample alone: it should be the same person.
 */
export async function compareSamples(request: CompareRequest): Promise<ComparisonSummary> {
  const { repository, dataset, samples, genotypes, facts, pedigree, thresholds, most = mostPairs, signal } = request;
  const sites = genotypes.known(comparedSites);
  const stored = await repository.genotypes(dataset, sites, signal ? { signal } : {});
  const known = new Map<string, SampleFacts>(stored?.samples.map((sample) => [sample.name, sample]));
  const described = samples.map((name) => ({
    ...changedFacts(known.get(name) ?? unknownFacts(name), facts.get(name) ?? {}),
    name,
  }));
  const load = new LoadComparison({
    among: groupOf(described, genotypes.genotypes(genotypes.telling(comparedSites)), { isStored: false }),
    against: groupOf(described, genotypes.genotypes(sites), { isStored: false }),
    stored: groupOf(stored?.samples ?? [], stored?.genotypes ?? new Genotypes(0, sites.length), { isStored: true }),
    thresholds,
  });
  const counts = new Map<RelatednessFinding['kind'], number>();
  const moreFindings = new Map<RelatednessFinding['kind'], number>();
  const summary: ComparisonSummary = {
    pairs: { compared: 0, tooFewSites: 0 },
    unchecked: 0,
    findings: [],
    moreFindings,
    leastTelling: leastTelling(thresholds),
  };
  const add = (finding: RelatednessFinding) => {
    const count = 1 + (counts.get(finding.kind) ?? 0);
    counts.set(finding.kind, count);
    if (count <= mostFindings) summary.findings.push(finding);
    else moreFindings.set(finding.kind, count - mostFindings);
  };
  const { all, comparable } = load.counts();
  let turn = 0;
  for (const { sample, person, comparison: found } of load.pairs(most)) {
    if (found.alike !== undefined) summary.pairs.compared++;
    if (areOnePerson(found, thresholds)) {
      add({ kind: 'same-person', sample, others: [{ person, comparison: found }] });
    }
    if (++turn % pairsAtOnce > 0) continue;
    await nextTurn();
    signal?.throwIfAborted();
  }
  const left = Math.max(0, comparable - most);
  summary.pairs.tooFewSites = all - left - summary.pairs.compared;
  if (left > 0) summary.pairs.notCompared = left;
  for (const { sample, person, comparison: found } of load.again()) {
    if (areOnePerson(found, thresholds) === false) {
      add({ kind: 'another-person', sample, others: [{ person, comparison: found }] });
    }
  }
  const people = load.concerned(pedigree);
  const checked = checkStated({ fresh: load.names, people, pedigree, thresholds }, load.compare);
  summary.unchecked = checked.unknown;
  for (const finding of checked.findings) add(finding);
  return summary;
}

function groupOf(
  samples: readonly (SampleFacts & { name: string })[],
  genotypes: Genotypes,
  { isStored }: Pick<ComparedPerson, 'isStored'>,
): GenotypeGroup {
  const known: number[] = [];
  const people = samples.map(({ name, case: id, sex }, number) => {
    const { reference, heterozygous, homozygous } = genotypes.counts(number);
    const sites = reference + heterozygous + homozygous;
    known.push(sites);
    return { name, case: id, sex, isStored, showsReference: reference > 0 && reference >= referenceShare * sites };
  });
  return { people, genotypes, known };
}

/** Two samples, the first a new one. */
interface ComparedPair {
  sample: ComparedPerson;
  person: ComparedPerson;
  comparison: Comparison;
}

interface GenotypeGroups {
  /** The new samples at sites that distinguish them, and at the sites at which the stored ones are known. */
  among: GenotypeGroup;
  against: GenotypeGroup;
  stored: GenotypeGroup;
  thresholds: Thresholds;
}

/** The pairs of a load. */
class LoadComparison {
  /** Of the new samples. */
  readonly names: ReadonlySet<string>;
  readonly #groups: GenotypeGroups;
  /** The numbers of samples by name; of stored ones without those that are loaded again. */
  readonly #fresh: ReadonlyMap<string, number>;
  readonly #stored: ReadonlyMap<string, number>;
  /** Numbers of samples of each group that can have enough sites in common with another; of stored ones without those loaded again. */
  readonly #comparable: { among: readonly number[]; against: readonly number[]; others: readonly number[] };

  constructor(groups: GenotypeGroups) {
    this.#groups = groups;
    this.#fresh = new Map(groups.among.people.map(({ name }, number) => [name, number]));
    this.names = new Set(this.#fresh.keys());
    const others = groups.stored.people.map(({ name }, number) => [name, number] as const);
    this.#stored = new Map(others.filter(([name]) => !this.names.has(name)));
    const { among, against, stored, thresholds } = groups;
    const enough = ({ known }: GenotypeGroup, number: number) => (known[number] ?? 0) >= leastTelling(thresholds);
    const ofLoad = [...this.#fresh.values()];
    this.#comparable = {
      among: ofLoad.filter((number) => enough(among, number)),
      against: ofLoad.filter((number) => enough(against, number)),
      others: [...this.#stored.values()].filter((number) => enough(stored, number)),
    };
  }

  /** The number of pairs, and of those that can have enough sites in common. */
  counts(): { all: number; comparable: number } {
    const [fresh, stored] = [this.#groups.among.people.length, this.#stored.size];
    const { among, against, others } = this.#comparable;
    return {
      all: (fresh * (fresh - 1)) / 2 + fresh * stored,
      comparable: (among.length * (among.length - 1)) / 2 + against.length * others.length,
    };
  }

  /** Up to `most` comparable pairs: each new sample with those that come after it in the load, and with the stored ones. */
  *pairs(most: number): Generator<ComparedPair> {
    const { among, against, stored } = this.#groups;
    const { among: fresh, against: placed, others } = this.#comparable;
    let left = most;
    for (const [place, number] of fresh.entries()) {
      for (let next = place + 1; next < fresh.length; next++) {
        if (left-- === 0) return;
        yield this.#pair(among, number, among, fresh[next] as number);
      }
    }
    for (const number of placed) {
      for (const other of others) {
        if (left-- === 0) return;
        yield this.#pair(against, number, stored, other);
      }
    }
  }

  /** Each new sample that is loaded again, with its stored version. */
  *again(): Generator<ComparedPair> {
    const { against, stored } = this.#groups;
    for (const [other, { name }] of stored.people.entries()) {
      const number = this.#fresh.get(name);
      if (number === undefined) continue;
      yield this.#pair(against, number, stored, other);
    }
  }

  /** Compares a new sample with any other, by name. */
  readonly compare = (name: string, other: string): Comparison | undefined => {
    const { among, against, stored } = this.#groups;
    const number = this.#fresh.get(name);
    const [fresh, old] = [this.#fresh.get(other), this.#stored.get(other)];
    if (number === undefined) return undefined;
    if (fresh !== undefined) return this.#compared(among, number, among, fresh);
    return old === undefined ? undefined : this.#compared(against, number, stored, old);
  };

  /** The people of all cases and pedigrees that have a new sample, by name. */
  concerned(pedigree: Pedigree): Map<string, ComparedPerson> {
    const { among, stored } = this.#groups;
    const cases = new Set(among.people.map((person) => person.case));
    const named = new Set(
      [...pedigree].flatMap(([child, parents]) => [
        child,
        ...Object.values(parents).filter((name) => name !== undefined),
      ]),
    );
    const others = stored.people.filter(
      (person) => this.#stored.has(person.name) && (cases.has(person.case) || named.has(person.name)),
    );
    return new Map([...among.people, ...others].map((person) => [person.name, person]));
  }

  #pair(one: GenotypeGroup, number: number, other: GenotypeGroup, place: number): ComparedPair {
    const [sample, person] = [one.people[number] as ComparedPerson, other.people[place] as ComparedPerson];
    return { sample, person, comparison: this.#compared(one, number, other, place) };
  }

  #compared(one: GenotypeGroup, number: number, other: GenotypeGroup, place: number): Comparison {
    const likeness = one.genotypes.likeness(number, other.genotypes, place);
    return comparisonOfPeople(
      likeness,
      one.people[number] as ComparedPerson,
      other.people[place] as ComparedPerson,
      this.#groups.thresholds,
    );
  }
}
