/**
 * Queries for one allele at a place: the exact and bracketed positions of Beacon v1 and 1.1, which datasets get a response of
 * their own, and out of how many samples of each dataset the allele was seen.
 */
import { Fault } from '../../../../core/plugin.js';
import {
  type AlleleQuery,
  type BeaconRepository,
  type Bounds,
  type Contig,
  type Dataset,
  isPlain,
  type KindFilter,
  type Observation,
  type ObservedQuestion,
} from '../../contract.js';
import {
  type DatasetDenominator,
  denominatorWords,
  depthLimits,
  frequencyOfAlleles,
  upperBoundOf,
} from '../../counts/denominator.js';
import { areJunctions, canonicalQuestion, variantTypeOf } from '../../domain/allele-query.js';
import { isInsertion } from '../../domain/similar.js';
import type { BeaconServices } from '../../services.js';

const exactCoordinates = ['start', 'end'] as const;
export const rangeCoordinates = ['startMin', 'startMax', 'endMin', 'endMax'] as const;
export type Coordinate = (typeof exactCoordinates)[number] | (typeof rangeCoordinates)[number];
export const coordinates: readonly Coordinate[] = [...exactCoordinates, ...rangeCoordinates];

/** Zero-based; ends are exclusive, or the positions of mates. Brackets include both of their sides. */
export type Positions = Partial<Record<Coordinate, number>>;

/** Beyond the end of every chromosome; larger coordinates are cut to it. */
const beyond = 2 ** 31 - 1;

interface PositionedAllele {
  contig: Contig;
  mate: Contig | undefined;
  /** `[ACGTN]+` */
  reference: string | undefined;
  alternate: string | undefined;
  kinds: readonly KindFilter[] | undefined;
  positions: Positions;
  /** Whether the end is the position of a breakend's mate, which may be before the start. */
  isFar: boolean;
}

/** Throws an `invalid` fault for positions that contradict each other. */
export function positionedQuery(asked: PositionedAllele): Omit<AlleleQuery, 'assembly'> {
  const { contig, mate, kinds, positions } = asked;
  const written = { reference: asked.reference, alternate: asked.alternate, ...bounds(positions, asked.isFar) };
  const { start, end, reference, alternate } = isBracket(positions) ? written : canonicalQuestion(written);
  return {
    contig,
    ...(start && { start }),
    ...(end && { end }),
    ...(reference && { reference }),
    ...(alternate && { alternate }),
    ...(kinds && { kinds }),
    ...(mate && { mate }),
  };
}

function isBracket(positions: Positions): boolean {
  return rangeCoordinates.some((name) => positions[name] !== undefined);
}

function bounds(positions: Positions, isFar: boolean): { start?: Bounds | undefined; end?: Bounds | undefined } {
  for (const [name, value] of Object.entries(positions)) {
    if (value < 0) throw invalidPositions(`Invalid coordinates. ${name} is negative: positions are counted from 0`);
  }
  const { start, end, startMin, startMax, endMin, endMax } = positions;
  if (isBracket(positions)) {
    // Some clients send zeros for coordinates that they do not use.
    const unused = start === 0 && end === 0;
    if (!unused && (start !== undefined || end !== undefined)) {
      throw invalidPositions("Invalid coordinates. Range coordinates cannot be combined with 'start' or 'end'");
    }
    return { start: boundsBetween('start', startMin, startMax), end: boundsBetween('end', endMin, endMax) };
  }
  if (start !== undefined && end !== undefined && end < start && !isFar) {
    throw invalidPositions('Invalid coordinates. end is before start');
  }
  return { start: boundsBetween('start', start, start), end: boundsBetween('end', end, end) };
}

function boundsBetween(what: string, min: number | undefined, max: number | undefined): Bounds | undefined {
  if (min === undefined && max === undefined) return undefined;
  const bounds = { min: Math.min(min ?? 0, beyond), max: Math.min(max ?? beyond, beyond) };
  if (bounds.min > bounds.max) throw invalidPositions(`Invalid coordinates. ${what}Max is before ${what}Min`);
  return bounds;
}

function invalidPositions(message: string): Fault {
  return new Fault('invalid', message);
}

/** Which datasets get a response of their own (`includeDatasetResponses` of v1, `includeResultsetResponses` of v2). */
export const includes = ['ALL', 'HIT', 'MISS', 'NONE'] as const;
export type Include = (typeof includes)[number];

/** Those of the datasets' responses that are included. */
export function includedResponses<Response extends { exists: boolean }>(
  include: Include,
  responses: readonly Response[],
): Response[] {
  if (include === 'NONE') return [];
  return responses.filter(({ exists }) => include === 'ALL' || exists === (include === 'HIT'));
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

// Out of how many samples of each dataset a queried allele was seen.

export interface CountedOutOf {
  judged: DatasetDenominator;
  observation: Pick<Observation, 'carriers'>;
}

/** By dataset, for those of the query's assembly; empty if the query is for more than one allele. */
export async function denominatorsOfDatasets(
  {
    repository,
    denominators,
  }: Pick<BeaconServices, 'denominators'> & { repository: Pick<BeaconRepository, 'observe'> },
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
