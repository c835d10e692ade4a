/** Responses of the routes that change data. */
import { z } from 'zod';
import type { Answer, AnswerDeclaration, ErrorBody, Fault, Job, Jobs } from '../../../../../core/plugin.js';

const message = z.strictObject({ message: z.string() });

const accepted = z.strictObject({
  message: z.string(),
  job: z.strictObject({
    id: z.uuid(),
    href: z.string().describe('Address of the state and progress of the job, for the owner of the token.'),
  }),
});

const failure = (description: string): AnswerDeclaration => ({ description, content: { 'application/json': message } });

const failures = {
  401: failure('The token is missing or not valid.'),
  403: failure('The token lacks the scope `beacon:write`, also for this dataset alone.'),
  422: failure('The body is not valid, or names a dataset, sample or file that does not exist.'),
};

export const jobAnswers: Record<number, AnswerDeclaration> = {
  202: { description: 'A job is queued.', content: { 'application/json': accepted } },
  ...failures,
};

export const doneAnswers: Record<number, AnswerDeclaration> = { 200: failure('Done.'), ...failures };

export function acceptedAnswer(text: string, job: Job, jobs: Pick<Jobs, 'href'>): Answer {
  return { status: 202, body: { message: text, job: { id: job.id, href: jobs.href(job) } } };
}

/** The error response of these routes. */
export function messageError(fault: Fault, status: number): ErrorBody {
  return { body: { message: status === 401 ? 'Invalid auth token error' : fault.message } };
}

/** A schema for the API description only: the route validates the body itself, with the messages that older clients know. */
export function documented(schema: z.ZodType): z.ZodType<unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(described);
}
