/**
 * The protocol of the exchange over HTTP: media types and versions, what requests bring, the schemas of responses, and its
 * error bodies.
 */
import { z } from 'zod';
import { type AnswerDeclaration, type ErrorBody, Fault, preferred, type RequestHead } from '../../../core/plugin.js';

// Media types and versions (mme-apis, search-api.md, "API versioning"). The version travels in the media type; minor
// versions are compatible with each other. Parameters such as `charset` are ignored.

/** Oldest first. */
export const supportedVersions = ['1.0', '1.1'] as const;
type ApiVersion = (typeof supportedVersions)[number];

export const vendorType = (version: ApiVersion) => `application/vnd.ga4gh.matchmaker.v${version}+json` as const;
export const vendorTypes = supportedVersions.map(vendorType);
export const json = 'application/json';
const unversioned = 'application/vnd.ga4gh.matchmaker+json';
const pattern = /^application\/vnd\.ga4gh\.matchmaker(?:\.v(\d+)\.(\d+))?\+json$/;

/** Types of bodies. The wildcard stands for later minor versions: `refuseBodyType` has refused all others before. */
export const bodyTypes = [json, ...vendorTypes, 'application/*+json'] as const;

function bare(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The version in a media type of the exchange, `1.0` if it has none; undefined for any other media type. */
function versionOf(type: string): { major: string; answer: ApiVersion } | undefined {
  const found = pattern.exec(type);
  if (!found) return undefined;
  const [, major = '1', minor = '0'] = found;
  return { major, answer: Number(minor) === 0 ? '1.0' : '1.1' };
}

/** Throws `unsupported-media-type` unless the body is declared as JSON, `not-acceptable` for another major version. */
export function refuseBodyType({ headers }: Pick<RequestHead, 'headers'>): void {
  const type = bare(headers['content-type'] ?? '');
  if (type === json) return;
  const version = versionOf(type);
  if (version?.major === '1') return;
  if (version) throw otherVersion();
  throw new Fault(
    'unsupported-media-type',
    `The media type of the body must be ${[...vendorTypes, json].join(' or ')}`,
  );
}

function otherVersion(): Fault {
  return new Fault(
    'not-acceptable',
    `This version of the API is not supported; supported are ${supportedVersions.join(' and ')}`,
  );
}

/** Answers by the two headers: clients send few different ones, and each request is asked about twice. */
const negotiatedTypes = new Map<string, string>();
const mostNegotiated = 100;
const longestNegotiated = 500;

/**
 * The media type of the response: the exchange's in the requested version, or plain JSON if the client prefers it. A
 * client that accepts anything gets the version of its own body. Throws `not-acceptable` if it accepts neither.
 */
export function answerType({ headers }: Pick<RequestHead, 'headers'>): string {
  const key = `${headers['content-type'] ?? ''}\n${headers.accept ?? ''}`;
  const before = negotiatedTypes.get(key);
  if (before !== undefined) return before;
  const type = negotiated(headers);
  if (negotiatedTypes.size < mostNegotiated && key.length <= longestNegotiated) negotiatedTypes.set(key, type);
  return type;
}

function negotiated(headers: RequestHead['headers']): string {
  const own = versionOf(bare(headers['content-type'] ?? ''))?.answer ?? '1.0';
  const accept = accepted(headers.accept);
  const minors = accept.map(({ type }) => type).filter((type) => versionOf(type)?.major === '1');
  const asked = accept.map(({ type, quality }) => type + quality).join(', ');
  const offered = [vendorType(own), ...vendorTypes, unversioned, ...minors, json] as const;
  const type = preferred(asked === '' ? {} : { accept: asked }, offered as readonly [string, ...string[]]);
  if (type === undefined) {
    if (accept.some(({ type }) => versionOf(type) !== undefined)) throw otherVersion();
    throw new Fault('not-acceptable', `Accept must include ${[...vendorTypes, json].join(' or ')}`);
  }
  const version = type === unversioned ? own : versionOf(type)?.answer;
  return version === undefined ? json : vendorType(version);
}

/** The accepted types, without parameters other than the quality. */
function accepted(header: string | undefined): { type: string; quality: string }[] {
  return (header ?? '')
    .split(',')
    .map((range) => ({ type: bare(range), quality: /;\s*q=[\d.]+/i.exec(range)?.[0] ?? '' }))
    .filter(({ type }) => type !== '');
}

// What requests bring: ids in paths, pages of lists, bodies.

/** No id of a patient or node is longer. */
export const idInAddress = () => z.string().max(255, 'is longer than 255 characters');

/** Of a route with `/:id`. */
export const patientParams = z.object({ id: idInAddress() });

/** The greatest number that a row can have. */
export const lastNumber = 2 ** 31 - 1;

/** Cursors are row numbers, so that no patient's id appears in an address. */
export function paging(usual: number) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(1000).default(usual).describe('Maximum number of entries on a page.'),
    after: z.coerce.number().int().min(0).max(lastNumber).optional().describe('`next` of the previous page.'),
  });
}

