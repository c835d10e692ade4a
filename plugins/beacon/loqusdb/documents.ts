/**
 * The documents of loqusdb, with its names of fields: cases of a dataset and observations of variants. Positions are one-based,
 * as in VCF files.
 */
import { z } from 'zod';
import { isFault } from '../../../core/plugin.js';
import { typeNamed } from '../../../core/vcf.js';
import {
  type BeaconRepository,
  type Contig,
  type Dataset,
  defaultWindow,
  isInsertion,
  type Observation,
  type ObservedCase,
  type ObservedQuestion,
  type Sample,
  type Sex,
  type StructuralQuestion,
  totalsFor,
  windowOf,
} from '../contract.js';
import { chromosomeOfField, sequenceQuestion, structuralQuestion } from '../domain/written-question.js';

/** The version of loqusdb whose routes and commands are served. Scout compares it as text. */
export const loqusdbVersion = '2.7.25';

const notCalled = z
  .int()
  .optional()
  .describe('Individuals whose genotype was not called, so that it is unknown whether they carry it; omitted if none.');

/** Beyond loqusdb, and by the sex of individuals: in a male, two copies on X are no homozygosity. */
const zygosityMembers = {
  homozygous_families: z
    .array(z.string())
    .optional()
    .describe('The newest cases with a homozygous individual, the newest first; only with loqusdb.homozygousCases.'),
  hemizygous_families: z
    .array(z.string())
    .optional()
    .describe('Likewise with a male who carries it on X or Y outside the pseudo-autosomal regions.'),
};

export const variantDocument = z
  .strictObject({
    _id: z.string().describe('Chromosome, position, reference and alternate, separated by _.'),
    chrom: z.string(),
    start: z.int().describe('Position.'),
    end: z
      .int()
      .describe('Last base of the reference; after a reference of one base, position plus the length of alt.'),
    ref: z.string(),
    alt: z.string(),
    observations: z.int().describe('Cases in which it was observed.'),
    homozygote: z.int().describe('Cases with an individual that was called with two copies.'),
    hemizygote: z.int().describe('Cases with a male who carries it on X or Y outside the pseudo-autosomal regions.'),
    families: z.array(z.string()).describe('The newest of the cases, the newest last.'),
    total: z.int().describe('Cases that were searched for such variants, without those that were not called.'),
    not_called: notCalled,
    ...zygosityMembers,
  })
  .meta({ id: 'LoqusdbVariant' });

type VariantDocument = z.output<typeof variantDocument>;

export const structuralDocument = z
  .strictObject({
    _id: z.string(),
    chrom: z.string(),
    end_chrom: z.string(),
    sv_type: z.string(),
    pos_left: z.int().describe('First position that counts as the same.'),
    pos_right: z.int().describe('Last position that counts as the same.'),
    pos_sum: z.int().describe('The requested position, times observations.'),
    end_left: z.int().describe('First end that counts as the same.'),
    end_right: z.int().describe('Last end that counts as the same.'),
    end_sum: z.int().describe('The requested end, times observations.'),
    length: z.int().describe('Bases; 10^11 for a breakend.'),
    observations: z.int().describe('Cases with a structural variant of the type whose both ends are that near.'),
    families: z.array(z.string()).describe('The newest of the cases, the newest first.'),
    total: z.int().describe('Cases that were searched for structural variants, without those that were not called.'),
    not_called: notCalled,
    ...zygosityMembers,
  })
  .meta({ id: 'LoqusdbStructuralVariant' });

type StructuralDocument = z.output<typeof structuralDocument>;

export const countsDocument = z
  .strictObject({ nr_cases_snvs: z.int(), nr_cases_svs: z.int() })
  .meta({ id: 'LoqusdbCounts' });

const individual = z.strictObject({
  ind_id: z.string(),
  name: z.string(),
  case_id: z.string(),
  ind_index: z.int().describe('Place among the individuals of the case.'),
  sex: z.int().describe('0: unknown, 1: male, 2: female.'),
  profile: z.array(z.string()).describe('Always empty.'),
  similar_samples: z.array(z.string()).describe('Always empty.'),
});

type IndividualDocument = z.output<typeof individual>;

