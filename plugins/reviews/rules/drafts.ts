/**
 * From what a rule found to a finding: its id, its priority, the facts by which a reader checks it, and what a decision rests on.
 *
 * Alleles that pass only with another one of their gene are one finding for each gene and change, be they two or five: whether both
 * copies of the gene are affected is one question, however many pairs may answer it. Its id has the gene alone, so that it stays itself
 * when an allele comes or goes; what a decision rests on has each allele with its partners, so that it returns then. An allele that
 * passes alone is a finding of its own, whatever else is carried.
 */
import { createHash } from 'node:crypto';
import {
  alleleKey,
  allelesOf,
  type BuildAllele,
  type ComputedFinding,
  type FindingAllele,
  type FindingEvidence,
  type FormerClass,
  type Reason,
  type StatedAllele,
  type UnknownFact,
} from '../contract.js';
import type { CarriedAllele } from '../evidence/evidence.js';
import { carriedBy, originOf } from './inheritance.js';
import { effectIn, type GeneOfCase, isTrusted, type PartnerAllele, type Passing } from './passing.js';
import type { Situation } from './situation.js';

/** A finding as a rule makes it. */
export interface Draft {
  /** Together with the case and the reason it names the finding; if omitted, the gene does, and the allele if it passes alone. */
  about?: readonly (string | number)[];
  /** The allele that passes, or another one, and the gene; the effects are those in the gene. */
  passing?: Passing;
  carried?: CarriedAllele;
  allele?: StatedAllele;
  gene?: GeneOfCase;
  before: FindingEvidence['before'];
  now: FindingEvidence['now'];
  others?: FindingEvidence['others'];
  /** Besides genotype, origin, partners and cases that share it. */
  rests: readonly unknown[];
  /** Omitted where the allele decides. */
  priority?: number;
  /** What changed, if that has a release. */
  change?: string | undefined;
  /** The gene is green since the newer version of the panel. */
  isNewGreen?: boolean;
}

export interface FoundFinding {
  finding: ComputedFinding;
  /** What changed: `panel iem@5.0`, `ClinVar 2026-11`; the reason alone where a change has no release. */
  change: string;
}

/** The findings of a rule; each leads with what its first draft is about. */
export function findingsFrom(situation: Situation, reason: Reason, drafts: readonly Draft[]): FoundFinding[] {
  const found = new Map<string, FoundFinding>();
  for (const draft of drafts) {
    const finding = findingOf(situation, reason, draft);
    const first = found.get(finding.id);
    if (first) first.finding = together(first.finding, finding);
    else found.set(finding.id, { finding, change: draft.change ?? reason });
  }
  return [...found.values()];
}

/** Both in one, about the same: all alleles, with the facts of the first. */
function together(first: ComputedFinding, other: ComputedFinding): ComputedFinding {
  const [one, two] = [first.evidence, other.evidence];
  const known = new Set(allelesOf(first).map(alleleKey));
  const added = allelesOf(other).filter((allele) => !known.has(alleleKey(allele)));
  const others = new Map([...(two.others ?? []), ...(one.others ?? [])].map((of) => [of.case, of]));
  return {
    ...first,
    priority: Math.min(first.priority, other.priority),
    evidence: {
      ...one,
      partners: [...(one.partners ?? []), ...added.map(({ phase: _, ...allele }) => allele)],
      ...(others.size > 0 && { others: [...others.values()] }),
      unknown: [...new Set([...one.unknown, ...two.unknown])],
    },
    rests: digest([first.rests, other.rests]),
  };
}

function findingOf(situation: Situation, reason: Reason, draft: Draft): ComputedFinding {
  const { statement } = situation;
  const { passing, others = [] } = draft;
  const carried = passing?.allele ?? draft.carried;
  const gene = passing?.gene ?? draft.gene;
  const partners = partnersOf(draft);
  const own = passing ? [passing.gene.hgnc, ...(passing.isPaired ? [] : [passing.allele.key])] : [];
  const zygosity = carried && zygosityOf(situation, carried);
  const shared = [partners.map(({ allele, phase }) => [allele.key, phase]), others.map((one) => one.case).sort()];
  return {
    id: digest([statement.owner, statement.case, reason, ...(draft.about ?? own)]),
    reason,
    priority: priorityOf(situation, draft),
    ...(gene && { gene: { hgnc: gene.hgnc, symbol: gene.symbol } }),
    ...(carried && { allele: alleleOf(situation, carried, gene) }),
    ...(draft.allele && { allele: placeOf(draft.allele) }),
    evidence: {
      before: { panel: panelText(situation, 'before'), ...draft.before },
      now: { panel: panelText(situation, 'now'), ...draft.now },
      ...(partners.length > 0 && {
        partners: partners.map(({ allele, phase }) => ({ ...alleleOf(situation, allele, gene), phase })),
      }),
      ...(others.length > 0 && { others }),
      unknown: unknownOf(situation, draft),
    },
    rests: digest([carried?.key, zygosity, passing?.origin, ...shared, ...draft.rests]),
  };
}

