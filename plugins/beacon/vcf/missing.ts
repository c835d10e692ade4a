/**
 * Samples whose genotype a record does not call (`./.`, `.`, no GT), and what else is known of them: a number of copies (CN), from
 * which it follows whether a person with a known usual number carries a loss or a gain.
 */
import { isWithin } from '../../../core/vcf.js';
import type { Allele, Assembly, CalledAllele, Carrier } from '../domain/allele.js';
import { copiesAt } from '../domain/population.js';
import type { Sex } from '../domain/sample.js';

/** What becomes of genotypes without a call, or without the GQ that is required; such samples are uncalled if omitted. */
export interface MissingRule {
  /** A sample without a called genotype carries each alternate of the record. */
  genotype?: 'carrier' | undefined;
  /** A genotype without GQ counts as it is written. */
  quality?: 'carrier' | undefined;
}

/** A sample without a called genotype. */
export interface Missing {
  sample: number;
  /** CN; -1 if there is none. */
  copies: number;
}

export interface MissingTools {
  assembly: Assembly;
  rule: MissingRule;
  /** By number of the sample. */
  sexOf(sample: number): Sex;
}

/**
 * The allele with the samples of a record that were not called: below the usual number of copies they carry a deletion, above it
 * a duplication, and with it neither. Of a `<CNV>` (the only alternate) those below carry `<DEL>`, those above `<DUP>`: then
 * several alleles are returned.
 */
export function withMissing(
  { carriers, uncalled = [], ...allele }: CalledAllele,
  missing: readonly Missing[],
  isOnly: boolean,
  { assembly, rule, sexOf }: MissingTools,
): CalledAllele[] {
  const losses: Carrier[] = [];
  const gains: Carrier[] = [];
  const carrying = [...carriers];
  const unknown = [...uncalled];
  const change = changeOf(allele, isOnly);
  for (const { sample, copies } of missing) {
    const usual = change && copies >= 0 ? usualCopies(assembly, allele, sexOf(sample)) : undefined;
    if (usual !== undefined) {
      if (copies < usual) losses.push([sample, usual - copies]);
      else if (copies > usual) gains.push([sample, 1]);
    } else if (rule.genotype === 'carrier') carrying.push([sample, 1]);
    else unknown.push(sample);
  }
  const found: CalledAllele[] = [];
  if (change === 'loss') carrying.push(...losses);
  else if (change === 'gain') carrying.push(...gains);
  else {
    if (losses.length > 0) found.push({ ...allele, kind: 'DEL', alternate: '<DEL>', carriers: losses });
    if (gains.length > 0) found.push({ ...allele, kind: 'DUP', alternate: '<DUP>', carriers: gains });
  }
  if (carrying.length + unknown.length > 0) {
    found.push({ ...allele, carriers: carrying, ...(unknown.length > 0 && { uncalled: unknown }) });
  }
  return found;
}

/** How an allele changes the number of copies; undefined if that does not tell who carries it. */
function changeOf({ kind, structural, mate, alternate }: Allele, isOnly: boolean) {
  if (!structural || mate !== undefined) return undefined;
  if (isWithin(kind, 'DEL')) return 'loss';
  if (isWithin(kind, 'DUP')) return 'gain';
  return kind === 'CNV' && isOnly && alternate.startsWith('<') ? 'either' : undefined;
}

/** Undefined if it depends on an unknown sex, or if the number of copies of a person means nothing (MT, Y of a woman). */
function usualCopies(assembly: Assembly, { contig, start }: Allele, sex: Sex): number | undefined {
  return contig === 'MT' ? undefined : copiesAt({ assembly, contig, start }, sex) || undefined;
}