export const caseDocument = z
  .strictObject({
    case_id: z.string(),
    profile_path: z.string().nullable(),
    vcf_path: z.string().nullable().describe('Known only in the answer to the request that loads it.'),
    vcf_sv_path: z.string().nullable().describe('Likewise.'),
    nr_variants: z
      .int()
      .nullable()
      .describe('Records of the file; known only in the answer to the request that loads it.'),
    nr_sv_variants: z.int().nullable().describe('Likewise.'),
    individuals: z.array(individual).describe('Individuals that were searched for small variants.'),
    sv_individuals: z.array(individual).describe('Individuals that were searched for structural variants.'),
    _inds: z.record(z.string(), individual).describe('individuals by ind_id.'),
    _sv_inds: z.record(z.string(), individual).describe('sv_individuals by ind_id.'),
  })
  .meta({ id: 'LoqusdbCase' });

type CaseDocument = z.output<typeof caseDocument>;

// Cases of a dataset as documents of loqusdb.

/** Cases that were searched for either kind of variants. */
interface CaseCounts {
  snv: number;
  sv: number;
}

export async function countCases(
  repository: Pick<BeaconRepository, 'sampleFacts'>,
  dataset: string,
): Promise<CaseCounts> {
  const samples = await repository.sampleFacts(dataset);
  return { snv: totalsFor(samples, 'sequence').cases, sv: totalsFor(samples, 'structural').cases };
}

/** The samples of one case; empty if there is none. */
export async function samplesOfCase(
  repository: Pick<BeaconRepository, 'sampleFacts'>,
  dataset: string,
  id: string,
): Promise<Sample[]> {
  return (await repository.sampleFacts(dataset)).filter((sample) => sample.case === id);
}

/** What is known of the files of a case, while it is loaded. */
type CaseFiles = Pick<CaseDocument, 'profile_path' | 'vcf_path' | 'vcf_sv_path' | 'nr_variants' | 'nr_sv_variants'>;

const unknownFiles: CaseFiles = {
  profile_path: null,
  vcf_path: null,
  vcf_sv_path: null,
  nr_variants: null,
  nr_sv_variants: null,
};

export function documentOfCase(id: string, samples: readonly Sample[], files: CaseFiles = unknownFiles): CaseDocument {
  const individuals = samples.filter(({ searched }) => searched.small).map(individualOf);
  const svIndividuals = samples.filter(({ searched }) => searched.structural).map(individualOf);
  return {
    case_id: id,
    ...files,
    individuals,
    sv_individuals: svIndividuals,
    _inds: individualsById(individuals),
    _sv_inds: individualsById(svIndividuals),
  };
}

const sexNumbers: Readonly<Record<Sex, number>> = { unknown: 0, male: 1, female: 2 };

function individualOf({ name, case: id, sex }: Sample, index: number): IndividualDocument {
  const numbers = { ind_index: index, sex: sexNumbers[sex] };
  return { ind_id: name, name, case_id: id, ...numbers, profile: [], similar_samples: [] };
}

function individualsById(individuals: readonly IndividualDocument[]): Record<string, IndividualDocument> {
  return Object.fromEntries(individuals.map((individual) => [individual.ind_id, individual]));
}

// Observations as documents of loqusdb.

export interface LoqusdbLookUp {
  repository: Pick<BeaconRepository, 'observe'>;
  dataset: Dataset;
  /** The largest number of case ids. */
  families: number;
  /** Whether to name the cases with homozygous and hemizygous individuals, too. */
  homozygousCases?: boolean;
  signal?: AbortSignal | undefined;
}

/** Chromosome, one-based position, reference and alternate, separated by _. */
const variantId = /^([^_]+)_(\d{1,10})_([A-Za-z]+)_([A-Za-z]+)$/;

/** Returns undefined if the variant was not observed. A text that is not an id of loqusdb names no observed variant. */
export async function findVariant(at: LoqusdbLookUp, id: string): Promise<VariantDocument | undefined> {
  const [, chromosome = '', digits = '', reference = '', alternate = ''] = variantId.exec(id) ?? [];
  const start = Number(digits);
  const question = orUndefined(() =>
    sequenceQuestion(chromosomeOfField('chromosome', chromosome), start, reference, alternate),
  );
  const seen = question && (await observedWith(at, question));
  if (!seen) return undefined;
  const { contig } = question;
  const [ref, alt] = [reference.toUpperCase(), alternate.toUpperCase()];
  return {
    _id: `${contig}_${start}_${ref}_${alt}`,
    chrom: contig,
    start,
    end: endOfVariant(start, ref, alt),
    ref,
    alt,
    observations: seen.cases,
    homozygote: seen.detail?.casesCalledTwice ?? 0,
    hemizygote: seen.detail?.casesHemizygous ?? 0,
    families: familiesOf(at, seen).reverse(),
    total: seen.of.cases,
    ...(seen.notCalled > 0 && { not_called: seen.notCalled }),
    ...zygositiesOf(at, seen),
  };
}

