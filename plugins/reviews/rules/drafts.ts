/** From what a rule found to a finding: its id, its priority, the facts by which a reader checks it, and what a decision rests on. */
import { createHash } from 'node:crypto';
import {
  type BuildAllele,
  type ComputedFinding,
  type FindingAllele,
  type FindingEvidence,
  type FormerClass,
  isOfGene,
  type Reason,
  type StatedAllele,
  type UnknownFact,
} from '../contract.js';
import type { CarriedAllele } from '../evidence/evidence.js';
import { carriedBy } from './inheritance.js';
import { type GeneOfCase, isTrusted, type Passing } from './passing.js';
import type { Situation } from './situation.js';

/** A finding as a rule makes it. */
export interface Draft {
  /** Together with the case and the reason it names the finding. */
  about: readonly (string | number)[];
  /** The allele that passes, or another one, and the gene; the effects are those in the gene. */
  passing?: Passing;
  carried?: CarriedAllele;
  allele?: StatedAllele;
  gene?: GeneOfCase;
  before: FindingEvidence['before'];
  now: FindingEvidence['now'];
  others?: FindingEvidence['others'];
  /** Besides genotype, origin and second allele. */
  rests: readonly unknown[];
  /** Omitted where the allele decides. */
  priority?: number;
  /** What changed, if that has a release. */
  change?: string | undefined;
  /** The gene is green since the newer version of the panel. */
  isNewGreen?: boolean;
}

export function findingOf(situation: Situation, reason: Reason, draft: Draft): ComputedFinding {
  const { statement, alleles } = situation;
  const { passing } = draft;
  const carried = passing?.allele ?? draft.carried;
  const gene = passing?.gene ?? draft.gene;
  const origin = passing?.origin;
  const second = passing?.second;
  const zygosity = carried && zygosityOf(situation, carried);
  return {
    id: digest([statement.owner, statement.case, reason, ...draft.about]),
    reason,
    priority: priorityOf(situation, draft),
    ...(gene && { gene: { hgnc: gene.hgnc, symbol: gene.symbol } }),
    ...(carried && { allele: alleleOf(situation, carried, gene) }),
    ...(draft.allele && { allele: placeOf(draft.allele) }),
    evidence: {
      before: { panel: panelText(situation, 'before'), ...draft.before },
      now: {
        panel: panelText(situation, 'now'),
        ...(carried &&
          alleles.classesOf(carried).length > 0 && { class: alleles.classesOf(carried).map(classText).join('; ') }),
        ...(origin && { origin }),
        ...(second?.phase === 'trans' && { phase: 'trans' }),
        ...draft.now,
      },
      ...(carried && { persons: copiesOf(situation, carried) }),
      ...(second && { second: { ...alleleOf(situation, second.allele, gene), phase: second.phase } }),
      ...(draft.others && { others: draft.others }),
      unknown: unknownOf(situation, draft),
    },
    rests: digest([zygosity, origin, second?.allele.key, second?.phase, ...draft.rests]),
  };
}

/**
 * 1: pathogenic and fitting; 2: de novo, or of high effect in a new green gene; 3: pathogenic with an uncovered second allele; 4: other
 * passing alleles; 5: recurrence; 6: a match. Alleles whose consequence nobody annotated come one later.
 */
function priorityOf({ alleles }: Situation, { passing, priority, isNewGreen }: Draft): number {
  if (passing && alleles.classesOf(passing.allele).some(isTrusted)) return 1;
  if (priority !== undefined) return priority;
  const isUrgent = passing?.origin === 'de novo' || (isNewGreen && passing?.effect.effect === 'high');
  return (isUrgent ? 2 : 4) + (passing?.effect.effect === 'unknown' ? 1 : 0);
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
  const { populationFrequency, local } = allele;
  const effect = gene && allele.genes.find((stated) => isOfGene(stated, gene));
  const zygosity = zygosityOf(situation, allele);
  return {
    ...placeOf(allele),
    ...(zygosity && { zygosity }),
    ...(effect && { effect: effect.effect }),
    ...(effect?.coding !== undefined && { coding: effect.coding }),
    ...(effect?.protein !== undefined && { protein: effect.protein }),
    ...(populationFrequency !== undefined && { frequency: populationFrequency }),
    ...(local.covered && { local: { carriers: local.carriers, covered: local.covered.covered } }),
  };
}

function placeOf({ chromosome, start, reference, alternate }: BuildAllele): BuildAllele {
  return { chromosome, start, reference, alternate };
}

function copiesOf({ statement }: Situation, { genotypes }: CarriedAllele): FindingEvidence['persons'] {
  return statement.persons.map(({ sample, role, isAffected }) => {
    const genotype = genotypes.get(sample) ?? 'unknown';
    const copies = genotype === 'absent' ? 0 : genotype === 'unknown' ? genotype : genotype.copies;
    return { sample, role, isAffected, copies };
  });
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
