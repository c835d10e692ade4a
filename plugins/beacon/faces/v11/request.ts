/**
 * Requests and responses of Beacon 1.1.0: unknown, missing and contradictory parameters are errors; what is unknown is left out
 * of a response, so that no member is null but `exists` beside an error.
 */
import { z } from 'zod';
import { Fault } from '../../../../core/plugin.js';
import { type AlleleAnswer, type DatasetAnswer, denominatorValues, includes } from '../../ask.js';
import { accessTypes, contigs } from '../../contract.js';
import { frequencyOfAlleles } from '../../counts/denominator.js';
import { quoted } from '../../domain/written-question.js';
import { type Coordinate, coordinates, rangeCoordinates } from '../query/positions.js';

export const root = '/beacon/v1';

/** The same text in every answer. */
export const apiVersion = 'v1.1.0';

export const variantTypes = [
  ...(['DEL', 'INS', 'DUP', 'INV', 'CNV', 'SNP', 'MNP'] as const),
  ...(['DUP:TANDEM', 'DEL:ME', 'INS:ME', 'BND'] as const),
] as const;

const bases = (name: string) =>
  z.string().regex(/^[ACGTN]+$/, `${name} must be one or more of the letters A, C, G, T and N, in upper case`);

const chromosome = (name: string) => z.enum(contigs, `${name} must be 1 to 22, X, Y or MT`);

const position = (name: Coordinate) =>
  z.int(`${name} must be a whole number from 0`).min(0, `${name} must be a whole number from 0`).optional();

/** Most dataset ids in one request. */
const mostDatasets = 1000;

export const alleleRequest = z
  .strictObject({
    referenceName: chromosome('referenceName').describe('Chromosome, without chr.'),
    referenceBases: bases('referenceBases').describe('N is any base, a single N any sequence.'),
    assemblyId: z
      .string()
      .regex(
        /^(GRCh|hg)[0-9]+([.]?p[0-9]+)?$/,
        'assemblyId must be GRCh37, GRCh38, hg19 or hg38, with or without a patch',
      ),
    start: position('start').describe('First base, zero-based.'),
    end: position('end').describe('End, exclusive; for breakends the position of the mate. Needs start.'),
    startMin: position('startMin').describe('With startMax, which is included: a bracket.'),
    startMax: position('startMax'),
    endMin: position('endMin').describe('With endMax, which is included.'),
    endMax: position('endMax'),
    alternateBases: bases('alternateBases').optional(),
    variantType: z.enum(variantTypes, `variantType must be one of ${variantTypes.join(', ')}`).optional(),
    mateName: chromosome('mateName').optional().describe('Chromosome of the other end of a breakend.'),
    datasetIds: z
      .array(
        z
          .string()
          .regex(/^[^<>'"/;`%{}+=]*$/, 'datasetIds must not have any of the characters < > \' " / ; ` % { } + ='),
      )
      .max(mostDatasets, `datasetIds may have ${mostDatasets} ids at most`)
      .optional(),
    includeDatasetResponses: z
      .enum(includes, `includeDatasetResponses must be one of ${includes.join(', ')}`)
      .optional()
      .describe('Datasets that get a response of their own; NONE if omitted.'),
  })
  .meta({ id: 'BeaconAlleleRequest' });

export type AlleleRequest = z.output<typeof alleleRequest>;

const names = Object.keys(alleleRequest.shape);
const required = ['referenceName', 'referenceBases', 'assemblyId'] as const;
const alternatives = 'accepted are alternateBases, variantType, mateName, or mateName with variantType BND';

/** A request from a JSON body; throws an `invalid` fault that names the parameter and what is accepted. */
export function readRequest(sent: unknown): AlleleRequest {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw invalid('The body must be a JSON object with the parameters of the request');
  }
  const unknown = Object.keys(sent).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalid(`${quoted(unknown)} is not a parameter; accepted are ${names.join(', ')}`);
  const missing = required.find((name) => !Object.hasOwn(sent, name));
  if (missing !== undefined) throw invalid(`${missing} is missing; ${required.join(', ')} are required`);
  const { data, error } = alleleRequest.safeParse(sent);
  if (error) {
    const [issue] = error.issues;
    throw invalid(issue?.code === 'invalid_type' ? typeMistake(String(issue.path[0])) : (issue?.message ?? ''));
  }
  agree(data);
  return data;
}

function typeMistake(name: string): string {
  if (name === 'datasetIds') return 'datasetIds must be a list of texts';
  return `${name} must be ${(coordinates as readonly string[]).includes(name) ? 'a whole number from 0' : 'a text'}`;
}

