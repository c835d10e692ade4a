/**
 * The terms of consequences: those that Ensembl VEP writes, in its order from the worst, with its impacts (Ensembl, "Calculated
 * variant consequences", release 112); those that SnpEff writes besides; and what all of them are, by `is_a` of the Sequence
 * Ontology (so-simple.obo, 2021-11-22). Terms that group others have no impact: nobody writes them.
 */
import type { AlleleAnnotation } from './contract.js';

export const impacts = ['HIGH', 'MODERATE', 'LOW', 'MODIFIER'] as const;
export type Impact = (typeof impacts)[number];

export interface ConsequenceTerm {
  /** `SO:0001583`. */
  readonly id: string;
  /** `missense_variant`. */
  readonly name: string;
  /** Undefined for terms that group others. */
  readonly impact: Impact | undefined;
  /** The ids of what it is, directly. */
  readonly parents: readonly string[];
}

/** Each line: id, name, parents. */
const ofVep: Readonly<Record<Impact, string>> = {
  HIGH: `
    SO:0001893 transcript_ablation SO:0001879
    SO:0001574 splice_acceptor_variant SO:0001629
    SO:0001575 splice_donor_variant SO:0001629
    SO:0001587 stop_gained SO:0001906 SO:0001992
    SO:0001589 frameshift_variant SO:0001818
    SO:0001578 stop_lost SO:0001590 SO:0001907 SO:0001992
    SO:0002012 start_lost SO:0001582 SO:0001992
    SO:0001889 transcript_amplification SO:0001880
    SO:0001907 feature_elongation SO:0001878
    SO:0001906 feature_truncation SO:0001878`,
  MODERATE: `
    SO:0001821 inframe_insertion SO:0001820 SO:0001908
    SO:0001822 inframe_deletion SO:0001820 SO:0001906
    SO:0001583 missense_variant SO:0001992
    SO:0001818 protein_altering_variant SO:0001580`,
  LOW: `
    SO:0001787 splice_donor_5th_base_variant SO:0001629
    SO:0001630 splice_region_variant SO:0001568
    SO:0002170 splice_donor_region_variant SO:0001630
    SO:0002169 splice_polypyrimidine_tract_variant SO:0001568
    SO:0001626 incomplete_terminal_codon_variant SO:0001590 SO:0001650
    SO:0002019 start_retained_variant SO:0001582 SO:0001819
    SO:0001567 stop_retained_variant SO:0001590 SO:0001819
    SO:0001819 synonymous_variant SO:0001580`,
  MODIFIER: `
    SO:0001580 coding_sequence_variant SO:0001791 SO:0001968
    SO:0001620 mature_miRNA_variant SO:0001619
    SO:0001623 5_prime_UTR_variant SO:0001622
    SO:0001624 3_prime_UTR_variant SO:0001622
    SO:0001792 non_coding_transcript_exon_variant SO:0001619 SO:0001791
    SO:0001627 intron_variant SO:0001576
    SO:0001621 NMD_transcript_variant SO:0001576
    SO:0001619 non_coding_transcript_variant SO:0001576
    SO:0001968 coding_transcript_variant SO:0001576
    SO:0001631 upstream_gene_variant SO:0001628
    SO:0001632 downstream_gene_variant SO:0001628
    SO:0001895 TFBS_ablation SO:0001894
    SO:0001892 TFBS_amplification SO:0001891
    SO:0001782 TF_binding_site_variant SO:0001566
    SO:0001894 regulatory_region_ablation SO:0001879
    SO:0001891 regulatory_region_amplification SO:0001880
    SO:0001566 regulatory_region_variant SO:0001878
    SO:0001628 intergenic_variant SO:0001878
    SO:0001060 sequence_variant`,
};

/** With the impacts of SnpEff. They rank with the nearest term of VEP that they are and that has their impact, else behind all of it. */
const ofSnpEff: Readonly<Record<Impact, string>> = {
  HIGH: `
    SO:0001572 exon_loss_variant SO:0001568
    SO:0002008 rare_amino_acid_variant SO:0001586
    SO:0001565 gene_fusion SO:0001564 SO:0001882
    SO:0001879 feature_ablation SO:0001537`,
  MODERATE: `
    SO:0001823 conservative_inframe_insertion SO:0001821
    SO:0001824 disruptive_inframe_insertion SO:0001821
    SO:0001825 conservative_inframe_deletion SO:0001822
    SO:0001826 disruptive_inframe_deletion SO:0001822
    SO:0002013 5_prime_UTR_truncation SO:0001623
    SO:0002015 3_prime_UTR_truncation SO:0001624`,
  LOW: `
    SO:0001582 initiator_codon_variant SO:0001580
    SO:0001988 5_prime_UTR_premature_start_codon_gain_variant SO:0001983`,
  MODIFIER: `
    SO:0002018 conserved_intron_variant SO:0001627
    SO:0002017 conserved_intergenic_variant SO:0001628
    SO:0002011 intragenic_variant SO:0001576
    SO:0001791 exon_variant SO:0001576
    SO:0001576 transcript_variant SO:0001564
    SO:0001564 gene_variant SO:0001878`,
};

