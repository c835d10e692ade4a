/** Counts out of how many samples of a dataset alleles were seen, with the coverage service of this server or of another. */
import type { CommandContext } from '../../../core/commands.js';
import { type Fault, isFault, type PluginContext } from '../../../core/plugin.js';
import type { CallabilityService, TenantCallability } from '../../services/coverage.js';
import type { BeaconRepository, Dataset, ObservedQuestion, Sample, Sex } from '../contract.js';
import type { BeaconSettings } from '../settings.js';
import {
  type CarrierObservation,
  type DatasetDenominator,
  defaultThreshold,
  denominatorOfCovered,
  summedAlleles,
  type UnknownCoverageReason,
  withoutUncalled,
} from './denominator.js';
import { Judgement, uncalledOf } from './judgement.js';
import { copiesAt, Population, type RegisteredSex } from './population.js';

interface DenominatorTools {
  repository: Pick<BeaconRepository, 'observe' | 'sampleFacts'>;
  /** Undefined if nothing is known of coverage. */
  service: CallabilityService | undefined;
  /** The question for the same allele by its one form: its place decides who is covered. As it is asked if omitted. */
  oneForm?(question: ObservedQuestion): ObservedQuestion;
  /** Called if the service does not answer; what depends on it is then unknown. If omitted, its fault is thrown. */
  onUnavailable?: (fault: Fault) => void;
}

/**
 * Makes those of a dataset, by its own threshold unless another is given, and of all of its samples unless `reads` has fewer. If
 * the service of coverage does not answer, they are unknown, and that is logged.
 */
export type DenominatorsOf = (
  dataset: Dataset,
  threshold?: number,
  reads?: DenominatorTools['repository'],
) => Promise<Denominators>;

/** Share of questions from which on carriers are named from the start: naming those of others is in vain. */
const manyNamed = 0.1;

/** Of one dataset, as its samples were when it was first asked. */
export class Denominators {
  readonly #tools: DenominatorTools;
  readonly #dataset: Pick<Dataset, 'id' | 'assembly'>;
  readonly threshold: number;
  #judgement: Promise<Judgement | undefined> | undefined;
  #namesCarriers = false;

  constructor(tools: DenominatorTools, dataset: Pick<Dataset, 'id' | 'assembly' | 'counting'>, threshold?: number) {
    this.#tools = tools;
    this.#dataset = dataset;
    this.threshold = threshold ?? dataset.counting?.threshold ?? defaultThreshold;
  }

  /**
   * Whether many of the questions that were last asked needed the names of carriers: then observations that name them save a
   * second reading of them.
   */
  get namesCarriers(): boolean {
    return this.#namesCarriers;
  }

  /** The denominator of each question, in their order; `observations` are those of the dataset, with or without named carriers. */
  async of(
    asked: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    signal: AbortSignal,
  ): Promise<DatasetDenominator[]> {
    const { oneForm } = this.#tools;
    const questions = oneForm ? asked.map(oneForm) : asked;
    const judged = await this.#judged(questions, observations, signal);
    await this.#addOthers(judged, questions, observations, signal);
    return judged;
  }

