/**
 * Carriers of the same change in another spelling: a substitution of several bases as its single ones, and the reverse. Single
 * substitutions are the change only if they are on one copy of the chromosome (in cis), which is often unknown.
 */
import {
  type Assembly,
  type BeaconRepository,
  type Dataset,
  type DepthRepository,
  longestDecomposed,
  type NumberedCarriers,
  type ObservedQuestion,
  type PhasedPairs,
  pairNumber,
  ploidyAt,
  type Sample,
  type SequenceQuestion,
} from '../contract.js';
import { questionOfAllele } from '../domain/written-question.js';
import { type ProtectionSettings, protectionOfDataset } from '../protection/profiles.js';
import type { Observable } from './observing.js';

interface DecomposedCounts {
  carriers: number;
  /** Distinct cases. */
  cases: number;
}

/** Samples that carry a change in another spelling alone. */
export interface Decomposed {
  certain: DecomposedCounts;
  /** Whether they carry it depends on a phase that is not known. */
  unknown: DecomposedCounts;
}

interface DecomposingTools {
  repository: Pick<BeaconRepository, 'found' | 'observe' | 'sampleFacts'>;
  depths: Pick<DepthRepository, 'findPhases'>;
  settings: { protection: ProtectionSettings };
}

const untold = 'Protected and shared datasets do not tell which samples carry a substitution in another spelling.';

/** Alleles over one base that are looked at; a question that finds more is refused as too wide. */
const mostAlleles = 10_000;

/**
 * By dataset; a sentence for those that do not tell. Empty of a question that is not a substitution of at most
 * `longestDecomposed` bases.
 */