/** Throws `invalid` if there is no body: an empty body is not JSON. */
export function requiredBody(body: unknown): unknown {
  if (body === undefined) throw new Fault('invalid', 'The body is empty', { part: 'body' });
  return body;
}

// Responses: their schemas, for the API description and for the check in tests, and errors as the exchange specifies them: a JSON object with `message`, and a message for each invalid field.

/** Patients are returned as they were sent, with members beyond the specification. */
export const patientAnswer = z.looseObject({ id: z.string(), contact: z.looseObject({}) });

export const warningsAnswer = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .describe('Input that was accepted but is ignored, or counts less than expected.');

export const statementsAnswer = {
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
export function documentedSchema(schema: z.ZodType): z.ZodType<unknown> {
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

type RequestLine = Pick<RequestHead, 'method' | 'path' | 'query'>;

export function errorBody(fault: Fault, status: number, request: RequestLine): ErrorBody {
  if (status === 401) return { body: { message: 'Not authorized' } };
  if (status === 406) return { type: vendorType('1.1'), body: { message: fault.message, supportedVersions } };
  if (status === 400 && fault.fields.length === 0 && isOfBody(fault, request)) {
    return { body: { message: `Invalid request JSON: ${fault.message}` } };
  }
  return { body: { message: fault.message, fields: unlessEmpty(fault.fields) } };
}

const bodyPaths: ReadonlySet<string> = new Set(['/patient/add', '/patient/import', '/match']);

/** Whether the body is at fault, rather than the path or the query. */
function isOfBody({ part }: Fault, { method, path, query }: RequestLine): boolean {
  if (method !== 'POST' || !bodyPaths.has(path.replace(/\/+$/, ''))) return false;
  return part === 'body' || Object.keys(query).length === 0;
}

const errorAnswer = z.strictObject({
  message: z.string(),
  fields: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
const versionsAnswer = z.strictObject({ message: z.string(), supportedVersions: z.array(z.string()) });

export const refusalAnswer = (description: string): AnswerDeclaration => ({
  description,
  content: { [json]: errorAnswer },
});

export const protectedAnswers: Record<number, AnswerDeclaration> = {
  401: refusalAnswer('The token is missing or invalid.'),
  403: refusalAnswer('The token lacks a scope, or the patient belongs to another owner.'),
};

export const bodyAnswers: Record<number, AnswerDeclaration> = {
  ...protectedAnswers,
  400: refusalAnswer('The body is not valid JSON.'),
  406: {
    description: 'The requested version of the API is not supported.',
    content: { [vendorType('1.1')]: versionsAnswer },
  },
  413: refusalAnswer('The body is too large.'),
  415: refusalAnswer('The media type of the body is not supported.'),
  422: refusalAnswer('The patient is invalid; `fields` names every invalid field.'),
};
