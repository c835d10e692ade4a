/** Schemas of answers, for the documentation and for the check of answers in tests. */
import { z } from 'zod';

/** Patients are answered as they were sent: their members beyond the specification included. */
export const patientAnswer = z.looseObject({ id: z.string(), contact: z.looseObject({}) });

export const warnings = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .describe('What was accepted but counts for less than it may seem.');

export const stated = {
  disclaimer: z.string().optional(),
  terms: z.string().optional(),
};

export const messageAnswer = z.strictObject({ message: z.string() });

/** What a body with a patient looks like to readers of the documentation; it is checked by `readSubmission`. */
export function documented(schema: z.ZodType): z.ZodType<unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(described);
}

/** Disclaimer and terms, if there are any. */
export function statements({ disclaimer, terms }: { disclaimer: string; terms: string }): {
  disclaimer?: string;
  terms?: string;
} {
  return { disclaimer: disclaimer || undefined, terms: terms || undefined };
}

/** For members that are left out if there is nothing in them. */
export function unlessEmpty<Entry>(list: readonly Entry[]): readonly Entry[] | undefined {
  return list.length === 0 ? undefined : list;
}