export async function decomposedOf(
  tools: DecomposingTools,
  { assembly, question, found }: { assembly: Assembly; question: ObservedQuestion; found: readonly Observable[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Decomposed | string>> {
  const decomposed = new Map<string, Decomposed | string>();
  if (question.type !== 'sequence' || !isDecomposable(question)) return decomposed;
  for (const { dataset, shared } of found) {
    const isTold = shared === undefined && !protectionOfDataset(tools.settings.protection, dataset.id);
    const about = { assembly, question, dataset };
    decomposed.set(dataset.id, isTold ? await decomposedIn(tools, about, signal) : untold);
  }
  return decomposed;
}

function isDecomposable({ reference, alternate }: Pick<SequenceQuestion, 'reference' | 'alternate'>): boolean {
  return reference.length === alternate.length && reference.length <= longestDecomposed;
}

interface QuestionOfDataset {
  assembly: Assembly;
  question: SequenceQuestion;
  dataset: Dataset;
}

async function decomposedIn(
  tools: DecomposingTools,
  about: QuestionOfDataset,
  signal: AbortSignal,
): Promise<Decomposed> {
  const { repository } = tools;
  const { assembly, question, dataset } = about;
  const isSingle = question.reference.length === 1;
  const others = isSingle ? await substitutionsWith(repository, about, signal) : singlesOf(question);
  const samples = new Map((await repository.sampleFacts(dataset.id)).map((sample) => [sample.name, sample]));
  const carriers = await carriersOf(repository, about, others, signal);
  if (isSingle) return countsOf(samples, [...new Set(carriers.flatMap((all) => [...all.keys()]))], []);
  const carried = new Map<Sample, CarriedSingle[]>();
  for (const [name, call] of carriers[0] ?? []) {
    const sample = samples.get(name);
    const calls = [call, ...carriers.slice(1).map((all) => all.get(name))].flatMap((one) => one ?? []);
    if (!sample || calls.length < others.length) continue;
    carried.set(
      sample,
      others.map((single, i) => ({ ...single, ...(calls[i] as Call) })),
    );
  }
  const pairs = others.flatMap((one, i) => others.slice(i + 1).flatMap((other) => pairOf(one, other) ?? []));
  const names = [...carried.keys()].map(({ name }) => name);
  const phases = await tools.depths.findPhases(dataset.id, pairs, names);
  const [certain, unknown]: [string[], string[]] = [[], []];
  for (const [{ name, sex }, singles] of carried) {
    const isCis =
      question.contig === 'MT'
        ? areInOneMolecule(singles) || undefined
        : areInCis(
            singles.filter(
              ({ start, copies }) => !isOnEveryCopy(ploidyAt(assembly, question.contig, start, sex), copies),
            ),
            phases.get(name),
          );
    if (isCis !== false) (isCis ? certain : unknown).push(name);
  }
  return countsOf(samples, certain, unknown);
}

function pairOf(one: SequenceQuestion, other: SequenceQuestion): number | undefined {
  return pairNumber(one.contig, one, other);
}

/** The substitutions of single bases that a longer one consists of. */
function singlesOf(question: SequenceQuestion): SequenceQuestion[] {
  return [...question.reference].flatMap((reference, i): SequenceQuestion[] => {
    const alternate = question.alternate[i] as string;
    return reference === alternate ? [] : [{ ...question, start: question.start + i, reference, alternate }];
  });
}

/** The stored substitutions of several bases that a single one is part of. */
async function substitutionsWith(
  repository: Pick<BeaconRepository, 'found'>,
  { assembly, question, dataset }: QuestionOfDataset,
  signal: AbortSignal,
): Promise<SequenceQuestion[]> {
  const { contig, start } = question;
  const query = { assembly, contig, overlaps: { start, end: start + 1 }, kinds: [{ kind: 'MNP', structural: false }] };
  const found = await repository.found(query, [dataset.id], { limit: mostAlleles, signal });
  return found
    .flatMap(({ alleles }) => alleles)
    .flatMap((allele) => questionOfAllele(allele) ?? [])
    .filter((one): one is SequenceQuestion => one.type === 'sequence' && isDecomposable(one))
    .filter((one) =>
      singlesOf(one).some(
        (single) =>
          single.start === start && single.reference === question.reference && single.alternate === question.alternate,
      ),
    );
}

interface Call {
  copies: number;
  /** The allele fraction, if it is known. */
  percent: number | undefined;
}

type CarriedSingle = SequenceQuestion & Call;

/** Of each of the others the carriers by name, without those of the question itself; all as of one moment. */
async function carriersOf(
  repository: Pick<BeaconRepository, 'observe'>,
  { assembly, question, dataset }: QuestionOfDataset,
  others: readonly SequenceQuestion[],
  signal: AbortSignal,
): Promise<Map<string, Call>[]> {
  if (others.length === 0) return [];
  const observed = await repository.observe(assembly, [question, ...others], [dataset.id], { carriers: true, signal });
  const [own, ...found] = observed.map(([observation]) => callsOf(observation?.named));
  return found.map((calls) => new Map([...calls].filter(([name]) => !own?.has(name))));
}

function callsOf(named: NumberedCarriers | undefined): Map<string, Call> {
  return new Map(
    named?.numbers.map((number, i): [string, Call] => [
      named.names[number] as string,
      { copies: named.copies[i] as number, percent: named.percents?.get(number) },
    ]),
  );
}

/** Homozygous or hemizygous. A place of which such a person has no copy says nothing. */
function isOnEveryCopy(ploidy: number, copies: number): boolean {
  return ploidy > 0 && copies >= ploidy;
}

/** Whether substitutions that are each on one of two copies are all on the same; undefined if that is unknown. */
function areInCis(singles: readonly SequenceQuestion[], phases: PhasedPairs | undefined): boolean | undefined {
  const phaseOf = (one: SequenceQuestion, other: SequenceQuestion) => phases?.get(pairOf(one, other) ?? -1);
  if (singles.some((one) => singles.some((other) => phaseOf(one, other) === 'trans'))) return false;
  // Those of which it is known that they are on the copy of the first.
  const reached = new Set(singles.slice(0, 1));
  for (const one of reached) {
    for (const other of singles) if (phaseOf(one, other) === 'cis') reached.add(other);
  }
  return reached.size === singles.length || undefined;
}

/**
 * A person has many copies of MT, of which each variant may be on a part. Some molecule has all of them if those that lack one are
 * fewer than all. Percents are rounded down, and a carrier has more than none.
 */
function areInOneMolecule(singles: readonly CarriedSingle[]): boolean {
  const lacking = ({ copies, percent }: CarriedSingle) =>
    percent === undefined && copies >= 2 ? 0 : 100 - Math.max(percent ?? 0, 0.5);
  return singles.reduce((sum, single) => sum + lacking(single), 0) < 100;
}

function countsOf(
  samples: ReadonlyMap<string, Pick<Sample, 'case'>>,
  certain: readonly string[],
  unknown: readonly string[],
): Decomposed {
  const counted = (names: readonly string[]) => {
    const there = names.filter((name) => samples.has(name));
    return { carriers: there.length, cases: new Set(there.map((name) => samples.get(name)?.case)).size };
  };
  return { certain: counted(certain), unknown: counted(unknown) };
}
