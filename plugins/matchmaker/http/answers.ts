/** Responses: their schemas, for the API description and for the check in tests, and errors as the exchange specifies them: a JSON object with `message`, and a message for each invalid field. */
import { z } from 'zod';
import type { AnswerDeclaration, ErrorBody, Fault, RequestHead } from '../../../core/plugin.js';
import { json, supportedVersions, vendorType } from './media.js';

/** Patients are returned as they were sent, with members beyond the specification. */
export const patientAnswer = z.looseObject({ id: z.string(), contact: z.looseObject({}) });

export const warnings = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .describe('Input that was accepted but is ignored, or counts less than expected.');

export const stated = {
  disclaimer: z.string().optional(),
  terms: z.string().optional(),
};

export const alsoSharingAnswer = z
  .int()
  .min(1)
  .optional()
  .describe('How many further patients share a gene with the query and were left out by MAX_RESULTS.');

export const messageAnswer = z.strictObject({ message: z.string() });

/** The schema for the API description only: the body itself is checked by `readSubmission`. */
export function documented(schema: z.ZodType): z.ZodType<unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(described);
}

/** If there are any. */
export type Statements = { [Name in 'disclaimer' | 'terms']?: string };

export function statements({ disclaimer, terms }: Required<Statements>): Statements {
  return { disclaimer: disclaimer || undefined, terms: terms || undefined };
}

/** For members that are left out if there is nothing in them. */
export function unlessEmpty<Entry>(list: readonly Entry[]): readonly Entry[] | undefined {
  return list.length === 0 ? undefined : list;
}

type Requested = Pick<RequestHead, 'method' | 'path' | 'query'>;

export function errorBody(fault: Fault, status: number, request: Requested): ErrorBody {
  if (status === 401) return { body: { message: 'Not authorized' } };
  if (status === 406) return { type: vendorType('1.1'), body: { message: fault.message, supportedVersions } };
  if (status === 400 && fault.fields.length === 0 && isOfBody(fault, request)) {
    return { body: { message: `Invalid request JSON: ${fault.message}` } };
  }
  return { body: { message: fault.message, fields: unlessEmpty(fault.fields) } };
}

const bodyPaths: ReadonlySet<string> = new Set(['/patient/add', '/patient/import', '/match']);

/** Whether the body is at fault, rather than the path or the query. */
function isOfBody({ message }: Fault, { method, path, query }: Requested): boolean {
  if (method !== 'POST' || !bodyPaths.has(path.replace(/\/+$/, ''))) return false;
  return message.startsWith('The body') || Object.keys(query).length === 0;
}

const error = z.strictObject({
  message: z.string(),
  fields: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
const versions = z.strictObject({ message: z.string(), supportedVersions: z.array(z.string()) });

export const refusal = (description: string): AnswerDeclaration => ({ description, content: { [json]: error } });

export const protectedAnswers: Record<number, AnswerDeclaration> = {
  401: refusal('The token is missing or invalid.'),
  403: refusal('The token lacks a scope, or the patient belongs to another owner.'),
};

export const bodyAnswers: Record<number, AnswerDeclaration> = {
  ...protectedAnswers,
  400: refusal('The body is not valid JSON.'),
  406: {
    description: 'The requested version of the API is not supported.',
    content: { [vendorType('1.1')]: versions },
  },
  413: refusal('The body is too large.'),
  415: refusal('The media type of the body is not supported.'),
  422: refusal('The patient is invalid; `fields` names every invalid field.'),
};