  async #judged(
    questions: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    signal: AbortSignal,
  ): Promise<DatasetDenominator[]> {
    const { onUnavailable } = this.#tools;
    try {
      this.#judgement ??= this.#made(signal);
      const judgement = await this.#judgement;
      if (!judgement) return await this.#unknown(questions, observations, 'no-service', signal);
      const { judged, needed } = await judgement.of(questions, observations, signal);
      this.#namesCarriers = needed >= manyNamed * questions.length;
      return judged;
    } catch (error) {
      this.#judgement = undefined;
      if (!onUnavailable || !isFault(error) || error.code !== 'unavailable') throw error;
      onUnavailable(error);
      return this.#unknown(questions, observations, 'unavailable', signal);
    }
  }

  /**
   * Counts as not called also samples of which no genotype of such alleles was called anywhere: they were not searched for them,
   * so that no population has them.
   */
  async #addOthers(
    judged: DatasetDenominator[],
    questions: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    signal: AbortSignal,
  ): Promise<void> {
    const onY: number[] = [];
    for (const [i, { notCalled }] of observations.entries()) {
      const known = judged[i] as DatasetDenominator;
      if (notCalled <= known.notCalled) continue;
      // Only there some people have no copy.
      if (questions[i]?.contig === 'Y') onY.push(i);
      else judged[i] = { ...known, notCalled };
    }
    if (onY.length === 0) return;
    const { samples } = await this.#samples();
    const byName = new Map(samples.map((sample) => [sample.name, sample]));
    const asked = onY.map((i) => questions[i] as ObservedQuestion);
    const uncalled = await this.#uncalled(
      asked,
      onY.map((i) => observations[i] as CarrierObservation),
      signal,
    );
    for (const [n, i] of onY.entries()) {
      const { contig, start, type } = asked[n] as ObservedQuestion;
      const kind = type === 'structural' ? 'structural' : 'small';
      const site = { assembly: this.#dataset.assembly, contig, start };
      const others = (uncalled[n] ?? []).flatMap((name) => byName.get(name) ?? []);
      const more = others.filter(({ searched, sex }) => !searched[kind] && copiesAt(site, sex) !== 0).length;
      const known = judged[i] as DatasetDenominator;
      judged[i] = { ...known, notCalled: known.notCalled + more };
    }
  }

  /** Whether the coverage of any sample of the dataset is known. */
  async knowsAny(signal: AbortSignal): Promise<boolean> {
    const { service } = this.#tools;
    if (!service) return false;
    const { ids } = await this.#samples();
    const { unknown } = await service.covered(
      { build: this.#dataset.assembly, threshold: this.threshold, groups: [ids], places: [] },
      signal,
    );
    return unknown.length < ids.length;
  }

  /** With the distinct ids under which their coverage is registered. */
  async #samples(): Promise<{ samples: readonly Sample[]; ids: readonly string[] }> {
    const samples = await this.#tools.repository.sampleFacts(this.#dataset.id);
    return { samples, ids: [...new Set(samples.map(({ coverageId }) => coverageId))] };
  }

  /** Undefined without a service. */
  async #made(signal: AbortSignal): Promise<Judgement | undefined> {
    const { service, repository } = this.#tools;
    if (!service) return undefined;
    const { samples, ids } = await this.#samples();
    const sexes = await service.sexes(ids, signal);
    const populations = populationsOf(samples, new Map(ids.map((id, i) => [id, sexes[i] ?? 'unknown'])));
    return new Judgement({ repository, service, dataset: this.#dataset, threshold: this.threshold, populations });
  }

  async #unknown(
    questions: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    reason: UnknownCoverageReason,
    signal: AbortSignal,
  ): Promise<DatasetDenominator[]> {
    const { samples } = await this.#samples();
    const uncalled = await this.#uncalled(questions, observations, signal);
    const populations = populationsOf(samples);
    const { assembly } = this.#dataset;
    return questions.map((question, i) => {
      const population = populations[question.type];
      const site = { assembly, contig: question.contig, start: question.start };
      const depth = { threshold: this.threshold, covered: [], unknown: population.groups.map(({ ids }) => ids.length) };
      const counted = denominatorOfCovered(population, site, depth);
      const alleles =
        question.type === 'sequence'
          ? summedAlleles(population, site, depth, counted, observations[i] as CarrierObservation)
          : undefined;
      const judged: DatasetDenominator = { ...counted, alleles, reasons: [reason] };
      const numbers = [...population.numbersOf(uncalled[i] ?? [])].filter((number) => number >= 0);
      const left = numbers.map((number) => ({
        ...{ sex: population.sexes[number] as Sex, isKnown: false, isBelow: false },
      }));
      return left.length === 0 ? judged : withoutUncalled(judged, site, left);
    });
  }

  #uncalled(
    questions: readonly ObservedQuestion[],
    observations: readonly CarrierObservation[],
    signal: AbortSignal,
  ): Promise<string[][]> {
    const { id, assembly } = this.#dataset;
    const requested = { carriers: true, signal };
    return uncalledOf(questions, observations, async (unnamed) =>
      (await this.#tools.repository.observe(assembly, unnamed, [id], requested)).map(([one]) => one),
    );
  }
}

function populationsOf(samples: readonly Sample[], sexes?: ReadonlyMap<string, RegisteredSex>) {
  const searched = (kind: 'small' | 'structural') => samples.filter((sample) => sample.searched[kind]);
  return {
    sequence: new Population(searched('small'), sexes),
    structural: new Population(searched('structural'), sexes),
  };
}

// Finds the service that knows which samples are covered where.

/** The key under which the coverage plugin offers it. */
const callabilityKey = 'coverage/callability@1';

/**
 * For the samples of a dataset. That of a tenant is answered from the tenant's own coverage files: no link that a loader states
 * shows what the samples of others cover. Undefined if there is no service: what depends on it is then unknown.
 */
export type FindCallability = (dataset: Pick<Dataset, 'id'>) => Promise<CallabilityService | undefined>;

/** That of another server if one is configured (where the token says which samples it is of), else that of the coverage plugin; in a server or a command. */
export function findCallability({
  settings: { callability },
  find,
  tenants = [],
}:
  | Pick<PluginContext<BeaconSettings>, 'find' | 'settings' | 'tenants'>
  | Pick<CommandContext<BeaconSettings>, 'find' | 'settings' | 'tenants'>): FindCallability {
  if (callability === undefined) {
    const all = 'all' in tenants ? tenants.all : tenants;
    return async ({ id }) => {
      const service = await find<TenantCallability>(callabilityKey);
      const owners = all.filter(({ datasets }) => datasets.includes(id)).map(({ name }) => name);
      return owners.length === 0 ? service : service?.ofTenants(owners);
    };
  }
  let remote: Promise<CallabilityService> | undefined;
  return () => {
    remote ??= import('./remote.js').then(({ remoteCallability }) => remoteCallability(callability));
    return remote;
  };
}
