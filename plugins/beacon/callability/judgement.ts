/** Asks the service of callability about the places of alleles, and counts out of what it says. */
import { Fault } from '../../../core/plugin.js';
import type {
  CallabilityService,
  CoveredAnswer,
  CoveredCounts,
  UnknownCoverage,
} from '../../coverage/callability/service.js';
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
  type AlleleNumbers,
  calledAlleles,
  coveredOf,
  type Denominator,
  type Depth,
  namedAlleles,
  needsNames,
  summedAlleles,
} from '../domain/denominator.js';
import { copiesBySex, type Population, type Site } from '../domain/population.js';

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
  /** Samples of which it is unknown, by group. */
  unknown: readonly number[];
  /** In the order of the places. */
  places: readonly CoveredCounts[];
}

/** An observation whose carriers may be named. */
export type Judgeable = Pick<Observation, 'carriers' | 'homozygotes' | 'alleleCount' | 'named'>;

/** Of one dataset, with its samples as they are. */
export class Judgement {
  readonly #repository: Pick<BeaconRepository, 'observe'>;
  readonly #service: CallabilityService;
  readonly #dataset: Pick<Dataset, 'id' | 'assembly'>;
  readonly #threshold: number;
  readonly #populations: Populations;
  #needed = 0;

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

  /** Questions whose carriers had to be named. */
  get needed(): number {
    return this.#needed;
  }

  /** Carriers that the observations do not name are read by name if they are needed. */
  async of(
    questions: readonly ObservedQuestion[],
    observations: readonly Judgeable[],
    signal: AbortSignal,
  ): Promise<Judged[]> {
    const { assembly } = this.#dataset;
    const judged: Judged[] = [];
    const unnamed: number[] = [];
    const asked = questions.map((question) => placesOf(question, assembly));
    const inOrder = asked.map((_, i) => i);
    inOrder.sort((one, other) => byPlace(asked[one]?.[0] as BasesOf, asked[other]?.[0] as BasesOf));
    for (const type of ['sequence', 'structural'] as const) {
      const population = this.#populations[type];
      const ofType = inOrder.filter((i) => questions[i]?.type === type);
      const alone = ofType.filter((i) => asked[i]?.length === 1);
      const namedAt = (i: number) => (type === 'sequence' ? (observations[i]?.named ?? []) : []);
      for (const part of parts(alone, (i) => namedAt(i).length)) {
        const places = part.map((i): NamedPlace => {
          const named = namedAt(i);
          const place = asked[i]?.[0] as BasesOf;
          if (named.length === 0) return place;
          const { chromosome, intervals } = place;
          return { chromosome, intervals, named: this.#idsOf(questions[i] as ObservedQuestion, named) };
        });
        const answer = await this.#distinct(population, places, signal);
        const { reasons } = answer;
        const unseen = new Map<number, Judged>();
        for (let n = 0; n < part.length; n++) {
          const i = part[n] as number;
          const site = this.#siteOf(questions[i] as ObservedQuestion);
          const observation = observations[i] as Judgeable;
          const depth = this.#depthOf(answer, n);
          if (type === 'sequence' && observation.carriers === 0 && isAutosome(site.contig)) {
            // Most alleles of a genome are not in the dataset, and only numbers of covered samples tell them apart.
            const key = keyOf(depth.covered);
            const known = key === undefined ? undefined : unseen.get(key);
            const counted = known ?? this.#unseen(site, depth, observation, reasons);
            if (key !== undefined) unseen.set(key, counted);
            judged[i] = counted;
            continue;
          }
          const counted = coveredOf(population, site, depth);
          if (type === 'structural') judged[i] = judgedOf(counted, undefined, reasons);
          else if (!needsNames(site, counted, observation.carriers)) {
            judged[i] = judgedOf(counted, summedAlleles(population, site, depth, counted, observation), reasons);
          } else if (observation.named !== undefined) {
            this.#needed++;
            const alleles = this.#isEachOnce(places[n]?.named, observation.named, site, counted, answer, n)
              ? calledAlleles(population, site, depth, observation, answer.places[n]?.below.length ?? 0)
              : namedIn(population, site, depth, observation.named, answer, n);
            judged[i] = judgedOf(counted, alleles, reasons);
          } else unnamed.push(i);
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
          const counted = coveredOf(population, this.#siteOf(questions[i] as ObservedQuestion), depth);
          judged[i] = judgedOf(counted, undefined, reasons);
        }
      }
    }
    this.#needed += unnamed.length;
    for (const part of parts(unnamed, (i) => (observations[i] as Judgeable).carriers)) {
      const named = await this.#named(
        part.map((i) => questions[i] as ObservedQuestion),
        part.map((i) => asked[i]?.[0] as BasesOf),
        signal,
      );
      for (const [n, i] of part.entries()) judged[i] = named[n] as Judged;
    }
    return judged;
  }

  #unseen(site: Site, depth: Depth, observation: Judgeable, reasons: readonly UnknownReason[]): Judged {
    const population = this.#populations.sequence;
    const counted = coveredOf(population, site, depth);
    return judgedOf(counted, summedAlleles(population, site, depth, counted, observation), reasons);
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
    const asked = places.map((place, i): NamedPlace => {
      const question = questions[i] as ObservedQuestion;
      return { ...place, named: this.#idsOf(question, carriers[i] as readonly NamedCarrier[]) };
    });
    const answer = await this.#ask(population, asked, signal);
    return questions.map((question, i): Judged => {
      const site = this.#siteOf(question);
      const depth = this.#depthOf(answer, i);
      const alleles = namedIn(population, site, depth, carriers[i] as readonly NamedCarrier[], answer, i);
      return judgedOf(coveredOf(population, site, depth), alleles, answer.reasons);
    });
  }

  /** The registered samples of the carriers that count at the place, each once. */
  #idsOf(question: ObservedQuestion, carriers: readonly NamedCarrier[]): string[] {
    const population = this.#populations.sequence;
    const copies = copiesBySex(this.#siteOf(question));
    const ids: string[] = [];
    for (const [name] of carriers) {
      const member = population.member(name);
      if (member && (copies[member.sex] ?? 0) > 0) ids.push(member.id);
    }
    return population.sharesIds ? [...new Set(ids)] : ids;
  }

  /**
   * Whether the place of this number asks about each carrier of one allele, as one registered sample, and every sample of the
   * population is known and has two copies: then it is enough how many of them are not covered.
   */
  #isEachOnce(
    ids: readonly string[] | undefined,
    carriers: readonly NamedCarrier[],
    { contig }: Site,
    { unknown, unknownSex }: Denominator,
    { places }: Answer,
    n: number,
  ): boolean {
    return (
      ids?.length === carriers.length &&
      unknown + unknownSex === 0 &&
      isAutosome(contig) &&
      !this.#populations.sequence.sharesIds &&
      places[n] !== places[n - 1] &&
      places[n] !== places[n + 1]
    );
  }

