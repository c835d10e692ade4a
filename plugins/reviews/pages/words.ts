/** Findings in words, the same on pages, in CSV and in commands: the reason in a sentence, the allele, and facts then and now. */
import { type BuildAllele, type CaseFinding, type FactName, type FindingAllele, factNames } from '../contract.js';
import type { ReviewTexts } from '../texts/en.js';

/** A day, in UTC. */
export const dayText = (at: Date): string => at.toISOString().slice(0, 10);

/** Bases of an allele that are printed. */
const mostBases = 20;

function bases(text: string): string {
  return text.length <= mostBases ? text : `${text.slice(0, mostBases)}… (${text.length})`;
}

/** With a one-based position, as laboratories write it: `1:11796321 G>A`. */
export function placeWords({ chromosome, start, reference, alternate }: BuildAllele): string {
  return `${chromosome}:${start + 1} ${bases(reference)}>${bases(alternate)}`;
}

/** What is known of it beside its place: `c.665C>T, p.(Ala222Val), heterozygous, 1 carrier of 340 covered`. */
export function alleleWords(allele: FindingAllele, texts: Pick<ReviewTexts, 'zygosities' | 'case'>): string {
  const { coding, protein, effect, zygosity, local } = allele;
  const seen = local && texts.case.ofCovered(local.carriers, local.covered);
  return [coding, protein ?? effect, zygosity && texts.zygosities[zygosity], seen].filter(Boolean).join(', ');
}

/** What follows "should be looked at because". */
export function becauseOf(
  { reason, gene, allele }: Pick<CaseFinding, 'reason' | 'gene' | 'allele'>,
  { because, someGene, someAllele }: Pick<ReviewTexts, 'because' | 'someGene' | 'someAllele'>,
): string {
  return because[reason](gene?.symbol ?? someGene, allele === undefined ? someAllele : placeWords(allele));
}

/** What is not known of a finding, in phrases. */
export function marksOf({ evidence }: Pick<CaseFinding, 'evidence'>, { marks }: Pick<ReviewTexts, 'marks'>): string[] {
  return evidence.unknown.map((mark) => marks[mark]);
}

interface EvidenceFact {
  name: string;
  before: string | undefined;
  now: string | undefined;
}

/** The facts of the evidence that are others now, by name. */
export function factsOf(
  { evidence }: Pick<CaseFinding, 'evidence'>,
  texts: Pick<ReviewTexts, 'facts'>,
): EvidenceFact[] {
  const { before, now } = evidence;
  const changed = factNames.filter((name: FactName) => before[name] !== now[name]);
  return changed.map((name) => ({ name: texts.facts[name], before: before[name], now: now[name] }));
}

export function frequencyWords(frequency: number | undefined, { unknown }: Pick<ReviewTexts, 'unknown'>): string {
  return frequency === undefined ? unknown : frequency === 0 ? '0' : frequency.toPrecision(2);
}
