/**
 * What the words of a panel say of a gene's inheritance, and what genotypes say of a family: which parent an allele is from, and
 * whether two alleles are on different chromosomes.
 */
import type { FindingAllele, StatedPerson } from '../contract.js';
import type { CarriedAllele, PersonGenotype, PhasedAlleles } from '../evidence/evidence.js';

/**
 * One way in which a gene causes disease. `one`: one allele suffices; `all`: all copies have to be affected, by one allele or by two.
 * `limit` is that of the population frequency. `of`: the sex to which it applies, for genes on X.
 */
export interface InheritanceWay {
  needs: 'one' | 'all';
  limit: 'dominant' | 'recessive';
  of?: 'men' | 'women';
}

export interface GeneInheritance {
  /** At least one. */
  ways: readonly InheritanceWay[];
  /** False if the words say nothing, so that any genotype fits. */
  isKnown: boolean;
}

const dominant: InheritanceWay = { needs: 'one', limit: 'dominant' };
const recessive: InheritanceWay = { needs: 'all', limit: 'recessive' };

/**
 * Of the wordings of PanelApp (`BIALLELIC, autosomal or pseudoautosomal`, `X-LINKED: hemizygous mutation in males, …`), and of the
 * abbreviations of laboratories: `AD`, `AR`, `AD/AR`, `XL`, `XLD`, `XLR`, `MT`. Imprinting is not judged: one allele suffices.
 */
export function inheritanceOf(words = ''): GeneInheritance {
  const known = read.get(words);
  if (known) return known;
  const inheritance = inheritanceIn(words.trim().toUpperCase());
  // Panels have a dozen wordings; texts of a careless source are not kept without end.
  if (read.size < 1000) read.set(words, inheritance);
  return inheritance;
}

const read = new Map<string, GeneInheritance>();

function inheritanceIn(text: string): GeneInheritance {
  if (/^X-? ?LINKED|^XL[DR]?$/.test(text)) return xLinked(text);
  const isDominant = /^(MONOALLELIC|BOTH|MITOCHONDRIAL|MT$)|\bAD\b|AUTOSOMAL DOMINANT/.test(text);
  const isRecessive = /^(BIALLELIC|BOTH)|\bAR\b|AUTOSOMAL RECESSIVE/.test(text);
  const ways = [...(isDominant ? [dominant] : []), ...(isRecessive ? [recessive] : [])];
  return ways.length > 0 ? { ways, isKnown: true } : { ways: [dominant, recessive], isKnown: false };
}

/** Of hemizygous men all copies are affected; women by the stated mode, and without one by any. */
function xLinked(text: string): GeneInheritance {
  const isDominant = /MONOALLELIC|DOMINANT|^XLD$/.test(text);
  const isRecessive = /BIALLELIC|RECESSIVE|^XLR$/.test(text);
  const limit = isDominant ? 'dominant' : 'recessive';
  const men: InheritanceWay = { needs: 'all', limit, of: 'men' };
  const women = [...(isRecessive ? [recessive] : []), ...(isDominant ? [dominant] : [])];
  const isKnown = women.length > 0;
  return {
    ways: [men, ...(isKnown ? women : [dominant, recessive]).map((way) => ({ ...way, of: 'women' as const }))],
    isKnown,
  };
}

/** The people of a case by what rules ask of them. */
export interface Family {
  affected: readonly StatedPerson[];
  proband: string;
  mother: string | undefined;
  father: string | undefined;
}

export function familyOf(persons: readonly StatedPerson[]): Family {
  const sampleOf = (role: StatedPerson['role']) => persons.find((person) => person.role === role)?.sample;
  return {
    affected: persons.filter(({ isAffected }) => isAffected),
    proband: sampleOf('proband') as string,
    mother: sampleOf('mother'),
    father: sampleOf('father'),
  };
}

/** The genotype of a person who carries the allele. */
export function carriedBy(allele: CarriedAllele, sample: string | undefined): PersonGenotype | undefined {
  const genotype = sample === undefined ? undefined : allele.genotypes.get(sample);
  return typeof genotype === 'object' ? genotype : undefined;
}

/**
 * Where the proband's allele is from: `de novo` if those parents from whom this copy can be were searched and do not have it; a
 * parent if that one has it, and the other one is known not to. Undefined if it is not known.
 */
export function originOf(allele: CarriedAllele, { proband, mother, father }: Family): FindingAllele['origin'] {
  const genotype = carriedBy(allele, proband);
  if (!genotype) return undefined;
  const has = (parent: string | undefined, cannot: boolean): boolean | undefined => {
    if (cannot) return false;
    const found = parent === undefined ? undefined : allele.genotypes.get(parent);
    return found === undefined || found === 'unknown' ? undefined : found !== 'absent';
  };
  const { chromosome } = allele;
  const isSingle = genotype.of === 1;
  const ofMother = has(mother, chromosome === 'Y');
  const ofFather = has(father, chromosome === 'MT' || (chromosome === 'X' && isSingle));
  if (ofMother === false && ofFather === false) return 'de novo';
  if (ofMother === true && ofFather === false) return 'mother';
  return ofFather === true && ofMother === false ? 'father' : undefined;
}

/**
 * Whether two alleles that a person carries are on different chromosomes: by genotypes of the parents, of the proband, else as files
 * state it. Undefined if it is not known.
 */
export function phaseOf(
  one: CarriedAllele,
  two: CarriedAllele,
  sample: string,
  { family, stated }: { family: Family; stated: readonly PhasedAlleles[] },
): 'cis' | 'trans' | undefined {
  const [ofOne, ofTwo] = [carriedBy(one, sample), carriedBy(two, sample)];
  if (!ofOne || !ofTwo) return undefined;
  if (ofOne.of === 1 || ofTwo.of === 1) return 'cis';
  if (ofOne.copies === 2 || ofTwo.copies === 2) return 'trans';
  if (sample === family.proband) {
    const origins = [originOf(one, family), originOf(two, family)].filter((origin) => origin && origin !== 'de novo');
    if (origins.length === 2) return origins[0] === origins[1] ? 'cis' : 'trans';
  }
  const keys = [one.key, two.key];
  return stated.find((pair) => pair.sample === sample && keys.includes(pair.one) && keys.includes(pair.other))?.phase;
}
