/** Facts about samples as clients and operators write them. */
import { z } from 'zod';
import { type SampleChange, type SampleLabel, sampleLabels, sexes } from '../../contract.js';

const most = 200;

/** Text for one line of a table, such as the id of a case. */
const line = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(most, `must have no more than ${most} characters`)
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters');

const labels = z.strictObject(
  Object.fromEntries(sampleLabels.map((label) => [label, line.optional()])) as Record<
    SampleLabel,
    z.ZodOptional<typeof line>
  >,
);

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
});

/** The change that was written; an unknown `affected` is null in JSON, and undefined here. */
export function changeOf(words: z.output<typeof sampleChange>): SampleChange {
  const { case: family, sex, affected, labels: given, coverageId } = words;
  return {
    ...(family !== undefined && { case: family }),
    ...(sex !== undefined && { sex }),
    ...(affected !== undefined && { affected: affected ?? undefined }),
    ...(given !== undefined && { labels: labelsOf(given) }),
    ...(coverageId !== undefined && { coverageId }),
  };
}

function labelsOf(given: z.output<typeof labels>): Partial<Record<SampleLabel, string>> {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined));
}