  #depthOf({ places, unknown }: Answer, n: number): Depth {
    return { threshold: this.#threshold, covered: places[n]?.covered ?? [], unknown };
  }

  /** The answers of places in their order, of which several may be one after the other at the same. */
  async #distinct(population: Population, places: readonly NamedPlace[], signal: AbortSignal): Promise<Answer> {
    const numbers: number[] = [];
    const distinct: NamedPlace[] = [];
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as NamedPlace;
      const last = distinct[distinct.length - 1];
      if (last === undefined || byPlace(place, places[i - 1] as BasesOf) !== 0) distinct.push(place);
      else if (place.named) {
        const named = [...new Set([...(last.named ?? []), ...place.named])];
        distinct[distinct.length - 1] = { ...last, named };
      }
      numbers.push(distinct.length - 1);
    }
    const answer = await this.#ask(population, distinct, signal);
    return { ...answer, places: numbers.map((n) => answer.places[n] as CoveredCounts) };
  }

  /** Samples that are covered at both of two places on different chromosomes. */
  async #junctions(population: Population, both: readonly (readonly BasesOf[])[], signal: AbortSignal) {
    const named = population.groups.flatMap(({ ids }) => ids);
    const answer = await this.#ask(
      population,
      both.flat().map((place) => ({ ...place, named })),
      signal,
    );
    const { places, reasons, isUnknown } = answer;
    return both.map((_, i) => {
      const below = new Set([...(places[2 * i]?.below ?? []), ...(places[2 * i + 1]?.below ?? [])]);
      const covered = population.groups.map(({ ids }) => ids.filter((id) => !below.has(id) && !isUnknown(id)).length);
      return { depth: { ...this.#depthOf(answer, 2 * i), covered }, reasons };
    });
  }

  async #ask({ groups }: Population, places: readonly NamedPlace[], signal: AbortSignal): Promise<Answer> {
    if (groups.length === 0) {
      const none = { covered: [], below: [] };
      return { reasons: [], isUnknown: () => true, unknown: [], places: places.map(() => none) };
    }
    const answer: CoveredAnswer = await this.#service.covered(
      { build: this.#dataset.assembly, threshold: this.#threshold, groups: groups.map(({ ids }) => ids), places },
      signal,
    );
    const unknown = new Set(answer.unknown.map(({ sample }) => sample));
    return {
      reasons: [...new Set(answer.unknown.map(({ reason }) => reason))],
      isUnknown: (id) => unknown.has(id),
      unknown: groups.map(({ ids }) => ids.filter((id) => unknown.has(id)).length),
      places: answer.places,
    };
  }
}

/** One object for each of millions of alleles, without further copies. */
function judgedOf(
  { threshold, total, covered, notCovered, unknown, unknownSex }: Denominator,
  alleles: AlleleNumbers | undefined,
  reasons: readonly UnknownReason[],
): Judged {
  return { threshold, total, covered, notCovered, unknown, unknownSex, alleles, reasons };
}

type NamedPlace = BasesOf & { named?: readonly string[] };

/** The alleles of carriers by name, of whom the place of this number in the answer names those that are not covered. */
function namedIn(
  population: Population,
  site: Site,
  depth: Depth,
  carriers: readonly NamedCarrier[],
  { places, isUnknown }: Answer,
  n: number,
): AlleleNumbers {
  return namedAlleles(population, site, depth, carriers, { below: new Set(places[n]?.below), isUnknown });
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

/** One number for the covered samples of each group, of which there are at most 100,000; undefined for many groups. */
function keyOf(covered: readonly number[]): number | undefined {
  if (covered.length > 3) return undefined;
  let key = 0;
  for (let i = 0; i < covered.length; i++) key = key * 100_001 + (covered[i] as number);
  return key;
}

function isAutosome(contig: ObservedQuestion['contig']): boolean {
  return contig !== 'X' && contig !== 'Y' && contig !== 'MT';
}

const order = new Map(contigs.map((contig, i) => [contig, i]));

/** In the order of the genome; 0 for the same bases. */
function byPlace(one: BasesOf, other: BasesOf): number {
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
