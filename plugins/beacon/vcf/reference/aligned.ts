/**
 * The one door between the spellings of an allele and the storage: where a reference is loaded, imports are left-aligned if their
 * dataset is, and questions for one insertion or deletion find it as it is written and as it is left-aligned. Structural
 * alleles of plain bases stay as their records write them, and a dataset that was not rewritten yet has both forms.
 */
import type { CommandContext } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { announcingCalls } from '../../announced.js';
import {
  type AlleleQuery,
  type Assembly,
  alleleKey,
  type BeaconRepository,
  beacon,
  byAllele,
  type CalledAllele,
  type DatasetAlleles,
  type DatasetHit,
  type FoundAllele,
  type FoundOptions,
  farthest,
  isOpen,
  isPlain,
  isSpelled,
  type NamedCarrier,
  type Observation,
  Observed,
  type ObservedQuestion,
  type ObserveOptions,
  type ReplaceRules,
  type SequenceChange,
  type SequenceQuestion,
  Tally,
} from '../../contract.js';
import { type FormOf, referenceForm } from '../../domain/dataset-forms.js';
import { leftAligned, leftAlignedQuestion, type ReferenceBases } from '../../domain/left-aligned.js';
import { reverseComplement } from '../../domain/matching.js';
import type { BeaconSettings } from '../../settings.js';
import { type LoadedReferences, referencesIn } from './packed.js';

type Reads = Pick<BeaconRepository, 'observe' | 'found' | 'sampleFacts'>;

/** The same repository, for all that loads alleles or asks for them. */
export function withReferences(repository: BeaconRepository, references: LoadedReferences): BeaconRepository {
  const spellingsOf = (query: AlleleQuery): readonly AlleleQuery[] => {
    const genome = references.of(query.assembly);
    const moved = genome && movedQuery(query, genome);
    return moved ? [query, moved] : [query];
  };
  /** What all spellings find: a dataset that has alleles of several is read again, so that forms of one allele count once. */
  const foundIn = async (
    query: AlleleQuery,
    datasets: readonly string[],
    options: FoundOptions,
  ): Promise<DatasetAlleles[]> => {
    const asked = spellingsOf(query);
    if (asked.length === 1) return repository.found(query, datasets, options);
    const genome = references.of(query.assembly) as ReferenceBases;
    const byDataset = new Map<string, DatasetAlleles>();
    const several: string[] = [];
    for (const spelling of asked) {
      for (const one of await repository.found(spelling, datasets, options)) {
        if (byDataset.has(one.dataset)) several.push(one.dataset);
        else byDataset.set(one.dataset, one);
      }
    }
    for (const dataset of several) {
      const alleles = await mergedAlleles(repository, asked, dataset, genome, options);
      byDataset.set(dataset, { dataset, alleles });
    }
    return [...byDataset.values()].sort((one, other) => (one.dataset < other.dataset ? -1 : 1));
  };

  return {
    ...repository,
    async importAlleles(request, now) {
      const { assembly, alignedTo } = (await repository.dataset(request.dataset)) ?? {};
      if (assembly === undefined || alignedTo === undefined) return repository.importAlleles(request, now);
      const genome = references.of(assembly);
      if (genome?.digest !== alignedTo) throw notAligned(request.dataset, genome);
      const alleles = alignedBatches(request.alleles, genome);
      const replaces = request.replaces && alignedRules(request.replaces, genome);
      return repository.importAlleles({ ...request, alleles, alignedTo, ...(replaces && { replaces }) }, now);
    },

    async present(query, datasets, options = {}) {
      const { most = Number.POSITIVE_INFINITY } = options;
      const found = new Set<string>();
      for (const spelling of spellingsOf(query)) {
        const others = datasets.filter((id) => !found.has(id));
        if (found.size >= most || others.length === 0) break;
        for (const id of await repository.present(spelling, others, options)) found.add(id);
      }
      return [...found].sort().slice(0, most);
    },

    async search(query, datasets, options = {}) {
      if (spellingsOf(query).length === 1) return repository.search(query, datasets, options);
      const { limit = farthest, signal } = options;
      const found = await foundIn(query, datasets, { limit, carriers: true, ...(signal && { signal }) });
      return found.map(({ dataset, alleles }): DatasetHit => {
        const tally = new Tally();
        for (const allele of alleles) tally.add(allele, allele.named ?? []);
        return { dataset, ...tally.counts() };
      });
    },

    found: foundIn,

    async observe(assembly, questions, datasets, options = {}) {
      const genome = references.of(assembly);
      const moved = questions.map((question) => genome && movedQuestion(question, genome));
      const others = moved.filter((question) => question !== undefined);
      if (others.length === 0) return repository.observe(assembly, questions, datasets, options);
      const found = await repository.observe(assembly, [...questions, ...others], datasets, options);
      const merging = new Merging(repository, assembly, options);
      let next = questions.length;
      const merged = questions.map((question, i): Observation[] => {
        const own = found[i] ?? [];
        const other = moved[i];
        if (other === undefined) return [...own];
        const second = found[next++] ?? [];
        return own.map((one, place) => merging.merged([question, other], one, second[place]));
      });
      await merging.settle();
      return merged;
    },
  };
}

