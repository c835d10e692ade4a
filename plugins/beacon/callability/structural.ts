/** Counts at how many samples the ends of structural variants are covered. */
import type { CallabilityService, CoveredAnswer, CoveredPlace } from '../../coverage/callability/service.js';
import type { Dataset, StructuralQuestion } from '../contract.js';
import { type BasesOf, placesOf } from '../domain/covered-place.js';
import { coveredOf } from '../domain/denominator.js';
import type { Population } from '../domain/population.js';
import { type Judged, judgedOf } from './judged.js';

/** Places in one question to the service. */
const mostPlaces = 5000;
/** Samples named in one question to the service, unless one variant alone names more. */
const mostNamed = 100_000;

export interface StructuralTools {
  service: CallabilityService;
  dataset: Pick<Dataset, 'assembly'>;
  threshold: number;
  population: Population;
}

/** In the order of the questions. */
export async function judgeStructural(
  tools: StructuralTools,
  questions: readonly StructuralQuestion[],
  signal: AbortSignal,
): Promise<Judged[]> {
  const { population, dataset, threshold } = tools;
  const ids = population.groups.map((group) => group.ids);
  const asked = questions.map((question) => placesOf(question, dataset.assembly));
  const judged: Judged[] = [];
  const judge = (i: number, { unknown }: CoveredAnswer, covered: (isUnknown: (id: string) => boolean) => number[]) => {
    const { contig, start } = questions[i] as StructuralQuestion;
    const unknowns = new Set(unknown.map(({ sample }) => sample));
    const isUnknown = (id: string) => unknowns.has(id);
    const depth = { threshold, covered: covered(isUnknown), unknown: ids.map((own) => own.filter(isUnknown).length) };
    const counted = coveredOf(population, { assembly: dataset.assembly, contig, start }, depth);
    judged[i] = judgedOf(counted, undefined, [...new Set(unknown.map(({ reason }) => reason))]);
  };
  const numbers = questions.map((_, i) => i);
  const alone = numbers.filter((i) => asked[i]?.length === 1);
  for (const part of portions(alone, mostPlaces)) {
    const places = part.map((i) => asked[i]?.[0] as BasesOf);
    const answer = await ask(tools, places, signal);
    for (const [n, i] of part.entries()) judge(i, answer, () => [...(answer.places[n]?.covered ?? [])]);
  }
  // Each of the two places names all samples.
  const named = ids.flat();
  const junctions = numbers.filter((i) => asked[i]?.length === 2);
  for (const part of portions(junctions, Math.max(1, Math.floor(mostNamed / Math.max(1, 2 * named.length))))) {
    const places = part.flatMap((i) => (asked[i] as readonly BasesOf[]).map((place) => ({ ...place, named })));
    const answer = await ask(tools, places, signal);
    for (const [n, i] of part.entries()) {
      const below = new Set([...(answer.places[2 * n]?.below ?? []), ...(answer.places[2 * n + 1]?.below ?? [])]);
      judge(i, answer, (isUnknown) => ids.map((own) => own.filter((id) => !below.has(id) && !isUnknown(id)).length));
    }
  }
  return judged;
}

async function ask(
  { service, dataset, threshold, population }: StructuralTools,
  places: readonly CoveredPlace[],
  signal: AbortSignal,
): Promise<CoveredAnswer> {
  const groups = population.groups.map(({ ids }) => ids);
  if (groups.length === 0) return { unknown: [], places: places.map(() => ({ covered: [], below: [] })) };
  return service.covered({ build: dataset.assembly, threshold, groups, places }, signal);
}

function* portions(numbers: readonly number[], most: number): Generator<readonly number[]> {
  for (let from = 0; from < numbers.length; from += most) yield numbers.slice(from, from + most);
}
