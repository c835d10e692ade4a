/** Which alleles a question about carriers is about: those of genes, by annotation; those of places, without one; and named ones. */
import type { CarriedQuestion } from '../../services/beacon.js';
import {
  type Allele,
  type AnnotatedAllele,
  alleleKey,
  type BeaconRepository,
  byAllele,
  type CallAnnotation,
  type ConsequenceRepository,
  type Dataset,
  farthest,
  kindOfSequence,
  matches,
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
  consequences: Pick<ConsequenceRepository, 'ofGenes' | 'find'>;
  /** The question by which an allele has one form. */
  oneForm(question: ObservedQuestion): ObservedQuestion;
}

interface FoundCandidate extends AlleleCandidate {
  /** As datasets have it, and in its one form; by `alleleKey`. */
  forms: Map<string, Allele>;
  isOfGene: boolean;
  /** What a dataset says of a form, by the number of the dataset and the form. */
  said: Map<string, AnnotatedAllele>;
}

/** Bases between places of one query, and places of one query, at most. */
const [near, mostTogether] = [1000, 20];
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
    if (fresh === undefined) return undefined;
    const key = alleleKey(fresh.allele);
    const known = found.get(key) ?? fresh;
    found.set(key, Object.assign(known, why));
    known.forms.set(alleleKey(allele), allele);
    return known;
  };
  for (const allele of asked.alleles ?? []) {
    const question = plainQuestion(allele, asked.assembly);
    if (question) add(spelled(question), { isNamed: true });
  }
  const ids = datasets.map(({ id }) => id);
  const { genes } = asked;
  if (genes !== undefined) {
    // Those too frequent by one dataset may be of unknown frequency in another.
    const question = { terms: termsFrom(genes.effect.toUpperCase() as Impact), maxFrequency: genes.frequency };
    for (const [number, id] of ids.entries()) {
      signal.throwIfAborted();
      for (const annotated of await tools.consequences.ofGenes(id, genes.of, question))
        add(annotated.allele, { isOfGene: true })?.said.set(saidBy(number, annotated.allele), annotated);
    }
  }
  for await (const allele of allelesAt(tools, ids, asked, signal)) add(allele);
  const all = [...found.values()].sort((one, other) => byAllele(one.allele, other.allele));
  for (const [number, id] of ids.entries()) await lookUp(tools, { id, number }, all, signal);
  const limit = genes?.frequency ?? 1;
  return all.flatMap(({ allele, question, isNamed, isOfGene, forms, said }) => {
    const annotation = joinedOf(ids.length, [...forms.values()].sort(byAllele), said);
    const isAsked = isOfGene ? (annotation?.frequency?.value ?? 0) <= limit : annotation === undefined;
    return isNamed || isAsked ? [{ allele, question, isNamed, ...(annotation && { annotation }) }] : [];
  });
}

function saidBy(dataset: number, allele: Allele): string {
  return `${dataset} ${alleleKey(allele)}`;
}

/** Undefined for alleles with bases that are not known. */
function candidate({ oneForm }: Pick<CandidateTools, 'oneForm'>, stored: Allele): FoundCandidate | undefined {
  const asked = questionOfAllele(stored);
  const question = asked && oneForm(asked);
  if (question === undefined) return undefined;
  const allele = question.type === 'structural' ? stored : spelled(question);
  return {
    allele,
    question,
    isNamed: false,
    isOfGene: false,
    forms: new Map([[alleleKey(allele), allele]]),
    said: new Map(),
  };
}

function spelled({ contig, start, reference, alternate }: SequenceQuestion): Allele {
  const kind = kindOfSequence(reference, alternate);
  return { contig, start, end: start + reference.length, reference, alternate, kind, structural: false };
}

/** All that share a base with one of the places, perhaps several times. */
async function* allelesAt(
  { repository }: Pick<CandidateTools, 'repository'>,
  ids: readonly string[],
  { assembly, places = [] }: CarriedQuestion,
  signal: AbortSignal,
): AsyncGenerator<Allele> {
  for (const group of ids.length === 0 ? [] : neighbours(places)) {
    const queries = group.map(({ chromosome: contig, start, end }) => ({ assembly, contig, overlaps: { start, end } }));
    const [{ chromosome: contig, start }] = group;
    const query = { assembly, contig, overlaps: { start, end: Math.max(...group.map((place) => place.end)) } };
    for (const { alleles } of await repository.found(query, ids, { limit: farthest, signal }))
      for (const allele of alleles) if (queries.some((one) => matches(allele, one))) yield allele;
  }
}

type PlacesTogether = [CarriedPlace, ...CarriedPlace[]];
type CarriedPlace = NonNullable<CarriedQuestion['places']>[number];

/** Places one after the other that are so close that one query of all costs less than one of each, such as exons of a gene. */
function neighbours(places: readonly CarriedPlace[]): PlacesTogether[] {
  const found: PlacesTogether[] = [];
  for (const place of places) {
    const group = found.at(-1);
    const last = group?.at(-1);
    const isNear = last?.chromosome === place.chromosome && last.start <= place.start && place.start <= last.end + near;
    if (group && isNear && group.length < mostTogether) group.push(place);
    else found.push([place]);
  }
  return found;
}

/** Adds what a dataset says of forms of which it is not known yet. */
async function lookUp(
  { consequences }: Pick<CandidateTools, 'consequences'>,
  { id, number }: { id: string; number: number },
  all: readonly FoundCandidate[],
  signal: AbortSignal,
): Promise<void> {
  const unknown = all.flatMap((one) =>
    [...one.forms.values()].flatMap((form) => (one.said.has(saidBy(number, form)) ? [] : [{ one, form }])),
  );
  for (let from = 0; from < unknown.length; from += lookedUpAtOnce) {
    signal.throwIfAborted();
    const part = unknown.slice(from, from + lookedUpAtOnce);
    const byForm = new Map(part.map(({ one, form }) => [alleleKey(form), one]));
    const forms = part.map(({ form }) => form);
    for (const annotated of await consequences.find(id, forms))
      byForm.get(alleleKey(annotated.allele))?.said.set(saidBy(number, annotated.allele), annotated);
  }
}

/** Of all datasets and forms together. */
function joinedOf(
  datasets: number,
  forms: readonly Allele[],
  said: FoundCandidate['said'],
): CallAnnotation | undefined {
  let annotation: CallAnnotation | undefined;
  for (let number = 0; said.size > 0 && number < datasets; number++) {
    for (const form of forms) {
      const own = said.get(saidBy(number, form));
      if (own === undefined) continue;
      const { allele: _, ...rest } = own;
      annotation = annotation ? joined(annotation, rest) : rest;
    }
  }
  return annotation;
}

function joined(one: CallAnnotation, other: CallAnnotation): CallAnnotation {
  const worse = worstRank(statedTerms(other)) < worstRank(statedTerms(one)) ? other : one;
  const frequencies = [one.frequency, other.frequency].filter((known) => known !== undefined);
  const [frequency] = frequencies.sort((left, right) => right.value - left.value);
  const clinVar = [...new Set([...(one.clinVar ?? []), ...(other.clinVar ?? [])])];
  return { ...worse, ...(frequency && { frequency }), ...(clinVar.length > 0 && { clinVar }) };
}