/** For commands that load alleles or ask for them. */
export async function alignedRepository({
  settings,
  repository,
  announce,
}: Pick<CommandContext<BeaconSettings>, 'settings' | 'repository' | 'announce'>): Promise<{
  repository: BeaconRepository;
  references: LoadedReferences;
}> {
  const references = referencesIn(settings.references.folder);
  const aligned = withReferences(await repository(beacon), references);
  return { repository: announcingCalls(aligned, { announce }), references };
}

/** The form that datasets take. */
export function formsBy(references: LoadedReferences): FormOf {
  return (assembly) => {
    const genome = references.of(assembly);
    return genome && referenceForm(genome);
  };
}

/** The question by which the same allele has one place and one denominator, however it is written. */
export function oneFormOf(
  references: LoadedReferences,
  assembly: Assembly,
): (question: ObservedQuestion) => ObservedQuestion {
  return (question) => {
    const genome = references.of(assembly);
    return (genome && movedQuestion(question, genome)) ?? question;
  };
}

/** The fault for an import into a dataset that is left-aligned by another reference than this. */
function notAligned(dataset: string, genome: ReferenceBases | undefined): Fault {
  const what = genome
    ? 'another reference than the one that is loaded now: a running server rewrites them within minutes; load then'
    : 'a reference that is not loaded here: load it again (beacon load-reference)';
  return new Fault('unavailable', `The alleles of dataset "${dataset}" are left-aligned by ${what}`);
}

/** A restriction holds for records as they are written: an allele is within it if one of its spellings is. */
function alignedRules({ within, ...rules }: ReplaceRules, genome: ReferenceBases): ReplaceRules {
  if (within === undefined) return rules;
  const form = referenceForm(genome);
  return { ...rules, within: (allele) => [...form.spellings(allele)].some((one) => within(one)) };
}

async function* alignedBatches(
  batches: AsyncIterable<readonly CalledAllele[]>,
  genome: ReferenceBases,
): AsyncGenerator<readonly CalledAllele[]> {
  for await (const batch of batches) yield batch.map((allele) => leftAligned(allele, genome));
}

/** Undefined if the question is asked in the one form already, or is not for one allele. */
function movedQuestion(question: ObservedQuestion, genome: ReferenceBases): SequenceQuestion | undefined {
  if (question.type !== 'sequence' || question.reference.length === question.alternate.length) return undefined;
  const { type, contig, start } = question;
  const asked = leftAlignedQuestion({ ...question, start: { min: start, max: start } }, genome);
  if (asked.start.min === start && asked.reference === question.reference) return undefined;
  return { type, contig, start: asked.start.min, reference: asked.reference, alternate: asked.alternate };
}

/** The query for the left-aligned form of the allele or change that the query is for; undefined if there is no other. */
function movedQuery(query: AlleleQuery, genome: ReferenceBases): AlleleQuery | undefined {
  const { contig, start, overlaps, replaces: { change, ...replaces } = {}, ...others } = query;
  const rest = Object.keys(replaces).length > 0 ? { replaces } : {};
  if (change) {
    const spelled = spelledChange(query, change, genome);
    const asked = spelled && leftAlignedQuestion(spelled, genome);
    // Where it did not move, the change itself finds it.
    if (!asked || asked.start.min >= change.start - 1) return undefined;
    const { start: at, reference, alternate } = asked;
    return { ...others, ...rest, contig, start: at, reference, alternate };
  }
  if (overlaps || 'start' in replaces || 'end' in replaces || 'overlaps' in replaces) return undefined;
  const spelled = isSpelled(query) ? query : spelledDeletion(query, genome);
  const asked = spelled && leftAlignedQuestion(spelled, genome);
  if (asked === undefined) return undefined;
  const isSame = asked.start?.min === start?.min && asked.end?.min === query.end?.min;
  return isSame && asked.reference === spelled?.reference ? undefined : asked;
}

/** Bases of a deletion that is asked for by its ends: longer ones are structural. */
const longestDeletion = 10_000;

/** A query for deletions by both of their ends, as a query for the small one that these describe; undefined if it is for others. */
function spelledDeletion(query: AlleleQuery, genome: ReferenceBases): AlleleQuery | undefined {
  const { contig, start, end, kinds, reference, alternate, mate } = query;
  if (!isOpen(reference) || !isOpen(alternate) || mate !== undefined) return undefined;
  if (!kinds?.some(({ kind, structural = false }) => kind === 'DEL' && !structural)) return undefined;
  if (!start || !end || start.min !== start.max || end.min !== end.max) return undefined;
  const length = end.min - start.min;
  const bases = length > 1 && length <= longestDeletion ? genome.bases(contig, start.min, end.min) : undefined;
  return isPlain(bases) ? { ...query, reference: bases, alternate: bases.charAt(0) } : undefined;
}

