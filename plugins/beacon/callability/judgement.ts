/** Asks the service of callability about the places of alleles, and counts out of what it says. */
import { Fault } from '../../../core/plugin.js';
import type { CallabilityService, NumberedCallability } from '../../services/coverage.js';
import type {
  BeaconRepository,
  Dataset,
  Observation,
  ObservedQuestion,
  SequenceQuestion,
  StructuralQuestion,
} from '../contract.js';
import type { Judgeable, Judged, Populations } from './judged.js';
import { numberedCallability } from './numbered.js';
import { type Asked, SequenceJudgement } from './sequences.js';
import { judgeStructural } from './structural.js';

/** Carriers that are read by name at once, unless one allele has more. */
const mostNamed = 100_000;

export interface JudgementTools {
  repository: Pick<BeaconRepository, 'observe'>;
  service: CallabilityService;
  dataset: Pick<Dataset, 'id' | 'assembly'>;
  threshold: number;
  populations: Populations;
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
    observations: readonly Judgeable[],
    signal: AbortSignal,
  ): Promise<{ judged: Judged[]; needed: number }> {
    const judged = new Array<Judged>(questions.length);
    const sequences: number[] = [];
    const structural: number[] = [];
    for (let i = 0; i < questions.length; i++) (questions[i]?.type === 'sequence' ? sequences : structural).push(i);
    const needed = await this.#sequences(sequences, questions, observations, judged, signal);
    const variants = structural.map((i) => questions[i] as StructuralQuestion);
    const population = this.#tools.populations.structural;
    const uncalled = await this.#uncalledIn(structural, questions, observations, signal);
    const found =
      variants.length > 0 ? await judgeStructural({ ...this.#tools, population }, variants, uncalled, signal) : [];
    for (const [n, i] of structural.entries()) judged[i] = found[n] as Judged;
    return { judged, needed };
  }

  async #sequences(
    numbers: readonly number[],
    questions: readonly ObservedQuestion[],
    observations: readonly Judgeable[],
    judged: Judged[],
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
    const asked = (n: number): Asked => {
      const i = numbers[n] as number;
      return { question: questions[i] as SequenceQuestion, observation: observations[i] as Judgeable };
    };
    const judge = (n: number, found: Judged | undefined) => {
      const i = numbers[n] as number;
      if (found === undefined) unnamed.push(i);
      else judged[i] = found;
    };
    await judgement.each(numbers.length, asked, judge, signal);
    for (const part of portions(
      unnamed,
      (i) => (observations[i] as Judgeable).carriers + (observations[i] as Judgeable).notCalled,
    )) {
      const those = part.map((i) => questions[i] as SequenceQuestion);
      const named = await this.#named(those, signal);
      const again = (n: number): Asked => ({
        question: those[n] as SequenceQuestion,
        observation: named[n] as Observation,
      });
      const take = (n: number, found: Judged | undefined) => {
        judged[part[n] as number] = found ?? gone();
      };
      await judgement.each(part.length, again, take, signal);
    }
    return judgement.needed;
  }

  /** By rank: the names of samples that were not called. */
  async #uncalledIn(
    numbers: readonly number[],
    questions: readonly ObservedQuestion[],
    observations: readonly Judgeable[],
    signal: AbortSignal,
  ): Promise<string[][]> {
    const found: string[][] = numbers.map(() => []);
    const those = [...numbers.entries()].filter(([, i]) => (observations[i] as Judgeable).notCalled > 0);
    if (those.length === 0) return found;
    const named = await this.#named(
      those.map(([, i]) => questions[i] as ObservedQuestion),
      signal,
    );
    for (const [n, [rank]] of those.entries()) found[rank] = uncalledNames(named[n] as Observation);
    return found;
  }

  async #named(questions: readonly ObservedQuestion[], signal: AbortSignal): Promise<Observation[]> {
    const { repository, dataset } = this.#tools;
    const { id, assembly } = dataset;
    const observed = await repository.observe(assembly, questions, [id], { carriers: true, signal });
    return observed.map(([one]) => (one?.named ? one : gone()));
  }
}

/** The names of samples that were not called; the observation names its carriers. */
export function uncalledNames({ named }: Judgeable): string[] {
  return named ? named.uncalled.map((number) => named.names[number] as string) : [];
}

function gone(): never {
  throw new Fault('unavailable', 'The dataset was removed or replaced meanwhile');
}

/** The numbers in portions of so many carriers. */
function* portions(numbers: readonly number[], carriersOf: (number: number) => number): Generator<number[]> {
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
