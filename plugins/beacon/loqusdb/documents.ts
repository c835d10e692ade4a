/** The documents of loqusdb, with its names of fields. Positions are one-based, as in VCF files. */
import { z } from 'zod';

/** The version of loqusdb whose routes and commands are served. Scout compares it as text. */
export const loqusdbVersion = '2.7.25';

const notCalled = z
  .int()
  .optional()
  .describe('Individuals whose genotype was not called, so that it is unknown whether they carry it; omitted if none.');

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
  })
  .meta({ id: 'LoqusdbVariant' });

export type VariantDocument = z.output<typeof variantDocument>;

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
  })
  .meta({ id: 'LoqusdbStructuralVariant' });

export type StructuralDocument = z.output<typeof structuralDocument>;

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

export type IndividualDocument = z.output<typeof individual>;

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

export type CaseDocument = z.output<typeof caseDocument>;
