/** Compares the samples of a report with their cohorts: everything that pages and exports show of it. */
import { Fault, isFault } from '../../../core/plugin.js';
import type { Build } from '../contract.js';
import { dependsOnSex } from '../measure/copies.js';
import type { Depths, Target } from '../measure/measure.js';
import type { List, Region } from '../measure/region.js';
import { Pace } from '../measure/work-queue.js';
import {
  byAssay,
  type Cohort,
  type ComparisonState,
  checksumOfMembers,
  type Member,
  membersFor,
  releasedFor,
  type SharedMembers,
} from './members.js';
import {
  compareTarget,
  type GapFinding,
  gapFinding,
  leastForZ,
  type OwnFigures,
  ownSums,
  Sums,
  type TargetComparison,
} from './target-comparison.js';
import type { Cohorts, CohortValues, TargetValues } from './values.js';

/** A sample of a report that is registered. */
export interface ComparedSample {
  /** Its name in the report. */
  name: string;
  id: string;
  /** Whether the file of the report is the one that was checked when the sample was registered. */
  isSameFile: boolean;
  /** In the order of the targets. */
  depths: List<Depths>;
}

export interface ComparisonQuestion {
  build: Build;
  /** The coverage threshold, and its index in `reached` of the samples' depths. */
  threshold: number;
  level: number;
  samples: readonly ComparedSample[];
  /** All registered samples of the build that the caller reaches. */
  members: readonly Member[];
  /** Those that other tenants share. */
  shared?: readonly SharedMembers[];
  /** Whether samples of all assays are compared. */
  isPooled: boolean;
  targets: List<Target>;
  /** Indexes of the targets to compare. */
  places: readonly number[];
  /** Targets that are also compared together; each base must be in one of them only. */
  groups: readonly TargetGroup[];
}

export interface TargetGroup {
  name: string;
  /** Among `places`. */
  places: readonly number[];
  /** Distinct bases; if they are fewer than those of the targets, the group is not compared. */
  length: number;
}

/** Values (samples × targets) of one question to the cohorts, and of one report. */
const [valuesAtOnce, mostValues] = [2_000_000, 50_000_000];

/** The same question is asked again if samples were added or removed between its portions. */
const attempts = 3;

/** Columns of values: the sample itself, if it has values, and its cohort. */
interface CohortColumns {
  sample: ComparedSample;
  own: number | undefined;
  all: Int32Array;
  /** Of the same sex; undefined if that of the sample is unknown. */
  sameSex: Int32Array | undefined;
}

export class Comparison {
  /** By the name of the sample; samples that are not registered have none. */
  readonly cohorts = new Map<string, Cohort>();
  /** Shared datasets with samples in one of the cohorts. */
  readonly shared = new Set<string>();
  readonly #cohorts: Cohorts;
  readonly #question: ComparisonQuestion;
  readonly #targets = new Map<string, TargetComparison>();
  readonly #groups = new Map<string, TargetComparison>();
  readonly #gaps = new Map<string, GapFinding>();
  /** Samples whose values are requested. */
  #ids: readonly string[] = [];
  #columns: CohortColumns[] = [];

  private constructor(cohorts: Cohorts, question: ComparisonQuestion) {
    this.#cohorts = cohorts;
    this.#question = question;
  }

  static async of(cohorts: Cohorts, question: ComparisonQuestion, signal: AbortSignal): Promise<Comparison> {
    for (let attempt = 1; ; attempt++) {
      const made = new Comparison(cohorts, question);
      try {
        await made.#compare(signal);
        return made;
      } catch (error) {
        if (error instanceof OtherSamples && attempt < attempts) continue;
        const isOutOfReach = error instanceof OtherSamples || (isFault(error) && error.code === 'unavailable');
        if (!isOutOfReach) throw error;
        return Comparison.#withoutValues(cohorts, question);
      }
    }
  }

  /** All registered samples of the build that the caller reaches: those of a control chart. */
  get members(): readonly Member[] {
    return this.#question.members;
  }

  /** The sample (by name) at a target of the report; undefined if it is not compared there. */
  ofTarget(sample: string, at: number): TargetComparison | undefined {
    return this.#targets.get(keyOfSample(sample, at));
  }

