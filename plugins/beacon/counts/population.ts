/**
 * The samples of a dataset that may carry an allele, in groups whose coverage is counted apart, and the bases that must be
 * covered in them.
 */
import { lengthOf } from '../../../core/genome.js';
import type { Assembly, Contig } from '../domain/allele.js';
import type { ObservedQuestion, SequenceQuestion } from '../domain/observation.js';
import { isSexSpecific, ploidyAt, type Sample, type Sex } from '../domain/sample.js';
import { isInsertion, type StructuralQuestion } from '../domain/similar.js';

/** The sex of a registration; contradicted if the stated one and the one that the depth shows differ. */
export type RegisteredSex = Sex | 'contradicted';

export interface PopulationGroup {
  sex: Sex;
  /** Samples of the dataset that share the depth of each registered sample of the group. */
  weight: number;
  /** Registered samples. */
  ids: readonly string[];
}

/** Where samples are counted; an allele is where it starts. */
export interface Locus {
  assembly: Assembly;
  contig: Contig;
  start: number;
}

/**
 * Copies of the place that are expected to be called in a person; undefined where they depend on a sex that is not known. Y has
 * none in the pseudo-autosomal regions, which are masked there: their reads are aligned to X.
 */
export function copiesAt({ assembly, contig, start }: Locus, sex: Sex): 0 | 1 | 2 | undefined {
  if (contig !== 'X' && contig !== 'Y') return ploidyAt(assembly, contig, start, sex);
  if (!isSexSpecific(assembly, contig, start)) return contig === 'Y' ? 0 : 2;
  return sex === 'unknown' ? undefined : ploidyAt(assembly, contig, start, sex);
}

/** The same for each sex. */
export function copiesBySex(site: Locus): Readonly<Record<Sex, 0 | 1 | 2 | undefined>> {
  return { female: copiesAt(site, 'female'), male: copiesAt(site, 'male'), unknown: copiesAt(site, 'unknown') };
}

/** Registered samples have numbers: their places in the groups, one group after the other. */
export class Population {
  readonly groups: readonly PopulationGroup[];
  /** Of the registered samples, by number. */
  readonly sexes: readonly Sex[];
  /** By name of a sample: the registered one that knows its depth. */
  readonly #registered = new Map<string, string>();
  readonly #numbers: ReadonlyMap<string, number>;
  #ids: readonly string[] | undefined;
  /** The names that were last asked for. */
  #names: readonly string[] = [];
  #numbered = new Int32Array();

  /** `registered` has the sexes that registrations state, by id. Where statements contradict each other the sex is unknown. */
  constructor(samples: readonly Sample[], registered: ReadonlyMap<string, RegisteredSex> = new Map()) {
    const byId = new Map<string, Sample[]>();
    for (const sample of samples) {
      const known = byId.get(sample.coverageId);
      if (known) known.push(sample);
      else byId.set(sample.coverageId, [sample]);
    }
    const groups = new Map<string, PopulationGroup & { ids: string[] }>();
    for (const [id, those] of byId) {
      const sex = oneSex([...those.map((sample) => sample.sex), registered.get(id) ?? 'unknown']);
      for (const { name } of those) this.#registered.set(name, id);
      const key = `${sex} ${those.length}`;
      const group = groups.get(key) ?? { sex, weight: those.length, ids: [] };
      group.ids.push(id);
      groups.set(key, group);
    }
    this.groups = [...groups.values()];
    this.sexes = this.groups.flatMap(({ sex, ids }) => ids.map(() => sex));
    this.#numbers = new Map(this.groups.flatMap(({ ids }) => ids).map((id, number) => [id, number]));
  }

  /** The id of a registered sample. */
  idOf(number: number): string {
    this.#ids ??= this.groups.flatMap(({ ids }) => ids);
    return this.#ids[number] as string;
  }

  /** For each name, the number of its registered sample; -1 for samples that are not in the population. */
  numbersOf(names: readonly string[]): Int32Array {
    // The same list comes with millions of alleles.
    if (names === this.#names) return this.#numbered;
    const numbers = Int32Array.from(names, (name) => this.#numberOf(name));
    [this.#names, this.#numbered] = [names, numbers];
    return numbers;
  }

  #numberOf(name: string): number {
    const id = this.#registered.get(name);
    return id === undefined ? -1 : (this.#numbers.get(id) ?? -1);
  }
}

function oneSex(stated: readonly RegisteredSex[]): Sex {
  const known = new Set(stated.filter((sex) => sex !== 'unknown'));
  const [only = 'unknown'] = known;
  return known.size > 1 || only === 'contradicted' ? 'unknown' : only;
}

// Which bases of a sample must be covered, so that its calls say whether it carries an allele.

/** Bases of one chromosome: zero-based half-open, ascending and apart from each other. */
export interface CoveredBases {
  chromosome: Contig;
  intervals: readonly { start: number; end: number }[];
}

/**
 * Of an allele of plain bases, each base of its reference; of an insertion or deletion one base more on each side. Of a
 * structural variant the bases at its two ends: POS and END, or the two sides of an insertion; of a junction with another
 * chromosome one place on each.
 */
export function placesOfQuestion(question: ObservedQuestion, assembly: Assembly): readonly CoveredBases[] {
  if (question.type === 'sequence')
    return [{ chromosome: question.contig, intervals: [spanOfSequence(question, assembly)] }];
  const { contig, start, end, mate } = question;
  if (mate !== undefined && mate !== contig) {
    return [basesOn(contig, assembly, [base(start)]), basesOn(mate, assembly, [base(end)])];
  }
  return [basesOn(contig, assembly, endsOf(question))];
}

/** The one place of an allele of plain bases, which is one interval. */
export function spanOfSequence(
  { contig, start, reference, alternate }: SequenceQuestion,
  assembly: Assembly,
): BaseSpan {
  const more = reference.length === alternate.length ? 0 : 1;
  return withinChromosome(lengthOf(assembly, contig), start - more, start + reference.length + more);
}

function endsOf({ kind, start, end, mate }: StructuralQuestion): BaseSpan[] {
  if (mate !== undefined) return [base(Math.min(start, end)), base(Math.max(start, end))];
  if (isInsertion(kind)) return [{ start, end: start + 2 }];
  return kind === 'BND' || kind.startsWith('BND:') ? [base(start)] : [base(start), base(end - 1)];
}

interface BaseSpan {
  start: number;
  end: number;
}

function base(start: number): BaseSpan {
  return { start, end: start + 1 };
}

/** At least one base of a chromosome of this length. */
function withinChromosome(length: number, from: number, to: number): BaseSpan {
  const start = Math.min(Math.max(from, 0), length - 1);
  return { start, end: Math.max(Math.min(to, length), start + 1) };
}

/** Within the chromosome; what touches becomes one. */
function basesOn(chromosome: Contig, assembly: Assembly, spans: readonly BaseSpan[]): CoveredBases {
  const length = lengthOf(assembly, chromosome);
  const intervals: BaseSpan[] = [];
  for (const span of spans) {
    const { start, end } = withinChromosome(length, span.start, span.end);
    const last = intervals.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else intervals.push({ start, end });
  }
  return { chromosome, intervals };
}
