/**
 * Queries the coverage service about alleles of plain bases and about the ends of structural variants, and counts from its
 * answers.
 */
import { Fault } from '../../../core/plugin.js';
import type {
  CallabilityService,
  CoveredAnswer,
  CoveredPlace,
  NumberedAnswer,
  NumberedCallability,
  NumberedQuestion,
  QuestionedSamples,
} from '../../services/coverage.js';
import type {
  BeaconRepository,
  Dataset,
  Observation,
  ObservedQuestion,
  SequenceQuestion,
  Sex,
  StructuralQuestion,
} from '../contract.js';
import {
  type CarrierObservation,
  type DatasetDenominator,
  datasetDenominator,
  denominatorOfCovered,
  type SearchedPopulations,
  withoutUncalled,
} from './denominator.js';
import { type CoveredBases, type Population, placesOfQuestion } from './population.js';
import { type JudgedAllele, SequenceJudgement } from './sequences.js';

/** Carriers that are read by name at once, unless one allele has more. */
const mostNamed = 100_000;

interface JudgementTools {
  repository: Pick<BeaconRepository, 'observe'>;
  service: CallabilityService;
  dataset: Pick<Dataset, 'id' | 'assembly'>;
  threshold: number;
  populations: SearchedPopulations;
}

/** Of one dataset, with its samples as they are. */
export class Judgement {
  readonly #tools: JudgementTools;
  readonly #numbered: NumberedCallability;

  constructor(tools: JudgementTools) {
    this.#tools = tools;
    const { service, dataset, threshold, populations } = tools;
    const groups = populations.sequence.groups.map(({ ids }) => ids);
    this.#numbered = numberedCallability(service, { build: dataset.assembly, threshold, groups });
  }

  /**
   * In the order of the questions; `needed` is how many of them needed the names of carriers. Carriers that the observations do
   * not name are read by name if they are needed.
   */
  async of(
    questions: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    signal: AbortSignal,
  ): Promise<{ judged: DatasetDenominator[]; needed: number }> {
    const judged = new Array<DatasetDenominator>(questions.length);
    const sequences: number[] = [];
    const structural: number[] = [];
    for (let i = 0; i < questions.length; i++) (questions[i]?.type === 'sequence' ? sequences : structural).push(i);
    const needed = await this.#sequences(sequences, questions, observations, judged, signal);
    const variants = structural.map((i) => questions[i] as StructuralQuestion);
    const population = this.#tools.populations.structural;
    const uncalled = await uncalledOf(
      variants,
      structural.map((i) => observations[i] as CarrierObservation),
      (unnamed) => this.#named(unnamed, signal),
    );
    const found =
      variants.length > 0 ? await judgeStructural({ ...this.#tools, population }, variants, uncalled, signal) : [];
    for (const [n, i] of structural.entries()) judged[i] = found[n] as DatasetDenominator;
    return { judged, needed };
  }

  async #sequences(
    numbers: readonly number[],
    questions: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    judged: DatasetDenominator[],
    signal: AbortSignal,
  ): Promise<number> {
    if (numbers.length === 0) return 0;
    const { dataset, threshold, populations } = this.#tools;
    const { assembly } = dataset;
    const judgement = new SequenceJudgement({
      ...{ assembly, threshold, population: populations.sequence },
      service: this.#numbered,
    });
    const unnamed: number[] = [];
    const asked = (n: number): JudgedAllele => {
      const i = numbers[n] as number;
      return { question: questions[i] as SequenceQuestion, observation: observations[i] as CarrierObservation };
    };
    const judge = (n: number, found: DatasetDenominator | undefined) => {
      const i = numbers[n] as number;
      if (found === undefined) unnamed.push(i);
      else judged[i] = found;
    };
    await judgement.each(numbers.length, asked, judge, signal);
    for (const part of portionsByCarriers(
      unnamed,
      (i) => (observations[i] as CarrierObservation).carriers + (observations[i] as CarrierObservation).notCalled,
    )) {
      const those = part.map((i) => questions[i] as SequenceQuestion);
      const named = await this.#named(those, signal);
      const again = (n: number): JudgedAllele => ({
        question: those[n] as SequenceQuestion,
        observation: named[n] as Observation,
      });
      const take = (n: number, found: DatasetDenominator | undefined) => {
        judged[part[n] as number] = found ?? datasetGone();
      };
      await judgement.each(part.length, again, take, signal);
    }
    return judgement.needed;
  }

  async #named(questions: readonly ObservedQuestion[], signal: AbortSignal): Promise<Observation[]> {
    const { repository, dataset } = this.#tools;
    const { id, assembly } = dataset;
    const observed = await repository.observe(assembly, questions, [id], { carriers: true, signal });
    return observed.map(([one]) => (one?.named ? one : datasetGone()));
  }
}

/** For each question, the names of samples that were not called; `named` observes those anew whose observations name none. */
export async function uncalledOf(
  questions: readonly ObservedQuestion[],
  observations: readonly CarrierObservation[],
  named: (questions: readonly ObservedQuestion[]) => Promise<readonly (CarrierObservation | undefined)[]>,
): Promise<string[][]> {
  const isUnnamed = ({ notCalled, named: names }: CarrierObservation) => notCalled > 0 && !names;
  const unnamed = questions.filter((_, i) => isUnnamed(observations[i] as CarrierObservation));
  const found = unnamed.length > 0 ? (await named(unnamed)).values() : undefined;
  return observations.map((one) => {
    if (one.notCalled === 0) return [];
    const { names = [], uncalled = [] } = (isUnnamed(one) ? found?.next().value : one)?.named ?? {};
    return uncalled.map((number) => names[number] as string);
  });
}

