/** Settings of the reviews plugin. */
import { z } from 'zod';

export const reviewSettings = z.strictObject({
  keepDays: z
    .number()
    .positive()
    .max(36_500)
    .optional()
    .describe('days after the conclusion for which a statement is kept that says nothing else; omitted: for good'),
  populationFrequency: z
    .strictObject({
      dominant: z
        .number()
        .min(0)
        .max(1)
        .default(0.000_01)
        .describe('largest frequency of an allele of which one copy suffices'),
      recessive: z.number().min(0).max(1).default(0.01).describe('largest frequency of an allele of a recessive gene'),
    })
    .prefault({})
    .describe(
      'how rare an allele has to be in the population to be worth a look; frequencies that are not known count as rare',
    ),
  nightly: z.int().min(0).max(23).default(1).describe('hour, in UTC, in which all statements are asked again'),
});

export type ReviewSettings = z.infer<typeof reviewSettings>;
