/** The samples that a caller may know of, and what is stated of them. */
import type { BeaconRepository, Sample } from '../contract.js';
import { type OntologyTerm, termKey } from '../contract.js';
import type { Disclosed } from '../disclosure.js';

/** Samples by dataset, of datasets whose cases the caller may know; in the order of the datasets. */
export type People = ReadonlyMap<string, readonly Sample[]>;

export async function peopleIn(
  source: Pick<BeaconRepository, 'sampleFacts'>,
  datasets: readonly Disclosed[],
): Promise<People> {
  const people = new Map<string, readonly Sample[]>();
  for (const { dataset, cases } of datasets) {
    if (cases) people.set(dataset.id, await source.sampleFacts(dataset.id));
  }
  return people;
}

/** Phenotypes and diseases of a sample. */
export function termsOf({ phenotypes, diseases }: Sample): readonly OntologyTerm[] {
  return [...phenotypes, ...diseases];
}

/** The terms that are stated of any of the people, by `termKey`; of several spellings the first with a label. */
export function statedTerms(people: People): Map<string, OntologyTerm> {
  const stated = new Map<string, OntologyTerm>();
  for (const samples of people.values()) {
    for (const term of samples.flatMap(termsOf)) {
      const key = termKey(term.id);
      const known = stated.get(key);
      if (!known || (known.label === undefined && term.label !== undefined)) stated.set(key, term);
    }
  }
  return stated;
}
