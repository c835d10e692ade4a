/** The alleles of one case, from what is known of its genes. */
import { type Assembly, type Contig, pseudoautosomal } from '../../../core/genome.js';
import { alleleKey, isOfGene, type Statement } from '../contract.js';
import type {
  AlleleGene,
  CarriedAllele,
  KnownClass,
  Looked,
  OtherCarrier,
  PersonGenotype,
  PhasedAlleles,
} from './evidence.js';
import type { EvidenceSources, KnownGenes, WantedPanelGene } from './known-genes.js';
import type { KnownVariant } from './known-variant.js';
import { byPlace } from './spans.js';

type CaseStatement = Pick<Statement, 'persons' | 'alleles'>;

/** The alleles that an affected person carries in these genes, and those that the statement lists, with their genes; by place. */
export function variantsOfCase(
  { persons, alleles }: CaseStatement,
  known: KnownGenes,
  genes: ReadonlyMap<number, WantedPanelGene>,
): Map<KnownVariant, AlleleGene[]> {
  const affected = persons.filter(({ isAffected }) => isAffected);
  const found = new Map<KnownVariant, AlleleGene[]>();
  const byKey = new Map<string, KnownVariant>();
  const add = (one: KnownVariant, gene?: WantedPanelGene) => {
    const variant = byKey.get(one.key) ?? one;
    byKey.set(variant.key, variant);
    const own = found.get(variant) ?? variant.genes.map((stated) => ({ ...stated }));
    found.set(variant, own);
    if (gene === undefined) return;
    const named = own.find((stated) => isOfGene(stated, gene));
    if (named) named.hgnc = gene.hgnc;
    else own.push({ hgnc: gene.hgnc, symbol: gene.symbol, effect: 'unknown', terms: [] });
  };
  for (const { sample } of affected) {
    for (const { hgnc, variant } of known.carriedBy(sample)) {
      const gene = genes.get(hgnc);
      if (gene) add(variant, gene);
    }
  }
  for (const allele of alleles) {
    const one = known.listed(known.keyOf(allele));
    if (one && affected.some(({ sample }) => one.copiesOf(sample) !== undefined)) add(one);
  }
  return new Map([...found].sort(([one], [other]) => byAllele(one, other)));
}

function byAllele(one: KnownVariant, other: KnownVariant): number {
  return byPlace(one, other) || (one.alternate < other.alternate ? -1 : Number(one.alternate > other.alternate));
}

/** Persons of the case who were searched for the allele and do not carry it: `absent` if they are covered there. */
export function possiblyAbsent({ persons }: CaseStatement, known: KnownGenes, variant: KnownVariant): string[] {
  const kind = variant.structural === undefined ? 'small' : 'structural';
  return persons.flatMap(({ sample }) => {
    const state = known.samples.get(sample);
    if (!state?.searched[kind] || variant.copiesOf(sample) !== undefined || variant.isUncalled(sample)) return [];
    return state.unsearched?.[kind]?.includes(variant.chromosome) ? [] : [sample];
  });
}

/** Where a person has to be covered to lack an allele: its bases, of insertions and deletions one more on each side, both ends of others. */
export function placesToCover({ chromosome, start, end, reference, alternate, structural }: KnownVariant) {
  if (structural !== undefined) {
    const ends = structural === 'BND' ? [start] : [start, Math.max(start, end - 1)];
    return [...new Set(ends)].map((at) => ({ chromosome, start: at, end: at + 1 }));
  }
  const more = reference.length === alternate.length ? 0 : 1;
  return [{ chromosome, start: Math.max(0, start - more), end: end + more }];
}

/** `covered` says whether a person is known to be covered where the allele is. */
export function carriedAllele(
  statement: CaseStatement,
  { known, names }: { known: KnownGenes; names: ListedKeys },
  { one, genes }: { one: KnownVariant; genes: readonly AlleleGene[] },
  covered: (sample: string) => boolean,
): CarriedAllele {
  const { chromosome, start, end, reference, alternate, structural, frequency, local } = one;
  const lacking = new Set(possiblyAbsent(statement, known, one));
  const genotypes = new Map<string, PersonGenotype | 'absent' | 'unknown'>();
  for (const { sample, sex } of statement.persons) {
    const called = one.copiesOf(sample);
    const stated = sex === 'unknown' ? known.samples.get(sample)?.sex : sex;
    if (called === undefined) genotypes.set(sample, lacking.has(sample) && covered(sample) ? 'absent' : 'unknown');
    else genotypes.set(sample, genotypeOf(called, copiesAt(known.build, chromosome, start, stated ?? 'unknown')));
  }
  return {
    key: names.get(one.key) ?? one.key,
    ...{ chromosome, start, end, reference, alternate, ...(structural !== undefined && { structural }) },
    ...{ genotypes, genes, local },
    ...(frequency !== undefined && { populationFrequency: frequency }),
    // Few alleles are asked for other carriers, and some have many.
    get others() {
      return othersOf(statement, known, one, genes);
    },
  };
}

