/** Findings in words, the same on pages, in CSV and in commands: the reason in a sentence, the allele, and facts then and now. */
import { basesText } from '../../../core/genome.js';
import { allelesOf, type BuildAllele, type CaseFinding, type FindingAllele, factNames } from '../contract.js';
import type { ReviewTexts } from '../texts/en.js';

/** A day, in UTC. */
export const dayText = (at: Date): string => at.toISOString().slice(0, 10);

/** With a one-based position, as laboratories write it: `1:11796321 G>A`. */
export function placeWords({ chromosome, start, reference, alternate }: BuildAllele): string {
  return `${chromosome}:${start + 1} ${basesText(reference)}>${basesText(alternate)}`;
}

/** What is known of an allele beside its place: `c.665C>T, p.(Ala222Val), heterozygous, 1 carrier of 340 covered`. */
export function alleleWords(allele: FindingAllele, { zygosities, inherited, value, case: words }: ReviewTexts): string {
  const { coding, protein, effect, zygosity, origin, phase, local, class: known } = allele;
  const genotype = [
    zygosity && zygosities[zygosity],
    origin && inherited[origin],
    phase === 'trans' && inherited.trans,
  ];
  const seen = local && words.ofCovered(local.carriers, local.covered);
  return [coding, protein ?? (effect && value(effect)), ...genotype, seen, known && value(known)]
    .filter(Boolean)
    .join(', ');
}

/** What follows "should be looked at because". */
export function becauseOf(one: CaseFinding, { because, someGene, someAllele, together }: ReviewTexts): string {
  const [first = someAllele, ...more] = allelesOf(one).map(placeWords);
  const alleles = more.length > 0 ? together(first, more.join(', ')) : first;
  return because[one.reason](one.gene?.symbol ?? someGene, alleles);
}

/** What is not known of a finding, in phrases. */
export function marksOf({ evidence }: Pick<CaseFinding, 'evidence'>, { marks }: ReviewTexts): string[] {
  return evidence.unknown.map((mark) => marks[mark]);
}

/** The facts of the evidence that are others now, by name. */
export function factsOf({ evidence: { before, now } }: Pick<CaseFinding, 'evidence'>, { facts, value }: ReviewTexts) {
  const changed = factNames.filter((name) => before[name] !== now[name]);
  const said = (text: string | undefined) => text && value(text);
  return changed.map((name) => ({ name: facts[name], before: said(before[name]), now: said(now[name]) }));
}

export function frequencyWords(frequency: number | undefined, { unknown }: Pick<ReviewTexts, 'unknown'>): string {
  return frequency === undefined ? unknown : frequency === 0 ? '0' : frequency.toPrecision(2);
}
