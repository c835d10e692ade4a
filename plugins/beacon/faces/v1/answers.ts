/**
 * Responses at /apiv1.0, with the keys of the contract in alphabetical order: to queries, and from the routes that change data;
 * error messages for invalid bodies are in the words of Python's jsonschema, which clients of older beacons know.
 */
import { z } from 'zod';
import {
  type Answer,
  type AnswerDeclaration,
  type ErrorBody,
  Fault,
  type Job,
  type Jobs,
} from '../../../../core/plugin.js';
import { type AlleleAnswer, type DatasetAnswer, denominatorValues, includes } from '../../ask.js';
import { accessTypes } from '../../contract.js';
import type { Coordinate } from '../query/positions.js';
import type { QueryEcho, TextParameter } from './parameters.js';

/** In query responses; the beacon information prefixes it with `v`. */
export const apiVersion = '1.0.0';

export const accessInfo = z.strictObject({ accessType: z.enum(accessTypes) });
export const count = z.int().min(0);

/** As the client sent it: text, or a whole number of any size. */
const coordinate = z.union([z.string(), z.number().refine(Number.isInteger).meta({ type: 'integer' })]).optional();

export const alleleRequest = z
  .strictObject({
    alternateBases: z.string().optional(),
    assemblyId: z.string(),
    datasetIds: z.array(z.string()),
    end: coordinate,
    endMax: coordinate,
    endMin: coordinate,
    includeDatasetResponses: z.enum(includes),
    mateName: z.string().optional(),
    referenceBases: z.string().optional(),
    referenceName: z.string(),
    start: coordinate,
    startMax: coordinate,
    startMin: coordinate,
    variantType: z.string().optional(),
  } satisfies Record<TextParameter | Coordinate | 'datasetIds', z.ZodType>)
  .meta({ id: 'AlleleRequest' });

const datasetAlleleResponse = z
  .strictObject({
    callCount: count.describe('Calls of the matching alleles, over all samples'),
    datasetId: z.string(),
    exists: z.boolean(),
    info: accessInfo.extend({
      counts: z
        .literal('withheld')
        .optional()
        .describe('Of a protected dataset callers without a grant learn only whether it has the allele; counts are 0.'),
      denominator: z
        .array(z.strictObject({ key: z.string(), value: z.string() }))
        .optional()
        .describe(
          'Out of how many samples the allele was seen, as keys and values: for a query of one allele, in datasets that the ' +
            'token has the scope beacon:read for.',
        ),
    }),
    sampleCount: count.describe('Samples that carry at least one matching allele'),
    variantCount: count.describe('Matching alleles'),
  })
  .meta({ id: 'DatasetAlleleResponse' });

export const queryResponse = z
  .strictObject({
    allelRequest: alleleRequest,
    apiVersion: z.literal(apiVersion),
    beaconId: z.string(),
    datasetAlleleResponses: z.array(datasetAlleleResponse),
    error: z.null(),
    exists: z.boolean(),
  })
  .meta({ id: 'BeaconQueryResponse' });

export const errorResponse = z
  .strictObject({
    allelRequest: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
    apiVersion: z.literal(apiVersion),
    beaconId: z.string(),
    datasetAlleleResponses: z.array(datasetAlleleResponse).max(0),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
    exists: z.null(),
  })
  .meta({ id: 'BeaconErrorResponse' });

function datasetAnswer({ dataset, exists, counts, counted }: DatasetAnswer): z.output<typeof datasetAlleleResponse> {
  const denominator = counted && Object.entries(denominatorValues(counted));
  return {
    callCount: counts?.calls ?? 0,
    datasetId: dataset.id,
    exists,
    info: {
      accessType: dataset.access,
      ...(dataset.guarded && { counts: 'withheld' }),
      ...(denominator && { denominator: denominator.map(([key, value]) => ({ key, value: String(value) })) }),
    },
    sampleCount: counts?.samples ?? 0,
    variantCount: counts?.alleles ?? 0,
  };
}

export function queryAnswer(beaconId: string, echo: QueryEcho, { exists, datasets }: AlleleAnswer) {
  const datasetAlleleResponses = datasets.map(datasetAnswer);
  return { allelRequest: echo, apiVersion, beaconId, datasetAlleleResponses, error: null, exists };
}

export function errorAnswer(beaconId: string, echo: QueryEcho, errorCode: number, errorMessage: string) {
  return {
    allelRequest: echo,
    apiVersion,
    beaconId,
    datasetAlleleResponses: [],
    error: { errorCode, errorMessage },
    exists: null,
  };
}

// Responses of the routes that change data.

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
export function documentedSchema(schema: z.ZodType): z.ZodType<unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(described);
}

// Error messages for invalid bodies, in the words of Python's jsonschema, which clients of older beacons know.

interface RawIssue {
  path?: readonly PropertyKey[] | undefined;
  input?: unknown;
}

const absence = (name: PropertyKey | undefined) => `'${String(name ?? '')}' is a required property`;

/** The error message of a schema of that JSON type. */
function ofType(type: 'string' | 'array' | 'object' | 'boolean') {
  return ({ path, input }: RawIssue): string =>
    input === undefined ? absence(path?.at(-1)) : `${quotedAsPython(input)} is not of type '${type}'`;
}

export const text = () => z.string({ error: ofType('string') });
export const texts = () => listOfItems(text());
export const list = () => listOfItems(z.unknown());
export const listOfItems = <Item extends z.ZodType>(item: Item) => z.array(item, { error: ofType('array') });

export function choice<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, {
    error: ({ path, input }: RawIssue) =>
      input === undefined ? absence(path?.at(-1)) : `${quotedAsPython(input)} is not one of ${quotedAsPython(choices)}`,
  });
}

/** A boolean, or its word in a form. */
export const truth = () => z.union([z.boolean(), z.enum(['true', 'false'])], { error: ofType('boolean') });

/** An object; members that the shape does not name are ignored. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, { error: ofType('object') });
}

/** Parses a value; throws an `unprocessable` fault with the error nearest to the root. */
export function checkedText<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A missing member is an error of its object.
  const depth = ({ path, message }: z.core.$ZodIssue) => path.length - (message === absence(path.at(-1)) ? 1 : 0);
  const [worst] = result.error.issues.toSorted((a, b) => depth(a) - depth(b));
  throw new Fault('unprocessable', worst?.message ?? 'The body is not valid');
}

const longest = 200;

/** A JSON value as Python writes it, truncated if it is long. */
export function quotedAsPython(value: unknown): string {
  const whole = writtenAsPython(value, 0);
  return whole.length <= longest ? whole : `${[...whole.slice(0, longest)].join('')}…`;
}

function writtenAsPython(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') {
    const inner = value.slice(0, longest).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    return inner.includes("'") && !inner.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`;
  }
  if (typeof value !== 'object') return String(value);
  if (depth > 3) return '…';
  if (Array.isArray(value))
    return `[${value
      .slice(0, longest)
      .map((one) => writtenAsPython(one, depth + 1))
      .join(', ')}]`;
  const members = Object.entries(value).slice(0, longest);
  return `{${members.map(([name, one]) => `${writtenAsPython(name, 0)}: ${writtenAsPython(one, depth + 1)}`).join(', ')}}`;
}
