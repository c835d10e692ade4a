/** Facts about samples as clients and operators write them. */
import { z } from 'zod';
import { isIntact } from '../../../../core/plugin.js';
import {
  distinctTerms,
  mostTerms,
  type OntologyTerm,
  type SampleChange,
  type SampleLabel,
  sampleLabels,
  sexes,
} from '../../contract.js';
import { isDay } from '../../domain/facts.js';
import { wrongWithTerm } from '../../domain/ontology-term.js';

const most = 200;

/** Text for one line of a table, such as the id of a case. */
const line = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(most, `must have no more than ${most} characters`)
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
  .refine(isIntact, 'has bytes that are not UTF-8');

const day = line.refine(isDay, 'must be a date such as 2026-01-31');

const labels = z.strictObject(
  Object.fromEntries(sampleLabels.map((label) => [label, (label.endsWith('_date') ? day : line).optional()])) as Record<
    SampleLabel,
    z.ZodOptional<typeof line>
  >,
);

const terms = z
  .array(
    z
      .strictObject({ id: z.string(), label: z.string().trim().min(1, 'must not be empty').optional() })
      .superRefine(({ id, label }, context) => {
        const wrong = wrongWithTerm({ id, ...(label !== undefined && { label }) });
        if (wrong) context.addIssue({ code: 'custom', message: wrong });
      }),
  )
  .max(mostTerms);

/** Fields to set; omitted ones stay as they are. */
export const sampleChange = z.strictObject({
  case: line.optional().describe('The case (family) that the sample belongs to.'),
  sex: z.enum(sexes, `must be one of ${sexes.join(', ')}`).optional(),
  affected: z
    .boolean()
    .nullable()
    .optional()
    .describe('Whether the person has the disease of the case; null if unknown.'),
  labels: labels.optional().describe('How the sample was analysed; they replace all labels that it has.'),
  coverageId: line
    .optional()
    .describe('The registered sample that knows its depth; its own name for that of the same id.'),
  phenotypes: terms.optional().describe('Phenotypes that the person has; they replace all that are stated.'),
  diseases: terms.optional().describe('Diseases that the person has; they replace all that are stated.'),
});

/** The change that was written; an unknown `affected` is null in JSON, and undefined here. */
export function changeOf(words: z.output<typeof sampleChange>): SampleChange {
  const { case: family, sex, affected, labels: given, coverageId, phenotypes, diseases } = words;
  return {
    ...(family !== undefined && { case: family }),
    ...(sex !== undefined && { sex }),
    ...(affected !== undefined && { affected: affected ?? undefined }),
    ...(given !== undefined && { labels: labelsOf(given) }),
    ...(coverageId !== undefined && { coverageId }),
    ...(phenotypes !== undefined && { phenotypes: termsOf(phenotypes) }),
    ...(diseases !== undefined && { diseases: termsOf(diseases) }),
  };
}

function termsOf(given: z.output<typeof terms>): OntologyTerm[] {
  return distinctTerms(given.map(({ id, label }) => ({ id, ...(label !== undefined && { label }) })));
}

function labelsOf(given: z.output<typeof labels>): Partial<Record<SampleLabel, string>> {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined));
}
