/**
 * Whether an allele passes for a case: an affected person carries it, its gene is one of the panel, the genotype fits the inheritance
 * that the panel states, it is rare, and its consequence is of moderate effect or worse. What is not known is marked.
 */
import { type FindingAllele, isOfGene, type Statement, type UnknownFact } from '../contract.js';
import type { AlleleGene, CarriedAllele, CaseEvidence, KnownClass, PassingRules } from '../evidence/evidence.js';
import { type PanelPair, panelPair } from '../evidence/panel-versions.js';
import {
  carriedBy,
  type Family,
  familyOf,
  type InheritanceWay,
  inheritanceOf,
  originOf,
  phaseOf,
} from './inheritance.js';

export const defaultRules: PassingRules = {
  populationFrequency: { dominant: 0.00001, recessive: 0.01 },
  artefact: { frequency: 0.01, carriers: 10 },
};

/** A gene of a panel, as rules need it. */
export interface GeneOfCase {
  hgnc: number;
  symbol: string;
  inheritance?: string;
}

/** An allele that passes in a gene. */
export interface Passing {
  allele: CarriedAllele;
  gene: GeneOfCase;
  /** It is not enough alone: it passes together with any of the others. */
  isPaired: boolean;
  /** Other alleles of a recessive gene that an affected person carries with it, not known to be in cis: those in trans first. */
  partners: readonly PartnerAllele[];
  /** Of the proband's copy. */
  origin: FindingAllele['origin'];
  unknown: readonly UnknownFact[];
}

/** By which a baseline has it. */
export const nameOf = ({ allele, gene }: Pick<Passing, 'allele' | 'gene'>) => `${allele.key} ${gene.hgnc}`;

export interface PartnerAllele {
  allele: CarriedAllele;
  phase: 'trans' | 'unknown';
}

/** What the change itself excuses. */
export interface Excuse {
  /** Frequency and consequence are not asked: a set calls the allele pathogenic. */
  isPathogenic?: true;
  /** It counts as a second allele of a recessive gene only. */
  isSecondOnly?: true;
}

/** The alleles of a case by gene, with what is asked of them again and again. */
export class CarriedAlleles {
  readonly family: Family;
  readonly #byGene = new Map<number, CarriedAllele[]>();
  readonly #bySymbol = new Map<string, CarriedAllele[]>();
  /** By gene as a version of a panel has it: several rules ask of the same. */
  readonly #passing = new Map<GeneOfCase, Passing[]>();
  readonly #evidence: CaseEvidence;
  readonly #rules: PassingRules;

