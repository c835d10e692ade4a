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
} from '../contract.js';
import { plainQuestion, questionOfAllele } from '../domain/written-question.js';
import { type Impact, termsFrom } from '../vcf/consequences/terms.js';

export interface Candidate {
  /** Of plain bases: in the one form that a loaded reference gives it. */
  allele: Allele;
  question: ObservedQuestion;
  annotation?: CallAnnotation | undefined;
  /** Whether the question names it: then it stays however common it is. */
  isNamed: boolean;
}

export interface CandidateTools {
  repository: Pick<BeaconRepository, 'found'>;
  consequences: Pick<ConsequenceRepository, 'ofGene' | 'find'>;
  /** The question by which an allele has one form. */
  oneForm(question: ObservedQuestion): ObservedQuestion;
}

/** Alleles whose annotations are looked up at once. */
const lookedUpAtOnce = 20_000;

/** Each allele once, in the order of `byAllele`. */
export async function candidatesOf(
  tools: CandidateTools,
  datasets: readonly Dataset[],
  asked: CarriedQuestion,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const ids = datasets.map(({ id }) => id);
  const found = new Candidates(tools.oneForm);
  for (const dataset of ids) await addAnnotated(tools, found, dataset, asked.genes, signal);
  const others = new Map<string, Allele>();
  for (const allele of await allelesAt(tools, ids, asked, signal)) {
    if (!found.has(allele)) others.set(alleleKey(allele), allele);
  }
  const unannotated = new Set(others.keys());
  for (const allele of asked.alleles ?? []) {
    const question = plainQuestion(allele, asked.assembly);
    const named = question && found.name(question);
    if (named) others.set(alleleKey(named), named);
  }
  const sought = [...others.values()].sort(byAllele);
  for (const dataset of ids) {
    for (let from = 0; from < sought.length; from += lookedUpAtOnce) {
      signal.throwIfAborted();
      for (const one of await tools.consequences.find(dataset, sought.slice(from, from + lookedUpAtOnce))) {
        unannotated.delete(alleleKey(one.allele));
        found.annotate(one.allele, one);
      }
    }
  }
  for (const key of unannotated) found.add(others.get(key) as Allele);
  return found.sorted();
}

/** By the genes, with all that is said of the alleles there. */
async function addAnnotated(
  { consequences }: Pick<CandidateTools, 'consequences'>,
  found: Candidates,
  dataset: string,
  genes: CarriedQuestion['genes'],
  signal: AbortSignal,
): Promise<void> {
  if (genes === undefined) return;
  const { effect, frequency: maxFrequency } = genes;
  const terms = termsFrom(effect.toUpperCase() as Impact);
  const own = new Map<string, CallAnnotation & { allele: Allele }>();
  for (const gene of genes.of) {
    signal.throwIfAborted();
    for (const one of (await consequences.ofGene(dataset, gene, { terms, maxFrequency })).alleles) {
      const known = own.get(alleleKey(one.allele));
      own.set(alleleKey(one.allele), known ? { ...one, genes: [...known.genes, ...one.genes] } : one);
    }
  }
  for (const one of own.values()) found.add(one.allele, one);
}

/** All that share a base with one of the places, perhaps several times. */
async function allelesAt(
  { repository }: Pick<CandidateTools, 'repository'>,
  ids: readonly string[],
  { assembly, places = [] }: CarriedQuestion,
  signal: AbortSignal,
): Promise<Allele[]> {
  const found: Allele[] = [];
  for (const { chromosome: contig, start, end } of places) {
    const query = { assembly, contig, overlaps: { start, end } };
    for (const { alleles } of await repository.found(query, ids, { limit: farthest, signal })) found.push(...alleles);
  }
  return found;
}

class Candidates {
  readonly #oneForm: CandidateTools['oneForm'];
  readonly #byKey = new Map<string, Candidate>();

  constructor(oneForm: CandidateTools['oneForm']) {
    this.#oneForm = oneForm;
  }

  has(allele: Allele): boolean {
    const formed = this.#formed(allele);
    return formed === undefined || this.#byKey.has(alleleKey(formed.allele));
  }

  /** Nothing of alleles with bases that are not known; what is known of it already stays. */
  add(allele: Allele, annotation?: CallAnnotation): void {
    const formed = this.#formed(allele);
    if (formed === undefined) return;
    const known = this.#byKey.get(alleleKey(formed.allele));
    if (known) known.annotation ??= annotation;
    else this.#byKey.set(alleleKey(formed.allele), { ...formed, annotation, isNamed: false });
  }

  /** Returns the allele if its annotation is not known. */
  name(question: ObservedQuestion): Allele | undefined {
    const asked = this.#oneForm(question);
    const allele = spelled(asked);
    const known = allele && this.#byKey.get(alleleKey(allele));
    if (known) known.isNamed = true;
    else if (allele) this.#byKey.set(alleleKey(allele), { allele, question: asked, isNamed: true });
    return known?.annotation ? undefined : allele;
  }

  /** Nothing of others than candidates. */
  annotate(allele: Allele, annotation: CallAnnotation): void {
    const formed = this.#formed(allele);
    const known = formed && this.#byKey.get(alleleKey(formed.allele));
    if (known) known.annotation ??= annotation;
  }

  sorted(): Candidate[] {
    return [...this.#byKey.values()].sort((one, other) => byAllele(one.allele, other.allele));
  }

  #formed(allele: Allele): Pick<Candidate, 'allele' | 'question'> | undefined {
    const asked = questionOfAllele(allele);
    const question = asked && this.#oneForm(asked);
    return question && { allele: spelled(question) ?? allele, question };
  }
}

/** The allele of plain bases that a question is for. */
function spelled(question: ObservedQuestion): Allele | undefined {
  if (question.type === 'structural') return undefined;
  const { contig, start, reference, alternate } = question;
  const kind = kindOfSequence(reference, alternate);
  return { contig, start, end: start + reference.length, reference, alternate, kind, structural: false };
}
