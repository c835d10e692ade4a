/**
 * Whether two samples are of one person, and whether they can be related as stated, by their genotypes.
 *
 * - The same person: equal genotypes at nearly all sites at which at least one of the two is homozygous. Sites at which both
 *   are heterozygous are left out: any two carriers of an uncommon allele agree there.
 * - Related or not: sites at which the two are homozygous for different alleles (IBS0), divided by those at which both are
 *   heterozygous. Whatever the frequency of an allele, unrelated people of one population have a ratio of 0.5 (R0 of
 *   Waples, Albrechtsen and Moltke 2019); parent and child have 0, siblings some 0.1, second-degree relatives some 0.25.
 */
import type { Likeness } from '../domain/genotypes.js';
import type { Sex } from '../domain/sample.js';

export interface Thresholds {
  /** Sites without which nothing is said of two samples; half as many telling ones for the same person. */
  sites: number;
  /** Share of equal genotypes from which on two samples are of one person. */
  samePerson: number;
  /** Largest ratio of parent and child. */
  parentChild: number;
  /** Ratio from which on two people are unrelated. */
  unrelated: number;
}

export interface ComparedPerson {
  name: string;
  case: string;
  sex: Sex;
  /** Whether it is in the dataset already; else it is a sample of the load. */
  isStored: boolean;
  /** Whether it shows reference genotypes, or only what it carries. */
  showsReference: boolean;
}

/** What the genotypes of two samples say; undefined if they say nothing. */
export interface Comparison {
  sites: number;
  ibs0: number;
  ibs2: number;
  /** Share of the sites with equal genotypes. */
  concordance: number;
  /** Share of equal genotypes among sites at which at least one of the two is homozygous, and the number of these. */
  alike: number | undefined;
  telling: number;
  /** IBS0 for each site at which both are heterozygous; needs reference genotypes of at least one of the two. */
  ratio: number | undefined;
}

/** Sites at which one of two samples is homozygous, without which nothing is said of whether they are of one person. */
export function leastTelling({ sites }: Thresholds): number {
  return Math.ceil(sites / 2);
}

export function comparisonOfPeople(
  likeness: Likeness,
  one: ComparedPerson,
  other: ComparedPerson,
  thresholds: Thresholds,
): Comparison {
  const { sites: least } = thresholds;
  const { sites, same, bothHeterozygous, referenceAgainstAlternate, alternateAgainstReference } = likeness;
  const telling = sites - bothHeterozygous;
  // If only one shows its reference genotypes, half of the opposite ones are seen.
  const shown = Number(one.showsReference) + Number(other.showsReference);
  const opposite =
    (one.showsReference ? referenceAgainstAlternate : 0) + (other.showsReference ? alternateAgainstReference : 0);
  // A bound from below if there are few heterozygous sites.
  const shared = Math.max(bothHeterozygous, least / 2);
  return {
    sites,
    ibs0: referenceAgainstAlternate + alternateAgainstReference,
    ibs2: same,
    concordance: sites === 0 ? 0 : same / sites,
    alike: telling >= leastTelling(thresholds) ? (same - bothHeterozygous) / telling : undefined,
    telling,
    ratio: shown > 0 && sites >= least ? (2 * opposite) / (shown * shared) : undefined,
  };
}

const findingKinds = [
  'same-person',
  'another-person',
  'not-parent-and-child',
  'not-siblings',
  'unrelated-to-case',
] as const;

/** What does not fit. */
export interface RelatednessFinding {
  kind: (typeof findingKinds)[number];
  /** A new sample: of parent and child the child, if both are new. */
  sample: ComparedPerson;
  /** The others that it does not fit with; of `unrelated-to-case` all others of the case. */
  others: readonly { person: ComparedPerson; comparison: Comparison }[];
}

/**
 * The parents of individuals that a pedigree states, by name; no two have more than `largestFamily` children in common. Names of
 * parents who are not among the samples are those of other people in another family.
 */
export type Pedigree = ReadonlyMap<string, { family?: string; father?: string; mother?: string }>;

/** Pairs of individuals that a pedigree states. */
export interface StatedPair {
  relation: 'parent-child' | 'siblings';
  /** The child comes first. */
  names: readonly [string, string];
}