/** As loqusdb computes it: the last base of the reference, but `alt` bases further on after a reference of one base. */
function endOfVariant(start: number, ref: string, alt: string): number {
  return ref.length === 1 ? start + alt.length : start + ref.length - 1;
}

/** A structural variant, with the positions of a VCF file. */
interface StructuralRequest {
  chrom: string;
  /** The same chromosome if omitted. */
  end_chrom?: string | undefined;
  pos: number;
  end: number;
  sv_type: string;
}

/** loqusdb has no infinite length for breakends. */
const lengthOfBreakend = 10e10;

/** Returns undefined if no such variant was observed. Throws an `invalid` fault for places that no variant can have. */
export async function findStructural(
  at: LoqusdbLookUp,
  asked: StructuralRequest,
): Promise<StructuralDocument | undefined> {
  const question = structuralOf(asked);
  const seen = question && (await observedWith(at, question));
  if (!seen) return undefined;
  const { observations, window } = {
    observations: seen.cases,
    window: windowOf(question, at.dataset.counting?.window ?? defaultWindow),
  };
  const { contig } = question;
  const endContig = question.mate ?? contig;
  const { pos, end } = asked;
  const sv_type = asked.sv_type.toUpperCase();
  return {
    _id: [contig, pos, endContig, end, sv_type].join('_'),
    chrom: contig,
    end_chrom: endContig,
    sv_type,
    pos_left: Math.max(pos - window, 0),
    pos_right: pos + window,
    pos_sum: pos * observations,
    end_left: Math.max(end - window, 0),
    end_right: end + window,
    end_sum: end * observations,
    length: question.mate === undefined ? end - pos : lengthOfBreakend,
    observations,
    families: familiesOf(at, seen),
    total: seen.of.cases,
    ...(seen.notCalled > 0 && { not_called: seen.notCalled }),
    ...zygositiesOf(at, seen),
  };
}

/** Undefined for a type or a chromosome that no stored variant can have. */
function structuralOf({ chrom, end_chrom, pos, end, sv_type }: StructuralRequest): StructuralQuestion | undefined {
  const contig = contigOf(chrom);
  const mate = end_chrom === undefined || end_chrom === '' ? contig : contigOf(end_chrom);
  if (contig === undefined || mate === undefined) return undefined;
  // Clients that know the length of an insertion add it to its end.
  const length = isInsertion(typeNamed(sv_type)) && end > pos ? end - pos : undefined;
  return structuralQuestion({ contig, position: pos, end, kind: sv_type, mate, length });
}

function contigOf(name: string): Contig | undefined {
  return orUndefined(() => chromosomeOfField('chrom', name));
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isFault(error) && error.code === 'invalid') return undefined;
    throw error;
  }
}

async function observedWith(at: LoqusdbLookUp, question: ObservedQuestion): Promise<Observation | undefined> {
  const { repository, dataset, families, homozygousCases, signal } = at;
  // A homozygous case may be an old one.
  const options = { cases: homozygousCases ? Number.MAX_SAFE_INTEGER : families, ...(signal && { signal }) };
  const [[seen] = []] = await repository.observe(dataset.assembly, [question], [dataset.id], options);
  return seen && seen.cases > 0 ? seen : undefined;
}

type SeenCases = Pick<Observation, 'detail'>;
type ZygosityMembers = Pick<VariantDocument, keyof typeof zygosityMembers>;

/** The newest first. */
function familiesOf({ families }: LoqusdbLookUp, { detail }: SeenCases, isNamed = (_: ObservedCase) => true): string[] {
  const cases = (detail?.carrying ?? []).filter(isNamed).slice(0, families);
  return cases.map((carrying) => carrying.case);
}

function zygositiesOf(at: LoqusdbLookUp, seen: SeenCases): ZygosityMembers {
  if (!at.homozygousCases) return {};
  return {
    homozygous_families: familiesOf(at, seen, ({ homozygous }) => homozygous),
    hemizygous_families: familiesOf(at, seen, ({ hemizygous }) => hemizygous),
  };
}

/** The cases that a document names, each once. */
export function casesNamedIn(
  document: Pick<VariantDocument, 'families' | keyof ZygosityMembers> | undefined,
): string[] {
  const { families = [], homozygous_families = [], hemizygous_families = [] } = document ?? {};
  return [...new Set([...families, ...homozygous_families, ...hemizygous_families])];
}
