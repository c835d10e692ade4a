/**
 * Turns the parameters of a request into an allele query on datasets, or into the error that the contract prescribes.
 */
import { accessionNamed, assemblyNamed, contigNamed } from '../../../../core/genome.js';
import { type Caller, Fault } from '../../../../core/plugin.js';
import {
  type Allele,
  type AlleleQuery,
  type Assembly,
  assemblies,
  type Contig,
  contigs,
  type Dataset,
} from '../../contract.js';
import { withoutRight } from '../../domain/access.js';
import { areJunctions, variantKinds } from '../../domain/variant-types.js';
import type { SeenDataset } from '../../protection/guard.js';
import { type Include, includes } from '../../query/include.js';
import { type Coordinate, coordinates, type Positions, positionedQuery } from '../../query/positions.js';
import {
  datasetIdsOf,
  isGiven,
  misspelt,
  type Sent,
  type TextParameter,
  textOf,
  textParameters,
} from './parameters.js';

export interface BeaconQuery {
  include: Include;
  /** The datasets that the response covers: those named, else all, as far as the client may query them. */
  covered: readonly SeenDataset[];
  query: AlleleQuery;
  /** The datasets to search: those covered that are of the assembly. */
  searched: readonly string[];
}

export interface Asked {
  sent: Sent;
  /** All datasets. */
  datasets: readonly Dataset[];
  caller: Caller;
  /** Those of the datasets that the caller may query. */
  open: readonly SeenDataset[];
  /** Whether the client may learn that a dataset exists that it may not query. */
  listProtected: boolean;
}

type Texts = Partial<Record<TextParameter, string>>;

/** Messages that clients of this interface match literally, by cause. */
export const messages = {
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
export function readQuery({ sent, ...asked }: Asked): BeaconQuery {
  const slip = misspelt(sent);
  if (slip) throw invalid(`Unknown parameter '${slip.name}'. Did you mean ${slip.known}?`);
  const texts: Texts = {};
  for (const name of textParameters) {
    const text = textOf(sent, name);
    if (text !== undefined) texts[name] = text;
  }
  const ids = datasetIdsOf(sent);
  const given = (name: Coordinate) => isGiven(sent.parameters[name]);

  const startAlone = given('start') && !given('end');
  if (!texts.referenceName || !texts.assemblyId || (startAlone && !texts.referenceBases)) {
    throw invalid(messages.mandatory);
  }
  const assembly = assemblyNamed(texts.assemblyId);
  const covered = coveredBy(ids, assembly, asked);
  if (!texts.alternateBases && !texts.variantType) throw invalid(messages.neitherAlternate);
  if (!coordinates.some(given)) throw invalid(messages.noCoordinates);
  const numbers = numbersOf(sent);
  if (!assembly) throw invalid(`Invalid assemblyId. Accepted values are ${assemblies.join(', ')}, hg19, b37 and hg38`);

  const include = includeOf(texts.includeDatasetResponses);
  const query = alleleQuery(texts, numbers, assembly);
  const searched = covered.filter((dataset) => dataset.assembly === assembly).map(({ id }) => id);
  return { include, covered, query: { ...query, assembly }, searched };
}

function coveredBy(
  ids: readonly string[],
  assembly: Assembly | undefined,
  { datasets, caller, open, listProtected }: Omit<Asked, 'sent'>,
): readonly SeenDataset[] {
  if (ids.length === 0) return open;
  const named = new Set(ids);
  const known = listProtected ? datasets : open;
  if (!known.some(({ id }) => named.has(id))) throw invalid(messages.unknownDatasets);
  // From here on protected datasets make no difference: not even the message about assemblies may depend on them.
  const covered = open.filter(({ id }) => named.has(id));
  if (covered.length === 0) throw withoutRight(caller);
  if (!covered.some((dataset) => dataset.assembly === assembly)) throw invalid(messages.assemblyConflict);
  return covered;
}

function alleleQuery(texts: Texts, positions: Positions, assembly: Assembly): Omit<AlleleQuery, 'assembly'> {
  const contig = chromosome('referenceName', texts.referenceName ?? '', assembly);
  const mate = texts.mateName === undefined ? undefined : chromosome('mateName', texts.mateName, assembly);
  const reference = bases('referenceBases', texts.referenceBases);
  const alternate = bases('alternateBases', texts.alternateBases);
  const kinds = texts.variantType === undefined ? undefined : variantKinds(texts.variantType);
  const isFar = mate !== undefined || areJunctions(kinds);
  return positionedQuery({ contig, mate, reference, alternate, kinds, positions, isFar });
}

function numbersOf(sent: Sent): Positions {
  const numbers: Positions = {};
  for (const name of coordinates) {
    const value = sent.parameters[name];
    if (!isGiven(value)) continue;
    const whole = typeof value === 'number' ? Number.isInteger(value) : /^[+-]?\d+$/.test(String(value));
    if (!whole || (typeof value !== 'number' && typeof value !== 'string')) throw invalid(messages.notNumbers);
    numbers[name] = Number(value);
  }
  return numbers;
}

function includeOf(text: string | undefined): Include {
  const include = text === undefined ? 'NONE' : includes.find((known) => known === text);
  if (include) return include;
  throw invalid(`Invalid includeDatasetResponses. Accepted values are ${includes.join(', ')}`);
}

/** The chromosome with this name, or with this RefSeq accession in the requested assembly. */
function chromosome(name: TextParameter, text: string, assembly: Assembly): Contig {
  const contig = contigNamed(text);
  if (contig) return contig;
  const accession = accessionNamed(text);
  if (!accession) throw invalid(`Invalid ${name}. Accepted values are ${contigs.join(', ')}`);
  if (accession.contig === 'MT' || accession.assembly === assembly) return accession.contig;
  const version = text.toUpperCase().slice(0, 20);
  throw invalid(
    accession.assembly
      ? `Invalid ${name}. ${version} is chromosome ${accession.contig} of ${accession.assembly}, but the assemblyId is ${assembly}`
      : `Invalid ${name}. ${version} is a version of chromosome ${accession.contig} that belongs to neither ${assemblies.join(' nor ')}`,
  );
}

function bases(name: TextParameter, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^[ACGTN]+$/i.test(text)) return text.toUpperCase();
  throw invalid(`Invalid ${name}. Bases are the letters A, C, G, T and N`);
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

/** The parameters of a query that finds this allele. */
export function queryFor(allele: Allele, assembly: Assembly): Record<string, string | number> {
  const place = { assemblyId: assembly, referenceName: allele.contig, start: allele.start };
  if (!allele.structural) {
    return { ...place, referenceBases: allele.reference, alternateBases: allele.alternate };
  }
  const referenceBases = allele.reference.length > 50 ? 'N' : allele.reference;
  return { ...place, end: allele.end, referenceBases, variantType: allele.kind };
}
