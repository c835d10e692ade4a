/** Answers a request from the datasets that it may be answered from. */
import { assemblyNamed } from '../../../../core/genome.js';
import { type Caller, Fault, isFault } from '../../../../core/plugin.js';
import { denominatorsOf } from '../../callability/of-query.js';
import type { AlleleQuery, Dataset, DatasetHit } from '../../contract.js';
import { type Disclosed, disclosed } from '../../disclosure.js';
import { refuseUnknown } from '../../domain/access.js';
import { quoted } from '../../domain/quoted.js';
import { areJunctions, kindsOf } from '../../domain/variant-types.js';
import type { BeaconReads } from '../../protection/reads.js';
import { included } from '../../query/include.js';
import { positionedQuery } from '../../query/positions.js';
import type { BeaconServices } from '../../services.js';
import { type DatasetAnswer, datasetAnswer } from './answers.js';
import type { AlleleRequest } from './request.js';

export interface Found {
  exists: boolean;
  /** The datasets that get a response of their own. */
  datasets: DatasetAnswer[];
}

type Services = Pick<BeaconServices, 'settings' | 'repository' | 'guard' | 'policy' | 'denominators' | 'baseUrl'> & {
  datasets: Pick<BeaconServices['datasets'], 'current'>;
};

export async function search(
  services: Services,
  request: AlleleRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<Found> {
  const query = queryOf(request);
  const all = await services.datasets.current();
  const covered = coveredBy(request, { all, open: await disclosed(services, caller, all), services, caller });
  const { includeDatasetResponses: include = 'NONE' } = request;
  // A dataset of another build is one without the allele.
  const searched = covered.filter(({ dataset }) => dataset.assembly === query.assembly);
  const reads = services.guard.reads(caller);
  if (include === 'NONE') {
    const present = await reads.present(query, idsOf(searched), { most: 1, signal });
    return { exists: present.length > 0, datasets: [] };
  }
  const hits = await hitsOf({ reads, settings: services.settings }, query, searched, signal);
  const told = included(
    include,
    covered.map((one) => ({ ...one, exists: hits.ids.has(one.dataset.id) })),
  );
  const frequent = told.filter(({ frequencies }) => frequencies).map(({ dataset }) => dataset);
  const counted = await denominatorsOf(services, query, frequent, signal);
  const datasets = told.map(({ dataset, granularity, exists }) => {
    if (granularity === 'boolean') return datasetAnswer(dataset, { exists });
    if (exists && !hits.counts) return datasetAnswer(dataset, { exists, note: tooMany });
    const hit = hits.counts?.get(dataset.id) ?? { calls: 0, samples: 0 };
    return datasetAnswer(dataset, { exists, hit, counted: counted.get(dataset.id) });
  });
  return { exists: hits.ids.size > 0, datasets };
}

const tooMany = 'The alleles have too many carriers to be counted; a narrower request has counts.';

interface Hits {
  ids: ReadonlySet<string>;
  /** Of datasets whose counts may be told; undefined if they are too many to be counted. */
  counts: ReadonlyMap<string, DatasetHit> | undefined;
}

/** Only what may be told is counted. Alleles never change a status: a request that is too wide is answered without counts. */
async function hitsOf(
  { reads, settings }: Pick<Services, 'settings'> & { reads: BeaconReads },
  query: AlleleQuery,
  searched: readonly Disclosed[],
  signal: AbortSignal,
): Promise<Hits> {
  const uncounted = idsOf(searched.filter(({ granularity }) => granularity === 'boolean'));
  const counted = idsOf(searched.filter(({ granularity }) => granularity !== 'boolean'));
  const present = await reads.present(query, uncounted, { signal });
  try {
    const hits = await reads.search(query, counted, { limit: settings.queries.limit, signal });
    return {
      ids: new Set([...present, ...hits.map(({ dataset }) => dataset)]),
      counts: new Map(hits.map((hit) => [hit.dataset, hit])),
    };
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    return { ids: new Set([...present, ...(await reads.present(query, counted, { signal }))]), counts: undefined };
  }
}

function idsOf(datasets: readonly Disclosed[]): string[] {
  return datasets.map(({ dataset }) => dataset.id);
}

/** Throws an `invalid` fault for an unknown assembly, and for positions that contradict each other. */
function queryOf(request: AlleleRequest): AlleleQuery {
  const { assemblyId, referenceName, mateName, referenceBases, alternateBases, variantType } = request;
  const { start, end, startMin, startMax, endMin, endMax } = request;
  // The pattern of the specification also allows a patch without its point.
  const assembly = assemblyNamed(assemblyId.replace(/[.]?p(\d+)$/, '.p$1'));
  if (!assembly) {
    throw new Fault('invalid', `assemblyId must be GRCh37, GRCh38, hg19 or hg38; got ${quoted(assemblyId)}`);
  }
  const kinds = variantType && kindsOf(variantType);
  const asked = positionedQuery({
    contig: referenceName,
    mate: mateName,
    reference: referenceBases,
    alternate: alternateBases,
    kinds,
    positions: given({ start, end, startMin, startMax, endMin, endMax }),
    isFar: mateName !== undefined || areJunctions(kinds),
  });
  return { ...asked, assembly };
}

function given<Value>(values: Record<string, Value | undefined>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

interface Asked {
  all: readonly Dataset[];
  /** Those that the caller may query. */
  open: readonly Disclosed[];
  services: Pick<Services, 'settings' | 'baseUrl'>;
  caller: Caller;
}

/**
 * The datasets of a request: those named, else all, as far as the caller may query them. One that is not listed is as if
 * absent, which is an error; if only listed ones are named that the caller may not query, the fault says what is missing.
 */
function coveredBy({ datasetIds = [] }: AlleleRequest, { all, open, services, caller }: Asked): readonly Disclosed[] {
  if (datasetIds.length === 0) return open;
  const named = new Set(datasetIds);
  refuseUnknown(datasetIds, services.settings.listProtected ? all : open.map(({ dataset }) => dataset));
  const covered = open.filter(({ dataset }) => named.has(dataset.id));
  if (covered.length > 0) return covered;
  const realm = services.baseUrl === undefined ? services.settings.id : new URL(services.baseUrl).host;
  const challenge = (error: string) => ({
    headers: { 'WWW-Authenticate': `Bearer realm="${realm.replace(/[^\x20-\x7e]|["\\]/g, '_')}", error="${error}"` },
  });
  throw caller.kind === 'anonymous'
    ? new Fault('unauthenticated', 'The requested datasets need an access token', challenge('missing_token'))
    : new Fault('forbidden', 'The access token does not open the requested datasets', challenge('insufficient_scope'));
}
