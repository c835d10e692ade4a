/**
 * Checks the input of the coverage endpoints, which may be a form with a BED file, and shapes their error responses: 422 with
 * each field, as chanjo2 does.
 */
import { type ZodType, z } from 'zod';
import { multipartType, naming, type SmallForm } from '../../../core/files.js';
import {
  type AnswerDeclaration,
  type ErrorBody,
  Fault,
  type RequestHead,
  type RouteRequest,
  wording,
} from '../../../core/plugin.js';
import type { SampleRequest } from '../measure/quality.js';
import { fieldFault } from '../report/form/fields.js';
import type { NamedSample } from '../samples/find.js';
import { en } from '../texts/texts.js';

/** A schema that documents the input but accepts anything, so that `checked` can report every invalid field. */
export function documentedSchema(schema: ZodType): ZodType<unknown> {
  const known = documentedOnes.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const made = z.unknown().meta(described);
  documentedOnes.set(schema, made);
  return made;
}

const documentedOnes = new WeakMap<ZodType, ZodType<unknown>>();

/** Parses a value by the schema. Throws an `unprocessable` fault that names every invalid field. */
export function checkedInput<Output>(schema: ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value ?? {}, { error: inWords });
  if (result.success) return result.data;
  const fields = result.error.issues
    .slice(0, 100)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const named = fields.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new Fault('unprocessable', named.join('; '), { fields });
}

const absence = 'Field required';

/** Chanjo2's words for a missing field. */
const inWords: typeof wording = (issue) => (issue.input === undefined ? absence : wording(issue));

export const detail = z
  .object({
    detail: z.union([
      z.string(),
      z.array(z.object({ type: z.string(), loc: z.array(z.union([z.string(), z.int()])), msg: z.string() })),
    ]),
  })
  .meta({ id: 'CoverageError', description: 'What is wrong: one sentence, or one per field.' });

/** Documents a response with JSON. */
export function jsonAnswer(description: string, schema: ZodType): AnswerDeclaration {
  return { description, content: { 'application/json': schema } };
}

/** Documents an error response. */
export function refusal(description: string): AnswerDeclaration {
  return jsonAnswer(description, detail);
}

/** The error responses that the endpoints for programs share. */
export const failures: Record<number, AnswerDeclaration> = {
  400: refusal('The body is not valid JSON, or not a complete form.'),
  401: refusal('The access token is missing or invalid.'),
  404: refusal('The D4 file does not exist, or requests may not name it.'),
  413: refusal('The body, or a file in it, is too large.'),
  422: refusal('A field is invalid, or does not fit the file.'),
  503: refusal('The D4 file could not be fetched from its host.'),
};

/** `{"detail": …}`: one sentence, or, if single fields are invalid, a list with the location of each. */
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

/** A whole number, also as text: forms and lenient clients send it so. */
export function wholeNumber(least: number, most: number) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
      z.int().min(least).max(most),
    )
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** true or false, also as text from a form. */
export function flag() {
  return z
    .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean().nullish())
    .meta({ type: 'boolean' });
}

/** A string that is not empty. */
export const textSchema = () => z.string().min(1).max(10_000);
/** Describes a field that names a D4 file. */
export const namesCoverageFile = (before = '') =>
  naming(
    ['path', 'url', 'object'],
    `${before}A D4 file under a configured directory, or an http(s) URL on a configured host.`,
  );
export const coverageFile = () => textSchema().meta(namesCoverageFile());
/** The fields of a sample's second file. */
export const uniqueFields = () => ({
  unique_file_path: textSchema()
    .nullish()
    .meta(
      namesCoverageFile(
        'Beside coverage_file_path, of those of its reads that map uniquely; the answer then has its figures, too: ',
      ),
    ),
});

/** As a part of a sample as requested; `place` is that of its entry in the request, with a dot. Throws an `unprocessable` fault. */
export function uniqueOf(
  path: string | null | undefined,
  known: NamedSample | undefined,
  place = '',
): Partial<SampleRequest> {
  if (known !== undefined) {
    if (path) throw fieldFault(`${place}unique_file_path`, en.form.idAndUnique);
    return known.unique ? { unique: { ...known.unique, fields: [`${place}sample_id`] } } : {};
  }
  if (!path) return {};
  return { unique: { path, fields: [`${place}coverage_file_path`, `${place}unique_file_path`] } };
}

/** Describes a field that names a file under a configured directory. */
export const namesFile = (description: string) => naming(['path'], description);

/** For the description: `withFiles` puts a file in its place before the fields are checked. */
export const sampleIdField = () =>
  z.string().max(200).optional().describe('The id of a registered sample, instead of coverage_file_path.');

/** A list in any order, also as text from a form (`10,20` or `[10,20]`). Returned ascending, without duplicates. */
export function thresholds(most: number) {
  const list = z
    .array(wholeNumber(0, 2 ** 31 - 1))
    .max(most)
    .nullish()
    .transform((sent) => [...new Set(sent ?? [])].sort((a, b) => a - b));
  return z
    .preprocess((value) => (typeof value === 'string' ? listedParts(value) : value), list)
    .meta({ type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: most });
}

/** The parts of a list, with or without brackets around it. A single bracket stays, and is then refused as a number. */
function listedParts(text: string): string[] {
  const [, inner = text] = /^\s*\[(.*)\]\s*$/s.exec(text) ?? [];
  return inner.split(',').filter((part) => part.trim() !== '');
}

// Requests that may carry their BED file, as a multipart form.

/** Bytes of a form around its file. */
export const formBytes = 2 * 2 ** 20;

export const bedDescription = 'The BED file, plain or gzip; instead of intervals_bed_path.';

interface BodyWithBed {
  /** Fields, to be checked by the endpoint's schema. */
  fields: unknown;
  bed?: Buffer;
}

/** The fields of a JSON body, or of a form, in which lists and objects are JSON text. */
export function sentWithBed(request: Pick<RouteRequest<unknown, unknown, unknown>, 'body' | 'bodyType'>): BodyWithBed {
  if (request.bodyType !== multipartType) return { fields: request.body };
  const { fields, file } = request.body as SmallForm;
  const read = Object.entries(fields).map(([name, value]): [string, unknown] => {
    return [name, parsedJson(typeof value === 'string' ? value : (value.at(-1) ?? ''))];
  });
  return { fields: Object.fromEntries(read), ...(file === undefined ? {} : { bed: file }) };
}

function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // reported when the field is checked
  }
}
