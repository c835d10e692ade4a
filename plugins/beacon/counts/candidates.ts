/** Which alleles a question about carriers is about: those of genes, by annotation; those of places, without one; and named ones. */
import type { CarriedQuestion } from '../../services/beacon.js';
import {
  type Allele,
  alleleKey,
  type BeaconRepository,
  byAllele,
  type CallAnnotation,
  type ConsequenceRepository,
  type Dataset,
  farthest,
  kindOfSequence,
  type ObservedQuestion,
  type SequenceQuestion,
} from '../contract.js';
import { plainQuestion, questionOfAllele } from '../domain/written-question.js';
import { type Impact, statedTerms, termsFrom, worstRank } from '../vcf/consequences/terms.js';

/** An allele that a question may be about. */
export interface AlleleCandidate {
  /** Of plain bases: in the one form that a loaded reference gives it. */
  allele: Allele;
  question: ObservedQuestion;
  /** Of several datasets the worst one, with the largest frequency and the classes of all; undefined if nobody annotated it. */
  annotation?: CallAnnotation;
  /** Whether the question names it: then it stays however common it is. */
  isNamed: boolean;
}

export interface CandidateTools {
  repository: Pick<BeaconRepository, 'found'>;
  consequences: Pick<ConsequenceRepository, 'ofGene' | 'find'>;
  /** The question by which an allele has one form. */
  oneForm(question: ObservedQuestion): ObservedQuestion;
}

interface FoundCandidate extends AlleleCandidate {
  /** As datasets have it, and in its one form; by `alleleKey`. */
  forms: Map<string, Allele>;
  isOfGene: boolean;
}

/** Alleles whose annotations are looked up at once. */
const lookedUpAtOnce = 20_000;

/** Each allele once, in the order of `byAllele`. */
export async function candidatesOf(
  tools: CandidateTools,
  datasets: readonly Dataset[],
  asked: CarriedQuestion,
  signal: AbortSignal,
): Promise<AlleleCandidate[]> {
  const found = new Map<string, FoundCandidate>();
  const add = (allele: Allele, why: Partial<Pick<FoundCandidate, 'isNamed' | 'isOfGene'>> = {}) => {
    const fresh = candidate(tools, allele);
    if (fresh === undefined) return;
    const key = alleleKey(fresh.allele);
    const known = found.get(key) ?? fresh;
    found.set(key, Object.assign(known, why));
    known.forms.set(alleleKey(allele), allele);
  };
  for (const allele of asked.alleles ?? []) {
    const question = plainQuestion(allele, asked.assembly);
    if (question) add(spelled(question), { isNamed: true });
  }
  const ids = datasets.map(({ id }) => id);
  for await (const allele of allelesOfGenes(tools, ids, asked.genes, signal)) add(allele, { isOfGene: true });
  for await (const allele of allelesAt(tools, ids, asked, signal)) add(allele);
  const all = [...found.values()].sort((one, other) => byAllele(one.allele, other.allele));
  for (const id of ids) await annotate(tools, id, all, signal);
  const limit = asked.genes?.frequency ?? 1;
  return all.filter(
    ({ annotation, isNamed, isOfGene }) =>
      isNamed || (isOfGene ? (annotation?.frequency?.value ?? 0) <= limit : annotation === undefined),
  );
}

/** Undefined for alleles with bases that are not known. */
function candidate({ oneForm }: Pick<CandidateTools, 'oneForm'>, stored: Allele): FoundCandidate | undefined {
  const asked = questionOfAllele(stored);
  const question = asked && oneForm(asked);
  if (question === undefined) return undefined;
  const allele = question.type === 'structural' ? stored : spelled(question);
  return { allele, question, isNamed: false, isOfGene: false, forms: new Map([[alleleKey(allele), allele]]) };
}

function spelled({ contig, start, reference, alternate }: SequenceQuestion): Allele {
  const kind = kindOfSequence(reference, alternate);
  return { contig, start, end: start + reference.length, reference, alternate, kind, structural: false };
}

/** By annotation; perhaps several times. Those too frequent by one dataset may be of unknown frequency in another. */
async function* allelesOfGenes(
  { consequences }: Pick<CandidateTools, 'consequences'>,
  ids: readonly string[],
  genes: CarriedQuestion['genes'],
  signal: AbortSignal,
): AsyncGenerator<Allele> {
  if (genes === undefined) return;
  const { effect, frequency: maxFrequency } = genes;
  const terms = termsFrom(effect.toUpperCase() as Impact);
  for (const id of ids) {
    for (const gene of genes.of) {
      signal.throwIfAborted();
      for (const { allele } of (await consequences.ofGene(id, gene, { terms, maxFrequency })).alleles) yield allele;
    }
  }
}

/** All that share a base with one of the places, perhaps several times. */
async function* allelesAt(
  { repository }: Pick<CandidateTools, 'repository'>,
  ids: readonly string[],
  { assembly, places = [] }: CarriedQuestion,
  signal: AbortSignal,
): AsyncGenerator<Allele> {
  for (const { chromosome: contig, start, end } of ids.length === 0 ? [] : places) {
    const query = { assembly, contig, overlaps: { start, end } };
    for (const { alleles } of await repository.found(query, ids, { limit: farthest, signal })) yield* alleles;
  }
}

/** Adds what a dataset says of them. */
async function annotate(
  { consequences }: Pick<CandidateTools, 'consequences'>,
  dataset: string,
  all: readonly FoundCandidate[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < all.length; from += lookedUpAtOnce) {
    signal.throwIfAborted();
    const part = all.slice(from, from + lookedUpAtOnce);
    const byForm = new Map(part.flatMap((one) => [...one.forms.keys()].map((key) => [key, one] as const)));
    const forms = part.flatMap((one) => [...one.forms.values()]);
    for (const { allele, ...annotation } of await consequences.find(dataset, forms)) {
      const own = byForm.get(alleleKey(allele));
      if (own) own.annotation = own.annotation ? joined(own.annotation, annotation) : annotation;
    }
  }
}

function joined(one: CallAnnotation, other: CallAnnotation): CallAnnotation {
  const worse = worstRank(statedTerms(other)) < worstRank(statedTerms(one)) ? other : one;
  const frequencies = [one.frequency, other.frequency].filter((known) => known !== undefined);
  const [frequency] = frequencies.sort((left, right) => right.value - left.value);
  const clinVar = [...new Set([...(one.clinVar ?? []), ...(other.clinVar ?? [])])];
  return { ...worse, ...(frequency && { frequency }), ...(clinVar.length > 0 && { clinVar }) };
}