  ofGroup(sample: string, group: string): TargetComparison | undefined {
    return this.#groups.get(keyOfSample(sample, group));
  }

  /** The kind of a gap in this interval; undefined if the sample is not compared, or `addGaps` was not given the interval. */
  ofGap(sample: string, interval: readonly Region[]): GapFinding | undefined {
    return this.#gaps.get(keyOfSample(sample, placesKey(interval)));
  }

  /** Compares the intervals in which there are gaps; those that are known are not compared again. */
  async addGaps(intervals: Iterable<readonly Region[]>, signal: AbortSignal): Promise<void> {
    const [first] = this.#columns;
    if (first === undefined) return;
    const wanted = new Map<string, Target>();
    for (const regions of intervals) {
      const key = placesKey(regions);
      if (!this.#gaps.has(keyOfSample(first.sample.name, key))) wanted.set(key, { regions });
    }
    const keys = [...wanted.keys()];
    try {
      await this.#inPortions([...wanted.values()], signal, (values, found, i) => {
        const { regions } = wanted.get(keys[i] as string) as Target;
        for (const columns of this.#columns) this.#addGap(columns, keys[i] as string, regions, values, found);
      });
    } catch (error) {
      // Since the report began samples were added or removed: what is said of a gap must not rest on another cohort.
      const isOutOfReach = error instanceof OtherSamples || (isFault(error) && error.code === 'unavailable');
      if (!isOutOfReach) throw error;
      for (const key of keys) {
        for (const { sample } of this.#columns) this.#gaps.set(keyOfSample(sample.name, key), gapFinding({}));
      }
    }
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { samples, members, shared = [], isPooled, build, threshold, places } = this.#question;
    const byId = new Map(members.map((member) => [member.id, member]));
    const chosen = samples.map((sample) => {
      const own = byId.get(sample.id);
      const theirs = own === undefined ? undefined : membersFor(own, members, isPooled);
      // Of assays that the caller knows: pooling must not show what others use.
      const assays = new Set([own, ...(theirs ?? [])].flatMap((member) => member?.assay ?? []));
      const isComparable = ({ assay }: Member) => theirs !== undefined && assay !== undefined && assays.has(assay);
      // Too few to be shared are not even read.
      const others = shared.filter((one) => byAssay(one, isComparable).size > 0);
      return { sample, own, members: theirs, others, isComparable };
    });
    const ids = new Set(
      chosen.flatMap(({ sample, members: theirs = [], others, isComparable }) => [
        sample.id,
        ...[...theirs, ...others.flatMap((one) => one.members.filter(isComparable))].map(({ id }) => id),
      ]),
    );
    const isTooMuch = places.length * ids.size > mostValues;
    const known = isTooMuch
      ? undefined
      : await this.#cohorts.values({ build, targets: [], thresholds: [threshold], samples: [...ids] }, signal);
    const medians = new Map(known?.samples.map((id, column) => [id, known.medians[column] as number]));
    const cohorts = await mappedInTurn(chosen, async ({ others, isComparable, ...one }) => {
      const isOf = one.members?.filter(({ id }) => medians.has(id)) ?? [];
      const sex = one.own?.sex ?? 'unknown';
      // All of them count for every figure, so that each is of as many samples as are stated.
      const hasFigures = (member: Member) => isComparable(member) && (medians.get(member.id) ?? 0) > 0;
      const some = await releasedFor(others, 'all', hasFigures);
      const isOfSex = (member: Member) => hasFigures(member) && member.sex === sex;
      const ofSex = sex === 'unknown' ? [] : await releasedFor(others, sex, isOfSex);
      const sameSex =
        sex === 'unknown'
          ? undefined
          : [...isOf.filter((member) => member.sex === sex), ...ofSex.flatMap((share) => share.members)];
      for (const { dataset } of [...some, ...(sameSex === undefined ? [] : ofSex)]) this.shared.add(dataset);
      const foreign = some.flatMap((share) => share.members);
      return { ...one, sex, isOf, foreign, sameSex, all: [...isOf, ...foreign] };
    });
    const used = new Set(
      cohorts.flatMap(({ sample, all, sameSex = [] }) => [sample.id, ...[...all, ...sameSex].map(({ id }) => id)]),
    );
    this.#ids = [...medians.keys()].filter((id) => used.has(id));
    const columnOf = new Map(this.#ids.map((id, column) => [id, column]));
    for (const { sample, own, members: theirs, sex, isOf, foreign, sameSex, all } of cohorts) {
      const columnsOf = (list: readonly Member[]) => Int32Array.from(list, ({ id }) => columnOf.get(id) as number);
      const column = sample.isSameFile ? columnOf.get(sample.id) : undefined;
      const checksum = checksumOfMembers(isOf, foreign);
      const ofSameSex = sameSex?.length ?? 0;
      const ownOfSameSex = sex === 'unknown' ? 0 : isOf.filter((member) => member.sex === sex).length;
      this.cohorts.set(sample.name, {
        state: stateOf(),
        ...(own?.assay === undefined ? {} : { assay: own.assay }),
        assays: [...new Set([...(theirs ?? []), ...foreign].flatMap(({ assay }) => assay ?? []))].sort(),
        isPooled,
        sex,
        n: all.length,
        sameSex: ofSameSex,
        ...(foreign.length === 0 ? {} : { shared: { n: foreign.length, sameSex: ofSameSex - ownOfSameSex } }),
        ...(checksum === undefined ? {} : { checksum }),
      });
      if (all.length > 0) {
        const columns = { sample, own: column, all: columnsOf(all), sameSex: sameSex && columnsOf(sameSex) };
        this.#columns.push(columns);
      }

      function stateOf(): ComparisonState {
        if (theirs === undefined) return 'no-assay';
        if (isTooMuch) return 'too-many';
        if (all.length === 0) return 'alone';
        if (!sample.isSameFile) return 'changed';
        return column === undefined ? 'no-values' : 'compared';
      }
    }
    if (this.#columns.length > 0) await this.#compareTargets(signal);
  }

  async #compareTargets(signal: AbortSignal): Promise<void> {
    const { targets, places, groups, build, level } = this.#question;
    const ends = new Map<number, ComparedGroup[]>();
    const groupsAt = new Map<number, ComparedGroup[]>();
    const all: ComparedGroup[] = groups.map((group) => ({ ...group, sums: undefined }));
    // A group is added up while its targets pass, and is released after the last of them.
    const order = [...places].sort((a, b) => a - b);
    for (const group of all) {
      for (const at of group.places) addTo(groupsAt, at, group);
      const last = group.places.reduce((most, at) => Math.max(most, at), -1);
      addTo(ends, last, group);
    }
    const asked = order.map((at) => targets.at(at) as Target);
    await this.#inPortions(asked, signal, (values, found, i) => {
      const at = order[i] as number;
      const isOfOneSex = dependsOnSex((asked[i] as Target).regions, build);
      for (const group of groupsAt.get(at) ?? []) {
        group.sums ??= new Sums(this.#ids.length);
        group.sums.add(values, isOfOneSex);
      }
      for (const columns of this.#columns) {
        const depths = columns.sample.depths.at(at);
        if (depths === undefined || values?.length !== depths.length) continue;
        const own = { mean: depths.mean, reached: depths.reached[level] ?? 0, median: medianOfSample(columns, found) };
        const compared = atTarget(columns, own, values, found, isOfOneSex);
        if (compared !== undefined) this.#targets.set(keyOfSample(columns.sample.name, at), compared);
      }
      for (const group of ends.get(at) ?? []) this.#endGroup(group, found);
    });
  }

  #endGroup(group: ComparedGroup, found: CohortValues): void {
    const { sums, name, places, length } = group;
    const values = sums?.values(length);
    group.sums = undefined;
    if (values === undefined || sums === undefined) return;
    for (const columns of this.#columns) {
      const depths = places.map((at) => columns.sample.depths.at(at));
      const own = ownSums(depths, this.#question.level, medianOfSample(columns, found));
      const compared = atTarget(columns, own, values, found, sums.isOfOneSex);
      if (compared !== undefined) this.#groups.set(keyOfSample(columns.sample.name, name), compared);
    }
  }

  /** The figures of the sample at the interval are the stored ones: a report does not measure the exons of its transcripts. */
  #addGap(
    columns: CohortColumns,
    key: string,
    regions: readonly Region[],
    values: TargetValues | undefined,
    found: CohortValues,
  ): void {
    const { own: column, sample } = columns;
    const median = medianOfSample(columns, found);
    let finding = gapFinding({});
    if (values !== undefined && column !== undefined) {
      const own = { mean: values.means[column] as number, reached: values.reached[0]?.[column] ?? 0, median };
      const compared = atTarget(columns, own, values, found, dependsOnSex(regions, this.#question.build));
      if (compared !== undefined) finding = findingOf(compared);
    }
    this.#gaps.set(keyOfSample(sample.name, key), finding);
  }

  /** Throws `OtherSamples` if other samples have values than when the comparison began. */
  async #inPortions(
    targets: readonly Target[],
    signal: AbortSignal,
    take: (values: TargetValues | undefined, found: CohortValues, i: number) => void,
  ): Promise<void> {
    const { build, threshold } = this.#question;
    const pace = new Pace();
    const size = Math.max(1, Math.floor(valuesAtOnce / (2 * this.#ids.length)));
    for (let from = 0; from < targets.length; from += size) {
      const portion = targets.slice(from, from + size);
      const asked = { build, targets: portion, thresholds: [threshold], samples: this.#ids };
      const found = await this.#cohorts.values(asked, signal);
      if (found.samples.length !== this.#ids.length) throw new OtherSamples();
      for (let i = 0; i < portion.length; i++) {
        take(found.targets.at(i), found, from + i);
        await pace.turn();
      }
    }
  }

  static #withoutValues(cohorts: Cohorts, question: ComparisonQuestion): Comparison {
    const made = new Comparison(cohorts, question);
    for (const { name } of question.samples) {
      const none = { assays: [], isPooled: question.isPooled, sex: 'unknown', n: 0, sameSex: 0 } as const;
      made.cohorts.set(name, { state: 'unavailable', ...none });
    }
    return made;
  }
}

/** One after the other. */
async function mappedInTurn<From, To>(all: readonly From[], change: (one: From) => Promise<To>): Promise<To[]> {
  const found: To[] = [];
  for (const one of all) found.push(await change(one));
  return found;
}

interface ComparedGroup extends TargetGroup {
  sums: Sums | undefined;
}

/** Samples were added to or removed from the cohorts since the comparison began. */
class OtherSamples extends Fault {
  constructor() {
    super('conflict', 'The registered samples changed while they were compared');
  }
}

function medianOfSample({ own }: CohortColumns, { medians }: CohortValues): number | undefined {
  return own === undefined ? undefined : medians[own];
}

/** Undefined where the sex chromosomes matter and those of the sample are unknown. */
function atTarget(
  { all, sameSex }: CohortColumns,
  own: OwnFigures,
  values: Pick<TargetValues, 'length' | 'means' | 'reached'>,
  { medians }: CohortValues,
  isOfOneSex: boolean,
): TargetComparison | undefined {
  const columns = isOfOneSex ? sameSex : all;
  return columns === undefined ? undefined : compareTarget(own, { values, medians, columns, isOfOneSex });
}

function keyOfSample(sample: string, of: number | string): string {
  return `${sample}\n${of}`;
}

function placesKey(regions: readonly Region[]): string {
  return regions.map(({ chromosome, start, end }) => `${chromosome}:${start}-${end}`).join(',');
}

function findingOf({ n, depth, completeness }: TargetComparison): GapFinding {
  const comparable = n >= leastForZ && depth?.ratio !== undefined;
  const { ratio = 0, z, others = 0 } = depth ?? {};
  const stated = completeness?.statement;
  return gapFinding({
    ...(comparable ? { depth: { ratio, others, ...(z === undefined ? {} : { z }) } } : {}),
    ...(completeness === undefined || stated === undefined || 'values' in stated
      ? {}
      : { completeness: { own: completeness.own, median: stated.median, low: stated.low } }),
  });
}

function addTo<Value>(lists: Map<number, Value[]>, at: number, value: Value): void {
  const list = lists.get(at);
  if (list) list.push(value);
  else lists.set(at, [value]);
}
