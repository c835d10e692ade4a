/**
 * What every face asks of datasets: which of them a request covers, whether they have an allele, how often as far as the caller
 * may know it, and out of how many samples.
 */
import { type Caller, isFault, type Policy } from '../../core/plugin.js';
import {
  type AlleleQuery,
  type BeaconRepository,
  type Counts,
  type Dataset,
  type DatasetHit,
  isPlain,
  type Observation,
  type ObservedQuestion,
} from './contract.js';
import {
  type DatasetDenominator,
  denominatorWords,
  depthLimits,
  frequencyOfAlleles,
  upperBoundOf,
} from './counts/denominator.js';
import type { DenominatorsOf } from './counts/denominators.js';
import type { DisclosedDataset } from './disclosure.js';
import { areJunctions, canonicalQuestion, variantTypeOf } from './domain/allele-query.js';
import { isInsertion } from './domain/similar.js';
import type { GuardedReads } from './protection/reads.js';
import { heldReadRight } from './rights.js';
import type { BeaconServices } from './services.js';

/** A dataset that the caller may query: of one with the granularity `boolean` nothing is counted. */
export type AskedDataset = Pick<DisclosedDataset, 'dataset' | 'granularity'>;

/** The datasets that a request covers. */
interface CoveredDatasets<One> {
  /** Those named, else all, as far as the caller may query them. */
  covered: readonly One[];
  /** Named ids of which the caller may not know whether they exist. */
  unknown: readonly string[];
}

/** `open` are the datasets that the caller may query, `listed` those that it may know of. */
export function coveredDatasets<One extends AskedDataset>(
  ids: readonly string[],
  open: readonly One[],
  listed: readonly Pick<Dataset, 'id'>[],
): CoveredDatasets<One> {
  if (ids.length === 0) return { covered: open, unknown: [] };
  const named = new Set(ids);
  const known = new Set([...idsOf(open), ...listed.map(({ id }) => id)]);
  return {
    covered: open.filter(({ dataset }) => named.has(dataset.id)),
    unknown: ids.filter((id) => !known.has(id)),
  };
}

/** Which datasets get a response of their own (`includeDatasetResponses` of v1, `includeResultsetResponses` of v2). */
export const includes = ['ALL', 'HIT', 'MISS', 'NONE'] as const;
export type Include = (typeof includes)[number];

/** Those of the datasets' responses that are included. */
export function includedResponses<Response extends { exists: boolean }>(
  include: Include,
  responses: readonly Response[],
): readonly Response[] {
  if (include === 'ALL') return responses;
  return include === 'NONE' ? [] : responses.filter(({ exists }) => exists === (include === 'HIT'));
}

/** Counts the outcome of a query: `hit`, `miss`, or the code of the fault that it throws. */
export async function countingOutcome<Answer extends { exists: boolean }>(
  { count }: Pick<BeaconServices, 'count'>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await work();
    count({ outcome: answer.exists ? 'hit' : 'miss' });
    return answer;
  } catch (error) {
    count({ outcome: isFault(error) ? error.code : 'internal' });
    throw error;
  }
}

// Whether datasets have an allele, and how often.

type AskServices = Pick<BeaconServices, 'guard' | 'repository' | 'policy' | 'denominators' | 'settings'>;

/** One caller, for all that a request asks. */
export interface AlleleAsker extends ObservationSource {
  caller: Caller;
  reads: GuardedReads;
  policy: Policy;
  /** Largest number of carriers of matching alleles that are counted. */
  limit: number;
}

export function askerOf(
  { guard, repository, policy, denominators, settings }: AskServices,
  caller: Caller,
): AlleleAsker {
  return { caller, reads: guard.reads(caller), repository, policy, denominators, limit: settings.queries.limit };
}

export interface AlleleQuestion {
  query: AlleleQuery;
  /** Those of other assemblies do not have the allele. */
  covered: readonly AskedDataset[];
  include: Include;
}

/** The answer of one dataset. */
export interface DatasetAnswer extends AskedDataset {
  exists: boolean;
  /** Undefined if the caller may not know them, or if there are too many carriers. */
  counts: Counts | undefined;
  /** Undefined if unknown, if the caller may not know it, or if the query is for more than one allele. */
  counted?: CountedOutOf | undefined;
}

export interface AlleleAnswer {
  exists: boolean;
  /** Of the datasets that are included, in their order. */
  datasets: readonly DatasetAnswer[];
}

interface QuestionOptions {
  signal: AbortSignal;
  /** Whether a question whose alleles have too many carriers is answered without counts; if omitted it is an `invalid` fault. */
  wide?: boolean;
}

const none: Counts = { alleles: 0, calls: 0, samples: 0 };

/** Counts only what the caller may see. */
export async function ask(
  asker: AlleleAsker,
  { query, covered, include }: AlleleQuestion,
  options: QuestionOptions,
): Promise<AlleleAnswer> {
  const searched = covered.filter(({ dataset }) => dataset.assembly === query.assembly);
  if (include === 'NONE') {
    const reading = { most: 1, signal: options.signal };
    const present = searched.length > 0 ? await asker.reads.present(query, idsOf(searched), reading) : [];
    return { exists: present.length > 0, datasets: [] };
  }
  const found = await hitsIn(asker, query, searched, options);
  const answers = covered.map(({ dataset, granularity }): DatasetAnswer => {
    const exists = found.has(dataset.id);
    const hit = exists ? found.get(dataset.id) : none;
    return { dataset, granularity, exists, counts: granularity === 'boolean' ? undefined : hit };
  });
  const included = includedResponses(include, answers);
  return { exists: found.size > 0, datasets: await withDenominators(asker, query, included, options.signal) };
}