  constructor({ persons }: Pick<Statement, 'persons'>, evidence: CaseEvidence, rules: PassingRules) {
    this.family = familyOf(persons);
    this.#evidence = evidence;
    this.#rules = rules;
    for (const allele of evidence.calls.value ?? []) {
      if (!this.family.affected.some(({ sample }) => carriedBy(allele, sample))) continue;
      for (const { hgnc, symbol } of allele.genes) {
        if (hgnc !== undefined) addTo(this.#byGene, hgnc, allele);
        else if (symbol !== undefined) addTo(this.#bySymbol, symbol, allele);
      }
    }
  }

  /** HGNC ids of genes of a panel in which there are some. */
  genesIn({ genes, bySymbol }: PanelPair): number[] {
    const named = [...this.#bySymbol.keys()].flatMap((symbol) => bySymbol.get(symbol) ?? []);
    return [...this.#byGene.keys(), ...named].filter((hgnc) => genes.has(hgnc));
  }

  /** Those that an affected person carries in the gene, by chromosome as text, then by start. */
  of({ hgnc, symbol }: GeneOfCase): readonly CarriedAllele[] {
    const [numbered = [], named = []] = [this.#byGene.get(hgnc), this.#bySymbol.get(symbol)];
    return named.length === 0 ? numbered : [...new Set([...numbered, ...named])];
  }

  /** What sets and annotations say of the allele. */
  classesOf(allele: Pick<CarriedAllele, 'key'>): readonly KnownClass[] {
    return this.#evidence.classes.value?.get(allele.key) ?? [];
  }

  /** All that pass in the gene. */
  passing(gene: GeneOfCase): readonly Passing[] {
    const known = this.#passing.get(gene);
    if (known) return known;
    const found = this.of(gene).flatMap((allele) => this.passes(allele, gene) ?? []);
    this.#passing.set(gene, found);
    return found;
  }

  passes(allele: CarriedAllele, gene: GeneOfCase, excuse: Excuse = {}): Passing | undefined {
    const effect = effectIn(allele, gene);
    if (!effect) return undefined;
    const { ways, isKnown } = inheritanceOf(gene.inheritance);
    const fits = ways.flatMap((way) => this.#fitsOf(allele, gene, way, excuse));
    if (fits.length === 0) return undefined;
    // Of several ways one in which it is enough alone, then the one with the fewest unknown facts.
    const [best] = fits.sort(
      (one, two) => Number(one.isPaired) - Number(two.isPaired) || one.unknown.length - two.unknown.length,
    ) as [Fit, ...Fit[]];
    const partners = fits
      .flatMap((fit) => fit.partners)
      .sort((one, two) => Number(one.phase !== 'trans') - Number(two.phase !== 'trans'));
    const unknown: UnknownFact[] = isKnown ? [...best.unknown] : [...best.unknown, 'inheritance'];
    if (!excuse.isPathogenic && allele.populationFrequency === undefined) unknown.push('frequency');
    if (effect.effect === 'unknown') unknown.push('consequence');
    return {
      allele,
      gene,
      isPaired: best.isPaired,
      partners: partners.filter((one, i) => partners.findIndex(({ allele: { key } }) => key === one.allele.key) === i),
      origin: originOf(allele, this.family),
      unknown,
    };
  }

  /** Whether one copy of the allele is enough to pass in the gene, in whom it may be. */
  isEnough(allele: CarriedAllele, gene: GeneOfCase): boolean {
    return inheritanceOf(gene.inheritance).ways.some(
      (way) => way.needs === 'one' && this.#isSuspect(allele, gene, way),
    );
  }

  #fitsOf(allele: CarriedAllele, gene: GeneOfCase, way: InheritanceWay, excuse: Excuse): Fit[] {
    if (!excuse.isPathogenic && !this.#isSuspect(allele, gene, way)) return [];
    return this.family.affected.flatMap((person): Fit[] => {
      const genotype = carriedBy(allele, person.sample);
      if (!genotype) return [];
      const sex = person.sex === 'unknown' ? this.#evidence.samples.get(person.sample)?.sex : person.sex;
      if (way.of && sex === (way.of === 'men' ? 'female' : 'male')) return [];
      const unknown: UnknownFact[] = way.of && (sex ?? 'unknown') === 'unknown' ? ['sex'] : [];
      const isAlone = way.needs === 'one' || genotype.of === undefined || genotype.copies === genotype.of;
      const partners =
        way.needs === 'one' || way.of === 'men' ? [] : this.#partnersOf(allele, gene, way, person.sample);
      const isPaired = !isAlone || excuse.isSecondOnly === true;
      if (isPaired && partners.length === 0) return [];
      if (isPaired && partners.every(({ phase }) => phase === 'unknown')) unknown.push('phase');
      return [{ isPaired, partners, unknown }];
    });
  }

  /** Other alleles of the gene that the person carries, not known to be in cis, pathogenic or suspect. */
  #partnersOf(allele: CarriedAllele, gene: GeneOfCase, way: InheritanceWay, sample: string): PartnerAllele[] {
    return this.of(gene).flatMap((other): PartnerAllele[] => {
      if (other.key === allele.key || !carriedBy(other, sample)) return [];
      const known = { family: this.family, stated: this.#evidence.phases };
      const phase = phaseOf(allele, other, sample, known);
      const isCounted = this.classesOf(other).some(isTrusted) || this.#isSuspect(other, gene, way);
      return phase === 'cis' || !isCounted ? [] : [{ allele: other, phase: phase ?? 'unknown' }];
    });
  }

  /** Rare, and with a consequence that counts: what is not said by the genotype. */
  #isSuspect(
    { genes, populationFrequency, local }: CarriedAllele,
    gene: GeneOfCase,
    { limit }: InheritanceWay,
  ): boolean {
    if (populationFrequency !== undefined && populationFrequency > this.#rules.populationFrequency[limit]) return false;
    if (isCommon({ local }, this.#rules)) return false;
    return genes.some((one) => isOfGene(one, gene) && counting.includes(one.effect));
  }
}

/** The alleles of a case that pass in a gene of its panel. */
export function passingAlleles(
  statement: Statement,
  evidence: CaseEvidence,
  rules: PassingRules,
): ReadonlySet<CarriedAllele> {
  const alleles = new CarriedAlleles(statement, evidence, rules);
  const { before, now } = evidence.panel;
  const pair = panelPair(before.value, now.value);
  const genes = alleles.genesIn(pair).flatMap((hgnc) => pair.genes.get(hgnc) ?? []);
  return new Set(genes.flatMap((gene) => alleles.passing(gene).map(({ allele }) => allele)));
}

interface Fit extends Pick<Passing, 'isPaired' | 'partners'> {
  unknown: UnknownFact[];
}

/** What is stated of the allele in the gene. */
export function effectIn({ genes }: Pick<CarriedAllele, 'genes'>, gene: GeneOfCase): AlleleGene | undefined {
  return genes.find((one) => isOfGene(one, gene));
}

/** Alleles that nobody annotated are evidence only in coding bases and splice sites: `unknown`. */
const counting: readonly AlleleGene['effect'][] = ['high', 'moderate', 'unknown'];

/** Share of the copies that were searched here: of covered samples if that is known, else of two for each sample. */
function localFrequency({ alleleCount, samples, covered }: CarriedAllele['local']): number {
  const copies = covered && covered.alleleNumber > 0 ? covered.alleleNumber : 2 * samples;
  return copies === 0 ? 0 : alleleCount / copies;
}

/** So frequent here that it is taken for an artefact. */
export function isCommon({ local }: Pick<CarriedAllele, 'local'>, { artefact }: PassingRules): boolean {
  return local.carriers >= artefact.carriers && localFrequency(local) > artefact.frequency;
}

export function isPathogenic({ level }: KnownClass): boolean {
  return level !== 'other';
}

/** (Likely) pathogenic, and not without any star; sources that give no stars count. */
export function isTrusted(known: KnownClass): boolean {
  return isPathogenic(known) && known.stars !== 0;
}

function addTo<Key>(map: Map<Key, CarriedAllele[]>, key: Key, allele: CarriedAllele): void {
  const list = map.get(key);
  if (!list) map.set(key, [allele]);
  else if (list.at(-1) !== allele) list.push(allele);
}
