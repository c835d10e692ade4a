/** A statement as clients write it, as JSON; the cells of a sheet are brought into the same form. */
import { z } from 'zod';
import { type Assembly, assemblies, contigNamed, contigs, lengthOf } from '../../../core/genome.js';
import { Fault, type FieldFault, isIntact } from '../../../core/plugin.js';
import { alleleClasses, conclusions, personRoles, personSexes, zygosities } from './statement.js';

const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most, `must have no more than ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
    .refine(isIntact, 'has characters that are not valid Unicode');

const sampleIds = line(200).regex(/^[\u0020-\ud7ff]*$/, 'must have no characters beyond U+D7FF, such as pictographs');

const longestAllele = 1000;
const bases = z
  .string()
  .transform((text) => text.toUpperCase())
  .refine((text) => /^[ACGT]*$/.test(text), 'must be bases A, C, G and T')
  .refine((text) => text.length > 0 && text.length <= longestAllele, `must have 1 to ${longestAllele} bases`);

const chromosome = z.string().transform((text, context) => {
  const contig = contigNamed(text);
  if (contig !== undefined) return contig;
  context.addIssue({ code: 'custom', message: `must be one of ${contigs.join(', ')}` });
  return z.NEVER;
});

const day = z
  .union([z.iso.date(), z.iso.datetime()], { error: 'must be a date such as 2026-11-23, or a time in UTC' })
  .transform((text) => new Date(text));

const person = z.strictObject({
  role: z.enum(personRoles),
  isAffected: z.boolean(),
  sample: sampleIds.describe('The id of the registered sample, or the `coverageId` of a sample of the beacon.'),
  sex: z.enum(personSexes).default('unknown'),
});

const allele = z.strictObject({
  chromosome,
  start: z.int().min(0).describe('Zero-based.'),
  reference: bases,
  alternate: bases,
  zygosity: z.enum(zygosities).optional(),
  class: z.enum(alleleClasses).optional().describe('As the laboratory classified it.'),
  isBasis: z.boolean().default(false).describe('Whether the conclusion rests on it.'),
});

/** What a kept report says itself. */
const fromReport = ['build', 'panel', 'thresholds'] as const;

export const statementFields = z.strictObject({
  case: line(100).describe('The name of the case; one within a tenant.'),
  owner: line(100)
    .optional()
    .describe('The tenant. May be omitted by members of one tenant, and if nothing is divided.'),
  replaces: z
    .int()
    .min(1)
    .optional()
    .describe('The revision of the statement that was read, which this one supersedes; omitted for a new case.'),
  report: z
    .string()
    .regex(/^[\w-]{22,64}$/, 'must be the id of a kept report')
    .optional()
    .describe(
      'A kept report: build, panel, thresholds and releases are taken from it, and the samples if `persons` is omitted.',
    ),
  persons: z
    .array(person)
    .min(1)
    .max(50)
    .optional()
    .describe('The proband and others of the family. May be omitted with a report on one sample.'),
  build: z.enum(assemblies).optional(),
  panel: z
    .strictObject({
      panel: line(100),
      version: line(100),
      byPhenotype: z.literal(true).optional().describe('The panel was chosen by the terms of the case.'),
    })
    .optional(),
  thresholds: z
    .array(z.int().min(1).max(100_000))
    .min(1)
    .max(20)
    .optional()
    .describe('Coverage thresholds; by the first one it is said what was not covered.'),
  releases: z
    .record(line(100), line(200))
    .default({})
    .describe('Releases that were used, by source: `ClinVar`: `2026-01`.'),
  terms: z
    .array(z.string().regex(/^HP:\d{7}$/, 'must be an HPO id such as HP:0001250'))
    .max(200)
    .default([]),
  patient: line(255).optional().describe("The submitter's id of the proband's patient at the matchmaker."),
  conclusion: z.enum(conclusions),
  alleles: z.array(allele).max(500).default([]),
  reviewer: line(200),
  decided: day.describe('When it was concluded.'),
  keepUntil: day.optional().describe('From then on the statement is removed.'),
  recontact: z
    .union([z.enum(['yes', 'no']), day], { error: 'must be yes, no, or a date such as 2030-01-31' })
    .default('yes')
    .describe('Whether the case is watched; a date: until then. `no` removes what was found.'),
});

export type StatementFields = z.infer<typeof statementFields>;

/** What does not fit together is said of the field that is to be changed. */
export const statementBody = statementFields.superRefine((given, context) => {
  const add = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  const { report, persons, alleles, build, thresholds } = given;
  for (const field of fromReport) {
    if (report === undefined && given[field] === undefined) add([field], 'is missing');
    if (report !== undefined && given[field] !== undefined && !(field === 'panel'))
      add([field], 'is taken from the report');
  }
  if (report === undefined && persons === undefined) add(['persons'], 'is missing');
  if (persons !== undefined && persons.filter(({ role }) => role === 'proband').length !== 1)
    add(['persons'], 'must have exactly one proband');
  for (const role of ['mother', 'father'] as const) {
    if ((persons ?? []).filter((one) => one.role === role).length > 1)
      add(['persons'], `must have one ${role} at most`);
  }
  addRepeated(
    persons?.map(({ sample }) => sample),
    (i) => add(['persons', i, 'sample'], 'is named twice'),
  );
  addRepeated(thresholds, (i) => add(['thresholds', i], 'is there twice'));
  for (const [i, one] of alleles.entries()) {
    if (one.reference === one.alternate) add(['alleles', i, 'alternate'], 'must differ from the reference');
    const end = build && lengthOf(build, one.chromosome);
    if (end !== undefined && one.start + one.reference.length > end)
      add(['alleles', i, 'start'], `must be within chromosome ${one.chromosome} of ${build}, which has ${end} bases`);
  }
});

/** That a statement is refused, with every wrong field. */
export function refusedStatement(code: 'invalid' | 'unprocessable', fields: FieldFault[]): Fault {
  const sentences = fields.map(({ path, message }) => `${path} ${message}`);
  return new Fault(code, `The statement cannot be kept: ${sentences.join('; ')}`, { fields });
}

function addRepeated(values: readonly unknown[] | undefined, add: (place: number) => void): void {
  for (const [i, value] of (values ?? []).entries()) if (values?.indexOf(value) !== i) add(i);
}

/** Whether an allele of a statement lies within its build, which a report may say. */
export function isWithin(build: Assembly, { chromosome: on, start, reference }: StatementFields['alleles'][number]) {
  return start + reference.length <= lengthOf(build, on);
}
