/** Settings of the reviews plugin. */
import { z } from 'zod';

export const reviewSettings = z.strictObject({
  keepDays: z
    .number()
    .positive()
    .max(36_500)
    .optional()
    .describe('days after the conclusion for which a statement is kept that says nothing else; omitted: for good'),
});

export type ReviewSettings = z.infer<typeof reviewSettings>;