export function statedPairs(pedigree: Pedigree): StatedPair[] {
  const pairs: StatedPair[] = [];
  const families = new Map<string, string[]>();
  for (const [child, { family, father, mother }] of pedigree) {
    for (const parent of [father, mother]) {
      if (parent !== undefined) pairs.push({ relation: 'parent-child', names: [child, parent] });
    }
    if (father === undefined || mother === undefined) continue;
    const parents = JSON.stringify([family, father, mother]);
    const siblings = listedParents(families, parents);
    for (const sibling of siblings) pairs.push({ relation: 'siblings', names: [child, sibling] });
    siblings.push(child);
  }
  return pairs;
}

/** The list of a key, which is made if there is none. */
function listedParents<Value>(lists: Map<string, Value[]>, key: string): Value[] {
  const known = lists.get(key);
  if (known) return known;
  const list: Value[] = [];
  lists.set(key, list);
  return list;
}

/** A case of more samples is no family, but a cohort. Two parents cannot have more children. */
export const largestFamily = 50;

export interface StatedRelations {
  /** Names of the new samples. */
  fresh: ReadonlySet<string>;
  /** All people of a case, or a family of the pedigree, with a new one. */
  people: ReadonlyMap<string, ComparedPerson>;
  pedigree: Pedigree;
  thresholds: Thresholds;
}

export interface RelatednessCheck {
  findings: RelatednessFinding[];
  /** Stated pairs, and samples with others in their case, for which the genotypes are no evidence. */
  unknown: number;
}

/** Checks the new samples against what is stated of them; `compare` gets the name of a new one, and of another. */
export function checkStated(
  { fresh, people, pedigree, thresholds }: StatedRelations,
  compare: (name: string, other: string) => Comparison | undefined,
): RelatednessCheck {
  const checked: RelatednessCheck = { findings: [], unknown: 0 };
  const pairs = statedPairs(pedigree).filter(({ names }) => names.some((name) => fresh.has(name)));
  for (const { relation, names } of pairs) {
    // As the subject a new one.
    const [name, other] = fresh.has(names[0]) ? names : [names[1], names[0]];
    const [sample, person] = [people.get(name), people.get(other)];
    if (!sample || !person) continue;
    const found = compare(name, other);
    if (found?.ratio === undefined) checked.unknown++;
    else if (relation === 'parent-child' ? found.ratio > thresholds.parentChild : found.ratio >= thresholds.unrelated) {
      const kind = relation === 'parent-child' ? 'not-parent-and-child' : 'not-siblings';
      checked.findings.push({ kind, sample, others: [{ person, comparison: found }] });
    }
  }
  const cases = new Map<string, ComparedPerson[]>();
  for (const person of people.values()) listedParents(cases, person.case).push(person);
  for (const members of cases.values()) checkCase(members);
  return checked;

  function checkCase(members: readonly ComparedPerson[]): void {
    // A pedigree says who in the case is related.
    if (members.some(({ name }) => hasParents(pedigree.get(name)))) return;
    const [first, second] = members;
    // May be the parents of a child that is not loaded yet.
    const mayBeCouple = members.length === 2 && (first?.sex !== second?.sex || first?.sex === 'unknown');
    if (members.length < 2 || members.length > largestFamily || mayBeCouple) return;
    for (const sample of members) {
      if (!fresh.has(sample.name)) continue;
      const others = members.flatMap((person) => {
        const found = person === sample ? undefined : compare(sample.name, person.name);
        return found?.ratio === undefined ? [] : [{ person, comparison: found }];
      });
      if (others.length < members.length - 1) checked.unknown++;
      else if (others.every(({ comparison: { ratio = 0 } }) => ratio >= thresholds.unrelated)) {
        checked.findings.push({ kind: 'unrelated-to-case', sample, others });
      }
    }
  }
}

function hasParents(stated: { father?: string; mother?: string } | undefined): boolean {
  return stated?.father !== undefined || stated?.mother !== undefined;
}

/** Whether two samples are of one person; undefined if their genotypes do not say. */
export function areOnePerson({ alike }: Comparison, { samePerson }: Thresholds): boolean | undefined {
  return alike === undefined ? undefined : alike >= samePerson;
}
