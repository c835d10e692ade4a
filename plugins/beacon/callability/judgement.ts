/** Asks the service of callability about the places of alleles, and counts out of what it says. */
import { Fault } from '../../../core/plugin.js';
import type { CallabilityService, CoveredAnswer, UnknownCoverage } from '../../coverage/callability/service.js';
import {
  type BeaconRepository,
  contigs,
  type Dataset,
  type NamedCarrier,
  type Observation,
  type ObservedQuestion,
} from '../contract.js';
import { type BasesOf, placesOf } from '../domain/covered-place.js';
import {
  coveredOf,
  type Denominator,
  type Depth,
  namedAlleles,
  needsNames,
  summedAlleles,
} from '../domain/denominator.js';
import { copiesAt, type Population, type Site } from '../domain/population.js';

/** Why the coverage of samples is unknown: no service knows it, the service does not answer, or what the service says of them. */
export const unknownReasons = [
  'no-service',
  'unavailable',
  'unregistered',
  'unchecked',
  'unusable',
  'other-build',
  'other-threshold',
] as const satisfies readonly (UnknownCoverage | 'no-service' | 'unavailable')[];
export type UnknownReason = (typeof unknownReasons)[number] | UnknownCoverage;

export interface Judged extends Denominator {
  /** Why the coverage of samples of the dataset is unknown, each reason once. */
  reasons: readonly UnknownReason[];
}

/** The samples that were searched for alleles of each type. */
export type Populations = Readonly<Record<ObservedQuestion['type'], Population>>;

/** Places in one question to the service. */
const mostPlaces = 5000;
/** Samples named in one question to the service, unless one place alone names more. */
const mostNamed = 100_000;

/** One answer of the service, by what is asked of it. */
interface Answer {
  reasons: readonly UnknownReason[];
  isUnknown(id: string): boolean;
  /** In the order of the places. */
  depths: readonly (Depth & { below: readonly string[] })[];
}

/** Of one dataset, with its samples as they are. */
export class Judgement {
  readonly #repository: Pick<BeaconRepository, 'observe'>;
  readonly #service: CallabilityService;
  readonly #dataset: Pick<Dataset, 'id' | 'assembly'>;
  readonly #threshold: number;
  readonly #populations: Populations;

  constructor(
    repository: Pick<BeaconRepository, 'observe'>,
    service: CallabilityService,
    dataset: Pick<Dataset, 'id' | 'assembly'>,
    threshold: number,
    populations: Populations,
  ) {
    this.#repository = repository;
    this.#service = service;
    this.#dataset = dataset;
    this.#threshold = threshold;
    this.#populations = populations;
  }