/** By dataset that has the allele; undefined where it is not counted. */
async function hitsIn(
  { reads, limit }: AlleleAsker,
  query: AlleleQuery,
  searched: readonly AskedDataset[],
  { signal, wide = false }: QuestionOptions,
): Promise<ReadonlyMap<string, DatasetHit | undefined>> {
  const closed = idsOf(searched.filter(({ granularity }) => granularity === 'boolean'));
  const counted = idsOf(searched.filter(({ granularity }) => granularity !== 'boolean'));
  const present = closed.length > 0 ? await reads.present(query, closed, { signal }) : [];
  const withoutCounts = (ids: readonly string[]) => ids.map((id) => [id, undefined] as const);
  try {
    const hits = counted.length > 0 ? await reads.search(query, counted, { limit, signal }) : [];
    return new Map([...withoutCounts(present), ...hits.map((hit) => [hit.dataset, hit] as const)]);
  } catch (error) {
    if (!wide || !isFault(error) || error.code !== 'invalid') throw error;
    return new Map(withoutCounts([...present, ...(await reads.present(query, counted, { signal }))]));
  }
}

function idsOf(datasets: readonly AskedDataset[]): string[] {
  return datasets.map(({ dataset }) => dataset.id);
}

/**
 * Adds denominators to the answers of datasets that the caller holds the right to read, public ones included: a right to query
 * does not include whose samples are covered.
 */
async function withDenominators(
  asker: AlleleAsker,
  query: AlleleQuery,
  answers: readonly DatasetAnswer[],
  signal: AbortSignal,
): Promise<readonly DatasetAnswer[]> {
  const countable = answers.filter(({ counts }) => counts).map(({ dataset }) => dataset);
  const held = await asker.policy.among(asker.caller, heldReadRight, countable);
  if (held.length === 0) return answers;
  const counted = await denominatorsOfDatasets(asker, query, held, signal);
  return answers.map((answer) => ({ ...answer, counted: counted.get(answer.dataset.id) }));
}

// Out of how many samples of each dataset the allele of a query was seen, if the query is for one allele.

/** Bases from which on a deletion or another stretch is a structural variant in the usual sense. */
const leastStructural = 50;

/**
 * The one allele or structural variant that a query is for, if it is. A query by type also finds small insertions and
 * deletions, and breakends from their mates: those are left out where observations would count fewer.
 */
export function questionOfQuery({ replaces, ...query }: AlleleQuery): ObservedQuestion | undefined {
  const { contig, reference, alternate, kinds, mate } = query;
  // Beacon v2 places structural variants so; whatever else narrows it finds fewer than those of the place.
  const { start, end } = replaces ?? query;
  if (!start || start.min !== start.max) return undefined;
  if (replaces && Object.keys(replaces).some((name) => name !== 'start' && name !== 'end')) return undefined;
  if (isPlain(reference) && isPlain(alternate)) {
    const asked = canonicalQuestion({ start, reference, alternate });
    return { type: 'sequence', contig, start: asked.start.min, reference: asked.reference, alternate: asked.alternate };
  }
  const kind = variantTypeOf(kinds);
  if (kind === undefined || !end || end.min !== end.max) return undefined;
  const question = { type: 'structural', contig, start: start.min, end: end.min, kind } as const;
  if (mate) return { ...question, mate };
  const isStretch = question.end - question.start >= leastStructural && !isInsertion(kind) && !areJunctions(kinds);
  return isStretch ? question : undefined;
}

/** Counts out of how many samples alleles were seen. */
export interface ObservationSource {
  repository: Pick<BeaconRepository, 'observe'>;
  denominators: DenominatorsOf;
}

export interface CountedOutOf {
  judged: DatasetDenominator;
  observation: Pick<Observation, 'carriers'>;
}

/** By dataset, for those of the query's assembly; empty if the query is for more than one allele. */
export async function denominatorsOfDatasets(
  { repository, denominators }: ObservationSource,
  query: AlleleQuery,
  datasets: readonly Dataset[],
  signal: AbortSignal,
): Promise<Map<string, CountedOutOf>> {
  const counted = new Map<string, CountedOutOf>();
  const asked = new Map(
    datasets.filter(({ assembly }) => assembly === query.assembly).map((dataset) => [dataset.id, dataset]),
  );
  const question = asked.size > 0 ? questionOfQuery(query) : undefined;
  if (!question) return counted;
  const [observations = []] = await repository.observe(query.assembly, [question], [...asked.keys()], { signal });
  for (const observation of observations) {
    const dataset = asked.get(observation.dataset) as Dataset;
    const [judged] = await (await denominators(dataset)).of([question], [observation], signal);
    if (judged) counted.set(dataset.id, { judged, observation });
  }
  return counted;
}

/** The members of a denominator in a response. Without homozygotes, which the right to query does not include. */
export function denominatorValues({ judged, observation }: CountedOutOf): Record<string, string | number> {
  const { carriers } = observation;
  const { threshold, total, covered, notCovered, unknown, unknownSex, notCalled, alleles } = judged;
  const numbers = {
    threshold,
    total,
    covered,
    notCovered,
    unknown,
    unknownSex,
    notCalled,
    carriers: alleles?.carriers,
    alleleCount: alleles?.alleleCount,
    alleleNumber: alleles?.alleleNumber,
    carriersBelowThreshold: alleles?.carriersBelowThreshold,
    carriersUnknown: alleles?.carriersUnknown,
    frequency: frequencyOfAlleles(judged),
    upperBound: upperBoundOf(judged, carriers),
  };
  const given = Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return {
    method: 'depth',
    ...Object.fromEntries(given),
    words: denominatorWords(judged, carriers),
    limits: depthLimits,
  };
}