const grouping = `
    SO:0001537 structural_variant SO:0001060
    SO:0001878 feature_variant SO:0001537
    SO:0001880 feature_amplification SO:0001537
    SO:0001882 feature_fusion SO:0001537
    SO:0001908 internal_feature_elongation SO:0001907
    SO:0001568 splicing_variant SO:0001576
    SO:0001629 splice_site_variant SO:0001568 SO:0001627
    SO:0001622 UTR_variant SO:0001791 SO:0001968
    SO:0001983 5_prime_UTR_premature_start_codon_variant SO:0001623
    SO:0001590 terminator_codon_variant SO:0001580
    SO:0001650 inframe_variant SO:0001818
    SO:0001820 inframe_indel SO:0001650
    SO:0001992 nonsynonymous_variant SO:0001650
    SO:0001586 non_conservative_missense_variant SO:0001583`;

/** Other words that VEP, in earlier releases, and SnpEff write for a term. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['intergenic_region', 'intergenic_variant'],
  ['non_coding_exon_variant', 'non_coding_transcript_exon_variant'],
  ['nc_transcript_variant', 'non_coding_transcript_variant'],
]);

function termsOf(table: string, impact?: Impact): ConsequenceTerm[] {
  const lines = table.trim().split('\n');
  return lines.map((line) => {
    const [id = '', name = '', ...parents] = line.trim().split(' ');
    return { id, name, impact, parents };
  });
}

const vepTerms = impacts.flatMap((impact) => termsOf(ofVep[impact], impact));

/** All of them; those of VEP first, from the worst. */
export const consequenceTerms: readonly ConsequenceTerm[] = [
  ...vepTerms,
  ...impacts.flatMap((impact) => termsOf(ofSnpEff[impact], impact)),
  ...termsOf(grouping),
];

const byName = new Map(consequenceTerms.map((term) => [term.name, term]));
const byId = new Map(consequenceTerms.map((term) => [term.id, term]));

/** The term with this name, or this id (`SO:0001583`), or that another word is for; undefined if there is none. */
export function consequenceTerm(word: string): ConsequenceTerm | undefined {
  return byName.get(otherWords.get(word) ?? word) ?? byId.get(word.toUpperCase());
}

/** What terms are, nearest first, each once; the terms themselves first. */
function lineage(terms: readonly ConsequenceTerm[]): ConsequenceTerm[] {
  const found = new Set(terms);
  for (const { parents } of found) for (const id of parents) found.add(byId.get(id) as ConsequenceTerm);
  return [...found];
}

const ranks: ReadonlyMap<string, number> = new Map(
  consequenceTerms.map((term) => {
    const like = lineage([term]).find((one) => one.impact === term.impact && vepTerms.includes(one));
    const behind = vepTerms.findLastIndex(({ impact }) => impact === (term.impact ?? 'MODIFIER'));
    return [term.name, like ? vepTerms.indexOf(like) : behind];
  }),
);

/** The place of a term from the worst, 0, as VEP orders them; equal for terms that are as bad. Beyond all for other words. */
export function rankOf(name: string): number {
  return ranks.get(name) ?? vepTerms.length;
}

/** The rank of the worst of these terms. */
export function worstRank(names: readonly string[]): number {
  return names.reduce((worst, name) => Math.min(worst, rankOf(name)), vepTerms.length);
}

/** The terms that an annotation states of its genes. */
export function statedTerms({ genes }: Pick<AlleleAnnotation, 'genes'>): readonly string[] {
  return genes.flatMap(({ transcripts }) => transcripts.flatMap(({ terms }) => terms));
}

/** The names of a term, by name or id, and of all terms that are one; undefined if there is no such term. */
export function withDescendants(word: string): ReadonlySet<string> | undefined {
  const wanted = consequenceTerm(word);
  if (wanted === undefined) return undefined;
  const within = consequenceTerms.filter((term) => lineage([term]).includes(wanted));
  return new Set(within.map(({ name }) => name));
}

/** The names of the terms with this impact or a worse one. */
export function termsFrom(impact: Impact): ReadonlySet<string> {
  const wanted = impacts.slice(0, impacts.indexOf(impact) + 1);
  return new Set(consequenceTerms.flatMap((term) => (term.impact && wanted.includes(term.impact) ? [term.name] : [])));
}
