/** The setting `triage`: whether people work with matches on this server. */
import { z } from 'zod';
import { sampleRules } from '../patient/linked-sample.js';

export const triageSettings = z
  .strictObject({
    hidePhenotypeOnly: z
      .array(z.string().min(1).max(255))
      .default([])
      .describe('Ids of nodes of which rows without a shared gene are hidden, unless a person asks for them.'),
    samples: z
      .enum(sampleRules)
      .default('stated')
      .describe(
        'The registered sample of a patient: the one that its `_sample` states, and no other (stated); else the one with the ' +
          'id of the patient (same-id), or with what follows the last dot of that id, as Scout makes it (scout-id).',
      ),
    threshold: z
      .int()
      .min(1)
      .max(10_000)
      .default(10)
      .describe(
        'Reads with which a base counts as covered beside a match; one of `plugins.coverage.samples.thresholds`.',
      ),
  })
  .optional()
  .describe('Keeps what people note about the matches of submissions, and shows it at /matchmaker/submissions.');

export type TriageSettings = NonNullable<z.output<typeof triageSettings>>;