/** A change as a record would write it, with a base beside it; undefined if its bases are not known or not those of the reference. */
function spelledChange(
  { contig }: AlleleQuery,
  { start, end, reference, alternate }: SequenceChange,
  genome: ReferenceBases,
) {
  const replaced = genome.bases(contig, start, end);
  const before = genome.bases(contig, start - 1, start);
  if (replaced === undefined || before === undefined) return undefined;
  if (reference !== undefined && reference !== replaced) return undefined;
  const put = typeof alternate === 'string' ? alternate : changedBy(alternate.is, replaced);
  const [longReference, longAlternate] = [before + replaced, before + put];
  if (!isPlain(longReference) || !isPlain(longAlternate)) return undefined;
  return { contig, start: { min: start - 1, max: start - 1 }, reference: longReference, alternate: longAlternate };
}

function changedBy(is: 'duplicated' | 'inverted', bases: string): string {
  return is === 'duplicated' ? bases + bases : reverseComplement(bases);
}

/** The alleles of one dataset that any of the queries finds; those that are one allele in several forms once, with the greater copies. */
async function mergedAlleles(
  repository: Pick<Reads, 'found'>,
  queries: readonly AlleleQuery[],
  dataset: string,
  genome: ReferenceBases,
  { signal }: Pick<FoundOptions, 'signal'>,
): Promise<FoundAllele[]> {
  const forms = new Map<string, Map<string, FoundAllele>>();
  for (const query of queries) {
    const options = { limit: farthest, carriers: true, ...(signal && { signal }) };
    const found = (await repository.found(query, [dataset], options)).flatMap(({ alleles }) => alleles);
    for (const one of found) {
      const key = alleleKey(leftAligned(one, genome)) + (one.structural ? ' structural' : '');
      forms.set(key, (forms.get(key) ?? new Map()).set(alleleKey(one), one));
    }
  }
  const merged = [...forms.values()].map((same): FoundAllele => {
    // As the query is written, if the dataset has it so: it is known again by that.
    const [allele] = [...same.values()] as [FoundAllele, ...FoundAllele[]];
    const copies = new Map<string, number>();
    for (const { named = [] } of same.values()) {
      for (const [name, count] of named) copies.set(name, Math.max(count, copies.get(name) ?? 0));
    }
    const named: NamedCarrier[] = [...copies].sort(([one], [other]) => (one < other ? -1 : 1));
    const calls = named.reduce((sum, [, count]) => sum + count, 0);
    // By one query they would not be found again.
    return { ...allele, calls, samples: named.length, named };
  });
  return merged.sort(byAllele);
}

/** Joins what was seen of two forms of one allele: of a sample that has both, the greater number of copies. */
class Merging {
  readonly #repository: Pick<Reads, 'observe' | 'sampleFacts'>;
  readonly #assembly: Assembly;
  readonly #options: ObserveOptions;
  /** By dataset: what is to be replaced once it is counted. */
  readonly #open = new Map<string, { questions: readonly ObservedQuestion[]; into: Observation }[]>();

  constructor(repository: Pick<Reads, 'observe' | 'sampleFacts'>, assembly: Assembly, options: ObserveOptions) {
    this.#repository = repository;
    this.#assembly = assembly;
    this.#options = options;
  }

  /** What was seen of both; if that takes a second reading, `settle` fills it in. */
  merged(questions: readonly ObservedQuestion[], one: Observation, other: Observation | undefined): Observation {
    const isNothing = ({ carriers, notCalled, fractions }: Observation) =>
      carriers === 0 && notCalled === 0 && fractions === undefined;
    if (other === undefined || isNothing(other)) return one;
    if (isNothing(one)) return other;
    // Questions may share an observation.
    const into = { ...one };
    const open = this.#open.get(one.dataset) ?? [];
    open.push({ questions, into });
    this.#open.set(one.dataset, open);
    return into;
  }

  async settle(): Promise<void> {
    const { signal, ...requested } = this.#options;
    for (const [dataset, open] of this.#open) {
      const samples = await this.#repository.sampleFacts(dataset);
      const numbers = new Map(samples.map(({ name }, number) => [name, number]));
      const observed = new Observed(samples);
      const asked = open.flatMap(({ questions }) => questions);
      const options = { carriers: true, fractions: requested.fractions, ...(signal && { signal }) };
      const found = await this.#repository.observe(this.#assembly, asked, [dataset], options);
      let next = 0;
      for (const { questions, into } of open) {
        for (const _ of questions) {
          const named = found[next++]?.[0]?.named;
          const numberOf = (number: number) => numbers.get(named?.names[number] as string);
          for (const [i, number] of named?.numbers.entries() ?? []) {
            const own = numberOf(number);
            if (own !== undefined) observed.add(own, named?.copies[i] as number, named?.percents?.get(number));
          }
          for (const number of named?.below ?? []) {
            const own = numberOf(number);
            if (own !== undefined) observed.addBelow(own);
          }
          for (const number of named?.uncalled ?? []) {
            const own = numberOf(number);
            if (own !== undefined) observed.miss(own);
          }
        }
        const { contig, start, type } = questions.at(-1) as ObservedQuestion;
        Object.assign(into, observed.result({ assembly: this.#assembly, contig, start, type }, requested));
      }
    }
  }
}