/** A request from a query string or a form: numbers are texts, and lists are repeated or joined by commas. */
export function readForm(sent: unknown): AlleleRequest {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries((sent ?? {}) as Record<string, unknown>)) {
    if (name === 'datasetIds') {
      read[name] = [value]
        .flat()
        .flatMap((ids) => String(ids).split(','))
        .filter((id) => id !== '');
    } else if (Array.isArray(value)) {
      throw invalid(`${quoted(name)} was given twice`);
    } else if ((coordinates as readonly string[]).includes(name)) {
      read[name] = /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN;
    } else read[name] = value;
  }
  return readRequest(read);
}

/** Throws an `invalid` fault for parameters that cannot be combined. */
function agree({ alternateBases, variantType, mateName, ...request }: AlleleRequest): void {
  if (alternateBases !== undefined && (variantType !== undefined || mateName !== undefined)) {
    throw invalid(`alternateBases cannot be combined with variantType or mateName; ${alternatives}`);
  }
  if (mateName !== undefined && variantType !== undefined && variantType !== 'BND') {
    throw invalid(`mateName cannot be combined with variantType ${variantType}; ${alternatives}`);
  }
  if (alternateBases === undefined && variantType === undefined && mateName === undefined) {
    throw invalid(`alternateBases or variantType is missing; ${alternatives}`);
  }
  if (request.end !== undefined && request.start === undefined) throw invalid('end needs start');
  for (const [min, max] of [
    ['startMin', 'startMax'],
    ['endMin', 'endMax'],
  ] as const) {
    if ((request[min] === undefined) !== (request[max] === undefined))
      throw invalid(`${min} and ${max} need each other`);
  }
  if (request.start === undefined && rangeCoordinates.every((name) => request[name] === undefined)) {
    throw invalid(
      'start is missing; accepted are start, start and end, or the brackets startMin, startMax, endMin and endMax',
    );
  }
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

const count = z.int().min(0);

const datasetAlleleResponse = z
  .strictObject({
    datasetId: z.string(),
    exists: z.boolean(),
    frequency: z.number().min(0).max(1).optional().describe('Copies of the allele among those called (callCount).'),
    variantCount: count.optional().describe('Copies of the alleles that were found.'),
    callCount: count
      .optional()
      .describe(
        'Called copies of the place, if it is known which samples are covered there and the caller may know it.',
      ),
    sampleCount: count.optional().describe('Samples with a copy.'),
    note: z.string().optional(),
    externalUrl: z.string().optional(),
    info: z.looseObject({ accessType: z.enum(accessTypes) }),
  })
  .meta({ id: 'BeaconDatasetAlleleResponse' });

export const alleleResponse = z
  .strictObject({
    beaconId: z.string(),
    apiVersion: z.literal(apiVersion),
    exists: z.boolean(),
    alleleRequest,
    datasetAlleleResponses: z.array(datasetAlleleResponse),
  })
  .meta({ id: 'BeaconAlleleResponse' });

export const errorResponse = z
  .strictObject({
    beaconId: z.string(),
    apiVersion: z.literal(apiVersion),
    exists: z.null(),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
    alleleRequest: alleleRequest.optional().describe('The request, if it is a valid one.'),
    datasetAlleleResponses: z.array(datasetAlleleResponse).max(0),
  })
  .meta({ id: 'BeaconAlleleError' });

export function alleleAnswer(beaconId: string, request: AlleleRequest, { exists, datasets }: AlleleAnswer) {
  return { beaconId, apiVersion, exists, alleleRequest: request, datasetAlleleResponses: datasets.map(datasetAnswer) };
}

/** Without a request that is not valid: it would make the error itself invalid. */
export function errorAnswer(
  beaconId: string,
  { errorCode, errorMessage }: { errorCode: number; errorMessage: string },
  request?: AlleleRequest,
) {
  return {
    beaconId,
    apiVersion,
    exists: null,
    error: { errorCode, errorMessage },
    ...(request && { alleleRequest: request }),
    datasetAlleleResponses: [],
  };
}

const tooMany = 'The alleles have too many carriers to be counted; a narrower request has counts.';

function datasetAnswer({
  dataset,
  granularity,
  exists,
  counts,
  counted,
}: DatasetAnswer): z.output<typeof datasetAlleleResponse> {
  const alleles = counted?.judged.alleles;
  const frequency = counted && frequencyOfAlleles(counted.judged);
  return {
    datasetId: dataset.id,
    exists,
    ...(frequency !== undefined && { frequency }),
    ...(counts && { variantCount: counts.calls }),
    ...(alleles && alleles.alleleNumber > 0 && { callCount: alleles.alleleNumber }),
    ...(counts && { sampleCount: counts.samples }),
    ...(granularity !== 'boolean' && !counts && { note: tooMany }),
    ...(dataset.externalUrl !== undefined && { externalUrl: dataset.externalUrl }),
    info: { accessType: dataset.access, ...(counted && { denominator: denominatorValues(counted) }) },
  };
}