function datasetGone(): never {
  throw new Fault('unavailable', 'The dataset was removed or replaced meanwhile');
}

/** The numbers in portions of so many carriers. */
function* portionsByCarriers(numbers: readonly number[], carriersOf: (number: number) => number): Generator<number[]> {
  let portion: number[] = [];
  let carriers = 0;
  for (const number of numbers) {
    const more = carriersOf(number);
    if (portion.length > 0 && carriers + more > mostNamed) {
      yield portion;
      [portion, carriers] = [[], 0];
    }
    portion.push(number);
    carriers += more;
  }
  if (portion.length > 0) yield portion;
}

// Counts at how many samples the ends of structural variants are covered.

/** Places in one question to the service. */
const mostEnds = 5000;
/** Samples named in one question to the service, unless one variant alone names more. */
const mostNamedAtEnds = 100_000;

interface StructuralTools {
  service: CallabilityService;
  dataset: Pick<Dataset, 'assembly'>;
  threshold: number;
  population: Population;
}

/** In the order of the questions; `uncalled` are the names of samples that were not called. */
async function judgeStructural(
  tools: StructuralTools,
  questions: readonly StructuralQuestion[],
  uncalled: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<DatasetDenominator[]> {
  const { population, dataset, threshold } = tools;
  const ids = population.groups.map((group) => group.ids);
  const asked = questions.map((question) => placesOfQuestion(question, dataset.assembly));
  const judged: DatasetDenominator[] = [];
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
    const all = datasetDenominator(denominatorOfCovered(population, site, depth), undefined, [
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
  for (const part of portionsBySize(alone, mostEnds)) {
    const places = part.map((i): CoveredPlace => {
      const named = [...new Set(idsOf(i))];
      return { ...(asked[i]?.[0] as CoveredBases), ...(named.length > 0 && { named }) };
    });
    const answer = await askCoverage(tools, places, signal);
    for (const [n, i] of part.entries()) {
      judge(i, answer, new Set(answer.places[n]?.below), () => [...(answer.places[n]?.covered ?? [])]);
    }
  }
  // Each of the two places names all samples.
  const named = ids.flat();
  const junctions = numbers.filter((i) => asked[i]?.length === 2);
  for (const part of portionsBySize(
    junctions,
    Math.max(1, Math.floor(mostNamedAtEnds / Math.max(1, 2 * named.length))),
  )) {
    const places = part.flatMap((i) => (asked[i] as readonly CoveredBases[]).map((place) => ({ ...place, named })));
    const answer = await askCoverage(tools, places, signal);
    for (const [n, i] of part.entries()) {
      const below = new Set([...(answer.places[2 * n]?.below ?? []), ...(answer.places[2 * n + 1]?.below ?? [])]);
      judge(i, answer, below, (isUnknown) =>
        ids.map((own) => own.filter((id) => !below.has(id) && !isUnknown(id)).length),
      );
    }
  }
  return judged;
}

async function askCoverage(
  { service, dataset, threshold, population }: StructuralTools,
  places: readonly CoveredPlace[],
  signal: AbortSignal,
): Promise<CoveredAnswer> {
  const groups = population.groups.map(({ ids }) => ids);
  if (groups.length === 0) return { unknown: [], places: places.map(() => ({ covered: [], below: [] })) };
  return service.covered({ build: dataset.assembly, threshold, groups, places }, signal);
}

function* portionsBySize(numbers: readonly number[], most: number): Generator<readonly number[]> {
  for (let from = 0; from < numbers.length; from += most) yield numbers.slice(from, from + most);
}

// Questions about samples by number, also to a service that knows ids alone.

function numberedCallability(service: CallabilityService, samples: QuestionedSamples): NumberedCallability {
  return service.numbered?.(samples) ?? callabilityByIds(service, samples);
}

function callabilityByIds(service: CallabilityService, samples: QuestionedSamples): NumberedCallability {
  const ids = samples.groups.flat();
  const numbers = new Map(ids.map((id, number) => [id, number]));
  return {
    async covered(question, signal) {
      const { named, namedFrom } = question;
      const places = placesWithNames(question, ids);
      const answer = await service.covered({ ...samples, places }, signal);
      const below = new Uint8Array(named.length);
      const covered = new Uint32Array(places.length * samples.groups.length);
      for (const [place, found] of answer.places.entries()) {
        covered.set(found.covered, place * samples.groups.length);
        if (found.below.length === 0) continue;
        const those = new Set(found.below);
        for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
          if (those.has(ids[named[i] as number] as string)) below[i] = 1;
        }
      }
      const unknown = answer.unknown.flatMap(({ sample, reason }): NumberedAnswer['unknown'] => {
        const number = numbers.get(sample);
        return number === undefined ? [] : [{ sample: number, reason }];
      });
      return { unknown: unknown.sort((one, other) => one.sample - other.sample), covered, below };
    },
  };
}

/** Each sample that is named at a place is named once. */
function placesWithNames(
  { chromosomes, starts, ends, named, namedFrom }: NumberedQuestion,
  ids: readonly string[],
): CoveredPlace[] {
  return chromosomes.map((chromosome, place) => {
    const intervals = [{ start: starts[place] as number, end: ends[place] as number }];
    const those = new Set(named.subarray(namedFrom[place], namedFrom[place + 1]));
    if (those.size === 0) return { chromosome, intervals };
    return { chromosome, intervals, named: Array.from(those, (number) => ids[number] as string) };
  });
}
