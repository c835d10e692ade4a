/**
 * `GET|POST /apiv1.0/query`, stage by stage: the route, the datasets that the caller may query, the parameters as an allele
 * query or as the error that the contract prescribes, the search, and out of how many samples the allele was seen.
 */
import { accessionNamed, assemblyNamed, contigNamed } from '../../../../core/genome.js';
import {
  type Caller,
  type ErrorBody,
  Fault,
  type RequestHead,
  type RouteDeclaration,
  route,
} from '../../../../core/plugin.js';
import {
  type AlleleAnswer,
  type AlleleQuestion,
  type AskedDataset,
  ask,
  askerOf,
  countingOutcome,
  coveredDatasets,
  type Include,
  includes,
} from '../../ask.js';
import {
  type Allele,
  type AlleleQuery,
  type Assembly,
  assemblies,
  type Contig,
  contigs,
  type Dataset,
} from '../../contract.js';
import { areJunctions, variantKinds } from '../../domain/allele-query.js';
import { withoutRight } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import { type Coordinate, coordinates, type Positions, positionedQuery } from '../query/positions.js';
import { errorAnswer, errorResponse, queryAnswer, queryResponse } from './answers.js';
import {
  datasetIdsOf,
  echoOfQuery,
  formType,
  isGiven,
  misspelt,
  parameters,
  type SentQuery,
  sentBy,
  type TextParameter,
  textOfParameter,
  textParameters,
} from './parameters.js';

export const jsonType = 'application/json';

/** With what was searched for. */
type AnsweredQuery = AlleleAnswer & Pick<AlleleQuestion, 'query'>;

export const queryPath = '/apiv1.0/query';

export function queryRoute(services: BeaconServices): RouteDeclaration {
  return route({
    method: ['GET', 'POST'],
    path: queryPath,
    operation: 'queryAlleles',
    summary: 'Query an allele',
    description: 'Positions are zero-based and ends exclusive. Anonymous callers get the public datasets only.',
    query: parameters,
    body: { types: [jsonType, formType], schema: parameters.optional() },
    optionalAccess: services.readAccess,
    anyOrigin: true,
    answers: {
      200: {
        description: 'Whether the allele exists, overall and per dataset if requested.',
        content: { [jsonType]: queryResponse },
      },
      400: { description: 'The query is not valid.', content: { [jsonType]: errorResponse } },
      403: {
        description: 'Only protected datasets were named, and the token has no right to query any of them.',
        content: { [jsonType]: errorResponse },
      },
      429: { description: 'Too many wide queries are waiting. Retry later.', content: { [jsonType]: errorResponse } },
      401: {
        description: 'Only protected datasets were named, without a token; or the token is not valid.',
        content: { [jsonType]: errorResponse },
      },
    },
    async handle(request) {
      const sent = sentBy(request, request.method === 'POST' ? (request.body ?? {}) : request.input);
      return { body: queryAnswer(services.settings.id, echoOfQuery(sent), await answerQuery(services, request, sent)) };
    },
  });
}

/** A request with the signal that its client has gone. */
export type AbortableHead = RequestHead & { signal: AbortSignal };

/** Runs a query and counts its outcome. Throws what `readQuery` and the check of the credentials throw. */
export function answerQuery(services: BeaconServices, request: AbortableHead, sent: SentQuery): Promise<AnsweredQuery> {
  return countingOutcome(services, async () => {
    const { settings, guard } = services;
    const caller = await services.readAccess.callerOf(request);
    const datasets = await services.datasets.current();
    // Counts of what is not protected are never withheld here.
    const open = (await guard.open(caller, datasets)).map((dataset) => ({ dataset, granularity: 'count' as const }));
    const question = readQuery({ sent, datasets, caller, open, listProtected: settings.listProtected });
    const { exists, datasets: answers } = await ask(askerOf(services, caller), question, { signal: request.signal });
    return { exists, datasets: answers, query: question.query };
  });
}

/** The error response of the query and its page. */
export function queryError(
  { settings }: Pick<BeaconServices, 'settings'>,
  fault: Fault,
  status: number,
  request: RequestHead & { sent?: unknown },
): ErrorBody {
  const body = request.method === 'POST' && request.sent === request.query ? {} : request.sent;
  return { body: errorAnswer(settings.id, echoOfQuery(sentBy(request, body)), status, fault.message) };
}

interface QueryInput {
  sent: SentQuery;
  /** All datasets. */
  datasets: readonly Dataset[];
  caller: Caller;
  /** Those of the datasets that the caller may query. */
  open: readonly AskedDataset[];
  /** Whether the client may learn that a dataset exists that it may not query. */
  listProtected: boolean;
}

type QueryTexts = Partial<Record<TextParameter, string>>;

/** Messages that clients of this interface match literally, by cause. */
const messages = {
  mandatory: 'Missing one or more mandatory parameters (referenceName, referenceBases, assemblyId)',
  unknownDatasets: 'Unknown datasets. Database does not contain the dataset IDs specified in the query',
  assemblyConflict: 'Requested genome assembly is in conflict with the assembly of one or more requested datasets',
  neitherAlternate: "Either 'alternateBases' or 'variantType' param is required",
  noCoordinates: 'Start coordinate or range coordinate params are required',
  notNumbers: 'Invalid coordinates. Variant start and stop positions must be numbers',
} as const;

/**
 * Throws an `invalid` fault for the first error, or the fault of `withoutRight` if only protected datasets are named.
 */
