/** How input to the coverage endpoints is checked and how its faults are told: 422 with each field, as chanjo2 does. */
import { type ZodType, z } from 'zod';
import { type AnswerDeclaration, type ErrorBody, Fault, type RequestHead } from '../../../core/plugin.js';

/** A schema that documents what is expected and takes everything, so that `checked` can say what is wrong. */
export function documented(schema: ZodType): ZodType<unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(described);
}

/** What the schema makes of a value; else an `unprocessable` fault that names every field. */
export function checked<Output>(schema: ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const fields = result.error.issues
    .slice(0, 100)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message: inWords(message) }));
  const named = fields.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new Fault('unprocessable', named.join('; '), { fields });
}

const absence = 'Field required';

/** Chanjo2's words for a field that is missing; others as they are. */
function inWords(message: string): string {
  return /, received undefined$/.test(message) ? absence : message;
}

export const detail = z
  .object({
    detail: z.union([
      z.string(),
      z.array(z.object({ type: z.string(), loc: z.array(z.union([z.string(), z.int()])), msg: z.string() })),
    ]),
  })
  .meta({ id: 'CoverageError', description: 'What is wrong: a sentence, or one for each field.' });

/** Documents an error response. */
export function refusal(description: string): AnswerDeclaration {
  return { description, content: { 'application/json': detail } };
}

/** The error responses that the endpoints for programs share. */
export const failures: Record<number, AnswerDeclaration> = {
  400: refusal('The body is no JSON, or no complete form.'),
  401: refusal('The access token is missing or not valid.'),
  404: refusal('The D4 file is not there, or not one that may be named.'),
  413: refusal('The body, or a file in it, is too large.'),
  422: refusal('A field is wrong, or does not fit the file.'),
  503: refusal('The host of the D4 file does not deliver it.'),
};

/** `{"detail": …}`: a sentence, or a list where single fields are wrong, each with where it stands. */
export function detailBody(
  fault: Fault,
  _status: number,
  request: RequestHead,
  placeOf: (field: string) => string = () => (request.method === 'GET' ? 'query' : 'body'),
): ErrorBody {
  if (fault.fields.length === 0) return { body: { detail: fault.message } };
  const list = fault.fields.map(({ path, message }) => ({
    type: message === absence ? 'missing' : 'value_error',
    loc: [placeOf(path), ...path.split('.').filter((part) => part !== '')].map((part) =>
      /^\d+$/.test(part) ? Number(part) : part,
    ),
    msg: message,
  }));
  return { body: { detail: list } };
}

/** A whole number, or text that is one, as a form or a lenient client sends it. */
export function whole(least: number, most: number) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
      z.int().min(least).max(most),
    )
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** true or false, or the word, as a form sends it. */
export function flag() {
  return z
    .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean().nullish())
    .meta({ type: 'boolean' });
}

export const text = () => z.string().min(1).max(10_000);

/** Any order, repeated ones collapse; a list, or text of a form (`10,20` or `[10,20]`). Ascending. */
export function thresholds(most: number) {
  const list = z
    .array(whole(0, 2 ** 31 - 1))
    .max(most)
    .nullish()
    .transform((sent) => [...new Set(sent ?? [])].sort((a, b) => a - b));
  return z
    .preprocess((value) => (typeof value === 'string' ? listed(value) : value), list)
    .meta({ type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: most });
}

/** The parts of a list, with or without brackets around all of them; a lone bracket stays and is no number. */
function listed(text: string): string[] {
  const [, inner = text] = /^\s*\[(.*)\]\s*$/s.exec(text) ?? [];
  return inner.split(',').filter((part) => part.trim() !== '');
}
