/** Schemas of responses, for the API description and for the check of responses in tests, and members that many share. */
import { z } from 'zod';

/** Patients are returned as they were sent, with members beyond the specification. */
export const patientAnswer = z.looseObject({ id: z.string(), contact: z.looseObject({}) });

export const warnings = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .describe('Input that was accepted but is ignored, or counts less than expected.');

export const stated = {
  disclaimer: z.string().optional(),
  terms: z.string().optional(),
};

export const messageAnswer = z.strictObject({ message: z.string() });

/** The schema for the API description only: the body itself is checked by `readSubmission`. */
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