export function readQuery(asked: QueryInput): AlleleQuestion {
  const { sent } = asked;
  const slip = misspelt(sent);
  if (slip) throw invalidQuery(`Unknown parameter '${slip.name}'. Did you mean ${slip.known}?`);
  const texts: QueryTexts = {};
  for (const name of textParameters) {
    const text = textOfParameter(sent, name);
    if (text !== undefined) texts[name] = text;
  }
  const ids = datasetIdsOf(sent);
  const given = (name: Coordinate) => isGiven(sent.parameters[name]);

  const startAlone = given('start') && !given('end');
  if (!texts.referenceName || !texts.assemblyId || (startAlone && !texts.referenceBases)) {
    throw invalidQuery(messages.mandatory);
  }
  const assembly = assemblyNamed(texts.assemblyId);
  const covered = datasetsOfQuery(ids, assembly, asked);
  if (!texts.alternateBases && !texts.variantType) throw invalidQuery(messages.neitherAlternate);
  if (!coordinates.some(given)) throw invalidQuery(messages.noCoordinates);
  const numbers = numbersOf(sent);
  if (!assembly)
    throw invalidQuery(`Invalid assemblyId. Accepted values are ${assemblies.join(', ')}, hg19, b37 and hg38`);

  const include = includeOfText(texts.includeDatasetResponses);
  const query = alleleQuery(texts, numbers, assembly);
  return { include, covered, query: { ...query, assembly } };
}

function datasetsOfQuery(
  ids: readonly string[],
  assembly: Assembly | undefined,
  { datasets, caller, open, listProtected }: Omit<QueryInput, 'sent'>,
): readonly AskedDataset[] {
  const { covered, unknown } = coveredDatasets(ids, open, listProtected ? datasets : []);
  if (ids.length === 0) return covered;
  if (unknown.length === ids.length) throw invalidQuery(messages.unknownDatasets);
  // From here on protected datasets make no difference: not even the message about assemblies may depend on them.
  if (covered.length === 0) throw withoutRight(caller);
  if (!covered.some(({ dataset }) => dataset.assembly === assembly)) throw invalidQuery(messages.assemblyConflict);
  return covered;
}

function alleleQuery(texts: QueryTexts, positions: Positions, assembly: Assembly): Omit<AlleleQuery, 'assembly'> {
  const contig = chromosomeOfText('referenceName', texts.referenceName ?? '', assembly);
  const mate = texts.mateName === undefined ? undefined : chromosomeOfText('mateName', texts.mateName, assembly);
  const reference = basesOfText('referenceBases', texts.referenceBases);
  const alternate = basesOfText('alternateBases', texts.alternateBases);
  const kinds = texts.variantType === undefined ? undefined : variantKinds(texts.variantType);
  const isFar = mate !== undefined || areJunctions(kinds);
  return positionedQuery({ contig, mate, reference, alternate, kinds, positions, isFar });
}

function numbersOf(sent: SentQuery): Positions {
  const numbers: Positions = {};
  for (const name of coordinates) {
    const value = sent.parameters[name];
    if (!isGiven(value)) continue;
    const whole = typeof value === 'number' ? Number.isInteger(value) : /^[+-]?\d+$/.test(String(value));
    if (!whole || (typeof value !== 'number' && typeof value !== 'string')) throw invalidQuery(messages.notNumbers);
    numbers[name] = Number(value);
  }
  return numbers;
}

function includeOfText(text: string | undefined): Include {
  const include = text === undefined ? 'NONE' : includes.find((known) => known === text);
  if (include) return include;
  throw invalidQuery(`Invalid includeDatasetResponses. Accepted values are ${includes.join(', ')}`);
}

/** The chromosome with this name, or with this accession in the requested assembly. */
function chromosomeOfText(name: TextParameter, text: string, assembly: Assembly): Contig {
  const contig = contigNamed(text);
  if (contig) return contig;
  const accession = accessionNamed(text);
  if (!accession) throw invalidQuery(`Invalid ${name}. Accepted values are ${contigs.join(', ')}`);
  if (accession.contig === 'MT' || accession.assembly === assembly) return accession.contig;
  const version = text.includes('SQ.') ? text : text.toUpperCase();
  throw invalidQuery(
    accession.assembly
      ? `Invalid ${name}. ${version} is chromosome ${accession.contig} of ${accession.assembly}, but the assemblyId is ${assembly}`
      : `Invalid ${name}. ${version} is a version of chromosome ${accession.contig} that belongs to neither ${assemblies.join(' nor ')}`,
  );
}

function basesOfText(name: TextParameter, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^[ACGTN]+$/i.test(text)) return text.toUpperCase();
  throw invalidQuery(`Invalid ${name}. Bases are the letters A, C, G, T and N`);
}

function invalidQuery(message: string): Fault {
  return new Fault('invalid', message);
}

/** The parameters of a query that finds this allele. */
export function parametersOfAllele(allele: Allele, assembly: Assembly): Record<string, string | number> {
  const place = { assemblyId: assembly, referenceName: allele.contig, start: allele.start };
  if (!allele.structural) {
    return { ...place, referenceBases: allele.reference, alternateBases: allele.alternate };
  }
  const referenceBases = allele.reference.length > 50 ? 'N' : allele.reference;
  return { ...place, end: allele.end, referenceBases, variantType: allele.kind };
}
