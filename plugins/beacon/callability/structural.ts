/** Counts at how many samples the ends of structural variants are covered. */
import type { CallabilityService, CoveredAnswer, CoveredPlace } from '../../services/coverage.js';
import type { Dataset, Sex, StructuralQuestion } from '../contract.js';
import { type BasesOf, placesOf } from '../domain/covered-place.js';
import { coveredOf, withoutUncalled } from '../domain/denominator.js';
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

/** In the order of the questions; `uncalled` are the names of samples that were not called. */
export async function judgeStructural(
  tools: StructuralTools,
  questions: readonly StructuralQuestion[],
  uncalled: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<Judged[]> {
  const { population, dataset, threshold } = tools;
  const ids = population.groups.map((group) => group.ids);
  const asked = questions.map((question) => placesOf(question, dataset.assembly));
  const judged: Judged[] = [];
  // Those that are in the population, by number.
  const missed = uncalled.map((names) => [...population.numbersOf([...names])].filter((number) => number >= 0));
  const idsOf = (i: number) => (missed[i] ?? []).map((number) => population.idOf(number));
  const judge = (
    i: number,
    { unknown }: CoveredAnswer,
    below: ReadonlySet<string>,
    covered: (isUnknown: (id: string) => boolean) => number[],
  ) => {
    const { contig, start } = questions[i] as StructuralQuestion;
    const unknowns = new Set(unknown.map(({ sample }) => sample));
    const isUnknown = (id: string) => unknowns.has(id);
    const depth = { threshold, covered: covered(isUnknown), unknown: ids.map((own) => own.filter(isUnknown).length) };
    const site = { assembly: dataset.assembly, contig, start };
    const all = judgedOf(coveredOf(population, site, depth), undefined, [
      ...new Set(unknown.map(({ reason }) => reason)),
    ]);
    const left = (missed[i] ?? []).map((number) => ({
      sex: population.sexes[number] as Sex,
      isKnown: !isUnknown(population.idOf(number)),
      isBelow: below.has(population.idOf(number)),
    }));
    judged[i] = left.length === 0 ? all : withoutUncalled(all, site, left);
  };
  const numbers = questions.map((_, i) => i);
  const alone = numbers.filter((i) => asked[i]?.length === 1);
  for (const part of portions(alone, mostPlaces)) {
    const places = part.map((i): CoveredPlace => {
      const named = [...new Set(idsOf(i))];
      return { ...(asked[i]?.[0] as BasesOf), ...(named.length > 0 && { named }) };
    });
    const answer = await ask(tools, places, signal);
    for (const [n, i] of part.entries()) {
      judge(i, answer, new Set(answer.places[n]?.below), () => [...(answer.places[n]?.covered ?? [])]);
    }
  }
  // Each of the two places names all samples.
  const named = ids.flat();
  const junctions = numbers.filter((i) => asked[i]?.length === 2);
  for (const part of portions(junctions, Math.max(1, Math.floor(mostNamed / Math.max(1, 2 * named.length))))) {
    const places = part.flatMap((i) => (asked[i] as readonly BasesOf[]).map((place) => ({ ...place, named })));
    const answer = await ask(tools, places, signal);
    for (const [n, i] of part.entries()) {
      const below = new Set([...(answer.places[2 * n]?.below ?? []), ...(answer.places[2 * n + 1]?.below ?? [])]);
      judge(i, answer, below, (isUnknown) =>
        ids.map((own) => own.filter((id) => !below.has(id) && !isUnknown(id)).length),
      );
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
