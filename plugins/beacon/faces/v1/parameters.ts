/** The parameters of an allele query as a client sends them (contract, section 2 and 4). */
import { z } from 'zod';
import { Fault, type RequestHead } from '../../../../core/plugin.js';
import { coordinates } from '../query/positions.js';

export const formType = 'application/x-www-form-urlencoded';

/** Describes the parameters; `readQuery` checks them, since the messages and their order are the contract's. */
const text = (description: string) => z.unknown().optional().meta({ type: 'string', description });
const position = (description: string) => z.unknown().optional().meta({ type: 'integer', minimum: 0, description });
export const parameters = z
  .looseObject(
    {
      assemblyId: text(
        'Genome build in GRC notation: GRCh37 or GRCh38. hg19, b37, hg38 and patch names are accepted too.',
      ),
      referenceName: text('Chromosome: 1-22, X, Y or MT. RefSeq accessions are accepted too.'),
      referenceBases: text(
        'Bases [ACGTN]*, in any case. N matches any base, a single N any sequence. Required if start is given without end.',
      ),
      alternateBases: text(
        'Bases that replace the reference, written as referenceBases. This or variantType is required.',
      ),
      variantType: text(
        'Class of variant: SNV, INDEL, MNP, DEL, INS, DUP, INV, BND and others. DUP includes DUP:TANDEM.',
      ),
      start: position('First base, zero-based.'),
      end: position('End of the allele, zero-based, exclusive; for breakends the position of the mate.'),
      startMin: position('Minimum start of a range query, inclusive.'),
      startMax: position('Maximum start of a range query, inclusive.'),
      endMin: position('Minimum end of a range query, inclusive.'),
      endMax: position('Maximum end of a range query, inclusive.'),
      mateName: text('Chromosome of the mate of a breakend.'),
      datasetIds: z
        .unknown()
        .optional()
        .meta({
          type: 'array',
          items: { type: 'string' },
          description: 'Datasets to search, at most 1,000; all if omitted.',
        }),
      includeDatasetResponses: z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          enum: ['ALL', 'HIT', 'MISS', 'NONE'],
          default: 'NONE',
          description: 'Datasets that get a response of their own.',
        }),
    },
    { error: 'The body must be a JSON object with the parameters of the query' },
  )
  .meta({ required: ['assemblyId', 'referenceName'] });

export const textParameters = [
  'alternateBases',
  'assemblyId',
  'includeDatasetResponses',
  'mateName',
  'referenceBases',
  'referenceName',
  'variantType',
] as const;
export type TextParameter = (typeof textParameters)[number];

/**
 * A query string, a form or a JSON object, by parameter name. Unknown names are ignored, unless they are nearly a known
 * one (`misspelt`).
 */
export interface SentQuery {
  parameters: Readonly<Record<string, unknown>>;
  /**
   * In a form or a query string every value is text, repeated parameters are lists, and lists may be joined by commas.
   */
  form: boolean;
}

/**
 * The parameters in a body or query string; anything but an object has none. `datasetIds[]` and `datasetIds[0]` mean
 * datasetIds.
 */
export function sentIn(parameters: unknown, form: boolean): SentQuery {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    return { parameters: {}, form };
  }
  const plain: Record<string, unknown> = {};
  const bracketed: unknown[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (/^datasetIds\[\d*\]$/.test(name)) bracketed.push(value);
    else plain[name] = value;
  }
  if (bracketed.length > 0) plain.datasetIds = [plain.datasetIds, ...bracketed].flat().filter(isGiven);
  return { parameters: plain, form };
}

/** The parameters of a request: a GET, a form, or (any other POST) JSON. */
export function sentBy(request: RequestHead, parameters: unknown): SentQuery {
  const form = request.method !== 'POST' || (request.headers['content-type'] ?? '').toLowerCase().startsWith(formType);
  return sentIn(parameters, form);
}

/** Whether a parameter was given: absent, null and empty values all count as not given. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The text of a parameter; undefined if not given. Throws an `invalid` fault unless it is a single string. */
export function textOfParameter(sent: SentQuery, name: TextParameter): string | undefined {
  const value = sent.parameters[name];
  if (!isGiven(value)) return undefined;
  if (typeof value === 'string') return value;
  throw new Fault(
    'invalid',
    Array.isArray(value) && sent.form ? `${name} was given twice` : `${name} must be a string`,
  );
}

/** Most dataset ids in one query. */
const mostDatasetIds = 1000;

/**
 * The ids in datasetIds; empty if not given. Throws an `invalid` fault unless it is a list of strings, or if there are
 * too many.
 */
export function datasetIdsOf(sent: SentQuery): string[] {
  const value = sent.parameters.datasetIds;
  if (!isGiven(value)) return [];
  const list: unknown[] = Array.isArray(value) ? value : sent.form ? [value] : [undefined];
  const ids: string[] = [];
  for (const id of list) {
    if (typeof id !== 'string') throw new Fault('invalid', 'datasetIds must be an array of strings');
    ids.push(...(sent.form ? id.split(',') : [id]));
  }
  const given = ids.filter(isGiven);
  if (given.length > mostDatasetIds) {
    throw new Fault('invalid', `datasetIds may hold ${mostDatasetIds} ids at most; got ${given.length}`);
  }
  return given;
}

/** As datasetIdsOf, but empty for invalid ids: the error response explains what is wrong and echoes none of them. */
export function readableIds(sent: SentQuery): string[] {
  try {
    return datasetIdsOf(sent);
  } catch {
    return [];
  }
}

/**
 * The allele request as the response repeats it: given parameters with their given values, keys in alphabetical order.
 */
export type QueryEcho = Record<string, string | number | boolean | string[]>;

/**
 * Echoes a query, valid or not: the known parameters that were given, with values of the client's own types, and always
 * `datasetIds` and `includeDatasetResponses`. Values of types that no parameter has are left out.
 */
export function echoOfQuery(sent: SentQuery): QueryEcho {
  const echo: QueryEcho = {};
  for (const name of echoed) {
    const value = sent.parameters[name];
    if (name === 'datasetIds') echo[name] = readableIds(sent);
    else if (isGiven(value) && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')) {
      echo[name] = value;
    } else if (name === 'includeDatasetResponses') echo[name] = 'NONE';
  }
  return echo;
}

const echoed = [...textParameters, ...coordinates, 'datasetIds' as const].sort();

/**
 * The first given parameter that is not a known one but would be after one edit (a letter too many, missing, wrong or
 * swapped with the next) or without regard to case, brackets and other signs; with the known one. Ignoring it would
 * silently answer another query.
 */
export function misspelt({ parameters }: SentQuery): { name: string; known: string } | undefined {
  for (const name of Object.keys(parameters)) {
    if (known.has(name) || !isGiven(parameters[name])) continue;
    const letters = lettersOf(name);
    const near = [...known].find((one) => isNear(letters, lettersOf(one)));
    if (near !== undefined) return { name, known: near };
  }
  return undefined;
}

const known: ReadonlySet<string> = new Set([...textParameters, ...coordinates, 'datasetIds']);

const longest = Math.max(...[...known].map(({ length }) => length));

function lettersOf(name: string): string {
  return name.length > 4 * longest ? name : name.toLowerCase().replace(/[^a-z]/g, '');
}

/** Whether two texts differ by one edit at most. */
function isNear(left: string, right: string): boolean {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const [a, b] = [left.slice(same), right.slice(same)];
  if (a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)) return true;
  return a.length > 1 && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
}
