/** The setting `triage`: whether people work with matches on this server. */
import { z } from 'zod';

export const triageSettings = z
  .strictObject({
    hidePhenotypeOnly: z
      .array(z.string().min(1).max(255))
      .default([])
      .describe('Ids of nodes of which rows without a shared gene are hidden, unless a person asks for them.'),
  })
  .optional()
  .describe('Keeps what people note about the matches of submissions, and shows it at /matchmaker/submissions.');

export type TriageSettings = NonNullable<z.output<typeof triageSettings>>;