/** Those without which its allele does not pass. */
function partnersOf({ passing }: Draft): readonly PartnerAllele[] {
  return passing?.isPaired ? passing.partners : [];
}

/**
 * 1: pathogenic and fitting; 2: de novo, or of high effect in a new green gene; 3: pathogenic with an uncovered second allele; 4: other
 * passing alleles; 5: recurrence; 6: a match. Alleles whose consequence nobody annotated come one later. A pair is as urgent as
 * its more urgent allele.
 */
function priorityOf({ alleles }: Situation, draft: Draft): number {
  const { passing, priority, isNewGreen } = draft;
  const all = passing ? [passing, ...partnersOf(draft)] : [];
  if (all.some(({ allele }) => alleles.classesOf(allele).some(isTrusted))) return 1;
  if (priority !== undefined) return priority;
  const effect = passing && effectIn(passing.allele, passing.gene)?.effect;
  const isUrgent = passing?.origin === 'de novo' || (isNewGreen && effect === 'high');
  return (isUrgent ? 2 : 4) + (effect === 'unknown' ? 1 : 0);
}

function unknownOf({ evidence, alleles }: Situation, { passing, carried }: Draft): UnknownFact[] {
  const allele = passing?.allele ?? carried;
  const unknown: UnknownFact[] = [...(passing?.unknown ?? [])];
  if (!allele) return unknown;
  const classes = alleles.classesOf(allele);
  if (evidence.classes.why !== undefined) unknown.push('class');
  else if (classes.some(isTrusted) && classes.every(({ stars }) => stars === undefined)) unknown.push('stars');
  const isIndel = allele.structural === undefined && allele.reference.length !== allele.alternate.length;
  if (isIndel && !evidence.isAligned) unknown.push('indels');
  return unknown;
}

/** In the first affected carrier. */
function zygosityOf({ alleles }: Situation, allele: CarriedAllele): FindingAllele['zygosity'] {
  const [genotype] = alleles.family.affected.flatMap(({ sample }) => carriedBy(allele, sample) ?? []);
  if (genotype?.of === undefined) return undefined;
  if (genotype.of === 1) return 'hemizygous';
  return genotype.copies === 2 ? 'homozygous' : 'heterozygous';
}

function alleleOf(situation: Situation, allele: CarriedAllele, gene: GeneOfCase | undefined): FindingAllele {
  const { statement, alleles } = situation;
  const { populationFrequency, local } = allele;
  const effect = gene && effectIn(allele, gene);
  const zygosity = zygosityOf(situation, allele);
  const classes = alleles.classesOf(allele).map(classText);
  const origin = originOf(allele, alleles.family);
  return {
    ...placeOf(allele),
    ...(zygosity && { zygosity }),
    ...(classes.length > 0 && { class: classes.join('; ') }),
    ...(origin && { origin }),
    copies: Object.fromEntries(statement.persons.map(({ sample }) => [sample, copiesOf(allele, sample)])),
    ...(effect && { effect: effect.effect }),
    ...(effect?.coding !== undefined && { coding: effect.coding }),
    ...(effect?.protein !== undefined && { protein: effect.protein }),
    ...(populationFrequency !== undefined && { frequency: populationFrequency }),
    ...(local.covered && { local: { carriers: local.carriers, covered: local.covered.covered } }),
  };
}

function copiesOf({ genotypes }: CarriedAllele, sample: string): 0 | 1 | 2 | 'unknown' {
  const genotype = genotypes.get(sample) ?? 'unknown';
  return genotype === 'absent' ? 0 : genotype === 'unknown' ? genotype : genotype.copies;
}

function placeOf({ chromosome, start, reference, alternate }: BuildAllele): BuildAllele {
  return { chromosome, start, reference, alternate };
}

function panelText({ statement, evidence }: Situation, when: 'before' | 'now'): string {
  const { panel, version } = evidence.panel[when].value ?? statement.panel;
  return `${panel}@${version}`;
}

export function classText({ by, release, significance, stars }: FormerClass): string {
  return `${by} ${release}: ${significance}${stars === undefined ? '' : ` (${stars} of 4 stars)`}`;
}

/** Names what these parts are about. */
export function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
