/** What requests to the pages of triage bring, and what all of them answer. */
import { z } from 'zod';
import { type AnswerDeclaration, preferred, type RequestHead } from '../../../../core/plugin.js';
import { triageStatuses } from '../../contract.js';
import { lastNumber } from '../../http/input.js';

export const pageType = 'text/html';
export const jsonType = 'application/json';
/** Forms of the pages, and the same fields as JSON. */
export const bodyTypes = ['application/x-www-form-urlencoded', jsonType] as const;

const number = z.coerce.number().int().min(1).max(lastNumber);

export const submissionParams = z.object({ number: number.describe('The number of the submission, as listed.') });
export const rowParams = submissionParams.extend({ row: z.string().max(100) });

const line = (most: number) => z.string().trim().max(most, `is longer than ${most} characters`);
const optionalLine = (most: number) =>
  line(most)
    .optional()
    .transform((text) => text || undefined);
/** Forms send lines with carriage returns. */
const block = (most: number) =>
  z
    .string()
    .max(most, `is longer than ${most} characters`)
    .transform((text) => text.replaceAll('\r\n', '\n').replaceAll('\0', ''));

export const rowFields = z.object({
  action: z
    .enum(['note', 'draft', 'send'])
    .default('note')
    .describe('`note`: change status and assignee, add a note; `draft`: keep a mail; `send`: send it.'),
  revision: number.describe('The revision that was seen.'),
  status: z.enum(triageStatuses).optional(),
  assignee: line(255).optional().describe('None if empty.'),
  note: block(5000)
    .optional()
    .transform((text) => text?.trim() || undefined),
  subject: line(200)
    .default('')
    .refine((text) => !/\p{Cc}/u.test(text), 'must be one line'),
  text: block(20_000).default(''),
});

export const contactFields = z.object({
  version: number.describe('The version of the patient that was seen.'),
  name: line(255),
  href: line(2048).describe('An e-mail address, with or without mailto:, or a web address.'),
  institution: optionalLine(255),
  comment: optionalLine(5000),
});

/** Repeated parameters arrive as lists. */
const several = z
  .union([z.string().max(255), z.array(z.string().max(255)).max(1000)])
  .optional()
  .transform((values) => [values ?? []].flat());

export const choiceQuery = z.object({
  require: z.enum(['gene']).optional().describe('`gene`: only rows with a shared gene.'),
  hide: several.describe('Ids of nodes whose rows without a shared gene are hidden.'),
  chosen: z.enum(['yes']).optional().describe('`yes`: the settings of the server hide nothing further.'),
  lang: z.string().max(35).optional(),
});

/** Whether the client wants a page rather than JSON. */
export function wantsPage({ headers }: Pick<RequestHead, 'headers'>): boolean {
  return preferred(headers, [jsonType, pageType]) === pageType;
}

export const vary = { Vary: 'Accept, Accept-Language' };

const problem = z.looseObject({ status: z.int(), title: z.string(), detail: z.string().optional() });

export const refusal = (description: string): AnswerDeclaration => ({
  description,
  content: { 'application/problem+json': problem, [pageType]: z.string() },
});

export const refusals: Record<number, AnswerDeclaration> = {
  400: refusal('A parameter is not valid.'),
  401: refusal('The credential is missing or invalid.'),
  403: refusal('The caller lacks the right.'),
  404: refusal('The caller has no such submission or row.'),
};

export const changeRefusals: Record<number, AnswerDeclaration> = {
  ...refusals,
  409: refusal('It was changed since it was read, or it is not possible.'),
  413: refusal('The body is too large.'),
  415: refusal('The media type of the body is not supported.'),
  422: refusal('A field is not valid.'),
  503: refusal('The mail server could not be used.'),
};
