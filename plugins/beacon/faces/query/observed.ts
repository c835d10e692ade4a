/** Out of how many samples of each dataset the allele of a query was seen, if the query is for one allele. */
import {
  type AlleleQuery,
  type BeaconRepository,
  type Dataset,
  isPlain,
  type Observation,
  type ObservedQuestion,
} from '../../contract.js';
import {
  type DatasetDenominator,
  denominatorWords,
  depthLimits,
  frequencyOf,
  upperBoundOf,
} from '../../counts/denominator.js';
import { areJunctions, variantTypeOf } from '../../domain/allele-query.js';
import { canonicalQuestion } from '../../domain/canonical.js';
import { isInsertion } from '../../domain/similar.js';
import type { BeaconServices } from '../../services.js';

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
export async function denominatorsOf(
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

/** What is told of a denominator, by name. Without homozygotes, which the right to query does not include. */
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
    frequency: frequencyOf(judged),
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