  async of(
    questions: readonly ObservedQuestion[],
    observations: readonly Pick<Observation, 'carriers' | 'homozygotes' | 'alleleCount'>[],
    signal: AbortSignal,
  ): Promise<Judged[]> {
    const { assembly } = this.#dataset;
    const judged: Judged[] = [];
    const unnamed: number[] = [];
    const asked = questions.map((question) => placesOf(question, assembly));
    const inOrder = asked.map((_, i) => i).sort((one, other) => byPlace(asked[one], asked[other]));
    for (const type of ['sequence', 'structural'] as const) {
      const population = this.#populations[type];
      const ofType = inOrder.filter((i) => questions[i]?.type === type);
      const alone = ofType.filter((i) => asked[i]?.length === 1);
      for (const part of parts(alone)) {
        const { depths, reasons } = await this.#distinct(
          population,
          part.map((i) => asked[i]?.[0] as BasesOf),
          signal,
        );
        for (const [n, i] of part.entries()) {
          const question = questions[i] as ObservedQuestion;
          const observation = observations[i] as Observation;
          const site = this.#siteOf(question);
          const depth = depths[n] as Depth;
          const counted = coveredOf(population, site, depth);
          judged[i] = { ...counted, reasons };
          if (type === 'structural') continue;
          if (needsNames(site, counted, observation.carriers)) unnamed.push(i);
          else judged[i] = { ...judged[i], alleles: summedAlleles(population, site, depth, counted, observation) };
        }
      }
      // Each of the two places names all samples.
      const everyone = 2 * population.groups.reduce((sum, { ids }) => sum + ids.length, 0);
      for (const part of parts(
        ofType.filter((i) => asked[i]?.length === 2),
        () => everyone,
      )) {
        const found = await this.#junctions(
          population,
          part.map((i) => asked[i] as readonly BasesOf[]),
          signal,
        );
        for (const [n, i] of part.entries()) {
          const { depth, reasons } = found[n] as (typeof found)[number];
          judged[i] = { ...coveredOf(population, this.#siteOf(questions[i] as ObservedQuestion), depth), reasons };
        }
      }
    }
    for (const part of parts(unnamed, (i) => (observations[i] as Observation).carriers)) {
      const named = await this.#named(
        part.map((i) => questions[i] as ObservedQuestion),
        part.map((i) => asked[i]?.[0] as BasesOf),
        signal,
      );
      for (const [n, i] of part.entries()) judged[i] = named[n] as Judged;
    }
    return judged;
  }

  #siteOf({ contig, start }: ObservedQuestion): Site {
    return { assembly: this.#dataset.assembly, contig, start };
  }

  /** Of alleles some of whose carriers may not be covered, or may not count. */
  async #named(questions: readonly ObservedQuestion[], places: readonly BasesOf[], signal: AbortSignal) {
    const { id, assembly } = this.#dataset;
    const population = this.#populations.sequence;
    const observed = await this.#repository.observe(assembly, questions, [id], { carriers: true, signal });
    const carriers = observed.map(([one]): readonly NamedCarrier[] => {
      if (one?.named) return one.named;
      throw new Fault('unavailable', 'The dataset was removed or replaced meanwhile');
    });
    const named = carriers.map((those, i) => {
      const site = this.#siteOf(questions[i] as ObservedQuestion);
      const members = those.map(([name]) => population.member(name));
      const counted = members.filter((member) => member && (copiesAt(site, member.sex) ?? 0) > 0);
      return [...new Set(counted.map((member) => member?.id as string))];
    });
    const asked = places.map((place, i) => ({ ...place, named: named[i] as string[] }));
    const { depths, reasons, isUnknown } = await this.#ask(population, asked, signal);
    return questions.map((question, i): Judged => {
      const site = this.#siteOf(question);
      const depth = depths[i] as Answer['depths'][number];
      const about = { below: new Set(depth.below), isUnknown };
      const alleles = namedAlleles(population, site, depth, carriers[i] as readonly NamedCarrier[], about);
      return { ...coveredOf(population, site, depth), alleles, reasons };
    });
  }

  /** The depths of places in their order, of which several may be one after the other at the same. */
  async #distinct(population: Population, places: readonly BasesOf[], signal: AbortSignal): Promise<Answer> {
    const numbers: number[] = [];
    const distinct: BasesOf[] = [];
    for (const [i, place] of places.entries()) {
      if (i === 0 || byPlace([place], [places[i - 1] as BasesOf]) !== 0) distinct.push(place);
      numbers.push(distinct.length - 1);
    }
    const answer = await this.#ask(population, distinct, signal);
    return { ...answer, depths: numbers.map((n) => answer.depths[n] as Answer['depths'][number]) };
  }

  /** Samples that are covered at both of two places on different chromosomes. */
  async #junctions(population: Population, both: readonly (readonly BasesOf[])[], signal: AbortSignal) {
    const named = population.groups.flatMap(({ ids }) => ids);
    const { depths, reasons, isUnknown } = await this.#ask(
      population,
      both.flat().map((place) => ({ ...place, named })),
      signal,
    );
    return both.map((_, i) => {
      const below = new Set([...(depths[2 * i]?.below ?? []), ...(depths[2 * i + 1]?.below ?? [])]);
      const covered = population.groups.map(({ ids }) => ids.filter((id) => !below.has(id) && !isUnknown(id)).length);
      return { depth: { ...(depths[2 * i] as Depth), covered }, reasons };
    });
  }

  async #ask(
    { groups }: Population,
    places: readonly (BasesOf & { named?: readonly string[] })[],
    signal: AbortSignal,
  ): Promise<Answer> {
    if (groups.length === 0) {
      const depth = { threshold: this.#threshold, covered: [], unknown: [], below: [] };
      return { reasons: [], isUnknown: () => true, depths: places.map(() => depth) };
    }
    const answer: CoveredAnswer = await this.#service.covered(
      { build: this.#dataset.assembly, threshold: this.#threshold, groups: groups.map(({ ids }) => ids), places },
      signal,
    );
    const unknown = new Set(answer.unknown.map(({ sample }) => sample));
    const numbers = groups.map(({ ids }) => ids.filter((id) => unknown.has(id)).length);
    return {
      reasons: [...new Set(answer.unknown.map(({ reason }) => reason))],
      isUnknown: (id) => unknown.has(id),
      depths: answer.places.map((place) => ({ ...place, threshold: this.#threshold, unknown: numbers })),
    };
  }
}

/** The numbers in parts that one question to the service holds; `namedBy` is how many samples each of them names. */
function* parts(numbers: readonly number[], namedBy: (number: number) => number = () => 0): Generator<number[]> {
  let part: number[] = [];
  let named = 0;
  for (const number of numbers) {
    const more = namedBy(number);
    if (part.length === mostPlaces || (part.length > 0 && named + more > mostNamed)) {
      yield part;
      [part, named] = [[], 0];
    }
    part.push(number);
    named += more;
  }
  if (part.length > 0) yield part;
}

const order = new Map(contigs.map((contig, i) => [contig, i]));

/** In the order of the genome; 0 for the same bases. */
function byPlace([one]: readonly BasesOf[] = [], [other]: readonly BasesOf[] = []): number {
  if (!one || !other) return 0;
  if (one.chromosome !== other.chromosome) {
    return (order.get(one.chromosome) ?? 0) - (order.get(other.chromosome) ?? 0);
  }
  for (let i = 0; i < Math.max(one.intervals.length, other.intervals.length); i++) {
    const [here, there] = [one.intervals[i], other.intervals[i]];
    if (!here || !there) return here ? 1 : -1;
    if (here.start !== there.start) return here.start - there.start;
    if (here.end !== there.end) return here.end - there.end;
  }
  return 0;
}