/** The keys of listed alleles as the statement writes them, by those in one form; the first counts. */
export type ListedKeys = ReadonlyMap<string, string>;

export function listedKeys({ alleles }: Pick<Statement, 'alleles'>, known: KnownGenes): ListedKeys {
  return new Map(alleles.map((allele) => [known.keyOf(allele), alleleKey(allele)] as const).reverse());
}

function genotypeOf(called: number, of: 1 | 2 | undefined): PersonGenotype {
  return { copies: called >= 2 && of !== 1 ? 2 : 1, of };
}

/** How many copies of a place a person has; undefined if that depends on a sex that is not known. */
function copiesAt(
  build: Assembly,
  chromosome: Contig,
  start: number,
  sex: 'female' | 'male' | 'unknown',
): 1 | 2 | undefined {
  if (chromosome === 'MT') return 1;
  if (chromosome !== 'X' && chromosome !== 'Y') return 2;
  const isShared = pseudoautosomal[build].some(
    (region) => region.chromosome === chromosome && region.start <= start && start < region.end,
  );
  if (isShared) return chromosome === 'X' ? 2 : undefined;
  if (chromosome === 'Y' || sex === 'male') return 1;
  return sex === 'female' ? 2 : undefined;
}

function othersOf(
  { persons }: CaseStatement,
  known: KnownGenes,
  variant: KnownVariant,
  genes: readonly AlleleGene[],
): OtherCarrier[] {
  const own = new Set(persons.map(({ sample }) => sample));
  const cases = new Set(persons.flatMap(({ sample }) => known.samples.get(sample)?.case ?? []));
  const ids = genes.flatMap(({ hgnc }) => hgnc ?? []);
  const { chromosome, start } = variant;
  return [...variant.carriers()].flatMap(([sample, called]) => {
    const state = known.samples.get(sample);
    if (state === undefined || own.has(sample) || cases.has(state.case)) return [];
    const isOnAll = called >= (copiesAt(known.build, chromosome, start, state.sex) ?? 1);
    const carried = known.carriedBy(sample);
    const whole = ids.filter((hgnc) => isOnAll || carried.filter((one) => one.hgnc === hgnc).length > 1);
    const { case: name, affected, phenotypes } = state;
    return [{ sample, case: name, affected, phenotypes, copies: called, whole }];
  });
}

/** Pairs of these alleles that files phase in a person of the case. */
export function phasesOfCase(
  { persons }: CaseStatement,
  { known, names }: { known: KnownGenes; names: ListedKeys },
  keys: ReadonlySet<string>,
): PhasedAlleles[] {
  const named = (key: string) => names.get(key) ?? key;
  return persons.flatMap(({ sample }) =>
    [...known.phasesOf(sample)].flatMap(({ one, other, phase }) => {
      if (!keys.has(one) || !keys.has(other)) return [];
      return [{ sample, one: named(one), other: named(other), phase }];
    }),
  );
}

/** By the key as the statement has it: of alleles of the case, by their keys in one form, and of those that the statement lists. */
export function classesOf(
  alleles: Statement['alleles'],
  { sites }: Pick<EvidenceSources, 'sites'>,
  { known, names }: { known: KnownGenes; names: ListedKeys },
  keys: readonly string[],
): Looked<ReadonlyMap<string, readonly KnownClass[]>> {
  const carried = keys.map((key) => [names.get(key) ?? key, known.classesOf(key)] as const);
  const listed = alleles.map((allele) => [alleleKey(allele), known.classesOf(known.keyOf(allele))] as const);
  const value = new Map([...carried, ...listed]);
  if (Object.keys(known.releases).length > 0) return { value };
  // Annotations alone may state classes.
  if ([...value.values()].some(({ length }) => length > 0)) return { value };
  return { why: sites === undefined ? 'no-plugin' : 'no-sets' };
}
