/** The rules by which a VCF file is read into a dataset: FILTER, genotype quality, and genotypes that are not called. */
import { Fault } from '../../../core/plugin.js';
import { isWithin } from '../../../core/vcf.js';
import type { Dataset } from '../contract.js';
import { copiesAt } from '../counts/population.js';
import type { Allele, Assembly, CalledAllele, Carrier } from '../domain/allele.js';
import type { Sex } from '../domain/sample.js';

/** What a load requires of records and genotypes, in addition to the rules of the dataset. */
export interface LoadRules {
  /** Only records with an accepted FILTER; if omitted, all. */
  filter?: RecordFilter | undefined;
  /** The smallest GQ of a genotype. */
  quality?: number | undefined;
  /** Structural variants need no GQ: many of their callers write none. */
  smallQualityOnly?: boolean | undefined;
}

interface ReadingRules {
  filter: RecordFilter | undefined;
  quality: QualityRule | undefined;
}

const passed = recordFilterOf(['PASS']);

/** The rules of the dataset and those of the load: what is read satisfies both. */
export function readingRules({ counting }: Pick<Dataset, 'counting'>, load: LoadRules): ReadingRules {
  const filters = [counting?.passOnly ? passed : undefined, load.filter].filter((filter) => filter !== undefined);
  const minima = [counting?.quality, load.quality].filter((minimum) => minimum !== undefined);
  return {
    filter: filters.length > 0 ? (column) => filters.every((accepts) => accepts(column)) : undefined,
    quality: minima.length > 0 ? { minimum: Math.max(...minima), structural: !load.smallQualityOnly } : undefined,
  };
}

/** What may become of genotypes that are missing, as options state it. */
export const missingWords = ['unknown', 'carrier'] as const;
export type MissingWord = (typeof missingWords)[number];

export function missingRule({
  genotype,
  quality,
}: {
  genotype?: MissingWord | undefined;
  quality?: MissingWord | undefined;
}): MissingRule {
  return {
    ...(genotype === 'carrier' && { genotype }),
    ...(quality === 'carrier' && { quality }),
  };
}

/** Throws an `invalid` fault if an operator asks for more than the rules of the dataset allow. */
export function refuseWider(
  { id, counting }: Pick<Dataset, 'id' | 'counting'>,
  asked: { filter?: readonly string[] | undefined; quality?: number | undefined },
): void {
  if (counting?.passOnly && asked.filter?.some((name) => !/^pass$/i.test(name))) {
    throw new Fault('invalid', `Dataset '${id}' takes only records that passed all filters: --filter can only be PASS`);
  }
  if (counting?.quality !== undefined && asked.quality !== undefined && asked.quality < counting.quality) {
    throw new Fault(
      'invalid',
      `Dataset '${id}' takes no genotypes with GQ below ${counting.quality}: --gq cannot be lower`,
    );
  }
}

// Which records are read, by their FILTER column (VCF 4.3 §1.6.1).

/** Returns whether the value of a FILTER column is accepted. */
export type RecordFilter = (column: string) => boolean;

/**
 * The policy of a list of names: `all` accepts any record (undefined). Otherwise a record is accepted if every value of its
 * FILTER is in the list: `PASS` (in any case) for records that passed all filters, `.` for records without filters applied,
 * `LowQual` for records that failed only that one. Throws an `invalid` fault for `all` with other names.
 */
export function recordFilterOf(names: readonly string[]): RecordFilter | undefined {
  const accepted = new Set(names.map((name) => (/^pass$/i.test(name) ? 'PASS' : name)));
  const all = names.some((name) => /^all$/i.test(name));
  if (all && accepted.size > 1)
    throw new Fault('invalid', 'The FILTER policy must be all, or a list of names without all');
  if (all) return undefined;
  return (column) => accepted.has(column) || column.split(';').every((name) => accepted.has(name));
}

// Genotype quality (GQ, VCF 4.3 §1.6.2): how sure a caller is of a genotype, Phred-scaled.

/** Which genotypes are read by their GQ. */
export interface QualityRule {
  /** Genotypes with a lower GQ, or none, are skipped. */
  minimum: number;
  /** Whether structural variants need it too: many of their callers write no GQ. */
  structural: boolean;
}

const zero = 48;
const nine = 57;
const colon = 58;
const tab = 9;

/** The GQ that begins at `at`, -1 if it is no number from 0; reads to the next colon, tab or `end`. */
export function qualityAt(text: string, at: number, end: number): number {
  let quality = 0;
  let i = at;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === colon || code === tab) break;
    // Some callers write decimals.
    if (code < zero || code > nine) return decimalAt(text, at);
    quality = quality * 10 + code - zero;
  }
  return i === at ? -1 : quality;
}

const decimal = /\d+(\.\d*)?(e[+-]?\d+)?(?=[:\t\r\n]|$)/iy;

function decimalAt(text: string, at: number): number {
  decimal.lastIndex = at;
  const [written] = decimal.exec(text) ?? [];
  return written === undefined ? -1 : Number(written);
}

// Samples whose genotype a record does not call (`./.`, `.`, no GT), and what else is known of them: a number of copies (CN), from
// which it follows whether a person with a known usual number carries a loss or a gain.

/** What becomes of genotypes without a call, or without the GQ that is required; such samples are uncalled if omitted. */
export interface MissingRule {
  /** A sample without a called genotype carries each alternate of the record. */
  genotype?: 'carrier' | undefined;
  /** A genotype without GQ counts as it is written. */
  quality?: 'carrier' | undefined;
}

/** A sample without a called genotype. */
export interface MissingGenotype {
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
  missing: readonly MissingGenotype[],
  isOnly: boolean,
  { assembly, rule, sexOf }: MissingTools,
): CalledAllele[] {
  const losses: Carrier[] = [];
  const gains: Carrier[] = [];
  const carrying = [...carriers];
  const unknown = [...uncalled];
  const change = copyChange(allele, isOnly);
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

/** How an allele changes the number of copies; undefined if that does not show who carries it. */
function copyChange({ kind, structural, mate, alternate }: Allele, isOnly: boolean) {
  if (!structural || mate !== undefined) return undefined;
  if (isWithin(kind, 'DEL')) return 'loss';
  if (isWithin(kind, 'DUP')) return 'gain';
  return kind === 'CNV' && isOnly && alternate.startsWith('<') ? 'either' : undefined;
}

/** Undefined if it depends on an unknown sex, or if the number of copies of a person means nothing (MT, Y of a woman). */
function usualCopies(assembly: Assembly, { contig, start }: Allele, sex: Sex): number | undefined {
  return contig === 'MT' ? undefined : copiesAt({ assembly, contig, start }, sex) || undefined;
}
