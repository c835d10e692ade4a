/**
 * The form in which a dataset keeps its small insertions and deletions: trimmed (`canonical`), or also as far to the left as a
 * reference sequence allows. A dataset has one form at any moment; `rewriteAlleles` gives it another.
 */
import { Fault } from '../../../core/storage.js';
import { type Allele, alleleKey } from './allele.js';

/** What is left-aligned by a reference. */
export interface AlignedForm {
  /** Identifies the sequences of the reference: equal for equal sequences. */
  alignedTo: string;
  /**
   * The allele in this form, on the same chromosome: equal for all spellings of one change, and itself if it has the form. It gets
   * small alleles alone whose reference and alternate differ in length.
   */
  aligned(allele: Allele): Allele;
}

export interface MovedAllele {
  from: Allele;
  to: Allele;
}

export interface Rewriting extends AlignedForm {
  /**
   * Called with alleles that move, perhaps repeatedly, before the new form is visible: what others keep by allele they keep under
   * both from then on. What it throws ends the work.
   */
  onMoved?(moved: readonly MovedAllele[]): Promise<void>;
  /** Called between small pieces of the work, with the share of it that is done, from 0 to 1. What it throws ends the work. */
  pause?(done: number): Promise<void>;
}

/** What became of the alleles of a dataset. */
export interface Rewritten {
  /** Distinct alleles that were somewhere else before. */
  moved: number;
  /** How many fewer distinct alleles there are: of several forms of one change, one is left. */
  alleles: number;
  /** How many fewer copies are counted, of samples that had several forms of one change. */
  calls: number;
}

export interface BeaconRewriting {
  /**
   * Gives the alleles of a dataset another form, visible all at once with `alignedTo` and the totals; after any failure, `kill -9`
   * included, it has the old form. Other calls run concurrently and are kept; imports of the old form throw a `conflict` fault from
   * then on (`Import.alignedTo`). Structural alleles, and those whose bases are as many as before, stay. Where forms of one change
   * meet in a sample, it has the greater number of copies, never the sum, with what is stated of these; of equal numbers the highest
   * known allele fraction. What is stated of an allele
   * that moves is dropped: small ones have neither ranges nor length; of equal numbers that of an allele that stays counts. A sample that
   * was not called at one of the forms counts as not called at the new one. Sets `updated`. Returns undefined, and changes nothing, if
   * the dataset has the form already or does not exist, or if the storage keeps one form alone.
   */
  rewriteAlleles(dataset: string, rewriting: Rewriting, now: Date): Promise<Rewritten | undefined>;
}

/** Where the allele moves to; undefined if it stays. */
export function movedBy(allele: Allele, form: AlignedForm): Allele | undefined {
  if (allele.structural || allele.reference.length === allele.alternate.length) return undefined;
  const to = form.aligned(allele);
  return alleleKey(to) === alleleKey(allele) ? undefined : to;
}

/** Throws a `conflict` fault unless the alleles of an import have the form of its dataset. */
export function refuseOtherForm(
  { dataset, alignedTo }: { dataset: string; alignedTo?: string | undefined },
  stored: { alignedTo?: string | undefined },
): void {
  if (alignedTo === stored.alignedTo) return;
  throw new Fault(
    'conflict',
    `Dataset "${dataset}" keeps its alleles in another form than they were read in, since a reference was loaded meanwhile: ` +
      'nothing was loaded; load again',
  );
}

/** The calls (`callOf`) of samples that come together at an allele: of two of one sample the greater. */
export function addGreater<Name>(calls: Map<Name, number>, more: Iterable<readonly [Name, number]>): void {
  for (const [name, call] of more) calls.set(name, Math.max(call, calls.get(name) ?? 0));
}

/**
 * Lets calls that come to an allele meet those that it has: of two of one sample the greater stays, once; if they are
 * equal, the one that is there.
 */
export function meetCarriers<Name>(carriers: Map<Name, number>, arriving: Map<Name, number>): void {
  for (const [name, count] of arriving) {
    const own = carriers.get(name);
    if (own === undefined) continue;
    if (own < count) carriers.delete(name);
    else arriving.delete(name);
  }
}
